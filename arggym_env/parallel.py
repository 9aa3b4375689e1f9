"""Work for several processes whose results come back in order, so that they do not depend on the number of workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import connection, get_context, parent_process
from typing import Final, TypeVar

J = TypeVar("J")
R = TypeVar("R")

_CHUNKS_AHEAD: Final = 4


def in_order(function: Callable[[J], R], jobs: Iterable[J], workers: int, chunk: int = 16) -> Iterator[R]:
    """Yield ``function(job)`` for each job, in the order of the jobs.

    Args:
        function: what to do; with several workers a function of a module, and jobs and results that can be pickled.
        jobs: taken in blocks, so that neither they nor results pile up however many there are.
        workers: processes to use; one or fewer works in this process. They end when this process does, however it ends.
        chunk: how many jobs a worker is handed at a time.
    """
    if workers <= 1:
        yield from map(function, jobs)
        return
    remaining = iter(jobs)
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent) as pool:
        while block := list(islice(remaining, workers * chunk * _CHUNKS_AHEAD)):
            yield from pool.map(function, block, chunksize=chunk)


def _end_with_parent() -> None:
    """Watch the parent from a thread: one that is killed tells nobody, and its workers would wait for jobs for ever."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
