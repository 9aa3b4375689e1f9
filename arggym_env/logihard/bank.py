"""Item banks: the frozen LogiHard suite, or items of one's own, as a computerised adaptive test asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from arggym_env.frozen import load_frozen
from arggym_env.instances import LogiHardItem, score_item
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.cat import Examinee, Outcome
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.irt import Item, calibrate


def bank_of(items: Iterable[LogiHardItem]) -> tuple[Item, ...]:
    """Return ``items`` as a bank, with parameters by rule: a by tier, b by level and tier, c = 0.25; uncalibrated.

    A family that is not ours has as many levels as the highest of its items here.
    """
    items = list(items)
    levels: dict[str, int] = {}
    for item in items:
        family = FAMILIES.get(item.atomic.family)
        here = len(family.levels) if family else item.level
        levels[item.atomic.family] = max(1, here, levels.get(item.atomic.family, 1))
    return tuple(_calibrated(item, levels[item.atomic.family]) for item in items)


def frozen_bank() -> tuple[Item, ...]:
    """Return the frozen LogiHard suite as a bank."""
    return bank_of(load_frozen("logihard"))


def answering(items: Iterable[LogiHardItem], respond: Callable[[str], str | None]) -> Examinee:
    """Return the examinee who answers the items' prompts with ``respond``.

    Args:
        items: the items of the bank.
        respond: returns the completion for a prompt, None if none could be obtained.
    """
    known: Mapping[str, LogiHardItem] = {item.id: item for item in items}

    def examinee(asked: Item) -> Outcome:
        completion = respond(known[asked.id].prompt)
        if completion is None:
            return "error"
        verdict = score_item(known[asked.id], completion)
        if verdict.success:
            return "right"
        return "wrong" if verdict.detail.get("chosen") else "unparsable"

    return examinee


def _calibrated(item: LogiHardItem, levels: int) -> Item:
    if isinstance(item, BaseItem):
        return calibrate(item.id, "base", level=item.level, levels=levels)
    return calibrate(item.id, item.tier, level=item.level, levels=levels, options=len(item.claims))
