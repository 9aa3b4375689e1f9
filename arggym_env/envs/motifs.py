"""The building blocks of generated theories: branching lines, planned conflicts, conflicts of sets.

Each motif states directives in a draft and returns the lines that it made. A planned outcome is a plan: the engine has
the last word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from arggym_env.envs.draft import Draft, Line, contrary


class Outcome(Enum):
    """What an attack is planned to achieve."""

    WINS = "wins"
    """The attack defeats its target, and is not defeated back."""
    TIES = "ties"
    """Attacker and target defeat each other."""
    LOSES = "loses"
    """The attack fails because the attacker is weaker."""


@dataclass(frozen=True, slots=True)
class Mix:
    """How often lines do what.

    Attributes:
        strict: share of strict rules among a line's steps.
        junction: chance that a step joins a second, short line.
        axiom: chance that a line starts from an axiom.
    """

    strict: float
    junction: float
    axiom: float = 0.15


def ground(draft: Draft, mix: Mix) -> Line:
    """Return a fresh starting point: an ordinary premise or an axiom."""
    return draft.axiom() if draft.stream.chance(mix.axiom) else draft.premise()


def grow(draft: Draft, base: Line, steps: int, mix: Mix, literal: str | None = None) -> Line:
    """Return ``base`` continued by ``steps`` rules, the last of which concludes ``literal`` (fresh by default)."""
    for step in range(steps):
        subs = [base]
        if draft.stream.chance(mix.junction):
            side = ground(draft, mix)
            # A derived side line only where it is not the higher one, so that ``steps`` bounds the height.
            subs.append(draft.defeasible([side]) if base.height and draft.stream.chance(0.5) else side)
        base = draft.step(subs, mix.strict, literal if step == steps - 1 else None)
    return base


def targets(line: Line) -> list[Line]:
    """Return the different steps of ``line`` at which it can be attacked, top first."""
    return [step for step in dict.fromkeys(line.steps()) if step.is_attackable]


def rebut(draft: Draft, target: Line, base: Line, outcome: Outcome) -> Line:
    """Attack a defeasible step or an ordinary premise at its literal by a defeasible rule from ``base``."""
    attacker = draft.defeasible([base], contrary(target))
    settle(draft, target, attacker, outcome)
    return attacker


def undercut(draft: Draft, target: Line, base: Line) -> Line:
    """Switch off the defeasible rule that ``target`` ends in, by a rule from ``base``; preferences cannot stop it."""
    if target.rule is None:
        raise ValueError(f"{target.literal} is a premise and cannot be undercut")
    return draft.defeasible([base], "-" + target.rule.name)


def undermine(draft: Draft, target: Line, outcome: Outcome) -> Line:
    """Attack an ordinary premise by stating its contrary as another ordinary premise."""
    attacker = draft.premise(contrary(target))
    settle(draft, target, attacker, outcome)
    return attacker


def settle(draft: Draft, target: Line, attacker: Line, outcome: Outcome) -> bool:
    """State the preferences that ``outcome`` needs; return False when the ordering cannot rank the two so."""
    if outcome is Outcome.TIES:
        return True
    weaker, stronger = (target, attacker) if outcome is Outcome.WINS else (attacker, target)
    return draft.rank(weaker, stronger)


def joint_attack(draft: Draft, target: Line, bases: Sequence[Line]) -> tuple[Line, list[Line]]:
    """Attack ``target`` by a strict rule over several defeasible lines, one of which is weaker than the target.

    The set ordering decides: one member is weaker than the target and the others are not, so the attack fails under
    elitist and succeeds under democratic comparison.

    Returns:
        The attacker and its defeasible members.
    """
    members = [draft.defeasible([base]) for base in bases]
    attacker = draft.strict(members, contrary(target))
    draft.rank(draft.stream.choice(members), target, elitist=True)
    return attacker, members


def ranked_dispute(draft: Draft) -> tuple[Line, Line]:
    """State a line and a rebuttal of it that one of them wins; by the other link principle the two would tie.

    Returns:
        The line and its rival.
    """
    line, base = (draft.defeasible([draft.premise()]) for _ in range(2))
    line = draft.defeasible([line])
    return line, rebut(draft, line, base, draft.stream.choice((Outcome.WINS, Outcome.LOSES)))
