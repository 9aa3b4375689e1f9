"""Scoring and generation give the same from threads, coroutines and processes, and can be interrupted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import arggym_env as ag
from arggym_env.envs import status_query
from arggym_env.instances import read_instance, score
from arggym_env.rewards import execution, formalization, pairs
from arggym_env.rewards.score import Score
from tests.hardening.questions import KINDS, plugin_installed, question
from tests.plugins import RETRACTION

ROOT: Final = Path(__file__).parents[2]
METHODS: Final = [method for method in ("spawn", "forkserver") if method in get_all_start_methods()]


@pytest.fixture(scope="module", autouse=True)
def _plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with plugin_installed(tmp_path_factory.mktemp("site")):
        yield


class Work(NamedTuple):
    """A stored question and a completion to score."""

    row: str
    completion: str


def do(work: Work) -> Score:
    """Return the score of a stored question."""
    return score(read_instance(work.row), work.completion)


def make(where: tuple[str, int, int]) -> str:
    """Return a row, generated here."""
    task, level, seed = where
    return ag.generate(task, level, ag.ORDERINGS[seed % 4], seed).to_json()


def work() -> list[Work]:
    """Return completions of every sort for a question of every kind."""
    found = []
    for kind in KINDS:
        instance = question(kind, 1)
        for answer in (instance.reference, "junk", instance.prompt, "[premise: x]", "\ud800", ""):
            found.append(Work(instance.to_json(), f"<answer>{answer}</answer>"))
    return found


CELLS: Final = [(task, level, seed) for task in (*ag.TASKS, RETRACTION) for level, seed in ((1, 3), (6, 4))]


def test_threads_score_and_generate_as_the_main_thread_does() -> None:
    jobs = work() * 3
    expected, rows = [do(job) for job in jobs], [make(cell) for cell in CELLS]
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(make, CELLS)
        assert list(pool.map(do, jobs)) == expected
        assert list(made) == rows


def test_coroutines_score_as_the_main_thread_does() -> None:
    jobs = work()

    async def gather() -> list[Score]:
        return await asyncio.gather(*(asyncio.to_thread(do, job) for job in jobs))

    assert asyncio.run(gather()) == [do(job) for job in jobs]


def in_processes(pool: Executor) -> None:
    jobs = work()
    cells = CELLS[::5]
    made = pool.map(make, cells)
    assert list(pool.map(do, jobs, chunksize=16)) == [do(job) for job in jobs]
    assert list(made) == [make(cell) for cell in cells]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_processes_score_and_generate_as_this_one_does(method: str) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as pool:
        in_processes(pool)


FORKED: Final = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import arggym_env as ag

def do(row):
    instance = ag.Instance.from_json(row)
    return ag.score(instance, f"<answer>{instance.reference}</answer>"), ag.score(instance, "<answer>x</answer>")

def make(task):
    return ag.generate(task, 1, ag.ORDERINGS[0], 5).to_json()

if __name__ == "__main__":
    rows = [make(task) for task in ag.TASKS]
    expected = [do(row) for row in rows]
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        assert list(pool.map(make, ag.TASKS)) == rows
        assert list(pool.map(do, rows)) == expected
    print("same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_forked_processes_score_and_generate_as_their_parent(tmp_path: Path) -> None:
    """In a process of its own: forking one that has threads, as a test runner may, is what nobody should do."""
    script = tmp_path / "forked.py"
    script.write_text(FORKED, encoding="utf-8", newline="\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert (result.returncode, result.stdout) == (0, "same\n"), result.stderr


# Interruption: what stops a program is not an answer that is wrong


@pytest.mark.parametrize("stop", [KeyboardInterrupt, asyncio.CancelledError, SystemExit, MemoryError, RuntimeError])
@pytest.mark.parametrize(
    ("kind", "module", "name"),
    [
        ("attack", execution, "evaluate"),
        ("formalization", formalization, "evaluate"),
        ("status_query", status_query, "score_pairs"),
    ],
)
def test_what_interrupts_scoring_comes_out_of_it(
    monkeypatch: pytest.MonkeyPatch, stop: type[BaseException], kind: str, module: object, name: str
) -> None:
    """Neither an interrupt nor a failure of the engine becomes a zero for the model."""
    instance = ag.generate(kind, 1, ag.ORDERINGS[0], 77)
    completion = f"<answer>{instance.reference}</answer>"

    def interrupted(*words: object, **options: object) -> object:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr(module, name, interrupted)
        with pytest.raises(stop):
            ag.score(instance, completion)
        env = ag.ArgumentationEnv(kind)
        env.reset(options={"instance": instance})
        with pytest.raises(stop):
            env.step(completion)
    assert ag.score(instance, completion).success, "nothing of the interrupted call is remembered"
    assert env.step(completion)[1] == 1.0, "the episode is still open"


def test_a_cancelled_coroutine_is_cancelled_and_scores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, release = threading.Event(), threading.Event()
    instance = ag.generate("status_query", 1, ag.ORDERINGS[0], 0)

    def slow(*words: object, **options: object) -> Score:
        entered.set()
        release.wait(10)
        return pairs.score_pairs(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(status_query, "score_pairs", slow)

    async def cancelled() -> None:
        running = asyncio.create_task(asyncio.to_thread(ag.score, instance, "<answer>junk</answer>"))
        await asyncio.to_thread(entered.wait, 10)
        running.cancel()
        try:
            with pytest.raises(asyncio.CancelledError):
                await running
        finally:
            release.set()

    asyncio.run(cancelled())


INTERRUPTED: Final = """
import arggym_env as ag
instances = [ag.generate(task, 8, ag.ORDERINGS[0], 0) for task in ag.TASKS]
print("scoring", flush=True)
while True:
    for instance in instances:
        verdict = ag.score(instance, f"<answer>{instance.reference}</answer>")
        if not verdict.success:
            print("WRONG", instance.id, verdict.reason, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_a_process_that_scores(tmp_path: Path) -> None:
    for delay in (0.0, 0.11, 0.23):
        with subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=_listen_to_interrupts,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "scoring\n"
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=60)
        assert out == ""
        assert error.strip().endswith("KeyboardInterrupt")
        assert process.returncode != 0


def _listen_to_interrupts() -> None:
    """Undo what a test runner in the background passes on: ignoring interrupts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
