"""defeat_diagnosis: why is this claim not justified? (paper appendix A.3 and C.2).

The target rests on several *strands* of support, each of which fails somewhere: an ordinary premise is undermined, a
defeasible rule undercut, a conclusion rebutted. Some strands branch above the failure, so that one point brings down
several arguments; some join two failing lines, so that one argument fails twice. Other attacks on the same strands are
vain: the attacker is too weak under the ordering, or is itself defeated. Some defeaters are attacked in turn and
survive, and the answer has to name the defeated counterattack. Strands may fail by a tie only: if one does so without
failing otherwise too, the target is undecided, else it is overruled.

Hard because the answer is the whole dialectical structure: every argument for the target, every attack on one of its
parts, which of them succeed under the stated ordering, and which attackers stand.

The answer is a status line and one line per failure point. Every wrong, missing or extra record, a wrong status and a
wrong survival explanation cost; an explanation where none is required at all scores 0 (``rewards.diagnosis``). What is
right is computed from the engine's defeats (``envs.failure_points``) and has to equal what the builder planned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate_once
from arggym_env.envs import wording
from arggym_env.envs.battery import theory_blind
from arggym_env.envs.draft import Draft
from arggym_env.envs.failure_points import failure_points
from arggym_env.envs.gates import active_literals, require, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Mix, ranked_dispute
from arggym_env.envs.question import Question, expect
from arggym_env.envs.strands import Shape, distractor, failing_support
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.rewards.diagnosis import Diagnosis, FailurePoint, read_diagnosis, score_diagnosis
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory


@dataclass(frozen=True, slots=True)
class DiagnosisQuestion(Question):
    """Why is this claim not justified?"""

    target: str


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    size: int
    """Arguments planned; distractors are added until there are as many."""
    shape: Shape

    @property
    def arguments(self) -> tuple[int, int]:
        """Fewest and most arguments of an accepted theory."""
        return self.size, self.size + self.size // 10 + 6


LEVELS: Final = (
    Level(38, Shape(2, 0, 0, 0, 3, 1, 1, 0.0, Mix(strict=0.00, junction=0.00))),
    Level(42, Shape(2, 0, 1, 0, 3, 1, 1, 0.0, Mix(strict=0.10, junction=0.10))),
    Level(48, Shape(2, 1, 1, 0, 4, 2, 1, 0.2, Mix(strict=0.10, junction=0.10))),
    Level(53, Shape(2, 1, 2, 1, 4, 2, 1, 0.2, Mix(strict=0.15, junction=0.10))),
    Level(60, Shape(3, 1, 1, 1, 5, 2, 1, 0.2, Mix(strict=0.15, junction=0.10))),
    Level(67, Shape(3, 1, 2, 1, 5, 2, 2, 0.3, Mix(strict=0.15, junction=0.10))),
    Level(74, Shape(3, 2, 2, 2, 6, 2, 2, 0.3, Mix(strict=0.20, junction=0.10))),
    Level(81, Shape(4, 1, 2, 2, 6, 2, 2, 0.3, Mix(strict=0.20, junction=0.15))),
    Level(88, Shape(4, 2, 2, 2, 7, 3, 2, 0.3, Mix(strict=0.20, junction=0.15))),
    Level(95, Shape(4, 2, 3, 3, 7, 3, 2, 0.3, Mix(strict=0.20, junction=0.15))),
    Level(103, Shape(5, 2, 3, 3, 8, 3, 2, 0.4, Mix(strict=0.20, junction=0.15))),
    Level(110, Shape(5, 2, 3, 3, 8, 4, 2, 0.4, Mix(strict=0.20, junction=0.15))),
    Level(118, Shape(5, 3, 3, 4, 9, 4, 2, 0.4, Mix(strict=0.25, junction=0.15))),
    Level(127, Shape(6, 2, 4, 4, 10, 4, 2, 0.4, Mix(strict=0.25, junction=0.20))),
    Level(135, Shape(6, 3, 4, 4, 10, 4, 3, 0.4, Mix(strict=0.25, junction=0.20))),
)


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and a target that pass the gates; raise Rejected otherwise."""
    undecided = stream.chance(0.5)
    plan = failing_support(Draft(stream, ordering), level.shape, undecided=undecided)
    ranked_dispute(plan.draft)
    while plan.draft.size < level.size:
        distractor(plan)
    theory, target = plan.draft.theory(), plan.target
    state = evaluate_once(theory, ordering)
    low, high = level.arguments
    require(low <= state.argument_count <= high, "size")
    require(state.depth == level.shape.depth, "depth")
    require(state.is_consistent, "inconsistent")
    status = state.status(target)
    require(status == ("undecided" if undecided else "overruled"), "status_unplanned")
    points = failure_points(state, target)
    require(points == tuple(sorted(plan.points)), "records_unplanned")
    require(len({point.defeated_at for point in points}) == len(points), "point_not_unique")
    require(bool(active_literals(state).principle), "link_principle_inert")
    by_principle, by_lift = (state.under(other) for other in switched(ordering))
    require(_diagnosis(by_principle, target) != (status, points), "diagnosis_ignores_link_principle")
    require(_diagnosis(by_lift, target) != (status, points), "diagnosis_ignores_set_ordering")
    survivals = sum(bool(point.survives_because) for point in points)
    return Candidate(
        theory,
        DiagnosisQuestion(target),
        str(Diagnosis((status,), tuple(stream.shuffled(points)))),
        stats={
            "points": len(points),
            "survivals": survivals,
            "routes": len(state.arguments_for(target)),
            "undecided_target": int(undecided),
        },
    )


