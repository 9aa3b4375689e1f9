"""Writes the measured tables of docs/: how theories grow, minima, floors and attacks.

python scripts/tables.py            # both pages, from fresh instances and the frozen suite (minutes)
python scripts/tables.py --seeds 1  # a quick look
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

import arggym_env as ag
from arggym_env.frozen.floors import BANDS, FLOOR_TARGETS, SUCCESS_TARGET, TaskFloor, measure
from scripts.structure import COLUMNS, structure_rows

DOCS = Path(__file__).parent.parent / "docs"

STRUCTURE_INTRO = """\
# How the theories grow

Means per task and level over all four orderings, fresh instances of the `eval` split ({seeds} seeds each).
*conflicts* are direct attacks between arguments, *asked* the queried claims or requested goals, *minimum* the proven
fewest directives of the constructive tasks, *accepted* the share of candidates that pass the generator's gates, *link
active* and *set active* the shares of theories whose grounded status map changes when only the link principle, or only
the set ordering, is switched. `python -m scripts.tables` writes this page.
"""
FLOORS_INTRO = """\
# Floors and attacks

What answers earn that do not read the theory, over the 1,440 rows of the frozen suite: for each task the mean of the
rows' floors (the best native score of any policy on the row) by band of levels, the target, and the largest share of
rows that one policy solves (target {success:.0%}). Below, the mean native score of every policy. A generator rejects
an instance that one of its own policies solves, so the last column is zero by construction; the natives are not.
`python -m scripts.tables` writes this page; `arggym floors` checks it.

The battery holds policies that copy text, answer with a constant, or follow a fixed template. What reads more of the
theory earns more, as it should, and some of that is shallow reading: in the constructive tasks built from clusters, who
follows attacks without regard to strength does no better than who cuts clusters at random, but a solver that weighs
strength two steps deep and cuts up to twice the minimum it is told solves many rows; in formalization, stating the
claims whose statuses the prompt gives earns the behavioural part of the score. Compare models by success, and look at
`corrected` beside `native`.
"""


REJECTIONS_INTRO = """\
How often the gates had to act while the frozen suite was made: candidates rejected because an attack solved them, and
because of another gate (size, depth, consistency, an ordering that does not bear on the theory, ...).
"""


def main(seeds: Annotated[int, typer.Option(help="Instances per task, level and ordering.")] = 5) -> None:
    """Write docs/structure.md and docs/floors.md."""
    DOCS.mkdir(exist_ok=True)
    _write("structure.md", _structure_page(seeds))
    _write("floors.md", _floors_page())


def _write(name: str, text: str) -> None:
    (DOCS / name).write_text(text, encoding="utf-8", newline="\n")


def _structure_page(seeds: int) -> str:
    parts = [STRUCTURE_INTRO.format(seeds=seeds)]
    for task in track(ag.TASKS, description="structure", console=Console(stderr=True), transient=True):
        parts.append(f"## {task}\n\n" + _table(COLUMNS, structure_rows(task, seeds)))
    return "\n".join(parts)


def _floors_page() -> str:
    console = Console(stderr=True)
    lines = [line for _, line in ag.load_frozen().lines()]
    found = measure(track(lines, description="floors", console=console, transient=True))
    head = ("task", "mean floor", "target", *(name for name, _ in BANDS), "best success")
    parts = [FLOORS_INTRO.format(success=SUCCESS_TARGET), _table(head, [_floor_row(row) for row in found])]
    parts.append(REJECTIONS_INTRO + "\n" + _table(("task", "rows", "attack succeeded", "other gates"), _rejections()))
    for row in found:
        attacks = [[f"`{a.attack}`", f"{a.native:.3f}", f"{a.success:.3f}"] for a in row.attacks]
        parts.append(f"## {row.task}\n\n" + _table(("policy", "mean native", "success"), attacks))
    return "\n".join(parts)


def _rejections() -> list[list[str]]:
    rows = []
    for task, reasons in ag.load_frozen().manifest.rejections.items():
        solved = reasons.get("attack_succeeds", 0)
        rows.append([task, "120", str(solved), str(sum(reasons.values()) - solved)])
    return rows


def _floor_row(row: TaskFloor) -> list[str]:
    bands = (f"{mean:.3f}" for mean in row.by_band)
    return [row.task, f"{row.mean_floor:.3f}", f"{FLOOR_TARGETS[row.task]:.2f}", *bands, f"{row.best_success:.3f}"]


def _table(head: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [head, ("---",) + ("---:",) * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in lines)


if __name__ == "__main__":
    typer.run(main)
