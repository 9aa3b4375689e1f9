"""The contract of the six constructive tasks: an intervention is run, not compared (paper appendix B).

The readable directives of an answer are judged (:mod:`~arggym_env.rewards.legality`), the retained ones are added to
the base theory, and the statuses are recomputed under the instance's ordering. With m the recorded minimum and n the
number of readable directives, duplicates and refused ones included:

* a line that cannot be read, or n > 2m: 0, before anything is run;
* every goal reached and the theory consistent: success, 0.5 + 0.5 min(1, m/n); 1 when no minimum is known;
* an inconsistent theory: 0, whatever the goals;
* otherwise 0.25 times the average progress over the applicable goals, at most 0.25.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate, evaluate_once
from arggym_env.errors import ArgumentLimitExceeded, TheoryError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.detail import SHOWN_ENTRIES, shown, shown_entries
from arggym_env.rewards.legality import Judgement, Legality, judge
from arggym_env.rewards.progress import Goal, average_progress, goal_progress
from arggym_env.rewards.score import JsonValue, Reason, Score
from arggym_env.theory import Directive, Theory, parse_directive
from arggym_env.theory.typography import Line, content_lines

__all__ = ["PARTIAL_CREDIT", "Goal", "score_construction"]

PARTIAL_CREDIT: Final = 0.25
"""What full progress without success is worth."""


def score_construction(
    theory: Theory,
    ordering: str,
    goals: Sequence[Goal],
    legality: Legality,
    min_directives: int | None,
    answer: str,
    *,
    engine: str = "native",
    max_arguments: int = DEFAULT_MAX_ARGUMENTS,
) -> Score:
    """Return the score of an intervention.

    Lines are read in order; the first one that cannot be read, or that is the (2m+1)-th directive, ends the reading
    and names the reason, so a flood costs no more than a short answer.

    Args:
        theory: the base theory.
        ordering: one of the four orderings.
        goals: the postconditions, all of which success requires.
        legality: the kinds of directive that the task permits.
        min_directives: the recorded minimum m; None when none is known: then success scores 1 and n has no bound.
        answer: the text of the answer region.
        engine: the name of the engine that computes the statuses.
        max_arguments: how many arguments the answer's theory may have; more score 0.

    Raises:
        ArgumentLimitExceeded: the base theory itself has more arguments than ``max_arguments``.
    """
    reading = _read(answer, None if min_directives is None else 2 * min_directives)
    if isinstance(reading, Score):
        return reading
    judgement = judge(theory, legality, reading)
    detail = _submission(judgement, len(reading), min_directives)
    before = evaluate_once(theory, ordering, engine=engine, max_arguments=max_arguments)
    after = before
    if judgement.retained:
        try:
            after = evaluate(theory.add(judgement.retained), ordering, engine=engine, max_arguments=max_arguments)
        except ArgumentLimitExceeded:
            return Score(0.0, False, True, Reason.TOO_MANY_ARGUMENTS, FrozenMap(detail))
    return _verdict(goals, before, after, len(reading), min_directives, detail)


def _read(answer: str, limit: int | None) -> list[Directive] | Score:
    """Return the directives of ``answer``, or the score of an answer that is not run."""
    directives: list[Directive] = []
    for line in _lines(answer):
        try:
            directives.append(parse_directive(line.text))
        except TheoryError as error:
            problem: JsonValue = {"line": line.number, "text": shown(line.text), "problem": shown(error.message)}
            return Score(0.0, False, True, Reason.UNREADABLE, FrozenMap({"unreadable": problem}))
        if limit is not None and len(directives) > limit:
            allowed: JsonValue = limit
            return Score(0.0, False, True, Reason.TOO_MANY_DIRECTIVES, FrozenMap({"allowed": allowed}))
    return directives or Score(0.0, False, False, Reason.EMPTY_ANSWER)


def _lines(answer: str) -> Iterator[Line]:
    """Yield the content lines of ``answer`` one by one, so that a reader who stops early pays for what it read."""
    for number, raw in enumerate(answer.splitlines(), start=1):
        for line in content_lines(raw):
            yield Line(number, line.text)


def _submission(judgement: Judgement, submitted: int, minimum: int | None) -> dict[str, JsonValue]:
    """Return what a score tells about the directives themselves."""
    refused: list[JsonValue] = [
        {"directive": shown(str(entry.directive)), "refusal": str(entry.refusal)}
        for entry in judgement.refused[:SHOWN_ENTRIES]
    ]
    return {
        "directives": submitted,
        "minimum": minimum,
        "retained": shown_entries(map(str, judgement.retained)),
        "refused": refused,
    }


def _verdict(
    goals: Sequence[Goal],
    before: State,
    after: State,
    submitted: int,
    minimum: int | None,
    detail: dict[str, JsonValue],
) -> Score:
    """Return the score of an intervention that was run."""
    progress = [goal_progress(goal, before, after) for goal in goals]
    detail["goals"] = [
        {
            "literal": goal.literal,
            "requested": goal.status,
            "before": before.status(goal.literal),
            "after": after.status(goal.literal),
            "progress": value,
        }
        for goal, value in zip(goals, progress, strict=True)
    ]
    if not after.is_consistent:
        return Score(0.0, False, True, Reason.INCONSISTENT, FrozenMap(detail))
    if all(after.status(goal.literal) == goal.status for goal in goals):
        native = 1.0 if minimum is None else 0.5 + 0.5 * min(1.0, minimum / submitted)
        reason = Reason.CORRECT if native == 1.0 else Reason.NOT_MINIMAL
        return Score(native, True, True, reason, FrozenMap(detail))
    return Score(PARTIAL_CREDIT * average_progress(progress), False, True, Reason.GOALS_MISSED, FrozenMap(detail))
