"""The commands about whole suites: freeze, audit, floors, export."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Annotated, Protocol

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from arggym_env.cli import logihard
from arggym_env.cli.source import LOGIHARD, UsageError, tell_apart
from arggym_env.cli.tables import Output, OutputOption
from arggym_env.coordinates import LEVELS, check_level, check_seed
from arggym_env.engine.orderings import ORDERINGS, check_ordering
from arggym_env.envs.registry import TASKS
from arggym_env.export import (
    AnyCoordinates,
    check_parquet,
    check_shard,
    coordinates_of,
    letter_coordinates_of,
    to_parquet,
)
from arggym_env.export import export as write_export
from arggym_env.frozen.audit import CHECKS, AuditReport
from arggym_env.frozen.audit import audit as audit_rows
from arggym_env.frozen.floors import BANDS, FLOOR_TARGETS, SUCCESS_TARGET, TaskFloor, measure
from arggym_env.frozen.freeze import all_cells
from arggym_env.frozen.freeze import freeze as write_suite
from arggym_env.frozen.logihard import freeze_logihard, logihard_cells
from arggym_env.frozen.logihard_audit import audit_logihard
from arggym_env.frozen.logihard_floors import measure_logihard
from arggym_env.frozen.suite import SUITES, load_frozen, load_manifest
from arggym_env.logihard.coordinates import FORMS, LOGIHARD_LEVELS, LOGIHARD_TASKS
from arggym_env.logihard.families import FAMILIES

PAPER_MINIMA = {
    "counter_argument": {3: 40, 4: 48, 5: 24, 6: 8},
    "counter_argument_strict": {2: 48, 3: 40, 4: 24, 5: 8},
}
"""The minima of the matched pair in the paper's frozen suite (appendix A.3), rows by minimum."""
PAPER_PRINCIPLE = {
    "status_query": 107,
    "defeat_diagnosis": 101,
    "preference_construction": 120,
    "claim_chain": 120,
    "perturbation": 120,
}
"""Of 120 theories, those whose status map changes when the link principle is switched (appendix D.4)."""

WorkersOption = Annotated[int, typer.Option("--workers", "-w", min=1, help="Processes to use.")]
SuiteOption = Annotated[str, typer.Option("--suite", help=f"Suite: {' or '.join(SUITES)}.", metavar="NAME")]
TasksOption = Annotated[list[str] | None, typer.Option("--task", "-t", help="Only this task; may be repeated.")]
CPUS = os.cpu_count() or 1
_LONGEST_SHARD = 100
"""Characters of a shard; Python refuses to read numbers of thousands of digits."""


class _Advance(Protocol):
    def __call__(self, done: int) -> None: ...


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    for command in (freeze, audit, floors, export):
        app.command()(command)


def freeze(
    folder: Annotated[Path, typer.Argument(help="Where to write the suite's rows and manifest.")],
    suite: SuiteOption = "arggym",
    workers: WorkersOption = CPUS,
) -> None:
    """Rebuild the frozen suite: the same bytes as the shipped one, with this version of the package."""
    shipped = load_manifest(suite)
    write, cells = (freeze_logihard, logihard_cells()) if suite == LOGIHARD else (write_suite, all_cells())
    with _progress("freezing cells", len(cells)) as advance:
        manifest = write(folder, workers=workers, progress=advance)
    same = manifest.sha256 == shipped.sha256
    typer.echo(f"{len(manifest.rows)} rows, {len(manifest.skipped)} seeds skipped, SHA-256 {manifest.sha256}")
    typer.echo("the rows are those of the shipped suite" if same else "the rows DIFFER from those of the shipped suite")
    if not same:
        raise typer.Exit(1)


def audit(
    suite: SuiteOption = "arggym",
    tasks: TasksOption = None,
    oracle: Annotated[
        bool, typer.Option("--oracle/--no-oracle", help="Execute every row with PyArg too (many minutes).")
    ] = True,
    every: Annotated[int, typer.Option("--every", min=1, help="Audit only every n-th row.")] = 1,
    workers: WorkersOption = CPUS,
    output: OutputOption = Output.TEXT,
) -> None:
    """Execute the frozen rows again with both engines, and count what does not hold.

    In the LogiHard suite every key is derived again by another reader, and every option evaluated again.
    """
    if suite == LOGIHARD:
        _audit_logihard(tasks, every, oracle=oracle, workers=workers, as_json=output is Output.JSON)
        return
    lines = _frozen_lines(suite, tasks)[::every]
    with _progress("auditing rows", len(lines)) as advance:
        report = audit_rows(lines, oracle=oracle, workers=workers, progress=advance)
    if output is Output.JSON:
        typer.echo(json.dumps(_report_json(report)))
    else:
        _print_report(report)
    if report.failures:
        raise typer.Exit(1)


