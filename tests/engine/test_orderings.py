"""The comparisons of sets and of arguments, case by case, the empty sets included."""

from __future__ import annotations

from collections.abc import Set
from itertools import product
from random import Random

import pytest

from arggym_env.engine import ORDERINGS, check_ordering, evaluate
from arggym_env.engine.bits import mask_of
from arggym_env.engine.orderings import ArgumentOrder, SetColumns, SetOrder, Strengths, close_preferences
from arggym_env.errors import CoordinateError
from arggym_env.theory import Theory

# Items 0 < 1 < 2 (1 stronger than 0, 2 than 1), 3 and 4 tied, 5 in no preference.
PAIRS = [(1, 0), (2, 1), (3, 4), (4, 3)]

EMPTY: Set[int] = frozenset()

SET_CASES = [
    # left, right, elitist: left strictly weaker, democratic: left strictly weaker
    (EMPTY, EMPTY, False, False),
    (EMPTY, {0}, False, False),
    ({0}, EMPTY, True, True),
    ({5}, EMPTY, True, True),
    ({0}, {1}, True, True),
    ({0}, {2}, True, True),  # by transitivity
    ({1}, {0}, False, False),
    ({0}, {0}, False, False),
    ({3}, {4}, False, False),  # a tie
    ({4}, {3}, False, False),
    ({0}, {5}, False, False),  # not comparable
    ({0, 2}, {1}, True, False),  # one member is weaker, the other is not
    ({0, 5}, {1}, True, False),
    ({0}, {1, 5}, False, True),  # weaker than one member, not than all
    ({0}, {1, 2}, True, True),
    ({0, 1}, {2}, True, True),
    ({0, 1}, {1, 2}, True, True),
    ({0, 1}, {0, 2}, False, True),
    ({0, 2}, {0, 1}, False, False),
    ({0, 1, 2}, {0, 1, 2}, False, False),
]


def is_weaker(order: SetOrder, left: Set[int], right: Set[int]) -> bool:
    """Ask for two sets, among other sets so that the bits of the answer matter."""
    sets = {0: 0, 3: order.reduce(mask_of(left)), 7: order.reduce(mask_of({1, 5}))}
    return bool(order.strictly_weaker(SetColumns(sets), order.reduce(mask_of(right))) >> 3 & 1)


@pytest.mark.parametrize(("left", "right", "elitist", "democratic"), SET_CASES)
def test_sets_compare_as_defined(left: Set[int], right: Set[int], elitist: bool, democratic: bool) -> None:
    above = close_preferences(PAIRS)
    assert is_weaker(SetOrder(above, elitist=True), left, right) == elitist
    assert is_weaker(SetOrder(above, elitist=False), left, right) == democratic


