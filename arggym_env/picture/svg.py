"""The drawing as SVG: one self-contained image that follows the reader's light or dark scheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import atan2, cos, degrees, hypot, sin
from typing import Final

from arggym_env.engine import Label
from arggym_env.picture.boxes import ICONS, draw_box
from arggym_env.picture.graph import Edge, Graph
from arggym_env.picture.layered import Drawing, Node, Point
from arggym_env.picture.marks import STYLE, mark, plain, shape, shortened, text

_EDGE: Final = 20.0
"""The room around everything."""
_KEY_LINE: Final = 21.0

TIPS: Final = {
    "support": ("M-5,-3L0,0L-5,3", "line"),
    "rebut": ("M-9,-4.5L0,0L-9,4.5z", "tip"),
    "undermine": ("M-9,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0z", "tip open"),
    "undercut": ("M-7,-6V6M-3,-6V6", "tip"),
}
"""How the ends of edges look, drawn as if the edge came from the left: a chevron, a triangle, a ring, two bars."""
_TIP_LENGTH: Final = {"support": 0.0, "rebut": 7.0, "undermine": 9.0, "undercut": 3.0}
_VERBS: Final = {"undermine": "undermines", "rebut": "rebuts", "undercut": "undercuts"}


def svg_of(
    graph: Graph, nodes: Sequence[Node], drawing: Drawing, title: str, lines: Sequence[str], notes: Sequence[str]
) -> str:
    """Return the picture: heading, boxes and edges, and a key that says what was left out."""
    top = _EDGE + 26 + 19 * len(lines) + 14
    key = list(_key(graph))
    heading = max([len(title) * 9.2, *(len(line) * 7.0 for line in (*lines, *notes))])
    width = round(max(drawing.width, min(max(heading, 560.0), 1080.0)) + 2 * _EDGE)
    key_marks, key_height = _flow(key, width - 2 * _EDGE)
    below = top + drawing.height + 34
    height = round(below + key_height + 19 * len(notes) + _EDGE - 8)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="arggym" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{plain(title)}">',
        f"<style>{STYLE}</style>",
        mark("title", title),
        mark("desc", " ".join((*lines, *notes))),
        f'<rect class="back" width="{width}" height="{height}" rx="8"/>',
        text(_EDGE, _EDGE + 16, shortened(title, 90), "title"),
        *(text(_EDGE, _EDGE + 38 + 19 * place, shortened(line, 140), "sub") for place, line in enumerate(lines)),
        f'<g transform="translate({_EDGE + max(0.0, (width - 2 * _EDGE - drawing.width) / 2):.0f},{top:.0f})">',
        *(line for edge, curve in _drawn(graph, drawing) for line in _draw_edge(graph, edge, curve)),
    ]
    for box, node, corner in zip(graph.boxes, nodes, drawing.corners, strict=True):
        parts += draw_box(box, node, corner)
    parts += ["</g>", f'<g transform="translate({_EDGE:.0f},{below:.0f})">', *key_marks]
    parts += [text(0, key_height + 8 + 19 * place, note, "key") for place, note in enumerate(notes)]
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _drawn(graph: Graph, drawing: Drawing) -> list[tuple[Edge, list[Point]]]:
    """Return the edges in the order of drawing: support below failed attacks below defeats."""
    pairs = list(zip(graph.edges, drawing.curves, strict=True))
    return sorted(pairs, key=lambda pair: (pair[0].kind != "support", pair[0].defeats > 0))


def _draw_edge(graph: Graph, edge: Edge, curve: list[Point]) -> Iterator[str]:
    failed = " failed" if edge.kind != "support" and not edge.defeats else ""
    indirect = " indirect" if edge.indirect else ""
    yield f'<g class="edge {edge.kind}{failed}{indirect}">'
    yield mark("title", _said(graph, edge))
    length = _TIP_LENGTH[edge.kind]
    shown = _shortened(curve, length)
    if edge.mutual:
        shown = _shortened(shown[::-1], length)[::-1]
    yield f'<path class="line" d="{_path(shown)}"/>'
    path, style = TIPS[edge.kind]
    for end in [curve, curve[::-1]] if edge.mutual else [curve]:
        (x, y), turn = end[-1], degrees(_direction(end))
        yield f'<path class="{style}" d="{path}" transform="translate({x:.1f},{y:.1f})rotate({turn:.0f})"/>'
    yield "</g>"


def _said(graph: Graph, edge: Edge) -> str:
    source, target = graph.boxes[edge.source.box], graph.boxes[edge.target.box]
    rows = target.rows if edge.target.row is None else target.rows[edge.target.row : edge.target.row + 1]
    rules = sorted({row.rule.name for row in rows if row.rule})
    through = f" (rule {', '.join(rules[:3])})" if rules else ""
    if edge.kind == "support":
        steps = " through arguments that are not drawn" if edge.indirect else ""
        return f"{source.conclusion} supports {target.conclusion}{through}{steps}"
    outcome = f"{edge.defeats} of {edge.defeats + edge.failures} attacks succeed"
    if edge.defeats + edge.failures == 1:
        outcome = "a defeat" if edge.defeats else "no defeat: the attacker is weaker"
    both = " and the other way round" if edge.mutual else ""
    return f"{source.conclusion} {_VERBS[edge.kind]} {target.conclusion}{through}{both}: {outcome}"


def _path(curve: Sequence[Point]) -> str:
    first, *rest = (f"{x:.0f},{y:.0f}" for x, y in curve)
    return f"M{first}C{' '.join(rest)}"


def _direction(curve: Sequence[Point]) -> float:
    """Return the angle at which a curve arrives."""
    x, y = curve[-1]
    for earlier_x, earlier_y in reversed(curve[:-1]):
        if hypot(x - earlier_x, y - earlier_y) > 0.5:
            return atan2(y - earlier_y, x - earlier_x)
    return 0.0


def _shortened(curve: list[Point], length: float) -> list[Point]:
    """Return the curve without its last few pixels, where the tip stands."""
    turn = _direction(curve)
    x, y = curve[-1]
    return [*curve[:-1], (x - length * cos(turn), y - length * sin(turn))]


def _key(graph: Graph) -> Iterator[tuple[str, str]]:
    """Yield the entries of the key, a sample and its meaning each, for what the picture holds."""
    kinds = {edge.kind for edge in graph.edges}
    rows = [row for box in graph.boxes for row in box.rows]
    labels: dict[Label, str] = {
        "in": "accepted (grounded)",
        "out": "rejected",
        "undecided": "undecided",
    }
    there = {label for place, label in enumerate(("in", "out", "undecided")) if any(row.labels[place] for row in rows)}
    if any(not box.rows for box in graph.boxes):
        there.add("out")
    for label, meaning in labels.items():
        if label in there:
            yield shape(f"icon {label}", ICONS[label], 8, 0), meaning
    for kind, meaning in (
        ("rebut", "rebuts: denies the conclusion"),
        ("undercut", "undercuts: switches the rule off"),
        ("undermine", "undermines: denies the premise"),
        ("support", "supports"),
    ):
        if kind in kinds:
            yield _sample(kind, ""), meaning
    if any(edge.kind != "support" and not edge.defeats for edge in graph.edges):
        yield _sample("rebut", " failed"), "faint, dotted: attack without success under the ordering"
    if any(row.kind == "defeasible" for row in rows):
        yield text(0, 4, "⇐", ""), "defeasible rule"
    if any(row.kind == "strict" for row in rows):
        yield text(0, 4, "←", ""), "strict rule"
    if any(row.added for row in rows):
        yield '<rect class="new" x="0" y="-7" width="20" height="13" rx="4"/>', "added by the answer"


def _sample(kind: str, failed: str) -> str:
    path, style = TIPS[kind]
    end = 30 - _TIP_LENGTH[kind]
    return (
        f'<g class="edge {kind}{failed}"><path class="line" d="M0,0H{end:.0f}"/>'
        f'<path class="{style}" d="{path}" transform="translate(30,0)"/></g>'
    )


def _flow(entries: Sequence[tuple[str, str]], width: float) -> tuple[list[str], float]:
    """Return the key's marks, set line by line, and how high they are."""
    marks, x, y = [], 0.0, 0.0
    for sample, meaning in entries:
        lead = 38.0 if "edge" in sample else 26.0 if 'class="new"' in sample else 20.0
        wide = lead + len(meaning) * 6.7 + 22
        if x and x + wide > width:
            x, y = 0.0, y + _KEY_LINE
        marks.append(f'<g transform="translate({x:.0f},{y:.0f})">{sample}{text(lead, 4, meaning, "key")}</g>')
        x += wide
    return marks, y + _KEY_LINE
