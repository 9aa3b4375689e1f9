"""Claims in words: several phrasings for each operator, and the reader that takes a phrasing back to its formula.

Which phrasing a claim gets is drawn without looking at its truth. Every claim of an item is read back and must mean the
formula that it was written for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.errors import InstanceError
from arggym_env.logihard.formulas import STATEMENTS, Formula, Operator

PHRASINGS: Final[dict[Operator, tuple[str, ...]]] = {
    "EXACT": (
        "Only {0}.",
        "{0} and no other.",
        "{0} alone is the correct answer.",
        "{0} is the correct answer, and the other three are not.",
    ),
    "OR": (
        "{0} or {1}.",
        "At least one of {0} and {1}.",
        "{0} is the correct answer, or {1} is.",
        "The correct answer is among {0} and {1}.",
    ),
    "NOT": (
        "Not {0}.",
        "{0} is not the correct answer.",
        "The correct answer is not {0}.",
        "It is not the case that {0} is the correct answer.",
    ),
    "NOT_AND_NOT": (
        "Neither {0} nor {1}.",
        "Not {0} and not {1}.",
        "{0} is not the correct answer, and {1} is not either.",
        "The correct answer is not {0}, and it is not {1}.",
    ),
    "NONE": (
        "None of the four.",
        "Not one of the four statements is the correct answer.",
        "Not I, not II, not III and not IV.",
    ),
}
"""Each operator's phrasings; the numbers in braces are the places of the statements that the formula names."""

READING: Final = """\
How to read an option. Each option below speaks of which statement is the correct answer to the question, and of \
nothing else. A numeral in an option stands for "this statement is the correct answer". So "not II" says that II is \
not the correct answer; it does not say that II is false. A statement that is not entailed is not thereby false: one \
that is left open may happen to be true without being the correct answer. "II or IV" holds when at least one of the \
two is the correct answer; "only II" holds when II is and the other three are not."""
"""What a newcomer has to know to read the claims; stated in every prompt."""


def word(formula: Formula, stream: Stream) -> str:
    """Return ``formula`` in one of its operator's phrasings, its statements in random order."""
    named = stream.shuffled(formula.statements)
    return stream.choice(PHRASINGS[formula.operator]).format(*(STATEMENTS[index] for index in named))


def read(claim: str) -> Formula:
    """Return what ``claim`` says.

    Raises:
        InstanceError: the text is not a claim, or can be read in two ways.
    """
    readings = {
        Formula(operator, tuple(sorted(STATEMENTS.index(numeral) for numeral in match.groups())))
        for operator, pattern in _patterns()
        if (match := pattern.fullmatch(claim))
    }
    if len(readings) != 1:
        raise InstanceError(f"claim {claim!r:.80} has {len(readings)} readings, not one")
    return readings.pop()


@cache
def _patterns() -> tuple[tuple[Operator, re.Pattern[str]], ...]:
    """Return a pattern for each phrasing, whose groups are the numerals."""
    numeral = f"({'|'.join(STATEMENTS)})"
    return tuple(
        (operator, re.compile(re.escape(phrasing).replace(r"\{0\}", numeral).replace(r"\{1\}", numeral)))
        for operator, phrasings in PHRASINGS.items()
        for phrasing in phrasings
    )
