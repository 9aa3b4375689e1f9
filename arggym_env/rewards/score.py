"""What scoring returns: a native score, success, and why (paper section 4.2 and appendix B)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from arggym_env.frozenmap import FrozenMap

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"


class Reason(StrEnum):
    """Why an answer got the score it got; ``correct`` exactly for native 1 with success."""

    CORRECT = "correct"
    NOT_TEXT = "not_text"
    """The completion is not a string."""
    NO_ANSWER = "no_answer"
    """The completion has no complete answer region."""
    ANSWER_IN_THOUGHTS = "answer_in_thoughts"
    """The only complete answer region stands inside the thinking."""
    EMPTY_ANSWER = "empty_answer"
    """The answer region holds no content."""
    UNREADABLE = "unreadable"
    """A line of the answer cannot be read, and the task's contract scores such an answer 0."""
    WRONG = "wrong"
    """The answer was read and is not right."""
    NOT_MINIMAL = "not_minimal"
    """A construction succeeds with more directives than the minimum: success, native below 1."""
    NOT_IDENTICAL = "not_identical"
    """A formalization behaves like the reference but states something else: success, native below 1."""
    TOO_MANY_DIRECTIVES = "too_many_directives"
    """A construction uses more than twice the minimum and was not executed."""
    GOALS_MISSED = "goals_missed"
    """A construction leaves a requested status unreached."""
    INCONSISTENT = "inconsistent"
    """A construction leaves a literal and its negation both justified."""
    TOO_MANY_ARGUMENTS = "too_many_arguments"
    """The answer's theory has more arguments than ``max_arguments``."""


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one completion.

    Attributes:
        native: the task-native score in [0, 1]; comparable only within a task.
        success: whether the whole task is solved.
        answer_found: whether the completion had a complete, non-empty answer region after its thinking.
        reason: why the score is what it is.
        detail: JSON values for reports and debugging: the parsed answer, matched / missing / extra entries, recomputed
            statuses, refused directives; the keys depend on the task's contract.
    """

    native: float
    success: bool
    answer_found: bool
    reason: Reason
    detail: Mapping[str, JsonValue] = field(default_factory=FrozenMap)
