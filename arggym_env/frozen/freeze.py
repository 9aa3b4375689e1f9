"""Making a frozen suite: scan the seeds of every cell until enough rows are accepted (paper appendix A.2).

A row is a pure function of its coordinates, so the same version gives the same bytes whatever the number of workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from arggym_env.coordinates import LEVELS
from arggym_env.engine import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS
from arggym_env.errors import GenerationError
from arggym_env.frozen.suite import Entry, Manifest, line_hash, make_folder, whole_hash, write_suite
from arggym_env.frozenmap import FrozenMap
from arggym_env.parallel import in_order
from arggym_env.theory import canonical_hash, shape_key
from arggym_env.versions import Versions

ROWS_PER_CELL: Final = 2
SEED_BOUND: Final = 50
"""How many seeds of a cell are tried."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One task, level and ordering."""

    task: str
    level: int
    ordering: str


@dataclass(frozen=True, slots=True)
class FrozenCell:
    """The accepted rows of a cell, as lines of JSON, with what the manifest says of them."""

    cell: Cell
    lines: tuple[str, ...]
    entries: tuple[Entry, ...]
    rejections: FrozenMap[int]
    skipped: tuple[str, ...]


def all_cells(tasks: Iterable[str] = TASKS) -> list[Cell]:
    """Return the cells of ``tasks`` in the suite's order."""
    return [Cell(*coordinates) for coordinates in product(tasks, LEVELS, ORDERINGS)]


def freeze_cell(cell: Cell) -> FrozenCell:
    """Return the first acceptable rows of ``cell``, seeds 0, 1, 2, ... in turn.

    A seed is skipped when its generation fails, or when its theory is that of an earlier row up to names and order.

    Raises:
        GenerationError: fewer than two of the first fifty seeds are acceptable.
    """
    rows: list[Instance] = []
    entries: list[Entry] = []
    rejections: Counter[str] = Counter()
    skipped: list[str] = []
    for seed in range(SEED_BOUND):
        if len(rows) == ROWS_PER_CELL:
            break
        try:
            instance = generate(cell.task, cell.level, cell.ordering, seed, split="frozen")
        except GenerationError as error:
            skipped.append(str(error))
            continue
        entry = _entry(instance)
        if any(entry.canonical == other.canonical for other in entries):
            skipped.append(f"{instance.id}: the same theory as an earlier row")
            continue
        rows.append(instance)
        entries.append(entry)
        rejections.update(instance.rejections)
    if len(rows) < ROWS_PER_CELL:
        raise GenerationError(f"cell {cell}: fewer than {ROWS_PER_CELL} rows in {SEED_BOUND} seeds")
    lines = tuple(instance.to_json() for instance in rows)
    return FrozenCell(cell, lines, tuple(entries), FrozenMap(dict(sorted(rejections.items()))), tuple(skipped))


def freeze(
    folder: Path,
    *,
    workers: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Manifest:
    """Write the suite's two files to ``folder`` and return the manifest.

    Args:
        folder: where to write; made when it is missing.
        workers: processes to use; the files do not depend on it.
        progress: called with the number of finished cells after each.

    Raises:
        InstanceError: the files cannot be written there.
    """
    make_folder(folder)
    cells = []
    for cell in freeze_cells(all_cells(), workers):
        cells.append(cell)
        progress(len(cells))
    manifest, text = assemble(cells)
    write_suite(folder, manifest, text)
    return manifest


def freeze_cells(cells: Iterable[Cell], workers: int) -> Iterator[FrozenCell]:
    """Return the frozen cells in the order of ``cells``."""
    return in_order(freeze_cell, cells, workers, chunk=2)


def assemble(cells: Iterable[FrozenCell]) -> tuple[Manifest, str]:
    """Return the manifest and the rows' text for cells in the suite's order."""
    cells = list(cells)
    rows = tuple(entry for cell in cells for entry in cell.entries)
    rejections: dict[str, Counter[str]] = {}
    for cell in cells:
        rejections.setdefault(cell.cell.task, Counter()).update(cell.rejections)
    manifest = Manifest(
        name="arggym",
        versions=Versions(),
        sha256=whole_hash(rows),
        rows=rows,
        rejections=FrozenMap({task: FrozenMap(dict(sorted(found.items()))) for task, found in rejections.items()}),
        skipped=tuple(reason for cell in cells for reason in cell.skipped),
    )
    return manifest, "".join(f"{line}\n" for cell in cells for line in cell.lines)


def _entry(instance: Instance) -> Entry:
    return Entry(
        id=instance.id,
        sha256=line_hash(instance.to_json()),
        canonical=canonical_hash(instance.theory),
        shape=shape_key(instance.theory),
    )
