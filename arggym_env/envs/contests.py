"""Attacks whose fate is planned: some decide what they attack, some are in vain.

A reader of the theory cannot tell them apart by their look: both kinds undermine, rebut and undercut, and what decides
is strength under the ordering, or what happens to the attacker. An *exchange* takes this furthest: a line is attacked,
its attacker is attacked in turn, and so on. How an exchange looks is drawn first, and without regard to what is to
become of the line; the outcomes of its trials of strength are drawn last, so that the line ends as planned. Whoever
leaves strength out of account, at whatever depth, therefore learns nothing from an exchange.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from arggym_env.engine.semantics import Label
from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, targets, undercut, undermine
from arggym_env.envs.stream import Stream

# Single attacks


def decisive_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack ``target`` with success under the ordering; return the attacker."""
    if target.rule is None:
        return undermine(draft, target, Outcome.WINS)
    base = grow(draft, ground(draft, mix), draft.stream.between(0, 1), mix)
    way = draft.stream.below(3)
    if draft.is_undercut(target) or way == 0:
        return undercut(draft, target, base)
    if way == 1:
        # What a strict rule concludes cannot be rebutted back.
        return draft.strict([base if base.rule else draft.defeasible([base])], contrary(target))
    return rebut(draft, target, base, Outcome.WINS)


def vain_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack ``target`` without success; return the attacker."""
    if draft.is_undercut(target) or (target.rule is not None and draft.stream.chance(0.4)):
        return defeated_attack(draft, target, mix)
    return weak_attack(draft, target, mix)


def weak_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack ``target``, which does not conclude an undercut, by a line that is weaker under the ordering."""
    if target.rule is None and draft.stream.chance(0.5):
        return undermine(draft, target, Outcome.LOSES)
    return rebut(draft, target, _base(draft, mix), Outcome.LOSES)


def defeated_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack the defeasible step ``target`` by a line that is not weaker, but is itself defeated."""
    base = _base(draft, mix)
    if draft.is_undercut(target) or draft.stream.chance(0.5):
        attacker = undercut(draft, target, base)
    else:
        attacker = rebut(draft, target, base, Outcome.TIES)
    victim = draft.stream.choice(targets(attacker))
    if victim.rule is None:
        undermine(draft, victim, Outcome.WINS)
    else:
        undercut(draft, victim, draft.premise())
    return attacker


def joint_attack_in_vain(draft: Draft, target: Line) -> Line:
    """Attack ``target`` by a line that elitist comparison makes too weak, and that the target strikes back at."""
    attacker, members = joint_attack(draft, target, [draft.premise(), draft.premise()])
    undercut(draft, draft.stream.choice(members), target)
    return attacker


def _base(draft: Draft, mix: Mix) -> Line:
    return grow(draft, draft.premise(), draft.stream.between(0, 1), mix)


# Exchanges


class Move(Enum):
    """How a line of an exchange attacks the one before it."""

    UNDERCUT = "undercut"
    """Strength does not matter."""
    REBUT = "rebut"
    UNDERMINE = "undermine"
    """By a premise, which nothing attacks in turn: always the last move."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long exchanges are.

    Attributes:
        least: fewest moves.
        most: most moves.
    """

    least: int
    most: int

    @property
    def behind(self) -> Length:
        """The length of what follows a first move."""
        return Length(max(1, self.least - 1), max(1, self.most - 1))


_Outcomes: TypeAlias = tuple[Outcome, ...]
_REUSED: Final = 0.85
"""Chance that a move starts from a premise that its side has used before, where it may."""
_LONG: Final = 0.7
"""Chance that a rebuttal has a step below its last one."""
# How likely the moves are: undercuts and undermining cost few arguments, rebuttals make the link principle count.
_ONLY: Final = (Move.REBUT, Move.REBUT, Move.UNDERMINE)
_OPENING: Final = (Move.UNDERCUT, Move.UNDERCUT, Move.REBUT)
_MIDDLE: Final = (*(Move.UNDERCUT,) * 5, Move.REBUT)
_CLOSING: Final = (Move.UNDERCUT, Move.UNDERCUT, *(Move.UNDERMINE,) * 4, Move.REBUT)


def foot_label(outcomes: Sequence[Outcome]) -> Label:
    """Return what becomes of the line at the foot of an exchange with these outcomes, the first one's attack first."""
    label: Label = "in"
    for outcome in reversed(outcomes):
        if outcome is Outcome.LOSES or label == "out":
            label = "in"
        elif outcome is Outcome.TIES or label == "undecided":
            label = "undecided"
        else:
            label = "out"
    return label


