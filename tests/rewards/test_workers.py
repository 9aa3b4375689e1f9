"""The processes that score: whatever a job does, its result, its error or a word about it comes back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arggym_env.errors import RunError
from arggym_env.rewards.workers import end_workers, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the processes need a POSIX system")


class Pair(Exception):
    """An error that pickle writes and cannot read again."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


class Bound(Exception):
    """An error that pickle cannot write."""

    def __init__(self, what: object) -> None:
        super().__init__("bound", lambda: what)


def read_standard_input(job: int) -> bytes:
    """Run a program that reads standard input to its end."""
    return subprocess.run(["cat"], capture_output=True, timeout=20, check=True).stdout


def misbehave(job: str) -> Any:
    """Raise or return what does not go through a pipe."""
    if job == "pair":
        raise Pair(1, 2)
    if job == "bound":
        raise Bound(job)
    return (lambda: job) if job == "function" else job


@pytest.fixture(autouse=True)
def processes_end() -> Iterator[None]:
    yield
    end_workers()


def test_a_program_that_a_job_runs_finds_nothing_on_standard_input() -> None:
    assert run(read_standard_input, range(4), 2) == [b""] * 4


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("pair", r"a scoring process raised Pair: 1 and 2 \(over 'pair'\)"),
        ("bound", r"a scoring process raised Bound: \('bound', .*lambda"),
    ],
)
def test_an_error_that_cannot_be_pickled_is_told_in_words(job: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(misbehave, [job], 1)
    assert run(misbehave, ["fine"], 1) == ["fine"]


def test_a_result_that_cannot_be_pickled_is_the_error_that_pickle_raises() -> None:
    with pytest.raises(Exception, match=r"(?i)can't (get|pickle) local object"):
        run(misbehave, ["function"], 1)


def test_the_processes_import_what_an_interactive_session_would(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def double(job):\n    return 2 * job\n", encoding="utf-8", newline="\n")
    code = "import mine\nfrom arggym_env.rewards.workers import run\nprint(run(mine.double, [1, 2], 1))"
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "[2, 4]\n", done.stderr
