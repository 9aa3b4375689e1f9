"""The documents say what is so: their code runs and prints what they show, and what is generated is up to date."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from typer.main import get_command

import arggym_env as ag
from arggym_env.cli.app import app
from scripts.gallery import pages
from tests.docs.blocks import ROOT, blocks, examples, run_commands, run_python
from tests.docs.links import anchors, links

DOCS: Final = ROOT / "docs"
HAVE_TESTS_OF_THEIR_OWN: Final = {"adding_a_task", "logihard", "pictures", "rewards", "training"}
"""Pages that go with a part of the package, whose tests run their code."""
LONG_COMMANDS: Final = {"evaluation", "frozen"}
"""Pages whose commands need a model or a cluster, or take long."""
PAGES: Final = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
OWN_PAGES: Final = [path for path in PAGES if path.stem not in HAVE_TESTS_OF_THEIR_OWN and "tasks" not in path.parts]


def pages_with(language: str) -> list[Path]:
    return [path for path in OWN_PAGES if blocks(path.read_text(encoding="utf-8"), language)]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", pages_with("python"), ids=name)
def test_the_python_of_a_page_runs_and_prints_what_the_page_shows(path: Path) -> None:
    found = examples(path.read_text(encoding="utf-8"))
    result = run_python([example.code for example in found])
    assert (result.returncode, result.stderr) == (0, "")
    for example, output in zip(found, json.loads(result.stdout), strict=True):
        if example.output is not None:
            assert output == example.output, example.code


@pytest.mark.parametrize("path", [path for path in pages_with("bash") if path.stem not in LONG_COMMANDS], ids=name)
def test_the_commands_of_a_page_run_in_their_order(path: Path, tmp_path: Path) -> None:
    for script in blocks(path.read_text(encoding="utf-8"), "bash"):
        result = run_commands(script, tmp_path)
        assert result.returncode == 0, result.stderr


def test_generated_pages_are_up_to_date() -> None:
    made = dict(pages())
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, f"{name(path)} is stale: run python -m scripts.gallery"
    assert set((DOCS / "tasks").glob("*.md")) <= made.keys()


@pytest.mark.parametrize("task", ag.TASKS)
def test_a_task_page_shows_a_right_answer_and_wrong_ones_of_many_reasons(task: str) -> None:
    text = (DOCS / "tasks" / f"{task}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| `(\w+)` \| (\d\.\d{3}) \| (yes|no) \| (\d\.\d{3}) \|$", text, re.MULTILINE)
    (label, reason, native, success, _), *wrong = rows
    assert (label, reason, native, success) == ("the reference", "correct", "1.000", "yes")
    assert {reason for _, reason, *_ in wrong} >= {"no_answer", "answer_in_thoughts", "empty_answer", "unreadable"}
    assert {reason for _, reason, *_ in wrong} & {"wrong", "goals_missed"}
    assert all(float(native) < 1 for _, _, native, _, _ in wrong)
    assert len([row for row in text.split("\n") if re.match(r"\| \d+ \|", row)]) == 2 * len(ag.LEVELS)


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md", ROOT / "GALLERY.md"], ids=name)
def test_links_lead_to_files_and_headings_that_exist(path: Path) -> None:
    for target, anchor in links(path.read_text(encoding="utf-8")):
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), f"{target} of {name(path)}"
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{target}#{anchor} of {name(path)}"


def test_every_page_is_reached_from_the_home_page() -> None:
    reached: set[Path] = set()
    pending = [DOCS / "index.md"]
    while pending:
        path = pending.pop()
        if path in reached:
            continue
        reached.add(path)
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            entries = [line for line in tree.split("\n") if line and not line.startswith(":")]
            pending += [path.parent / f"{entry}.md" for entry in entries]
    assert reached == set(PAGES)


def test_the_command_page_lists_every_command() -> None:
    text = (DOCS / "command_line.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `arggym (\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(get_command(app).commands)  # type: ignore[attr-defined]
