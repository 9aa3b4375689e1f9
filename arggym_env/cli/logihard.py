"""LogiHard on the command line: the adaptive test, and what audit and floors of its suite print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from arggym_env.cli import INTERRUPTED
from arggym_env.cli.ending import write_file, writing
from arggym_env.cli.evaluation import (
    AttemptsOption,
    BaseUrlOption,
    ConfigOption,
    ModelOption,
    ReasoningOption,
    SettingsOption,
    TimeoutOption,
    label_of,
    settings_of,
    slug,
)
from arggym_env.cli.source import LOGIHARD, UsageError
from arggym_env.cli.tables import Output, OutputOption
from arggym_env.coordinates import check_seed
from arggym_env.envs.instance import Instance
from arggym_env.evaluation.adaptive import ask_adaptively, check_bank, manifest_of_test
from arggym_env.evaluation.chat import ChatBackend
from arggym_env.evaluation.folder import Manifest, RunFolder
from arggym_env.evaluation.settings import Settings
from arggym_env.evaluation.suites import read_questions
from arggym_env.frozen.logihard_audit import LOGIHARD_CHECKS, LogiHardReport
from arggym_env.frozen.logihard_floors import BlindShare
from arggym_env.frozen.suite import load_frozen
from arggym_env.instances import LogiHardItem
from arggym_env.logihard.bank import bank_of
from arggym_env.logihard.cat import CatReport, CatRule, SubsetReport
from arggym_env.logihard.cat_picture import draw_trace
from arggym_env.logihard.simulation import simulate as simulated_test
from arggym_env.rewards.score import JsonValue

_BARS: Final = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
_LOWEST: Final = -3.0
"""The ability of the lowest bar; the highest is its opposite."""


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command()(cat)


def cat(
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    config: ConfigOption = None,
    reasoning: ReasoningOption = None,
    assignments: SettingsOption = None,
    simulate: Annotated[
        float | None,
        typer.Option(
            "--simulate", help="No model but a simulated examinee of this ability.", metavar="THETA", min=-6, max=6
        ),
    ] = None,
    drop: Annotated[
        float,
        typer.Option("--drop", help="How much lower the simulated combinatorial ability is.", min=-6, max=6),
    ] = 0.0,
    bank: Annotated[
        Path | None, typer.Option("--bank", help="A file of LogiHard rows in place of the frozen suite.")
    ] = None,
    max_items: Annotated[int, typer.Option("--max-items", min=1, help="Most items of each subset.")] = 60,
    target_se: Annotated[float, typer.Option("--target-se", min=0.0, help="Stop below this standard error.")] = 0.3,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", help="Sampling seed, or that of the simulated examinee's luck.")
    ] = None,
    timeout: TimeoutOption = 3600.0,
    attempts: AttemptsOption = 6,
    out: Annotated[Path | None, typer.Option("--out", help="The test's folder; by default under runs/cat/.")] = None,
    label: Annotated[str | None, typer.Option("--label", help="The test's name.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture of the trace to this file.")] = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Run an adaptive test on the frozen LogiHard suite: atomic and combinatorial items in turn.

    A model is asked one item after the other, each chosen by the answers before it; the same command again goes on
    where the test was stopped. A simulated examinee is right with each item's own probability. Item parameters are set
    by rule and not calibrated on responses, so that abilities mean what the rules mean.
    """
    rule = CatRule(max_items=max_items, target_se=target_se)
    settings = settings_of(config, reasoning, assignments, model, None)
    questions = load_frozen("logihard")[:] if bank is None else _questions(bank)
    where = LOGIHARD if bank is None else str(bank.resolve())
    check_bank(questions, where)
    about: dict[str, JsonValue]
    if simulate is None:
        settings = replace(settings, seed=settings.seed if seed is None else check_seed(seed))
        _check_model(settings, base_url, drop)
        backend = ChatBackend(base_url or "", concurrency=1, timeout=timeout, attempts=attempts)
        name = label or label_of(settings)
        asked = manifest_of_test(questions, rule, label=name, bank=where, settings=settings, backend=backend)
        folder = out or Path("runs") / "cat" / slug(name)
        report = _ask(folder, asked, questions, rule, settings, backend)
        about = {"model": settings.model, "run": str(folder)}
    else:
        if settings != Settings() or out is not None or label is not None:
            raise UsageError("--simulate answers instead of a model; it goes with no model, settings, --out or --label")
        examinee = {"base": simulate, "combinatorial": simulate - drop, "seed": check_seed(seed or 0)}
        report = simulated_test(bank_of(questions), simulate, simulate - drop, seed or 0, rule)
        about = {"simulated": {**examinee}}
    if svg is not None:
        write_file(svg, draw_trace(report))
    if output is Output.JSON:
        typer.echo(json.dumps({**about, **json.loads(report.to_json())}))
        return
    title = f"Adaptive test on {'the frozen LogiHard suite' if bank is None else bank.name}"
    _show_test(title, report, None if simulate is None else (simulate, simulate - drop))
    if simulate is None:
        typer.echo(f"test folder: {folder}")


def _questions(bank: Path) -> list[LogiHardItem]:
    """Return the LogiHard items in a file."""
    found = read_questions(bank)
    items = [item for item in found if not isinstance(item, Instance)]
    if len(items) < len(found):
        raise UsageError(f"bank {bank}: {len(found) - len(items)} of its {len(found)} rows are no LogiHard items")
    return items


