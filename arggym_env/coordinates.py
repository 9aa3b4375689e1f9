"""Where an instance sits: task, level, ordering, split and seed (paper appendix A.2).

The vocabularies are closed; each has one check that names the bad value and what is allowed.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Final

from arggym_env.engine.orderings import check_ordering
from arggym_env.errors import CoordinateError

LEVELS: Final = tuple(range(1, 16))
"""The fifteen curriculum levels, 1 to 15."""
SPLITS: Final = ("train", "eval", "frozen")
"""Disjoint random streams; ``frozen`` is the benchmark's."""
PUBLISHED: Final = "published"
"""The split of rows that were imported, not generated."""
SEED_LIMIT: Final = 2**63
"""Seeds are integers from 0 to this bound, exclusive."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The five values that determine an instance; checked when made, except that the task is only a name here.

    Raises:
        CoordinateError: a value is not allowed.
    """

    task: str
    level: int
    ordering: str
    split: str
    seed: int

    def __post_init__(self) -> None:
        check_level(self.level, self.task)
        check_ordering(self.ordering)
        if self.split != PUBLISHED:
            check_split(self.split)
        check_seed(self.seed)

    @property
    def id(self) -> str:
        """The coordinates as one word: ``attack/L05/weakest_link_elitist/train/7``."""
        ordering = self.ordering.replace("-", "_").replace(" ", "_")
        return f"{self.task}/L{self.level:02d}/{ordering}/{self.split}/{self.seed}"


def check_level(level: int, task: str) -> int:
    """Return ``level`` if it is an integer from 1 to 15; raise CoordinateError otherwise."""
    if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
        raise CoordinateError(
            f"level {level!r}{of_another_type(level)} is not in {LEVELS[0]}..{LEVELS[-1]} (task {task})"
        )
    return level


def check_split(split: str) -> str:
    """Return ``split`` if it names one of the splits; raise CoordinateError otherwise."""
    if split not in SPLITS:
        raise CoordinateError(f"split {split!r} is not one of {', '.join(map(repr, SPLITS))}")
    return split


def check_seed(seed: int) -> int:
    """Return ``seed`` if it is an integer from 0 to 2**63 - 1; raise CoordinateError otherwise."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEED_LIMIT:
        raise CoordinateError(f"seed {seed!r}{of_another_type(seed)} is not an integer from 0 to 2**63 - 1")
    return seed


def check_positive(what: str, value: int) -> int:
    """Return ``value`` if it is a positive integer; raise CoordinateError, which calls it ``what``, otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CoordinateError(f"{what} {value!r}{of_another_type(value)} is not a positive integer")
    return value


def of_another_type(value: object) -> str:
    """Say of an integer that is not a Python ``int`` (NumPy's) how to make it one; "" of everything else.

    A coordinate stands in the instance's JSON form and keys its random stream, so that it has one type.
    """
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return ""
    kind = type(value)
    if isinstance(value, int):
        return ""
    return f" ({kind.__module__}.{kind.__qualname__}, not a Python int; convert it with int())"
