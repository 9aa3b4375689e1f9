"""The page about adding a task says what is so: its file is a task that keeps all promises, its commands work."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.docs.blocks import blocks, examples
from tests.plugins import EXAMPLE, RETRACTION, ROOT, install, python, shell

PAGE = (ROOT / "docs" / "adding_a_task.md").read_text(encoding="utf-8")
FILE, USE, CHECK = examples(PAGE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the page's distribution is as good as installed."""
    (declared,) = map(tomllib.loads, blocks(PAGE, "toml"))
    project = declared["project"]
    tasks = project["entry-points"]["arggym_env.tasks"]
    assert tasks == {"acme.accepted": "acme_tasks:TASK"}
    assert declared["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"] == ["acme_tasks.py"]
    return install(tmp_path_factory.mktemp("site"), project["name"], tasks, {"acme_tasks": FILE.code})


def test_the_commands_of_the_page_run_in_their_order(site: Path, tmp_path: Path) -> None:
    (commands,) = blocks(PAGE, "bash")
    result = shell(site, commands, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "acme.accepted: all promises hold\n" in result.stdout
    assert (tmp_path / "pages" / "acme.accepted.md").is_file()


def test_the_python_of_the_page_runs_and_prints_what_the_page_shows(site: Path) -> None:
    result = python(site, "-W", "error", "-c", USE.code)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", USE.output)


@pytest.mark.slow
def test_the_file_of_the_page_keeps_all_promises_at_every_level(site: Path) -> None:
    every = CHECK.code.replace("[1, 8, 15]", "range(1, 16)")
    result = python(site, "-W", "error", "-c", every)
    assert result.returncode == 0, result.stderr


def test_the_example_of_the_page_declares_what_the_page_says() -> None:
    declared = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))
    assert declared["project"]["entry-points"]["arggym_env.tasks"] == {RETRACTION: "arggym_retraction:TASK"}
    assert f"`{RETRACTION}`" in PAGE
