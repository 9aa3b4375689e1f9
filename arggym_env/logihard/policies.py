"""Answers without reasoning, for the baseline agents: one letter, all letters, and what solvers and shortcuts say.

A shortcut names an option of the atomic question; where claims are asked for, it answers as if that option were the
key. Of options that it cannot tell apart it takes the first, which stands in a random place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.frozenmap import FrozenMap
from arggym_env.instances import LogiHardItem
from arggym_env.logihard.answers import LETTERS, join_letters
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.blind import SOLVERS, bayes_table
from arggym_env.logihard.formulas import true_indices
from arggym_env.logihard.shortcuts import SHORTCUTS

ALL_LETTERS: Final = "all_letters"


def policies(item: LogiHardItem) -> FrozenMap[str]:
    """Return the answers of the policies that mean something for ``item``, by name; none looks at the key."""
    count = option_count(item)
    found = {letter: letter for letter in LETTERS[:count]}
    found[ALL_LETTERS] = join_letters(range(count))
    if not isinstance(item, BaseItem):
        for name, solver in SOLVERS.items():
            chosen = solver(item.formulas)
            if chosen:
                indices = [index for index, formula in enumerate(item.formulas) if formula in chosen]
                found[name.replace(" ", "_")] = join_letters(indices)
    shown = replace(item.atomic, options=item.options if isinstance(item, BaseItem) else item.statements, answer=0)
    for name, shortcut in SHORTCUTS.items():
        if not name.startswith("option_"):
            found[name] = _as_if(item, shortcut(shown))
    return FrozenMap(found)


def guess(item: LogiHardItem, stream: Stream) -> str:
    """Return a random answer of the right form: a letter of an atomic question, else any letters but none."""
    count = option_count(item)
    if isinstance(item, BaseItem):
        return LETTERS[stream.below(count)]
    chosen = 1 + stream.below(2**count - 1)
    return join_letters(index for index in range(count) if chosen >> index & 1)


def blind_answer(item: LogiHardItem, stream: Stream) -> str:
    """Return the answer that earns the item's floor on average: the best one that never sees the question."""
    if isinstance(item, BaseItem):
        return guess(item, stream)
    answer, _ = bayes_table(item.tier, item.sampler)[frozenset(item.formulas)]
    return join_letters(index for index, formula in enumerate(item.formulas) if formula in answer)


def option_count(item: LogiHardItem) -> int:
    """Return how many letters there are to choose from."""
    return len(item.options if isinstance(item, BaseItem) else item.claims)


def _as_if(item: LogiHardItem, picked: Sequence[int]) -> str:
    """Return the answer of somebody for whom the first of these options or statements is the key."""
    key = min(picked)
    if isinstance(item, BaseItem):
        return LETTERS[key]
    return join_letters(true_indices(item.formulas, key))
