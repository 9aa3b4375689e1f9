"""A table of results, and its forms: text for people, CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from arggym_env.evaluation.statistics import Estimate
from arggym_env.rewards.score import JsonValue

Kind: TypeAlias = Literal["text", "share", "score", "count", "number", "points", "p"]
"""What a column holds: a share is shown in percent, a score from 0 to 1, points as a difference of shares."""
Cell: TypeAlias = str | int | float | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading and what it holds."""

    title: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        name: short name, of its file and in JSON.
        title: what it shows.
        note: how to read it.
        columns: its columns.
        rows: its rows; shares and differences of shares are numbers from 0 (or -1) to 1.
        group: how many leading columns are the same over a block of rows, and may be its heading.
    """

    name: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    group: int = 0

    def as_json(self) -> dict[str, JsonValue]:
        """Return the table as JSON values, one object a row."""
        rows: list[JsonValue] = []
        for row in self.rows:
            cells: dict[str, JsonValue] = {}
            for column, cell in zip(self.columns, row, strict=True):
                cells[column.title] = _interval(cell) if isinstance(cell, Estimate) else cell
            rows.append(cells)
        return {"name": self.name, "title": self.title, "note": self.note, "rows": rows}

    def as_csv(self) -> str:
        """Return the table as CSV; a value with an interval takes two more columns, ``low`` and ``high``."""
        wide = {
            index
            for index, column in enumerate(self.columns)
            if any(isinstance(row[index], Estimate) for row in self.rows)
        }
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        titles: list[str] = []
        for index, column in enumerate(self.columns):
            titles += [column.title, f"{column.title} low", f"{column.title} high"] if index in wide else [column.title]
        writer.writerow(titles)
        for row in self.rows:
            writer.writerow([value for index, cell in enumerate(row) for value in _values(cell, wide=index in wide)])
        return text.getvalue()


def shown(cell: Cell, kind: Kind) -> str:
    """Return a cell as people read it; an empty text where there is no value."""
    if isinstance(cell, Estimate):
        low, high = _end(cell.low, kind), _end(cell.high, kind)
        return f"{shown(cell.value, kind)} [{low}, {high}]"
    if cell is None or isinstance(cell, str):
        return cell or ""
    match kind:
        case "share":
            return f"{100 * cell:.1f}"
        case "points":
            return f"{100 * cell:+.1f}"
        case "score":
            return f"{cell:.3f}"
        case "count":
            return f"{cell:,}"
        case "number":
            return f"{cell:,.0f}"
        case "p":
            return f"{cell:.3f}" if cell >= 0.001 else "<0.001"
    return str(cell)


def _end(value: float, kind: Kind) -> str:
    """Return an end of an interval, with one digit less than its middle."""
    match kind:
        case "share":
            return f"{100 * value:.0f}"
        case "points":
            return f"{100 * value:+.0f}"
    return f"{value:.2f}"


def _interval(found: Estimate) -> dict[str, JsonValue]:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "items": found.items}


def _values(cell: Cell, *, wide: bool) -> Iterator[str | int | float | None]:
    if isinstance(cell, Estimate):
        yield from (cell.value, cell.low, cell.high)
    elif wide:
        yield from (cell, None, None)
    elif isinstance(cell, str) and cell[:1] in ("=", "+", "@", "\t", "\r"):
        yield f"'{cell}"  # a spreadsheet would take it for a formula
    else:
        yield cell
