"""Clusters: bundles of support for one literal that a single, well-chosen cut severs.

A cluster's routes all run through a *waist*, one defeasible step, and fan out above it into several rules for the
literal. Live clusters are attacked in vain; dead clusters (decoys) are attacked with success; which is which depends on
the ordering. Interventions are made of cuts, so the constructive tasks are built from clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, targets, undercut, undermine


@dataclass(frozen=True, slots=True)
class Shape:
    """How large clusters are.

    Attributes:
        trunk: rules up to and including a waist, at most.
        reach: rules between a waist and the last step, at most.
        routes: rules for the literal that a cluster ends in, at most; live and dead ones draw alike.
        mix: how often lines do what.
        rounds: how often the attacker of a cluster is answered by undercuts in turn, at most.
    """

    trunk: int
    reach: int
    routes: int
    mix: Mix
    rounds: int = 1

    @property
    def depth(self) -> int:
        """Rules on the longest path through a cluster: to the waist, on to the last step, and that step."""
        return self.trunk + self.reach + 1


class LastStep(Enum):
    """The rules for the literal that a cluster ends in; a strict one cannot be rebutted."""

    STRICT = "strict"
    DEFEASIBLE = "defeasible"
    MIXED = "mixed"
    """The first route's is strict, the others' are either."""


def rule_of(line: Line) -> str:
    """Return the name of the rule that ``line`` ends in."""
    if line.rule is None:
        raise ValueError(f"{line.literal} is a premise and has no rule")
    return line.rule.name


def waist(draft: Draft, shape: Shape, *, has_alternative: bool = False) -> Line:
    """Return a line that ends in the defeasible step that all routes of its cluster share.

    With an alternative, the step before it has a second support, so that cutting lower down does not sever the cluster.
    """
    below = grow(draft, draft.premise(), draft.stream.between(0, shape.trunk - 1), shape.mix)
    if has_alternative:
        if below.rule is None:
            below = draft.defeasible([below])
        grow(draft, ground(draft, shape.mix), 1, shape.mix, below.literal)
    return draft.defeasible([below])


def fan_out(draft: Draft, line: Line, literal: str, shape: Shape, last_step: LastStep) -> None:
    """State a cluster's routes from its waist to ``literal``."""
    for number in range(draft.stream.between(1, shape.routes)):
        above = grow(draft, draft.defeasible([line]), draft.stream.between(0, shape.reach - 1), shape.mix)
        strict = last_step is LastStep.STRICT or (
            last_step is LastStep.MIXED and (number == 0 or draft.stream.chance(0.5))
        )
        (draft.strict if strict else draft.defeasible)([above], literal)


def enemy_of(draft: Draft, waists: list[Line], shape: Shape) -> Line:
    """Add an attacker of all ``waists`` that is defeated at present; return the line whose cut brings it back."""
    enemy = draft.defeasible([grow(draft, draft.premise(), draft.stream.between(0, 1), shape.mix)])
    for line in waists:
        undercut(draft, line, enemy)
    return undercut(draft, enemy, draft.premise())


def attack_in_vain(draft: Draft, line: Line, shape: Shape, *, joint: bool) -> None:
    """Attack a live line in vain: the attacker is weaker under the ordering, or is itself defeated in the end.

    Args:
        draft: where to state it.
        line: the line to attack, a defeasible step.
        shape: the level's sizes.
        joint: make it an attack that fails only because set comparison is elitist.
    """
    stream = draft.stream
    if joint:
        _, members = joint_attack(draft, line, [draft.premise(), draft.premise()])
        undercut(draft, stream.choice(members), line)
        return
    target = stream.choice(targets(line))
    if stream.chance(0.55):
        base = draft.premise()
        attacker = rebut(draft, target, base, Outcome.WINS) if target.rule is None else undercut(draft, target, base)
        _answer(draft, attacker, _drawn_rounds(draft, shape, odd=True))
    elif target.rule is None and stream.chance(0.5):
        undermine(draft, target, Outcome.LOSES)
    else:
        rebut(draft, target, grow(draft, draft.premise(), stream.between(0, 1), shape.mix), Outcome.LOSES)


def kill(draft: Draft, line: Line, shape: Shape, *, joint: bool) -> None:
    """Attack a line with success at some step; the attacker may be attacked in vain.

    Args:
        draft: where to state it.
        line: the line to attack, a defeasible step.
        shape: the level's sizes.
        joint: make it an attack that succeeds only because set comparison is democratic.
    """
    _kill_at(draft, targets(line), line, shape, joint=joint)


