"""Solvers that never see the question: they know an item's formulas, the tier's rule and how formulas are drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from arggym_env.logihard.atomic import AtomicMCQ
from arggym_env.logihard.formulas import KEYS, Formula, true_indices
from arggym_env.logihard.samplers import Sampler, balanced_sets, paper_sets
from arggym_env.logihard.tiers import Tier

Solver = Callable[[Sequence[Formula]], frozenset[Formula]]
NEGATIONS = ("NOT", "NOT_AND_NOT", "NONE")


def atomic(number: int = 0, answer: int = 2) -> AtomicMCQ:
    """Return a question whose text says nothing; by default the right option always stands in the same place."""
    return AtomicMCQ(
        id=f"blind/{number}",
        source="procedural",
        language="en",
        context="Some things are told.",
        question="Which statement must be true?",
        options=("Alpha holds.", "Beta holds.", "Gamma holds.", "Delta holds."),
        answer=answer,
        family="none",
        level=1,
    )


def truth(formulas: Sequence[Formula], key: int) -> frozenset[Formula]:
    return frozenset(formulas[index] for index in true_indices(formulas, key))


def distribution(tier: Tier, sampler: Sampler) -> Iterator[tuple[int, tuple[Formula, ...], float]]:
    """Yield key, formulas and probability: everything that an item can be."""
    for key in KEYS:
        if sampler == "balanced":
            sets = balanced_sets(tier)
            for formulas in sets:
                yield key, formulas, 1 / len(KEYS) / len(sets)
        else:
            for drawn, probability in paper_sets(tier, key):
                yield key, tuple(drawn), probability / len(KEYS)


@cache
def bayes_table(tier: Tier, sampler: Sampler) -> dict[frozenset[Formula], tuple[frozenset[Formula], float]]:
    """Return the best answer to each set of formulas, and how much of all probability it is right on."""
    joint: dict[frozenset[Formula], dict[frozenset[Formula], float]] = defaultdict(lambda: defaultdict(float))
    for key, formulas, probability in distribution(tier, sampler):
        joint[frozenset(formulas)][truth(formulas, key)] += probability
    return {
        formulas: max(answers.items(), key=lambda entry: (entry[1], sorted(map(str, entry[0]))))
        for formulas, answers in joint.items()
    }


def bayes_value(tier: Tier, sampler: Sampler) -> float:
    """Return how often the best question-blind solver is exactly right: the exact expected value."""
    return sum(value for _, value in bayes_table(tier, sampler).values())


def exact_value(solver: Solver, tier: Tier, sampler: Sampler) -> float:
    """Return how often ``solver`` is exactly right: the exact expected value."""
    return sum(
        probability
        for key, formulas, probability in distribution(tier, sampler)
        if solver(formulas) == truth(formulas, key)
    )


def operators(*names: str) -> Solver:
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
        key: sum(key in formula.statements for formula in formulas if formula.operator in NEGATIONS) for key in KEYS
    }
    return truth(formulas, min(KEYS, key=lambda key: (counts[key], key)))


SOLVERS: dict[str, Solver] = {
    "all letters": frozenset,
    "all negations": operators("NOT", "NOT_AND_NOT", "NONE"),
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
