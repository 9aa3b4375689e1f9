"""All promises of a task at once."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import Final, TypeVar

from arggym_env.coordinates import check_level
from arggym_env.engine.orderings import ORDERINGS, check_ordering
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.testing.promises import PROMISES, TASK_PROMISES

S = TypeVar("S")

DEFAULT_LEVELS: Final = (1, 8, 15)
DEFAULT_FLOOR: Final = 0.40
"""The highest mean floor that a task of the suite has."""
_SHOWN: Final = 30

_DIGESTS: Final = """\
import hashlib, json, sys
from arggym_env import generate
print(json.dumps([hashlib.sha256(generate(*where).to_json().encode()).hexdigest() for where in json.load(sys.stdin)]))
"""


class BrokenPromises(AssertionError):
    """A task does not hold what tasks promise.

    Attributes:
        breaches: a line for each breach: promise, instance and what is wrong.
    """

    def __init__(self, breaches: Sequence[str]) -> None:
        more = len(breaches) - _SHOWN
        super().__init__("\n".join([*breaches[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]))
        self.breaches = tuple(breaches)

    def __reduce__(self) -> tuple[type[BrokenPromises], tuple[tuple[str, ...]]]:
        return type(self), (self.breaches,)


def check_task(
    task: str,
    *,
    levels: Sequence[int] = DEFAULT_LEVELS,
    orderings: Sequence[str] = ORDERINGS,
    seeds: Sequence[int] = (0,),
    floor: float = DEFAULT_FLOOR,
    progress: Callable[[str], None] = lambda checked: None,
) -> None:
    """Hold a task to everything that the tests of this package hold for every task.

    Every instance has to keep all ``PROMISES``, the task all ``TASK_PROMISES``; processes that are started afresh with
    other hash seeds have to make the same instances; and the mean floor has to be low.

    Args:
        task: the task's name, such as "namespace.task"; its distribution has to be installed.
        levels: the levels to look at.
        orderings: the orderings to look at.
        seeds: the seeds to look at, each at every level and ordering.
        floor: the highest mean floor that is accepted.
        progress: called with the name of what is checked next.

    Raises:
        BrokenPromises: something does not hold; the message says what and where.
        CoordinateError: there is no such task, level or ordering.
        GenerationError: an instance cannot be made.
    """
    name = get_task(task).name
    breaches: list[str] = []
    for promise, holds in TASK_PROMISES.items():
        progress(promise)
        breaches += _breaches(promise, holds, name)
    instances = [
        generate(name, check_level(level, name), check_ordering(ordering), seed)
        for level in levels
        for ordering in orderings
        for seed in seeds
    ]
    for instance in instances:
        progress(instance.id)
        breaches += broken_promises(instance)
    progress("fresh processes")
    breaches += _differences_in_fresh_processes(instances)
    floors = [instance.floor for instance in instances]
    if mean(floors) > floor:
        breaches.append(f"floors: the mean floor is {mean(floors):.3f}, more than {floor}")
    if breaches:
        raise BrokenPromises(breaches)


def broken_promises(instance: Instance) -> list[str]:
    """Return a line for each breach of one of ``PROMISES`` by ``instance``; an error that a task raises is one."""
    return [
        breach for name, holds in PROMISES.items() for breach in _breaches(f"{name}: {instance.id}", holds, instance)
    ]


def _breaches(where: str, holds: Callable[[S], Iterator[str]], subject: S) -> list[str]:
    try:
        return [f"{where}: {breach}" for breach in holds(subject)]
    except Exception as error:  # whatever comes out of a task's methods is a breach, and no end of the examination
        return [f"{where}: raises {type(error).__name__}: {error}"]


def _differences_in_fresh_processes(instances: Sequence[Instance]) -> Iterator[str]:
    """Yield the instances that other processes make otherwise."""
    wanted = [[at.task, at.level, at.ordering, at.seed, at.split] for at in instances]
    here = [hashlib.sha256(instance.to_json().encode()).hexdigest() for instance in instances]
    for hash_seed in ("0", "1"):
        process = subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            input=json.dumps(wanted),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if process.returncode:
            yield f"fresh processes: with PYTHONHASHSEED={hash_seed}: {process.stderr.strip()[-300:]}"
            continue
        for instance, digest, there in zip(instances, here, json.loads(process.stdout), strict=True):
            if digest != there:
                yield f"fresh processes: {instance.id}: with PYTHONHASHSEED={hash_seed} it is another instance"
