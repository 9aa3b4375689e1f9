"""The four operator tiers: which formulas an item shows, and how many of them hold (LogiHard, section 3.1).

An operator tier says what the options are built with. It is not the Gold Score's tier (``gold_score``), which says how
hard the atomic question is. The easy tier has exactness claims alone: it is the atomic question relabelled, and serves
as a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from arggym_env.errors import CoordinateError
from arggym_env.logihard.formulas import KEYS, Formula, Operator, true_indices

Tier: TypeAlias = Literal["easy", "medium", "hard", "expert"]
OPERATOR_TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""The tiers from the fewest operators to the most."""


@dataclass(frozen=True, slots=True)
class TierRule:
    """What a tier's items must show.

    Attributes:
        options: how many claims an item offers.
        correct: the fewest and the most of them that hold.
        operators: what claims may be built with.
        shown: operators that occur in every item.
        true: for each entry, at least one claim of these operators holds.
    """

    options: int
    correct: tuple[int, int]
    operators: tuple[Operator, ...]
    shown: tuple[Operator, ...] = ()
    true: tuple[tuple[Operator, ...], ...] = ()

    def admits(self, claims: Sequence[Formula], key: int) -> bool:
        """Return whether ``claims`` keep the rule when ``key`` is the correct statement."""
        low, high = self.correct
        held = [claims[index].operator for index in true_indices(claims, key)]
        return (
            len(claims) == self.options
            and low <= len(held) <= high
            and {claim.operator for claim in claims} >= set(self.shown)
            and all(any(operator in kind for operator in held) for kind in self.true)
        )

    def admits_any_key(self, claims: Sequence[Formula]) -> bool:
        """Return whether ``claims`` keep the rule whichever statement is correct."""
        return all(self.admits(claims, key) for key in KEYS)


TIER_RULES: Final[dict[Tier, TierRule]] = {
    "easy": TierRule(4, (1, 1), ("EXACT",)),
    "medium": TierRule(5, (1, 2), ("EXACT", "OR", "NONE"), shown=("OR",)),
    "hard": TierRule(5, (2, 3), ("EXACT", "OR", "NOT", "NONE"), shown=("OR",), true=(("NOT",),)),
    "expert": TierRule(
        6,
        (2, 4),
        ("EXACT", "OR", "NOT", "NOT_AND_NOT", "NONE"),
        shown=("OR", "NOT", "NOT_AND_NOT"),
        true=(("OR",), ("NOT", "NOT_AND_NOT")),
    ),
}
"""The rules by tier. The kinds of which an expert item has a true one are disjunction and negation, as in the paper."""


def check_tier(tier: str) -> Tier:
    """Return ``tier`` if it names an operator tier; raise CoordinateError otherwise."""
    for known in OPERATOR_TIERS:
        if tier == known:
            return known
    raise CoordinateError(f"tier {tier!r} is not one of {', '.join(map(repr, OPERATOR_TIERS))}")
