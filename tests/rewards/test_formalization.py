"""The contract of formalization: behaviour, structure and types, and success by behaviour alone."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.rewards.formalization import score_formalization
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory

ORDERING = "last-link elitist"
TYPED = """\
[premise: pa1]
[premise: -pa1]
[premise: pb1]
[axiom: ax1]
[strict s1: ax1 -> cs1]
[defeasible d1: pa1 => cc1]
[defeasible d2: pb1 AND ax1 => -cc1]
[defeasible d3: pb1 => -d2]
[prefer_premise: -pa1 > pa1]
[prefer_rule: d1 > d2]"""
UNTYPED = """\
[premise: pa1]
[premise: pb1]
[defeasible d1: pa1 => cc1]
[defeasible d2: pb1 => -cc1]
[prefer_rule: d1 > d2]"""
GIVEN = {"cc1": "overruled", "cs1": "justified", "-pa1": "justified"}
UNTYPED_GIVEN = {"cc1": "justified", "-cc1": "overruled"}


def typed(answer: str) -> Score:
    return score_formalization(Theory.parse(TYPED), ORDERING, GIVEN, answer)


def untyped(answer: str) -> Score:
    return score_formalization(Theory.parse(UNTYPED), ORDERING, UNTYPED_GIVEN, answer)


def agreements(score: Score) -> tuple[object, object, object]:
    return score.detail["behaviour"], score.detail["structure"], score.detail["types"]


def test_the_reference_scores_one() -> None:
    for score in (typed(TYPED), untyped(UNTYPED)):
        assert (score.native, score.success, score.answer_found, score.reason) == (1.0, True, True, Reason.CORRECT)
        assert score.detail["missing"] == score.detail["extra"] == score.detail["deviating"] == []
    assert agreements(typed(TYPED)) == (1.0, 1.0, 1.0)
    assert agreements(untyped(UNTYPED)) == (1.0, 1.0, None)


RENAMED = {
    "other rule names": TYPED.replace("d1", "Step_one").replace("d2", "d1").replace("d3", "d2").replace("s1:", "zz:"),
    "another order": "\n".join(reversed(TYPED.splitlines())),
    "antecedents the other way round": TYPED.replace("pb1 AND ax1", "ax1 AND pb1"),
    "an antecedent twice": TYPED.replace("pb1 AND ax1", "pb1 AND ax1 AND pb1"),
    "layout": "```\n" + TYPED.replace("\n", "\r\n\r\n- ").replace("=>", "⇒") + "\n```",
}


@pytest.mark.parametrize("answer", RENAMED.values(), ids=RENAMED.keys())
def test_rule_names_order_and_layout_cost_nothing(answer: str) -> None:
    score = typed(answer)
    assert (score.native, score.success, score.reason) == (1.0, True, Reason.CORRECT)


def test_renaming_that_swaps_the_rules_of_an_undercut_is_noticed() -> None:
    score = typed(TYPED.replace("-d2]", "-d1]"))
    assert score.detail["missing"] == ["[defeasible d3: pb1 => -d2]"]
    assert score.detail["extra"] == ["[defeasible d3: pb1 => -d1]"]
    assert score.detail["structure"] == pytest.approx(9 / 10)


def test_a_preference_between_rules_is_compared_by_what_they_are() -> None:
    assert untyped(UNTYPED.replace("d1", "r").replace("d2", "d1")).native == 1.0
    turned = untyped(UNTYPED.replace("d1 > d2", "d2 > d1"))
    assert turned.detail["structure"] == pytest.approx(4 / 5)


COUNTED = {
    # answer: matched directives of 10, submitted, matched typed of 2, submitted typed
    "a premise is missing": (TYPED.replace("[premise: pb1]\n", ""), 9, 9, 2, 2),
    "an axiom is missing": (TYPED.replace("[axiom: ax1]\n", ""), 9, 9, 1, 1),
    "an axiom as premise": (TYPED.replace("axiom: ax1", "premise: ax1"), 9, 10, 1, 1),
    "a premise as axiom": (TYPED.replace("premise: pb1", "axiom: pb1"), 9, 10, 2, 3),
    "a strict rule as defeasible": (TYPED.replace("strict s1", "defeasible s1").replace("->", "=>"), 9, 10, 1, 1),
    "an undercut as strict": (TYPED.replace("defeasible d3: pb1 =>", "strict d3: pb1 ->"), 9, 10, 2, 3),
    "an extra strict rule": (TYPED + "\n[strict x: pb1 -> zz1]", 10, 11, 2, 3),
    "an extra premise": (TYPED + "\n[premise: zz1]", 10, 11, 2, 2),
    "a premise twice": (TYPED + "\n[premise: pb1]", 10, 11, 2, 2),
    "an axiom twice": (TYPED + "\n[axiom: ax1]", 10, 11, 2, 3),
    "a preference twice": (TYPED + "\n[prefer_rule: d1 > d2]", 10, 11, 2, 2),
}


@pytest.mark.parametrize(
    ("answer", "matched", "submitted", "typed_matched", "typed_submitted"), COUNTED.values(), ids=COUNTED.keys()
)
def test_structure_and_types_are_f1_over_multisets(
    answer: str, matched: int, submitted: int, typed_matched: int, typed_submitted: int
) -> None:
    score = typed(answer)
    behaviour, structure, types = agreements(score)
    assert structure == pytest.approx(2 * matched / (10 + submitted))
    assert types == pytest.approx(2 * typed_matched / (2 + typed_submitted))
    assert isinstance(behaviour, float)
    assert isinstance(structure, float)
    assert isinstance(types, float)
    assert score.native == pytest.approx(0.25 * behaviour + 0.35 * structure + 0.40 * types)
    assert score.native < 1.0


def test_behaviour_is_the_share_of_queried_claims_with_the_right_status() -> None:
    assert typed("[axiom: cs1]").detail["behaviour"] == pytest.approx(2 / 3), "what is not mentioned is overruled"
    assert typed("[premise: cs1]\n[premise: -pa1]").detail["behaviour"] == 1.0
    assert typed("[premise: cc1]").detail["behaviour"] == 0.0
    assert typed("[axiom: cs1]").detail["statuses"] == {"cc1": "overruled", "cs1": "justified", "-pa1": "overruled"}


def test_without_axioms_and_strict_rules_types_do_not_count() -> None:
    answer = UNTYPED.replace("premise: pa1", "axiom: pa1")
    score = untyped(answer)
    assert score.detail["types"] is None
    assert score.native == pytest.approx(0.4 * 1.0 + 0.6 * 4 / 5)


SAME_BEHAVIOUR = {
    "a preference that composition gives": TYPED + "\n[defeasible d4: nn1 => cc1]\n[prefer_rule: d1 > d4]",
    "a rule that nothing fires": TYPED + "\n[defeasible d4: nn1 => nn2]",
    "a premise of its own": TYPED + "\n[premise: zz1]",
    "a premise twice": TYPED + "\n[premise: pb1]",
    "a premise that nobody attacks as an axiom": TYPED.replace("premise: pb1", "axiom: pb1"),
}


@pytest.mark.parametrize("answer", SAME_BEHAVIOUR.values(), ids=SAME_BEHAVIOUR.keys())
def test_the_same_statuses_are_success_whatever_the_structure(answer: str) -> None:
    score = typed(answer)
    assert score.success
    assert score.native < 1.0
    assert score.reason is Reason.NOT_IDENTICAL
    assert score.detail["deviating"] == []


def test_success_looks_at_every_atom_and_not_only_at_the_queried_claims() -> None:
    score = typed("[premise: cs1]\n[premise: -pa1]")
    assert score.detail["behaviour"] == 1.0
    assert not score.success
    assert score.reason is Reason.WRONG
    assert score.detail["deviating"] == ["ax1", "pb1"]


def test_success_looks_at_both_polarities() -> None:
    reference = Theory.parse("[premise: pa1]\n[premise: pb1]\n[defeasible d1: pa1 => cc1]")
    answer = "[premise: pa1]\n[premise: pb1]\n[defeasible d1: pa1 => cc1]\n[defeasible d2: zz => cc1]"
    assert score_formalization(reference, ORDERING, {"cc1": "justified"}, answer).success
    contrary = answer.replace("zz => cc1", "pb1 => -cc1") + "\n[prefer_rule: d1 > d2]"
    assert score_formalization(reference, ORDERING, {"cc1": "justified"}, contrary).success
    undecided = answer.replace("zz => cc1", "pb1 => -cc1")
    assert not score_formalization(reference, ORDERING, {"pa1": "justified"}, undecided).success


def test_names_of_rules_are_not_atoms_of_the_reference() -> None:
    """Whether a rule is undercut shows in what the rule concludes, not in a status of its name."""
    score = typed(TYPED + "\n[defeasible d9: pb1 => -d1]")
    assert (score.success, score.reason) == (True, Reason.NOT_IDENTICAL), (
        "the undercut rule had lost its premise already"
    )


UNREADABLE = {
    "prose": "The theory has one premise.",
    "a line of prose at the end": TYPED + "\nThat is all.",
    "a preference between unknown rules": TYPED + "\n[prefer_rule: d1 > d9]",
    "a preference over an axiom": TYPED + "\n[prefer_premise: ax1 > pb1]",
    "a preference over a strict rule": TYPED + "\n[prefer_rule: s1 > d1]",
    "a rule name used twice": TYPED + "\n[defeasible d1: pb1 => zz1]",
    "a rule named like an atom": TYPED + "\n[defeasible pb1: pa1 => zz1]",
    "twin rules": TYPED + "\n[strict d9: pa1 -> cc1]",
    "an axiom that is a premise too": TYPED + "\n[axiom: pb1]",
    "axioms that contradict each other": TYPED + "\n[axiom: -ax1]",
    "a rule that concludes its antecedent": TYPED + "\n[defeasible d9: pb1 => pb1]",
    "no antecedent": TYPED + "\n[defeasible d9: => zz1]",
}


@pytest.mark.parametrize("answer", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_run_scores_zero_and_says_why(answer: str) -> None:
    score = typed(answer)
    assert (score.native, score.success, score.answer_found) == (0.0, False, True)
    assert score.reason is Reason.UNREADABLE
    problem = score.detail["unreadable"]
    assert isinstance(problem, dict)
    assert problem["line"] in range(1, len(answer.splitlines()) + 1)
    assert problem["problem"]


def test_an_answer_without_content_is_empty() -> None:
    for answer in ("", "\n \n", "```\n```"):
        score = typed(answer)
        assert (score.native, score.success, score.answer_found, score.reason) == (
            0.0,
            False,
            False,
            Reason.EMPTY_ANSWER,
        )


def test_a_theory_with_too_many_arguments_scores_zero() -> None:
    ladder = [f"[defeasible r{step}{way}: a{step} => b{step}{way}]" for step in range(12) for way in "xyz"]
    ladder += [f"[defeasible s{step}{way}: b{step}{way} => a{step + 1}]" for step in range(12) for way in "xyz"]
    score = typed("\n".join(["[premise: a0]", *ladder]))
    assert (score.native, score.success, score.reason) == (0.0, False, Reason.TOO_MANY_ARGUMENTS)
    score = score_formalization(Theory.parse(UNTYPED), ORDERING, UNTYPED_GIVEN, TYPED, max_arguments=5)
    assert score.reason is Reason.TOO_MANY_ARGUMENTS


NESTED = """\
[premise: pa1]
[premise: pb1]
[defeasible d1: pa1 => cc1]
[defeasible d2: pb1 => cc2]
[defeasible u1: pa1 => -d1]
[defeasible u2: pa1 => -d2]
[defeasible v1: pb1 => -u1]
[defeasible w1: pa1 => -v1]"""


def test_undercuts_of_undercuts_are_compared_all_the_way_down() -> None:
    reference = Theory.parse(NESTED)
    given_statuses = {"cc1": "overruled"}
    assert score_formalization(reference, ORDERING, given_statuses, NESTED.replace("u1", "x9")).native == 1.0
    other = score_formalization(reference, ORDERING, given_statuses, NESTED.replace("-u1", "-u2"))
    assert other.detail["structure"] == pytest.approx(6 / 8), "w1 undercuts another rule now, too"


def test_undercuts_in_a_circle_are_read_and_match_nothing() -> None:
    circle = UNTYPED + "\n[defeasible u1: pa1 => -u2]\n[defeasible u2: pb1 => -u1]\n[defeasible u3: pa1 => -u1]"
    score = untyped(circle)
    assert score.answer_found
    assert score.detail["structure"] == pytest.approx(2 * 5 / (5 + 8))
    alone = untyped("[defeasible u1: pa1 => -u1]")
    assert alone.detail["structure"] == 0.0


def test_an_undercut_as_antecedent_is_resolved() -> None:
    answer = UNTYPED + "\n[defeasible u1: pa1 => -d2]\n[defeasible u2: -d2 => ee1]"
    reference = Theory.parse(answer)
    renamed = answer.replace("d2", "other")
    assert score_formalization(reference, ORDERING, UNTYPED_GIVEN, renamed).native == 1.0


def test_a_name_that_ends_like_a_rule_is_not_taken_for_it() -> None:
    """``ab1`` without its first letter is the name ``b1``; only a sign makes an undercut."""
    reference = Theory.parse("[premise: pa1]\n[defeasible b1: pa1 => ab1]\n[defeasible b2: pa1 => bb2]")
    answer = "[premise: pa1]\n[defeasible b2: pa1 => ab1]\n[defeasible b1: pa1 => bb2]"
    score = score_formalization(reference, ORDERING, {"ab1": "justified"}, answer)
    assert (score.native, score.success) == (1.0, True)


@given(st.text(alphabet="[]premisaxodf:>-=AND r1x2\n", max_size=200))
def test_any_text_has_a_bounded_score(answer: str) -> None:
    score = typed(answer)
    assert 0.0 <= score.native <= 1.0
    assert score.success in (True, False)
    json.dumps(dict(score.detail))


LARGE = {
    "premises": "\n".join(f"[premise: p{index}]" for index in range(4000)),
    "idle rules": "\n".join(f"[defeasible k{index}: zz => t{index}]" for index in range(20_000)),
    "a tower of undercuts": "\n".join(f"[defeasible k{index}: zz => -k{index - 1}]" for index in range(1, 20_000)),
    "a circle of undercuts": "\n".join(f"[defeasible k{index}: zz => -k{(index + 1) % 9999}]" for index in range(9999)),
    "one premise many times": "[premise: pa1]\n" * 30_000,
}


@pytest.mark.parametrize("answer", LARGE.values(), ids=LARGE.keys())
def test_large_answers_are_scored_quickly_with_little_detail(answer: str) -> None:
    start = time.process_time()
    score = typed(answer)
    assert time.process_time() - start < 3
    assert not score.success
    assert len(json.dumps(dict(score.detail))) < 6000


def test_both_engines_give_the_same_score() -> None:
    for answer in (TYPED, TYPED.replace("-d2]", "-d1]"), NESTED):
        scores = [
            score_formalization(Theory.parse(TYPED), ordering, GIVEN, answer, engine=engine)
            for ordering in ("last-link elitist", "weakest-link democratic")
            for engine in ("native", "pyarg")
        ]
        assert scores[0] == scores[1]
        assert scores[2] == scores[3]