def _diagnosis(state: State, target: str) -> tuple[str, tuple[FailurePoint, ...]]:
    return state.status(target), failure_points(state, target)


_RECORDS: Final = """\
Where the support of a claim fails. Look at every argument for the claim and at every part of it: the argument itself \
and all arguments that it is built from. The support fails at a part when some argument B defeats it directly there (B \
undermines that very premise, rebuts that very conclusion or undercuts that very rule, and the attack succeeds) and B \
is not rejected; B may be accepted or undecided. Each such failure point is one line of the answer: also when several \
arguments for the claim share it, and also when an argument fails at other parts as well.
- defeated_at: the ordinary premise for an undermine, the name of the attacked rule for an undercut, the conclusion \
literal for a rebut.
- defeater: the literal that B concludes for an undermine; the name of B's last rule for an undercut or a rebut.
- kind: undermine, undercut or rebut.
- survives_because: only when B survives a counterattack. That is so exactly when an argument C, whose last step is a \
rule, attacks B directly at B's own conclusion or last rule, C does not conclude the literal that B attacks, and C is \
rejected; then give the name of C's last rule. An attack on an earlier part of B does not count, nor does an attack \
by a C that is not rejected. Otherwise leave the field out."""

_ANSWER: Final = """\
Answer with the line
status: overruled
or
status: undecided
and then one line per failure point, written
defeated_at: X; defeater: Y; kind: undermine|undercut|rebut
with
; survives_because: R
at the end of those lines that need it.
Your score rests on the failure points (a line counts when defeated_at, defeater and kind are all right), on the \
status, and on the survives_because entries if any are needed: missing, additional, contradictory and unreadable lines \
lower it. If no line needs survives_because, an answer that gives one scores zero. The answer is right only when all \
of it is right."""


def prompt(theory: Theory, target: str, ordering: str) -> str:
    """Return the question in words."""
    return "\n\n".join(
        (
            wording.theory_section(theory, ordering),
            f"The claim {target} is not justified. State its status, and every point at which its support fails.",
            _RECORDS,
            wording.answer_region(_ANSWER),
        )
    )


class DefeatDiagnosis(Task):
    """The defeat_diagnosis task."""

    name = "defeat_diagnosis"
    summary = "say why a claim is not justified: its status and every point at which its support fails"
    question_type = DiagnosisQuestion
    levels = LEVELS

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory and a target whose failure points are the planned ones."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        return prompt(theory, expect(DiagnosisQuestion, question).target, ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the score against the reference; nothing is executed, so engine and limit do not matter."""
        return score_diagnosis(read_diagnosis(instance.reference), answer)

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return each status by itself, and the policies that copy text."""
        constant = {f"only_{status}": f"status: {status}" for status in ("overruled", "undecided")}
        return {**theory_blind(instance), **constant, "every_status": "\n".join(constant.values())}


TASK: Final = DefeatDiagnosis()
