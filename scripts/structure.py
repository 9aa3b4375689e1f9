"""Print how the tasks' theories grow with the level, and how often the preference ordering bears on them.

For each task and level, over all four orderings: the means of arguments, rules, depth, conflicts, queries or goals, and
minimum; the acceptance rate of the generator; the mean floor; the share of theories whose grounded status map changes
when only the link principle is switched, and when only the set ordering is switched (paper appendix D.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import arggym_env as ag
from arggym_env.engine import evaluate
from arggym_env.envs.gates import active_literals

COLUMNS = (
    "level",
    "arguments",
    "rules",
    "depth",
    "conflicts",
    "asked",
    "minimum",
    "accepted",
    "floor",
    "link active",
    "set active",
)


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="Tasks to measure; all by default.")] = None,
    seeds: Annotated[int, typer.Option(help="Instances per task, level and ordering.")] = 5,
    markdown: Annotated[bool, typer.Option(help="Print Markdown tables.")] = False,
) -> None:
    """Print one table per task."""
    console = Console(stderr=True)
    for task in tasks or ag.TASKS:
        with console.status(task):
            rows = structure_rows(task, seeds)
        if markdown:
            _print_markdown(task, rows)
        else:
            _print_table(task, rows)


def structure_rows(task: str, seeds: int) -> list[list[str]]:
    """Return one row of ``COLUMNS`` for each level of ``task``."""
    return [_row(level, list(_instances(task, level, seeds))) for level in range(1, 16)]


def _instances(task: str, level: int, seeds: int) -> Iterator[ag.Instance]:
    for ordering in ag.ORDERINGS:
        for seed in range(seeds):
            yield ag.generate(task, level=level, ordering=ordering, seed=seed, split="eval")


def _row(level: int, instances: list[ag.Instance]) -> list[str]:
    def mean(*names: str) -> float:
        return fmean(sum(instance.stats.get(name, 0) for name in names) for instance in instances)

    active = [active_literals(evaluate(instance.theory, instance.ordering)) for instance in instances]
    minima = [instance.min_directives for instance in instances if instance.min_directives is not None]
    rejected = sum(sum(instance.rejections.values()) for instance in instances)
    return [
        str(level),
        f"{mean('arguments'):.1f}",
        f"{mean('strict_rules', 'defeasible_rules'):.1f}",
        f"{mean('depth'):.1f}",
        f"{mean('attacks'):.1f}",
        f"{mean('queries', 'goals'):.1f}",
        f"{fmean(minima):.1f}" if minima else "",
        f"{len(instances) / (len(instances) + rejected):.2f}",
        f"{fmean(instance.floor for instance in instances):.3f}",
        f"{fmean(bool(found.principle) for found in active):.2f}",
        f"{fmean(bool(found.lift) for found in active):.2f}",
    ]


def _print_table(task: str, rows: list[list[str]]) -> None:
    table = Table(title=task)
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _print_markdown(task: str, rows: list[list[str]]) -> None:
    console = Console(width=200, highlight=False, soft_wrap=True)
    console.print(f"### {task}\n", markup=False)
    for row in (COLUMNS, ["---:"] * len(COLUMNS), *rows):
        console.print("| " + " | ".join(row) + " |", markup=False)
    console.print()


if __name__ == "__main__":
    typer.run(main)
