"""What answers without reasoning earn on the LogiHard suite (spec section 8).

On atomic rows: the shortcuts by wording and one letter throughout. On hardened rows: solvers that never see the
question, one letter throughout, and the best blind answer there is; and, as mixed attacks, a statement picked by a
shortcut and answered consistently. A tie counts with its chance of being right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from arggym_env.instances import LogiHardItem
from arggym_env.logihard.answers import LETTERS
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.blind import SOLVERS, truth
from arggym_env.logihard.hardening import CombinatorialItem
from arggym_env.logihard.shortcuts import SHORTCUTS, success
from arggym_env.logihard.tiers import OPERATOR_TIERS

SHORTCUT_LIMIT: Final = 0.35
"""The largest share of rows on which a shortcut may find the key."""
CHANCE: Final = 0.25
"""What a question-blind answer to a balanced row may earn, and what a guess among four options does."""
STANDARD_ERRORS: Final = 4
"""How far sampling may carry a share above chance."""


@dataclass(frozen=True, slots=True)
class BlindShare:
    """What one attack earns.

    Attributes:
        rows_of: "base", an operator tier, or "combinatorial" for all hardened rows.
        attack: the attack's name.
        rows: how many rows.
        share: the share on which it is exactly right.
        limit: the largest share that is allowed.
    """

    rows_of: str
    attack: str
    rows: int
    share: float
    limit: float

    @property
    def meets_target(self) -> bool:
        """Whether the share is within the limit."""
        return self.share <= self.limit


def measure_logihard(items: Iterable[LogiHardItem]) -> list[BlindShare]:
    """Return what every attack earns, by kind of row: atomic, all hardened, each tier; the best attack first."""
    base, hardened = [], []
    for item in items:
        if isinstance(item, BaseItem):
            base.append(dict(_base_attacks(item)))
        else:
            hardened.append((item.tier, dict(_blind_attacks(item)), dict(_mixed_attacks(item))))
    found = _shares("base", base, lambda rows: SHORTCUT_LIMIT)
    for rows_of in ("combinatorial", *OPERATOR_TIERS):
        chosen = [(blind, mixed) for tier, blind, mixed in hardened if rows_of in ("combinatorial", tier)]
        shares = _shares(rows_of, [blind for blind, _ in chosen], chance_limit)
        shares += _shares(rows_of, [mixed for _, mixed in chosen], shortcut_limit)
        found += sorted(shares, key=lambda share: (-share.share, share.attack))
    return found


def chance_limit(rows: int) -> float:
    """Return chance and four standard errors."""
    return CHANCE + STANDARD_ERRORS * math.sqrt(CHANCE * (1 - CHANCE) / rows)


def shortcut_limit(rows: int) -> float:
    """Return the shortcuts' limit, or what sampling allows if the rows are few."""
    return max(SHORTCUT_LIMIT, chance_limit(rows))


def _shares(rows_of: str, rows: list[dict[str, float]], limit: Callable[[int], float]) -> list[BlindShare]:
    names = dict.fromkeys(name for row in rows for name in row)
    shares = [
        BlindShare(rows_of, name, len(rows), fmean(row.get(name, 0.0) for row in rows), limit(len(rows)))
        for name in names
    ]
    return sorted(shares, key=lambda share: (-share.share, share.attack))


def _base_attacks(item: BaseItem) -> Iterator[tuple[str, float]]:
    shown = replace(item.atomic, options=item.options, answer=LETTERS.index(item.reference))
    for name, shortcut in SHORTCUTS.items():
        letter = name.removeprefix("option_")
        yield f"always {LETTERS[int(letter) - 1]}" if letter != name else name, success(shortcut, shown)


def _blind_attacks(item: CombinatorialItem) -> Iterator[tuple[str, float]]:
    gold = truth(item.formulas, item.key)
    for name, solver in SOLVERS.items():
        yield name, float(solver(item.formulas) == gold)
    for letter in LETTERS[: len(item.claims)]:
        yield f"always {letter}", float(item.reference == letter)
    yield "best blind answer, expected", item.floor


def _mixed_attacks(item: CombinatorialItem) -> Iterator[tuple[str, float]]:
    shown = replace(item.atomic, options=item.statements, answer=item.key)
    for name, shortcut in SHORTCUTS.items():
        if not name.startswith("option_"):
            yield f"consistent guess of the {name} statement", success(shortcut, shown)
