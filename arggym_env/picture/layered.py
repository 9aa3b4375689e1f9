"""A layered layout of one connected drawing, from left to right (Sugiyama, Tagawa & Toda 1981).

Boxes stand in columns so that every link leads from one column to a later one where the links allow it; columns are
ordered by barycentres to have few crossings; and heights are settled by least squares under the boxes' distances, which
pooling adjacent violators solves exactly. Nothing is random: the same drawing gets the same coordinates.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

Point = tuple[float, float]

COLUMN_GAP: Final = 54.0
BOX_GAP: Final = 20.0
BEND_GAP: Final = 9.0
"""Between a box and a link that passes it, and between two links that pass."""
PORT_GAP: Final = 7.0
_SWEEPS: Final = 10
_SETTLING: Final = 6
_MARGIN: Final = 4.0


class Node(NamedTuple):
    """A box: its width and height."""

    width: float
    height: float


class Link(NamedTuple):
    """A line between two boxes: where it may touch each, as a range of heights below the box's upper edge."""

    source: int
    target: int
    source_span: tuple[float, float]
    target_span: tuple[float, float]
    firm: bool
    """Whether the link comes first in deciding which way columns run."""


class Drawing(NamedTuple):
    """Where things are: upper left corners of boxes, and links as Bezier curves, one point and then three a piece."""

    corners: list[Point]
    curves: list[list[Point]]
    width: float
    height: float


def draw_layered(nodes: Sequence[Node], links: Sequence[Link], focus: Sequence[int]) -> Drawing:
    """Return a drawing of ``nodes`` and ``links`` that runs towards the nodes ``focus``."""
    column_of = columns_of(len(nodes), links, focus)
    sheet = _Sheet(nodes, links, column_of)
    sheet.reduce_crossings()
    sheet.settle()
    return sheet.drawing()


def columns_of(count: int, links: Sequence[Link], focus: Sequence[int]) -> list[int]:
    """Return the column of each node.

    Links are laid down one by one, firm ones first, then those that lead towards the focus; one that would close a
    cycle runs backwards, which is where its ends already are.
    """
    distance = _distances(count, links, focus)
    after: list[set[int]] = [set() for _ in range(count)]

    def rank(place: int) -> tuple[bool, bool, int]:
        link = links[place]
        return not link.firm, distance[link.target] > distance[link.source], place

    for place in sorted(range(len(links)), key=rank):
        link = links[place]
        if link.source != link.target and not _leads(after, link.target, link.source):
            after[link.source].add(link.target)
    return _longest_paths(after)


def _distances(count: int, links: Sequence[Link], focus: Sequence[int]) -> list[int]:
    around: list[set[int]] = [set() for _ in range(count)]
    for link in links:
        around[link.source].add(link.target)
        around[link.target].add(link.source)
    distance = [count] * count
    frontier = list(focus)
    steps = 0
    while frontier:
        for node in frontier:
            distance[node] = min(distance[node], steps)
        steps += 1
        frontier = sorted({other for node in frontier for other in around[node] if distance[other] == count})
    return distance


def _leads(after: Sequence[set[int]], start: int, goal: int) -> bool:
    seen, stack = {start}, [start]
    while stack:
        node = stack.pop()
        if node == goal:
            return True
        stack += [other for other in after[node] if other not in seen]
        seen |= after[node]
    return False