def _audit_logihard(tasks: list[str] | None, every: int, *, oracle: bool, workers: int, as_json: bool) -> None:
    if every > 1:
        raise UsageError("--every would tear pairs apart; the LogiHard suite is audited whole")
    lines = _frozen_lines(LOGIHARD, tasks)
    with _progress("auditing rows", len(lines)) as advance:
        report = audit_logihard(lines, oracle=oracle, workers=workers, progress=advance)
    logihard.show_audit(report, as_json=as_json)
    if report.failures:
        raise typer.Exit(1)


def floors(
    suite: SuiteOption = "arggym",
    tasks: TasksOption = None,
    attacks: Annotated[bool, typer.Option("--attacks", help="Show every attack policy.")] = False,
    workers: WorkersOption = CPUS,
    output: OutputOption = Output.TEXT,
) -> None:
    """Measure what answers that do not read the theory earn on the frozen rows, against the targets."""
    if suite == LOGIHARD:
        _frozen_lines(suite, tasks)
        shares = measure_logihard(load_frozen("logihard"))
        logihard.show_floors(shares, attacks=attacks, as_json=output is Output.JSON)
        if not all(share.meets_target for share in shares):
            raise typer.Exit(1)
        return
    lines = [line for _, line in _frozen_lines(suite, tasks)]
    with _progress("running attacks on rows", len(lines)) as advance:
        found = measure(lines, workers=workers, progress=advance)
    if output is Output.JSON:
        typer.echo(json.dumps([_floor_json(row) for row in found]))
    else:
        _print_floors(found, attacks=attacks)
    if not all(row.meets_targets for row in found):
        raise typer.Exit(1)


def export(
    path: Annotated[Path, typer.Argument(help="File to write: .jsonl; or .parquet, beside a .jsonl (extra: export).")],
    tasks: TasksOption = None,
    levels: Annotated[list[int] | None, typer.Option("--level", "-l", help="Only this level; may be repeated.")] = None,
    orderings: Annotated[
        list[str] | None, typer.Option("--ordering", help="Only this ordering; may be repeated.", metavar="NAME")
    ] = None,
    families: Annotated[
        list[str] | None, typer.Option("--family", help="LogiHard: only this family; may be repeated.", metavar="NAME")
    ] = None,
    tiers: Annotated[
        list[str] | None,
        typer.Option("--tier", help=f"LogiHard: only this form ({', '.join(FORMS)}); may be repeated.", metavar="NAME"),
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", "-n", min=1, help="Seeds per task, level and ordering, or family, level and tier.")
    ] = 1,
    first_seed: Annotated[int, typer.Option("--first-seed", min=0, help="The first of these seeds.")] = 0,
    split: Annotated[str, typer.Option("--split", help="Random stream: train or eval.", metavar="NAME")] = "train",
    shard: Annotated[str, typer.Option("--shard", help="Take part i of n, written i/n, counted from 0.")] = "0/1",
    workers: WorkersOption = 1,
    ray: Annotated[bool, typer.Option("--ray", help="Generate through Ray Data (extra: ray), on its cluster.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a file that was not finished.")] = False,
) -> None:
    """Write fresh instances as rows for training or evaluation: the same bytes whatever the number of workers.

    By default all tasks of ArgGYM. The tasks logihard_base and logihard_combinatorial (logihard for both) have
    --family and --tier in place of --ordering.
    """
    letters, others = tell_apart(tasks) if tasks else ([], [*TASKS])
    if (families or tiers) and not letters:
        raise UsageError(f"--family and --tier are for the tasks {' and '.join(LOGIHARD_TASKS)}")
    if orderings and not others:
        raise UsageError(f"--ordering is for argumentation tasks; {', '.join(letters)} has none")
    numbers = range(check_seed(first_seed), check_seed(first_seed + seeds - 1) + 1)
    cells = (
        others,
        [check_level(level, "any") for level in levels or LEVELS],
        [check_ordering(ordering) for ordering in orderings or ORDERINGS],
    )
    letter_cells = (letters, families or FAMILIES, levels or LOGIHARD_LEVELS, tiers or FORMS)
    if not others and not any(letter_coordinates_of(*letter_cells, numbers[:1], split)):
        raise UsageError("no row has all that was chosen at once")
    index, shards = _parse_shard(shard)
    before = prod(len(values) for values in cells) * len(numbers)  # LogiHard's rows are counted on from these
    coordinates: list[AnyCoordinates] = [
        *coordinates_of(*cells, numbers, split, (index, shards)),
        *letter_coordinates_of(*letter_cells, numbers, split, ((index - before) % shards, shards)),
    ]
    if path.suffix not in (".jsonl", ".parquet"):
        raise UsageError(f"file {str(path)!r} ends neither in .jsonl nor in .parquet")
    if path.suffix == ".parquet":
        check_parquet(path)
    lines = path.with_suffix(".jsonl")
    with _progress("exporting rows", len(coordinates)) as advance:
        written = write_export(lines, coordinates, workers=workers, ray=ray, resume=resume, progress=advance)
    if path.suffix == ".parquet":
        to_parquet(lines, path)
    typer.echo(f"{written} rows written, {len(coordinates)} in {path}")


