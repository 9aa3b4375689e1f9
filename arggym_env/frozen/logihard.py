"""The frozen LogiHard suite: 1,461 atomic questions, and 539 of them hardened, so that differences can be paired.

Atomic rows cover every family and level evenly. Each cell's first questions are hardened; the tiers are dealt to the
cells in turn, in the paper's proportions (section 3.4). Fresh splits have no question of the suite and no twin of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, cycle, repeat
from pathlib import Path
from typing import Final

from arggym_env.errors import GenerationError
from arggym_env.frozen.suite import (
    Entry,
    FrozenRows,
    Manifest,
    line_hash,
    make_folder,
    several_names,
    whole_hash,
    write_suite,
)
from arggym_env.frozenmap import FrozenMap
from arggym_env.instances import LogiHardItem, read_item
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.coordinates import check_form, check_logihard_level
from arggym_env.logihard.families import FAMILIES, get_family
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.tiers import Tier
from arggym_env.logihard.twins import fingerprint
from arggym_env.parallel import in_order
from arggym_env.versions import LOGIHARD_VERSIONS

BASE_ROWS: Final = 1_461
"""Atomic questions of the suite."""
TIER_ROWS: Final[dict[Tier, int]] = {"easy": 108, "medium": 215, "hard": 162, "expert": 54}
"""Hardened questions of the suite by operator tier."""
SEED_BOUND: Final = 200
"""How many seeds of a cell are tried."""


class LogiHardSuite(FrozenRows[LogiHardItem]):
    """The LogiHard suite: atomic rows by family, level and seed, then hardened rows in the same order."""

    def read(self, line: str) -> LogiHardItem:
        return read_item(line)

    def select(
        self,
        families: Iterable[str] | None = None,
        levels: Iterable[int] | None = None,
        tiers: Iterable[str] | None = None,
    ) -> list[LogiHardItem]:
        """Return the rows of these families, levels and tiers (None for all), in the suite's order.

        Args:
            families: names of families.
            levels: levels from 1.
            tiers: "base" for atomic rows, operator tiers for hardened ones.

        Raises:
            CoordinateError: one of them is none of the suite's.
        """
        wanted_families = None if families is None else {get_family(name).name for name in several_names(families)}
        wanted_levels = None if levels is None else {f"L{check_logihard_level(level):02d}" for level in levels}
        wanted_tiers = None if tiers is None else {check_form(tier) for tier in several_names(tiers)}
        found = []
        for index, entry in enumerate(self.manifest.rows):
            family, level, _, _, tier, *_ = entry.id.split("/")
            if (
                (wanted_families is None or family in wanted_families)
                and (wanted_levels is None or level in wanted_levels)
                and (wanted_tiers is None or tier in wanted_tiers)
            ):
                found.append(self[index])
        return found

    def pairs(self) -> list[tuple[BaseItem, CombinatorialItem]]:
        """Return every hardened row with the atomic row of the same question."""
        rows = self[:]
        base = {row.atomic.id: row for row in rows if isinstance(row, BaseItem)}
        return [(base[row.atomic.id], row) for row in rows if isinstance(row, CombinatorialItem)]


@dataclass(frozen=True, slots=True)
class LogiHardCell:
    """A family and level: how many atomic rows it has, and the tiers at which its first questions are hardened."""

    family: str
    level: int
    rows: int
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True)
class FrozenLogiHardCell:
    """A cell's rows as lines of JSON with what the manifest says of them: atomic rows, then hardened ones."""

    base: tuple[tuple[str, Entry], ...]
    hardened: tuple[tuple[str, Entry], ...]
    skipped: tuple[str, ...]


