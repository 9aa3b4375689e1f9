"""The judge of constructive answers: one test a rule, and well-formedness whatever is submitted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arggym_env.rewards.legality import Judgement, Legality, Refusal, judge
from arggym_env.theory import Directive, Theory, parse_directive

BASE = Theory.parse("""
[premise: a]
[premise: b]
[premise: -c]
[premise: d]
[axiom: e]
[axiom: -d]
[defeasible r1: a => f]
[defeasible r2: b AND -c => -f]
[strict s1: f -> g]
[defeasible r3: g => -r2]
[prefer_rule: r1 > r2]
[prefer_premise: a > b]
""")
ALL = Legality(defeasible_rules=True, strict_rules=True, contraries=True, preferences=True)


def judged(*lines: str, legality: Legality = ALL) -> Judgement:
    return judge(BASE, legality, [parse_directive(line) for line in lines])


def refusals(*lines: str, legality: Legality = ALL) -> list[Refusal]:
    return [entry.refusal for entry in judged(*lines, legality=legality).refused]


LEGAL = {
    "a defeasible rule": "[defeasible n1: a => h]",
    "a rebut": "[defeasible n1: a => -f]",
    "a strict rule": "[strict n1: a AND b -> -g]",
    "a conclusion that is new to the theory": "[defeasible n1: a => brand_new]",
    "a conclusion that negates an axiom": "[strict n1: a -> -e]",
    "a conclusion that is a premise": "[defeasible n1: a => b]",
    "an antecedent that is derived": "[defeasible n1: g => h]",
    "a negative antecedent": "[defeasible n1: -c => h]",
    "an antecedent that is an undercut of the theory": "[defeasible n1: -r2 => h]",
    "an undercut": "[defeasible n1: a => -r1]",
    "an undercut of a strict rule, which is inert": "[defeasible n1: a => -s1]",
    "the contrary of an ordinary premise": "[premise: -a]",
    "a preference between rules": "[prefer_rule: r3 > r1]",
    "a preference stated the other way round": "[prefer_rule: r2 > r1]",
    "a preference between premises": "[prefer_premise: -c > a]",
}


@pytest.mark.parametrize("line", LEGAL.values(), ids=LEGAL.keys())
def test_legal_directives_are_retained(line: str) -> None:
    directive = parse_directive(line)
    assert judged(line) == Judgement((directive,), ())
    assert directive in BASE.add([directive]).directives


ILLEGAL = {
    "an axiom": ("[axiom: h]", Refusal.KIND_NOT_PERMITTED),
    "a name of the theory's rules": ("[defeasible r1: a => h]", Refusal.NAME_TAKEN),
    "a name that is an atom of the theory": ("[defeasible f: a => h]", Refusal.NAME_IS_ATOM),
    "a name that is its own antecedent": ("[defeasible n1: n1 => h]", Refusal.NAME_IS_ATOM),
    "a name that is its own conclusion": ("[defeasible n1: a => n1]", Refusal.NAME_IS_ATOM),
    "an antecedent the theory does not know": ("[defeasible n1: h => i]", Refusal.NEW_ANTECEDENT),
    "an antecedent known in the other sign": ("[defeasible n1: -a => i]", Refusal.NEW_ANTECEDENT),
    "one unknown antecedent of two": ("[defeasible n1: a AND h => i]", Refusal.NEW_ANTECEDENT),
    "a rule name as an antecedent": ("[defeasible n1: r1 => i]", Refusal.NEW_ANTECEDENT),
    "a conclusion among its antecedents": ("[defeasible n1: a AND b => a]", Refusal.OWN_ANTECEDENT),
    "a rule name without a sign": ("[defeasible n1: a => r1]", Refusal.RULE_NAME_CLAIMED),
    "an undercut of itself": ("[defeasible n1: a => -n1]", Refusal.UNDERCUTS_ADDED_RULE),
    "a twin of a rule": ("[defeasible n1: a => f]", Refusal.TWIN_RULE),
    "a twin of another kind": ("[strict n1: a -> f]", Refusal.TWIN_RULE),
    "a twin with its antecedents in another order": ("[defeasible n1: -c AND b => -f]", Refusal.TWIN_RULE),
    "a new positive premise": ("[premise: h]", Refusal.NOT_A_CONTRARY),
    "an atom of the theory as a premise": ("[premise: f]", Refusal.NOT_A_CONTRARY),
    "the contrary of a derived literal": ("[premise: -f]", Refusal.NOT_A_CONTRARY),
    "the contrary of an axiom": ("[premise: -e]", Refusal.NOT_A_CONTRARY),
    "the contrary of a negative premise": ("[premise: c]", Refusal.NOT_A_CONTRARY),
    "an undercut as a premise": ("[premise: -r1]", Refusal.NOT_A_CONTRARY),
    "a contrary that is an axiom": ("[premise: -d]", Refusal.AXIOM_AS_PREMISE),
    "a premise of the theory": ("[premise: a]", Refusal.DUPLICATE),
    "a preference of the theory": ("[prefer_rule: r1 > r2]", Refusal.DUPLICATE),
    "a rule preferred to itself": ("[prefer_rule: r1 > r1]", Refusal.SAME_ON_BOTH_SIDES),
    "a premise preferred to itself": ("[prefer_premise: a > a]", Refusal.SAME_ON_BOTH_SIDES),
    "a strict rule preferred": ("[prefer_rule: s1 > r1]", Refusal.NOT_A_DEFEASIBLE_RULE),
    "an unknown rule not preferred": ("[prefer_rule: r1 > n1]", Refusal.NOT_A_DEFEASIBLE_RULE),
    "an axiom preferred": ("[prefer_premise: e > a]", Refusal.NOT_AN_ORDINARY_PREMISE),
    "a derived literal not preferred": ("[prefer_premise: a > f]", Refusal.NOT_AN_ORDINARY_PREMISE),
    "a premise in the wrong sign": ("[prefer_premise: a > c]", Refusal.NOT_AN_ORDINARY_PREMISE),
}


@pytest.mark.parametrize(("line", "refusal"), ILLEGAL.values(), ids=ILLEGAL.keys())
def test_illegal_directives_are_refused_with_the_first_reason(line: str, refusal: Refusal) -> None:
    judgement = judged(line)
    assert judgement.retained == ()
    assert [entry.refusal for entry in judgement.refused] == [refusal]


KINDS = {
    "defeasible_rules": "[defeasible n1: a => h]",
    "strict_rules": "[strict n1: a -> h]",
    "contraries": "[premise: -a]",
    "preferences": "[prefer_rule: r3 > r1]",
}


@pytest.mark.parametrize("permitted", KINDS)
def test_only_the_permitted_kinds_are_retained(permitted: str) -> None:
    legality = Legality(**{permitted: True})
    for kind, line in KINDS.items():
        assert refusals(line, legality=legality) == ([] if kind == permitted else [Refusal.KIND_NOT_PERMITTED])
    assert bool(judged("[prefer_premise: -c > a]", legality=legality).retained) == (permitted == "preferences")


def test_a_name_of_an_earlier_retained_line_is_taken() -> None:
    assert refusals("[defeasible n1: a => h]", "[defeasible n1: b => h]") == [Refusal.NAME_TAKEN]


def test_a_name_of_an_earlier_refused_line_is_free() -> None:
    judgement = judged("[defeasible n1: unknown => h]", "[defeasible n1: b => h]")
    assert [str(directive) for directive in judgement.retained] == ["[defeasible n1: b => h]"]


@pytest.mark.parametrize(
    "user", ["[defeasible n2: a => n1]", "[axiom: n1]", "[prefer_premise: n1 > a]", "[premise: -n1]"]
)
def test_a_name_that_another_line_uses_as_an_atom_is_refused_in_either_order(user: str) -> None:
    rule = "[defeasible n1: a => h]"
    for lines in ((rule, user), (user, rule)):
        refused = {str(entry.directive): entry.refusal for entry in judged(*lines).refused}
        assert refused[rule] == Refusal.NAME_IS_ATOM


def test_an_undercut_of_an_added_rule_is_refused_in_either_order_and_the_rule_stands() -> None:
    lines = ("[defeasible n1: a => h]", "[defeasible n2: b => -n1]")
    for order in (lines, lines[::-1]):
        judgement = judged(*order)
        assert [str(directive) for directive in judgement.retained] == [lines[0]]
        assert [entry.refusal for entry in judgement.refused] == [Refusal.UNDERCUTS_ADDED_RULE]


def test_an_undercut_stands_although_the_answer_reuses_the_name_of_its_target() -> None:
    judgement = judged("[defeasible r1: a => h]", "[defeasible n1: b => -r1]")
    assert [str(directive) for directive in judgement.retained] == ["[defeasible n1: b => -r1]"]
    assert [entry.refusal for entry in judgement.refused] == [Refusal.NAME_TAKEN]


def test_an_antecedent_that_only_the_answer_introduces_is_refused() -> None:
    assert refusals("[defeasible n1: a => h]", "[defeasible n2: h => i]") == [Refusal.NEW_ANTECEDENT]
    assert refusals("[premise: -a]", "[defeasible n2: -a => i]") == [Refusal.NEW_ANTECEDENT]


def test_a_twin_of_an_earlier_line_is_refused() -> None:
    assert refusals("[defeasible n1: a AND b => h]", "[strict n2: b AND a -> h]") == [Refusal.TWIN_RULE]


def test_an_exact_duplicate_is_refused() -> None:
    for line in LEGAL.values():
        assert refusals(line, line) == [Refusal.DUPLICATE]


def test_a_preference_may_name_what_an_earlier_line_added_but_not_a_later_one() -> None:
    rule, contrary = "[defeasible n1: a => h]", "[premise: -a]"
    for added, preference, refusal in (
        (rule, "[prefer_rule: n1 > r1]", Refusal.NOT_A_DEFEASIBLE_RULE),
        (contrary, "[prefer_premise: -a > a]", Refusal.NOT_AN_ORDINARY_PREMISE),
    ):
        assert refusals(added, preference) == []
        assert refusals(preference, added) == [refusal]
        assert refusals(preference, added, preference) == [refusal], "what was refused may be stated again"


def test_a_preference_to_an_added_strict_rule_is_refused() -> None:
    assert refusals("[strict n1: a -> h]", "[prefer_rule: n1 > r1]") == [Refusal.NOT_A_DEFEASIBLE_RULE]


def test_an_illegal_directive_does_not_spoil_the_others() -> None:
    judgement = judged("[axiom: h]", "[defeasible n1: a => -r1]", "[prefer_rule: s1 > r1]", "[premise: -a]")
    assert [str(directive) for directive in judgement.retained] == ["[defeasible n1: a => -r1]", "[premise: -a]"]
    assert len(judgement.refused) == 2


_names = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "r1", "r2", "r3", "s1", "n1", "n2", "n3", "x"])
_literals = st.builds(str.__add__, st.sampled_from(["", "-"]), _names)


def _rule_line(kind: str, arrow: str) -> st.SearchStrategy[str]:
    antecedents = st.lists(_literals, min_size=1, max_size=2).map(" AND ".join)
    return st.builds(f"[{kind} {{}}: {{}} {arrow} {{}}]".format, _names, antecedents, _literals)


_lines = st.one_of(
    st.builds("[premise: {}]".format, _literals),
    st.builds("[axiom: {}]".format, _literals),
    _rule_line("strict", "->"),
    _rule_line("defeasible", "=>"),
    st.builds("[prefer_premise: {} > {}]".format, _literals, _literals),
    st.builds("[prefer_rule: {} > {}]".format, _names, _names),
)
_answers = st.lists(_lines.map(parse_directive), max_size=12)


@settings(max_examples=500)
@given(_answers)
def test_the_theory_with_the_retained_directives_is_well_formed(directives: list[Directive]) -> None:
    judgement = judge(BASE, ALL, directives)
    extended = BASE.add(judgement.retained)
    assert len(judgement.retained) + len(judgement.refused) == len(directives)
    assert set(BASE.axioms) == set(extended.axioms)
    assert all(premise.startswith("-") for premise in set(extended.premises) - set(BASE.premises))
    for rule in extended.rules[len(BASE.rules) :]:
        assert BASE.occurring.issuperset(rule.antecedents)


@given(_answers)
def test_dropping_the_refused_lines_changes_nothing(directives: list[Directive]) -> None:
    judgement = judge(BASE, ALL, directives)
    assert judge(BASE, ALL, judgement.retained) == Judgement(judgement.retained, ())
