"""The theories that records are about, read from what the records hold, and their pictures for a report.

A record keeps the prompt as it was sent, and that states the theory; nothing is generated or looked up, so the pictures
are of what the model was really asked, in runs of any suite and age. Questions that state no theory have no picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from arggym_env.engine import evaluate
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.errors import ArgGymError
from arggym_env.evaluation.record import Record
from arggym_env.picture import draw
from arggym_env.theory import Theory, parse_directive

STATED_BY_REFERENCE: Final = "formalization"
"""The task whose prompt describes its theory in words; the reference states it."""

_STATUS_LINE: Final = re.compile(
    r"^(?P<claim>-?[A-Za-z]\w*)(?: under [a-z ]+)?: (?:justified|overruled|undecided|no stable extension)$",
    re.MULTILINE,
)
_CLAIM: Final = re.compile(r"^The claim (?P<claim>-?[A-Za-z]\w*) is ", re.MULTILINE)
_MOST_ARGUMENTS: Final = 1000
"""Of a theory that is drawn in a report; the tasks' own have at most a few hundred."""


class Passage(NamedTuple):
    """Lines of a text, from ``first`` on and before ``end``, that state a theory."""

    source: str
    """Which text: "prompt" or "reference"."""
    first: int
    end: int
    theory: Theory


def find_theory(record: Record, prompt: str) -> Passage | None:
    """Return where the theory of ``record`` is stated; None if nothing states one.

    Args:
        record: the record.
        prompt: its prompt.
    """
    if record.ordering not in ORDERINGS:
        return None
    source, text = "prompt", prompt
    if record.task == STATED_BY_REFERENCE:
        source, text = "reference", record.reference
    lines = text.split("\n")
    first = next((place for place, line in enumerate(lines) if _is_directive(line)), len(lines))
    end = first
    while end < len(lines) and _is_directive(lines[end]):
        end += 1
    try:
        theory = Theory.parse("\n".join(lines[first:end]))
    except ArgGymError:
        return None
    return Passage(source, first, end, theory) if theory.directives else None


def picture_of(record: Record, prompt: str, theory: Theory) -> str | None:
    """Return the picture of ``theory`` with what ``record`` asks set off; None if there is too much of it to draw."""
    try:
        state = evaluate(theory, record.ordering, max_arguments=_MOST_ARGUMENTS)
        return draw(state, title=record.id, asked=dict(_asked(record, prompt)))
    except ArgGymError:
        return None


def _asked(record: Record, prompt: str) -> Iterator[tuple[str, str]]:
    """Yield the claims that a record is about, and what is asked of them, as its texts and its score say it."""
    what = "changes" if record.task == "perturbation" else "asked"
    for text in (prompt, record.reference):
        for pattern in (_CLAIM, _STATUS_LINE):
            yield from ((found["claim"], what) for found in pattern.finditer(text))
    goals = record.score.detail.get("goals") if record.score else None
    for goal in goals if isinstance(goals, list) else ():
        if isinstance(goal, Mapping):
            yield str(goal.get("literal")), f"wanted: {goal.get('requested')}"


def _is_directive(line: str) -> bool:
    if not line.startswith("["):
        return False
    try:
        parse_directive(line)
    except ArgGymError:
        return False
    return True
