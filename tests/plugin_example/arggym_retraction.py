"""revision.retraction: what must a theory give up for an overruled claim to be justified?

The theory has one line of reasoning for a target, and several attacks that overrule it. Some attackers share a stem, so
that one retraction stops them all; others are defeated already and can be left alone. The model names directives to
retract, at most as many as the budget, after which the target has to be justified. It is the counterpart of the tasks
that add directives: a contraction, where those are expansions.

Hard because what to cut hangs on what is accepted: attackers that are defeated already look like those that are not,
each live one has its own place to be cut, and the budget is too small to cut every attack where it strikes. Several
answers may be right; the engine evaluates what is left of the theory and says which are.

The answer is one directive of the theory per line. The native score is 1 when the target is justified afterwards
(success), 0.25 when it is undecided, 0 otherwise; more directives than the budget, a line that cannot be read, an axiom
and a directive that the theory does not state score 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate
from arggym_env.envs import wording
from arggym_env.envs.battery import theory_blind
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import require
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, rebut, targets, undercut
from arggym_env.envs.question import Question, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.envs.update import preferences_naming
from arggym_env.errors import InstanceError, TheoryError
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Axiom, Directive, Theory, parse_directive
from arggym_env.theory.literals import atom_of, is_literal
from arggym_env.theory.typography import content_lines
from arggym_env.versions import Versions


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    stems: int
    """Stems of live attackers, each to be cut once: the budget."""
    branches: int
    """Attackers that grow from the first stem."""
    dead: int
    """Attackers of the target that are defeated from the start."""
    depth: int
    """Rules of the target's line."""
    size: int
    """Arguments planned; disputes that do not touch the target are added until there are as many."""
    mix: Mix


LEVELS: Final = (
    Level(2, 2, 1, 2, 18, Mix(strict=0.15, junction=0.10)),
    Level(2, 2, 1, 2, 20, Mix(strict=0.15, junction=0.10)),
    Level(2, 2, 1, 3, 24, Mix(strict=0.15, junction=0.10)),
    Level(2, 2, 2, 3, 28, Mix(strict=0.20, junction=0.10)),
    Level(2, 3, 2, 3, 32, Mix(strict=0.20, junction=0.10)),
    Level(3, 2, 2, 4, 38, Mix(strict=0.20, junction=0.15)),
    Level(3, 3, 3, 4, 44, Mix(strict=0.20, junction=0.15)),
    Level(3, 3, 3, 4, 50, Mix(strict=0.25, junction=0.15)),
    Level(3, 3, 4, 5, 56, Mix(strict=0.25, junction=0.15)),
    Level(3, 3, 4, 5, 62, Mix(strict=0.25, junction=0.20)),
    Level(4, 3, 4, 5, 70, Mix(strict=0.25, junction=0.20)),
    Level(4, 3, 5, 6, 78, Mix(strict=0.30, junction=0.20)),
    Level(4, 4, 5, 6, 86, Mix(strict=0.30, junction=0.25)),
    Level(4, 4, 6, 7, 96, Mix(strict=0.30, junction=0.25)),
    Level(5, 4, 6, 7, 106, Mix(strict=0.30, junction=0.25)),
)

UNDECIDED_CREDIT: Final = 0.25
"""The native score of a retraction after which the target is no longer overruled, but not justified either."""


