"""The space of prompts and completions.

``gymnasium.spaces.Text`` holds only strings over a fixed alphabet up to a fixed length, and under a shared-memory
vector environment its subclasses come back as garbage. A completion may be any string, so this is a space of its own:
Gymnasium batches it into tuples of strings, and refuses it loudly where it would need shared memory.
"""

from __future__ import annotations

from typing import Final

import gymnasium as gym
import numpy as np

_PRINTABLE: Final = "".join(map(chr, range(0x20, 0x7F)))
_LONGEST_SAMPLE: Final = 32


class TextSpace(gym.Space[str]):
    """All Python strings, whatever their length and characters (the empty string and lone surrogates too).

    Args:
        seed: seeds ``sample``.
    """

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: a string has no fixed-size array form."""
        return False

    def contains(self, x: object) -> bool:
        """Return whether ``x`` is a string."""
        return isinstance(x, str)

    def sample(self, mask: None = None, probability: None = None) -> str:
        """Return a printable ASCII string of 1 to 32 characters; the seed determines it.

        Raises:
            ValueError: a mask was given; a space without a finite alphabet has none.
        """
        if mask is not None or probability is not None:
            raise ValueError("TextSpace.sample takes no mask and no probability")
        source = self.np_random.bit_generator
        length = 1 + _word(source) % _LONGEST_SAMPLE
        return "".join(_PRINTABLE[_word(source) % len(_PRINTABLE)] for _ in range(length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextSpace)

    def __hash__(self) -> int:
        return hash(TextSpace)

    def __repr__(self) -> str:
        return "TextSpace()"


def _word(source: np.random.BitGenerator) -> int:
    """Return the next raw word; raw words are the part of NumPy's randomness that no version changes."""
    return int(source.random_raw())
