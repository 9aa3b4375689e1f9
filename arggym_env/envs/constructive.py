"""What the six constructive tasks share: scoring by execution, how prompts state the rules of the game, templates.

A constructive task asks for directives that are added to the theory; the answer is judged by running it
(``rewards.execution``), so many answers are right.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
from arggym_env.envs.battery import theory_blind
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import GoalQuestion, Question, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Task
from arggym_env.envs.wording import answer_region, theory_section
from arggym_env.rewards.execution import Goal, score_construction
from arggym_env.rewards.legality import Legality
from arggym_env.rewards.score import Score
from arggym_env.theory import (
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
    negate,
)


class ConstructiveTask(Task):
    """A task whose answer is an intervention; its file says what may be added and how theories are built."""

    legality: ClassVar[Legality]
    question_type = GoalQuestion

    @abstractmethod
    def opening(self, goals: Sequence[Goal]) -> str:
        """Return the sentences that say how things stand and ask for the intervention."""

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        goals = expect(GoalQuestion, question).goals
        parts = (theory_section(theory, ordering), self.opening(goals), permitted_section(self.legality, goals))
        return "\n\n".join(parts)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the score of the intervention, which is run."""
        return score_construction(
            instance.theory,
            instance.ordering,
            expect(GoalQuestion, instance.question).goals,
            self.legality,
            instance.min_directives,
            answer,
            engine=engine,
            max_arguments=max_arguments,
        )

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the templates against every goal and the policies that copy text."""
        answers = theory_blind(instance)
        for goal in expect(GoalQuestion, instance.question).goals:
            against = goal.literal if goal.status == "overruled" else negate(goal.literal)
            for name, answer in templates(instance.theory, against, self.legality).items():
                answers[f"{name}:{against}"] = answer
        return answers


def permitted_section(legality: Legality, goals: Sequence[Goal]) -> str:
    """Return the closing of a constructive prompt: what may be added, what is dropped, how the answer is judged."""
    return "\n\n".join((_forms(legality), _dropped(legality), _judged(goals), answer_region(_FORMAT)))


_FORMAT = "Answer with the directives to add, one per line, written exactly in the forms above."


def _forms(legality: Legality) -> str:
    forms = []
    if legality.defeasible_rules:
        forms.append("[defeasible NAME: LITERAL => LITERAL]")
    if legality.strict_rules:
        forms.append("[strict NAME: LITERAL -> LITERAL]")
    if legality.preferences:
        forms.append("[prefer_rule: RULE > RULE]")
        forms.append("[prefer_premise: LITERAL > LITERAL]")
    if legality.contraries:
        forms.append("[premise: -NAME]")
    return "You may add directives of these forms and no others:\n" + "\n".join(forms)


def _dropped(legality: Legality) -> str:
    rules = [
        "Each directive is checked by itself, in the order of your answer. One that breaks a rule below is dropped, "
        "and still counts as a directive."
    ]
    if legality.defeasible_rules or legality.strict_rules:
        rules.append(
            "A rule may have several antecedents joined with AND. Every antecedent must be a literal that occurs in "
            "the theory above, in that sign; the consequent may be any literal that is not among the antecedents, or "
            "-r to undercut a rule r of the theory above (undercutting a strict rule has no effect; a rule of your "
            "own cannot be undercut, and a rule's name by itself is no literal). The rule's NAME must be new: a "
            "letter followed by letters, digits or underscores, used neither in the theory nor as a literal of your "
            "answer nor by an earlier rule of your answer. A rule with the same antecedents and consequent as "
            "another is not allowed."
        )
    if legality.contraries:
        rules.append(
            "[premise: -p] is allowed only where [premise: p] stands in the theory above (p without -) and -p does not."
        )
    if legality.preferences:
        added = " or added by an earlier line" if legality.defeasible_rules or legality.contraries else ""
        rules.append(
            "A preference compares two different defeasible rules, or two different ordinary premises, of the "
            f"theory{added}. Stating the opposite of a preference that is there makes the two tied."
        )
    rules.append("Repeating a directive is not allowed.")
    return " ".join(rules)


def _judged(goals: Sequence[Goal]) -> str:
    every = "every requested status holds" if len(goals) > 1 else "the requested status holds"
    return (
        "Your directives are added to the theory and all statuses are computed again. The answer is right when "
        f"{every} and no literal is justified together with its negation. Use as few directives as you can: with n "
        "directives where m would do, n up to m earns full marks, more earns less, and more than 2m earns nothing. "
        "Everything you write inside the answer counts, dropped or not, and a single line that is not a readable "
        "directive makes the whole answer worth nothing, and so do directives from which thousands of arguments follow."
    )


def goal_sentence(goals: Sequence[Goal]) -> str:
    """Return the goals in words: ``ko9 overruled and lq4 justified``."""
    return " and ".join(f"{goal.literal} {goal.status}" for goal in goals)


def directive_lines(directives: Iterable[Directive]) -> str:
    """Return the directives as an answer."""
    return "\n".join(map(str, directives))


def unused_names(theory: Theory, count: int) -> list[str]:
    """Return ``count`` rule names that the theory does not use, in a fixed order."""
    taken = {*theory.atoms, *theory.rule_names}
    names: list[str] = []
    number = 0
    while len(names) < count:
        number += 1
        if (name := f"n{number}") not in taken:
            names.append(name)
    return names


def cuts_from(theory: Theory, start: str, rules: Sequence[str]) -> list[Directive]:
    """Return new defeasible rules that undercut each of ``rules`` from the literal ``start``."""
    names = unused_names(theory, len(rules))
    return [DefeasibleRule(name, (start,), f"-{rule}") for name, rule in zip(names, rules, strict=True)]


def templates(theory: Theory, target: str, legality: Legality) -> dict[str, str]:
    """Return template answers against ``target``, which follow its rules by text and do not work statuses out.

    Each starts from what looks safest, an axiom where there is one and else the first premise.
    """
    start = (*theory.axioms, *theory.premises)[:1]
    into = theory.rules_for(target)
    feeding = {antecedent for rule in into for antecedent in rule.antecedents}
    above = [rule for rule in theory.defeasible_rules if rule.consequent in feeding]
    kind = StrictRule if legality.strict_rules else DefeasibleRule
    names = unused_names(theory, 1 + len(theory.rules))

    def undercuts(rules: Iterable[StrictRule | DefeasibleRule]) -> list[Directive]:
        return [kind(name, start, f"-{rule.name}") for name, rule in zip(names[1:], rules, strict=False)]

    rebut = kind(names[0], start, negate(target))
    preferred = [RulePreference(names[0], rule.name) for rule in into if isinstance(rule, DefeasibleRule)]
    contraries: list[Directive] = [Premise(negate(p)) for p in theory.premises if not p.startswith("-")]
    undermined: list[Directive] = [
        directive
        for premise in theory.premises
        if not premise.startswith("-")
        for directive in (Premise(negate(premise)), PremisePreference(negate(premise), premise))
    ]
    answers: dict[str, list[Directive]] = {
        "bare_rebut": [rebut],
        "rebut_and_prefer": [rebut, *preferred],
        "rebut_and_undercut_into": [rebut, *undercuts(into)],
        "undercut_into": undercuts(into),
        "undercut_first_into": undercuts(into[:1]),
        "undercut_above": undercuts(above),
        "undercut_first_above": undercuts(above[:1]),
        "undercut_every_rule": undercuts(theory.defeasible_rules),
        "contrary_of_first_premise": undermined[:2],
        "contrary_of_every_premise": contraries,
        "undermine_every_premise": undermined,
        "random_legal": _random_directives(theory, kind, names),
        "strict_template": [
            StrictRule(names[0], start, negate(target)),
            *(StrictRule(name, start, f"-{rule.name}") for name, rule in zip(names[1:], above, strict=False)),
        ],
    }
    return {name: directive_lines(directives) for name, directives in answers.items()}


def _random_directives(
    theory: Theory, kind: type[StrictRule] | type[DefeasibleRule], names: Sequence[str]
) -> list[Directive]:
    """Return two random rules, each to a random literal or against a random defeasible rule of the theory."""
    stream = Stream("random_legal", str(theory))
    literals = sorted(theory.occurring)
    consequents = [*map(negate, literals), *(f"-{rule.name}" for rule in theory.defeasible_rules)]
    return [kind(name, (stream.choice(literals),), stream.choice(consequents)) for name in names[:2]]
