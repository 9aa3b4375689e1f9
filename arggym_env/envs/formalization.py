"""formalization: the theory that a description in controlled English states (paper appendix A.3).

The prompt tells a theory in controlled English, one sentence a directive (``theory.prose``), and gives the statuses
that the right formalization induces on some claims. The model writes the directives. The theory is a web of disputes
in which few premises carry many steps, so that the rules are the work; no name of a rule is ever told.

Hard because every sentence has to be taken exactly: who may be challenged and what has exceptions hangs on the wording
(from a middle level on, ordinary premises are dressed up as certainties and laws turn out to be rules of thumb), and
undercuts and preferences refer to rules by what they say, often before those are stated. One misread sentence changes
statuses far away.

The answer is one directive per line, under any rule names. The native score adds up the agreement on the queried
claims, on the directives, and on what is an axiom or a strict rule (``rewards.formalization``); success is the right
status of both polarities of every atom told of. A line that cannot be read, or lines that make no well-formed theory,
score 0. Given statuses can be forged (state as a premise what is to be justified): that earns their weight and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate_once
from arggym_env.envs import wording
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import active_literals, require
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Outcome, joint_attack, rebut, targets, undercut, undermine
from arggym_env.envs.question import Question, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.formalization import score_formalization
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory, atom_of, negate
from arggym_env.theory.prose import GLOSSARY, describe


@dataclass(frozen=True, slots=True)
class FormalizationQuestion(Question):
    """Which theory does this description state, if its claims have these statuses?"""

    description: str
    statuses: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    queries: int
    """Claims whose status is given, a multiple of three."""
    size: int
    """Fewest arguments of the theory; disputes are added until there are as many."""
    conflicts: int
    """Fewest direct attacks."""
    depth: int
    """Rules on the longest path of an argument."""
    layers: int
    """How far attackers are attacked in turn."""
    alternatives: int
    """Steps whose conclusion gets a second line."""
    joints: int
    """Attacks by a strict rule over several defeasible lines, on which the set ordering bears."""
    tempting: float
    """Share of sentences that first give a premise, axiom or rule the look of its opposite kind."""
    axioms: int
    """Most axioms; none on the lowest levels, which have no strict rules either."""
    strict: float
    """Share of strict rules among the steps of lines and among undercuts."""
    junction: float
    """Chance that a step has a second antecedent."""
    undermining: bool = True
    """Whether premises are attacked by contrary premises; not where premises would be many of the few directives."""


LEVELS: Final = (
    Level(3, 12, 4, 2, 1, 0, 0, 0.00, axioms=0, strict=0.00, junction=0.15, undermining=False),
    Level(3, 13, 5, 2, 1, 0, 0, 0.00, axioms=0, strict=0.00, junction=0.15, undermining=False),
    Level(3, 17, 7, 3, 2, 0, 1, 0.00, axioms=1, strict=0.25, junction=0.10),
    Level(3, 19, 8, 3, 2, 0, 1, 0.00, axioms=1, strict=0.25, junction=0.15),
    Level(6, 22, 9, 3, 2, 0, 1, 0.00, axioms=1, strict=0.20, junction=0.15),
    Level(6, 26, 10, 4, 2, 0, 1, 0.10, axioms=1, strict=0.20, junction=0.15),
    Level(6, 29, 11, 4, 2, 1, 1, 0.15, axioms=1, strict=0.20, junction=0.15),
    Level(6, 32, 12, 4, 3, 1, 1, 0.20, axioms=1, strict=0.25, junction=0.20),
    Level(6, 36, 13, 5, 3, 1, 1, 0.25, axioms=2, strict=0.25, junction=0.20),
    Level(6, 39, 14, 5, 3, 1, 1, 0.30, axioms=2, strict=0.25, junction=0.20),
    Level(9, 41, 15, 5, 3, 1, 1, 0.35, axioms=2, strict=0.25, junction=0.20),
    Level(9, 44, 16, 5, 3, 1, 1, 0.40, axioms=2, strict=0.25, junction=0.20),
    Level(9, 50, 20, 6, 4, 2, 1, 0.45, axioms=2, strict=0.25, junction=0.20),
    Level(12, 52, 21, 6, 4, 2, 1, 0.50, axioms=2, strict=0.25, junction=0.20),
    Level(12, 54, 22, 6, 4, 2, 1, 0.50, axioms=2, strict=0.25, junction=0.20),
)

_NEGATIVE_SHARE: Final = 0.45
"""Names occur in both signs about as often, so that listing names in one sign lists few premises."""
_LINES_PER_GROUND: Final = 7
"""A new premise or axiom is stated for every so many lines only: premises are a minority of the directives."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory, its description and balanced claims; raise Rejected when a gate fails."""
    theory = _Web(level, Draft(stream, ordering, _NEGATIVE_SHARE)).theory()
    require(min(1, level.axioms) <= len(theory.axioms) <= len(theory.strict_rules) // 2, "axioms")
    state = evaluate_once(theory, ordering)
    require(level.size <= state.argument_count <= level.size + level.size // 3 + 4, "size")
    require(state.attack_count >= level.conflicts, "too_few_conflicts")
    require(state.depth == level.depth, "depth")
    require(state.is_consistent, "inconsistent")
    active = active_literals(state)
    require(bool(active.principle), "link_principle_inert")
    require(bool(active.lift) or not level.joints, "set_ordering_inert")
    claims = _claims(state, active.principle | active.lift, level.queries, stream)
    statuses = tuple(Goal(claim, state.status(claim)) for claim in claims)
    question = FormalizationQuestion(describe(theory, stream, level.tempting), statuses)
    undercuts = sum(atom_of(rule.consequent) in theory.rule_names for rule in theory.rules)
    return Candidate(theory, question, str(theory), stats={"queries": level.queries, "undercuts": undercuts})


class _Web:
    """Disputes that share their ground."""

    def __init__(self, level: Level, draft: Draft) -> None:
        self._level = level
        self._draft = draft
        self._stream = draft.stream
        self._grounds: list[Line] = []
        self._axioms = 0
        self._lines: list[Line] = []
        self._kinds: list[str] = []
        self._undermined: set[str] = set()
        self._steps: set[tuple[str, str]] = set()

    def theory(self) -> Theory:
        """Add disputes until there are enough arguments, and return the theory."""
        level = self._level
        self._principle_dispute()
        alternatives, joints = level.alternatives, level.joints
        while self._draft.size < level.size:
            line = self._line()
            self._lines.append(line)
            if joints:
                joints -= 1
                self._joint(line)
                continue
            if alternatives:
                alternatives -= 1
                self._alternative(line)
            self._contest(line, level.layers)
        return self._draft.theory()

    def _principle_dispute(self) -> None:
        """Start with the deepest line, and with an attack on it that the link principle decides.

        Both sides are premises under at least two defeasible rules: ranked by all of them, their last rules tie; ranked
        by their last rules, they tie as wholes.
        """
        draft = self._draft
        line = self._step([self._step([self._grow(self._ground(), self._level.depth - 2)])])
        self._lines.append(line)
        ground = draft.premise()
        self._grounds.append(ground)
        outcome = self._stream.choice((Outcome.WINS, Outcome.LOSES))
        self._lines.append(rebut(draft, line, self._step([ground]), outcome))

    def _ground(self, avoid: Sequence[str] = ()) -> Line:
        """Return where a line starts: if possible what carries another line, and has nothing to do with ``avoid``."""
        taken = {*avoid, *map(negate, avoid)}
        shared = [ground for ground in self._grounds if ground.literal not in taken]
        if shared and len(self._grounds) * _LINES_PER_GROUND > self._draft.size:
            return self._stream.choice(shared)
        is_axiom = len(self._grounds) >= 2 and self._axioms < self._level.axioms
        self._axioms += is_axiom
        self._grounds.append(self._draft.axiom() if is_axiom else self._draft.premise())
        return self._grounds[-1]

    def _grow(self, base: Line, steps: int) -> Line:
        """Return ``base`` continued by ``steps`` rules to fresh conclusions."""
        for _ in range(steps):
            subs = [base]
            if self._stream.chance(self._level.junction):
                side = self._ground(base.premises)
                subs += [side] if side is not base else []
            base = self._step(subs, self._level.strict)
        return base

    def _step(self, subs: Sequence[Line], strict_share: float = 0.0) -> Line:
        """State a rule to a fresh conclusion."""
        line = self._draft.step(subs, strict_share)
        self._steps.add((subs[0].literal, line.literal))
        return line

    def _base(self, avoid: Sequence[str], steps: int, consequent: str) -> Line:
        """Return a line from which no other step leads to ``consequent``."""
        base = self._grow(self._ground(avoid), steps)
        if (base.literal, consequent) in self._steps:
            base = self._step([base])
        self._steps.add((base.literal, consequent))
        return base

    def _line(self) -> Line:
        """Return a new line, which often builds on an earlier one."""
        stream, depth = self._stream, self._level.depth
        short = [line for line in self._lines if line.height < depth and not self._draft.is_undercut(line)]
        base = stream.choice(short) if short and stream.chance(0.5) else self._ground()
        return self._grow(base, stream.between(1, depth - base.height))

    def _alternative(self, line: Line) -> None:
        """Give a step of ``line`` a second line, so that all that rests on the step has two arguments."""
        steps = [step for step in dict.fromkeys(line.steps()) if step.rule is not None]
        literal = self._stream.choice(steps).literal
        used = [step.literal for step in line.steps()]
        self._draft.defeasible([self._base(used, 0, literal)], literal)

    def _contest(self, line: Line, layers: int) -> None:
        """Attack ``line`` at some step, and the attacker in turn."""
        stream, draft = self._stream, self._draft
        kind, steps = self._attack_on(targets(line))
        if not steps:
            return
        target, length = stream.choice(steps), stream.between(0, self._level.depth // 3)
        outcome = stream.choice((Outcome.WINS, Outcome.WINS, Outcome.TIES, Outcome.LOSES))
        if kind == "undermine":
            self._undermined |= {target.literal, negate(target.literal)}
            attacker = undermine(draft, target, outcome)
        elif target.rule is not None and (kind == "undercut" or draft.is_undercut(target)):
            attacker = self._undercut(target, self._base(line.premises, length, "-" + target.rule.name))
        else:
            base = self._base((*line.premises, target.literal), length, negate(target.literal))
            attacker = rebut(draft, target, base, outcome)
        if layers > 1 and stream.chance(0.7):
            self._contest(attacker, layers - 1)

    def _attack_on(self, steps: Sequence[Line]) -> tuple[str, list[Line]]:
        """Return the next kind of attack and the steps that it can go at."""
        kind = self._kind()
        premises = [step for step in steps if step.rule is None and step.literal not in self._undermined]
        derived = [step for step in steps if step.rule is not None]
        if kind == "undermine" and premises:
            return kind, premises
        return ("rebut" if kind == "undermine" else kind), derived or premises

    def _kind(self) -> str:
        """Return the next kind of attack: all kinds come round before one is repeated out of turn."""
        if not self._kinds:
            last = "undermine" if self._level.undermining else "rebut"
            self._kinds = self._stream.shuffled(("rebut", "rebut", "rebut", "undercut", "undercut", last))
        return self._kinds.pop()

    def _undercut(self, target: Line, base: Line) -> Line:
        """Switch off the rule that ``target`` ends in; the rule that does so may be strict."""
        if target.rule is not None and self._stream.chance(self._level.strict):
            return self._draft.strict([base], "-" + target.rule.name)
        return undercut(self._draft, target, base)

    def _joint(self, line: Line) -> None:
        """Add an attack on which the set ordering bears; its target may strike back at one of the attacker's members.

        Where the attack fails (elitist), both sides would stand without that answer and contradict each other.
        """
        steps = [step for step in targets(line) if step.rule is not None and step.height < self._level.depth]
        if not steps:
            return
        target = self._stream.choice(steps)
        bases = [self._ground(target.premises) for _ in range(2)]
        _, members = joint_attack(self._draft, target, bases)
        if self._draft.is_elitist or self._stream.chance(0.5):
            undercut(self._draft, self._stream.choice(members), target)


def _claims(state: State, active: frozenset[str], count: int, stream: Stream) -> list[str]:
    """Return ``count`` claims, a third of each status: those on which the ordering bears first, then derived ones.

    Justified and overruled claims have the same signs, so that a theory of premises in one sign gives a third of the
    claims their statuses and no more.
    """
    theory, share = state.theory, count // len(CLAIM_STATUSES)
    given = {*theory.premises, *theory.axioms}
    askable = [literal for literal in sorted(theory.occurring) if atom_of(literal) not in theory.rule_names]
    pools: dict[str, list[str]] = {status: [] for status in CLAIM_STATUSES}
    for claim in sorted(stream.shuffled(askable), key=lambda claim: (claim not in active, claim in given)):
        pools[state.status(claim)].append(claim)
    claims = pools["undecided"][:share]
    negative = _negative_share(pools, share, stream)
    for status in ("justified", "overruled"):
        for sign, wanted in ((True, negative), (False, share - negative)):
            claims += [claim for claim in pools[status] if claim.startswith("-") == sign][:wanted]
    require(len(claims) == count, "too_few_claims")
    return stream.shuffled(claims)


def _negative_share(pools: Mapping[str, Sequence[str]], share: int, stream: Stream) -> int:
    """Return how many of the justified and of the overruled claims are to be negative, as evenly as there are some."""
    counts = [
        (sum(claim.startswith("-") for claim in pools[status]), len(pools[status]))
        for status in ("justified", "overruled")
    ]
    low = max(0, *(share - (total - negative) for negative, total in counts))
    high = min(share, *(negative for negative, _ in counts))
    require(low <= high, "too_few_claims")
    return min(max((share + stream.below(2)) // 2, low), high)


_ANSWER: Final = """\
Answer with the directives of the theory, one per line, written
[premise: x]
[axiom: x]
[strict r: a AND b -> c]
[defeasible r: a AND b => c]
[prefer_premise: x > y]
[prefer_rule: r > s]
Give every rule a name of your own (a letter, then letters, digits or underscores), used only once and none that is a \
name of the description; [defeasible r: a => -s] undercuts the rule named s. A rule has at least one antecedent and \
does not conclude one of its antecedents; no two rules have the same antecedents and consequent; nothing is both axiom \
and ordinary premise; no two axioms contradict each other; preferences name ordinary premises or defeasible rules that \
are stated. A line that cannot be read, or a theory that breaks one of these rules or has thousands of arguments, \
scores zero.
The answer is right when every name of the description, plain and negated, has the status that it has in the described \
theory; what your theory does not mention is overruled. Your score also counts how many of the given statuses your \
theory yields, how many of its directives are exactly those described, whatever the names of rules, and how well its \
axioms and strict rules are those described; directives that are missing, superfluous or stated twice lower it."""


def prompt(question: FormalizationQuestion, ordering: str) -> str:
    """Return the question in words."""
    statuses = "\n".join(f"{goal.literal}: {goal.status}" for goal in question.statuses)
    return "\n\n".join(
        (
            "Below, an argumentation is described in words. Write it down as a defeasible argumentation theory in the "
            f"style of ASPIC+, which is evaluated under grounded semantics with the {ordering} preference ordering.",
            question.description,
            f"In the right theory, these {len(question.statuses)} claims have these statuses:\n{statuses}",
            GLOSSARY,
            wording.evaluation_section(ordering),
            wording.answer_region(_ANSWER),
        )
    )


class Formalization(Task):
    """The formalization task."""

    name = "formalization"
    summary = "write down the theory that a description in controlled English states"
    question_type = FormalizationQuestion
    levels = LEVELS

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory with its description and the statuses of balanced claims."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it; the theory itself is not shown."""
        return prompt(expect(FormalizationQuestion, question), ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the score of the directives that ``answer`` states."""
        statuses = expect(FormalizationQuestion, instance.question).statuses
        return score_formalization(
            Theory.parse(instance.reference),
            instance.ordering,
            {goal.literal: goal.status for goal in statuses},
            answer,
            engine=engine,
            max_arguments=max_arguments,
        )

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the policies that list names of the description or claims of the question without reading either."""
        atoms = instance.theory.atoms
        negated = tuple(map(negate, atoms))
        claims = tuple(goal.literal for goal in expect(FormalizationQuestion, instance.question).statuses)
        return {
            "empty": "",
            "echo_prompt": instance.prompt,
            "one_premise": _block("premise", ["zz"]),
            "atoms_as_premises": _block("premise", atoms),
            "negations_as_premises": _block("premise", negated),
            "literals_as_premises": _block("premise", (*atoms, *negated)),
            "atoms_as_axioms": _block("axiom", atoms),
            "negations_as_axioms": _block("axiom", negated),
            "claims_as_premises": _block("premise", claims),
            "claims_as_axioms": _block("axiom", claims),
            "atoms_in_a_chain": _chain(atoms),
        }


def _block(keyword: str, literals: Sequence[str]) -> str:
    return "\n".join(f"[{keyword}: {literal}]" for literal in literals)


def _chain(atoms: Sequence[str]) -> str:
    """Return the theory in which each atom is a defeasible reason for the next."""
    steps = (f"[defeasible step{place}: {atom} => {atoms[place + 1]}]" for place, atom in enumerate(atoms[:-1]))
    return "\n".join((f"[premise: {atoms[0]}]", *steps))


TASK: Final = Formalization()
