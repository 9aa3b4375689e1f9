"""Records in groups, and what a group comes to: success, native score, shares, lengths.

Every measure has the same denominator, all records of the group; samples of one item do not count as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

from arggym_env.evaluation.folder import Run
from arggym_env.evaluation.item import LOGIHARD
from arggym_env.evaluation.record import Record
from arggym_env.evaluation.statistics import Estimate, estimate

ALL: Final = "all"
"""The name of the group over all tasks."""

Group = tuple[str, str, list[Record]]
"""Label of the run, task or ``ALL``, and their records."""


def groups(runs: Iterable[Run]) -> Iterator[Group]:
    """Yield the records of each run by task, in the suite's order, and then all of them together."""
    for run in runs:
        by_task: dict[str, list[Record]] = {}
        for record in run.records:
            by_task.setdefault(record.task, []).append(record)
        for task, records in by_task.items():
            yield run.manifest.label, task, records
        if run.records:
            yield run.manifest.label, ALL, list(run.records)


def curriculum(records: Iterable[Record]) -> list[Record]:
    """Return the records whose levels are the curriculum's: all but LogiHard's, which have tables of their own."""
    return [record for record in records if record.benchmark != LOGIHARD]


def success(records: Iterable[Record]) -> Estimate | None:
    """Return complete-task success with its interval."""
    return estimate((record.id, float(record.success)) for record in records)


def native(records: Iterable[Record]) -> Estimate | None:
    """Return the mean native score with its interval."""
    return estimate((record.id, record.native) for record in records)


def successes(records: Iterable[Record]) -> Mapping[str, list[bool]]:
    """Return whether each sample of an item solved it."""
    found: dict[str, list[bool]] = {}
    for record in records:
        found.setdefault(record.id, []).append(record.success)
    return found


def share(records: Sequence[Record], holds: Callable[[Record], bool]) -> float | None:
    """Return the share of records for which something holds; None without records."""
    return fmean(map(holds, records)) if records else None


def token_counts(records: Iterable[Record]) -> Iterator[int]:
    """Yield how many tokens each completion has, where the server counted them."""
    for record in records:
        if (tokens := record.reply.usage.get("completion_tokens")) is not None:
            yield tokens
