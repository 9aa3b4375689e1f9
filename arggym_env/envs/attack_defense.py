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

from arggym_env.engine import State, evaluate, evaluate_once
from arggym_env.envs.clusters import Cluster, LastStep, Shape, fill, rule_of, state_cluster, waist
from arggym_env.envs.constructive import ConstructiveTask, cuts_from, directive_lines, goal_sentence, unused_names
from arggym_env.envs.contests import Length
from arggym_env.envs.defence import against_footprints
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import require, require_active, require_structure
from arggym_env.envs.minimum import Dependencies, Footprint, largest_packing, live_arguments
from arggym_env.envs.motifs import Mix, Outcome, undercut, undermine
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
    hubs: int
    """Live clusters that are two waists with a common enemy."""
    dead_hubs: int
    """Dead clusters that are."""
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


_EASY, _MIDDLE, _HARD = Length(1, 2), Length(2, 3), Length(2, 4)

LEVELS: Final = (
    Level(1, 1, 0, False, 5, 0, 0, 58, Shape(2, 1, 2, Mix(strict=0.00, junction=0.00), _EASY)),
    Level(1, 1, 1, False, 5, 0, 0, 62, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(1, 1, 1, False, 6, 0, 0, 68, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 1, 0, True, 6, 0, 0, 71, Shape(2, 1, 2, Mix(strict=0.10, junction=0.10), _EASY)),
    Level(2, 1, 1, False, 6, 0, 0, 78, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _EASY)),
    Level(2, 1, 1, True, 6, 0, 2, 102, Shape(2, 2, 2, Mix(strict=0.15, junction=0.10), _MIDDLE)),
    Level(2, 1, 1, True, 6, 0, 2, 104, Shape(2, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 2, 1, False, 6, 0, 2, 110, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 2, 1, False, 6, 0, 2, 111, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 2, 1, True, 6, 0, 2, 114, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _MIDDLE)),
    Level(3, 2, 1, True, 6, 1, 2, 126, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(3, 2, 1, True, 6, 1, 2, 127, Shape(3, 2, 2, Mix(strict=0.20, junction=0.10), _HARD, 0.2)),
    Level(3, 2, 2, False, 6, 1, 1, 130, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(4, 2, 1, True, 6, 1, 2, 134, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
    Level(4, 2, 1, True, 6, 1, 2, 136, Shape(4, 2, 2, Mix(strict=0.25, junction=0.10), _HARD, 0.2)),
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
    state = evaluate_once(plan.theory, ordering)
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
    against = negate(justify)
    live = level.clusters + level.own
    shared = set(stream.sample(range(level.clusters), level.shared))
    trap, tall = stream.below(level.clusters), stream.below(live + level.decoys)
    hubs = set(stream.sample([number for number in range(live) if number != trap], level.hubs))
    hubs.update(stream.sample(range(live, live + level.decoys), level.dead_hubs))
    on_sets = stream.choice([number for number in range(live + level.decoys) if number not in hubs])
    cuts: list[str] = []
    below_trap: list[Line] = []
    for number in range(live + level.decoys):
        is_live, is_tall = number < live, number == tall
        if is_live:
            in_both = number in shared
            claim = overrule if number < level.clusters else against
        else:
            in_both = stream.chance(level.shared / live)
            claim = (overrule, against)[number % 2]
        # What the second claim is built on must stand, and the first one must be justified at present.
        unsettled = is_live and number not in {0, trap, on_sets, *hubs} and stream.chance(shape.undecided)
        # Below the trap's waist there is a second place to cut, as below some others.
        waists = [
            waist(draft, shape, is_tall=is_tall and not place, least=int(number == trap or stream.chance(0.3)))
            for place in range(2 if number in hubs else 1)
        ]
        cut = state_cluster(
            draft,
            shape,
            Cluster(
                label=("undecided" if unsettled else "in") if is_live else "out",
                literals=(overrule, against) if in_both else (claim,),
                last_step=LastStep.MIXED if claim == overrule else stream.choice((LastStep.MIXED, LastStep.DEFEASIBLE)),
                is_hub=number in hubs,
                is_tall=is_tall,
                hangs_on_sets=number == on_sets,
            ),
            waists,
        )
        if is_live:
            cuts.append(cut)
        if number == trap:
            below_trap = [*waists[0].subs]
    side = draft.premise()
    base = draft.defeasible([draft.premise()]) if level.broken else below_trap[0]
    main = draft.defeasible([base, side])
    draft.defeasible([main], justify)
    if level.broken and stream.chance(0.5):
        undercut(draft, main, draft.premise())
    elif level.broken:
        undermine(draft, side, Outcome.WINS)
    fill(draft, level.size, shape)
    tempting = [*cuts[:trap], rule_of(below_trap[0]), *cuts[trap + 1 :]]
    return _Plan(draft.theory(), overrule, justify, start.literal, tuple(cuts), tuple(tempting))


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
