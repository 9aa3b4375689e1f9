"""Floors are recorded as measured and within the targets, and no attack solves anything."""

from __future__ import annotations

import pytest

from arggym_env.envs.registry import TASKS
from arggym_env.frozen.floors import FLOOR_TARGETS, measure
from arggym_env.frozen.suite import load_frozen


def test_every_task_has_a_target() -> None:
    assert set(FLOOR_TARGETS) == set(TASKS)


@pytest.mark.parametrize("task", TASKS)
def test_a_sample_of_rows_records_its_floors_and_is_never_solved(task: str) -> None:
    lines = [line for row, line in load_frozen().lines() if row.startswith(f"{task}/")][::10]
    (found,) = measure(lines)
    assert found.task == task
    assert found.best_success == 0
    assert found.wrongly_recorded == 0


@pytest.mark.slow
def test_the_whole_suite_meets_the_targets() -> None:
    found = measure([line for _, line in load_frozen().lines()])
    assert [row.task for row in found] == list(TASKS)
    missed = {row.task: (row.mean_floor, row.best_success) for row in found if not row.meets_targets}
    assert missed == {}
