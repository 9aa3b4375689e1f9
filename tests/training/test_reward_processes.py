"""The processes that score: they work in any kind of process, and end with the one that started them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arggym_env.errors import RunError
from arggym_env.rewards import trl
from arggym_env.rewards import workers as processes
from arggym_env.rewards.trl import KINDS, Reward
from tests.training.rows import columns, graded, of_every_task, oracle

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """One row of every task."""
    return of_every_task()


@pytest.fixture(autouse=True)
def no_memory_of_other_tests() -> None:
    trl._SCORED.forget()


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_functions_work_in_daemonic_processes_however_they_are_started(method: str, rows: list[dict[str, Any]]) -> None:
    completions, batch = graded(rows[:4])
    functions = [Reward(kind, workers=2) for kind in KINDS]
    expected = [
        function(completions, **batch) for function in functions
    ]  # a forked child finds the processes of this one
    with multiprocessing.get_context(method).Pool(1) as pool:
        calls = [pool.apply_async(function, (completions,), batch) for function in functions]
        assert [call.get(timeout=120) for call in calls] == expected
    trl._SCORED.forget()
    assert [function(completions, **batch) for function in functions] == expected


def scoring_processes(parent: int) -> list[int]:
    """Return the ids of the scoring processes of a process."""
    found = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    words = [line.split(None, 2) for line in found.splitlines()[1:]]
    return [int(pid) for pid, owner, command in words if int(owner) == parent and "workers import serve" in command]


def test_a_process_that_dies_is_an_error_and_the_next_batch_has_another(rows: list[dict[str, Any]]) -> None:
    function = Reward("native", workers=1)
    completions, batch = graded(rows[:2])
    processes.end_workers()
    expected = function(completions, **batch)
    (pid,) = scoring_processes(os.getpid())
    os.kill(pid, signal.SIGKILL)
    trl._SCORED.forget()
    with pytest.raises(RunError, match="a scoring process ended with exit code -9"):
        function(completions, **batch)
    assert function(completions, **batch) == expected
    processes.end_workers()
    assert not scoring_processes(os.getpid())


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(3)", "raise KeyboardInterrupt"])
def test_processes_end_with_their_parent_however_it_ends(end: str, rows: list[dict[str, Any]]) -> None:
    code = f"""
import json, os, signal, sys
from arggym_env.rewards.trl import Reward
columns = json.loads(input())
print(Reward("success", workers=2)(["none"] * 4, **columns), flush=True)
input()
{end}
"""
    four = columns([row for row in rows if row["task"] in ("status_query", "perturbation")], generations=2)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(json.dumps(four) + "\n")
        parent.stdin.flush()
        assert json.loads(parent.stdout.readline()) == [0.0] * 4
        pids = scoring_processes(parent.pid)
        assert len(pids) == 2
        parent.communicate("\n", timeout=60)
    deadline = time.monotonic() + 30
    while remaining := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < deadline, remaining
        time.sleep(0.05)


def test_the_share_of_the_cores_is_divided_among_the_processes_of_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(16), raising=False)
    assert processes.default_workers() == processes.MOST_WORKERS
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    assert processes.default_workers() == 2
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "16")
    assert processes.default_workers() == 0


def test_busy_threads_of_torch_do_not_hold_up_the_processes(rows: list[dict[str, Any]]) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: train)")
    stop = threading.Event()

    def multiply() -> None:
        matrix = torch.rand(256, 256)
        while not stop.is_set():
            matrix = torch.nn.functional.normalize(matrix @ matrix)

    with ThreadPoolExecutor(1) as threads:
        busy = threads.submit(multiply)
        paid = Reward("success", workers=2)([oracle(row) for row in rows], **columns(rows))
        stop.set()
        busy.result(timeout=60)
    assert paid == [1.0] * len(rows)
