"""Constructive prompts and the scorer say the same; templates are answers that follow rules by text."""

from __future__ import annotations

import re
from itertools import product

import pytest

from arggym_env.engine import ORDERINGS
from arggym_env.envs.constructive import (
    ConstructiveTask,
    cuts_from,
    directive_lines,
    goal_sentence,
    permitted_section,
    templates,
    unused_names,
)
from arggym_env.envs.registry import REGISTRY
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.legality import Legality, Refusal, judge
from arggym_env.theory import Directive, Theory, parse_directive
from tests.envs.samples import sample

CONSTRUCTIVE = [name for name, task in REGISTRY.items() if isinstance(task, ConstructiveTask)]
GOAL = (Goal("t", "overruled"),)
TWO_GOALS = (Goal("t", "overruled"), Goal("-u", "justified"))
LEGALITIES = [Legality(*switches) for switches in product([False, True], repeat=4) if any(switches)]

# One legal directive of every form, over THEORY.
THEORY = Theory.parse("[premise: a]\n[premise: b]\n[defeasible r: a => t]\n[defeasible s: b => -t]")
FORMS = {
    "[defeasible NAME: LITERAL => LITERAL]": "[defeasible n: a => -s]",
    "[strict NAME: LITERAL -> LITERAL]": "[strict n: a -> -s]",
    "[prefer_rule: RULE > RULE]": "[prefer_rule: r > s]",
    "[prefer_premise: LITERAL > LITERAL]": "[prefer_premise: a > b]",
    "[premise: -NAME]": "[premise: -a]",
}


@pytest.mark.parametrize("legality", LEGALITIES, ids=str)
def test_exactly_the_permitted_forms_are_shown(legality: Legality) -> None:
    shown = permitted_section(legality, GOAL).split("\n\n")[0].splitlines()[1:]
    for form, example in FORMS.items():
        (directive,) = [parse_directive(example)]
        permitted = judge(THEORY, legality, [directive]).retained == (directive,)
        assert (form in shown) == permitted, form
    assert set(shown) <= set(FORMS)


@pytest.mark.parametrize("legality", LEGALITIES, ids=str)
def test_rules_about_forms_that_are_not_permitted_are_not_told(legality: Legality) -> None:
    text = permitted_section(legality, GOAL)
    assert ("antecedent" in text) == (legality.defeasible_rules or legality.strict_rules)
    assert ("A preference compares" in text) == legality.preferences
    assert ("[premise: -p] is allowed only" in text) == legality.contraries


# Why a directive may be refused, and the words of the prompt that say so. A new refusal needs its words here.
REFUSALS: dict[Refusal, str] = {
    Refusal.KIND_NOT_PERMITTED: r"of these forms and no others",
    Refusal.DUPLICATE: r"Repeating a directive is not allowed",
    Refusal.NAME_TAKEN: r"NAME must be new: .* used neither in the theory .* nor by an earlier rule of your answer",
    Refusal.NAME_IS_ATOM: r"used neither in the theory nor as a literal of your answer",
    Refusal.NEW_ANTECEDENT: r"Every antecedent must be a literal that occurs in the theory above, in that sign",
    Refusal.OWN_ANTECEDENT: r"the consequent may be any literal that is not among the antecedents",
    Refusal.RULE_NAME_CLAIMED: r"a rule's name by itself is no literal",
    Refusal.UNDERCUTS_ADDED_RULE: r"a rule of your own cannot be undercut",
    Refusal.TWIN_RULE: r"A rule with the same antecedents and consequent as another is not allowed",
    Refusal.NOT_A_CONTRARY: r"\[premise: -p\] is allowed only where \[premise: p\] stands .*\(p without -\)",
    Refusal.AXIOM_AS_PREMISE: r"\[premise: p\] stands in the theory above \(p without -\) and -p does not",
    Refusal.SAME_ON_BOTH_SIDES: r"compares two different defeasible rules, or two different ordinary premises",
    Refusal.NOT_A_DEFEASIBLE_RULE: r"compares two different defeasible rules, .* or added by an earlier line",
    Refusal.NOT_AN_ORDINARY_PREMISE: r"two different ordinary premises, of the theory or added by an earlier line",
}


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("refusal", Refusal)
def test_every_reason_to_drop_a_directive_is_stated(refusal: Refusal) -> None:
    everything = Legality(defeasible_rules=True, strict_rules=True, contraries=True, preferences=True)
    text = words(permitted_section(everything, GOAL))
    assert re.search(REFUSALS[refusal], text)
    assert "One that breaks a rule below is dropped, and still counts as a directive" in text