def _check_model(settings: Settings, base_url: str | None, drop: float) -> None:
    if settings.model is None:
        raise UsageError("name a model (--model NAME, or in --config FILE), or an ability (--simulate THETA)")
    if not base_url:
        raise UsageError("name the server (--base-url URL)")
    if drop:
        raise UsageError("--drop is about a simulated examinee (--simulate THETA)")


def _ask(
    path: Path,
    asked: Manifest,
    questions: Sequence[LogiHardItem],
    rule: CatRule,
    settings: Settings,
    backend: ChatBackend,
) -> CatReport:
    """Ask a model, with the estimates so far on standard error."""
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        with writing(path), RunFolder(path, asked) as folder, Progress(*columns, console=Console(stderr=True)) as bar:
            job = bar.add_task("", total=None)

            def advance(report: CatReport) -> None:
                subsets = (("atomic", report.base), ("combinatorial", report.combinatorial))
                parts = (f"{name} {part.items}: {part.theta:+.2f} ± {part.se:.2f}" for name, part in subsets)
                bar.update(job, description=", ".join(parts))

            return ask_adaptively(folder, questions, rule, settings, backend, advance)
    except KeyboardInterrupt:
        typer.echo(f"stopped; the same command goes on from here ({path})", err=True)
        raise typer.Exit(INTERRUPTED) from None


def show_audit(report: LogiHardReport, *, as_json: bool) -> None:
    """Print what the audit of the LogiHard suite found."""
    if as_json:
        fields = {
            "rows": report.rows,
            "failures": {check: report.failures[check] for check in LOGIHARD_CHECKS},
            "examples": report.examples,
            "by_family": report.by_family,
            "letters": report.letters,
        }
        typer.echo(json.dumps(fields))
        return
    console = Console()
    table = _table(f"Audit of {report.rows} rows: failures", *LOGIHARD_CHECKS)
    table.add_row(*(str(report.failures[check]) for check in LOGIHARD_CHECKS))
    console.print(table)
    for example in report.examples[:20]:
        console.print(example, markup=False, highlight=False)
    tiers = list(report.letters)
    table = _table("Rows", "family", *tiers)
    for family, rows in report.by_family.items():
        table.add_row(family, *(str(rows[tier]) for tier in tiers))
    console.print(table)
    table = _table("Rows in which a letter is right", "tier", *"ABCDEF")
    for tier, letters in report.letters.items():
        table.add_row(tier, *(str(letters[letter]) if letter in letters else "" for letter in "ABCDEF"))
    console.print(table)


def show_floors(shares: list[BlindShare], *, attacks: bool, as_json: bool) -> None:
    """Print what answers without reasoning earn on the LogiHard suite: the best of each kind of row, or all."""
    if as_json:
        fields = ("rows_of", "attack", "rows", "share", "limit", "meets_target")
        typer.echo(json.dumps([{name: getattr(share, name) for name in fields} for share in shares]))
        return
    table = _table("Exact matches without reasoning", "rows of", "attack", "rows", "share", "limit", "met")
    shown: set[str] = set()
    for share in shares:
        if attacks or share.rows_of not in shown:
            met = "yes" if share.meets_target else "NO"
            numbers = (str(share.rows), f"{share.share:.3f}", f"{share.limit:.3f}")
            table.add_row(share.rows_of, share.attack, *numbers, met)
        shown.add(share.rows_of)
    Console().print(table)


def _show_test(title: str, report: CatReport, truth: tuple[float, float] | None) -> None:
    table = _table(title, "", "atomic", "combinatorial")
    subsets = (report.base, report.combinatorial)
    if truth is not None:
        table.add_row("true theta (simulated)", *(f"{theta:+.2f}" for theta in truth))
    table.add_row("theta", *(f"{subset.theta:+.2f}" for subset in subsets))
    table.add_row("standard error", *(f"{subset.se:.2f}" for subset in subsets))
    table.add_row("items used", *(str(subset.items) for subset in subsets))
    table.add_row("right", *(str(subset.right) for subset in subsets))
    if truth is None:
        table.add_row("unreadable (wrong)", *(str(subset.unparsable) for subset in subsets))
        table.add_row("no response (not used)", *(str(subset.errors) for subset in subsets))
    table.add_row("stopped by", *(subset.stop.replace("_", " ") for subset in subsets))
    console = Console()
    console.print(table)
    for name, subset in zip(("atomic", "combinatorial"), subsets, strict=True):
        console.print(f"{name:>13} {_trace(subset)}", highlight=False)
    console.print(f"theta item by item, from {_LOWEST:+.0f} to {-_LOWEST:+.0f}")
    console.print(f"delta theta (atomic - combinatorial): {report.delta_theta:+.2f}, SE {report.delta_se:.2f}")
    console.print("Item parameters are preset by level and tier: uncalibrated.")


def _trace(subset: SubsetReport) -> str:
    """Return the estimates after each item as a line of bars."""
    top = len(_BARS) - 1
    heights = (round((step.theta - _LOWEST) / (-2 * _LOWEST) * top) for step in subset.steps if step.outcome != "error")
    return "".join(_BARS[min(top, max(0, height))] for height in heights)


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for number, heading in enumerate(headings):
        left = not number or heading == "attack"
        table.add_column(heading, justify="left" if left else "right", overflow="fold")
    return table
