"""Work for several processes whose results come back in order, so that they do not depend on the number of workers.

The processes are those of ``rewards.workers``, where the system is a POSIX one: none outlives this one by more than the
jobs it was handed, however this one ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Final, TypeVar

from arggym_env.rewards.workers import Pool

J = TypeVar("J")
R = TypeVar("R")

_CHUNKS_AHEAD: Final = 8


def in_order(function: Callable[[J], R], jobs: Iterable[J], workers: int, chunk: int) -> Iterator[R]:
    """Yield ``function(job)`` for each job, in the order of the jobs.

    Args:
        function: what to do; with several workers a function of a module that can be imported, and jobs and results
            that can be pickled.
        jobs: taken in blocks, so that neither they nor results pile up however many there are.
        workers: processes to use; one or fewer works in this process.
        chunk: how many jobs a worker is handed at a time.

    Raises:
        RunError: a process died; what a job raises is raised as it is.
    """
    if workers <= 1:
        yield from map(function, jobs)
    elif os.name == "posix":
        yield from _by_workers(function, jobs, workers, chunk)
    else:
        yield from _by_executor(function, jobs, workers, chunk)


def _by_executor(function: Callable[[J], R], jobs: Iterable[J], workers: int, chunk: int) -> Iterator[R]:
    """Do it with the standard library's processes, which are everywhere, and outlive a parent that is killed."""
    remaining = iter(jobs)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        while block := list(islice(remaining, workers * chunk * _CHUNKS_AHEAD)):
            yield from pool.map(function, block, chunksize=chunk)


def _by_workers(function: Callable[[J], R], jobs: Iterable[J], workers: int, chunk: int) -> Iterator[R]:
    remaining = iter(jobs)
    with Pool(workers) as pool, ThreadPoolExecutor(workers) as threads:
        try:
            while block := list(islice(remaining, workers * chunk * _CHUNKS_AHEAD)):
                chunks = [block[start : start + chunk] for start in range(0, len(block), chunk)]
                for results in threads.map(partial(pool.run, partial(_each, function)), chunks):
                    yield from results
        except BaseException:  # an error, an interrupt, or nobody reads on: what is under way is for nobody
            threads.shutdown(wait=False, cancel_futures=True)
            pool.kill()
            raise


def _each(function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
    return [function(job) for job in jobs]
