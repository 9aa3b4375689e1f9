"""Where a procedural LogiHard item sits: family, level, form, split and seed.

A seed means the same atomic question in every form, so that what hardening costs can be measured on pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from arggym_env.coordinates import check_seed, check_split, of_another_type
from arggym_env.errors import CoordinateError
from arggym_env.instances import LogiHardItem
from arggym_env.logihard.atomic import generate_atomic
from arggym_env.logihard.base import BASE, BaseItem, ask
from arggym_env.logihard.families import FAMILIES, get_family
from arggym_env.logihard.hardening import COMBINATORIAL, harden
from arggym_env.logihard.tiers import OPERATOR_TIERS

LOGIHARD_TASKS: Final = (BASE, COMBINATORIAL)
"""The task names of the two kinds of item."""
BASE_FORM: Final = "base"
"""The form of an item that asks the atomic question as it is."""
FORMS: Final = (BASE_FORM, *OPERATOR_TIERS)
"""What an atomic question can be asked as: itself, or hardened to an operator tier."""
LOGIHARD_LEVELS: Final = tuple(range(1, max(len(family.levels) for family in FAMILIES.values()) + 1))
"""The levels that every family has."""


@dataclass(frozen=True, slots=True)
class ItemCoordinates:
    """The five values that determine an item; hardened ones have the balanced sampler.

    Attributes:
        family: one of ``FAMILIES``.
        level: one of ``LOGIHARD_LEVELS``.
        tier: one of ``FORMS``.
        split: "train", "eval" or "frozen".
        seed: 0 to 2**63 - 1, of the atomic question and of its form.

    Raises:
        CoordinateError: a value is not allowed.
    """

    family: str
    level: int
    tier: str
    split: str
    seed: int

    def __post_init__(self) -> None:
        get_family(self.family)
        check_logihard_level(self.level)
        check_form(self.tier)
        check_split(self.split)
        check_seed(self.seed)

    @property
    def task(self) -> str:
        """The item's task."""
        return BASE if self.tier == BASE_FORM else COMBINATORIAL

    @property
    def question(self) -> str:
        """The atomic question's id."""
        return f"{self.family}/L{self.level:02d}/{self.split}/{self.seed}"

    @property
    def id(self) -> str:
        """The item's id."""
        form = BASE_FORM if self.tier == BASE_FORM else f"{self.tier}/balanced"
        return f"{self.question}/{form}/{self.split}/{self.seed}"


def generate_item(at: ItemCoordinates) -> LogiHardItem:
    """Return the item at these coordinates: a pure function.

    Raises:
        GenerationError: no candidate for the atomic question passed the gates.
    """
    mcq = generate_atomic(at.family, at.level, at.seed, at.split)
    return ask(mcq, at.seed, at.split) if at.tier == BASE_FORM else harden(mcq, at.tier, at.seed, split=at.split)


def item_coordinates_of(
    tasks: Iterable[str],
    families: Iterable[str],
    levels: Iterable[int],
    tiers: Iterable[str],
    seeds: Iterable[int],
    split: str = "train",
) -> Iterator[ItemCoordinates]:
    """Yield the coordinates of these tasks' items, seeds changing fastest.

    Args:
        tasks: of ``LOGIHARD_TASKS``.
        families: names of families.
        levels: levels.
        tiers: forms; a task takes those that it has.
        seeds: seeds.
        split: "train", "eval" or "frozen".

    Raises:
        CoordinateError: a value is not allowed.
    """
    forms = [check_form(tier) for tier in tiers]
    families, levels, seeds = list(families), list(levels), list(seeds)
    for task in tasks:
        of_task = [form for form in forms if (form == BASE_FORM) == (check_logihard_task(task) == BASE)]
        for family, level, form, seed in product(families, levels, of_task, seeds):
            yield ItemCoordinates(family, level, form, split, seed)


def form_of(item: LogiHardItem) -> str:
    """Return which of ``FORMS`` the item is."""
    return BASE_FORM if isinstance(item, BaseItem) else item.tier


def check_form(tier: str) -> str:
    """Return ``tier`` if it is one of ``FORMS``; raise CoordinateError otherwise."""
    if tier not in FORMS:
        raise CoordinateError(f"tier {tier!r} is not one of {', '.join(map(repr, FORMS))}")
    return tier


def check_logihard_level(level: int) -> int:
    """Return ``level`` if every family has it; raise CoordinateError otherwise."""
    if isinstance(level, bool) or not isinstance(level, int) or level not in LOGIHARD_LEVELS:
        allowed = f"{LOGIHARD_LEVELS[0]}..{LOGIHARD_LEVELS[-1]} (LogiHard)"
        raise CoordinateError(f"level {level!r}{of_another_type(level)} is not in {allowed}")
    return level


def check_logihard_task(task: str) -> str:
    """Return ``task`` if it is one of ``LOGIHARD_TASKS``; raise CoordinateError otherwise."""
    if task not in LOGIHARD_TASKS:
        raise CoordinateError(f"task {task!r} is not one of {', '.join(LOGIHARD_TASKS)}")
    return task
