"""Item banks for simulations."""

from __future__ import annotations

from arggym_env.envs.stream import Stream
from arggym_env.frozen.logihard import TIER_ROWS
from arggym_env.logihard.irt import DISCRIMINATION, Item


def published_bank(c: float) -> list[Item]:
    """Return 539 items in the paper's proportions, with difficulties evenly spread over the abilities of interest."""
    stream = Stream("test_cat", "bank")
    return [
        Item(f"{tier}-{number:03d}", tier, DISCRIMINATION[tier], stream.between(-2000, 2000) / 1000, c)
        for tier, count in TIER_ROWS.items()
        for number in range(count)
    ]
