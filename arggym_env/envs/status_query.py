"""status_query: the status of each queried claim under grounded semantics (paper appendix A.3).

The theory is a web of disputes: lines of reasoning that attack each other by undermining, rebutting and undercutting,
attackers that are attacked in turn, conclusions on which further lines are built, and conflicts that hang on the link
principle or on the set ordering. The model labels k claims justified, overruled or undecided.

Hard because a label is a fixpoint: it needs the arguments, which attacks succeed under the stated ordering, and the
propagation of acceptance through defence and reinstatement. Labels are balanced, so no constant answer scores above
1/3 on most levels, and all three occur, so none ever succeeds.

The answer is one line ``claim: status`` per claim. The native score is the F1 of the claim-status pairs; every wrong,
missing, extra, contradictory or unreadable line costs, and success is exact equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate_once
from arggym_env.envs import wording
from arggym_env.envs.battery import all_premises_justified, constant_labels, theory_blind
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import active_literals, require
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import (
    Mix,
    Outcome,
    ground,
    grow,
    joint_attack,
    rebut,
    targets,
    undercut,
    undermine,
)
from arggym_env.envs.question import Question, StatusQuestion, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.rewards.pairs import CLAIM_STATUSES, read_pairs, score_pairs
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory, atom_of


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    queries: int
    """Claims asked."""
    size: int
    """Arguments planned; disputes and distractors are added until there are as many."""
    depth: int
    """Rules on the longest path of an argument."""
    layers: int
    """How far attackers are attacked in turn."""
    alternatives: int
    """Conclusions that get a second, independent line."""
    joints: int
    """Attacks by a strict rule over several defeasible lines, on which the set ordering bears."""
    distractors: float
    """Share of lines that nobody contests."""
    mix: Mix

    @property
    def arguments(self) -> tuple[int, int]:
        """Fewest and most arguments of an accepted theory."""
        return self.size, self.size + self.size // 4 + 8


LEVELS: Final = (
    Level(5, 14, 2, 1, 0, 1, 0.12, Mix(strict=0.15, junction=0.10)),
    Level(5, 16, 2, 1, 0, 1, 0.12, Mix(strict=0.15, junction=0.10)),
    Level(5, 21, 3, 2, 0, 1, 0.12, Mix(strict=0.15, junction=0.10)),
    Level(6, 26, 3, 2, 0, 1, 0.12, Mix(strict=0.20, junction=0.10)),
    Level(6, 31, 3, 2, 1, 1, 0.12, Mix(strict=0.20, junction=0.15)),
    Level(6, 37, 4, 2, 1, 1, 0.12, Mix(strict=0.20, junction=0.15)),
    Level(6, 43, 4, 2, 1, 1, 0.12, Mix(strict=0.20, junction=0.15)),
    Level(9, 49, 4, 3, 1, 1, 0.12, Mix(strict=0.20, junction=0.20)),
    Level(9, 55, 5, 3, 2, 1, 0.12, Mix(strict=0.25, junction=0.20)),
    Level(9, 61, 5, 3, 2, 2, 0.12, Mix(strict=0.25, junction=0.20)),
    Level(9, 68, 5, 3, 2, 2, 0.12, Mix(strict=0.25, junction=0.20)),
    Level(12, 75, 6, 3, 3, 2, 0.12, Mix(strict=0.25, junction=0.25)),
    Level(12, 83, 6, 4, 3, 2, 0.12, Mix(strict=0.25, junction=0.25)),
    Level(12, 92, 7, 4, 3, 2, 0.12, Mix(strict=0.30, junction=0.25)),
    Level(12, 102, 7, 4, 4, 2, 0.12, Mix(strict=0.30, junction=0.25)),
)


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and claims that pass the gates; raise Rejected otherwise."""
    theory = _theory(level, ordering, stream)
    state = evaluate_once(theory, ordering)
    low, high = level.arguments
    require(low <= state.argument_count <= high, "size")
    require(state.depth == level.depth, "depth")
    require(state.is_consistent, "inconsistent")
    active = active_literals(state)
    require(bool(active.principle), "link_principle_inert")
    require(bool(active.lift), "set_ordering_inert")
    claims = _claims(state, active.principle | active.lift, level.queries, stream)
    reference = "\n".join(f"{claim}: {state.status(claim)}" for claim in claims)
    return Candidate(
        theory,
        StatusQuestion(tuple(claims)),
        reference,
        stats={"queries": level.queries},
    )


def _theory(level: Level, ordering: str, stream: Stream) -> Theory:
    draft = Draft(stream, ordering)
    lines: list[Line] = []
    alternatives, joints = level.alternatives, level.joints
    while draft.size < level.size:
        if lines and stream.chance(level.distractors):
            grow(draft, ground(draft, level.mix), stream.between(1, 2), level.mix)
            continue
        line = _line(draft, lines, level)
        lines.append(line)
        if alternatives and line.rule is not None:
            alternatives -= 1
            grow(draft, ground(draft, level.mix), 1, level.mix, line.literal)
        if joints:
            joints -= 1
            _joint(draft, line, level)
        else:
            _contest(draft, line, level.layers, level)
    return draft.theory()


