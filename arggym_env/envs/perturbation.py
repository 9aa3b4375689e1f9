"""perturbation: which claims change status when the theory is updated, and to what (paper appendix A.3)?

The update adds directives, retracts directives, or does both at once. It acts on *sites*: lines whose acceptance it
turns by a new attack, a new or lifted preference, a withdrawn premise or rule, a revived or released defender. Above a
site runs a *cascade*: conclusions that rest on it, and lines that it attacks in turn, with what rests on those. Beside
the cascade stand *survivors*, claims that look affected and are not: they have other support, are defended, are dead
anyway, or the attack on them is too weak. Some of the update is *idle*: it changes nothing at all.

Hard because the answer is the difference of two fixpoints: it needs the statuses before and after, and a change can
stop, turn round (what attacked a line is gone) or meet another change on its way.

The answer is one line ``claim: status`` for each claim that changes, with its status after the update. Claims are the
literals over atoms that occur in the original theory, in the sign in which they occur. The native score is the F1 of
the claim-status pairs: missing changes, unchanged claims, wrong new statuses, contradictory and unreadable lines cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, evaluate
from arggym_env.envs import wording
from arggym_env.envs.battery import constant_labels, theory_blind
from arggym_env.envs.gates import require, require_active, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Mix
from arggym_env.envs.question import Question, expect
from arggym_env.envs.sites import Shape, plan_update
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.envs.update import UpdateQuestion, changes, claims_of, mentioned, reached, updated
from arggym_env.rewards.pairs import CLAIM_STATUSES, read_pairs, score_pairs
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory


@dataclass(frozen=True, slots=True)
class Level(Shape):
    """One rung of the curriculum."""

    changes: int
    """Claims that change, at least."""
    survivors: int
    """Claims that the update reaches and that do not change, at least."""
    statuses: int
    """Different new statuses, at least."""

    @property
    def arguments(self) -> tuple[int, int]:
        """Fewest and most arguments of an accepted theory."""
        return self.size, self.size + self.size // 4 + 8


#     sites, idle, cascade, spared, mixed, size, depth, mix, changes, survivors, statuses
LEVELS: Final = (
    Level(1, 0, 1, 1, False, 22, 3, Mix(strict=0.10, junction=0.05), 2, 2, 1),
    Level(1, 0, 1, 1, False, 26, 3, Mix(strict=0.10, junction=0.05), 3, 2, 1),
    Level(1, 1, 1, 1, False, 33, 3, Mix(strict=0.15, junction=0.05), 3, 3, 2),
    Level(1, 1, 2, 1, False, 39, 4, Mix(strict=0.15, junction=0.10), 4, 4, 2),
    Level(2, 1, 2, 1, False, 43, 4, Mix(strict=0.15, junction=0.10), 5, 4, 2),
    Level(2, 1, 2, 1, True, 49, 4, Mix(strict=0.15, junction=0.10), 6, 5, 2),
    Level(2, 2, 2, 1, True, 55, 5, Mix(strict=0.20, junction=0.10), 6, 6, 2),
    Level(2, 2, 2, 2, True, 61, 5, Mix(strict=0.20, junction=0.10), 7, 7, 2),
    Level(2, 2, 3, 2, True, 67, 5, Mix(strict=0.20, junction=0.15), 8, 8, 2),
    Level(3, 2, 2, 2, True, 74, 6, Mix(strict=0.20, junction=0.15), 9, 9, 2),
    Level(3, 2, 3, 2, True, 81, 6, Mix(strict=0.20, junction=0.15), 10, 10, 3),
    Level(3, 3, 3, 2, True, 88, 6, Mix(strict=0.20, junction=0.15), 11, 11, 3),
    Level(3, 3, 3, 3, True, 95, 7, Mix(strict=0.25, junction=0.15), 12, 12, 3),
    Level(4, 3, 3, 2, True, 102, 7, Mix(strict=0.25, junction=0.20), 14, 13, 3),
    Level(4, 3, 3, 3, True, 110, 8, Mix(strict=0.25, junction=0.20), 15, 14, 3),
)


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and an update that pass the gates; raise Rejected otherwise."""
    theory, question = plan_update(level, ordering, stream)
    before, after = evaluate(theory, ordering), evaluate(updated(theory, question), ordering)
    low, high = level.arguments
    require(low <= before.argument_count <= high, "size")
    require(before.depth == level.depth, "depth")
    require(before.is_consistent and after.is_consistent, "inconsistent")
    require_active(before)
    gold = changes(before, after)
    require(len(gold) >= level.changes, "few_changes")
    require(len(set(gold.values())) >= level.statuses, "few_statuses")
    survivors = reached(theory, question) - gold.keys()
    require(len(survivors) >= level.survivors, "few_survivors")
    others = [_changes_under(other, theory, question) for other in switched(ordering)]
    require(others[0] != gold, "link_principle_inert")
    return Candidate(
        theory,
        question,
        "\n".join(f"{claim}: {status}" for claim, status in gold.items()),
        stats={
            "changed": len(gold),
            "survivors": len(survivors),
            "new_statuses": len(set(gold.values())),
            "added": len(question.added),
            "retracted": len(question.retracted),
            "lift_changes_answer": int(others[1] != gold),
        },
    )


