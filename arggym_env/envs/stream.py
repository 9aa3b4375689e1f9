"""The random stream that makes generation a pure function of its coordinates (spec section 4).

Raw words of NumPy's Philox bit generator are stable by contract; the methods of ``numpy.random.Generator`` and of
``random`` are not, so drawing, choosing and shuffling are done here, on the words alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np

T = TypeVar("T")

_BLOCK: Final = 256
_WORD: Final = 1 << 64


class Stream:
    """A deterministic stream of draws, keyed by strings and integers.

    Two streams with the same key give the same draws on any machine, Python or NumPy version; streams with different
    keys are independent.
    """

    def __init__(self, *key: str | int) -> None:
        text = "\x1f".join(f"{type(part).__name__}:{part}" for part in key)
        digest = hashlib.sha256(text.encode()).digest()
        self._source = np.random.Philox(
            key=int.from_bytes(digest[:16], "little"), counter=int.from_bytes(digest[16:], "little")
        )
        self._words: list[int] = []

    def word(self) -> int:
        """Return the next raw word: an integer from 0 to 2**64 - 1."""
        if not self._words:
            self._words = self._source.random_raw(_BLOCK).tolist()
            self._words.reverse()
        return self._words.pop()

    def below(self, bound: int) -> int:
        """Return a uniform integer from 0 to ``bound`` - 1."""
        if not 1 <= bound <= _WORD:
            raise ValueError(f"bound {bound} is not in 1..2**64")
        limit = _WORD - _WORD % bound
        while (word := self.word()) >= limit:
            pass
        return word % bound

    def between(self, low: int, high: int) -> int:
        """Return a uniform integer from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.word() < probability * _WORD

    def choice(self, items: Sequence[T]) -> T:
        """Return one of ``items``, uniformly."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], size: int) -> list[T]:
        """Return ``size`` different positions of ``items``, in random order."""
        if not 0 <= size <= len(items):
            raise ValueError(f"cannot draw {size} of {len(items)} items")
        pool = list(items)
        for index in range(size):
            other = index + self.below(len(pool) - index)
            pool[index], pool[other] = pool[other], pool[index]
        return pool[:size]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all ``items`` in random order."""
        return self.sample(items, len(items))
