"""preference_construction: add preferences so that several claims get their requested statuses (paper appendix A.3).

The theory is a collection of *disputes*: a line of reasoning, an attacker of one of its steps, an attacker of the
attacker, and conclusions that rest on all of them. The preferences that settled the disputes were in part erased, and
in part settle them the wrong way. The goals are claims on top of the disputes: some have to change, others hold at
present and must not be broken by the repair.

Hard because the right place differs from the claim: the contested step lies below it, and which of the attacks on the
way has to flip depends on the other goals. What flips it depends on the ordering: under weakest-link both rules and
premises have to be ranked, half of which may be stated already; a set of several rules takes several preferences, or
one, depending on the set ordering; and a conflict may have to become a tie, by turning a stated preference around.

The answer is a list of preferences. It is run, and any legal answer that reaches all goals with the theory consistent
succeeds. The minimum is exact over all legal preferences (``envs.preference_search``); instances for which it cannot be
established are rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import evaluate_once
from arggym_env.envs.battery import theory_blind
from arggym_env.envs.constructive import ConstructiveTask, directive_lines
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import require_active, require_structure
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, targets, undercut, undermine
from arggym_env.envs.preference_goals import plan_goals
from arggym_env.envs.preference_search import Preference
from arggym_env.envs.preference_templates import by_goals, by_position
from arggym_env.envs.question import GoalQuestion, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.legality import Legality
from arggym_env.theory import Theory


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    minimum: int
    """The fewest preferences that succeed."""
    goals: int
    """Claims with a requested status."""
    disputes: int
    """Disputes; each needs at least one preference."""
    joints: int
    """Disputes whose attacker joins several defeasible lines by a strict rule."""
    attacks: int
    """Attacks in a dispute: on the line, on its attackers, and so on."""
    size: int
    """Arguments planned; distractors are added until there are as many."""
    trunk: int
    """Rules up to and including a contested step, at most."""
    reach: int
    """Rules above it, at most."""
    mix: Mix

    @property
    def depth(self) -> int:
        """Rules on the longest path of an argument."""
        return self.trunk + self.reach


LEVELS: Final = (
    Level(1, 2, 1, 1, 2, 22, 2, 1, Mix(strict=0.00, junction=0.00)),
    Level(1, 2, 1, 1, 2, 26, 2, 1, Mix(strict=0.10, junction=0.10)),
    Level(2, 3, 2, 1, 3, 38, 2, 1, Mix(strict=0.10, junction=0.10)),
    Level(2, 4, 2, 1, 3, 44, 2, 2, Mix(strict=0.10, junction=0.10)),
    Level(2, 4, 2, 1, 3, 50, 2, 2, Mix(strict=0.15, junction=0.10)),
    Level(3, 4, 2, 1, 4, 56, 2, 2, Mix(strict=0.15, junction=0.10)),
    Level(3, 5, 2, 2, 4, 62, 2, 2, Mix(strict=0.15, junction=0.10)),
    Level(3, 5, 2, 2, 5, 68, 3, 2, Mix(strict=0.20, junction=0.10)),
    Level(4, 6, 3, 2, 4, 74, 3, 2, Mix(strict=0.20, junction=0.10)),
    Level(4, 6, 3, 2, 4, 80, 3, 2, Mix(strict=0.20, junction=0.10)),
    Level(4, 7, 3, 2, 5, 86, 3, 2, Mix(strict=0.20, junction=0.10)),
    Level(5, 7, 4, 2, 4, 92, 3, 3, Mix(strict=0.20, junction=0.10)),
    Level(5, 8, 4, 2, 4, 98, 3, 3, Mix(strict=0.25, junction=0.10)),
    Level(6, 8, 4, 2, 5, 105, 3, 3, Mix(strict=0.25, junction=0.10)),
    Level(6, 9, 4, 2, 5, 112, 3, 3, Mix(strict=0.25, junction=0.10)),
)

UNDERCUTS: Final = 0.15
"""The share of attacks on rules that no preference bears on."""
ERASED: Final = 0.35
"""The share of the preferences that settled the disputes that are not stated."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and goals that pass the gates; raise Rejected otherwise."""
    theory, lines = _theory(level, ordering, stream)
    state = evaluate_once(theory, ordering)
    require_structure(state, level.size, level.depth)
    plan = plan_goals(state, lines, level.minimum, level.goals, stream)
    require_active(state)
    return Candidate(
        theory,
        GoalQuestion(tuple(stream.shuffled(plan.goals))),
        directive_lines(stream.shuffled(plan.witness)),
        min_directives=level.minimum,
        stats={"goals": len(plan.goals), "kept_goals": sum(state.status(g.literal) == g.status for g in plan.goals)},
    )


def _theory(level: Level, ordering: str, stream: Stream) -> tuple[Theory, list[str]]:
    """Return a theory, and for each of its disputes the conclusion that is contested first."""
    draft = Draft(stream, ordering)
    joints = set(stream.sample(range(level.disputes), level.joints))
    pinned: list[Preference] = []
    lines = [
        _dispute(draft, level, pinned, is_deep=number == 0, joint=number in joints) for number in range(level.disputes)
    ]
    erased = [pair for pair in draft.preferences if pair not in pinned and stream.chance(ERASED)]
    _settled(draft)
    while draft.size < level.size:
        _distractor(draft, level)
    return draft.theory().retract(erased), lines