def _parse_shard(text: str) -> tuple[int, int]:
    index, slash, shards = text.partition("/")
    if not (slash and index.isdecimal() and shards.isdecimal() and len(text) <= _LONGEST_SHARD):
        raise UsageError(f"shard {text!r:.60} is not written i/n, such as 0/4")
    return check_shard((int(index), int(shards)))


def _frozen_lines(name: str, tasks: list[str] | None) -> list[tuple[str, str]]:
    suite = load_frozen(name)
    if tasks and name == LOGIHARD:
        raise UsageError("--task chooses among the tasks of the suite arggym; the LogiHard suite has none")
    unknown = sorted(set(tasks or ()) - set(TASKS))
    if unknown:
        raise UsageError(f"task {unknown[0]!r} is not one of {', '.join(TASKS)}")
    return [(row, line) for row, line in suite.lines() if not tasks or row.partition("/")[0] in tasks]


@contextmanager
def _progress(what: str, total: int) -> Iterator[_Advance]:
    """Show a progress bar on standard error; yield what moves it."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        job = bar.add_task(what, total=total)

        def advance(done: int) -> None:
            bar.update(job, completed=done)

        yield advance


def _report_json(report: AuditReport) -> dict[str, object]:
    return {
        "rows": report.rows,
        "failures": {check: report.failures[check] for check in CHECKS},
        "examples": report.examples,
        "minima": {task: dict(sorted(found.items())) for task, found in report.minima.items()},
        "principle_active": dict(report.principle_active),
        "lift_active": dict(report.lift_active),
        "rows_by_task": dict(report.rows_by_task),
    }


def _print_report(report: AuditReport) -> None:
    console = Console()
    table = Table(title=f"Audit of {report.rows} rows: failures")
    for check in CHECKS:
        table.add_column(check, justify="right")
    table.add_row(*(str(report.failures[check]) for check in CHECKS))
    console.print(table)
    for example in report.examples[:20]:
        console.print(example, markup=False, highlight=False)

    table = Table(title="Ordering: theories whose grounded statuses change when one choice is switched (appendix D.4)")
    for column in ("task", "rows", "link principle", "paper (of 120)", "set ordering"):
        table.add_column(column, justify="left" if column == "task" else "right")
    for task, rows in report.rows_by_task.items():
        paper = str(PAPER_PRINCIPLE.get(task, ""))
        table.add_row(task, str(rows), str(report.principle_active[task]), paper, str(report.lift_active[task]))
    console.print(table)

    table = Table(title="Minima: rows by fewest directives (appendix A.3)")
    for column in ("task", "rows by minimum", "paper"):
        table.add_column(column)
    for task, minima in report.minima.items():
        table.add_row(task, _counts(minima), _counts(PAPER_MINIMA.get(task, {})))
    console.print(table)


def _counts(minima: dict[int, int]) -> str:
    return "  ".join(f"{minimum}:{count}" for minimum, count in sorted(minima.items()))


def _floor_json(row: TaskFloor) -> dict[str, object]:
    return {
        "task": row.task,
        "mean_floor": row.mean_floor,
        "target": FLOOR_TARGETS.get(row.task),
        "by_band": dict(zip((name for name, _ in BANDS), row.by_band, strict=True)),
        "best_success": row.best_success,
        "wrongly_recorded": row.wrongly_recorded,
        "meets_targets": row.meets_targets,
        "attacks": [{"attack": a.attack, "native": a.native, "success": a.success} for a in row.attacks],
    }


def _print_floors(found: list[TaskFloor], *, attacks: bool) -> None:
    console = Console()
    table = Table(title=f"Floors: best native score without reading the theory (success target {SUCCESS_TARGET:.0%})")
    for column in ("task", "mean floor", "target", *(name for name, _ in BANDS), "best success", "met"):
        table.add_column(column, justify="left" if column == "task" else "right")
    for row in found:
        bands = (f"{mean:.3f}" for mean in row.by_band)
        target = f"{FLOOR_TARGETS[row.task]:.2f}" if row.task in FLOOR_TARGETS else ""
        met = "yes" if row.meets_targets else "NO"
        table.add_row(row.task, f"{row.mean_floor:.3f}", target, *bands, f"{row.best_success:.3f}", met)
    console.print(table)
    if attacks:
        for row in found:
            table = Table(title=row.task)
            for column in ("attack", "mean native", "success"):
                table.add_column(column, justify="left" if column == "attack" else "right")
            for attack in row.attacks:
                table.add_row(attack.attack, f"{attack.native:.3f}", f"{attack.success:.3f}")
            console.print(table)
