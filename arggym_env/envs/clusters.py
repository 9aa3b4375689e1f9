"""Clusters: bundles of support for one literal that a single, well-chosen cut severs.

A cluster's routes all run through a *waist*, one defeasible step, and part above it into several rules for the
literal. Every cluster is contested by an exchange of attacks (``envs.contests``). It is live where the exchange leaves
it accepted or undecided, and dead (a decoy) where the exchange defeats it; live and dead clusters are drawn alike, and
which is which depends on strength. A *hub* is two waists with a common enemy; the exchange is about the enemy then.
Interventions are made of cuts, so the constructive tasks are built from clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from arggym_env.engine.semantics import Label
from arggym_env.envs.contests import Length, exchange, set_ordering_exchange
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import most_arguments, require
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, rebut, undercut


@dataclass(frozen=True, slots=True)
class Shape:
    """How large clusters are.

    Attributes:
        trunk: rules up to and including the waist of the tallest cluster; the others have as many or fewer.
        reach: rules between a waist and the last step of the tallest cluster; the others have as many or fewer.
        routes: rules for the literal that a cluster ends in, at most.
        mix: how often lines do what.
        exchange: how long the exchanges about clusters are.
        undecided: share of live clusters, the first one apart, that are left undecided.
    """

    trunk: int
    reach: int
    routes: int
    mix: Mix
    exchange: Length
    undecided: float = 0.0

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


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a cluster is to be.

    Attributes:
        label: what becomes of its waists: dead clusters are "out".
        literals: what it supports.
        last_step: the rules that it ends in.
        is_hub: whether it is two waists with a common enemy.
        is_tall: whether it is the tallest.
        has_alternative: whether the step below the waist has a second support, so that a cut there does not sever it.
        hangs_on_sets: whether the set ordering decides what becomes of it.
    """

    label: Label
    literals: tuple[str, ...]
    last_step: LastStep
    is_hub: bool = False
    is_tall: bool = False
    has_alternative: bool = False
    hangs_on_sets: bool = False


def rule_of(line: Line) -> str:
    """Return the name of the rule that ``line`` ends in."""
    if line.rule is None:
        raise ValueError(f"{line.literal} is a premise and has no rule")
    return line.rule.name


def waist(draft: Draft, shape: Shape, *, is_tall: bool = False, has_alternative: bool = False, least: int = 0) -> Line:
    """Return a line that ends in the defeasible step that all routes of its cluster share.

    Args:
        draft: where to state it.
        shape: the level's sizes.
        is_tall: give it as many rules as there may be.
        has_alternative: give the step below it a second support.
        least: defeasible steps right below the waist.
    """
    room = shape.trunk - 1 - least
    steps = room if is_tall else _few(draft, 0, room)
    below = grow(draft, draft.premise(), steps, shape.mix)
    for _ in range(least):
        below = draft.defeasible([below])
    if has_alternative:
        if below.rule is None:
            below = draft.defeasible([below])
        grow(draft, ground(draft, shape.mix), 1, shape.mix, below.literal)
    return draft.defeasible([below])


def fan_out(
    draft: Draft, line: Line, literal: str, shape: Shape, last_step: LastStep, *, is_tall: bool = False
) -> None:
    """State a cluster's routes from its waist to ``literal``."""
    for number in range(_few(draft, 1, shape.routes)):
        steps = shape.reach if is_tall and not number else _few(draft, min(number, shape.reach), shape.reach)
        above = grow(draft, line, steps, shape.mix)
        strict = last_step is LastStep.STRICT or (
            last_step is LastStep.MIXED and (number == 0 or draft.stream.chance(0.5))
        )
        (draft.strict if strict else draft.defeasible)([above], literal)


def _few(draft: Draft, least: int, most: int) -> int:
    """Return a number from ``least`` to ``most``, mostly a small one."""
    return min(draft.stream.between(least, most) for _ in range(3))


def contest(draft: Draft, line: Line, label: Label, shape: Shape) -> None:
    """Let an exchange make ``line``, a defeasible step, end as ``label``."""
    exchange(draft, line, label, shape.exchange)


