"""Shortcuts: ways to pick an option of an atomic question without reasoning, for measuring what its wording gives away.

A shortcut names the options that it cannot tell apart; one of them is then picked at random. Among four options each
should be right a quarter of the time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from arggym_env.logihard.atomic import OPTION_COUNT, AtomicMCQ

Shortcut: TypeAlias = Callable[[AtomicMCQ], Sequence[int]]

_WORD: Final = re.compile(r"[\w'-]+")


def success(shortcut: Shortcut, question: AtomicMCQ) -> float:
    """Return the probability that the shortcut finds the key of the question."""
    picks = shortcut(question)
    return (question.answer in picks) / len(picks)


def longest(question: AtomicMCQ) -> Sequence[int]:
    """Return the options with the most characters."""
    return _highest([len(option) for option in question.options])


def shortest(question: AtomicMCQ) -> Sequence[int]:
    """Return the options with the fewest characters."""
    return _highest([-len(option) for option in question.options])


def most_shared_words(question: AtomicMCQ) -> Sequence[int]:
    """Return the options of which the most different words stand in the context."""
    context = set(_words(question.context))
    return _highest([len(context.intersection(_words(option))) for option in question.options])


def most_mentioned(question: AtomicMCQ) -> Sequence[int]:
    """Return the options whose words stand in the context most often."""
    return _highest(_mentions(question))


def least_mentioned(question: AtomicMCQ) -> Sequence[int]:
    """Return the options whose words stand in the context least often."""
    return _highest([-count for count in _mentions(question)])


def _position(index: int) -> Shortcut:
    return lambda question: (index,)


SHORTCUTS: Final[Mapping[str, Shortcut]] = MappingProxyType(
    {
        "longest": longest,
        "shortest": shortest,
        "most_shared_words": most_shared_words,
        "most_mentioned": most_mentioned,
        "least_mentioned": least_mentioned,
        **{f"option_{index + 1}": _position(index) for index in range(OPTION_COUNT)},
    }
)
"""Every shortcut by name."""


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _mentions(question: AtomicMCQ) -> list[int]:
    counts = Counter(_words(question.context))
    return [sum(counts[word] for word in set(_words(option))) for option in question.options]


def _highest(values: Sequence[int]) -> Sequence[int]:
    return [index for index, value in enumerate(values) if value == max(values)]
