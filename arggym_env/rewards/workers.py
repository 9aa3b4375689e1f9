"""Processes that work for a reward function: plain interpreters, each at the other end of a pipe.

Rewards are computed where ``multiprocessing`` does badly: beside CUDA and its threads, where forking is unsafe; in
training scripts, which every process that it spawns would import again with all of torch; and in daemonic processes,
such as the one that scores for TRL's asynchronous trainer, which may have no children of its making. An interpreter
that is started afresh has none of these troubles. It ends when its pipe closes, so that none outlives its parent,
however the parent ends.

Processes start with the first batch and stay. Results come back in the order of the jobs, whoever did them. A job that
raises raises here; a process that dies is an error, too, and is replaced at the next batch. Needs a POSIX system.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Final, TypeVar

from arggym_env.errors import RunError
from arggym_env.rewards.asking import after_fork

J = TypeVar("J")
R = TypeVar("R")

MOST_WORKERS: Final = 4
"""What ``default_workers`` does not exceed."""
_PROGRAM: Final = "from arggym_env.rewards.workers import serve; serve()"
_PATIENCE: Final = 5.0
"""Seconds that a process has to end by itself."""


class _Worker:
    """One process."""

    def __init__(self) -> None:
        self._pipe, end = Pipe()
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen([sys.executable, "-P", "-c", _PROGRAM], stdin=end.fileno(), env=environment)
        end.close()

    def run(self, function: Callable[[J], R], job: J) -> R:
        """Return ``function(job)``, or raise what it raises.

        Raises:
            RunError: the process died over it.
        """
        try:
            self._pipe.send((function, job))
            result, error = self._pipe.recv()
        except (EOFError, OSError):
            self.end()
            raise RunError(f"a scoring process ended with exit code {self._process.returncode}") from None
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    @property
    def alive(self) -> bool:
        """Whether it can be given a job."""
        return not self._pipe.closed

    def kill(self) -> None:
        """End the process in the middle of its job; whoever waits for that has its error."""
        self._process.kill()

    def end(self) -> None:
        """Close the pipe and wait for the process to end."""
        self._pipe.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def disown(self) -> None:
        """Let go of a process that is not a child of this process, which was forked from its parent."""
        self._pipe.close()
        self._process.returncode = 0


class Pool:
    """So many processes, for as many threads as like to use them; as a context manager, it ends them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._slots = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def map(self, function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
        """Return ``function(job)`` for each job, in the order of the jobs."""
        with ThreadPoolExecutor(min(self._size, len(jobs))) as threads:
            return list(threads.map(partial(self.run, function), jobs))

    def run(self, function: Callable[[J], R], job: J) -> R:
        """Return ``function(job)``, as soon as a process is free to do it; errors as ``workers.run``."""
        with self._slots:
            with self._lock:
                worker = self._idle.pop() if self._idle else _Worker()
                self._busy.add(worker)
            try:
                return worker.run(function, job)
            finally:
                with self._lock:
                    self._busy.remove(worker)
                    if worker.alive:
                        self._idle.append(worker)

    def kill(self) -> None:
        """End all processes, in the middle of their jobs."""
        with self._lock:
            for worker in self._workers():
                worker.kill()

    def end(self) -> None:
        """End all processes, which have no jobs any more."""
        for worker in self._workers():
            worker.end()

    def disown(self) -> None:
        """Let go of the processes of a parent that this process was forked from."""
        for worker in self._workers():
            worker.disown()

    def _workers(self) -> list[_Worker]:
        return [*self._idle, *self._busy]


_POOLS: Final[dict[int, Pool]] = {}


def run(function: Callable[[J], R], jobs: Sequence[J], workers: int) -> list[R]:
    """Return ``function(job)`` for each job, in the order of the jobs.

    Args:
        function: of a module; with workers, it, the jobs and the results are pickled.
        jobs: what to do.
        workers: how many processes may work on it; 0 works in this one.

    Raises:
        RunError: a process died; what a job raises is raised as it is.
    """
    if not workers or not jobs:
        return [function(job) for job in jobs]
    return _POOLS.setdefault(workers, Pool(workers)).map(function, jobs)


def default_workers() -> int:
    """Return how many processes are worth starting: this process's share of the cores, at most 4, 0 for one core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    return min(share, MOST_WORKERS) if share > 1 and os.name == "posix" else 0


def end_workers() -> None:
    """End all processes; the next batch starts others. At the end of the interpreter this happens by itself."""
    while _POOLS:
        _POOLS.popitem()[1].end()


def serve() -> None:
    """Do jobs until the pipe on standard input closes: the program of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt at the terminal means
    pipe = Connection(os.dup(0))
    while True:
        try:
            function, job = pipe.recv()
            pipe.send(_outcome(function, job))
        except (EOFError, OSError):
            return


def _outcome(function: Callable[[Any], Any], job: Any) -> tuple[Any, Exception | None]:
    """Return the result, or what was raised."""
    try:
        return function(job), None
    except Exception as error:  # whatever it is, it is the parent's to handle
        error.add_note(f"(raised in a scoring process, over {job!r:.200})")
        return None, error


def _disown_workers() -> None:
    while _POOLS:
        _POOLS.popitem()[1].disown()


atexit.register(end_workers)
after_fork(_disown_workers)
