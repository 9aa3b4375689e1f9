"""Freezing gives the same bytes again, whatever the number of workers."""

from __future__ import annotations

import pytest

from arggym_env.engine import ORDERINGS
from arggym_env.envs.registry import TASKS
from arggym_env.frozen.freeze import Cell, all_cells, assemble, freeze_cell, freeze_cells
from arggym_env.frozen.suite import load_frozen


def shipped(cell: Cell) -> tuple[str, ...]:
    name = cell.ordering.replace("-", "_").replace(" ", "_")
    prefix = f"{cell.task}/L{cell.level:02d}/{name}/"
    return tuple(line for row, line in load_frozen().lines() if row.startswith(prefix))


@pytest.mark.parametrize("task", TASKS)
def test_a_cell_is_rebuilt_byte_for_byte(task: str) -> None:
    cell = Cell(task, 2, ORDERINGS[TASKS.index(task) % 4])
    assert freeze_cell(cell).lines == shipped(cell)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", [7, 15])
def test_higher_cells_are_rebuilt_byte_for_byte(task: str, level: int) -> None:
    cell = Cell(task, level, ORDERINGS[(TASKS.index(task) + level) % 4])
    assert freeze_cell(cell).lines == shipped(cell)


def test_workers_do_not_matter() -> None:
    cells = [Cell("attack", 1, ordering) for ordering in ORDERINGS]
    alone = assemble(freeze_cells(cells, 1))
    assert assemble(freeze_cells(cells, 2)) == alone
    assert len(alone[0].rows) == 8


def test_the_suite_s_cells_come_in_its_order() -> None:
    cells = all_cells()
    assert len(cells) == 720
    ids = [row.rsplit("/", 2)[0] for row, _ in load_frozen().lines()][::2]
    assert ids == [f"{c.task}/L{c.level:02d}/{c.ordering.replace('-', '_').replace(' ', '_')}" for c in cells]
