"""counter_argument: make the opposite of a justified target justified, and the target overruled (paper appendix A.3).

The target t rests on clusters of support (``envs.clusters``). In *strict clusters* some route ends in a strict rule for
t: an argument for -t cannot rebut it, so the cluster must be cut further down. In *defeasible clusters* every route
ends in a defeasible rule for t, which an argument for -t rebuts; but it is rebutted back, so that each of these
clusters costs a cut, or a preference, too. Dead clusters surround the live ones. Theory and goals are the same, seed
for seed, as those of counter_argument_strict, where a strict rule for -t beats the defeasible clusters outright.

Hard because a bare rebuttal only ties or does nothing: the answer must set up an argument for -t and make sure that
nothing for t survives, and which clusters are live hangs on the ordering.

The answer is a list of directives: defeasible rules, preferences, and contraries of ordinary premises. It is run. The
minimum is one directive for -t and one for each live cluster; ``envs.minimum`` proves that nothing cheaper is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import State, evaluate_once
from arggym_env.envs.clusters import LastStep, Shape, fill, state_clusters
from arggym_env.envs.constructive import (
    ConstructiveTask,
    cuts_from,
    directive_lines,
    goal_sentence,
    templates,
    unused_names,
)
from arggym_env.envs.contests import Length
from arggym_env.envs.draft import Draft
from arggym_env.envs.gates import require, require_active, require_structure
from arggym_env.envs.minimum import Dependencies, Footprint, largest_packing, live_arguments
from arggym_env.envs.motifs import Mix
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate
from arggym_env.rewards.execution import Goal, score_construction
from arggym_env.rewards.legality import Legality
from arggym_env.theory import DefeasibleRule, Directive, StrictRule, Theory, negate

ORDINARY: Final = Legality(defeasible_rules=True, contraries=True, preferences=True)
STRICT: Final = Legality(defeasible_rules=True, strict_rules=True, contraries=True, preferences=True)


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum, of both tasks of the pair."""

    minimum: int
    """Fewest directives without strict rules: one for -t and one for each live cluster."""
    strict_minimum: int
    """Fewest directives with strict rules: one for -t and one for each strict cluster."""
    decoys: int
    """Dead clusters; so many that cutting all clusters is too expensive."""
    hubs: int
    """Strict clusters that are two waists with a common enemy."""
    dead_hubs: int
    """Dead clusters that are."""
    size: int
    """Arguments planned; distractors are added until there are as many."""
    alternatives: int
    """Live waists with a second support below them."""
    shape: Shape


_EASY, _MIDDLE, _HARD = Length(1, 2), Length(2, 3), Length(2, 4)

