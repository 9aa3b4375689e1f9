"""The versions that every instance and every run carries (spec section 4); mixing them is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__version__: Final = "0.1.0"

GENERATOR_VERSION: Final = 1
"""Changes when the same coordinates give another theory, question, reference, minimum or floor."""
PROMPT_VERSION: Final = 1
"""Changes when the same theory and question give another prompt."""
SCORING_VERSION: Final = 1
"""Changes when the same instance and answer give another score."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What an instance was generated, worded and scored with."""

    generator: int = GENERATOR_VERSION
    prompt: int = PROMPT_VERSION
    scoring: int = SCORING_VERSION


LOGIHARD_GENERATOR_VERSION: Final = 1
"""Changes when the same LogiHard coordinates give another atomic question, formula set or order."""
LOGIHARD_PROMPT_VERSION: Final = 1
"""Changes when the same LogiHard item is worded otherwise."""
LOGIHARD_SCORING_VERSION: Final = 1
"""Changes when the same LogiHard item and answer give another score."""
LOGIHARD_VERSIONS: Final = Versions(LOGIHARD_GENERATOR_VERSION, LOGIHARD_PROMPT_VERSION, LOGIHARD_SCORING_VERSION)
"""What this package's LogiHard items are generated, worded and scored with."""