def _line(draft: Draft, lines: list[Line], level: Level) -> Line:
    """Return a new line; the first is as deep as the level goes, later ones now and then build on an earlier line."""
    short = [line for line in lines if line.height < level.depth]
    if not lines or not short or draft.stream.chance(0.6):
        base = ground(draft, level.mix)
    else:
        base = draft.stream.choice(short)
    room = level.depth - base.height
    return grow(draft, base, draft.stream.between(1, room) if lines else room, level.mix)


def _contest(draft: Draft, line: Line, layers: int, level: Level) -> None:
    """Attack ``line`` at some step, and the attacker in turn."""
    stream = draft.stream
    open_steps = targets(line)
    if not open_steps:
        return
    target = stream.choice(open_steps)
    outcome = stream.choice((Outcome.WINS, Outcome.TIES, Outcome.LOSES))
    if target.rule is None and stream.chance(0.4):
        attacker = undermine(draft, target, outcome)
    else:
        base = grow(draft, ground(draft, level.mix), stream.between(0, min(2, level.depth - 1)), level.mix)
        if target.rule is not None and (draft.is_undercut(target) or stream.chance(0.4)):
            attacker = undercut(draft, target, base)
        else:
            attacker = rebut(draft, target, base, outcome)
    if layers > 1 and stream.chance(0.7):
        _contest(draft, attacker, layers - 1, level)


def _joint(draft: Draft, line: Line, level: Level) -> None:
    """Add an attack on which the set ordering bears; its target may strike back at one of the attacker's members.

    Where the attack fails (elitist), both would stand without the undercut, and contradict each other.
    """
    stream = draft.stream
    open_steps = [step for step in targets(line) if step.rule is not None and step.height < level.depth]
    if not open_steps:
        return
    target = stream.choice(open_steps)
    bases = [ground(draft, level.mix) for _ in range(stream.between(2, 3))]
    _, members = joint_attack(draft, target, bases)
    if draft.is_elitist or stream.chance(0.5):
        undercut(draft, stream.choice(members), target)


def _claims(state: State, active: frozenset[str], count: int, stream: Stream) -> list[str]:
    """Return ``count`` claims: those on which the ordering bears first, then derived ones.

    All statuses occur equally often; where ``count`` does not divide by three, some, drawn at random, once more.
    """
    theory = state.theory
    given = {*theory.premises, *theory.axioms}
    askable = [literal for literal in sorted(theory.occurring) if atom_of(literal) not in theory.rule_names]
    claims: list[str] = []
    for position, status in enumerate(stream.shuffled(CLAIM_STATUSES)):
        share = count // 3 + (position < count % 3)
        pool = [claim for claim in askable if state.status(claim) == status]
        ranked = sorted(stream.shuffled(pool), key=lambda claim: (claim not in active, claim in given))
        require(len(ranked) >= share, f"too_few_{status}")
        claims += ranked[:share]
    return stream.shuffled(claims)


def prompt(theory: Theory, claims: tuple[str, ...], ordering: str) -> str:
    """Return the question in words."""
    return "\n\n".join(
        (
            wording.theory_section(theory, ordering),
            f"State the status of each of the following {len(claims)} claims: {', '.join(claims)}.",
            wording.answer_region(
                "Answer with one line per claim, written\n"
                "claim: status\n"
                "where status is one of justified, overruled, undecided. Your score compares your lines with the right "
                "ones: a missing claim, a claim that was not asked, a claim with two different statuses and a line "
                "that cannot be read each lower it, and the answer is right only when every asked claim has its status "
                "and nothing else is there."
            ),
        )
    )


class StatusQuery(Task):
    """The status_query task."""

    name = "status_query"
    summary = "label claims justified, overruled or undecided under grounded semantics"
    question_type = StatusQuestion
    levels = LEVELS

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory and balanced claims on which the ordering bears."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        return prompt(theory, expect(StatusQuestion, question).claims, ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the pair F1 against the reference; nothing is executed, so engine and limit do not matter."""
        gold = {
            claim: statuses[0] for claim, statuses in read_pairs(instance.reference, CLAIM_STATUSES).statuses.items()
        }
        return score_pairs(gold, answer, CLAIM_STATUSES)

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the constant labels and the policies that copy text."""
        claims = expect(StatusQuestion, instance.question).claims
        return {
            **theory_blind(instance),
            **constant_labels(claims, CLAIM_STATUSES),
            "premises_justified": all_premises_justified(instance.theory, claims),
        }


TASK: Final = StatusQuery()
