"""The four preference orderings: how preferences between rules and premises compare whole arguments.

An ordering is a link principle (which rules and premises of an argument count) and a set ordering (how two sets
compare), Modgil & Prakken 2014, Defs. 19-21, with the empty-set cases as PyArg 2.0.2 decides them. Sets are bitsets
(``engine.bits``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from arggym_env.engine.bits import members
from arggym_env.errors import CoordinateError

ORDERINGS: Final = ("last-link elitist", "last-link democratic", "weakest-link elitist", "weakest-link democratic")


def check_ordering(ordering: str) -> str:
    """Return ``ordering`` if it is one of the four.

    Raises:
        CoordinateError: it is not; the message lists the four.
    """
    if ordering not in ORDERINGS:
        raise CoordinateError(f"ordering {ordering!r} is not one of {', '.join(map(repr, ORDERINGS))}")
    return ordering


def close_preferences(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return, for each item that ``pairs`` name, the items at least as strong: the reflexive-transitive closure.

    Args:
        pairs: stated preferences, (stronger, weaker).
    """
    above: dict[int, int] = {}
    for stronger, weaker in pairs:
        above[weaker] = above.get(weaker, 1 << weaker) | 1 << stronger
        above.setdefault(stronger, 1 << stronger)
    changed = True
    while changed:
        changed = False
        for item, mask in above.items():
            wider = mask
            for other in members(mask):
                wider |= above[other]
            if wider != mask:
                above[item] = wider
                changed = True
    return above


class SetColumns:
    """A collection of sets, each with an owner, turned on its side: for each item, who has it.

    Args:
        sets: the (reduced) set of each owner.
    """

    def __init__(self, sets: Mapping[int, int]) -> None:
        self.non_empty = 0
        """The owners of non-empty sets, as a bitset."""
        self.owners: dict[int, int] = {}
        """For each item, the owners of the sets that hold it, as a bitset."""
        for owner, mask in sets.items():
            bit = 1 << owner
            if mask:
                self.non_empty |= bit
            for item in members(mask):
                self.owners[item] = self.owners.get(item, 0) | bit


class SetOrder:
    """The elitist or democratic comparison of sets of rules, or of sets of ordinary premises.

    Args:
        above: the closed preference relation, as :func:`close_preferences` gives it.
        elitist: whether the comparison is elitist; else it is democratic.
    """

    def __init__(self, above: Mapping[int, int], elitist: bool) -> None:
        self._elitist = elitist
        self._stronger = {
            item: strictly for item, mask in above.items() if (strictly := _strictly_above(item, mask, above))
        }
        self._named = 0
        for item, strictly in self._stronger.items():
            self._named |= strictly | 1 << item
        self._neutral = 1 << self._named.bit_length()

    def reduce(self, mask: int) -> int:
        """Return ``mask`` with all members that no strict preference names merged into one.

        Such members behave alike in every comparison, so sets that differ only in them need comparing once.
        """
        named = mask & self._named
        return named if named == mask else named | self._neutral

    def strictly_weaker(self, sets: SetColumns, bound: int) -> int:
        """Return the owners whose set is strictly weaker than ``bound``, as a bitset; all sets are reduced.

        The empty set is weaker than none, and every other set is weaker than the empty one. Elitist: some member is
        strictly weaker than all of ``bound``; democratic: each member is strictly weaker than some member of it.
        """
        if not bound:
            return sets.non_empty
        stronger = self._stronger
        weaker = 0
        if self._elitist:
            for item, owners in sets.owners.items():
                if not bound & ~stronger.get(item, 0):
                    weaker |= owners
            return weaker
        for item, owners in sets.owners.items():
            if not bound & stronger.get(item, 0):
                weaker |= owners
        return sets.non_empty & ~weaker


def _strictly_above(item: int, mask: int, above: Mapping[int, int]) -> int:
    ties = sum(1 << other for other in members(mask) if above[other] >> item & 1)
    return mask & ~ties


class Strength(NamedTuple):
    """What of an argument counts under an ordering, reduced (:meth:`SetOrder.reduce`)."""

    rules: int
    premises: int


class Strengths:
    """The strengths of several arguments.

    Args:
        strengths: the strength of each argument.
    """

    def __init__(self, strengths: Mapping[int, Strength]) -> None:
        self.rules = SetColumns({index: strength.rules for index, strength in strengths.items()})
        self.premises = SetColumns({index: strength.premises for index, strength in strengths.items()})


class ArgumentOrder:
    """Which arguments are strictly weaker than one, under one of the four orderings.

    Args:
        ordering: one of :data:`ORDERINGS`.
        rule_pairs: stated preferences between defeasible rules, (stronger, weaker).
        premise_pairs: stated preferences between ordinary premises, (stronger, weaker).

    Raises:
        CoordinateError: the ordering is not one of the four.
    """

    def __init__(
        self, ordering: str, rule_pairs: Iterable[tuple[int, int]], premise_pairs: Iterable[tuple[int, int]]
    ) -> None:
        link, order = check_ordering(ordering).split()
        self._last_link = link == "last-link"
        self._rules = SetOrder(close_preferences(rule_pairs), order == "elitist")
        self._premises = SetOrder(close_preferences(premise_pairs), order == "elitist")

    def strength(self, premises: int, rules: int, last_rules: int) -> Strength:
        """Return the strength of an argument.

        Args:
            premises: its ordinary premises.
            rules: its defeasible rules.
            last_rules: its last defeasible rules.
        """
        counted = last_rules if self._last_link else rules
        if counted and self._last_link:
            premises = 0  # premises count only between arguments without defeasible rules
        return Strength(self._rules.reduce(counted), self._premises.reduce(premises))

    def strictly_weaker(self, arguments: Strengths, bound: Strength) -> int:
        """Return those of ``arguments`` that are strictly weaker than an argument of strength ``bound``, as a bitset.

        Last link: by the last defeasible rules; by the premises when neither has any. Weakest link: by the premises
        when both are strict, by the rules when both are firm, else by both at once.
        """
        by_rules = self._rules.strictly_weaker(arguments.rules, bound.rules)
        by_premises = self._premises.strictly_weaker(arguments.premises, bound.premises)
        if self._last_link:
            return by_rules if bound.rules else by_rules | by_premises
        strict = ~arguments.rules.non_empty
        not_both_strict = by_rules & by_premises
        if not bound.premises:
            not_both_strict |= by_rules & ~arguments.premises.non_empty
        return not_both_strict if bound.rules else by_premises & strict | not_both_strict & ~strict
