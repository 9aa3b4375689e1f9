"""One directive, one line: printing and reading are inverse, and what cannot be read says why."""

from __future__ import annotations

import copy
import dataclasses
import pickle

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
    parse_directive,
)
from tests.theory.theories import directives

EXAMPLES: dict[str, Directive] = {
    "[premise: ko9]": Premise("ko9"),
    "[premise: -ko9]": Premise("-ko9"),
    "[axiom: mp0]": Axiom("mp0"),
    "[strict hu2: lq4 -> au0]": StrictRule("hu2", ("lq4",), "au0"),
    "[defeasible fy9: by3 AND hu0 => lq4]": DefeasibleRule("fy9", ("by3", "hu0"), "lq4"),
    "[defeasible fy9: -by3 AND hu0 => -vo8]": DefeasibleRule("fy9", ("-by3", "hu0"), "-vo8"),
    "[prefer_premise: -mk7 > mk7]": PremisePreference("-mk7", "mk7"),
    "[prefer_rule: mi6 > ha8]": RulePreference("mi6", "ha8"),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_documented_forms_are_read_and_printed(text: str) -> None:
    assert parse_directive(text) == EXAMPLES[text]
    assert str(EXAMPLES[text]) == text


@given(directives())
def test_printing_then_reading_is_the_identity(directive: Directive) -> None:
    assert parse_directive(str(directive)) == directive


@given(directives())
def test_directives_are_values(directive: Directive) -> None:
    assert pickle.loads(pickle.dumps(directive)) == directive
    assert copy.deepcopy(directive) == directive
    assert hash(copy.deepcopy(directive)) == hash(directive)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(directive, dataclasses.fields(directive)[0].name, "x")


@pytest.mark.parametrize(
    ("loose", "plain"),
    [
        ("[PREMISE: x]", "[premise: x]"),
        ("[ premise : x ]", "[premise: x]"),
        ("[premise:x]", "[premise: x]"),
        ("[Strict  r :x->y]", "[strict r: x -> y]"),
        ("[defeasible r: x and y And z=>w]", "[defeasible r: x AND y AND z => w]"),
        ("[Prefer_Rule:r>s]", "[prefer_rule: r > s]"),
        ("[prefer_premise:-x>x]", "[prefer_premise: -x > x]"),
        ("[defeasible r: x AND x => y]", "[defeasible r: x => y]"),
    ],
)
def test_blanks_and_the_case_of_keywords_are_forgiven(loose: str, plain: str) -> None:
    assert parse_directive(loose) == parse_directive(plain)


def test_names_keep_their_case() -> None:
    assert parse_directive("[premise: Ko9]") != parse_directive("[premise: ko9]")


UNREADABLE = {
    "": "a directive is written",
    "x": "a directive is written",
    "[]": "a directive is written",
    "[": "a directive is written",
    "]": "a directive is written",
    "premise: x": "a directive is written",
    "[premise: x": "a directive is written",
    "[premise: x].": "a directive is written",
    "[premise x]": "colon",
    "[:]": "not a keyword",
    "[: x]": "not a keyword",
    "[premis: x]": "'premis' is not a keyword",
    "[ordinary premise: x]": "not a keyword",
    "[premise:]": "not a literal",
    "[premise: ]": "not a literal",
    "[premise: x y]": "not a literal",
    "[premise: x, y]": "not a literal",
    "[premise: --x]": "not a literal",
    "[premise: - x]": "not a literal",
    "[premise: 9x]": "not a literal",
    "[premise: x][premise: y]": "not a literal",
    "[premise: x: y]": "not a literal",
    "[premise p: x]": "between keyword and colon",
    "[strict: x -> y]": "the rule's name is missing",
    "[defeasible: x => y]": "the rule's name is missing",
    "[strict -r: x -> y]": "not a rule name",
    "[strict r s: x -> y]": "between keyword and colon",
    "[strict r: x]": "the arrow -> is missing",
    "[strict r: x => y]": "the arrow -> is missing",
    "[defeasible r: x -> y]": "the arrow => is missing",
    "[defeasible r: => y]": "antecedents",
    "[defeasible r: x =>]": "not a literal",
    "[defeasible r: x AND => y]": "antecedents",
    "[defeasible r: AND x => y]": "antecedents",
    "[defeasible r: x y => z]": "antecedents",
    "[defeasible r: x, y => z]": "antecedents",
    "[defeasible r: x & y => z]": "antecedents",
    "[defeasible r: x => y => z]": "not a literal",
    "[defeasible r: x => y AND z]": "not a literal",
    "[defeasible r: x => y z]": "not a literal",
    "[prefer_rule: r]": "a preference is written",
    "[prefer_rule: r < s]": "a preference is written",
    "[prefer_rule: r > s > t]": "not a rule name",
    "[prefer_rule: -r > s]": "not a rule name",
    "[prefer_rule: > s]": "not a rule name",
    "[prefer_premise: x >]": "not a literal",
    "[prefer: r > s]": "not a keyword",
    "[premise: x\x00]": "not a literal",
    "[premise: \u0445]": "not a literal",  # a Cyrillic letter that looks like x
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_everything_else_is_unreadable_and_says_why(text: str) -> None:
    with pytest.raises(TheoryError, match=UNREADABLE[text]) as caught:
        parse_directive(text)
    assert "\n" not in str(caught.value)
    assert caught.value.line is None


@given(st.text() | st.text(alphabet="[]premis: x->=AND"))
def test_any_line_is_read_or_refused(text: str) -> None:
    try:
        directive = parse_directive(text)
    except TheoryError:
        return
    assert parse_directive(str(directive)) == directive


def test_a_long_line_is_quoted_in_part_only() -> None:
    with pytest.raises(TheoryError) as caught:
        parse_directive("[premise: " + "x " * 500_000 + "]")
    assert len(str(caught.value)) < 300
