"""The tables of a report: those of the paper's appendix D for any runs, and what they need beside them.

The denominator of every share is the same: all records of the group, API errors and truncated completions included,
which count as not solved and native 0. What a table measures differently its note says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from statistics import fmean, median, quantiles
from typing import Final

from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.scoring import corrected
from arggym_env.errors import RunError
from arggym_env.evaluation.folder import ADAPTIVE, Run
from arggym_env.evaluation.groups import ALL, curriculum, groups, native, share, success, successes, token_counts
from arggym_env.evaluation.letter_tables import letter_tables
from arggym_env.evaluation.record import OUTCOMES, Outcome, Record
from arggym_env.evaluation.statistics import Estimate, compare, mean_pass_at_k
from arggym_env.evaluation.table import Cell, Column, Table
from arggym_env.frozen.floors import BANDS

DENOMINATOR: Final = "Of all records, API errors and truncated completions included (not solved, native 0)."
INTERVAL: Final = "Intervals: 95%, Wilson, clustered by item."
MIXED: Final = " A run over both benchmarks has their mean here, by numbers of records; see the tables of each."

_RUN, _TASK = Column("run"), Column("task")
_PRINCIPLES: Final = ("last-link", "weakest-link")
_LIFTS: Final = ("democratic", "elitist")


def tables_of(runs: Sequence[Run]) -> list[Table]:
    """Return every table that the runs have something for.

    Raises:
        RunError: there is nothing to report, a run is an adaptive test, or runs over one suite were worded or scored
            by different versions.
    """
    check(runs)
    found = (
        overall(runs),
        by_task(runs),
        by_band(runs),
        by_task_and_band(runs, "success"),
        by_task_and_band(runs, "native"),
        by_level(runs),
        by_ordering(runs),
        by_task_and_ordering(runs),
        *letter_tables(runs),
        protocol(runs),
        outcomes(runs),
        errors(runs),
        pass_at(runs),
        lengths(runs),
        paired(runs),
    )
    return [table for table in found if table.rows]


def check(runs: Sequence[Run]) -> None:
    """Raise RunError for runs that cannot stand in one report."""
    if not any(run.records for run in runs):
        raise RunError("the runs hold no records yet")
    for run in runs:
        if ADAPTIVE in run.manifest.settings:
            raise RunError(f"{run.path}: is an adaptive test, whose items were chosen; its result is in cat.json")
    labels = [run.manifest.label for run in runs]
    for label in labels:
        if labels.count(label) > 1:
            raise RunError(f"two runs are called {label!r}; give one of them another name (arggym eval --label)")
    for first, second in combinations(runs, 2):
        ours, theirs = first.manifest, second.manifest
        if ours.suite == theirs.suite and dict(ours.versions) != dict(theirs.versions):
            raise RunError(
                f"{first.path} has versions {dict(ours.versions)}, {second.path} {dict(theirs.versions)}: "
                "results of different versions are not compared; try arggym rescore"
            )
        if ours.suite == theirs.suite:
            _check_questions(first, second)


def _check_questions(first: Run, second: Run) -> None:
    """Raise RunError where an id stands for two questions, as when a file of rows was changed between the runs."""
    asked = {record.id: (record.prompt, record.reference) for record in first.records}
    for record in second.records:
        if asked.get(record.id, there := (record.prompt, record.reference)) != there:
            raise RunError(
                f"{first.path} and {second.path} asked different questions as {record.id!r}: {first.manifest.suite} "
                "was changed between them"
            )


def overall(runs: Sequence[Run]) -> Table:
    """Return success over everything (paper, Table 2), with what the numbers rest on."""
    columns = (
        _RUN,
        Column("success", "share"),
        Column("records", "count"),
        Column("of", "count"),
        Column("API errors", "share"),
        Column("mean tokens", "number"),
        Column("token limit", "count"),
    )
    rows = []
    for run in runs:
        asked, request = run.manifest, run.manifest.request
        lengths_there = list(token_counts(run.records))
        cap = request.get("max_tokens", request.get("max_completion_tokens"))
        rows.append(
            (
                asked.label,
                success(run.records),
                len(run.records),
                asked.asked,
                share(run.records, lambda record: record.outcome is Outcome.API_ERROR),
                fmean(lengths_there) if lengths_there else None,
                cap if isinstance(cap, int) else None,
            )
        )
    suites = ", ".join(dict.fromkeys(run.manifest.suite.rpartition("/")[2] for run in runs))
    mixed = any(len({record.benchmark for record in run.records}) > 1 for run in runs)
    note = f"Suite: {suites}. {DENOMINATOR} {INTERVAL}{MIXED if mixed else ''}"
    return Table("overall", "Complete-task success", note, columns, tuple(rows))


def by_task(runs: Sequence[Run]) -> Table:
    """Return success and native score by task (Tables 4 and 5), with floor and corrected score."""
    columns = (
        _RUN,
        _TASK,
        Column("success", "share"),
        Column("native", "score"),
        Column("floor", "score"),
        Column("corrected", "score"),
        Column("n", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for label, task, records in groups(runs):
        if task != ALL:
            # Of the means: one record's score above its floor cannot be negative, so the luck of guesses would not
            # average out over records.
            score, floor = fmean(record.native for record in records), fmean(record.floor for record in records)
            above = corrected(score, floor)
            rows.append((label, task, success(records), native(records), floor, above, len(records)))
    note = (
        "Native scores are comparable within a task only. Floor: what answers earn that do not read the question; "
        f"corrected: the mean native score above it, rescaled, not below 0. {DENOMINATOR}"
    )
    return Table("by_task", "Success and native score by task", note, columns, tuple(rows), 1)


def by_band(runs: Sequence[Run]) -> Table:
    """Return success by band of levels (Table 6); LogiHard's levels are others."""
    columns = (_RUN, *(Column(name, "share") for name, _ in BANDS), Column(ALL, "share"))
    rows = [
        (run.manifest.label, *_bands(records, success), success(records))
        for run in runs
        if (records := curriculum(run.records))
    ]
    return Table("by_band", "Success by band of levels", DENOMINATOR, columns, tuple(rows))