def logihard_cells() -> list[LogiHardCell]:
    """Return the cells of the suite, which share the rows out as evenly as they can be."""
    where = [(family, level) for family, maker in FAMILIES.items() for level in range(1, len(maker.levels) + 1)]
    dealt: dict[tuple[str, int], list[Tier]] = {cell: [] for cell in where}
    tiers: Iterator[Tier] = chain.from_iterable(repeat(tier, rows) for tier, rows in TIER_ROWS.items())
    for cell, tier in zip(cycle(_diagonal()), tiers, strict=False):
        dealt[cell].append(tier)
    share, more = divmod(BASE_ROWS, len(where))
    return [LogiHardCell(*cell, share + (index < more), tuple(dealt[cell])) for index, cell in enumerate(where)]


def _diagonal() -> list[tuple[str, int]]:
    """Return the cells so that every stretch of them has all families, and nearly all levels, equally often."""
    depth = max(len(maker.levels) for maker in FAMILIES.values())
    return [
        (family, (turn + place) % len(maker.levels) + 1)
        for turn in range(depth)
        for place, (family, maker) in enumerate(FAMILIES.items())
    ]


def freeze_logihard_cell(cell: LogiHardCell) -> FrozenLogiHardCell:
    """Return the rows of ``cell``: seeds 0, 1, 2, ... in turn, without failures and twins of earlier ones.

    Raises:
        GenerationError: too few of the first two hundred seeds are acceptable.
    """
    questions: list[tuple[AtomicMCQ, int]] = []
    seen: set[str] = set()
    skipped: list[str] = []
    for seed in range(SEED_BOUND):
        if len(questions) == cell.rows:
            break
        try:
            mcq = generate_atomic(cell.family, cell.level, seed, "frozen")
        except GenerationError as error:
            skipped.append(str(error))
            continue
        twins = _fingerprint(mcq)
        if twins in seen:
            skipped.append(f"{mcq.id}: a twin of an earlier question")
            continue
        seen.add(twins)
        questions.append((mcq, seed))
    if len(questions) < cell.rows:
        raise GenerationError(f"{cell.family}/L{cell.level:02d}: fewer than {cell.rows} rows in {SEED_BOUND} seeds")
    base = (_row(ask(mcq, seed, "frozen")) for mcq, seed in questions)
    hardened = (
        _row(harden(mcq, tier, seed, split="frozen")) for (mcq, seed), tier in zip(questions, cell.tiers, strict=False)
    )
    return FrozenLogiHardCell(tuple(base), tuple(hardened), tuple(skipped))


def freeze_logihard(folder: Path, *, workers: int = 1, progress: Callable[[int], None] = lambda done: None) -> Manifest:
    """Write the suite's two files to ``folder`` and return the manifest.

    Args:
        folder: where to write; made when it is missing.
        workers: processes to use; the files do not depend on it.
        progress: called with the number of finished cells after each.
    """
    make_folder(folder)
    cells = []
    for cell in in_order(freeze_logihard_cell, logihard_cells(), workers, chunk=1):
        cells.append(cell)
        progress(len(cells))
    manifest, text = assemble_logihard(cells)
    write_suite(folder, manifest, text)
    return manifest


def assemble_logihard(cells: Iterable[FrozenLogiHardCell]) -> tuple[Manifest, str]:
    """Return the manifest and the rows' text for cells in the suite's order."""
    cells = list(cells)
    rows = [row for cell in cells for row in cell.base] + [row for cell in cells for row in cell.hardened]
    entries = tuple(entry for _, entry in rows)
    manifest = Manifest(
        name="logihard",
        versions=LOGIHARD_VERSIONS,
        sha256=whole_hash(entries),
        rows=entries,
        rejections=FrozenMap(),
        skipped=tuple(reason for cell in cells for reason in cell.skipped),
    )
    return manifest, "".join(f"{line}\n" for line, _ in rows)


def _row(item: LogiHardItem) -> tuple[str, Entry]:
    line = item.to_json()
    mcq = item.atomic
    return line, Entry(id=item.id, sha256=line_hash(line), canonical=_fingerprint(mcq), shape=mcq.family)


def _fingerprint(mcq: AtomicMCQ) -> str:
    return fingerprint(mcq.context, mcq.question, mcq.options)
