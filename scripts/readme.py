"""Writes the task table of README.md from the registry; a test holds the two together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import arggym_env as ag
from arggym_env.envs.registry import REGISTRY

README: Final = Path(__file__).parent.parent / "README.md"
_TABLE: Final = re.compile(r"(?<=<!-- tasks -->\n).*?(?=<!-- /tasks -->)", re.DOTALL)


def with_task_table(text: str) -> str:
    """Return the README ``text`` with its task table made afresh."""
    rows = ["| task | environment | what is asked |", "|---|---|---|"]
    for env_id, (name, task) in zip(ag.ENV_IDS, REGISTRY.items(), strict=True):
        rows.append(f"| `{name}` | `{env_id}` | {task.summary} |")
    return _TABLE.sub(lambda _: "\n".join(rows) + "\n", text)


if __name__ == "__main__":
    README.write_text(with_task_table(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
