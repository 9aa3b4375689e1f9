"""The tables of LogiHard's records: by form and level, by family, what hardening costs, and partial credit.

A form is how an atomic question is asked: as it is ("base"), or hardened to an operator tier. Levels are those of the
atomic questions; they are not ArgGYM's. Intervals are clustered by question, which several forms may share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Final

from arggym_env.evaluation.folder import Run
from arggym_env.evaluation.item import LOGIHARD
from arggym_env.evaluation.record import Record
from arggym_env.evaluation.statistics import Estimate, compare, estimate
from arggym_env.evaluation.table import Cell, Column, Table
from arggym_env.logihard.coordinates import BASE_FORM, FORMS
from arggym_env.logihard.tiers import OPERATOR_TIERS

HARDENED: Final = "all hardened"
"""The name of the row over all operator tiers."""
DENOMINATOR: Final = "Of all records, API errors and truncated completions included (not solved)."

_RUN, _FORM = Column("run"), Column("form")


def letter_tables(runs: Sequence[Run]) -> list[Table]:
    """Return the tables of the runs' LogiHard records; they have no rows where there are none."""
    return [by_form(runs), by_family(runs), hardening(runs), partial_credit(runs)]


def by_form(runs: Sequence[Run]) -> Table:
    """Return success by form and level, with the floor."""
    levels = sorted({record.level for run in runs for record in _of_letters(run)})
    columns = (
        _RUN,
        _FORM,
        *(Column(f"L{level}", "share") for level in levels),
        Column("all levels", "share"),
        Column("floor", "share"),
        Column("n", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for form, records in _forms(_of_letters(run)):
            of_level = (_success(record for record in records if record.level == level) for level in levels)
            floor = fmean(record.floor for record in records)
            rows.append((run.manifest.label, form, *of_level, _success(records), floor, len(records)))
    note = f"Floor: what the best answer earns that never sees the question. Levels are LogiHard's. {DENOMINATOR}"
    return Table("by_form", "LogiHard: success by form and level", note, columns, tuple(rows), 1)


def by_family(runs: Sequence[Run]) -> Table:
    """Return success by family and form."""
    columns = (_RUN, Column("family"), *(Column(form, "share") for form in (*FORMS, HARDENED)), Column("n", "count"))
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        by_name: dict[str, list[Record]] = {}
        for record in _of_letters(run):
            by_name.setdefault(record.family, []).append(record)
        for family, records in by_name.items():
            found = {form: _success(chosen) for form, chosen in _forms(records)}
            cells = (found.get(form) for form in (*FORMS, HARDENED))
            rows.append((run.manifest.label, family, *cells, len(records)))
    return Table("by_family", "LogiHard: success by family and form", DENOMINATOR, columns, tuple(rows), 1)


def hardening(runs: Sequence[Run]) -> Table:
    """Return what a question costs more in its hardened form: the same questions asked both ways, in pairs."""
    columns = (
        _RUN,
        _FORM,
        Column("atomic", "share"),
        Column("hardened", "share"),
        Column("difference", "points"),
        Column("only atomic", "count"),
        Column("only hardened", "count"),
        Column("p", "p"),
        Column("questions", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        forms = dict(_forms(_of_letters(run)))
        atomic = _solved(forms.get(BASE_FORM, ()))
        for form in (*OPERATOR_TIERS, HARDENED):
            found = compare(atomic, _solved(forms.get(form, ())))
            if found is not None:
                difference = Estimate(found.difference, found.low, found.high, found.items, found.items)
                counts = (found.only_first, found.only_second, found.p, found.items)
                rows.append((run.manifest.label, form, found.first, found.second, difference, *counts))
    note = (
        "Hardened minus atomic on the questions that were asked both ways. p: exact two-sided McNemar test (the sign "
        "test over questions where one was asked several times); not corrected for the number of tests."
    )
    return Table("hardening", "LogiHard: what hardening costs", note, columns, tuple(rows), 1)


def partial_credit(runs: Sequence[Run]) -> Table:
    """Return the means of partial credit beside exact matches, by form."""
    columns = (
        _RUN,
        _FORM,
        Column("exact", "share"),
        Column("Youden", "score"),
        Column("F1", "score"),
        Column("n", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for form, records in _forms(_of_letters(run)):
            credit = (
                estimate((record.question, _detail(record, name)) for record in records) for name in ("youden", "f1")
            )
            rows.append((run.manifest.label, form, _success(records), *credit, len(records)))
    note = (
        "Youden: share of right letters chosen minus share of wrong ones, not below 0. F1 is here to compare with "
        "published figures: naming every letter earns about two thirds of it. No valid answer counts 0."
    )
    return Table("partial_credit", "LogiHard: partial credit", note, columns, tuple(rows), 1)


def _of_letters(run: Run) -> list[Record]:
    return [record for record in run.records if record.benchmark == LOGIHARD]


def _forms(records: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Yield the records of each form that there is, and then those of all operator tiers."""
    for form in FORMS:
        if chosen := [record for record in records if record.tier == form]:
            yield form, chosen
    if hardened := [record for record in records if record.tier != BASE_FORM]:
        yield HARDENED, hardened


def _success(records: Iterable[Record]) -> Estimate | None:
    return estimate((record.question, float(record.success)) for record in records)


def _solved(records: Iterable[Record]) -> dict[str, list[bool]]:
    """Return whether each sample of a question was solved; a question may have been asked in several forms."""
    found: dict[str, list[bool]] = {}
    for record in records:
        found.setdefault(record.question, []).append(record.success)
    return found


def _detail(record: Record, name: str) -> float:
    """Return a number of the score's detail, 0 where there is none."""
    value = record.score.detail.get(name) if record.score else None
    return value if isinstance(value, float) else 0.0
