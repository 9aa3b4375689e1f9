"""The audit of the LogiHard suite: every key derived again from its text, every option evaluated again.

For each row: it decodes and encodes to the same bytes; the key follows from the context by an independent reader, or by
PyArg for the argumentation family, and no other option does; the letters that the prompt makes right, its claims read
by keyword, are the reference's; the reference scores 1 with success and no other selection of letters does; a hardened
row's question is an atomic row too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from arggym_env.errors import ArgGymError
from arggym_env.instances import LogiHardItem, read_item, score_item
from arggym_env.logihard.answers import LETTERS
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.rederive import derived_keys, derived_letters
from arggym_env.parallel import in_order

LOGIHARD_CHECKS: Final = ("decoding", "keys", "options", "rescoring", "pairs")
"""The kinds of failure that are counted."""


@dataclass(frozen=True, slots=True)
class LogiHardRowAudit:
    """What the audit found about one row.

    Attributes:
        id: the row.
        failures: what does not hold, each as (check, description).
        question: the atomic question's id.
        family: its family.
        tier: "base" or the operator tier.
        reference: the letters that are right.
    """

    id: str
    failures: tuple[tuple[str, str], ...]
    question: str = ""
    family: str = ""
    tier: str = ""
    reference: str = ""


@dataclass(slots=True)
class LogiHardReport:
    """The sums over a suite."""

    rows: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    by_family: dict[str, Counter[str]] = field(default_factory=dict)
    letters: dict[str, Counter[str]] = field(default_factory=dict)
    """By tier, in how many rows each letter is right."""

    def add(self, found: LogiHardRowAudit) -> None:
        """Count one row."""
        self.rows += 1
        self.failures.update(check for check, _ in found.failures)
        self.examples.extend(f"{found.id}: {check}: {text}" for check, text in found.failures)
        if found.tier:
            self.by_family.setdefault(found.family, Counter())[found.tier] += 1
            self.letters.setdefault(found.tier, Counter()).update(found.reference.split(", "))


def audit_logihard(
    lines: Sequence[tuple[str, str]],
    *,
    oracle: bool = True,
    workers: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> LogiHardReport:
    """Return what the audit found over rows given as (id, JSON line).

    Args:
        lines: the rows; those with an atomic row among them count as paired.
        oracle: whether PyArg, rather than the native engine, decides the argumentation family.
        workers: processes to use.
        progress: called with the number of rows done after each.
    """
    report = LogiHardReport()
    atomic: set[str] = set()
    for found in _audits(lines, "pyarg" if oracle else "native", workers):
        if found.tier == "base":
            atomic.add(found.question)
        elif found.tier and found.question not in atomic:
            unpaired = ("pairs", f"question {found.question} is no atomic row before this one")
            found = LogiHardRowAudit(found.id, (*found.failures, unpaired), *_rest(found))
        report.add(found)
        progress(report.rows)
    return report


def _rest(found: LogiHardRowAudit) -> tuple[str, str, str, str]:
    return found.question, found.family, found.tier, found.reference


def _audits(lines: Sequence[tuple[str, str]], engine: str, workers: int) -> Iterator[LogiHardRowAudit]:
    return in_order(_audit_job, [(row, line, engine) for row, line in lines], workers, chunk=16)


def _audit_job(job: tuple[str, str, str]) -> LogiHardRowAudit:
    return audit_logihard_row(*job)


def audit_logihard_row(row: str, line: str, engine: str = "pyarg") -> LogiHardRowAudit:
    """Return what does not hold of the row stored as ``line``, pairing apart."""
    try:
        item = read_item(line)
    except ArgGymError as error:
        return LogiHardRowAudit(row, (("decoding", str(error)),))
    failures = []
    if item.id != row or item.to_json() != line:
        failures.append(("decoding", "the row does not encode to its own bytes"))
    try:
        failures += _gold_failures(item, derived_keys(item.atomic, engine))
    except ArgGymError as error:
        failures.append(("keys", str(error)))
    failures += _score_failures(item)
    tier = "base" if isinstance(item, BaseItem) else item.tier
    return LogiHardRowAudit(row, tuple(failures), item.atomic.id, item.atomic.family, tier, item.reference)


def _gold_failures(item: LogiHardItem, keys: list[int]) -> Iterator[tuple[str, str]]:
    if keys != [item.atomic.answer]:
        yield "keys", f"options {keys} follow from the text, the key is {item.atomic.answer}"
        return
    letters = ", ".join(derived_letters(item, item.atomic.answer))
    if letters != item.reference:
        yield "options", f"the prompt makes {letters} right, the reference is {item.reference}"


def _score_failures(item: LogiHardItem) -> Iterator[tuple[str, str]]:
    count = len(item.options) if isinstance(item, BaseItem) else len(item.claims)
    for size in range(1, count + 1):
        for chosen in combinations(LETTERS[:count], size):
            answer = ", ".join(chosen)
            verdict = score_item(item, f"<think>\nhm\n</think>\n{answer}")
            if (verdict.native, verdict.success) != (float(answer == item.reference), answer == item.reference):
                yield "rescoring", f"{answer} scores {verdict.native} ({verdict.reason})"
