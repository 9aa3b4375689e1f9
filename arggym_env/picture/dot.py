"""A layout by Graphviz: its program ``dot`` places the boxes and draws the curves, the rest of the picture is ours."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Final

from arggym_env.errors import ArgGymError
from arggym_env.picture.layered import Drawing, Link, Node, Point, columns_of

_POINTS: Final = 72.0
_SECONDS: Final = 20


def draw_with_dot(nodes: Sequence[Node], links: Sequence[Link], focus: Sequence[int]) -> Drawing:
    """Return a drawing of ``nodes`` and ``links``; coordinates depend on the Graphviz that is installed.

    Which way each link runs is decided as in the layered layout, since dot would lead one of two opposite attacks all
    around both boxes. Dot is told sizes and numbers only, so nothing that a theory holds can be read as its language.

    Raises:
        ArgGymError: dot fails, takes too long or prints what is no layout.
    """
    column = columns_of(len(nodes), links, focus)
    turned = [column[link.source] > column[link.target] for link in links]
    try:
        result = subprocess.run(
            ["dot", "-Tplain"],
            input=_source(nodes, links, turned),
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, UnicodeDecodeError, subprocess.TimeoutExpired) as error:
        raise _failed(str(error)) from None
    if result.returncode:
        raise _failed(" ".join(result.stderr.split()) or f"exit status {result.returncode}")
    try:
        return _read(result.stdout, nodes, links, turned)
    except (ValueError, LookupError, TypeError):
        raise _failed("what it printed is no layout") from None


def _failed(reason: str) -> ArgGymError:
    return ArgGymError(f"dot could not lay the picture out ({reason:.200}); the layout 'layered' needs no dot")


def _source(nodes: Sequence[Node], links: Sequence[Link], turned: Sequence[bool]) -> str:
    lines = [
        "digraph {",
        "rankdir=LR; ranksep=0.6; nodesep=0.25;",
        'node [shape=plain, label=""]; edge [arrowhead=none];',
    ]
    spans = [sorted(_spans(number, links)) for number in range(len(nodes))]
    for number, node in enumerate(nodes):
        lines.append(f"{number} [label=<{_cells(node, spans[number])}>];")
    for link, backwards in zip(links, turned, strict=True):
        ends = [
            f"{link.source}:{spans[link.source].index(link.source_span)}",
            f"{link.target}:{spans[link.target].index(link.target_span)}",
        ]
        tail, head = ends[::-1] if backwards else ends
        side = "e" if link.source == link.target else "w"
        lines.append(f"{tail}:e -> {head}:{side} [weight={4 if link.firm else 1}];")
    return "\n".join([*lines, "}"])


def _spans(number: int, links: Sequence[Link]) -> set[tuple[float, float]]:
    found = {link.source_span for link in links if link.source == number}
    return found | {link.target_span for link in links if link.target == number}


def _cells(node: Node, spans: Sequence[tuple[float, float]]) -> str:
    """Return a table of the node's size with a cell for each range; the whole box is the table itself."""
    table = '<table border="0" cellborder="0" cellspacing="0" cellpadding="0"'
    whole = next((place for place, span in enumerate(spans) if span == (0.0, node.height)), None)
    port = "" if whole is None else f' port="{whole}"'
    rows, y = [], 0.0
    size = f'width="{round(node.width)}" fixedsize="true"'
    for place, (top, bottom) in enumerate(spans):
        if place == whole:
            continue
        if top > y:
            rows.append(f'<tr><td {size} height="{round(top - y)}"></td></tr>')
        rows.append(f'<tr><td port="{place}" {size} height="{round(bottom - top)}"></td></tr>')
        y = bottom
    if node.height > y:
        rows.append(f'<tr><td {size} height="{round(node.height - y)}"></td></tr>')
    return f"{table}{port}>{''.join(rows)}</table>"


def _read(plain: str, nodes: Sequence[Node], links: Sequence[Link], turned: Sequence[bool]) -> Drawing:
    """Return what dot's plain output says: inches, from the lower left corner."""
    lines = [line.split() for line in plain.replace("\\\n", "").splitlines()]
    width, height = (float(value) * _POINTS for value in lines[0][2:4])

    def point(x: str, y: str) -> Point:
        return float(x) * _POINTS, height - float(y) * _POINTS

    corners: list[Point] = [(0.0, 0.0)] * len(nodes)
    found: dict[tuple[int, int], list[list[Point]]] = {}
    for words in lines:
        if words[0] == "node":
            number = int(words[1])
            x, y = point(*words[2:4])
            corners[number] = (x - nodes[number].width / 2, y - nodes[number].height / 2)
        elif words[0] == "edge":
            ends = int(words[1].split(":")[0]), int(words[2].split(":")[0])
            numbers = words[4 : 4 + 2 * int(words[3])]
            found.setdefault(ends, []).append([point(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)])
    curves = []
    for link, backwards in zip(links, turned, strict=True):
        if backwards:
            curves.append(found[link.target, link.source].pop(0)[::-1])
        else:
            curves.append(found[link.source, link.target].pop(0))
    return Drawing(corners, curves, width, height)