def closure(pairs: list[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Return all (stronger, weaker) pairs of the reflexive-transitive closure (Warshall)."""
    closed = {(item, item) for item in range(size)} | set(pairs)
    for middle, high, low in product(range(size), repeat=3):
        if (high, middle) in closed and (middle, low) in closed:
            closed.add((high, low))
    return closed


def test_sets_compare_like_the_formulas_on_random_preferences() -> None:
    verdicts = []
    for seed in range(60):
        random = Random(f"preferences {seed}")
        pairs = [(random.randrange(6), random.randrange(6)) for _ in range(random.randrange(10))]
        closed = closure(pairs, 6)
        orders = [SetOrder(close_preferences(pairs), elitist) for elitist in (True, False)]
        for _ in range(60):
            left, right = ({item for item in range(6) if random.random() < 0.35} for _ in range(2))
            weaker = [[(b, a) in closed and (a, b) not in closed for b in right] for a in left]
            elitist = bool(left) and (not right or any(map(all, weaker)))
            democratic = bool(left) and (not right or all(map(any, weaker)))
            assert is_weaker(orders[0], left, right) == elitist, (pairs, left, right)
            assert is_weaker(orders[1], left, right) == democratic, (pairs, left, right)
            verdicts += [elitist, democratic]
    assert 500 < sum(verdicts) < len(verdicts) - 500


# Rules 0 < 1 and premises 0 < 1. An argument: (premises, rules, last rules).
STRICT_FIRM = (EMPTY, EMPTY, EMPTY)
STRICT_WEAK = ({0}, EMPTY, EMPTY)
STRICT_STRONG = ({1}, EMPTY, EMPTY)
FIRM_WEAK = (EMPTY, {0}, {0})
FIRM_STRONG = (EMPTY, {1}, {1})
WEAK_WEAK = ({0}, {0}, {0})
STRONG_STRONG = ({1}, {1}, {1})
STRONG_WEAK = ({1}, {0}, {0})
LAST_STRONG = ({0}, {0, 1}, {1})

ARGUMENT_CASES = [
    # left, right, last link, weakest link: left strictly weaker (one or no member a side: set orderings agree)
    (STRICT_FIRM, STRICT_FIRM, False, False),
    (STRICT_FIRM, STRICT_WEAK, False, False),
    (STRICT_WEAK, STRICT_FIRM, True, True),  # strict both: by the premises, some against none
    (STRICT_WEAK, STRICT_STRONG, True, True),
    (STRICT_STRONG, STRICT_WEAK, False, False),
    (FIRM_WEAK, STRICT_FIRM, True, True),  # firm both: by the rules, some against none
    (FIRM_WEAK, FIRM_STRONG, True, True),
    (FIRM_STRONG, FIRM_WEAK, False, False),
    (FIRM_WEAK, STRICT_WEAK, True, False),  # weakest link: the firm argument's premises are not weaker
    (STRICT_WEAK, FIRM_WEAK, False, False),  # the strict argument's rules are not weaker
    (WEAK_WEAK, STRICT_FIRM, True, True),  # some premises and some rules against none of either
    (WEAK_WEAK, STRICT_WEAK, True, False),  # equal premises
    (WEAK_WEAK, STRICT_STRONG, True, True),
    (WEAK_WEAK, STRONG_STRONG, True, True),
    (STRONG_WEAK, STRONG_STRONG, True, False),  # weaker rules, but not premises
    (STRONG_WEAK, FIRM_STRONG, True, True),
    (WEAK_WEAK, FIRM_WEAK, False, False),  # weaker premises, but not rules
    (WEAK_WEAK, LAST_STRONG, True, False),
    (LAST_STRONG, FIRM_STRONG, False, None),  # rules {0, 1} against {1}: elitist yes, democratic no
]


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize(("left", "right", "last_link", "weakest_link"), ARGUMENT_CASES)
def test_arguments_compare_as_defined(
    left: tuple[Set[int], ...],
    right: tuple[Set[int], ...],
    last_link: bool,
    weakest_link: bool | None,
    ordering: str,
) -> None:
    order = ArgumentOrder(ordering, [(1, 0)], [(1, 0)])
    strengths = [order.strength(*map(mask_of, argument)) for argument in (left, right)]
    weaker = order.strictly_weaker(Strengths({4: strengths[0], 9: strengths[1]}), strengths[1]) >> 4 & 1
    expected = last_link if ordering.startswith("last") else weakest_link
    assert bool(weaker) == (ordering.endswith("elitist") if expected is None else expected)


def test_preferences_are_closed_and_ties_cancel() -> None:
    text = """
        [axiom: a]
        [defeasible d1: a => p]
        [defeasible d2: a => -p]
        [defeasible d3: a => q]
        [prefer_rule: d1 > d3]
        [prefer_rule: d3 > d2]
    """
    for ordering in ORDERINGS:
        assert evaluate(Theory.parse(text), ordering).status("p") == "justified"
        tied = Theory.parse(text + "[prefer_rule: d2 > d1]")
        assert evaluate(tied, ordering).status("p") == "undecided"


def test_an_unknown_ordering_is_named_with_the_four_that_exist() -> None:
    assert check_ordering("last-link elitist") == "last-link elitist"
    with pytest.raises(CoordinateError, match=r"ordering 'strongest' is not one of 'last-link elitist', .*democratic'"):
        check_ordering("strongest")
