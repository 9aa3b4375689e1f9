"""The code blocks of a page, and what they print when they run one after the other in one namespace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PRINTS = re.compile(r"^```python\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```$", re.MULTILINE)

RUNNER = """
import contextlib, io, json, sys
namespace = {"__name__": "__main__"}
outputs = []
for code in json.loads(sys.argv[1]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<block>", "exec"), namespace)
    outputs.append(out.getvalue())
print(json.dumps(outputs))
"""
"""Runs the blocks that its argument lists and prints what each printed, as JSON."""


class Example(NamedTuple):
    """A block of Python with the output that the page shows below it, None where it shows none."""

    code: str
    output: str | None


def blocks(text: str, language: str) -> list[str]:
    """Return the blocks of a language, in order."""
    return [found[2] for found in _BLOCK.finditer(text) if found[1] == language]


def examples(text: str) -> list[Example]:
    """Return the blocks of Python, each with the block of text that follows it directly."""
    shown = dict(_PRINTS.findall(text))
    return [Example(code, shown.get(code)) for code in blocks(text, "python")]


def run_python(codes: list[str]) -> subprocess.CompletedProcess[str]:
    """Run blocks of Python in a process of their own; warnings are errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER, json.dumps(codes)],
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def run_commands(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a block of shell commands in ``folder``, stopping at the first that fails; ``arggym`` is this package's."""
    arggym = folder / "bin" / "arggym"
    arggym.parent.mkdir(exist_ok=True)
    code = "from arggym_env.cli import main; main()"
    arggym.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n', encoding="utf-8")
    arggym.chmod(0o755)
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**ENVIRONMENT, "PATH": f"{arggym.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
