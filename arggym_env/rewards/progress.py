"""Partial credit of a construction: how far each requested goal moved (paper appendix B).

The paper speaks of an overruled goal's "derived support subgoals" without defining them. Here they are the conclusions,
other than the goal's own, of the rule-based proper sub-arguments of the base theory's arguments for the goal. A subgoal
is relevant when it was justified before the intervention or the intervention changed its status; its support is
defeated when it is overruled afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import State
from arggym_env.errors import InstanceError
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.theory.literals import is_literal

DEADLOCK_CREDIT: Final = 0.4
"""The progress of a goal that moved to undecided instead of to the requested status."""
SUPPORT_CREDIT: Final = 0.3
"""The progress of an overruled goal that still stands although all its relevant support is defeated."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A requested postcondition: the status that ``literal`` shall have under grounded semantics.

    Raises:
        InstanceError: ``literal`` is no literal, or ``status`` is not justified, overruled or undecided.
    """

    literal: str
    status: str

    def __post_init__(self) -> None:
        if not is_literal(self.literal):
            raise InstanceError(f"goal {self.literal!r} is not a literal (an identifier, or - and an identifier)")
        if self.status not in CLAIM_STATUSES:
            allowed = ", ".join(CLAIM_STATUSES)
            raise InstanceError(f"goal status {self.status!r} of {self.literal} is not one of {allowed}")


def goal_progress(goal: Goal, before: State, after: State) -> float | None:
    """Return how far the intervention brought ``goal``, in [0, 1], or None when the goal is not applicable.

    A goal that was satisfied before is not applicable while it stays satisfied, and worth 0 once broken. Any other goal
    is worth 1 when reached; else 0.4 when it moved to undecided, or 0.3 times the defeated share of its support when it
    shall be overruled, whichever is more.

    Args:
        goal: a requested postcondition.
        before: the base theory's state.
        after: the state with the intervention.
    """
    was, now = before.status(goal.literal), after.status(goal.literal)
    if was == goal.status:
        return None if now == goal.status else 0.0
    if now == goal.status:
        return 1.0
    deadlock = DEADLOCK_CREDIT if now == "undecided" != was else 0.0
    if goal.status != "overruled":
        return deadlock
    return max(deadlock, SUPPORT_CREDIT * defeated_support(goal.literal, before, after))


def average_progress(progress: Sequence[float | None]) -> float:
    """Return the mean over the applicable goals, 0 when none is."""
    applicable = [value for value in progress if value is not None]
    return sum(applicable) / len(applicable) if applicable else 0.0


def defeated_support(literal: str, before: State, after: State) -> float:
    """Return the share of ``literal``'s relevant support that the intervention defeated, 0 when none is relevant."""
    relevant = defeated = 0
    for subgoal in support_subgoals(literal, before):
        was, now = before.status(subgoal), after.status(subgoal)
        if was == "justified" or was != now:
            relevant += 1
            defeated += now == "overruled"
    return defeated / relevant if relevant else 0.0


def support_subgoals(literal: str, state: State) -> frozenset[str]:
    """Return the conclusions of the rule-based proper sub-arguments of ``literal``'s arguments.

    ``literal`` itself is never among them: no argument concludes a literal twice on one branch.
    """
    pending = [part for argument in state.arguments_for(literal) for part in argument.subarguments]
    seen: set[int] = set()
    conclusions: set[str] = set()
    while pending:
        argument = pending.pop()
        if argument.index in seen or argument.top_rule is None:
            continue
        seen.add(argument.index)
        conclusions.add(argument.conclusion)
        pending.extend(argument.subarguments)
    return frozenset(conclusions)
