"""How boxes look: what is written in them, how large they are, and where edges may touch them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from arggym_env.engine import Label
from arggym_env.picture.graph import LABELS, Box, Graph, Row
from arggym_env.picture.layered import Link, Node, Point
from arggym_env.picture.marks import mark, shape, shortened, text
from arggym_env.theory import StrictRule

LETTER: Final = 7.25
"""The width of a letter of the boxes' monospaced type."""
LONGEST: Final = 30
"""How many letters of a line are shown; the whole line is in the tooltip."""
_HEAD: Final = 21.0
_LINE: Final = 17.0
_FOOT: Final = 5.0
_SIDE: Final = 9.0
_ICON: Final = 17.0


class Line(NamedTuple):
    """A row as text: the last step, what is beside it, and the tooltip."""

    step: str
    aside: str
    tooltip: str


def line_of(row: Row) -> Line:
    """Return what is written for a row."""
    aside = []
    if row.count > 1:
        aside.append(f"\u00d7{row.count}")
    if row.added:
        aside.append("new")
    if row.before is not None:
        aside.append(f"was {row.before}")
    names = ", ".join(row.names) + (", ..." if row.count > len(row.names) else "")
    labels = ", ".join(f"{count} {label}" for label, count in zip(LABELS, row.labels, strict=True) if count)
    if row.count == 1:
        labels = labels.partition(" ")[2]
    step = _step(row)
    whole = str(row.rule) if row.rule else step
    return Line(shortened(step, LONGEST), " ".join(aside), f"{names}: {whole} ({labels})")


def _step(row: Row) -> str:
    if row.rule is None:
        return {"premise": "premise", "axiom": "axiom"}.get(row.kind, "several last steps")
    arrow = "←" if isinstance(row.rule, StrictRule) else "⇐"
    return f"{row.rule.name} {arrow} {', '.join(row.rule.antecedents)}"


def size_of(box: Box) -> Node:
    """Return the size of a box."""
    letters = [len(shortened(box.conclusion, LONGEST)) * 1.08]
    for row in box.rows:
        line = line_of(row)
        letters.append(len(line.step) + (len(line.aside) + 1.5 if line.aside else 0))
    if not box.rows:
        letters.append(len(_NOTHING))
    asked = 0.0 if not box.asked else len(shortened(box.conclusion, LONGEST)) * 8.0 + _tag_width(box.asked) + 2 * _SIDE
    width = max(max(letters) * LETTER + _ICON + 2 * _SIDE, asked)
    return Node(round(width), _HEAD + _LINE * max(1, len(box.rows)) + _FOOT)


_NOTHING: Final = "no argument"


def links_of(graph: Graph, nodes: list[Node]) -> list[Link]:
    """Return the edges as the layout wants them."""

    def span(box: int, row: int | None) -> tuple[float, float]:
        if row is None or len(graph.boxes[box].rows) == 1:
            return 0.0, nodes[box].height
        return _HEAD + _LINE * row, _HEAD + _LINE * (row + 1)

    return [
        Link(edge.source.box, edge.target.box, span(*edge.source), span(*edge.target), edge.kind == "support")
        for edge in graph.edges
    ]


def draw_box(box: Box, node: Node, corner: Point) -> Iterator[str]:
    """Yield the marks of one box."""
    x, y = corner
    asked = " asked" if box.asked else ""
    nothing = "" if box.rows else " empty"
    yield f'<g class="box {box.label}{asked}{nothing}">'
    if len(box.conclusion) > LONGEST:
        yield mark("title", box.conclusion)
    yield f'<rect x="{x:.0f}" y="{y:.0f}" width="{node.width:.0f}" height="{node.height:.0f}" rx="6"/>'
    yield text(x + _SIDE, y + 15, shortened(box.conclusion, LONGEST), "head")
    if box.asked:
        wide = _tag_width(box.asked)
        left = x + node.width - wide - 6
        yield f'<rect class="tag" x="{left:.0f}" y="{y - 9:.0f}" width="{wide:.0f}" height="15" rx="7.5"/>'
        yield text(left + wide / 2, y + 2, box.asked, "tagged")
    if not box.rows:
        yield _icon("out", x + _SIDE + 5, y + _HEAD + 7)
        yield text(x + _SIDE + _ICON, y + _HEAD + 11, _NOTHING, "")
    for place, row in enumerate(box.rows):
        yield from _draw_row(row, x, y + _HEAD + _LINE * place, node.width)
    yield "</g>"


def _draw_row(row: Row, x: float, y: float, width: float) -> Iterator[str]:
    line = line_of(row)
    yield "<g>"
    yield mark("title", line.tooltip)
    if row.added:
        yield f'<rect class="new" x="{x + 3:.0f}" y="{y:.0f}" width="{width - 6:.0f}" height="{_LINE:.0f}" rx="4"/>'
    best: Label = "in" if row.labels[0] else "undecided" if row.labels[2] else "out"
    yield _icon(best, x + _SIDE + 5, y + 8.5)
    yield text(x + _SIDE + _ICON, y + 12.5, line.step, "")
    if line.aside:
        yield text(x + width - _SIDE, y + 12.5, line.aside, "aside")
    yield "</g>"


def _icon(label: Label, x: float, y: float) -> str:
    """Return the mark of a label: a tick in a circle, a cross in a square, a bar in a diamond."""
    return shape(f"icon {label}", ICONS[label], x, y)


ICONS: Final[dict[Label, tuple[str, str]]] = {
    "in": ("M-5.5,0a5.5,5.5 0 1 0 11,0a5.5,5.5 0 1 0 -11,0z", "M-2.7,.2l2,2.1l3.6,-4.4"),
    "out": ("M-5,-5h10v10h-10z", "M-2.4,-2.4l4.8,4.8M2.4,-2.4l-4.8,4.8"),
    "undecided": ("M0,-6.3l6.3,6.3l-6.3,6.3l-6.3,-6.3z", "M-2.6,0h5.2"),
}


def _tag_width(asked: str) -> float:
    return len(asked) * 5.7 + 14
