"""Writes what is generated in the documents: GALLERY.md, docs/tasks/, and tables of README.md and docs/scoring.md.

Tests hold all of it to the code.

python -m scripts.gallery  # after a change to a task, a prompt, a score or a frozen suite (seconds)
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from arggym_env.envs.registry import TASKS
from arggym_env.gallery import LOGIHARD_PAGES, gallery, logihard_page, task_index, task_page
from arggym_env.gallery.curriculum import field_meanings
from arggym_env.gallery.markup import table
from arggym_env.rewards import Reason, Refusal
from scripts.readme import README, with_task_table

ROOT: Final = Path(__file__).parent.parent
GALLERY: Final = ROOT / "GALLERY.md"
TASK_PAGES: Final = ROOT / "docs" / "tasks"
SCORING: Final = ROOT / "docs" / "scoring.md"


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with the text that it should have."""
    yield GALLERY, gallery()
    yield README, with_task_table(README.read_text(encoding="utf-8"))
    yield SCORING, with_code_tables(SCORING.read_text(encoding="utf-8"))
    yield TASK_PAGES / "index.md", task_index(TASKS, LOGIHARD_PAGES)
    for task in TASKS:
        yield TASK_PAGES / f"{task}.md", task_page(task)
    for kind in LOGIHARD_PAGES:
        yield TASK_PAGES / f"{kind}.md", logihard_page(kind)


def with_code_tables(text: str) -> str:
    """Return the page on scoring with its tables of reasons and refusals made afresh."""
    for marker, codes in (("reasons", Reason), ("refusals", Refusal)):
        head, tail = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
        before, _, rest = text.partition(head)
        _, _, after = rest.partition(tail)
        text = f"{before}{head}\n{_codes(marker.removesuffix('s'), codes)}\n\n{tail}{after}"
    return text


def _codes(title: str, codes: type[StrEnum]) -> str:
    meanings = field_meanings(codes)
    rows = [[f"`{code}`", meanings.get(code.name, "Native 1 with success.")] for code in codes]
    return table([title, "meaning"], rows, text_columns=2)


def main() -> None:
    """Write the pages, and remove pages of tasks that are no more."""
    TASK_PAGES.mkdir(parents=True, exist_ok=True)
    made = dict(pages())
    for path, text in made.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    for path in set(TASK_PAGES.glob("*.md")) - made.keys():
        path.unlink()
    print(f"wrote {len(made)} pages")


if __name__ == "__main__":
    main()
