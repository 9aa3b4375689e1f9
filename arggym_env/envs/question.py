"""What is asked of a theory: one frozen dataclass per kind of question.

A question holds only what the model is told; the gold stands in ``Instance.reference`` alone. Fields are scalars,
tuples and dataclasses, so that every question has a JSON form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from arggym_env.errors import InstanceError
from arggym_env.rewards.execution import Goal
from arggym_env.theory.literals import is_literal


@dataclass(frozen=True, slots=True)
class Question:
    """Base class of the questions."""


@dataclass(frozen=True, slots=True)
class StatusQuestion(Question):
    """Which status does each of these claims have?

    Raises:
        InstanceError: there are no claims, or one is not a literal.
    """

    claims: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.claims:
            raise InstanceError("the question asks about no claim")
        for claim in self.claims:
            if not is_literal(claim):
                raise InstanceError(f"claim {claim!r:.80} is not a literal (an identifier, or - and an identifier)")


@dataclass(frozen=True, slots=True)
class GoalQuestion(Question):
    """What is to be added to the theory so that every goal holds?

    Raises:
        InstanceError: there are no goals; every answer would reach all of them.
    """

    goals: tuple[Goal, ...]

    def __post_init__(self) -> None:
        if not self.goals:
            raise InstanceError("the question has no goals")


Q = TypeVar("Q", bound=Question)


def expect(kind: type[Q], question: Question) -> Q:
    """Return ``question`` if it is of the kind its task asks; raise InstanceError otherwise."""
    if not isinstance(question, kind):
        raise InstanceError(f"question {question!r:.80} is not a {kind.__name__}")
    return question
