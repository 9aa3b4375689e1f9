"""Instances that many tests look at: each is made once per process."""

from __future__ import annotations

from functools import cache

from arggym_env.engine import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.rewards.execution import Goal

BANDS = (range(1, 6), range(6, 11), range(11, 16))
"""The three thirds of the curriculum."""


@cache
def sample(task: str, level: int, ordering: str = ORDERINGS[0], seed: int = 0, split: str = "train") -> Instance:
    """Return the instance at these coordinates."""
    return generate(task, level, ordering, seed, split)


def samples(task: str, level: int, seeds: int = 1) -> list[Instance]:
    """Return the instances of ``seeds`` seeds under each ordering."""
    return [sample(task, level, ordering, seed) for ordering in ORDERINGS for seed in range(seeds)]


def target(instance: Instance) -> Goal:
    """Return the only goal of a constructive instance."""
    (goal,) = instance.question.goals  # type: ignore[attr-defined]
    assert isinstance(goal, Goal)
    return goal
