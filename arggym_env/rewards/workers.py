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
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
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
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)  # "" is the folder of an interactive session
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


class _Pool:
    """So many processes, for as many threads as like to use them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._slots = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    def map(self, function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
        with ThreadPoolExecutor(min(self._size, len(jobs))) as threads:
            return list(threads.map(partial(self._run, function), jobs))

    def workers(self) -> list[_Worker]:
        return [*self._idle, *self._busy]

    def _run(self, function: Callable[[J], R], job: J) -> R:
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


_POOLS: Final[dict[int, _Pool]] = {}


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
    return _POOLS.setdefault(workers, _Pool(workers)).map(function, jobs)


def default_workers() -> int:
    """Return how many processes are worth starting: this process's share of the cores, at most 4, 0 for one core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    return min(share, MOST_WORKERS) if share > 1 and os.name == "posix" else 0


def end_workers() -> None:
    """End all processes; the next batch starts others. At the end of the interpreter this happens by itself."""
    while _POOLS:
        for worker in _POOLS.popitem()[1].workers():
            worker.end()


def serve() -> None:
    """Do jobs until the pipe on standard input closes: the program of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt at the terminal means
    pipe = Connection(os.dup(0))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # a program that a job runs must not read, or keep open, what is the worker's
    while True:
        try:
            pipe.send_bytes(_outcome(*pipe.recv()))
        except (EOFError, OSError):
            return


def _outcome(function: Callable[[Any], Any], job: Any) -> bytes:
    """Return, pickled, the result and None, or None and what was raised; what cannot be pickled is told in words."""
    try:
        return pickle.dumps((function(job), None))
    except Exception as error:  # whatever it is, it is the parent's to handle
        error.add_note(f"(raised in a scoring process, over {job!r:.200})")
        try:
            told = pickle.dumps((None, error))
            pickle.loads(told)
            return told
        except Exception:  # one that cannot be pickled, or not be read again
            words = f"a scoring process raised {type(error).__name__}: {error}"
            return pickle.dumps((None, RunError(f"{words} (over {job!r:.200})")))


def _disown_workers() -> None:
    while _POOLS:
        for worker in _POOLS.popitem()[1].workers():
            worker.disown()


atexit.register(end_workers)
after_fork(_disown_workers)
