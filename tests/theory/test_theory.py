"""Theories are immutable, well-formed values; every rule of well-formedness has its error."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.errors import TheoryError
from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
    negate,
)
from tests.theory.theories import directives, theories

EXAMPLE = """\
[premise: ko9]
[premise: -ko9]
[axiom: mp0]
[strict hu2: ko9 AND mp0 -> au0]
[defeasible fy9: au0 => lq4]
[defeasible vo8: mp0 => -fy9]
[prefer_premise: -ko9 > ko9]
[prefer_rule: vo8 > fy9]"""


def test_a_theory_shows_its_parts() -> None:
    theory = Theory.parse(EXAMPLE)
    assert theory.premises == ("ko9", "-ko9")
    assert theory.axioms == ("mp0",)
    assert [rule.name for rule in theory.rules] == ["hu2", "fy9", "vo8"]
    assert [rule.name for rule in theory.strict_rules] == ["hu2"]
    assert [rule.name for rule in theory.defeasible_rules] == ["fy9", "vo8"]
    assert theory.rule_preferences == (RulePreference("vo8", "fy9"),)
    assert theory.premise_preferences == (PremisePreference("-ko9", "ko9"),)
    assert theory.rule_names == {"hu2", "fy9", "vo8"}
    assert theory.occurring == {"ko9", "-ko9", "mp0", "au0", "lq4", "-fy9"}
    assert theory.atoms == ("au0", "ko9", "lq4", "mp0")
    assert theory.literals == (
        *("au0", "-au0", "fy9", "-fy9", "ko9", "-ko9"),
        *("lq4", "-lq4", "mp0", "-mp0"),
    )
    assert str(theory) == EXAMPLE


@given(theories())
def test_printing_then_parsing_is_the_identity(theory: Theory) -> None:
    again = Theory.parse(str(theory))
    assert again == theory
    assert hash(again) == hash(theory)
    assert again.directives == theory.directives


@given(theories())
def test_pickles_and_copies_are_equal(theory: Theory) -> None:
    assert theory.literals is theory.literals, "a cached view must not travel with the pickle"
    for again in (pickle.loads(pickle.dumps(theory)), copy.copy(theory), copy.deepcopy(theory)):
        assert again == theory
        assert hash(again) == hash(theory)
        assert again.literals == theory.literals


@given(theories())
def test_views_do_not_depend_on_the_order_of_directives(theory: Theory) -> None:
    turned = Theory(theory.directives[::-1])
    assert turned.occurring == theory.occurring
    assert turned.atoms == theory.atoms
    assert turned.literals == theory.literals
    assert set(turned.premises) == set(theory.premises)


@given(theories())
def test_literals_come_in_both_signs_and_cover_what_occurs(theory: Theory) -> None:
    assert len(set(theory.literals)) == len(theory.literals)
    assert {negate(literal) for literal in theory.literals} == set(theory.literals)
    assert theory.occurring <= set(theory.literals)
    assert theory.rule_names.isdisjoint(theory.atoms)


def test_order_and_content_make_a_theory() -> None:
    one, other = Theory.parse("[premise: x]\n[premise: y]"), Theory.parse("[premise: y]\n[premise: x]")
    assert one != other
    assert Theory([Premise("x"), Premise("y")]) == one  # type: ignore[arg-type]
    assert len({one, other, Theory.parse(str(one))}) == 2


def test_theories_cannot_be_changed() -> None:
    theory = Theory.parse(EXAMPLE)
    with pytest.raises(AttributeError):
        theory.directives = ()  # type: ignore[misc]


def test_the_empty_theory_is_a_theory() -> None:
    for text in ("", "\n\n", "```\n```"):
        assert Theory.parse(text) == Theory(())
    assert str(Theory(())) == ""
    assert Theory(()).literals == ()


def test_typography_of_a_whole_text_is_forgiven() -> None:
    theory = Theory.parse(
        "```\r\n- [Premise: ko9]\r\n\r\n2. [defeasible fy9: ko9 \u21d2 \u2212lq4]\u2028[axiom:mp0]\n```"
    )
    assert str(theory) == "[premise: ko9]\n[defeasible fy9: ko9 => -lq4]\n[axiom: mp0]"


def test_said_twice_is_said_once() -> None:
    theory = Theory.parse("[premise: x]\n[premise: x]\n[axiom: y]\n[axiom: y]\n[prefer_premise: x > x]")
    assert theory.premises == ("x",)
    assert theory.axioms == ("y",)


ILL_FORMED = {
    "a rule name twice": ("[defeasible r: x => y]\n[strict r: y -> z]", 2, "rule name r is used twice"),
    "one rule stated twice": ("[defeasible r: x => y]\n[defeasible r: x => y]", 2, "rule name r is used twice"),
    "a rule name as premise": ("[defeasible r: x => y]\n\n[premise: r]", 3, "r names a rule"),
    "a rule name as axiom": ("[axiom: r]\n[defeasible r: x => y]", 1, "r names a rule"),
    "a rule name as antecedent": ("[defeasible r: x => y]\n[strict s: r -> y]", 2, "r names a rule"),
    "a rule name as consequent": ("[defeasible r: x => y]\n[strict s: x -> r]", 2, "r names a rule"),
    "a rule that concludes its own name": ("[defeasible r: x => r]", 1, "r names a rule"),
    "twins of one kind": ("[defeasible r: x => y]\n[defeasible s: x => y]", 2, "rules r and s have the same"),
    "twins of two kinds": ("[defeasible r: x => y]\n[strict s: x -> y]", 2, "rules r and s have the same"),
    "twins in another order": ("[strict r: x AND z -> y]\n[strict s: z AND x -> y]", 2, "rules r and s have the same"),
    "premise and axiom": ("[premise: x]\n[axiom: x]", 2, "x is both an axiom and an ordinary premise"),
    "axiom and premise": ("[axiom: -x]\n[premise: -x]", 2, "-x is both an axiom and an ordinary premise"),
    "contradicting axioms": ("[axiom: -x]\n[axiom: x]", 2, "axioms -x and x contradict each other"),
    "a consequent among the antecedents": ("[strict r: x AND y -> x]", 1, "rule r has its consequent x among"),
    "a preference for no premise": ("[premise: x]\n[prefer_premise: x > y]", 2, "y in .* is not an ordinary premise"),
    "a preference for an axiom": ("[premise: x]\n[axiom: y]\n[prefer_premise: y > x]", 3, "y in .* is not an ordinary"),
    "a preference for another sign": ("[premise: x]\n[prefer_premise: -x > x]", 2, "-x in .* is not an ordinary"),
    "a preference for no rule": ("[defeasible r: x => y]\n[prefer_rule: r > s]", 2, "s in .* is not a defeasible rule"),
    "a preference for a strict rule": ("[strict r: x -> y]\n[prefer_rule: r > r]", 2, "r in .* is not a defeasible"),
    "a preference for an atom": ("[premise: x]\n[prefer_rule: x > x]", 2, "x in .* is not a defeasible rule"),
    "an unreadable line": ("[premise: x]\n\nnonsense\n[premise: y]", 3, "cannot read 'nonsense'"),
}


@pytest.mark.parametrize("name", ILL_FORMED)
def test_each_rule_of_well_formedness_has_an_error_with_its_line(name: str) -> None:
    text, line, message = ILL_FORMED[name]
    with pytest.raises(TheoryError, match=f"^line {line}: {message}") as caught:
        Theory.parse(text)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


WELL_FORMED = {
    "contradicting premises": "[premise: x]\n[premise: -x]",
    "a premise against an axiom": "[axiom: x]\n[premise: -x]",
    "an undercut of a strict rule": "[strict r: x -> y]\n[defeasible s: z => -r]",
    "a rule that undercuts itself": "[defeasible r: x => -r]",
    "a negated rule name as premise": "[premise: -r]\n[defeasible r: x => y]",
    "a negated rule name as axiom": "[axiom: -r]\n[defeasible r: x => y]",
    "a negated rule name as antecedent": "[defeasible r: x => y]\n[strict s: -r -> z]",
    "a rule from a literal to its negation": "[strict r: x -> -x]",
    "cyclic rules": "[defeasible r: x => y]\n[defeasible s: y => x]",
    "rules that nothing supports": "[defeasible r: x => y]",
    "nested antecedent sets": "[defeasible r: x => y]\n[defeasible s: x AND z => y]",
    "a tie": "[premise: x]\n[premise: y]\n[prefer_premise: x > y]\n[prefer_premise: y > x]",
    "a preference before what it names": "[prefer_rule: r > s]\n[defeasible r: x => y]\n[defeasible s: x => z]",
}


@pytest.mark.parametrize("name", WELL_FORMED)
def test_what_is_unusual_but_meaningful_is_a_theory(name: str) -> None:
    assert str(Theory.parse(WELL_FORMED[name])) == WELL_FORMED[name]


BY_HAND: dict[str, tuple[object, ...]] = {
    "no directive": ("[premise: x]",),
    "None": (None,),
    "no literal": (Premise("not x"),),
    "a literal that is no text": (Axiom(None),),  # type: ignore[arg-type]
    "an empty literal": (Premise(""),),
    "a rule name with a sign": (StrictRule("-r", ("x",), "y"),),
    "a name that is no text": (StrictRule(7, ("x",), "y"),),  # type: ignore[arg-type]
    "no antecedents": (DefeasibleRule("r", (), "y"),),
    "an antecedent twice": (DefeasibleRule("r", ("x", "x"), "y"),),
    "antecedents as one text": (DefeasibleRule("r", "xy", "z"),),  # type: ignore[arg-type]
    "antecedents as a list": (DefeasibleRule("r", ["x"], "z"),),  # type: ignore[arg-type]
    "a preference between nothing": (PremisePreference("", ""),),
    "a preference between phrases": (RulePreference("r s", "t"),),
    "a letter of a text": tuple("x"),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_objects_made_by_hand_are_checked_like_text(name: str) -> None:
    with pytest.raises(TheoryError) as caught:
        Theory(BY_HAND[name])  # type: ignore[arg-type]
    assert caught.value.line is None


@given(st.lists(directives(), max_size=10))
def test_any_list_of_directives_is_a_theory_or_an_error_and_text_agrees(candidates: list[Directive]) -> None:
    text = "\n".join(map(str, candidates))
    made, read = _attempt(lambda: Theory(tuple(candidates))), _attempt(lambda: Theory.parse(text))
    if isinstance(made, Theory):
        assert read == made
    else:
        assert isinstance(read, TheoryError)
        assert (made.line, read.message) == (None, made.message)
        assert read.line is not None


def _attempt(make: Callable[[], Theory]) -> Theory | TheoryError:
    try:
        return make()
    except TheoryError as error:
        return error


@given(st.text())
def test_any_text_is_a_theory_or_an_error(text: str) -> None:
    found = _attempt(lambda: Theory.parse(text))
    if isinstance(found, Theory):
        assert Theory.parse(str(found)) == found
    else:
        assert 1 <= (found.line or 0) <= len(text.splitlines())


def outcome(make: Callable[[], Theory]) -> Theory | str:
    """Return what ``make`` returns, or the error that it raises."""
    try:
        return make()
    except TheoryError as error:
        return str(error)


@given(theories(), st.lists(directives(), max_size=6))
def test_adding_to_a_theory_is_reading_the_whole(theory: Theory, more: list[Directive]) -> None:
    """Only what is new is checked; theory, error and message are those of the whole all the same."""
    added = outcome(lambda: theory.add(more))
    assert added == outcome(lambda: Theory((*theory.directives, *more)))
    text = "\n".join(map(str, (*theory.directives, *more)))
    assert isinstance(added, str) or added == Theory.parse(text)


def test_add_states_more() -> None:
    theory = Theory.parse("[premise: x]")
    assert str(theory.add([StrictRule("r", ("x",), "y")])) == "[premise: x]\n[strict r: x -> y]"
    assert theory.add([]) == theory
    with pytest.raises(TheoryError, match="x is both"):
        theory.add([Axiom("x")])
    assert str(theory) == "[premise: x]", "the theory itself stays as it was"


def test_retract_takes_back_what_is_stated() -> None:
    theory = Theory.parse(EXAMPLE)
    less = theory.retract([Axiom("mp0"), RulePreference("vo8", "fy9")])
    assert set(theory.directives) - set(less.directives) == {Axiom("mp0"), RulePreference("vo8", "fy9")}
    assert less.add([Axiom("mp0")]).axioms == ("mp0",)
    with pytest.raises(TheoryError, match=r"\[premise: zz9\] cannot be retracted"):
        theory.retract([Premise("zz9")])
    with pytest.raises(TheoryError, match=r"fy9 in .* is not a defeasible rule"):
        theory.retract([DefeasibleRule("fy9", ("au0",), "lq4")])


@given(theories(), st.data())
def test_retracting_what_was_added_gives_the_theory_back(theory: Theory, data: st.DataObject) -> None:
    fresh = data.draw(directives().filter(lambda directive: directive not in theory.directives))
    try:
        larger = theory.add([fresh])
    except TheoryError:
        return
    assert larger.retract([fresh]) == theory


def test_large_theories_are_read_in_linear_time() -> None:
    def text(size: int) -> str:
        return "\n".join(
            f"[premise: p{i}]\n[defeasible r{i}: p{i} => q{i}]\n[prefer_rule: r{i} > r0]" for i in range(size)
        )

    start = time.perf_counter()
    theory = Theory.parse(text(20_000))
    assert time.perf_counter() - start < 10
    assert len(theory.rules) == 20_000


def test_the_rules_for_a_literal_are_those_that_conclude_it_in_their_order() -> None:
    theory = Theory.parse("[premise: a]\n[strict r1: a -> b]\n[defeasible r2: a => -b]\n[defeasible r3: -b => b]")
    assert [rule.name for rule in theory.rules_for("b")] == ["r1", "r3"]
    assert [rule.name for rule in theory.rules_for("-b")] == ["r2"]
    assert theory.rules_for("a") == ()
