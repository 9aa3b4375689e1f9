"""What answers that never see the question get: solvers that know an item's claims, its tier and how claims are drawn.

``best_blind`` is the best of them. Under the balanced sampler the four keys stay equally likely whatever claims are
offered, so that it is right on one item in four; under Algorithm 1 its share is the leak.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

from arggym_env.logihard.answers import LetterReward, youden
from arggym_env.logihard.formulas import KEYS, Formula, Operator, true_indices
from arggym_env.logihard.samplers import Sampler, balanced_sets, paper_sets
from arggym_env.logihard.tiers import Tier

Solver: TypeAlias = Callable[[Sequence[Formula]], frozenset[Formula]]
"""Picks claims by their formulas alone."""

_NEGATIONS: Final[tuple[Operator, ...]] = ("NOT", "NOT_AND_NOT", "NONE")
_EVEN: Final = (0.25, 0.25, 0.25, 0.25)


def truth(formulas: Sequence[Formula], key: int) -> frozenset[Formula]:
    """Return the formulas that hold when ``key`` is the correct statement."""
    return frozenset(formulas[index] for index in true_indices(formulas, key))


def distribution(tier: Tier, sampler: Sampler) -> Iterator[tuple[int, tuple[Formula, ...], float]]:
    """Yield key, formulas and probability: everything that an item of the tier can be."""
    for key in KEYS:
        if sampler == "balanced":
            sets = balanced_sets(tier)
            for formulas in sets:
                yield key, formulas, 1 / len(KEYS) / len(sets)
        else:
            for drawn, probability in paper_sets(tier, key):
                yield key, tuple(drawn), probability / len(KEYS)


@cache
def joint(tier: Tier, sampler: Sampler) -> Mapping[frozenset[Formula], Sequence[float]]:
    """Return for each set of formulas the probability that it is offered and each statement is the key."""
    found: dict[frozenset[Formula], list[float]] = defaultdict(lambda: [0.0] * len(KEYS))
    for key, formulas, probability in distribution(tier, sampler):
        found[frozenset(formulas)][key] += probability
    return MappingProxyType(dict(found))


@cache
def bayes_table(tier: Tier, sampler: Sampler) -> dict[frozenset[Formula], tuple[frozenset[Formula], float]]:
    """Return the best answer to each set of formulas, and how much of all probability it is right on."""
    table = {}
    for formulas, weights in joint(tier, sampler).items():
        answers: dict[frozenset[Formula], float] = defaultdict(float)
        for key, weight in enumerate(weights):
            if weight:
                answers[truth(tuple(formulas), key)] += weight
        table[formulas] = max(answers.items(), key=lambda entry: (entry[1], sorted(map(str, entry[0]))))
    return table


def bayes_value(tier: Tier, sampler: Sampler) -> float:
    """Return how often the best question-blind solver is exactly right: the exact expected value."""
    return sum(value for _, value in bayes_table(tier, sampler).values())


def exact_value(solver: Solver, tier: Tier, sampler: Sampler) -> float:
    """Return how often ``solver`` is exactly right: the exact expected value."""
    value = 0.0
    for formulas, weights in joint(tier, sampler).items():
        offered = tuple(formulas)
        chosen = solver(offered)
        value += sum(weight for key, weight in enumerate(weights) if weight and chosen == truth(offered, key))
    return value


def best_blind(formulas: Sequence[Formula], tier: Tier, sampler: Sampler, reward: LetterReward = "exact") -> float:
    """Return what the best answer to these claims that never sees the question earns on average: their floor.

    Args:
        formulas: the claims offered.
        tier: the operator tier.
        sampler: how the claims were drawn; Algorithm 1's table takes a second for the expert tier, once.
        reward: what an answer is paid.
    """
    weights = _EVEN if sampler == "balanced" else joint(tier, sampler)[frozenset(formulas)]
    golds = [frozenset(map(str, true_indices(formulas, key))) for key in KEYS]
    letters = [str(index) for index in range(len(formulas))]

    def earned(chosen: frozenset[str]) -> float:
        pays = (youden(gold, chosen, len(letters)) if reward == "youden" else float(gold == chosen) for gold in golds)
        return sum(weight * pay for weight, pay in zip(weights, pays, strict=True)) / sum(weights)

    return max(
        earned(frozenset(chosen)) for size in range(1, len(letters) + 1) for chosen in combinations(letters, size)
    )


def operators(*names: Operator) -> Solver:
    """Return the solver that picks every claim of these operators."""
    return lambda formulas: frozenset(formula for formula in formulas if formula.operator in names)


def consistent(key: int) -> Solver:
    """Return the solver that guesses a key and answers as if it were right."""
    return lambda formulas: truth(formulas, key)


def most_named(formulas: Sequence[Formula]) -> frozenset[Formula]:
    """Guess the statement that the positive claims name most often."""
    counts = {
        key: sum(key in formula.statements for formula in formulas if formula.operator in ("EXACT", "OR"))
        for key in KEYS
    }
    return truth(formulas, max(KEYS, key=lambda key: (counts[key], -key)))


def most_supported(formulas: Sequence[Formula]) -> frozenset[Formula]:
    """Guess the key under which most claims hold."""
    return truth(formulas, max(KEYS, key=lambda key: (len(truth(formulas, key)), -key)))


def unexcluded(formulas: Sequence[Formula]) -> frozenset[Formula]:
    """Guess the statement that negations name least often."""
    counts = {
        key: sum(key in formula.statements for formula in formulas if formula.operator in _NEGATIONS) for key in KEYS
    }
    return truth(formulas, min(KEYS, key=lambda key: (counts[key], key)))


SOLVERS: Final[Mapping[str, Solver]] = MappingProxyType(
    {
        "all letters": frozenset,
        "all negations": operators(*_NEGATIONS),
        "all NOT": operators("NOT"),
        "all disjunctions": operators("OR"),
        "all exact": operators("EXACT"),
        "everything but exact and none": operators("OR", "NOT", "NOT_AND_NOT"),
        "consistent guess of I": consistent(0),
        "consistent guess of IV": consistent(3),
        "consistent guess of the most named": most_named,
        "consistent guess of the most supported": most_supported,
        "consistent guess of the least negated": unexcluded,
    }
)
"""Every question-blind solver by name."""
