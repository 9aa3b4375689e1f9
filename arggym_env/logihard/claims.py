"""Claims in words: a phrasing for a formula, and the reader that takes a phrasing back to its formula.

Which phrasing a claim gets is drawn without looking at its truth. Every claim of an item is read back and must mean the
formula that it was written for.
"""

from __future__ import annotations

import re
from functools import cache

from arggym_env.envs.stream import Stream
from arggym_env.errors import InstanceError
from arggym_env.logihard.formulas import STATEMENTS, Formula, Operator
from arggym_env.logihard.wording import WORDINGS, Wording


def word(formula: Formula, wording: Wording, stream: Stream) -> str:
    """Return ``formula`` in one of its operator's phrasings, its statements in random order."""
    named = stream.shuffled(formula.statements)
    return stream.choice(wording.phrasings[formula.operator]).format(*(STATEMENTS[index] for index in named))


def read(claim: str) -> Formula:
    """Return what ``claim`` says, in whatever language.

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
        for wording in WORDINGS
        for operator, phrasings in wording.phrasings.items()
        for phrasing in phrasings
    )
