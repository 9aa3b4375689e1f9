"""Text as a picture, for questions that have no theory to draw."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from arggym_env.picture.marks import STYLE, mark, plain, shortened

LONGEST: Final = 400
"""How many lines are shown."""
_COLUMNS: Final = 110
_LINE: Final = 17
_EDGE: Final = 20


def draw_text(title: str, content: str) -> str:
    """Return ``content`` as an SVG image, wrapped, and cut after 400 lines."""
    lines = list(_lines(content))
    if len(lines) > LONGEST:
        lines = [*lines[:LONGEST], f"({len(lines) - LONGEST} more lines)"]
    width, height = round(_COLUMNS * 7.25) + 2 * _EDGE, _EDGE * 2 + 34 + _LINE * len(lines)
    rows = [
        f'<text x="{_EDGE}" y="{_EDGE + 46 + _LINE * place}" xml:space="preserve">{plain(line)}</text>'
        for place, line in enumerate(lines)
        if line
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="arggym" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{plain(title)}">'
    )
    back = f'<rect class="back" width="{width}" height="{height}" rx="8"/>'
    heading = f'<text x="{_EDGE}" y="{_EDGE + 16}" class="title">{plain(shortened(title, 76))}</text>'
    return "\n".join([head, f"<style>{STYLE}</style>", mark("title", title), back, heading, *rows, "</svg>", ""])


def _lines(content: str) -> Iterator[str]:
    for line in content.splitlines():
        yield from wrap(line, _COLUMNS, drop_whitespace=False) or [""]
