"""Names and words of equal length, so that an option's length depends on its form alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_PEOPLE: Final = """
Adam Anna Carl Dora Emil Enzo Fred Gina Hugo Igor Iris Ivan Jack Jose Juan Kate Kurt Lena Liam Luca Mary Nils Noah Olga
Omar Otto Owen Paul Pete Rosa Ruth Sean Theo Tina Vera Yuri Zara Zoey
"""
_TRADES: Final = """
bankers barbers dancers doctors drivers farmers hunters lawyers loggers players potters readers runners sailors singers
skaters surfers tailors tanners waiters weavers welders writers
"""
_QUALITIES: Final = """
agile alert angry brave early funny happy hardy loyal lucky merry noisy proud quiet sober silly smart tired witty young
"""

PEOPLE: Final = tuple(_PEOPLE.split())
"""First names of four letters."""
TRADES: Final = tuple(_TRADES.split())
"""What people may be, in the plural, of seven letters."""
QUALITIES: Final = tuple(_QUALITIES.split())
"""How people may be, of five letters."""
VERBS: Final = (("comes", "come"), ("votes", "vote"), ("sings", "sing"), ("stays", "stay"), ("helps", "help"))
"""What people may do: as affirmed, and after "does not"."""


def listed(names: Sequence[str]) -> str:
    """Return two or more names as a list in words: ``Anna, Otto and Mary``."""
    return f"{', '.join(names[:-1])} and {names[-1]}"
