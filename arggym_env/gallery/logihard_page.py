"""The pages of LogiHard's two kinds of question, plain and hardened, made as those of the tasks are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from arggym_env.gallery.answers import Case, Scored
from arggym_env.gallery.curriculum import parameters
from arggym_env.gallery.markup import code, details, number, page, table
from arggym_env.instances import LogiHardItem, score
from arggym_env.logihard.answers import LETTERS
from arggym_env.logihard.atomic import generate_atomic
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.hardening import harden
from arggym_env.logihard.tiers import OPERATOR_TIERS, TIER_RULES

LOGIHARD_PAGES: Final[Mapping[str, str]] = {
    "logihard_base": "a multiple-choice question in logic with four options, answered by a letter",
    "logihard_combinatorial": "claims about which option of such a question is right, answered by letters",
}
"""The kinds by the names of their pages, and what is asked."""
LEVEL: Final = 3
"""The level of the examples, the middle one of five."""
EXAMPLE_SEED: Final = 0


def example_items(kind: str) -> dict[str, LogiHardItem]:
    """Return an item of each family (plain) or of each operator tier (hardened)."""
    if kind == "logihard_base":
        return {name: ask(generate_atomic(name, LEVEL, EXAMPLE_SEED), EXAMPLE_SEED) for name in FAMILIES}
    atomic = generate_atomic("knights", LEVEL, EXAMPLE_SEED)
    return {tier: harden(atomic, tier, EXAMPLE_SEED) for tier in OPERATOR_TIERS}


def logihard_page(kind: str) -> str:
    """Return the page of one of ``LOGIHARD_PAGES``."""
    items = example_items(kind)
    first = next(iter(items.values())) if kind == "logihard_base" else items["hard"]
    environment = kind.partition("_")[2]
    tier = "base" if kind == "logihard_base" else "hard"
    return page(
        f"# {kind}",
        f"`LogiHard/{environment}-v0` · `arggym sample logihard --tier {tier}` · {LOGIHARD_PAGES[kind]}",
        "Protocol, measurements against leaks, adaptive testing and where this departs from the paper: "
        "[LogiHard](../logihard.md).",
        "## What is asked, and why it is hard",
        _families() if kind == "logihard_base" else _tiers(),
        "## Examples",
        *(details(f"{name} ({item.id})", code(item.prompt)) for name, item in items.items()),
        _answers(first),
    )


def _families() -> str:
    rows = [[f"`{name}`", family.summary] for name, family in FAMILIES.items()]
    parts = [
        "One option is entailed by what is stated and takes several statements together; the others are not entailed.",
        table(["family", "what it is about"], rows, text_columns=2),
        "### Levels",
    ]
    for name, family in FAMILIES.items():
        planned = parameters(family.levels)
        head = ["level", *(parameter.name for parameter in planned)]
        body = [[str(level + 1), *(p.values[level] for p in planned)] for level in range(len(family.levels))]
        parts += [f"`{name}`:", table(head, body)]
    return page(*parts)


def _tiers() -> str:
    rows = []
    for tier, rule in TIER_RULES.items():
        low, high = rule.correct
        held = str(low) if low == high else f"{low} to {high}"
        rows.append([f"`{tier}`", str(rule.options), held, ", ".join(rule.operators)])
    return page(
        "The options of an atomic question become statements I to IV, exactly one of which is the correct answer. What "
        "is offered are claims about which one it is, and every claim that holds is to be named. A claim is read as "
        "what it says of the correct statement; one wrong letter or one missing letter fails.",
        "### Tiers",
        table(["tier", "claims", "of which hold", "operators"], rows, text_columns=4),
    )


def _answers(item: LogiHardItem) -> str:
    scored = [Scored(case.label, case.completion, score(item, case.completion)) for case in _cases(item)]
    body = [
        [
            entry.label,
            f"`{' ⏎ '.join(entry.completion.split(chr(10)))}`",
            f"`{entry.verdict.reason}`",
            number(entry.verdict.native),
            "yes" if entry.verdict.success else "no",
        ]
        for entry in scored
    ]
    return page(
        "## A right answer, and wrong ones",
        f"For `{item.id}` (floor {number(item.floor)}; ⏎ is a line break):",
        table(["answer", "completion", "reason", "native", "success"], body, text_columns=3),
    )


def _cases(item: LogiHardItem) -> Iterator[Case]:
    options = item.options if isinstance(item, BaseItem) else item.claims
    letters = LETTERS[: len(options)]
    right = item.reference
    others = [letter for letter in letters if letter not in right]
    yield Case("the reference", right)
    yield Case("the same after thinking", f"<think>Let me see.</think>\nAnswer: {right}")
    yield Case("another letter", others[0])
    yield Case("one letter too many", f"{right}, {others[0]}")
    if ", " in right:
        yield Case("one letter too few", right.partition(", ")[0])
    yield Case("all letters", ", ".join(letters))
    yield Case("lower case", right.lower())
    yield Case("prose around it", f"I think it is {right}")
    yield Case("a letter of no option", "Z")
    yield Case("inside the thinking only", f"<think><answer>{right}</answer></think>")