@dataclass(frozen=True, slots=True)
class RetractionQuestion(Question):
    """Which directives, at most ``budget``, must go for ``target`` to be justified?

    Raises:
        InstanceError: the target is not a literal, or the budget not positive.
    """

    target: str
    budget: int

    def __post_init__(self) -> None:
        if not is_literal(self.target):
            raise InstanceError(f"target {self.target!r:.80} is not a literal (an identifier, or - and an identifier)")
        if self.budget < 1:
            raise InstanceError(f"budget {self.budget!r} is not a positive number of directives")


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and a target that pass the gates; raise Rejected otherwise."""
    draft = Draft(stream, ordering)
    target = grow(draft, draft.premise(), level.depth, level.mix)
    stems = [_live(draft, target, level.branches if not number else 1, level.mix) for number in range(level.stems)]
    for _ in range(level.dead):
        _dead(draft, target, level.mix)
    while draft.size < level.size:
        _dispute(draft, level.mix)
    theory = draft.theory()
    state = evaluate(theory, ordering)
    require(level.size <= state.argument_count <= level.size + level.size // 3 + 8, "size")
    require(state.is_consistent, "inconsistent")
    require(state.status(target.literal) == "overruled", "target_not_overruled")
    cuts: list[Directive] = stream.shuffled([stem.rule for stem in stems if stem.rule is not None])
    require(_status_without(state, cuts, target.literal) == "justified", "reference_fails")
    for cut in cuts:
        require(_status_without(state, set(cuts) - {cut}, target.literal) != "justified", "redundant")
    for directive in theory.directives:
        require(_status_without(state, [directive], target.literal) != "justified", "one_suffices")
    reference = "\n".join(map(str, cuts))
    require(reference not in str(theory), "reference_in_theory")
    return Candidate(
        theory,
        RetractionQuestion(target.literal, level.stems),
        reference,
        stats={"budget": level.stems, "attackers": level.stems - 1 + level.branches + level.dead},
    )


def _live(draft: Draft, target: Line, branches: int, mix: Mix) -> Line:
    """Attack ``target`` at several steps by lines that share a stem; return the stem, which ends in a rule."""
    stem = draft.step([ground(draft, mix)], mix.strict)
    for _ in range(branches):
        _attack(draft, target, grow(draft, stem, 1, mix))
    return stem


def _dead(draft: Draft, target: Line, mix: Mix) -> None:
    """Attack ``target`` by a line that is defeated in turn."""
    attacker = _attack(draft, target, grow(draft, ground(draft, mix), draft.stream.between(0, 2), mix))
    undercut(draft, attacker, grow(draft, ground(draft, mix), draft.stream.between(0, 1), mix))


def _attack(draft: Draft, target: Line, base: Line) -> Line:
    """Attack some step of ``target`` so that it is defeated."""
    step = draft.stream.choice(targets(target))
    if step.rule is not None and draft.stream.chance(0.5):
        return undercut(draft, step, base)
    return rebut(draft, step, base, Outcome.WINS)


def _dispute(draft: Draft, mix: Mix) -> None:
    """Add a line and an attack on it that have nothing to do with the target."""
    line = grow(draft, ground(draft, mix), draft.stream.between(1, 3), mix)
    open_steps = [step for step in targets(line) if step.rule is not None]
    if open_steps:
        outcome = draft.stream.choice(tuple(Outcome))
        rebut(draft, draft.stream.choice(open_steps), grow(draft, ground(draft, mix), 1, mix), outcome)


def without(theory: Theory, directives: Iterable[Directive]) -> Theory:
    """Return ``theory`` without ``directives`` and without the preferences that name one of them.

    Raises:
        TheoryError: the theory does not state one of them.
    """
    gone = list(directives)
    return theory.retract([*gone, *preferences_naming((*theory.rule_preferences, *theory.premise_preferences), gone)])


def _status_without(state: State, directives: Iterable[Directive], target: str) -> str:
    return evaluate(without(state.theory, directives), state.ordering).status(target)


def prompt(theory: Theory, question: RetractionQuestion, ordering: str) -> str:
    """Return the question in words."""
    return "\n\n".join(
        (
            wording.theory_section(theory, ordering),
            f"In this theory {question.target} is overruled. Retract at most {question.budget} of its directives so "
            f"that {question.target} is justified in what is left. Premises, rules and preferences can be retracted, "
            "axioms cannot. Preferences that name a retracted rule or premise go with it and need not be listed.",
            wording.answer_region(
                "Answer with one retracted directive per line, written as in the theory. The answer is right when "
                f"{question.target} is justified in what is left; if it is undecided there, a quarter of the score is "
                "given. An answer scores nothing if it lists more directives than allowed, a directive twice, an "
                "axiom, a directive that the theory does not state, or a line that cannot be read."
            ),
        )
    )


def score(instance: Instance, answer: str, engine: str, max_arguments: int) -> Score:
    """Return the score of ``answer``: the retraction is executed, the reference is not looked at."""
    question = expect(RetractionQuestion, instance.question)
    lines = content_lines(answer)
    if len(lines) > question.budget:
        return Score(0.0, False, True, Reason.TOO_MANY_DIRECTIVES, {"directives": len(lines)})
    try:
        retracted = [parse_directive(line.text) for line in lines]
    except TheoryError as error:
        return Score(0.0, False, True, Reason.UNREADABLE, {"error": error.message})
    stated = set(instance.theory.directives)
    refused = [str(directive) for directive in retracted if directive not in stated or isinstance(directive, Axiom)]
    if refused or len(set(retracted)) < len(retracted):
        return Score(0.0, False, True, Reason.WRONG, {"refused": [*refused]})
    left = evaluate(without(instance.theory, retracted), instance.ordering, engine=engine, max_arguments=max_arguments)
    status = left.status(question.target)
    if status == "justified":
        return Score(1.0, True, True, Reason.CORRECT, {"status": status})
    native = UNDECIDED_CREDIT if status == "undecided" else 0.0
    return Score(native, False, True, Reason.GOALS_MISSED, {"status": status})


class Retraction(Task):
    """The revision.retraction task."""

    name = "revision.retraction"
    summary = "retract directives so that an overruled claim is justified"
    question_type = RetractionQuestion
    levels = LEVELS
    versions = Versions(generator=1, prompt=1, scoring=1)

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory with a target that several attackers overrule."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        return prompt(theory, expect(RetractionQuestion, question), ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the score of the retraction, executed by the engine."""
        return score(instance, answer, engine, max_arguments)

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the policies that copy text, retract by position, or retract what the target's name shows."""
        question = expect(RetractionQuestion, instance.question)
        lines = [str(directive) for directive in instance.theory.directives if not isinstance(directive, Axiom)]
        atom = atom_of(question.target)
        naming = [line for line in lines if atom in line.replace("-", " ").replace("]", " ").split()]
        return {
            **theory_blind(instance),
            "first_directives": "\n".join(lines[: question.budget]),
            "last_directives": "\n".join(lines[-question.budget :]),
            "naming_the_target": "\n".join(naming[: question.budget]),
            "contrary_premise": f"[premise: -{atom}]",
        }


TASK: Final = Retraction()