def _changes_under(ordering: str, theory: Theory, question: UpdateQuestion) -> dict[str, str]:
    return changes(evaluate(theory, ordering), evaluate(updated(theory, question), ordering))


def prompt(theory: Theory, question: UpdateQuestion, ordering: str) -> str:
    """Return the question in words."""
    return "\n\n".join(
        (
            wording.theory_section(theory, ordering),
            "The theory is now updated, all at once.",
            *_update_section(question),
            "Which claims have another status after the update than before it, under the same ordering, and which "
            "status do they have then? Claims are the literals that occur in the original theory, as a premise or "
            "axiom or in a rule, in the sign in which they occur there: where only -x occurs, -x is a claim and x "
            "is not. Names of rules are no claims in either sign, and neither is a literal that only the update "
            "brings in. A claim for which the update leaves no argument is overruled. At least one claim changes.",
            wording.answer_region(
                "Answer with one line per changed claim, written\n"
                "claim: status\n"
                "where status is its status after the update, one of justified, overruled, undecided. Your score "
                "compares your lines with the right ones: a changed claim that is missing, a claim that does not "
                "change, a claim with two different statuses and a line that cannot be read each lower it, and the "
                "answer is right only when every changed claim has its new status and nothing else is there."
            ),
        )
    )


def _update_section(question: UpdateQuestion) -> list[str]:
    parts = []
    if question.retracted:
        parts += ["These directives are retracted:", "\n".join(question.retracted)]
        parts.append(
            "With a retracted rule or premise go all preferences that name it, and what followed from them. Rules that "
            "used what a retracted directive gave stay in the theory."
        )
    if question.added:
        parts += ["These directives are added:", "\n".join(question.added)]
    return parts


class Perturbation(Task):
    """The perturbation task."""

    name = "perturbation"
    summary = "list the claims whose status an update changes, with their new status"
    question_type = UpdateQuestion
    levels = LEVELS

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory and an update that changes some of the claims that it reaches."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        return prompt(theory, expect(UpdateQuestion, question), ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the pair F1 against the reference; nothing is executed, so engine and limit do not matter."""
        gold = {
            claim: statuses[0] for claim, statuses in read_pairs(instance.reference, CLAIM_STATUSES).statuses.items()
        }
        return score_pairs(gold, answer, CLAIM_STATUSES)

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the constant labels, on all claims and on those that the update names, and what copies text."""
        theory, question = instance.theory, expect(UpdateQuestion, instance.question)
        named = constant_labels(mentioned(theory, question), CLAIM_STATUSES)
        return {
            **theory_blind(instance),
            **constant_labels(claims_of(theory), CLAIM_STATUSES),
            **{f"named_{policy}": answer for policy, answer in named.items()},
            "echo_update": "\n".join((*question.added, *question.retracted)),
        }


TASK: Final = Perturbation()