def by_task_and_band(runs: Sequence[Run], measure: str) -> Table:
    """Return success or the native score by task and band (Tables 7 to 12)."""
    of, kind = (success, "share") if measure == "success" else (native, "score")
    columns = (_RUN, _TASK, *(Column(name, "share" if kind == "share" else "score") for name, _ in BANDS))
    rows = [
        (label, task, *_bands(records, of))
        for label, task, records in groups(runs)
        if task != ALL and curriculum(records)
    ]
    title = f"{'Success' if measure == 'success' else 'Native score'} by task and band of levels"
    return Table(f"by_task_and_band_{measure}", title, DENOMINATOR, columns, tuple(rows), 1)


def by_level(runs: Sequence[Run]) -> Table:
    """Return success and API errors by level of the curriculum."""
    columns = (
        _RUN,
        Column("level"),
        Column("success", "share"),
        Column("API errors", "share"),
        Column("records", "count"),
    )
    rows = []
    for run in runs:
        there = curriculum(run.records)
        for level in sorted({record.level for record in there}):
            records = [record for record in there if record.level == level]
            failed = share(records, lambda record: record.outcome is Outcome.API_ERROR)
            rows.append((run.manifest.label, f"L{level}", success(records), failed, len(records)))
    return Table("by_level", "Success by level", DENOMINATOR, columns, tuple(rows), 1)


def by_ordering(runs: Sequence[Run]) -> Table:
    """Return success by link principle and by set ordering (Table 13)."""
    columns = (_RUN, *(Column(name, "share") for name in (*_PRINCIPLES, *_LIFTS)))
    rows = [
        (label, *_orderings(records))
        for label, task, records in groups(runs)
        if task == ALL and any(record.ordering in ORDERINGS for record in records)
    ]
    note = "Theories differ between orderings, so these are descriptions and no effect of the ordering."
    return Table("by_ordering", "Success by preference ordering", note, columns, tuple(rows))


def by_task_and_ordering(runs: Sequence[Run]) -> Table:
    """Return success by task and each of the orderings' two choices (Tables 14 and 15)."""
    columns = (_RUN, _TASK, *(Column(name, "share") for name in (*_PRINCIPLES, *_LIFTS)))
    rows = [
        (label, task, *_orderings(records))
        for label, task, records in groups(runs)
        if task != ALL and any(record.ordering in ORDERINGS for record in records)
    ]
    return Table(
        "by_task_and_ordering", "Success by task and preference ordering", DENOMINATOR, columns, tuple(rows), 1
    )


def protocol(runs: Sequence[Run]) -> Table:
    """Return truncation, answer regions, and success given an answer region (Table 16)."""
    columns = (
        _RUN,
        Column("truncated", "share"),
        Column("no answer region", "share"),
        Column("answer region", "share"),
        Column("canonical success", "share"),
        Column("success given a region", "share"),
        Column("difference", "points"),
    )
    rows: list[tuple[Cell, ...]] = []
    for label, task, records in groups(runs):
        if task == ALL:
            canonical = success(records)
            given = success([record for record in records if record.answer_found])
            rows.append(
                (
                    label,
                    share(records, lambda record: record.reply.truncated),
                    share(records, lambda record: not record.answer_found),
                    share(records, lambda record: record.answer_found),
                    canonical,
                    given,
                    given.value - canonical.value if given and canonical else None,
                )
            )
    note = (
        "A diagnosis only: success given a region divides the same successes by the completions with an answer region "
        "after their thinking. API errors have none."
    )
    return Table("protocol", "Truncation and answer regions", note, columns, tuple(rows))


