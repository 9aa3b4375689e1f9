"""Freezing gives the same bytes again, whatever the number of workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from arggym_env.engine import ORDERINGS
from arggym_env.envs.registry import TASKS
from arggym_env.errors import InstanceError
from arggym_env.frozen.freeze import Cell, all_cells, assemble, freeze, freeze_cell, freeze_cells
from arggym_env.frozen.logihard import freeze_logihard
from arggym_env.frozen.suite import load_frozen, write_suite


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


def test_what_can_be_no_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    seen: list[int] = []
    for write in (freeze, freeze_logihard):
        for folder in (tmp_path / "file", tmp_path / "file" / "below"):
            with pytest.raises(InstanceError, match="cannot be the suite's folder"):
                write(folder, progress=seen.append)
    assert not seen


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "arggym.manifest.json").mkdir()
    manifest, text = assemble(freeze_cells([Cell("attack", 1, ORDERINGS[0])], 1))
    with pytest.raises(InstanceError, match=r"arggym\.manifest\.json cannot be written"):
        write_suite(tmp_path, manifest, text)


def test_the_suite_s_cells_come_in_its_order() -> None:
    cells = all_cells()
    assert len(cells) == 720
    ids = [row.rsplit("/", 2)[0] for row, _ in load_frozen().lines()][::2]
    assert ids == [f"{c.task}/L{c.level:02d}/{c.ordering.replace('-', '_').replace(' ', '_')}" for c in cells]
