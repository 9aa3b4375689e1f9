"""docs/logihard.md says what is so: its code runs, its commands work, its tables are those that the script computes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.logihard_tables import PAGE, TABLES, file_table, read_files, with_tables
from tests.logihard.test_files import REAL, needs_real_files

ROOT = Path(__file__).parents[2]
TEXT = PAGE.read_text(encoding="utf-8")
QUICK = ("rewards", "floors", "twelve")


def test_the_quick_tables_are_up_to_date() -> None:
    assert with_tables(TEXT, QUICK) == TEXT, "run scripts/logihard_tables.py"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TABLES if name not in QUICK])
def test_the_other_tables_are_up_to_date(name: str) -> None:
    assert with_tables(TEXT, [name]) == TEXT, f"run scripts/logihard_tables.py --only {name}"


@needs_real_files
def test_the_table_of_real_files_is_up_to_date() -> None:
    files = read_files([f"logicskills={REAL / 'logicskills_validity.jsonl'}", f"logicbench={REAL / 'logicbench'}"])
    assert f"<!-- files -->\n{file_table(files)}<!-- /files -->" in TEXT


@pytest.mark.parametrize("word", ["plain", "plain=nowhere", "x=."])
def test_question_files_that_cannot_be_measured_are_one_line(word: str) -> None:
    with pytest.raises(SystemExit, match=r"^error: [^\n]*$"):
        read_files([word])


def test_the_python_of_the_page_runs(tmp_path: Path) -> None:
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode, result.stderr) == (0, "")


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    arggym = tmp_path / "arggym"
    code = "from arggym_env.cli import main; main()"
    arggym.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n', encoding="utf-8")
    arggym.chmod(0o755)
    commands = re.findall(r"^    (arggym .+)$", TEXT, re.MULTILINE)
    assert len(commands) == 6
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for command in commands:
        result = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, command
        assert "Traceback" not in result.stderr
        assert "arggym:" not in result.stderr
    assert (tmp_path / "trace.svg").is_file()