def state_cluster(draft: Draft, shape: Shape, cluster: Cluster, waists: Sequence[Line] = ()) -> str:
    """State a cluster (above ``waists``, if they are stated already) and the exchange about it.

    Returns:
        A defeasible rule whose undercut severs the cluster, if it is live.
    """
    lines = waists or [
        waist(draft, shape, is_tall=cluster.is_tall and number == 0, has_alternative=cluster.has_alternative)
        for number in range(2 if cluster.is_hub else 1)
    ]
    for line in lines:
        for literal in cluster.literals:
            fan_out(draft, line, literal, shape, cluster.last_step, is_tall=cluster.is_tall and line == lines[0])
    if cluster.is_hub:
        return rule_of(_contest_enemy(draft, lines, shape, cluster))
    if cluster.hangs_on_sets:
        set_ordering_exchange(draft, lines[0], cluster.label)
    else:
        # What ends in defeasible steps is proven to need a cut of its own where nothing is preferred to its parts;
        # below a second support an attack does not reach the waist.
        exchange(
            draft,
            lines[0],
            cluster.label,
            shape.exchange,
            victims=lines if cluster.has_alternative else (),
            sealed=cluster.last_step is LastStep.DEFEASIBLE,
        )
    return rule_of(lines[0])


def _contest_enemy(draft: Draft, waists: Sequence[Line], shape: Shape, cluster: Cluster) -> Line:
    """State an attacker of all ``waists`` and an exchange about it; return the line whose cut brings it back."""
    enemy = draft.defeasible([draft.premise()])
    for line in waists:
        undercut(draft, line, enemy)
    label: Label = "in" if cluster.label == "out" else "out"
    return exchange(draft, enemy, label, shape.exchange.behind, victims=[enemy])


def state_clusters(
    draft: Draft,
    literal: str,
    shape: Shape,
    *,
    live: int,
    dead: int,
    hubs: int,
    hub_places: int,
    dead_hubs: int,
    alternatives: int,
    live_step: Callable[[int], LastStep],
    dead_step: Callable[[], LastStep],
) -> list[str]:
    """State live and dead clusters for ``literal``; on one of them that is no hub the set ordering bears.

    Args:
        draft: where to state them.
        literal: what the clusters support.
        shape: the level's sizes.
        live: how many are live.
        dead: how many are dead.
        hubs: how many live ones are hubs.
        hub_places: the hubs are among that many first live ones.
        dead_hubs: how many dead ones are hubs.
        alternatives: how many live ones have a second support below the waist.
        live_step: the last step of the live cluster with this number.
        dead_step: the last step of a dead cluster.

    Returns:
        For each live cluster a defeasible rule whose undercut severs it.
    """
    stream = draft.stream
    with_enemy = {*stream.sample(range(hub_places), hubs), *stream.sample(range(live, live + dead), dead_hubs)}
    shared = set(stream.sample(range(live), alternatives))
    tall = stream.below(live + dead)
    on_sets = stream.choice([number for number in range(live + dead) if number not in with_enemy])
    cuts = []
    for number in range(live + dead):
        is_live, is_hub = number < live, number in with_enemy
        unsettled = 0 < number < live and not is_hub and number != on_sets and stream.chance(shape.undecided)
        cluster = Cluster(
            label=("undecided" if unsettled else "in") if is_live else "out",
            literals=(literal,),
            last_step=live_step(number) if is_live else dead_step(),
            is_hub=is_hub,
            is_tall=number == tall,
            has_alternative=number in shared if is_live else stream.chance(alternatives / live),
            hangs_on_sets=number == on_sets,
        )
        cuts.append(state_cluster(draft, shape, cluster))
    return cuts[:live]


def fill(draft: Draft, size: int, shape: Shape) -> None:
    """State distractors until the draft has ``size`` lines; reject one that is far larger already."""
    require(draft.size <= most_arguments(size), "size")
    while draft.size < size:
        distractor(draft, shape)


def distractor(draft: Draft, shape: Shape) -> None:
    """State a line that bears on nothing: it branches, and half of the time it has a conflict of its own."""
    line = draft.defeasible([grow(draft, ground(draft, shape.mix), draft.stream.between(0, 1), shape.mix)])
    for _ in range(2):
        draft.step([line], shape.mix.strict)
    if draft.stream.chance(0.5):
        rebut(draft, line, draft.premise(), draft.stream.choice(tuple(Outcome)))
