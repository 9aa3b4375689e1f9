"""How commands answer: as text or JSON, and tables of results in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from arggym_env.evaluation.table import Table, shown

_WIDEST = 1000
"""More columns than any table needs."""


class Output(StrEnum):
    """How a command answers."""

    TEXT = "text"
    JSON = "json"


OutputOption = Annotated[Output, typer.Option("--output", "-o", help="Text for people or JSON for programs.")]


def show_tables(tables: Sequence[Table], console: Console | None = None) -> None:
    """Print tables one below the other; rows of one run stand under its name."""
    console = console or Console(markup=False, highlight=False)
    for table in tables:
        grid = _grid(table)
        # A number that is cut off is worse than a line that the terminal wraps.
        needed = console.measure(grid, options=console.options.update(width=_WIDEST)).maximum
        if needed > console.width:
            grid.width = needed
        console.print(grid, crop=False)
        console.print(Text(table.note, "dim"))
        console.print()


def _grid(table: Table) -> Grid:
    grid = Grid(
        title=Text(table.title, "bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    columns = table.columns[table.group :]
    for column in columns:
        heading = f"{column.title} %" if column.kind == "share" else column.title
        left = column.kind == "text"
        grid.add_column(heading.replace(" ", "\n"), justify="left" if left else "right", no_wrap=True)
    before: object = None
    for row in table.rows:
        if table.group and row[: table.group] != before:
            before = row[: table.group]
            grid.add_row(Text(" -> ".join(map(str, before)), "bold"))
        cells = zip(row[table.group :], columns, strict=True)
        grid.add_row(*(Text(shown(cell, column.kind)) for cell, column in cells))
    return grid
