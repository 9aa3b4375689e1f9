"""The pair-valued contract: status_query, semantics_query and perturbation."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.rewards.pairs import (
    CLAIM_STATUSES,
    STATUSES_UNDER_SEMANTICS,
    claim_under_semantics_key,
    pair_f1,
    score_pairs,
)
from arggym_env.rewards.score import Reason, Score

GOLD = {"ko9": "justified", "-ko9": "overruled", "by3": "undecided"}
RIGHT = "ko9: justified\n-ko9: overruled\nby3: undecided"


def scored(answer: str) -> Score:
    return score_pairs(GOLD, answer, CLAIM_STATUSES)


def test_the_right_map_scores_one() -> None:
    score = scored(RIGHT)
    assert (score.native, score.success, score.answer_found, score.reason) == (1.0, True, True, Reason.CORRECT)
    assert score.detail["parsed"] == GOLD


FORGIVEN = {
    "another order": "by3: undecided\nko9: justified\n-ko9: overruled",
    "statuses in any case": "ko9: JUSTIFIED\n-ko9: Overruled\nby3: unDecided",
    "blanks": "  ko9 :justified  \n\n\t-ko9\t: overruled\n by3 :  undecided",
    "CRLF": RIGHT.replace("\n", "\r\n"),
    "U+2028": RIGHT.replace("\n", "\u2028"),
    "bullets": "- ko9: justified\n* -ko9: overruled\n\u2022 by3: undecided",
    "numbers": "1. ko9: justified\n2) -ko9: overruled\n(3) by3: undecided",
    "a Unicode minus": RIGHT.replace("-", "\u2212"),
    "a code fence": f"```\n{RIGHT}\n```",
    "a line twice": RIGHT + "\nko9: justified",
    "a line twice, written differently": RIGHT + "\n  - ko9 :  Justified",
}


@pytest.mark.parametrize("answer", FORGIVEN.values(), ids=FORGIVEN.keys())
def test_typography_and_repetition_cost_nothing(answer: str) -> None:
    score = scored(answer)
    assert (score.native, score.success, score.reason) == (1.0, True, Reason.CORRECT)
    assert score.detail["parsed"] == GOLD


COUNTED = {
    # answer: (TP, |P|)
    "one right": ("ko9: justified", 1, 1),
    "two right": ("ko9: justified\nby3: undecided", 2, 2),
    "one wrong": ("ko9: overruled\n-ko9: overruled\nby3: undecided", 2, 3),
    "one extra": (RIGHT + "\nhu0: justified", 3, 4),
    "one unreadable": (RIGHT + "\nI am sure.", 3, 4),
    "an unreadable line twice": (RIGHT + "\nI am sure.\nI am sure.", 3, 4),
    "two unreadable": (RIGHT + "\nI am sure.\nQuite sure.", 3, 5),
    "a contradiction": (RIGHT + "\nko9: undecided", 2, 3),
    "a contradiction that names the gold last": ("ko9: undecided\n" + RIGHT, 2, 3),
    "three statuses for one claim": (RIGHT + "\nko9: undecided\nko9: overruled", 2, 3),
    "a contradiction on an extra claim": (RIGHT + "\nhu0: undecided\nhu0: overruled", 3, 4),
    "a near miss of the status": ("ko9: justifed\n-ko9: overruled\nby3: undecided", 2, 3),
    "more after the status": ("ko9: justifiedX\n-ko9: overruled\nby3: undecided", 2, 3),
    "a full stop": ("ko9: justified.\n-ko9: overruled\nby3: undecided", 2, 3),
    "a near miss of the claim": ("ko8: justified\n-ko9: overruled\nby3: undecided", 2, 3),
    "a claim in the other sign": ("-by3: undecided\n-ko9: overruled\nko9: justified", 2, 3),
    "a claim in another case": ("KO9: justified\n-ko9: overruled\nby3: undecided", 2, 3),
    "a claim with two signs": ("--ko9: overruled\nko9: justified", 1, 2),
    "the status of another semantics": ("ko9: no stable extension\nby3: undecided", 1, 2),
    "no colon": ("ko9 justified\nby3: undecided", 1, 2),
    "all statuses on one line": ("ko9: justified or overruled or undecided\nby3: undecided", 1, 2),
}


@pytest.mark.parametrize(("answer", "matched", "predicted"), COUNTED.values(), ids=COUNTED.keys())
def test_f1_counts_keys_and_unreadable_lines(answer: str, matched: int, predicted: int) -> None:
    score = scored(answer)
    precision, recall = matched / predicted, matched / len(GOLD)
    assert score.native == pytest.approx(2 * precision * recall / (precision + recall))
    assert score.native < 1
    assert (score.success, score.answer_found, score.reason) == (False, True, Reason.WRONG)


WORTHLESS = {
    "every claim with every status": "\n".join(f"{key}: {status}" for key in GOLD for status in CLAIM_STATUSES),
    "every status on one line": " ".join(CLAIM_STATUSES),
    "a wrong status each": "ko9: overruled\n-ko9: undecided\nby3: justified",
    "the statuses alone": "\n".join(CLAIM_STATUSES),
    "a directive": "[premise: ko9]",
    "code": "__import__('os').system('touch pwned')",
    "a power": "9**9**9",
    "JSON": '{"ko9": "justified", "-ko9": "overruled", "by3": "undecided"}',
    "the word None": "None",
}


@pytest.mark.parametrize("answer", WORTHLESS.values(), ids=WORTHLESS.keys())
def test_answers_that_say_nothing_right_score_zero(answer: str) -> None:
    score = scored(answer)
    assert (score.native, score.success) == (0.0, False)


@pytest.mark.parametrize(("gold", "said"), list(itertools.permutations(CLAIM_STATUSES, 2)))
def test_no_status_passes_for_another(gold: str, said: str) -> None:
    assert score_pairs({"p": gold}, f"p: {gold}", CLAIM_STATUSES).success
    score = score_pairs({"p": gold}, f"p: {said}", CLAIM_STATUSES)
    assert (score.native, score.success, score.reason) == (0.0, False, Reason.WRONG)


@pytest.mark.parametrize("status", CLAIM_STATUSES)
def test_a_constant_status_earns_the_share_of_that_status(status: str) -> None:
    assert scored("\n".join(f"{key}: {status}" for key in GOLD)).native == pytest.approx(1 / 3)


def test_an_answer_without_a_readable_line_is_unreadable() -> None:
    assert scored("ko9: justifed\nby3: maybe").reason == Reason.UNREADABLE
    assert scored("p: justifiedX").reason == Reason.UNREADABLE


@pytest.mark.parametrize("answer", ["", " ", "\n```\n```\n"])
def test_an_answer_without_content_is_not_found(answer: str) -> None:
    assert scored(answer) == Score(0.0, False, False, Reason.EMPTY_ANSWER)


def test_the_detail_sorts_the_keys() -> None:
    detail = scored("ko9: justified\nby3: overruled\nhu0: justified\nhu0: undecided\nwell").detail
    assert detail["matched"] == ["ko9"]
    assert detail["mistaken"] == ["by3"]
    assert detail["missing"] == ["-ko9"]
    assert detail["extra"] == ["hu0"]
    assert detail["contradictory"] == ["hu0"]
    assert detail["unreadable"] == ["well"]
    assert detail["parsed"] == {"ko9": "justified", "by3": "overruled", "hu0": "justified / undecided"}


HOSTILE = ("x" * 1_000_000, "\ud800junk\n" * 10, "a\n" * 300_000, "".join(f"a{i}: justified\n" for i in range(50_000)))


@pytest.mark.parametrize("answer", HOSTILE, ids=["one line", "surrogates", "equal lines", "keys"])
def test_the_detail_stays_small_and_encodable(answer: str) -> None:
    text = json.dumps(dict(scored(answer).detail), ensure_ascii=False)
    assert len(text.encode("utf-8")) < 10_000


def test_keys_of_semantics_query_name_claim_and_semantics() -> None:
    gold = {"ko9 under credulous preferred": "justified", "-ko9 under stable": "no stable extension"}

    def native(answer: str) -> float:
        return score_pairs(gold, answer, STATUSES_UNDER_SEMANTICS, claim_under_semantics_key).native

    assert native("ko9 under credulous preferred: justified\n-ko9 under stable: no stable extension") == 1.0
    assert native("ko9 UNDER  Credulous   Preferred :Justified\n- -ko9 under stable: No  Stable extension") == 1.0
    assert native("ko9 under credulous preferred: justified\n-ko9 under grounded: no stable extension") == 0.5
    assert native("ko9: justified\n-ko9: no stable extension") == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ko9",
        "ko9 under",
        "under stable",
        "ko9 stable",
        "ko9 under credulos preferred",
        "ko9 under preferred stable",
        "- ko9 under stable",
    ],
)
def test_near_misses_of_a_claim_under_semantics_are_unreadable(text: str) -> None:
    assert claim_under_semantics_key(text) is None


def test_f1_is_exact_at_both_ends() -> None:
    assert pair_f1(0, 0, 0) == 0.0
    assert pair_f1(0, 5, 3) == 0.0
    assert all(pair_f1(n, n, n) == 1.0 for n in range(1, 200))


maps = st.dictionaries(st.sampled_from(["a", "-a", "b", "c1", "d_2"]), st.sampled_from(CLAIM_STATUSES), min_size=1)


@given(maps, maps)
def test_success_is_equality_of_maps_and_native_one(gold: dict[str, str], said: dict[str, str]) -> None:
    score = score_pairs(gold, "\n".join(f"{key}: {status}" for key, status in said.items()), CLAIM_STATUSES)
    assert score.success == (gold == said) == (score.native == 1.0) == (score.reason == Reason.CORRECT)


@given(st.text() | st.lists(st.sampled_from(["ko9", ": ", "justified", "\n", "-", " ", "\ud800", "by3"])).map("".join))
def test_any_text_has_a_score(answer: str) -> None:
    score = scored(answer)
    assert 0.0 <= score.native <= 1.0
    assert score.success == (score.native == 1.0)
