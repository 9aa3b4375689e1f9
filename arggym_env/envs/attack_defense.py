"""attack_defense: one claim overruled and another justified by a single intervention (paper appendix A.3).

The claim a rests on clusters of support (``envs.clusters``), the claim d is stood against by clusters for -d. The two
goals interact in both ways. Some clusters are *shared*: their waist supports a and -d alike, so one cut serves both
goals, and the joint minimum is lower than the minima of the goals by themselves added up. And d's own argument is built
on what lies below a waist of a: a cut down there overrules a just as well, and takes d along. On some levels d's own
argument is broken instead, and d needs support afresh. Dead clusters surround the live ones.

Hard because solving the goals one after the other is too expensive or undoes the first with the second.

The answer is a list of directives: defeasible rules, preferences, and contraries of ordinary premises. It is run. The
minimum is one directive for each live cluster, shared ones counted once, and one more where d's own argument is broken;
``envs.minimum`` proves that nothing cheaper is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import State, evaluate
from arggym_env.envs.clusters import LastStep, Shape, attack_in_vain, decoy, fan_out, fill, rule_of
from arggym_env.envs.constructive import ConstructiveTask, cuts_from, directive_lines, goal_sentence, unused_names
from arggym_env.envs.defence import against_footprints
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import require, require_active, require_structure
from arggym_env.envs.minimum import Dependencies, Footprint, largest_packing, live_arguments
from arggym_env.envs.motifs import Mix, Outcome, grow, undercut, undermine
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
    """Live clusters for the claim that is to be overruled."""
    shared: int
    """Clusters among them that support the negation of the other claim as well."""
    own: int
    """Further live clusters for the negation of the claim that is to be justified."""
    broken: bool
    """Whether the argument of the claim that is to be justified is broken below its conclusion."""
    decoys: int
    """Dead clusters, for either claim; so many that cutting all clusters is too expensive."""
    size: int
    """Arguments planned; distractors are added until there are as many."""
    shape: Shape

    @property
    def minimum(self) -> int:
        """Fewest directives that reach both goals."""
        return self.clusters + self.own + self.broken

    @property
    def apart(self) -> int:
        """Fewest directives for the first goal and fewest for the second, added up."""
        return self.clusters + self.shared + self.own + self.broken


LEVELS: Final = (
    Level(1, 1, 0, False, 3, 42, Shape(2, 1, 2, Mix(strict=0.00, junction=0.00))),
    Level(1, 1, 1, False, 4, 56, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10))),
    Level(1, 1, 1, False, 4, 61, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10))),
    Level(2, 1, 0, True, 5, 71, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10))),
    Level(2, 1, 1, False, 5, 83, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10))),
    Level(2, 1, 1, True, 6, 97, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), rounds=3)),
    Level(2, 1, 1, True, 6, 103, Shape(2, 2, 2, Mix(strict=0.20, junction=0.10), rounds=3)),
    Level(3, 2, 1, False, 6, 111, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), rounds=3)),
    Level(3, 2, 1, False, 6, 116, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), rounds=3)),
    Level(3, 2, 1, True, 7, 125, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), rounds=3)),
    Level(3, 2, 1, True, 7, 129, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), rounds=3)),
    Level(3, 2, 1, True, 7, 131, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), rounds=3)),
    Level(3, 2, 2, False, 7, 134, Shape(5, 1, 2, Mix(strict=0.25, junction=0.10), rounds=3)),
    Level(4, 2, 1, True, 7, 138, Shape(5, 1, 2, Mix(strict=0.25, junction=0.10), rounds=3)),
    Level(4, 2, 1, True, 7, 141, Shape(5, 1, 2, Mix(strict=0.25, junction=0.10), rounds=3)),
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A theory and what its builder knows about it."""

    theory: Theory
    overrule: str
    """The claim that is to be overruled."""
    justify: str
    """The claim that is to be justified."""
    start: str
    """An undisputed literal, from which new rules can start."""
    cuts: tuple[str, ...]
    """A defeasible rule for each live cluster, whose undercut severs it."""
    tempting: tuple[str, ...]
    """The same, but with the step on which the second claim is built in place of the waist above it."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and two claims that pass the gates; raise Rejected otherwise."""
    plan = _plan(level, ordering, stream)
    state = evaluate(plan.theory, ordering)
    require_structure(state, level.size, level.shape.depth)
    require(state.status(plan.overrule) == "justified", "target_not_justified")
    require(state.status(plan.justify) != "justified", "target_justified")
    require_active(state)

    reference: list[Directive] = cuts_from(plan.theory, plan.start, plan.cuts)
    if level.broken:
        name = unused_names(plan.theory, 1 + len(reference))[-1]
        reference.append(DefeasibleRule(name, (plan.start,), plan.justify))
    after = evaluate(plan.theory.add(reference), ordering)
    require(after.status(plan.overrule) == "overruled", "witness_fails")
    require(after.status(plan.justify) == "justified" and after.is_consistent, "witness_fails")
    _require_interaction(plan, level, state)
    require(len(reference) == level.minimum == _bound(state, plan), "minimum_unproven")
    return Candidate(
        plan.theory,
        GoalQuestion((Goal(plan.overrule, "overruled"), Goal(plan.justify, "justified"))),
        directive_lines(reference),
        min_directives=level.minimum,
        stats={"goals": 2, "minima_apart": level.apart},
    )