@pytest.mark.parametrize("task", CONSTRUCTIVE)
def test_every_constructive_prompt_states_how_answers_are_judged(task: str) -> None:
    instance = sample(task, 2, ORDERINGS[1])
    text = words(instance.prompt)
    for sentence in (
        "Your directives are added to the theory and all statuses are computed again",
        "no literal is justified together with its negation",
        "n up to m earns full marks, more earns less, and more than 2m earns nothing",
        "Everything you write inside the answer counts, dropped or not",
        "a single line that is not a readable directive makes the whole answer worth nothing",
        "one per line, written exactly in the forms above",
    ):
        assert sentence in text, sentence
    for goal in instance.question.goals:  # type: ignore[attr-defined]
        assert re.search(
            rf"{goal.literal}\b.*\b{goal.status}", text.split("You may add")[0].split("undecided: neither.")[1]
        )


def test_goals_are_joined_in_words() -> None:
    assert goal_sentence(GOAL) == "t overruled"
    assert goal_sentence(TWO_GOALS) == "t overruled and -u justified"
    everything = Legality(True, True, True, True)
    assert "the requested status holds" in permitted_section(everything, GOAL)
    assert "every requested status holds" in permitted_section(everything, TWO_GOALS)


def test_unused_names_are_unused() -> None:
    theory = Theory.parse("[premise: n1]\n[premise: -n2]\n[defeasible n4: n1 => x]\n[defeasible r: x => -n5]")
    assert unused_names(theory, 3) == ["n3", "n6", "n7"]
    assert unused_names(theory, 0) == []


def test_cuts_undercut_each_rule_from_the_start() -> None:
    cuts = cuts_from(THEORY, "a", ["r", "s"])
    assert directive_lines(cuts) == "[defeasible n1: a => -r]\n[defeasible n2: a => -s]"


def test_an_answer_is_one_directive_a_line() -> None:
    directives: list[Directive] = list(THEORY.directives)
    assert directive_lines(directives) == str(THEORY)
    assert directive_lines([]) == ""


@pytest.mark.parametrize("legality", LEGALITIES, ids=str)
def test_templates_are_readable_whatever_is_permitted(legality: Legality) -> None:
    theory = sample("attack", 3).theory
    target = theory.rules[0].consequent
    for name, answer in templates(theory, target, legality).items():
        for line in answer.splitlines():
            parse_directive(line)
        assert len(set(answer.splitlines())) == len(answer.splitlines()), name


def test_templates_use_the_kind_of_rule_that_is_permitted_and_start_from_an_axiom() -> None:
    theory = Theory.parse(
        "[premise: p]\n[axiom: s]\n[defeasible r: p => q]\n[strict u: q -> t]\n[defeasible v: p => t]\n[premise: -x]"
    )
    defeasible = templates(theory, "t", Legality(defeasible_rules=True, contraries=True, preferences=True))
    assert defeasible["bare_rebut"] == "[defeasible n1: s => -t]"
    assert defeasible["rebut_and_prefer"] == "[defeasible n1: s => -t]\n[prefer_rule: n1 > v]"
    assert defeasible["undercut_into"] == "[defeasible n2: s => -u]\n[defeasible n3: s => -v]"
    assert defeasible["undercut_above"] == "[defeasible n2: s => -r]"
    assert defeasible["contrary_of_every_premise"] == "[premise: -p]"
    strict = templates(theory, "t", Legality(strict_rules=True, defeasible_rules=True))
    assert strict["bare_rebut"] == "[strict n1: s -> -t]"
    assert strict["strict_template"] == "[strict n1: s -> -t]\n[strict n2: s -> -r]"
    assert templates(Theory.parse("[premise: p]\n[defeasible r: p => t]"), "t", Legality(defeasible_rules=True))[
        "bare_rebut"
    ].startswith("[defeasible n1: p =>")
