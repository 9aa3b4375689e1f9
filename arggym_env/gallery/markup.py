"""Markdown for pages that are read on the documentation site and in a repository browser alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_FENCE_RUN = re.compile(r"`{3,}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, text_columns: int = 1) -> str:
    """Return a table whose first ``text_columns`` columns are aligned to the left and the others to the right."""
    rule = ["---" if column < text_columns else "---:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in (head, rule, *rows))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Return ``text`` as a block that is shown as it is, whatever fences it holds itself."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def details(summary: str, body: str) -> str:
    """Return ``body`` folded under ``summary``."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def page(*parts: str) -> str:
    """Return the parts as the text of a file, with a blank line between each two."""
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def number(value: float) -> str:
    """Return a score as pages show it, with three decimals."""
    return f"{value:.3f}"