LEVELS: Final = (
    Level(3, 2, 7, 0, 0, 61, 0, Shape(2, 1, 2, Mix(strict=0.00, junction=0.00), _EASY)),
    Level(3, 2, 7, 0, 0, 63, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(3, 2, 7, 0, 0, 64, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(3, 2, 8, 0, 0, 71, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(3, 2, 8, 0, 0, 74, 0, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _EASY)),
    Level(4, 3, 7, 1, 2, 97, 0, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _MIDDLE)),
    Level(4, 3, 7, 1, 2, 98, 0, Shape(2, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(4, 2, 6, 1, 1, 102, 1, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(4, 3, 7, 1, 2, 103, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(4, 3, 8, 1, 2, 110, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(4, 3, 8, 1, 3, 121, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(5, 4, 8, 1, 2, 124, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(5, 4, 8, 1, 2, 128, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(5, 4, 8, 1, 2, 130, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(6, 5, 7, 1, 3, 137, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A theory and what its builder knows about it."""

    theory: Theory
    target: str
    start: str
    """An undisputed literal, from which new rules can start."""
    strict_cuts: tuple[str, ...]
    """A defeasible rule for each strict cluster, whose undercut severs it."""
    defeasible_cuts: tuple[str, ...]
    """The same for the defeasible clusters."""


def build(level: Level, ordering: str, stream: Stream, *, strict: bool) -> Candidate:
    """Return a theory whose two minima are proven, with the question of one task; raise Rejected otherwise.

    Whatever can reject the twin's candidate rejects this one, so that the tasks stay the same seed for seed.

    Args:
        level: the level.
        ordering: the ordering.
        stream: the pair's random stream.
        strict: whether strict rules may be added.
    """
    plan = _plan(level, ordering, stream)
    theory, target = plan.theory, plan.target
    state = evaluate_once(theory, ordering)
    require_structure(state, level.size, level.shape.depth)
    require(state.status(target) == "justified", "target_not_justified")
    require_active(state)
    routes = state.arguments_for(target)
    dead = sum(state.label(route) == "out" for route in routes)
    require(dead >= level.decoys, "decoy_alive")
    require(_bounds(state, target) == (level.minimum, level.strict_minimum), "minimum_unproven")

    goals = (Goal(negate(target), "justified"), Goal(target, "overruled"))
    own, twin = (STRICT, ORDINARY) if strict else (ORDINARY, STRICT)
    references = {ORDINARY: _reference(plan, level, DefeasibleRule), STRICT: _reference(plan, level, StrictRule)}

    def succeeds(legality: Legality, answer: str) -> bool:
        minimum = len(references[legality])
        return score_construction(theory, ordering, goals, legality, minimum, answer).success

    for legality, reference in references.items():
        require(succeeds(legality, directive_lines(reference)), "witness_fails")
    # The generation rejects this task's instance when a template succeeds; the twin's are tried here.
    require(not any(succeeds(twin, answer) for answer in templates(theory, target, twin).values()), "attack_succeeds")
    return Candidate(
        theory,
        GoalQuestion(goals),
        directive_lines(references[own]),
        min_directives=len(references[own]),
        stats={"routes": len(routes), "dead_routes": dead, "goals": 2},
    )


def _reference(plan: _Plan, level: Level, kind: type[DefeasibleRule] | type[StrictRule]) -> list[Directive]:
    """Return a rule of that kind for the target's negation, and the cuts that it needs beside it."""
    name = unused_names(plan.theory, 1 + level.minimum)[-1]
    cuts = plan.strict_cuts if kind is StrictRule else plan.strict_cuts + plan.defeasible_cuts
    return [kind(name, (plan.start,), negate(plan.target)), *cuts_from(plan.theory, plan.start, cuts)]


def _bounds(state: State, target: str) -> tuple[int, int]:
    """Return lower bounds on the directives that overrule ``target`` and justify its negation: without and with strict.

    Each live argument for the target that ends in a strict rule has to be defeated elsewhere than at its conclusion.
    So does each that ends in a defeasible rule, or it has to be made weaker (``Dependencies.unrebutted_footprint``);
    a strict rule for the negation, where it may be added, is not rebutted back. And there is no argument for the
    negation yet: one has to be created.
    """
    against = negate(target)
    require(not state.theory.rules_for(against), "negation_derivable")
    dependencies = Dependencies(state)
    always: list[Footprint | None] = [dependencies.creation(against)]
    without_strict: list[Footprint | None] = []
    for argument in live_arguments(state, target):
        if isinstance(argument.top_rule, StrictRule):
            always.append(dependencies.footprint(argument))
        else:
            without_strict.append(dependencies.unrebutted_footprint(argument))
    ordinary, strict = (
        largest_packing(found for found in footprints if found is not None)
        for footprints in (always + without_strict, always)
    )
    return ordinary, strict


def _plan(level: Level, ordering: str, stream: Stream) -> _Plan:
    draft = Draft(stream, ordering)
    shape = level.shape
    target = draft.fresh_literal()
    start = stream.choice((draft.premise, draft.axiom))()
    strict_clusters, clusters = level.strict_minimum - 1, level.minimum - 1
    cuts = state_clusters(
        draft,
        target,
        shape,
        live=clusters,
        dead=level.decoys,
        hubs=level.hubs,
        hub_places=strict_clusters,
        dead_hubs=level.dead_hubs,
        alternatives=level.alternatives,
        live_step=lambda number: LastStep.MIXED if number < strict_clusters else LastStep.DEFEASIBLE,
        dead_step=lambda: LastStep.MIXED if stream.chance(0.75) else LastStep.DEFEASIBLE,
    )
    fill(draft, level.size, shape)
    return _Plan(draft.theory(), target, start.literal, tuple(cuts[:strict_clusters]), tuple(cuts[strict_clusters:]))


class CounterArgument(ConstructiveTask):
    """The counter_argument task."""

    name = "counter_argument"
    summary = "make a justified claim overruled and its negation justified, without strict rules"
    levels = LEVELS
    legality = ORDINARY
    stream_name = "counter_argument"

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return the pair's theory with the minimum that holds without strict rules."""
        return build(LEVELS[level - 1], ordering, stream, strict=False)

    def opening(self, goals: Sequence[Goal]) -> str:
        """Return how things stand and what is asked."""
        return (
            f"The claim {goals[1].literal} is justified at present. Which directives, as few as possible, make "
            f"{goal_sentence(goals)} when they are added to the theory?"
        )


TASK: Final = CounterArgument()
