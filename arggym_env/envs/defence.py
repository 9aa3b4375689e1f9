"""defence: make an attacked target justified (paper appendix A.3).

The target t has an argument, and clusters of support for -t (``envs.clusters``) stand against it: where a route ends in
a strict rule for -t, it defeats t and is not rebutted back; where all end in defeasible rules, t and -t may only block
each other. On most levels t's own argument is broken further down as well, so that it has to be repaired, or t has to
be supported afresh. Dead clusters for -t surround the live ones, and a dead line for t looks like a way out.

Hard because a new argument for t alone is rebutted at once: every live cluster for -t has to be severed, by its waist,
by bringing back a common enemy, or (where its last steps are defeasible) by a preference; and which clusters are live
hangs on the ordering.

The answer is a list of directives: defeasible rules, preferences, and contraries of ordinary premises. It is run. The
minimum is one directive for each live cluster, and one more where t's own argument is broken; ``envs.minimum`` proves
that nothing cheaper is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import State, evaluate, evaluate_once
from arggym_env.envs.clusters import LastStep, Shape, contest, fill, state_clusters, waist
from arggym_env.envs.constructive import (
    ConstructiveTask,
    cuts_from,
    directive_lines,
    goal_sentence,
    unused_names,
)
from arggym_env.envs.contests import Length
from arggym_env.envs.draft import Draft
from arggym_env.envs.gates import require, require_active, require_structure
from arggym_env.envs.minimum import Dependencies, Footprint, largest_packing, live_arguments, new_support
from arggym_env.envs.motifs import Mix, undercut
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.legality import Legality
from arggym_env.theory import DefeasibleRule, Directive, Theory, negate


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    clusters: int
    """Live clusters against the target."""
    breaks: int
    """Accepted attackers of the target's own argument below its conclusion."""
    decoys: int
    """Dead clusters against the target; so many that cutting all clusters is too expensive."""
    hubs: int
    """Live clusters that are two waists with a common enemy."""
    dead_hubs: int
    """Dead clusters that are."""
    size: int
    """Arguments planned; distractors are added until there are as many."""
    alternatives: int
    """Live waists with a second support below them."""
    shape: Shape

    @property
    def minimum(self) -> int:
        """Fewest directives that succeed."""
        return self.clusters + (self.breaks > 0)


_EASY, _MIDDLE, _HARD = Length(1, 2), Length(2, 3), Length(2, 4)

LEVELS: Final = (
    Level(1, 0, 5, 0, 0, 53, 0, Shape(2, 1, 2, Mix(strict=0.00, junction=0.00), _EASY)),
    Level(1, 0, 5, 0, 0, 55, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(1, 1, 6, 0, 0, 63, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 0, 6, 0, 0, 67, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 1, 7, 0, 0, 76, 0, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _EASY)),
    Level(2, 2, 6, 0, 2, 92, 0, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _MIDDLE)),
    Level(3, 0, 6, 0, 0, 100, 1, Shape(2, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 1, 7, 0, 1, 103, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 2, 7, 0, 1, 105, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 2, 6, 1, 2, 111, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(4, 1, 6, 1, 2, 122, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(4, 2, 6, 1, 2, 124, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(4, 2, 6, 1, 2, 128, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(4, 2, 7, 1, 1, 132, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(5, 1, 6, 2, 1, 135, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A theory and what its builder knows about it."""

    theory: Theory
    target: str
    start: str
    """An undisputed literal, from which new rules can start."""
    cuts: tuple[str, ...]
    """A defeasible rule for each live cluster, whose undercut severs it."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and a target that pass the gates; raise Rejected otherwise."""
    plan = _plan(level, ordering, stream)
    theory, target = plan.theory, plan.target
    against = negate(target)
    state = evaluate_once(theory, ordering)
    require_structure(state, level.size, level.shape.depth)
    require(state.status(target) != "justified", "target_justified")
    require_active(state)
    routes = state.arguments_for(against)
    dead = sum(state.label(route) == "out" for route in routes)
    require(dead >= level.decoys, "decoy_alive")

    reference: list[Directive] = cuts_from(theory, plan.start, plan.cuts)
    if level.breaks:
        name = unused_names(theory, 1 + len(reference))[-1]
        reference.append(DefeasibleRule(name, (plan.start,), target))
    after = evaluate(theory.add(reference), ordering)
    require(after.status(target) == "justified" and after.is_consistent, "witness_fails")
    footprints = against_footprints(state, Dependencies(state), target)
    require(len(reference) == level.minimum == largest_packing(footprints), "minimum_unproven")
    return Candidate(
        theory,
        GoalQuestion((Goal(target, "justified"),)),
        directive_lines(reference),
        min_directives=level.minimum,
        stats={
            "routes": len(routes),
            "dead_routes": dead,
            "attackers": level.clusters + level.hubs + level.breaks,
            "goals": 1,
        },
    )


def against_footprints(state: State, dependencies: Dependencies, target: str) -> list[Footprint]:
    """Return what has to be touched for ``target`` to be justified.

    Let Z be the first accepted argument for the target. Its last rule is defeasible, so every live argument against the
    target has to be defeated elsewhere than at its conclusion, or be made weaker than Z. And Z is new, or an argument
    whose breaks have been mended.
    """
    into = state.theory.rules_for(target)
    require(all(isinstance(rule, DefeasibleRule) for rule in into), "strict_support")
    against = live_arguments(state, negate(target))
    footprints: list[Footprint | None] = [dependencies.unrebutted_footprint(argument) for argument in against]
    footprints.append(new_support(state, dependencies, target))
    return [footprint for footprint in footprints if footprint is not None]


def _plan(level: Level, ordering: str, stream: Stream) -> _Plan:
    draft = Draft(stream, ordering)
    shape = level.shape
    target = draft.fresh_literal()
    start = stream.choice((draft.premise, draft.axiom))()
    below = waist(draft, shape)
    main = draft.defeasible([below, draft.premise()], target)
    against = negate(target)
    for _ in range(level.breaks):
        if stream.chance(0.5):
            undercut(draft, main, draft.premise())
        else:
            contest(draft, below, "out", shape)
    cuts = state_clusters(
        draft,
        against,
        shape,
        live=level.clusters,
        dead=level.decoys,
        hubs=level.hubs,
        hub_places=level.clusters,
        dead_hubs=level.dead_hubs,
        alternatives=level.alternatives,
        live_step=lambda number: stream.choice((LastStep.MIXED, LastStep.DEFEASIBLE)),
        dead_step=lambda: stream.choice((LastStep.MIXED, LastStep.DEFEASIBLE)),
    )
    hopeless = waist(draft, shape)
    contest(draft, hopeless, "out", shape)
    draft.defeasible([hopeless], target)
    fill(draft, level.size, shape)
    return _Plan(draft.theory(), target, start.literal, tuple(cuts))


class Defence(ConstructiveTask):
    """The defence task."""

    name = "defence"
    summary = "add directives that make an attacked target justified"
    levels = LEVELS
    legality = Legality(defeasible_rules=True, contraries=True, preferences=True)

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory whose target needs exactly the level's number of directives."""
        return build(LEVELS[level - 1], ordering, stream)

    def opening(self, goals: Sequence[Goal]) -> str:
        """Return how things stand and what is asked."""
        return (
            f"The claim {goals[0].literal} is attacked and not justified at present. Which directives, as few as "
            f"possible, make {goal_sentence(goals)} when they are added to the theory?"
        )


TASK: Final = Defence()