def _require_interaction(plan: _Plan, level: Level, state: State) -> None:
    """Reject a theory in which the goals do not meet: the saving and the trap must be there, not just be intended."""
    dependencies = Dependencies(state)
    first = largest_packing(map(dependencies.footprint, live_arguments(state, plan.overrule)))
    second = largest_packing(against_footprints(state, dependencies, plan.justify))
    require(first + second == level.apart > level.minimum, "no_saving")
    if not level.broken:
        trapped = evaluate(plan.theory.add(cuts_from(plan.theory, plan.start, plan.tempting)), state.ordering)
        require(trapped.status(plan.overrule) == "overruled", "no_trap")
        require(trapped.status(plan.justify) != "justified", "no_trap")


def _bound(state: State, plan: _Plan) -> int:
    """Return a lower bound on the directives that reach both goals: what either goal needs touched, once."""
    dependencies = Dependencies(state)
    footprints: list[Footprint] = [dependencies.footprint(found) for found in live_arguments(state, plan.overrule)]
    return largest_packing([*footprints, *against_footprints(state, dependencies, plan.justify)])


def _plan(level: Level, ordering: str, stream: Stream) -> _Plan:
    draft = Draft(stream, ordering)
    shape = level.shape
    overrule, justify = draft.fresh_literal(), draft.fresh_literal()
    start = stream.choice((draft.premise, draft.axiom))()
    # On one conflict the set ordering bears: an attack that elitist comparison stops, or a decoy that democratic
    # comparison lets die.
    joint = stream.below(level.clusters if draft.is_elitist else level.decoys)
    shared = set(stream.sample(range(level.clusters), level.shared))
    waists: list[Line] = []
    for number in range(level.clusters + level.own):
        line = _deep_waist(draft, shape)
        waists.append(line)
        if number < level.clusters:
            fan_out(draft, line, overrule, shape, LastStep.MIXED)
        if number >= level.clusters or number in shared:
            fan_out(draft, line, negate(justify), shape, stream.choice((LastStep.MIXED, LastStep.DEFEASIBLE)))
        attack_in_vain(draft, line, shape, joint=draft.is_elitist and number == joint)
    trap = stream.below(level.clusters)
    side = draft.premise()
    base = draft.defeasible([draft.premise()]) if level.broken else waists[trap].subs[0]
    main = draft.defeasible([base, side])
    draft.defeasible([main], justify)
    if level.broken and stream.chance(0.5):
        undercut(draft, main, draft.premise())
    elif level.broken:
        undermine(draft, side, Outcome.WINS)
    for number in range(level.decoys):
        claims = [overrule, negate(justify)]
        if not stream.chance(level.shared / (level.clusters + level.own)):
            claims = [claims[number % 2]]
        decoy(draft, claims, shape, LastStep.MIXED, joint=not draft.is_elitist and number == joint)
    fill(draft, level.size, shape)
    cuts = [rule_of(line) for line in waists]
    tempting = [*cuts[:trap], rule_of(waists[trap].subs[0]), *cuts[trap + 1 :]]
    return _Plan(draft.theory(), overrule, justify, start.literal, tuple(cuts), tuple(tempting))


def _deep_waist(draft: Draft, shape: Shape) -> Line:
    """Return a waist that stands on a defeasible step, so that there are two places to cut."""
    room = draft.stream.between(0, max(0, shape.trunk - 2))
    return draft.defeasible([draft.defeasible([grow(draft, draft.premise(), room, shape.mix)])])


class AttackDefense(ConstructiveTask):
    """The attack_defense task."""

    name = "attack_defense"
    summary = "add directives that make one claim overruled and another justified"
    levels = LEVELS
    legality = Legality(defeasible_rules=True, contraries=True, preferences=True)

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory whose two goals interact and need exactly the level's number of directives."""
        return build(LEVELS[level - 1], ordering, stream)

    def opening(self, goals: Sequence[Goal]) -> str:
        """Return how things stand and what is asked."""
        return (
            f"At present the claim {goals[0].literal} is justified and the claim {goals[1].literal} is not. Which "
            f"directives, as few as possible, make {goal_sentence(goals)} at once when they are added to the theory?"
        )


TASK: Final = AttackDefense()
