"""The curriculum is a curriculum: structure grows with the level, in every task."""

from __future__ import annotations

import itertools
from statistics import mean

import pytest

from arggym_env.envs.registry import TASKS
from tests.envs.samples import BANDS, samples

LEVELS = (1, 8, 15)
every_task = pytest.mark.parametrize("task", TASKS)

GROWING = ("arguments", "attacks", "depth")


@every_task
def test_structure_grows_from_the_first_level_to_the_last(task: str) -> None:
    for name in GROWING:
        low, middle, high = (mean(instance.stats[name] for instance in samples(task, level)) for level in LEVELS)
        assert low < middle < high, name


@pytest.mark.slow
@every_task
def test_structure_grows_over_the_bands_and_never_shrinks(task: str) -> None:
    """A level may seem to fall behind the one before it by the noise of 24 instances, not by more."""
    for name in GROWING:
        means = [mean(instance.stats[name] for instance in samples(task, level, seeds=6)) for level in range(1, 16)]
        low, middle, high = (mean(means[level - 1] for level in band) for band in BANDS)
        assert low < middle < high, (name, means)
        for level, (before, after) in enumerate(itertools.pairwise(means), start=2):
            assert after >= 0.95 * before, f"{name} shrinks at level {level}: {before:.1f} to {after:.1f}"
    largest = mean(instance.stats["arguments"] for instance in samples(task, 15, seeds=6))
    assert 55 <= largest <= 165
