"""attack: change the theory so that a justified target becomes overruled (paper appendix A.3).

The target t rests on several *clusters* of support. All routes of a cluster run through a waist, a single defeasible
step, and fan out above it into several rules for t, some of them strict, so that t itself cannot be rebutted. Below
the waist a cluster may have alternatives. A *hub* holds two waists that share an enemy: an attacker of both that is
defeated at present, and comes back when its own attacker is cut. About every cluster there is an exchange of attacks
and counterattacks; *decoys* are clusters that it leaves dead, and they look like the others: what an exchange comes to
hangs on strength under the instance's ordering.

Hard because an answer has to defeat every live argument for t with few directives: to see which routes are live under
the ordering, where they meet, and which cut (a waist, or the enemy's enemy) severs many at once. Cutting every cluster
costs more than twice the minimum, and attacks followed without regard to strength tell nothing of which ones live.

The answer is a list of directives: defeasible rules, preferences, and contraries of ordinary premises. It is run, and
any legal answer that reaches the goal with the theory consistent succeeds. The minimum is the number of clusters:
each needs a cut of its own (``envs.minimum``), whatever legal directives are used, and the reference has one for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import evaluate, evaluate_once
from arggym_env.envs.clusters import LastStep, Shape, fill, state_clusters
from arggym_env.envs.constructive import ConstructiveTask, cuts_from, directive_lines, goal_sentence
from arggym_env.envs.contests import Length
from arggym_env.envs.draft import Draft
from arggym_env.envs.gates import require, require_active, require_structure
from arggym_env.envs.minimum import separate_cuts
from arggym_env.envs.motifs import Mix
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.legality import Legality
from arggym_env.theory import Theory


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    minimum: int
    """Live clusters, and so the fewest directives that succeed."""
    hubs: int
    """Live clusters that are hubs."""
    decoys: int
    """Dead clusters: far more than there are live ones, so that cutting clusters without knowing which live fails."""
    dead_hubs: int
    """Dead clusters that are hubs."""
    size: int
    """Arguments planned; distractors are added until there are as many."""
    alternatives: int
    """Live waists with a second support below them."""
    shape: Shape


_EASY, _MIDDLE, _HARD = Length(1, 2), Length(2, 3), Length(2, 4)

LEVELS: Final = (
    Level(1, 0, 5, 0, 42, 0, Shape(2, 1, 2, Mix(strict=0.00, junction=0.00), _EASY)),
    Level(1, 0, 5, 0, 44, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 0, 7, 0, 62, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 0, 7, 0, 63, 0, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 0, 7, 0, 66, 0, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _EASY)),
    Level(2, 0, 7, 1, 79, 0, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _MIDDLE)),
    Level(3, 0, 7, 1, 86, 0, Shape(2, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 0, 6, 0, 94, 1, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 1, 8, 1, 102, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 1, 8, 2, 108, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(4, 1, 7, 2, 117, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(4, 1, 8, 2, 125, 0, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(4, 1, 8, 2, 129, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(5, 1, 7, 2, 130, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(5, 1, 7, 2, 134, 0, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A theory and what its builder knows about it."""

    theory: Theory
    target: str
    start: str
    """An undisputed literal, from which cuts can be made."""
    cuts: tuple[str, ...]
    """A defeasible rule for each cluster; undercutting all of them defeats the target."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and a target that pass the gates; raise Rejected otherwise."""
    plan = _plan(level, ordering, stream)
    state = evaluate_once(plan.theory, ordering)
    require_structure(state, level.size, level.shape.depth)
    require(state.status(plan.target) == "justified", "target_not_justified")
    require_active(state)
    routes = state.arguments_for(plan.target)
    dead = sum(state.label(route) == "out" for route in routes)
    require(dead >= level.decoys, "decoy_alive")
    reference = cuts_from(plan.theory, plan.start, plan.cuts)
    require(evaluate(plan.theory.add(reference), ordering).status(plan.target) == "overruled", "witness_fails")
    require(separate_cuts(state, plan.target) == level.minimum, "minimum_unproven")
    return Candidate(
        plan.theory,
        GoalQuestion((Goal(plan.target, "overruled"),)),
        directive_lines(reference),
        min_directives=level.minimum,
        stats={"routes": len(routes), "dead_routes": dead, "goals": 1},
    )


def _plan(level: Level, ordering: str, stream: Stream) -> _Plan:
    draft = Draft(stream, ordering)
    shape = level.shape
    target = draft.fresh_literal()
    start = stream.choice((draft.premise, draft.axiom))()
    cuts = state_clusters(
        draft,
        target,
        shape,
        live=level.minimum,
        dead=level.decoys,
        hubs=level.hubs,
        hub_places=level.minimum,
        dead_hubs=level.dead_hubs,
        alternatives=level.alternatives,
        live_step=lambda number: LastStep.MIXED,
        dead_step=lambda: LastStep.MIXED,
    )
    fill(draft, level.size, shape)
    return _Plan(draft.theory(), target, start.literal, tuple(cuts))


class Attack(ConstructiveTask):
    """The attack task."""

    name = "attack"
    summary = "add directives that make a justified target overruled"
    levels = LEVELS
    legality = Legality(defeasible_rules=True, contraries=True, preferences=True)

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory whose target needs exactly the level's number of cuts."""
        return build(LEVELS[level - 1], ordering, stream)

    def opening(self, goals: Sequence[Goal]) -> str:
        """Return how things stand and what is asked."""
        return (
            f"The claim {goals[0].literal} is justified at present. Which directives, as few as possible, make "
            f"{goal_sentence(goals)} when they are added to the theory?"
        )


TASK: Final = Attack()
