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

from arggym_env.coordinates import SPLITS, Coordinates
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.plugins import one_line
from arggym_env.envs.registry import get_task
from arggym_env.errors import CoordinateError
from arggym_env.testing.promises import PROMISES, TASK_PROMISES

S = TypeVar("S")

DEFAULT_LEVELS: Final = (1, 8, 15)
DEFAULT_FLOOR: Final = 0.40
"""The highest mean floor that a task of the suite has."""
_SHOWN: Final = 30

_CHARACTERS: Final = 400
"""How much is shown of the last line that a failed process writes."""

_DIGESTS: Final = """\
import hashlib, json, sys
answer, sys.stdout = sys.stdout, sys.stderr  # what a task prints is no part of the answer
from arggym_env import generate
digests = [hashlib.sha256(generate(*where).to_json().encode()).hexdigest() for where in json.load(sys.stdin)]
json.dump(digests, answer)
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
        BrokenPromises: something does not hold, or cannot be tried because the task raises; the message says what and
            where.
        CoordinateError: there is no such task, level, ordering or seed, none is given, or ``floor`` is no number from
            0 to 1.
        PluginError: the task cannot be loaded.
    """
    name = get_task(task).name
    cells = _cells(name, levels, orderings, seeds)
    if not 0 <= floor <= 1:  # NaN is in no range
        raise CoordinateError(f"floor {floor!r} is not a number from 0 to 1")
    breaches: list[str] = []
    for promise, holds in TASK_PROMISES.items():
        progress(promise)
        breaches += _breaches(promise, holds, name)
    instances: list[Instance] = []
    for cell in cells:
        progress(cell.id)
        try:
            instances.append(generate(cell.task, cell.level, cell.ordering, cell.seed, cell.split))
        except Exception as error:  # as in _breaches: the other instances are still looked at
            breaches.append(f"generate: {cell.id}: raises {one_line(error)}")
    for instance in instances:
        progress(instance.id)
        breaches += broken_promises(instance)
    progress("fresh processes")
    breaches += _breaches("fresh processes", _differences_in_fresh_processes, instances)
    measured = mean(instance.floor for instance in instances) if instances else 0.0
    if not measured <= floor:
        breaches.append(f"floors: the mean floor is {measured:.3f}, more than {floor}")
    if breaches:
        raise BrokenPromises(breaches)


def broken_promises(instance: Instance) -> list[str]:
    """Return a line for each breach of one of ``PROMISES`` by ``instance``; an error that a task raises is one."""
    return [
        breach for name, holds in PROMISES.items() for breach in _breaches(f"{name}: {instance.id}", holds, instance)
    ]


def _cells(task: str, levels: Sequence[int], orderings: Sequence[str], seeds: Sequence[int]) -> list[Coordinates]:
    """Return the coordinates to look at; raise CoordinateError if one is not allowed, or there are none."""
    for what, given in (("levels", levels), ("orderings", orderings), ("seeds", seeds)):
        if not given:
            raise CoordinateError(f"{what} {given!r} holds none; nothing would be checked")
    return [
        Coordinates(task, level, ordering, SPLITS[0], seed)
        for level in levels
        for ordering in orderings
        for seed in seeds
    ]


def _breaches(where: str, holds: Callable[[S], Iterator[str]], subject: S) -> list[str]:
    """Return what ``holds`` yields, and what it raises after that."""
    found: list[str] = []
    try:
        for breach in holds(subject):
            found.append(f"{where}: {breach}")
    except Exception as error:  # whatever comes out of a task's methods is a breach, and no end of the examination
        found.append(f"{where}: raises {one_line(error)}")
    return found


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
            errors="replace",
            check=False,
        )
        if process.returncode:
            *_, last = process.stderr.strip().split("\n")
            yield f"with PYTHONHASHSEED={hash_seed}: {last[:_CHARACTERS]}"
            continue
        for instance, digest, there in zip(instances, here, json.loads(process.stdout), strict=True):
            if digest != there:
                yield f"{instance.id}: with PYTHONHASHSEED={hash_seed} it is another instance"