def _kill_at(draft: Draft, victims: list[Line], line: Line, shape: Shape, *, joint: bool) -> None:
    if joint:
        joint_attack(draft, line, [draft.premise(), draft.premise()])
        return
    stream = draft.stream
    victim = stream.choice(victims)
    if victim.rule is None:
        undermine(draft, victim, Outcome.WINS)
        return
    if stream.chance(0.4):
        attacker = undercut(draft, victim, draft.premise())
    else:
        attacker = rebut(draft, victim, grow(draft, draft.premise(), stream.between(0, 1), shape.mix), Outcome.WINS)
    rounds = _drawn_rounds(draft, shape, odd=False)
    _answer(draft, attacker, rounds)
    if not rounds and not draft.is_undercut(attacker) and stream.chance(0.3):
        rebut(draft, attacker, draft.premise(), Outcome.LOSES)


def _drawn_rounds(draft: Draft, shape: Shape, *, odd: bool) -> int:
    """Return an odd or even number of rounds: an odd one defeats the attacker, an even one leaves it standing."""
    most = shape.rounds if shape.rounds % 2 == odd else shape.rounds - 1
    return odd + 2 * draft.stream.between(0, (most - odd) // 2)


def _answer(draft: Draft, attacker: Line, rounds: int) -> None:
    """Undercut ``attacker``, undercut that undercutter, and so on."""
    for _ in range(rounds):
        attacker = undercut(draft, attacker, draft.premise())


def decoy(
    draft: Draft,
    literals: Sequence[str],
    shape: Shape,
    last_step: LastStep,
    *,
    joint: bool,
    has_alternative: bool = False,
) -> None:
    """State a dead cluster for each of ``literals``; it looks like a live one, up to what attacks it."""
    line = waist(draft, shape, has_alternative=has_alternative)
    for literal in literals:
        fan_out(draft, line, literal, shape, last_step)
    # Below a second support a cut does not sever the cluster, so there the waist itself is attacked.
    _kill_at(draft, [line] if has_alternative else targets(line), line, shape, joint=joint)


def state_clusters(
    draft: Draft,
    literal: str,
    shape: Shape,
    *,
    live: int,
    dead: int,
    hubs: int,
    hub_places: int,
    alternatives: int,
    live_step: Callable[[int], LastStep],
    dead_step: Callable[[], LastStep],
) -> list[str]:
    """State live and dead clusters for ``literal``.

    On one conflict the set ordering bears: an attack on a live cluster that elitist comparison stops, or the attack on
    a dead one that democratic comparison lets succeed.

    Args:
        draft: where to state them.
        literal: what the clusters support.
        shape: the level's sizes.
        live: how many are live; each is attacked in vain.
        dead: how many are dead.
        hubs: how many live ones are two waists with a common enemy.
        hub_places: the hubs are among that many first live ones.
        alternatives: how many live ones have a second support below the waist.
        live_step: the last step of the live cluster with this number.
        dead_step: the last step of a dead cluster.

    Returns:
        For each live cluster a defeasible rule whose undercut severs it.
    """
    stream = draft.stream
    with_enemy = set(stream.sample(range(hub_places), hubs))
    shared = set(stream.sample(range(live), alternatives))
    joint = stream.below(live if draft.is_elitist else dead)
    cuts: list[str] = []
    for number in range(live):
        is_hub = number in with_enemy
        waists = [waist(draft, shape, has_alternative=number in shared) for _ in range(2 if is_hub else 1)]
        last_step = live_step(number)
        for line in waists:
            fan_out(draft, line, literal, shape, last_step)
        cuts.append(rule_of(enemy_of(draft, waists, shape) if is_hub else waists[0]))
        attack_in_vain(draft, stream.choice(waists), shape, joint=draft.is_elitist and number == joint)
    for number in range(dead):
        decoy(
            draft,
            [literal],
            shape,
            dead_step(),
            joint=not draft.is_elitist and number == joint,
            has_alternative=stream.chance(alternatives / live),
        )
    return cuts


def fill(draft: Draft, size: int, shape: Shape) -> None:
    """State distractors until the draft has ``size`` lines."""
    while draft.size < size:
        distractor(draft, shape)


def distractor(draft: Draft, shape: Shape) -> None:
    """State a line that bears on nothing: it branches, and half of the time it has a conflict of its own."""
    line = draft.defeasible([grow(draft, ground(draft, shape.mix), draft.stream.between(0, 1), shape.mix)])
    for _ in range(2):
        draft.step([line], shape.mix.strict)
    if draft.stream.chance(0.5):
        rebut(draft, line, draft.premise(), draft.stream.choice(tuple(Outcome)))
