"""What it takes to change the outcome of an attack by preferences; see ``envs.preference_search`` for the argument.

Rules and premises are numbered; sets of them are bitsets (``engine.bits``), and x <= y reads "y is at least as strong".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from arggym_env.engine import Argument
from arggym_env.engine.bits import members, union


class Preorder(NamedTuple):
    """The reflexive-transitive closure of stated preferences, as rows of bitsets."""

    above: tuple[int, ...]
    """For each item, all y with item <= y."""
    below: tuple[int, ...]
    """For each item, all x with x <= item."""
    stronger: tuple[int, ...]
    """For each item, what is above it and not below it: the strictly stronger items."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]], size: int) -> Preorder:
        """Return the preorder of ``size`` items that ``pairs`` (weaker, stronger) generate."""
        alone = tuple(1 << item for item in range(size))
        return cls(alone, alone, (0,) * size).extended(pairs)

    def extended(self, pairs: Iterable[tuple[int, int]]) -> Preorder:
        """Return the preorder with ``pairs`` (weaker, stronger) stated in addition."""
        above, below = list(self.above), list(self.below)
        for weaker, stronger in pairs:
            ups, downs = above[stronger], below[weaker]
            for item in members(downs):
                above[item] |= ups
            for item in members(ups):
                below[item] |= downs
        stronger_than = tuple(up & ~down for up, down in zip(above, below, strict=True))
        return Preorder(tuple(above), tuple(below), stronger_than)


class Need(NamedTuple):
    """A new relation that is needed: x <= y for some x of ``low`` and some y of ``high``."""

    low: int
    high: int


class Part(NamedTuple):
    """One comparison between an attacker's set and the attacked argument's set, of rules or of premises."""

    attacker: int
    attacked: int

    def is_weaker(self, order: Preorder, elitist: bool) -> bool:
        """Return whether the attacker's set is strictly weaker, as ``engine.orderings`` defines it."""
        if not (self.attacker and self.attacked):
            return self.attacker != 0
        weaker = self.attacked
        if elitist:
            return any(not weaker & ~order.stronger[item] for item in members(self.attacker))
        return all(weaker & order.stronger[item] for item in members(self.attacker))

    def ways_to_weaken(self, order: Preorder, elitist: bool) -> list[tuple[Need, ...]]:
        """Return the alternatives that could make the attacker's set strictly weaker, given that it is not."""
        if not (self.attacker and self.attacked):
            return []
        if elitist:
            return [
                tuple(Need(1 << item, 1 << rival) for rival in members(self.attacked & ~order.stronger[item]))
                for item in members(self.attacker)
                if not self.attacked & order.below[item]
            ]
        needs = []
        for item in members(self.attacker):
            if not self.attacked & order.stronger[item]:
                rivals = self.attacked & ~order.below[item]
                if not rivals:
                    return []
                needs.append(Need(1 << item, rivals))
        return [tuple(needs)]

    def ways_to_match(self, order: Preorder, elitist: bool) -> list[tuple[Need, ...]]:
        """Return the alternatives that could end that the attacker's set is strictly weaker, given that it is."""
        if not (self.attacker and self.attacked):
            return []
        if elitist:
            lowest = [item for item in members(self.attacker) if not self.attacked & ~order.stronger[item]]
            return [tuple(Need(self.attacked, 1 << item) for item in lowest)]
        return [
            tuple(Need(1 << rival, 1 << item) for rival in members(self.attacked & order.stronger[item]))
            for item in members(self.attacker)
        ]


@dataclass(frozen=True, slots=True)
class Contest:
    """Attacks that succeed or fail together, since the same rules and premises are compared in them.

    Attributes:
        parts: the comparisons, all of which must come out weaker for the attacks to fail.
        fails: whether the attacks fail by the stated preferences.
        attackers: the attackers of each attacked argument.
        ways: the alternatives that could flip the outcome, each a list of needs.
    """

    parts: tuple[Part, ...]
    fails: bool
    attackers: Mapping[int, int]
    ways: tuple[tuple[Need, ...], ...]

    def fails_under(self, order: Preorder, elitist: bool) -> bool:
        """Return whether the attacks fail by other preferences."""
        return all(part.is_weaker(order, elitist) for part in self.parts)


def compared_sets(
    attacker: Argument, attacked: Argument, by_last_link: bool
) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Return the pairs of sets that decide whether the attacker is weaker: all pairs have to say so."""
    premises = attacker.ordinary_premises, attacked.ordinary_premises
    if by_last_link:
        rules = attacker.last_defeasible_rules, attacked.last_defeasible_rules
        return (rules,) if any(rules) else (premises,)
    rules = attacker.defeasible_rules, attacked.defeasible_rules
    if not any(rules):
        return (premises,)
    return (rules, premises) if any(premises) else (rules,)


def make_contest(parts: tuple[Part, ...], attackers: Mapping[int, int], order: Preorder, elitist: bool) -> Contest:
    """Return the contest that compares ``parts``, with the ways to flip it."""
    open_parts = [part for part in parts if not part.is_weaker(order, elitist)]
    if open_parts:
        choices = [part.ways_to_weaken(order, elitist) for part in open_parts]
        ways = [tuple(need for way in choice for need in way) for choice in product(*choices)]
    else:
        ways = [way for part in parts for way in part.ways_to_match(order, elitist)]
    return Contest(parts, not open_parts, attackers, tuple(ways))


def demand(need: Need, order: Preorder, elitist: bool) -> int:
    """Return the items one of which a new preference must end in (elitist) or start from (democratic)."""
    return union(order.below, need.high) if elitist else union(order.above, need.low)


def hitting_sets(demands: Sequence[int], size: int) -> Iterator[int]:
    """Yield sets of at most ``size`` items that meet each of ``demands``, all minimal ones among them."""
    yield from _hit(sorted(set(demands), key=lambda mask: (mask.bit_count(), mask)), 0, size)


def _hit(demands: Sequence[int], chosen: int, size: int) -> Iterator[int]:
    unmet = next((mask for mask in demands if not mask & chosen), 0)
    if not unmet:
        yield chosen
    elif size:
        for item in members(unmet):
            yield from _hit(demands, chosen | 1 << item, size - 1)


def least_hits(demands: Sequence[int], limit: int) -> int:
    """Return the size of a smallest set that meets each of ``demands``, or ``limit`` + 1 if that is larger."""
    # Disjoint demands are the rule, and then counting them is enough.
    disjoint = True
    seen = 0
    distinct = set(demands)
    for mask in distinct:
        disjoint = disjoint and not mask & seen
        seen |= mask
    if disjoint:
        return min(len(distinct), limit + 1)
    return next((size for size in range(limit + 1) if any(True for _ in hitting_sets(demands, size))), limit + 1)