@cache
def plans(moves: tuple[Move, ...], label: Label) -> tuple[tuple[_Outcomes, ...], ...]:
    """Return the outcomes that give the foot of the exchange ``label``, grouped by how many moves bear on it.

    The first attack that fails for lack of strength makes what follows it idle; idle trials of strength are won or
    lost. Undercuts win.
    """
    groups: dict[int, list[_Outcomes]] = {}
    choices = [(Outcome.WINS,) if move is Move.UNDERCUT else tuple(Outcome) for move in moves]
    for outcomes in product(*choices):
        bearing = next((number for number, outcome in enumerate(outcomes) if outcome is Outcome.LOSES), len(moves))
        if foot_label(outcomes) == label and Outcome.TIES not in outcomes[bearing:]:
            groups.setdefault(bearing, []).append(outcomes)
    return tuple(tuple(group) for _, group in sorted(groups.items()))


def draw_moves(stream: Stream, length: Length, *, sealed: bool = False) -> tuple[Move, ...]:
    """Return the look of an exchange; some outcomes of it leave the foot accepted and some defeat it.

    Args:
        stream: the random stream.
        length: how many moves.
        sealed: make strength irrelevant to the first attack.
    """
    while True:
        count = stream.between(length.least, length.most)
        choices = [_OPENING, *(_MIDDLE,) * (count - 2), _CLOSING] if count > 1 else [_ONLY]
        moves = tuple(map(stream.choice, choices))
        if sealed:
            moves = (Move.UNDERCUT, *moves[1:])
        if plans(moves, "in") and plans(moves, "out"):
            return moves


def exchange(
    draft: Draft, foot: Line, label: Label, length: Length, *, victims: Sequence[Line] = (), sealed: bool = False
) -> Line:
    """Attack ``foot`` and answer the attack, and so on, so that it ends as ``label``; return the first attacker.

    Args:
        draft: where to state it.
        foot: a defeasible step.
        label: what is to become of it.
        length: how many moves.
        victims: the steps of ``foot`` that may be attacked, a defeasible one among them; by default all.
        sealed: make strength irrelevant to the first attack.
    """
    stream = draft.stream
    moves = draw_moves(stream, length, sealed=sealed)
    outcomes = stream.choice(stream.choice(plans(moves, label)))
    steps = list(victims) or targets(foot)
    if moves[0] is Move.UNDERMINE and all(step.rule for step in steps):
        moves = (Move.REBUT,)
    sources: tuple[list[Line], list[Line]] = ([], [step for step in foot.steps() if step.rule is None])
    attackers: list[Line] = []
    for number, (move, outcome) in enumerate(zip(moves, outcomes, strict=True)):
        answer = moves[number + 1] if number + 1 < len(moves) else None
        # A rebuttal of an attacker's own conclusion would be new support for what it attacks.
        spared = attackers[-1:] if move is Move.REBUT else []
        open_to = [step for step in steps if (step.rule is None) == (move is Move.UNDERMINE) and step not in spared]
        attackers.append(_attack(draft, stream.choice(open_to), move, outcome, answer, sources[number % 2]))
        steps = targets(attackers[-1])
    return attackers[0]


def set_ordering_exchange(draft: Draft, foot: Line, label: Label) -> None:
    """Attack ``foot`` so that it ends as ``label``, accepted or defeated, and that the set ordering decides.

    A joint attack fails under elitist and succeeds under democratic comparison: on the foot itself or on its attacker,
    as need be.
    """
    stream, target = draft.stream, foot
    if (label == "in") != draft.is_elitist:
        target = draft.defeasible([draft.premise()])
        undercut(draft, foot, target)
    if draft.is_elitist:
        joint_attack_in_vain(draft, target)
    else:
        joint_attack(draft, target, [draft.premise() for _ in range(stream.between(2, 3))])


def _attack(draft: Draft, target: Line, move: Move, outcome: Outcome, answer: Move | None, sources: list[Line]) -> Line:
    """State one move; leave in ``sources`` the premises from which its side can move again."""
    if move is Move.UNDERMINE:
        return undermine(draft, target, outcome)
    reuses = move is Move.UNDERCUT and answer in (None, Move.UNDERCUT) and sources and draft.stream.chance(_REUSED)
    source = draft.stream.choice(sources) if reuses else draft.premise()
    if answer is Move.UNDERCUT:
        sources.append(source)
    # The link principles hardly tell lines of one step apart.
    is_long = answer is Move.REBUT or (move is Move.REBUT and draft.stream.chance(_LONG))
    base = draft.defeasible([source]) if is_long else source
    return undercut(draft, target, base) if move is Move.UNDERCUT else rebut(draft, target, base, outcome)