def outcomes(runs: Sequence[Run]) -> Table:
    """Return how many records there are of each outcome class, by task."""
    columns = (
        _RUN,
        _TASK,
        *(Column(outcome.value.replace("_", " "), "count") for outcome in OUTCOMES),
        Column("records", "count"),
    )
    rows: list[tuple[Cell, ...]] = [
        (label, task, *(sum(record.outcome is outcome for record in records) for outcome in OUTCOMES), len(records))
        for label, task, records in groups(runs)
    ]
    return Table("outcomes", "Outcome classes", "Every record is in exactly one class.", columns, tuple(rows), 1)


def errors(runs: Sequence[Run]) -> Table:
    """Return the API errors by what went wrong, with an example."""
    columns = (_RUN, Column("error"), Column("example"), Column("records", "count"))
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        found: dict[str, list[str]] = {}
        for record in run.records:
            if (failure := record.reply.failure) is not None:
                status = "" if failure.status is None else f" {failure.status}"
                found.setdefault(f"{failure.kind}{status}", []).append(failure.message)
        rows += [(run.manifest.label, kind, said[0][:120], len(said)) for kind, said in sorted(found.items())]
    return Table("errors", "API errors", "They are asked again when the run is resumed.", columns, tuple(rows), 1)


def pass_at(runs: Sequence[Run]) -> Table:
    """Return the unbiased pass@k of runs with several samples an item."""
    most = max(run.manifest.samples for run in runs)
    tries = [k for k in (1, 2, 4, 8, 16, 32, 64, 128) if k <= most]
    columns = (_RUN, _TASK, *(Column(f"pass@{k}", "share") for k in tries), Column("items omitted", "count"))
    rows: list[tuple[Cell, ...]] = []
    for label, task, records in groups([run for run in runs if run.manifest.samples > 1]):
        counts = {item: (len(solved), sum(solved)) for item, solved in successes(records).items()}
        found = [mean_pass_at_k(counts, k) for k in tries]
        rows.append((label, task, *(at.value for at in found), found[-1].omitted))
    note = f"Unbiased, a mean over items; an item with fewer than k samples is omitted (counted for k={tries[-1]})."
    return Table("pass_at_k", "pass@k", note, columns, tuple(rows), 1)


def lengths(runs: Sequence[Run]) -> Table:
    """Return how many tokens completions have, by outcome class."""
    columns = (
        _RUN,
        Column("outcome"),
        Column("mean", "number"),
        Column("median", "number"),
        Column("95%", "number"),
        Column("longest", "number"),
        Column("completions", "count"),
    )
    rows = []
    for run in runs:
        for name in (*(outcome.value for outcome in OUTCOMES), ALL):
            counts = list(token_counts(record for record in run.records if name in (record.outcome.value, ALL)))
            if counts:
                high = quantiles(counts, n=20, method="inclusive")[-1] if len(counts) > 1 else counts[0]
                row = (fmean(counts), median(counts), high, max(counts), len(counts))
                rows.append((run.manifest.label, name.replace("_", " "), *row))
    return Table(
        "lengths", "Completion tokens", "As the server counts them, thinking included.", columns, tuple(rows), 1
    )


def paired(runs: Sequence[Run]) -> Table:
    """Return every two runs compared on the items that both answered, by task."""
    columns = (
        Column("first"),
        Column("second"),
        _TASK,
        Column("1st", "share"),
        Column("2nd", "share"),
        Column("difference", "points"),
        Column("only 1st", "count"),
        Column("only 2nd", "count"),
        Column("p", "p"),
        Column("items", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(runs, 2):
        if first.manifest.suite != second.manifest.suite:
            continue
        ours = {task: records for _, task, records in groups([first])}
        theirs = {task: records for _, task, records in groups([second])}
        for task in ours:
            found = compare(successes(ours[task]), successes(theirs.get(task, ())))
            if found is not None:
                difference = Estimate(found.difference, found.low, found.high, found.items, found.items)
                counts = (found.only_first, found.only_second, found.p, found.items)
                names = (first.manifest.label, second.manifest.label, task)
                rows.append((*names, found.first, found.second, difference, *counts))
    note = (
        "Second minus first on the items that both answered. p: exact two-sided McNemar test (the sign test over items "
        "where there are several samples); not corrected for the number of tests."
    )
    return Table("paired", "Runs compared in pairs", note, columns, tuple(rows), 2)


def _bands(
    records: Sequence[Record], measure: Callable[[Iterable[Record]], Estimate | None]
) -> Iterator[Estimate | None]:
    for _, levels in BANDS:
        yield measure([record for record in records if record.level in levels])


def _orderings(records: Sequence[Record]) -> Iterator[Estimate | None]:
    for choice in (*_PRINCIPLES, *_LIFTS):
        yield success([record for record in records if choice in record.ordering.split(" ")])
