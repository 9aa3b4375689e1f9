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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate, evaluate_once
from arggym_env.envs import wording
from arggym_env.envs.draft import Draft
from arggym_env.envs.gates import active_literals, require
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import Question, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.envs.webs import Level, Web
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.formalization import score_formalization
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.rewards.score import Score
from arggym_env.theory import Axiom, DefeasibleRule, Directive, Premise, StrictRule, Theory, atom_of, negate
from arggym_env.theory.prose import GLOSSARY, describe


@dataclass(frozen=True, slots=True)
class FormalizationQuestion(Question):
    """Which theory does this description state, if its claims have these statuses?"""

    description: str
    statuses: tuple[Goal, ...]


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


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory, its description and balanced claims; raise Rejected when a gate fails."""
    theory = Web(level, Draft(stream, ordering, _NEGATIVE_SHARE)).theory()
    require(min(1, level.axioms) <= len(theory.axioms) <= len(theory.strict_rules) // 2, "axioms")
    state = evaluate_once(theory, ordering)
    require(level.size <= state.argument_count <= level.size + level.size // 3 + 4, "size")
    require(state.attack_count >= level.conflicts, "too_few_conflicts")
    require(state.depth == level.depth, "depth")
    require(state.is_consistent, "inconsistent")
    active = active_literals(state)
    require(bool(active.principle), "link_principle_inert")
    require(bool(active.lift) or not level.joints, "set_ordering_inert")
    for kind, other in flattened(theory):
        require(not _same_statuses(state, evaluate(other, ordering)), f"{kind}_inert")
    claims = _claims(state, active.principle | active.lift, level.queries, stream)
    statuses = tuple(Goal(claim, state.status(claim)) for claim in claims)
    question = FormalizationQuestion(describe(theory, stream, level.tempting), statuses)
    undercuts = sum(atom_of(rule.consequent) in theory.rule_names for rule in theory.rules)
    return Candidate(theory, question, str(theory), stats={"queries": level.queries, "undercuts": undercuts})


def flattened(theory: Theory) -> Iterator[tuple[str, Theory]]:
    """Yield the theory with all directives of a type read as of the weaker type, where it has some, and the type."""
    if theory.axioms:
        yield "axioms", Theory(tuple(Premise(d.literal) if isinstance(d, Axiom) else d for d in theory.directives))
    if theory.strict_rules:
        yield "strict_rules", Theory(tuple(_weakened(directive) for directive in theory.directives))


def _weakened(directive: Directive) -> Directive:
    if isinstance(directive, StrictRule):
        return DefeasibleRule(directive.name, directive.antecedents, directive.consequent)
    return directive


def _same_statuses(state: State, other: State) -> bool:
    """Return whether another reading gives every name of the theory the same status, plain and negated."""
    literals = (literal for atom in state.theory.atoms for literal in (atom, negate(atom)))
    return all(state.status(literal) == other.status(literal) for literal in literals)


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