def _dispute(draft: Draft, level: Level, pinned: list[Preference], *, is_deep: bool, joint: bool) -> str:
    """State a line, attacks on its steps and on the attackers' steps, and claims on top; return what it concludes."""
    stream, mix = draft.stream, level.mix
    below = level.trunk - 1
    base = grow(draft, ground(draft, mix), below if is_deep else stream.between(0, below), mix)
    line = draft.defeasible([base])
    grow(draft, line, level.reach if is_deep else stream.between(1, level.reach), mix)
    open_steps = targets(line)
    target = line
    for number in range(level.attacks):
        open_steps.remove(target)
        if joint and number == 0:
            attacker, struck = _joint(draft, target, level, pinned)
        else:
            attacker, struck = _attack(draft, target, level), None
        if stream.chance(0.7) and not draft.is_undercut(attacker):
            draft.step([attacker], mix.strict)
        # Whatever contests the attacker's conclusion is there already; its lower steps are new ground.
        open_steps += [step for step in targets(attacker) if step is not attacker and step is not struck]
        if not open_steps:
            break
        target = stream.choice(open_steps)
    return line.literal


def _attack(draft: Draft, target: Line, level: Level) -> Line:
    """Attack ``target`` with one or the other outcome; return the attacker."""
    stream = draft.stream
    outcome = stream.choice((Outcome.WINS, Outcome.LOSES))
    if target.rule is None and stream.chance(0.5):
        return undermine(draft, target, outcome)
    base = grow(draft, ground(draft, level.mix), stream.between(0, level.trunk - 1), level.mix)
    if target.rule is not None and (draft.is_undercut(target) or stream.chance(UNDERCUTS)):
        return undercut(draft, target, base)
    return rebut(draft, target, base, outcome)


def _joint(draft: Draft, target: Line, level: Level, pinned: list[Preference]) -> tuple[Line, Line]:
    """Attack ``target`` by a strict rule over two defeasible lines, one of which is weaker: the set ordering decides.

    Returns:
        The attacker, and the one of the two lines at which the target strikes back: where the attack fails, both would
        stand otherwise, and contradict each other.
    """
    stream = draft.stream
    bases = [ground(draft, level.mix)]
    bases.append(bases[0] if stream.chance(0.5) else ground(draft, level.mix))
    before = len(draft.preferences)
    attacker, members = joint_attack(draft, target, bases)
    pinned += draft.preferences[before:]
    struck = stream.choice(members)
    if stream.chance(0.5):
        undercut(draft, struck, target)
    else:
        rebut(draft, struck, target, stream.choice((Outcome.WINS, Outcome.TIES)))
    return attacker, struck


def _settled(draft: Draft) -> None:
    """State two conflicts that no goal is about, and on which the link principle and the set ordering bear."""
    contested = draft.chain(draft.premise(), 2, 0.0)
    rebut(draft, contested, draft.defeasible([draft.premise()]), Outcome.LOSES)
    contested = draft.defeasible([draft.premise()])
    _, members = joint_attack(draft, contested, [draft.premise(), draft.premise()])
    undercut(draft, draft.stream.choice(members), contested)


def _distractor(draft: Draft, level: Level) -> None:
    """State a line that no goal depends on: it branches, and half of the time it has a settled conflict of its own."""
    line = draft.defeasible([grow(draft, ground(draft, level.mix), draft.stream.between(0, 1), level.mix)])
    for _ in range(2):
        draft.step([line], level.mix.strict)
    if draft.stream.chance(0.5):
        rebut(draft, line, draft.premise(), draft.stream.choice(tuple(Outcome)))


class PreferenceConstruction(ConstructiveTask):
    """The preference_construction task."""

    name = "preference_construction"
    summary = "add preferences that give several claims their requested statuses"
    levels = LEVELS
    legality = Legality(preferences=True)

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory and goals that need exactly the level's number of preferences."""
        return build(LEVELS[level - 1], ordering, stream)

    def opening(self, goals: Sequence[Goal]) -> str:
        """Return the goals, some of which hold already."""
        wanted = "\n".join(f"{goal.literal}: {goal.status}" for goal in goals)
        return (
            "Which preferences, as few as possible, give all of these claims the status that stands beside them when "
            f"they are added to the theory? Some of the claims may have it already, and have to keep it.\n{wanted}"
        )

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the policies that prefer by position, by what is stated, or by the text of the goals."""
        goals = expect(GoalQuestion, instance.question).goals
        budget = 2 * (instance.min_directives or 0)
        answers = theory_blind(instance)
        for name, pairs in {**by_position(instance.theory), **by_goals(instance.theory, goals)}.items():
            answers[name] = directive_lines(pairs)
            answers[f"{name}_within_budget"] = directive_lines(pairs[:budget])
        return answers


TASK: Final = PreferenceConstruction()
