"""What is drawn of an argumentation state: conclusions as boxes, the arguments for each as rows, and what joins them.

An argument attacks by its conclusion alone, so a box says once what all its rows attack; rows tell apart where the
arguments for a conclusion differ: in their rule, their label, or in who defeats them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from arggym_env.engine import Argument, Label, State
from arggym_env.theory import DefeasibleRule, Rule

EdgeKind: TypeAlias = Literal["support", "undermine", "rebut", "undercut"]
RowPer: TypeAlias = Literal["argument", "rule"]

MOST_ROWS: Final = 16
"""The most rows of one box; the last of more than that stands for all others."""
_NAMED: Final = 6
LABELS: Final[tuple[Label, ...]] = ("in", "out", "undecided")


class Anchor(NamedTuple):
    """Where an edge ends: a row of a box, or the whole box (``row`` is None)."""

    box: int
    row: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """One argument, or several whose last step is the same.

    Attributes:
        kind: the last step: "premise", "axiom", "strict", "defeasible", or "several" for different ones.
        rule: the rule applied last; None for premises and for different steps.
        labels: how many of the arguments have each grounded label, in the order of ``LABELS``.
        before: the label that the row's one argument had before an intervention, if it was another one.
        added: whether an intervention brought one of the arguments about.
        names: the arguments, A and their index each; the first few of many.
    """

    kind: Literal["premise", "axiom", "strict", "defeasible", "several"]
    rule: Rule | None
    labels: tuple[int, int, int]
    before: Label | None
    added: bool
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many arguments the row stands for."""
        return sum(self.labels)


@dataclass(frozen=True, slots=True)
class Box:
    """A conclusion with its arguments; ``asked`` says what the question wants of it, and is empty if nothing."""

    conclusion: str
    rows: tuple[Row, ...]
    asked: str

    @property
    def label(self) -> Label:
        """The best label among the arguments: in, else undecided, else out (also without arguments)."""
        totals = [sum(row.labels[place] for row in self.rows) for place in range(len(LABELS))]
        return "in" if totals[0] else "undecided" if totals[2] else "out"


@dataclass(frozen=True, slots=True)
class Edge:
    """Support from a sub-argument to what is built on it, or an attack.

    Attributes:
        defeats: of the attacks that the edge stands for, how many succeed; 0 for support.
        failures: how many do not.
        mutual: whether it stands for the attacks back, too.
        indirect: whether the support passes through arguments that are not drawn.
    """

    source: Anchor
    target: Anchor
    kind: EdgeKind
    defeats: int = 0
    failures: int = 0
    mutual: bool = False
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """The boxes and edges of a picture."""

    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


def graph_of(
    state: State, shown: Collection[str], row_per: RowPer, asked: Mapping[str, str], before: State | None
) -> Graph:
    """Return the part of ``state`` that is about the conclusions ``shown``.

    Args:
        state: what is drawn.
        shown: the conclusions that get a box; asked ones without an argument may be among them.
        row_per: whether each argument has a row, or each rule.
        asked: what the question wants, by claim.
        before: the state before an intervention, to mark what it changed.
    """
    groups: dict[str, dict[str, list[Argument]]] = {conclusion: {} for conclusion in shown}
    for argument in state.arguments:
        if argument.conclusion in groups:
            by_step = groups[argument.conclusion]
            by_step.setdefault(_step(argument, row_per, by_step), []).append(argument)
    known = {} if before is None else {argument: before.label(argument) for argument in before.arguments}
    boxes = []
    places: dict[int, Anchor] = {}
    for number, (conclusion, by_step) in enumerate(groups.items()):
        rows = []
        for row, arguments in enumerate(by_step.values()):
            places.update((argument.index, Anchor(number, row)) for argument in arguments)
            rows.append(_row(state, arguments, None if before is None else known))
        boxes.append(Box(conclusion, tuple(rows), asked.get(conclusion, "")))
    edges = [*_support(state, places, boxes), *_attacks(state, places, boxes)]
    return Graph(tuple(boxes), tuple(edges))


def _step(argument: Argument, row_per: RowPer, so_far: Mapping[str, object]) -> str:
    rule = argument.top_rule
    step = f"A{argument.index}" if row_per == "argument" else rule.name if rule else ""
    return step if step in so_far or len(so_far) < MOST_ROWS - 1 else "*"


