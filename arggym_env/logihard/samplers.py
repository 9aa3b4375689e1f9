"""Which formulas an item offers: drawn without looking at the key, or by the paper's Algorithm 1.

Algorithm 1 (appendix A.3) draws true formulas and false ones from different pools. Both pools depend on the key, so the
shape of the options betrays it: the best solver that sees the formulas and nothing of the question is right on 31, 39,
45 and 73 of 100 items (easy to expert; ``paper_sets`` gives the distribution from which the tests compute this).

``balanced`` removes the leak. The sets of formulas that keep the tier's rule whichever statement is correct, in which
no two formulas are equivalent and whose four sets of true formulas differ, are enumerated once per tier; one of them is
drawn without reference to the key. The four keys then remain equally likely given the options, each wants another
answer, and no answer that ignores the question is right on more than one item in four.

A price of independence: an exactness claim is true for one key in four, a disjunction and a compound negation for two,
a negation for three. An operator's truth rate is therefore not a half, but it carries nothing about which statement is
correct.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Final, Literal, TypeAlias, get_args

from arggym_env.envs.stream import Stream
from arggym_env.errors import CoordinateError
from arggym_env.logihard.formulas import KEYS, Formula, Operator, formulas
from arggym_env.logihard.tiers import TIER_RULES, Tier

Sampler: TypeAlias = Literal["balanced", "paper"]
SAMPLERS: Final[tuple[Sampler, ...]] = get_args(Sampler)
"""``balanced`` is the default; ``paper`` is for fidelity and leaks the key."""

_ENFORCED: Final[dict[Tier, tuple[tuple[Operator, ...], ...]]] = {
    "easy": (),
    "medium": (),
    "hard": (("NOT",),),
    "expert": (("OR",), ("NOT", "NOT_AND_NOT")),
}
"""The kinds of true formula that section 3.1 requires, in the order in which they are drawn."""


def check_sampler(sampler: str) -> Sampler:
    """Return ``sampler`` if it names a sampler; raise CoordinateError otherwise."""
    for known in SAMPLERS:
        if sampler == known:
            return known
    raise CoordinateError(f"sampler {sampler!r} is not one of {', '.join(map(repr, SAMPLERS))}")


def draw_formulas(tier: Tier, sampler: Sampler, key: int, stream: Stream) -> list[Formula]:
    """Return the formulas of one item, in random order; only the paper's sampler looks at the key."""
    drawn = stream.choice(balanced_sets(tier)) if sampler == "balanced" else _draw_paper(tier, key, stream)
    return stream.shuffled(drawn)


@cache
def balanced_sets(tier: Tier) -> tuple[tuple[Formula, ...], ...]:
    """Return every set of formulas that the balanced sampler draws from: 1, 121, 270 and 1,776 by tier."""
    rule = TIER_RULES[tier]
    pool = [(formula, formula.mask) for formula in formulas(rule.operators)]
    return tuple(
        tuple(formula for formula, _ in claims)
        for claims in combinations(pool, rule.options)
        if _tells_keys_apart([mask for _, mask in claims], *rule.correct)
        and rule.admits_any_key([formula for formula, _ in claims])
    )


def _tells_keys_apart(masks: list[int], low: int, high: int) -> bool:
    """Return whether no two masks are equal and each key makes another ``low`` to ``high`` of them true."""
    true = {tuple(mask >> key & 1 for mask in masks) for key in KEYS}
    return len(set(masks)) == len(masks) and len(true) == len(KEYS) and all(low <= sum(held) <= high for held in true)


def paper_pools(tier: Tier, key: int) -> tuple[list[Formula], list[Formula]]:
    """Return Algorithm 1's pools of true formulas and of distractors; compound negations are never distractors."""
    operators = TIER_RULES[tier].operators
    everything = formulas(dict.fromkeys((*operators, "NONE")))
    true = [formula for formula in everything if formula.holds(key)]
    false = [formula for formula in everything if not formula.holds(key) and formula.operator != "NOT_AND_NOT"]
    return true, false


def _draw_paper(tier: Tier, key: int, stream: Stream) -> list[Formula]:
    """Return Algorithm 1's draw; its unspecified difficulty weights are taken as equal."""
    rule = TIER_RULES[tier]
    true, false = paper_pools(tier, key)
    count = stream.between(*rule.correct)
    chosen: list[Formula] = []
    for kind in _ENFORCED[tier]:
        chosen.append(stream.choice([formula for formula in true if formula.operator in kind]))
    rest = [formula for formula in true if formula not in chosen]
    return chosen + stream.sample(rest, count - len(chosen)) + stream.sample(false, rule.options - count)


def paper_sets(tier: Tier, key: int) -> Iterator[tuple[frozenset[Formula], float]]:
    """Yield the sets of formulas that Algorithm 1 may give for ``key``, with their probabilities; a set may recur."""
    rule = TIER_RULES[tier]
    true, false = paper_pools(tier, key)
    low, high = rule.correct
    for count in range(low, high + 1):
        distractors = list(combinations(false, rule.options - count))
        share = 1 / (high - low + 1) / len(distractors)
        for chosen, probability in _true_sets(true, count, _ENFORCED[tier]):
            for others in distractors:
                yield frozenset({*chosen, *others}), probability * share


def _true_sets(
    true: list[Formula], count: int, kinds: tuple[tuple[Operator, ...], ...]
) -> Iterator[tuple[frozenset[Formula], float]]:
    """Yield the sets of ``count`` true formulas: one of each kind first, the rest from what is left."""
    if kinds:
        first = [formula for formula in true if formula.operator in kinds[0]]
        for formula in first:
            rest = [other for other in true if other != formula]
            for chosen, probability in _true_sets(rest, count - 1, kinds[1:]):
                yield chosen | {formula}, probability / len(first)
        return
    sets = list(combinations(true, count))
    for others in sets:
        yield frozenset(others), 1 / len(sets)
