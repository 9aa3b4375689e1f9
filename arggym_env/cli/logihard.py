"""LogiHard on the command line: the adaptive test, and what audit and floors of its suite print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from arggym_env.cli.source import UsageError
from arggym_env.cli.tables import Output
from arggym_env.coordinates import check_seed
from arggym_env.frozen.logihard_audit import LOGIHARD_CHECKS, LogiHardReport
from arggym_env.frozen.logihard_floors import BlindShare
from arggym_env.logihard.bank import frozen_bank
from arggym_env.logihard.cat import CatReport, CatRule
from arggym_env.logihard.cat_picture import draw_trace
from arggym_env.logihard.simulation import simulate as simulated_test


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command()(cat)


def cat(
    simulate: Annotated[
        float, typer.Option("--simulate", help="Ability of the simulated examinee.", metavar="THETA", min=-6, max=6)
    ],
    drop: Annotated[
        float, typer.Option("--drop", help="How much lower the examinee's combinatorial ability is.", min=-6, max=6)
    ] = 0.0,
    max_items: Annotated[int, typer.Option("--max-items", min=1, help="Most items of each subset.")] = 60,
    target_se: Annotated[float, typer.Option("--target-se", min=0.0, help="Stop below this standard error.")] = 0.3,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the examinee's luck, 0 to 2^63 - 1.")] = 0,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture of the trace to this file.")] = None,
    output: Annotated[
        Output, typer.Option("--output", "-o", help="Text for people or JSON for programs.")
    ] = Output.TEXT,
) -> None:
    """Run an adaptive test on the frozen LogiHard suite: atomic and combinatorial items in turn.

    The examinee is simulated: it is right with each item's own probability. Item parameters are set by rule and not
    calibrated on responses, so that abilities mean what the rules mean.
    """
    rule = CatRule(max_items=max_items, target_se=target_se)
    report = simulated_test(frozen_bank(), simulate, simulate - drop, check_seed(seed), rule)
    if svg is not None:
        try:
            svg.write_text(draw_trace(report), encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"cannot write {str(svg)!r}: {error.strerror}") from None
    if output is Output.JSON:
        examinee = {"base": simulate, "combinatorial": simulate - drop, "seed": seed}
        typer.echo(json.dumps({"simulated": examinee, **json.loads(report.to_json())}))
    else:
        _show_test(report, simulate, simulate - drop)


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


def _show_test(report: CatReport, base: float, combinatorial: float) -> None:
    table = _table("Adaptive test on the frozen LogiHard suite", "", "atomic", "combinatorial")
    subsets = (report.base, report.combinatorial)
    table.add_row("true theta (simulated)", f"{base:+.2f}", f"{combinatorial:+.2f}")
    table.add_row("theta", *(f"{subset.theta:+.2f}" for subset in subsets))
    table.add_row("standard error", *(f"{subset.se:.2f}" for subset in subsets))
    table.add_row("items used", *(str(subset.items) for subset in subsets))
    table.add_row("right", *(str(subset.right) for subset in subsets))
    table.add_row("stopped by", *(subset.stop.replace("_", " ") for subset in subsets))
    console = Console()
    console.print(table)
    console.print(f"delta theta (atomic - combinatorial): {report.delta_theta:+.2f}, SE {report.delta_se:.2f}")
    console.print("Item parameters are preset by level and tier: uncalibrated.")


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for number, heading in enumerate(headings):
        left = not number or heading == "attack"
        table.add_column(heading, justify="left" if left else "right", overflow="fold")
    return table
