"""Work for several processes: the results come in order, and no process outlives the one that started it."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from arggym_env.errors import CoordinateError
from arggym_env.logihard.families import get_family
from arggym_env.parallel import in_order

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc")


def workers_of(parent: int) -> list[int]:
    """Return the ids of the worker processes of a process."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # one that has ended since
            owner = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
            if int(owner) == parent and b"spawn_main" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


def wait_for_the_end_of(pids: list[int]) -> None:
    deadline = time.monotonic() + 30
    while remaining := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < deadline, remaining
        time.sleep(0.05)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs_however_many_these_are(workers: int) -> None:
    before = workers_of(os.getpid())
    results = in_order(math.sqrt, count(), workers, chunk=3)
    assert [next(results) for _ in range(100)] == [math.sqrt(number) for number in range(100)]
    results.close()  # type: ignore[attr-defined]
    assert workers_of(os.getpid()) == before


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_job_raises_is_raised_here_and_leaves_no_process(workers: int) -> None:
    before = workers_of(os.getpid())
    with pytest.raises(CoordinateError, match="family 'nobody'"):
        list(in_order(get_family, ["knights", "nobody"], workers, chunk=1))
    assert workers_of(os.getpid()) == before


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=lambda sent: sent.name)
def test_the_processes_of_a_command_end_with_it_however_it_ends(tmp_path: Path, sent: signal.Signals) -> None:
    path = tmp_path / "rows.jsonl"
    code = "from arggym_env.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "export", str(path), "-n", "1000", "-w", "2"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as command:
        deadline = time.monotonic() + 60
        while not (path.exists() and path.stat().st_size):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        pids = workers_of(command.pid)
        assert len(pids) == 2
        command.send_signal(sent)
        assert command.wait(30) == (130 if sent is signal.SIGINT else -sent)
    wait_for_the_end_of(pids)
    lines = path.read_bytes().split(b"\n")
    assert all(line.endswith(b"}") for line in lines[:-1])
