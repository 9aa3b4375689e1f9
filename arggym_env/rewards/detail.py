"""What a score keeps of an answer for reports: short, bounded and encodable, however hostile the answer is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from arggym_env.rewards.score import JsonValue

SHOWN_ENTRIES: Final = 20
"""How many lines of one sort a detail lists."""
SHOWN_CHARACTERS: Final = 80
"""How many characters of one line a detail shows."""


def shown(text: str) -> str:
    """Return at most the first 80 characters of ``text``, with lone surrogates escaped so that any file can hold it."""
    short = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "..."
    return short.encode("utf-8", "backslashreplace").decode("utf-8")


def shown_entries(texts: Iterable[str], limit: int = SHOWN_ENTRIES) -> list[JsonValue]:
    """Return the first ``limit`` of ``texts``, each shortened."""
    return [shown(text) for text in islice(texts, limit)]