def _row(state: State, arguments: list[Argument], known: Mapping[Argument, Label] | None) -> Row:
    counts = Counter(state.label(argument) for argument in arguments)
    first, *others = arguments
    before = None
    added = False
    if known is not None:
        added = any(argument not in known for argument in arguments)
        if not others and first in known and known[first] != state.label(first):
            before = known[first]
    names = tuple(f"A{argument.index}" for argument in arguments[:_NAMED])
    labels = (counts["in"], counts["out"], counts["undecided"])
    rule = first.top_rule
    if any(argument.top_rule != rule for argument in others):
        return Row("several", None, labels, before, added, names)
    if rule is None:
        return Row("premise" if first.ordinary_premises else "axiom", None, labels, before, added, names)
    kind: Literal["defeasible", "strict"] = "defeasible" if isinstance(rule, DefeasibleRule) else "strict"
    return Row(kind, rule, labels, before, added, names)


def _support(state: State, places: Mapping[int, Anchor], boxes: list[Box]) -> Iterator[Edge]:
    """Yield the support between the boxes, through arguments that have no row where it has to."""
    found: dict[tuple[int, int], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    direct: set[tuple[int, int]] = set()
    grounds: list[frozenset[Anchor]] = []
    """For each argument its own row, or else the rows that it is built on."""
    for argument in state.arguments:
        below = frozenset().union(*(grounds[part.index] for part in argument.subarguments))
        target = places.get(argument.index)
        grounds.append(below if target is None else frozenset([target]))
        if target is None or target.row is None:
            continue
        for source in below:
            if source.row is not None:
                found[source.box, target.box][target.row].add(source.row)
        direct |= {(places[part.index].box, target.box) for part in argument.subarguments if part.index in places}
    for (source_box, target_box), by_target in sorted(found.items()):
        rows = {row: frozenset(sources) for row, sources in by_target.items()}
        for source, target in _merged(source_box, target_box, rows, boxes):
            yield Edge(source, target, "support", indirect=(source_box, target_box) not in direct)


def _attacks(state: State, places: Mapping[int, Anchor], boxes: list[Box]) -> list[Edge]:
    """Return the attacks between the boxes: those on a row with one outcome are one edge."""
    found: dict[tuple[int, int, EdgeKind], dict[tuple[int, int], list[int]]] = defaultdict(dict)
    for attack in state.attacks:
        source, target = places.get(attack.attacker.index), places.get(attack.attacked.index)
        if source is not None and target is not None and source.row is not None and target.row is not None:
            counts = found[source.box, target.box, attack.kind].setdefault((source.row, target.row), [0, 0])
            counts[not attack.succeeds] += 1
    edges = []
    for (source_box, target_box, kind), by_rows in found.items():
        for succeeds in (True, False):
            outcome: dict[int, set[int]] = defaultdict(set)
            for (source_row, target_row), (defeats, _) in by_rows.items():
                if (defeats > 0) is succeeds:
                    outcome[target_row].add(source_row)
            rows = {row: frozenset(sources) for row, sources in outcome.items()}
            for source, target in _merged(source_box, target_box, rows, boxes):
                parts = [
                    counts
                    for (source_row, target_row), counts in by_rows.items()
                    if (counts[0] > 0) is succeeds
                    and source.row in (None, source_row)
                    and target.row in (None, target_row)
                ]
                totals = [sum(counts[place] for counts in parts) for place in (0, 1)]
                edges.append(Edge(source, target, kind, totals[0], totals[1]))
    return list(_with_mutual(edges))


def _merged(
    source_box: int, target_box: int, rows: Mapping[int, frozenset[int]], boxes: list[Box]
) -> Iterator[tuple[Anchor, Anchor]]:
    """Yield the ends of the edges from the source rows to each target row, whole boxes where all rows agree."""
    whole_source = frozenset(range(len(boxes[source_box].rows)))
    alike = len(rows) == len(boxes[target_box].rows) and len(set(rows.values())) == 1
    for row, sources in [(None, next(iter(rows.values())))] if alike else sorted(rows.items()):
        starts: Iterable[int | None] = [None] if sources == whole_source else sorted(sources)
        for start in starts:
            yield Anchor(source_box, start), Anchor(target_box, row)


def _with_mutual(edges: list[Edge]) -> Iterator[Edge]:
    """Yield ``edges`` with two attacks of one kind and outcome between the same places as one edge."""
    pending = {(edge.source, edge.target, edge.kind, edge.defeats > 0): edge for edge in edges}
    while pending:
        key = next(iter(pending))
        edge = pending.pop(key)
        source, target, kind, succeeds = key
        back = None if source == target else pending.pop((target, source, kind, succeeds), None)
        if back is None:
            yield edge
        else:
            yield Edge(source, target, kind, edge.defeats + back.defeats, edge.failures + back.failures, True)
