"""The README says what is so: its code runs, its commands work, its lists are the registry's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import arggym_env as ag
from arggym_env.envs.gym_env import OPTIONS, REWARDS
from scripts.readme import with_task_table
from tests.docs.blocks import ENVIRONMENT, ROOT, blocks, run_commands, run_python

README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = blocks(README, "python")
BASH = blocks(README, "bash")


@pytest.mark.parametrize("code", PYTHON, ids=lambda code: code.strip().split("\n")[-1][:40])
def test_python_in_the_readme_runs(code: str) -> None:
    result = run_python([code])
    assert (result.returncode, result.stderr) == (0, "")


def test_commands_in_the_readme_run_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "theory.txt").write_text("[premise: a]\n[premise: -a]\n", encoding="utf-8")
    (commands,) = BASH
    assert commands.count("\n") >= 5
    for command in commands.strip().split("\n"):
        result = run_commands(command, tmp_path)
        assert (result.returncode, result.stderr) == (0, ""), command
        if "score" in command:
            assert "correct" in result.stdout, command


def test_the_readme_lists_exactly_the_tasks_and_environments_there_are() -> None:
    assert with_task_table(README) == README, "run scripts/readme.py"
    rows = re.findall(r"^\| `(\w+)` \| `([\w/-]+)` \|", README, re.MULTILINE)
    assert rows == list(zip(ag.TASKS, ag.ENV_IDS, strict=True))


def test_the_readme_names_every_reward_option_and_make_target() -> None:
    for reward in REWARDS:
        assert f'`reward="{reward}"`' in README
    for option in OPTIONS:
        assert f"`{option}`" in README
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|^    )make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_readme_has_a_place_for_measured_numbers() -> None:
    assert README.count("<!-- benchmark -->") == README.count("<!-- /benchmark -->") == 1


def test_the_changelog_has_the_version() -> None:
    assert f"## {ag.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", ag.TASKS)
def test_the_demo_scores_a_wrong_and_the_right_answer(task: str) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "error", "scripts/demo.py", "--task", task],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search(r"a guess.*\b0\.\d\d\d\b.*\bno\b", result.stdout)
    assert re.search(r"the .*\b1\.000\b.*\byes\b.*\bcorrect\b", result.stdout)
    assert f"arggym sample {task}" in result.stdout
    assert max(map(len, result.stdout.split("\n"))) <= 80


@pytest.mark.slow
def test_the_benchmark_prints_tables_for_the_readme() -> None:
    small = [
        "--theories",
        "3",
        "--frameworks",
        "1",
        "--instances",
        "15",
        "--resets",
        "4",
        "--completions",
        "32",
        "--export",
        "8",
        "--markdown",
    ]
    result = subprocess.run(
        [sys.executable, "scripts/benchmark.py", *small],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert len(re.findall(r"^\*\*", result.stdout, re.MULTILINE)) == 6
    (ratio,) = re.findall(r"^\| all \|.*\| (\d+) \|$", result.stdout, re.MULTILINE)
    assert int(ratio) > 1
