"""Cycles: lines of reasoning that defeat each other in a ring, guards that may break a ring, and what hangs on one.

Semantics differ in what they make of cycles. In a ring of even length, every second line can be accepted together, in
two ways; a ring of odd length has no such choice, and with one that nothing breaks there is no stable extension.
Whether a ring is broken cannot be told from the rules alone: every guard attacks a line of its ring, and whether the
guard stands is decided at the end of a chain of attacks, by preferences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.motifs import Mix, Outcome, grow, joint_attack, rebut, undercut, undermine

_FEINT_SHARE: Final = 0.7
"""How many of the ties between rules come with a preference that does not decide them."""


class Motif(Enum):
    """How the lines of a ring defeat each other."""

    UNDERCUT = "undercut"
    """Each switches off a rule of the next."""
    REBUT = "rebut"
    """Each contradicts a conclusion of the next, which is weaker or cannot strike back."""
    UNDERMINE = "undermine"
    """Each derives, by strict rules, the negation of the premise of the next."""
    MIXED = "mixed"
    """Undercuts and rebuts, and by weakest link underminings too."""


class Fate(Enum):
    """What becomes of a guarded ring."""

    BROKEN = "broken"
    """The guard stands, and what it attacks is defeated under every semantics."""
    INTACT = "intact"
    """The guard is defeated."""
    OPEN = "open"
    """The guard is one side of a tie: some extensions have it."""


@dataclass(frozen=True, slots=True)
class Ring:
    """Lines each of which defeats the next, and the last the first."""

    bodies: tuple[Line, ...]
    """The lines short of the step that strikes; what is to hang on the ring is built on them."""
    victims: tuple[Line, ...]
    """The step of each line that the one before strikes."""
    motif: Motif


def ring(draft: Draft, length: int, motif: Motif, spacing: int, mix: Mix) -> Ring:
    """State a ring of ``length`` lines.

    Args:
        draft: where it is stated.
        length: the number of lines; 1 makes a line that defeats itself.
        motif: how they defeat each other.
        spacing: steps between where a line is struck and where it strikes, at most.
        mix: how often those steps do what.
    """
    stream = draft.stream
    victims: list[Line] = []
    bodies: list[Line] = []
    for _ in range(length):
        start = draft.premise()
        steps = stream.between(min(1, spacing) if length == 1 else 0, spacing)
        if motif is Motif.UNDERMINE:
            victim, body = start, draft.chain(start, steps, 1.0)
        else:
            victim = draft.defeasible([start])
            body = grow(draft, victim, steps, mix)
            if motif is Motif.MIXED and not draft.by_last_link and stream.chance(0.4):
                victim = start
        victims.append(victim)
        bodies.append(body)
    for number, body in enumerate(bodies):
        _strike(draft, body, victims[(number + 1) % length], motif)
    return Ring(tuple(bodies), tuple(victims), motif)


def _strike(draft: Draft, body: Line, victim: Line, motif: Motif) -> None:
    """Let ``body`` defeat ``victim``, which does not strike back."""
    if victim.rule is None:
        draft.strict([body], contrary(victim))
    elif motif is Motif.UNDERCUT or (motif is Motif.MIXED and draft.stream.chance(0.5)):
        undercut(draft, victim, body)
    elif draft.by_last_link and draft.stream.chance(0.5):
        rebut(draft, victim, body, Outcome.WINS)
    else:
        # By weakest link preferences around a ring would be circular; a strict last step needs none.
        draft.strict([body], contrary(victim))


def tie(draft: Draft, spacing: int, mix: Mix) -> Ring:
    """State two lines that hold each other undecided: the smallest even ring, by one conflict without preferences."""
    steps = [draft.stream.between(0, spacing) for _ in range(2)]
    if draft.stream.chance(0.3):
        line = draft.premise()
        rival = undermine(draft, line, Outcome.TIES)
    else:
        line = draft.defeasible([draft.premise()])
        rival = rebut(draft, line, draft.premise(), Outcome.TIES)
        _feint(draft, line, rival)
    bodies = (grow(draft, line, steps[0], mix), grow(draft, rival, steps[1], mix))
    return Ring(bodies, (line, rival), Motif.REBUT)


def guard(draft: Draft, victim: Line, fate: Fate, layers: int, *, joint: bool = False) -> None:
    """Attack ``victim`` from outside its ring by a guard that ``layers`` attacks, one upon the other, decide about.

    Args:
        draft: where it is stated.
        victim: an ordinary premise, or a line that ends in a defeasible rule.
        fate: what is to become of the ring.
        layers: attacks on the guard, on its attacker, and so on; at least 1.
        joint: whether the last of them is an attack on which the set ordering bears: it fails by elitist comparison
            and succeeds by democratic. One layer is added where the fate needs it; a fate that is open has none.
    """
    # Only a line without defeasible rules defeats a premise by last link.
    strict = victim.rule is None and draft.by_last_link
    base = draft.premise() if strict else _start(draft)
    if victim.rule is not None and draft.stream.chance(0.6):
        undercut(draft, victim, base)
    else:
        draft.strict([base], contrary(victim))
    if joint and not strict and fate is not Fate.OPEN:
        succeeds = not draft.is_elitist
        layers += _last_outcome(fate, layers) is not (Outcome.WINS if succeeds else Outcome.LOSES)
    else:
        joint = False
    step = base
    for _ in range(layers - 1):
        step = _defeat(draft, step)
    _last_attack(draft, step, _last_outcome(fate, layers), joint=joint and step.rule is not None)


def _last_outcome(fate: Fate, layers: int) -> Outcome:
    """Return what the last of ``layers`` attacks has to achieve; those before it win."""
    if fate is Fate.OPEN:
        return Outcome.TIES
    return Outcome.WINS if (fate is Fate.INTACT) == (layers % 2 == 1) else Outcome.LOSES


def _defeat(draft: Draft, step: Line) -> Line:
    """Attack ``step`` with success; return the line that a defence is to attack.

    That is what the attacker is made from: the negation of its conclusion would be a second support for ``step``.
    """
    base = draft.premise() if step.rule is None else _start(draft)
    if step.rule is None:
        draft.strict([base], contrary(step))
    elif draft.stream.chance(0.5):
        undercut(draft, step, base)
    else:
        rebut(draft, step, base, Outcome.WINS)
    return base


def _start(draft: Draft) -> Line:
    """Return a defeasible line to be fought about; by weakest link it needs an early rule that last link ignores."""
    line = draft.defeasible([draft.premise()])
    return line if draft.by_last_link else draft.defeasible([line])


def _last_attack(draft: Draft, step: Line, outcome: Outcome, *, joint: bool) -> None:
    if joint:
        joint_dispute(draft, step)
    elif step.rule is None:
        undermine(draft, step, outcome)
    else:
        start = draft.premise() if draft.by_last_link else draft.defeasible([draft.premise()])
        attacker = rebut(draft, step, start, outcome)
        if outcome is Outcome.TIES:
            _feint(draft, step, attacker)


def _feint(draft: Draft, line: Line, rival: Line) -> None:
    """Now and then state a preference that leaves a tie a tie, so that preferences do not tell ties from victories."""
    if draft.stream.chance(_FEINT_SHARE):
        draft.feint(*draft.stream.shuffled([line, rival]))


def joint_dispute(draft: Draft, line: Line) -> None:
    """Attack ``line`` by a strict rule over two lines: with success by democratic comparison, in vain by elitist."""
    _, members = joint_attack(draft, line, [draft.premise() for _ in range(2)])
    if draft.is_elitist:
        # Where the attack fails, attacker and target would both stand and contradict each other.
        undercut(draft, draft.stream.choice(members), line)


def floating_conclusion(draft: Draft, sides: Sequence[Line], reach: int, mix: Mix) -> str:
    """Conclude the same from each of ``sides``; return the literal."""
    literal = draft.fresh_literal()
    for side in sides:
        grow(draft, side, draft.stream.between(1, reach), mix, literal)
    return literal


def floating_defeat(draft: Draft, sides: Sequence[Line]) -> Line:
    """Defeat a fresh line from each of ``sides``, and by it another one; return the latter, which is reinstated."""
    line = draft.defeasible([draft.premise()])
    for side in sides:
        undercut(draft, line, side)
    reinstated = draft.defeasible([draft.premise()])
    undercut(draft, reinstated, line)
    return reinstated