def _longest_paths(after: Sequence[set[int]]) -> list[int]:
    """Return columns by longest path; nodes with more ways out than in then move right, next to what follows them."""
    count = len(after)
    incoming = [0] * count
    for targets in after:
        for target in targets:
            incoming[target] += 1
    waiting = list(incoming)
    order = [node for node in range(count) if not waiting[node]]
    column = [0] * count
    for node in order:  # grows while it is read
        for target in sorted(after[node]):
            column[target] = max(column[target], column[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    for node in reversed(order):
        if after[node] and len(after[node]) > incoming[node]:
            column[node] = max(column[node], min(column[target] for target in after[node]) - 1)
    first = min(column, default=0)
    return [place - first for place in column]


class _Slot:
    """What stands in a column: a box, or the place where a link passes."""

    __slots__ = ("after", "before", "column", "height", "node", "rank", "y")

    def __init__(self, column: int, height: float, node: int | None) -> None:
        self.column, self.height, self.node = column, height, node
        self.before: list[tuple[_Slot, float, float]] = []
        """Neighbours in the column before, with the middle of the link's range there and here."""
        self.after: list[tuple[_Slot, float, float]] = []
        self.rank = 0
        self.y = 0.0


class _Sheet:
    """The columns while they are ordered and settled."""

    def __init__(self, nodes: Sequence[Node], links: Sequence[Link], column_of: Sequence[int]) -> None:
        self._nodes, self._links, self._column_of = nodes, links, column_of
        self._columns: list[list[_Slot]] = [[] for _ in range(max(column_of, default=-1) + 1)]
        self._slots = [self._place(column_of[i], node.height, i) for i, node in enumerate(nodes)]
        self._chains: list[list[_Slot]] = [self._chain(link) for link in links]

    def _place(self, column: int, height: float, node: int | None) -> _Slot:
        slot = _Slot(column, height, node)
        slot.rank = len(self._columns[column])
        self._columns[column].append(slot)
        return slot

    def _chain(self, link: Link) -> list[_Slot]:
        """Return the slots that the link runs through, from left to right; links within one box have none."""
        if link.source == link.target:
            return []
        left, right, left_span, right_span = link.source, link.target, link.source_span, link.target_span
        if self._column_of[left] > self._column_of[right]:
            left, right, left_span, right_span = right, left, right_span, left_span
        between = range(self._column_of[left] + 1, self._column_of[right])
        chain = [self._slots[left], *(self._place(c, 0.0, None) for c in between), self._slots[right]]
        for place, (one, other) in enumerate(pairwise(chain)):
            here = sum(left_span) / 2 if place == 0 else 0.0
            there = sum(right_span) / 2 if other is chain[-1] else 0.0
            one.after.append((other, there, here))
            other.before.append((one, here, there))
        return chain

    # The order in the columns

    def reduce_crossings(self) -> None:
        """Order the columns so that few links cross: barycentres from both sides in turn, the best order is kept."""
        best, fewest = self._order(), self._crossings()
        for sweep in range(_SWEEPS):
            forwards = sweep % 2 == 0
            for column in self._columns if forwards else reversed(self._columns):
                self._sort(column, forwards)
            self._transpose()
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = self._order(), crossings
            if not fewest:
                break
        self._columns = best
        for column in best:
            self._number(column)

    def _order(self) -> list[list[_Slot]]:
        return [list(column) for column in self._columns]

    def _sort(self, column: list[_Slot], forwards: bool) -> None:
        def barycentre(slot: _Slot) -> float:
            links = slot.before if forwards else slot.after
            if not links:
                return float(slot.rank)
            return sum(other.rank + 0.02 * port for other, port, _ in links) / len(links)

        column.sort(key=barycentre)
        self._number(column)

    def _number(self, column: list[_Slot]) -> None:
        for rank, slot in enumerate(column):
            slot.rank = rank

    def _transpose(self) -> None:
        """Swap neighbours wherever that saves crossings."""
        for column in self._columns:
            for place in range(len(column) - 1):
                upper, lower = column[place], column[place + 1]
                if _crossed(lower, upper) < _crossed(upper, lower):
                    column[place], column[place + 1] = lower, upper
                    upper.rank, lower.rank = lower.rank, upper.rank

    def _crossings(self) -> int:
        total = 0
        for column in self._columns:
            seen: list[tuple[float, float]] = []
            for slot in column:
                ends = sorted((other.rank, port) for other, port, _ in slot.after)
                for end in ends:
                    total += len(seen) - bisect_left(seen, (end[0], end[1] + 0.01))
                for end in ends:
                    insort(seen, end)
        return total

    # Heights

    def settle(self) -> None:
        """Give every slot a height: near its neighbours, in order, and at the distances that boxes and links need."""
        for column in self._columns:
            y = 0.0
            for slot, gap in zip(column, _gaps(column), strict=True):
                y += gap
                slot.y = y
                y += slot.height
        for turn in range(_SETTLING * 2):
            forwards = turn % 2 == 0
            for column in self._columns if forwards else reversed(self._columns):
                self._relax(column, both=turn >= _SETTLING)
        low = min((slot.y for slot in self._slots), default=0.0)
        low = min([low, *(slot.y for chain in self._chains for slot in chain)])
        for column in self._columns:
            for slot in column:
                slot.y -= low

    def _relax(self, column: list[_Slot], both: bool) -> None:
        """Solve one column: squared distances from where the neighbours pull, under the order and the gaps."""
        offset = 0.0
        blocks: list[tuple[float, float, int]] = []
        offsets = []
        for slot, gap in zip(column, _gaps(column), strict=True):
            offset += gap
            offsets.append(offset)
            pulls = [other.y + there - here for other, there, here in slot.before]
            pulls += [other.y + there - here for other, there, here in slot.after] if both or not pulls else []
            wish = sum(pulls) / len(pulls) if pulls else slot.y
            weight = (4.0 if slot.node is None else 1.0) * max(1, len(pulls)) if pulls else 0.05
            mean, total, size = wish - offset, weight, 1
            while blocks and blocks[-1][0] >= mean:
                other_mean, other_total, other_size = blocks.pop()
                mean = (mean * total + other_mean * other_total) / (total + other_total)
                total += other_total
                size += other_size
            blocks.append((mean, total, size))
            offset += slot.height
        means = [mean for mean, _, size in blocks for _ in range(size)]
        for slot, place, mean in zip(column, offsets, means, strict=True):
            slot.y = place + mean

    # The result

    def drawing(self) -> Drawing:
        """Return the coordinates."""
        lefts, x = [], 0.0
        widths = [max((self._width(slot) for slot in column), default=0.0) for column in self._columns]
        for place, width in enumerate(widths):
            lefts.append(x)
            x += width + self._gap(place)
        right = lefts[-1] + widths[-1]
        corners = [(lefts[slot.column] + (widths[slot.column] - self._width(slot)) / 2, slot.y) for slot in self._slots]
        ports = self._ports()
        curves = []
        for link, chain, (start, end) in zip(self._links, self._chains, ports, strict=True):
            if not chain:
                curves.append(_loop(corners[link.source], self._nodes[link.source], start, end))
                continue
            points = [(corners[self._index(chain[0])][0] + self._width(chain[0]), start)]
            for slot in chain[1:-1]:
                points += [(lefts[slot.column], slot.y), (lefts[slot.column] + widths[slot.column], slot.y)]
            points.append((corners[self._index(chain[-1])][0], end))
            curve = _smooth(points)
            backwards = chain[0] is not self._slots[link.source]
            curves.append(curve[::-1] if backwards else curve)
        bottom = max((slot.y + slot.height for column in self._columns for slot in column), default=0.0)
        return Drawing(corners, curves, right, bottom)

    def _index(self, slot: _Slot) -> int:
        """Return which box stands in a slot that is the end of a chain."""
        return -1 if slot.node is None else slot.node

    def _width(self, slot: _Slot) -> float:
        return 0.0 if slot.node is None else self._nodes[slot.node].width

    def _gap(self, place: int) -> float:
        """Return the room after a column: more where many links run between it and the next."""
        running = sum(len(slot.after) for slot in self._columns[place])
        return COLUMN_GAP + min(40.0, 2.0 * max(0, running - 4))

    def _ports(self) -> list[tuple[float, float]]:
        """Return the heights at which each link leaves its left and enters its right box, apart from each other."""
        sides: dict[tuple[int, bool, tuple[float, float]], list[tuple[float, int]]] = {}
        spans = []
        for place, (link, chain) in enumerate(zip(self._links, self._chains, strict=True)):
            left, right = (link.source_span, link.target_span)
            if chain and chain[0] is not self._slots[link.source]:
                left, right = right, left
            spans.append((left, right))
            if chain:
                sides.setdefault((self._index(chain[0]), True, left), []).append((chain[1].y, place))
                sides.setdefault((self._index(chain[-1]), False, right), []).append((chain[-2].y, place))
        ports = [
            [self._slots[link.source].y + sum(left) / 2, self._slots[link.target].y + sum(right) / 2]
            for link, (left, right) in zip(self._links, spans, strict=True)
        ]
        for (node, leaving, (top, bottom)), ends in sides.items():
            room = bottom - top - 2 * _MARGIN
            gap = min(PORT_GAP, room / max(1, len(ends) - 1))
            first = (top + bottom) / 2 - gap * (len(ends) - 1) / 2
            for rank, (_, place) in enumerate(sorted(ends)):
                ports[place][not leaving] = self._slots[node].y + first + gap * rank
        return [(start, end) for start, end in ports]


def _gaps(column: Sequence[_Slot]) -> list[float]:
    """Return the room that each slot keeps from the one above it."""
    gaps = [0.0]
    for upper, lower in pairwise(column):
        boxes = (upper.node is not None) + (lower.node is not None)
        gaps.append(BOX_GAP if boxes == 2 else BEND_GAP + 3.0 * boxes)
    return gaps[: len(column)]


def _crossed(upper: _Slot, lower: _Slot) -> int:
    """Return how many links of two neighbours cross while ``upper`` stands above ``lower``."""
    total = 0
    for above, below in ((upper.before, lower.before), (upper.after, lower.after)):
        for one, port, _ in above:
            for other, other_port, _ in below:
                total += (one.rank, port) > (other.rank, other_port)
    return total


def _smooth(points: Sequence[Point]) -> list[Point]:
    """Return a curve through ``points`` that is level at each of them."""
    curve = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        bow = (x1 - x0) * 0.5
        curve += [(x0 + bow, y0), (x1 - bow, y1), (x1, y1)]
    return curve


def _loop(corner: Point, node: Node, start: float, end: float) -> list[Point]:
    """Return a curve from a box to itself, around its right side."""
    x = corner[0] + node.width
    return [(x, start), (x + 30, start - 6), (x + 30, end + 6), (x, end)]
