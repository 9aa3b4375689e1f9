"""Where the boxes of a picture stand: connected parts are drawn one by one, and then packed onto shelves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, get_args

from arggym_env.errors import ArgGymError, CoordinateError
from arggym_env.picture.dot import draw_with_dot
from arggym_env.picture.layered import Drawing, Link, Node, Point, draw_layered

Layout: TypeAlias = Literal["layered", "dot", "auto"]
LAYOUTS: Final[tuple[Layout, ...]] = get_args(Layout)
"""Ours, Graphviz's, or Graphviz's where it is installed and works."""

Draw: TypeAlias = Callable[[Sequence[Node], Sequence[Link], Sequence[int]], Drawing]
"""What lays one connected part out."""

PAGE: Final = 1080.0
"""The width that shelves aim at; one wide part may need more."""
PART_GAP: Final = 34.0


def check_layout(layout: str) -> Layout:
    """Return ``layout`` if it is one; raise CoordinateError if not, or if it is "dot" and there is no Graphviz."""
    if layout not in LAYOUTS:
        raise CoordinateError(f"layout {layout!r} is not one of {', '.join(map(repr, LAYOUTS))}")
    if layout == "dot" and not _has_dot():
        raise CoordinateError("layout 'dot' needs Graphviz, whose program dot is not on the PATH")
    return layout


def _has_dot() -> bool:
    return shutil.which("dot") is not None


def arrange(nodes: Sequence[Node], links: Sequence[Link], focus: Sequence[int], layout: Layout) -> Drawing:
    """Return a drawing of all ``nodes`` and ``links``: parts with nodes of ``focus`` first, then larger ones first.

    Raises:
        CoordinateError: there is no such layout, or it is "dot" and there is no Graphviz.
        ArgGymError: the layout is "dot", and dot fails.
    """
    if check_layout(layout) == "dot" or (layout == "auto" and _has_dot()):
        try:
            return _arranged(nodes, links, focus, draw_with_dot)
        except ArgGymError:
            if layout == "dot":
                raise
    return _arranged(nodes, links, focus, draw_layered)


def _arranged(nodes: Sequence[Node], links: Sequence[Link], focus: Sequence[int], draw: Draw) -> Drawing:
    parts = []
    for members in _parts(len(nodes), links):
        places = {node: place for place, node in enumerate(members)}
        numbers = [number for number, link in enumerate(links) if link.source in places]
        own = [links[n]._replace(source=places[links[n].source], target=places[links[n].target]) for n in numbers]
        here = [places[node] for node in focus if node in places]
        draw_part = draw if own else draw_layered
        parts.append((members, numbers, draw_part([nodes[node] for node in members], own, here), bool(here)))
    # Parts of one box are put together at the end, in rows of their own.
    parts.sort(key=lambda part: (not part[1], not part[3], -part[2].height * part[2].width, part[0]))
    width = max([PAGE, *(drawing.width for _, _, drawing, _ in parts)])
    corners: list[Point] = [(0.0, 0.0)] * len(nodes)
    curves: list[list[Point]] = [[] for _ in links]
    spots = _shelve([drawing for _, _, drawing, _ in parts], width)
    right = bottom = 0.0
    for (members, numbers, drawing, _), (x, y) in zip(parts, spots, strict=True):
        for node, (left, top) in zip(members, drawing.corners, strict=True):
            corners[node] = (left + x, top + y)
        for number, curve in zip(numbers, drawing.curves, strict=True):
            curves[number] = [(left + x, top + y) for left, top in curve]
        right, bottom = max(right, x + drawing.width), max(bottom, y + drawing.height)
    return Drawing(corners, curves, right, bottom)


def _parts(count: int, links: Sequence[Link]) -> list[list[int]]:
    """Return the connected parts, each ascending, by their first node."""
    around: list[set[int]] = [set() for _ in range(count)]
    for link in links:
        around[link.source].add(link.target)
        around[link.target].add(link.source)
    seen: set[int] = set()
    parts = []
    for start in range(count):
        if start in seen:
            continue
        part, frontier = {start}, [start]
        while frontier:
            frontier = sorted({other for node in frontier for other in around[node]} - part)
            part.update(frontier)
        seen |= part
        parts.append(sorted(part))
    return parts


def _shelve(drawings: Sequence[Drawing], width: float) -> list[Point]:
    """Return where each drawing goes: at the first place from above where it fits, left before right.

    The skyline is kept as steps from left to right; each drawing is set on it where its upper edge comes out highest.
    """
    spots: list[Point] = []
    skyline: list[tuple[float, float, float]] = [(0.0, width + PART_GAP, 0.0)]
    for drawing in drawings:
        wide = drawing.width + PART_GAP
        best: tuple[float, float] | None = None
        for left, _, _ in skyline:
            if left + wide > width + PART_GAP + 0.5:
                continue
            top = max(y for x0, x1, y in skyline if x0 < left + wide and x1 > left)
            if best is None or (top, left) < best:
                best = (top, left)
        top, left = best or (max(y for _, _, y in skyline), 0.0)
        spots.append((left, top))
        skyline = _raised(skyline, left, left + wide, top + drawing.height + PART_GAP)
    return spots


def _raised(
    skyline: Sequence[tuple[float, float, float]], left: float, right: float, y: float
) -> list[tuple[float, float, float]]:
    steps = [(x0, min(x1, left), top) for x0, x1, top in skyline if x0 < left]
    steps.append((left, right, y))
    steps += [(max(x0, right), x1, top) for x0, x1, top in skyline if x1 > right]
    return steps
