"""Work for several processes whose results come back in order, so that they do not depend on the number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Final, TypeVar

J = TypeVar("J")
R = TypeVar("R")

_CHUNKS_AHEAD: Final = 8


def in_order(function: Callable[[J], R], jobs: Iterable[J], workers: int, chunk: int) -> Iterator[R]:
    """Yield ``function(job)`` for each job, in the order of the jobs.

    Args:
        function: what to do; with several workers a function of a module, and jobs and results that can be pickled.
        jobs: taken in blocks, so that neither they nor results pile up however many there are.
        workers: processes to use; one or fewer works in this process.
        chunk: how many jobs a worker is handed at a time.
    """
    if workers <= 1:
        yield from map(function, jobs)
        return
    remaining = iter(jobs)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        while block := list(islice(remaining, workers * chunk * _CHUNKS_AHEAD)):
            yield from pool.map(function, block, chunksize=chunk)
