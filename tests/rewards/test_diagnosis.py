"""The diagnosis contract: every sentence of appendix B on defeat_diagnosis, and what the package settles besides."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.rewards.diagnosis import FailurePoint, read_diagnosis, score_diagnosis
from arggym_env.rewards.score import Reason, Score

UNDERMINE = "defeated_at: ko9; defeater: -ko9; kind: undermine"
UNDERCUT = "defeated_at: vo8; defeater: mi1; kind: undercut"
REBUT = "defeated_at: -ls2; defeater: hy5; kind: rebut"
PLAIN = f"status: overruled\n{UNDERMINE}\n{UNDERCUT}\n{REBUT}"
UNDERCUT_SURVIVING = f"{UNDERCUT}; survives_because: si5"
REBUT_SURVIVING = f"{REBUT}; survives_because: pu0"
SURVIVING = f"status: overruled\n{UNDERMINE}\n{UNDERCUT_SURVIVING}\n{REBUT_SURVIVING}"


def scored(answer: str, gold: str = PLAIN) -> Score:
    return score_diagnosis(read_diagnosis(gold), answer)


def f1(matched: int, predicted: int, gold: int) -> float:
    return 2 * matched / (predicted + gold)


@pytest.mark.parametrize("gold", [PLAIN, SURVIVING])
def test_the_right_diagnosis_scores_one(gold: str) -> None:
    score = scored(gold, gold)
    assert (score.native, score.success, score.answer_found, score.reason) == (1.0, True, True, Reason.CORRECT)
    assert score.detail["missing"] == score.detail["extra"] == []


def test_reading_and_printing_are_inverse() -> None:
    assert str(read_diagnosis(SURVIVING)) == SURVIVING
    assert read_diagnosis(UNDERCUT_SURVIVING).points == (FailurePoint("vo8", "mi1", "undercut", "si5"),)


FORGIVEN = {
    "another order of lines": "\n".join(reversed(PLAIN.splitlines())),
    "another order of fields": PLAIN.replace(UNDERCUT, "kind: undercut; defeater: mi1; defeated_at: vo8"),
    "any case": PLAIN.replace("kind: rebut", "Kind: REBUT").replace("status: overruled", "Status: Overruled"),
    "blanks": PLAIN.replace("; ", " ;   ").replace(": ", " :  "),
    "a semicolon at the end": PLAIN.replace(UNDERCUT, UNDERCUT + ";"),
    "bullets": "\n".join(f"- {line}" for line in PLAIN.splitlines()),
    "a Unicode minus": PLAIN.replace("-", "\u2212"),
    "a code fence": f"```\n{PLAIN}\n```",
    "a line twice": f"{PLAIN}\n{REBUT}",
    "the status twice": f"{PLAIN}\nstatus: overruled",
}


@pytest.mark.parametrize("answer", FORGIVEN.values(), ids=FORGIVEN.keys())
def test_typography_and_repetition_cost_nothing(answer: str) -> None:
    assert scored(answer).success


COUNTED = {
    # answer: (TP, |P|, status right)
    "the status alone": ("status: overruled", 0, 0, True),
    "the wrong status": (PLAIN.replace("overruled", "undecided"), 3, 3, False),
    "a status that is not asked for": (PLAIN.replace("overruled", "justified"), 3, 3, False),
    "no status": (f"{UNDERMINE}\n{UNDERCUT}\n{REBUT}", 3, 3, False),
    "two statuses": (f"{PLAIN}\nstatus: undecided", 3, 3, False),
    "an unreadable status": (PLAIN.replace("status: overruled", "status: dead"), 3, 4, False),
    "one point": (f"status: overruled\n{UNDERMINE}", 1, 1, True),
    "a point too many": (f"{PLAIN}\ndefeated_at: ko9; defeater: hu0; kind: undermine", 3, 4, True),
    "a wrong kind": (PLAIN.replace("kind: rebut", "kind: undermine"), 2, 3, True),
    "two kinds for one point": (f"{PLAIN}\n{REBUT.replace('rebut', 'undermine')}", 2, 3, True),
    "a wrong defeater": (PLAIN.replace("mi1", "mi2"), 2, 3, True),
    "the other sign": (PLAIN.replace("-ls2", "ls2"), 2, 3, True),
    "an unreadable line": (f"{PLAIN}\nI am sure.", 3, 4, True),
    "an unreadable line twice": (f"{PLAIN}\nI am sure.\nI am sure.", 3, 4, True),
    "an unknown kind": (PLAIN.replace("kind: rebut", "kind: attack"), 2, 3, True),
    "an unknown field": (PLAIN.replace(REBUT, f"{REBUT}; note: weak"), 2, 3, True),
    "a field twice": (PLAIN.replace(REBUT, f"{REBUT}; kind: rebut"), 2, 3, True),
    "a field missing": (PLAIN.replace("; kind: rebut", ""), 2, 3, True),
    "a value that is no name": (PLAIN.replace("mi1", "mi1 and mi2"), 2, 3, True),
    "nothing after the last field": (PLAIN.replace(REBUT, f"{REBUT}; survives_because:"), 2, 3, True),
}


@pytest.mark.parametrize(("answer", "matched", "predicted", "status"), COUNTED.values(), ids=COUNTED.keys())
def test_without_explanations_points_count_85_and_the_status_15(
    answer: str, matched: int, predicted: int, status: bool
) -> None:
    score = scored(answer)
    assert score.native == pytest.approx(0.85 * f1(matched, predicted, 3) + 0.15 * status)
    assert not score.success
    assert score.native < 1.0
    assert score.detail["predicted"] == predicted


EXPLAINED = {
    # answer: (TP of points, |P| of points, TP of explanations, |P| of explanations)
    "no explanation": (PLAIN, 3, 3, 0, 0),
    "one of two": (SURVIVING.replace("; survives_because: si5", ""), 3, 3, 1, 1),
    "a wrong rule": (SURVIVING.replace("si5", "si6"), 3, 3, 1, 2),
    "one too many": (SURVIVING.replace(UNDERMINE, f"{UNDERMINE}; survives_because: pu0"), 3, 3, 2, 3),
    "two rules for one point": (f"{SURVIVING}\n{UNDERCUT}; survives_because: si6", 3, 3, 1, 2),
    "one point with and without": (f"{SURVIVING}\n{UNDERCUT}", 3, 3, 1, 2),
    "the right rule at a wrong kind": (SURVIVING.replace("kind: undercut", "kind: rebut"), 2, 3, 2, 2),
    "an explanation on a point that is none": (
        f"{SURVIVING}\ndefeated_at: hu0; defeater: te9; kind: rebut; survives_because: si5",
        3,
        4,
        2,
        3,
    ),
}


@pytest.mark.parametrize(
    ("answer", "matched", "predicted", "explained", "explanations"), EXPLAINED.values(), ids=EXPLAINED.keys()
)
def test_with_explanations_points_count_60_the_status_15_and_they_25(
    answer: str, matched: int, predicted: int, explained: int, explanations: int
) -> None:
    score = scored(answer, SURVIVING)
    expected = 0.60 * f1(matched, predicted, 3) + 0.15 + 0.25 * f1(explained, explanations, 2)
    assert score.native == pytest.approx(expected)
    assert score.native < 1.0
    assert not score.success


def test_an_explanation_where_none_is_required_scores_zero() -> None:
    for answer in (PLAIN.replace(REBUT, REBUT_SURVIVING), f"{PLAIN}\n{REBUT_SURVIVING}"):
        score = scored(answer)
        assert (score.native, score.success, score.reason) == (0.0, False, Reason.WRONG)
        assert score.detail["survival_required"] is False


@pytest.mark.parametrize("answer", ["", " \n\t\n", "```\n```"])
def test_an_answer_without_content_is_empty(answer: str) -> None:
    assert scored(answer) == Score(0.0, False, False, Reason.EMPTY_ANSWER)


def test_an_answer_without_a_readable_line_is_unreadable() -> None:
    score = scored("ko9 is undermined")
    assert (score.native, score.reason) == (0.0, Reason.UNREADABLE)


def test_details_are_bounded_and_encodable() -> None:
    answer = "\n".join(f"defeated_at: x{n}; defeater: y{n}; kind: rebut" for n in range(5_000)) + "\n\ud800" * 100
    detail = scored(answer).detail
    assert len(json.dumps(dict(detail), ensure_ascii=False).encode("utf-8")) < 10_000


@pytest.mark.parametrize(
    "answer", ["defeated_at: x; " * 60_000, ";" * 1_000_000, ":" * 1_000_000, f"{UNDERMINE}\n" * 20_000]
)
def test_long_answers_are_scored_quickly(answer: str) -> None:
    start = time.process_time()
    scored(answer, SURVIVING)
    assert time.process_time() - start < 2


LINES = st.sampled_from(
    [*SURVIVING.splitlines(), *PLAIN.splitlines(), "status: undecided", REBUT.replace("rebut", "undercut"), "junk", ""]
)


@given(answer=st.text() | st.lists(LINES, max_size=8).map("\n".join), gold=st.sampled_from([PLAIN, SURVIVING]))
def test_any_text_has_a_score_and_only_the_right_one_has_native_one(answer: str, gold: str) -> None:
    score = scored(answer, gold)
    assert math.isfinite(score.native)
    assert 0.0 <= score.native <= 1.0
    assert (score.native == 1.0) == score.success == (score.reason is Reason.CORRECT)
    said, right = read_diagnosis(answer), read_diagnosis(gold)
    same = set(said.points) == set(right.points) and said.statuses == right.statuses and not said.unreadable
    assert score.success == same
