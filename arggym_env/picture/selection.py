"""Which conclusions of a state a picture shows: all of a small one, and of a large one what the conflicts are about.

Boxes are left out in steps, each only if the ones before left too many, and every step says in the picture what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arggym_env.engine import State
from arggym_env.picture.graph import RowPer

WHOLE: Final = 24
"""Up to so many conclusions are all drawn."""
COMFORTABLE: Final = 40
"""How many boxes are easy to read; consequences and side chains are left out of larger pictures."""
LIMIT: Final = 90
"""The most boxes of a picture."""
ROWS: Final = 64
"""The most rows of a picture in which every argument has its own; beyond, rows stand for rules."""


class Selection(NamedTuple):
    """The conclusions to draw, in the state's order, what a row stands for, and what is to be said of the rest."""

    shown: tuple[str, ...]
    row_per: RowPer
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Conclusions:
    """The state seen from its conclusions: how many arguments each has, what it is built on, what it attacks."""

    counts: dict[str, int] = field(default_factory=dict)
    premises_only: set[str] = field(default_factory=set)
    builds_on: dict[str, set[str]] = field(default_factory=dict)
    used_for: dict[str, set[str]] = field(default_factory=dict)
    fights: dict[str, set[str]] = field(default_factory=dict)

    def neighbours(self, conclusion: str) -> list[str]:
        """Return what is joined to ``conclusion``, conflicts first."""
        around = (self.fights, self.used_for, self.builds_on)
        return list(dict.fromkeys(other for links in around for other in sorted(links[conclusion])))


def select(state: State, asked: Mapping[str, str]) -> Selection:
    """Return what a picture of ``state`` shows."""
    known = _conclusions(state)
    for claim in asked:
        known.counts.setdefault(claim, 0)
        for links in (known.builds_on, known.used_for, known.fights):
            links.setdefault(claim, set())
    shown, notes = list(known.counts), []
    for most, narrow, said in _STEPS:
        if len(shown) > most:
            kept = narrow(known, shown, asked)
            left = [conclusion for conclusion in shown if conclusion not in kept]
            if left:
                arguments = sum(known.counts[conclusion] for conclusion in left)
                notes.append(said.format(**_counted(len(left), arguments)))
            shown = [conclusion for conclusion in shown if conclusion in kept]
    drawn = sum(known.counts[conclusion] for conclusion in shown)
    if drawn <= ROWS:
        return Selection(tuple(shown), "argument", tuple(notes))
    if drawn > _steps(state, shown):
        notes.append("A row with \u00d7n stands for n arguments that end in the same rule.")
    return Selection(tuple(shown), "rule", tuple(notes))


def _counted(conclusions: int, arguments: int) -> dict[str, str]:
    return {
        "conclusions": f"{conclusions:,} {'conclusion' if conclusions == 1 else 'conclusions'}",
        "premises": f"{conclusions:,} {'premise' if conclusions == 1 else 'premises'}",
        "arguments": f"{arguments:,} {'argument' if arguments == 1 else 'arguments'}",
    }


def _conclusions(state: State) -> _Conclusions:
    known = _Conclusions()
    for argument in state.arguments:
        conclusion = argument.conclusion
        if conclusion not in known.counts:
            known.counts[conclusion] = 0
            known.premises_only.add(conclusion)
            for links in (known.builds_on, known.used_for, known.fights):
                links[conclusion] = set()
        known.counts[conclusion] += 1
        if argument.top_rule is not None:
            known.premises_only.discard(conclusion)
        for part in argument.subarguments:
            known.builds_on[conclusion].add(part.conclusion)
            known.used_for[part.conclusion].add(conclusion)
    for attack in state.attacks:
        one, other = attack.attacker.conclusion, attack.attacked.conclusion
        known.fights[one].add(other)
        known.fights[other].add(one)
    return known


def _steps(state: State, shown: Collection[str]) -> int:
    """Return how many different last steps the arguments for ``shown`` have."""
    wanted = set(shown)
    return len({(a.conclusion, a.top_rule) for a in state.arguments if a.conclusion in wanted})


def _without_quiet_premises(known: _Conclusions, shown: Collection[str], asked: Mapping[str, str]) -> set[str]:
    """Drop premises that take no part in an attack; the rules that use them name them."""
    return {c for c in shown if c in asked or known.fights[c] or c not in known.premises_only}


def _without_consequences(known: _Conclusions, shown: Collection[str], asked: Mapping[str, str]) -> set[str]:
    """Keep what attacks, is attacked or asked about, and what that is built on."""
    active = {c for c in shown if c in asked or known.fights[c]}
    return _reached(active, known.builds_on)


def _without_side_chains(known: _Conclusions, shown: Collection[str], asked: Mapping[str, str]) -> set[str]:
    """Keep what attacks, is attacked or asked about, and what lies on a chain of rules between two such conclusions."""
    active = {c for c in shown if c in asked or known.fights[c]}
    return active | _reached(active, known.builds_on) & _reached(active, known.used_for)


def _without_ways(known: _Conclusions, shown: Collection[str], asked: Mapping[str, str]) -> set[str]:
    """Keep what attacks, is attacked or asked about; support between them passes through what is left out."""
    return {c for c in shown if c in asked or known.fights[c]}


def _nearest(known: _Conclusions, shown: Collection[str], asked: Mapping[str, str]) -> set[str]:
    """Keep the ``LIMIT`` conclusions nearest to what is asked about, or else to the one in most conflicts."""
    there = set(shown)
    reached: dict[str, None] = {}
    starts = [c for c in shown if c in asked] or sorted(shown, key=lambda c: (-len(known.fights[c]), c))[:1]
    for start in [*starts, *shown]:
        queue = [start] if start not in reached else []
        while queue and len(reached) < LIMIT:
            following: list[str] = []
            for conclusion in queue:
                if conclusion not in reached and len(reached) < LIMIT:
                    reached[conclusion] = None
                    following += [c for c in known.neighbours(conclusion) if c in there and c not in reached]
            queue = following
    return set(reached)


_Narrow = Callable[[_Conclusions, Collection[str], Mapping[str, str]], set[str]]
_STEPS: Final[tuple[tuple[int, _Narrow, str], ...]] = (
    (WHOLE, _without_quiet_premises, "{premises} in no attack: named only in the rules that use them."),
    (COMFORTABLE, _without_consequences, "Not drawn: {conclusions} ({arguments}) on which no attack depends."),
    (COMFORTABLE, _without_side_chains, "Not drawn: {conclusions} ({arguments}) in no attack that only feed others."),
    (
        COMFORTABLE,
        _without_ways,
        "Not drawn: {conclusions} ({arguments}) on the way from one box to another: dashed lines.",
    ),
    (LIMIT, _nearest, "Not drawn: {conclusions} ({arguments}) farther away, to keep the picture readable."),
)
"""At how many boxes more than which conclusions are left out, and how the picture says so."""


def _reached(starts: Iterable[str], links: Mapping[str, set[str]]) -> set[str]:
    reached = set(starts)
    frontier = sorted(reached)
    while frontier:
        frontier = sorted({other for conclusion in frontier for other in links[conclusion]} - reached)
        reached.update(frontier)
    return reached
