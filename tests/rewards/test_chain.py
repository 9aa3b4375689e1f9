"""The contract of claim_chain: content F1 of the directives, times the share of rules after their antecedents."""

from __future__ import annotations

import itertools
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.rewards.chain import read_chain, rules_out_of_order, score_chain
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import parse_directive

P, A = "[premise: -p]", "[axiom: a]"
R, S = "[defeasible r: -p => x]", "[strict s: x AND a -> t]"
LINES = (P, A, R, S)
GOLD = tuple(map(parse_directive, LINES))
RIGHT = "\n".join(LINES)
FOREIGN = "[premise: q]"


def scored(*lines: str) -> Score:
    return score_chain(GOLD, "\n".join(lines))


def f1(matched: int, submitted: int) -> float:
    return 2 * matched / (submitted + len(GOLD))


def test_exactly_the_directives_in_order_score_one() -> None:
    score = scored(RIGHT)
    assert (score.native, score.success, score.answer_found, score.reason) == (1.0, True, True, Reason.CORRECT)


@pytest.mark.parametrize("lines", list(itertools.permutations(LINES)), ids=lambda lines: " ".join(map(str, lines)))
def test_any_order_consistent_with_the_dependencies_is_right_and_no_other(lines: tuple[str, ...]) -> None:
    places = {line: place for place, line in enumerate(lines)}
    right = places[P] < places[R] < places[S] and places[A] < places[S]
    early = (places[R] < places[P]) + (places[S] < max(places[R], places[A]))
    score = scored(*lines)
    assert score.success == right
    assert score.native == pytest.approx((2 - early) / 2)
    assert score.reason == (Reason.CORRECT if right else Reason.WRONG)


FORGIVEN = {
    "antecedents in another order": RIGHT.replace("x AND a", "a AND x"),
    "an antecedent twice": RIGHT.replace("x AND a", "x AND a AND x"),
    "blanks and blank lines": RIGHT.replace("\n", "\n\n  ").replace(": ", " :  "),
    "CRLF": RIGHT.replace("\n", "\r\n"),
    "bullets": "\n".join(f"- {line}" for line in LINES),
    "numbers": "\n".join(f"{number}. {line}" for number, line in enumerate(LINES, 1)),
    "a code fence": f"```\n{RIGHT}\n```",
    "Unicode arrows": RIGHT.replace("=>", "\u21d2").replace("->", "\u2192"),
    "a Unicode minus": RIGHT.replace("-p", "\u2212p"),
    "keywords in another case": RIGHT.replace("premise", "PREMISE").replace("AND", "and"),
}


@pytest.mark.parametrize("answer", FORGIVEN.values(), ids=FORGIVEN.keys())
def test_typography_costs_nothing(answer: str) -> None:
    assert scored(answer).success


MISTAKEN = {
    # lines: (matched, submitted, q)
    "one missing premise": ((A, R, S), 3, 3, 1 / 2),
    "one missing axiom": ((P, R, S), 3, 3, 1 / 2),
    "a missing last rule": ((P, A, R), 3, 3, 1.0),
    "a missing inner rule": ((P, A, S), 3, 3, 0.0),
    "one extra premise": ((*LINES, FOREIGN), 4, 5, 1.0),
    "an extra rule in order": ((*LINES, "[defeasible u: t => z]"), 4, 5, 1.0),
    "an extra rule too early": (("[defeasible u: t => z]", *LINES), 4, 5, 2 / 3),
    "a preference": ((*LINES, "[prefer_rule: r > u]"), 4, 5, 1.0),
    "a repeated premise": ((*LINES, P), 4, 5, 1.0),
    "a repeated rule": ((*LINES, R), 4, 5, 1.0),
    "a rule repeated because it came too early": ((R, *LINES), 4, 5, 2 / 3),
    "a premise three times": ((P, *LINES, P), 4, 6, 1.0),
    "an unreadable line": ((*LINES, "so t holds"), 4, 5, 1.0),
    "the same unreadable line twice": ((*LINES, "so t holds", "so t holds"), 4, 6, 1.0),
    "another name of a rule": ((P, A, R.replace(" r:", " r2:"), S), 3, 4, 1.0),
    "another kind of a rule": ((P, A, "[strict r: -p -> x]", S), 3, 4, 1.0),
    "another sign": (("[premise: p]", A, R, S), 3, 4, 1 / 2),
    "a premise as an axiom": (("[axiom: -p]", A, R, S), 3, 4, 1.0),
    "a rule without an antecedent": ((P, A, R, "[strict s: x -> t]"), 3, 4, 1.0),
    "a rule with one antecedent more": ((P, A, R, "[strict s: x AND a AND -p -> t]"), 3, 4, 1.0),
    "premises alone": ((P, A), 2, 2, 1.0),
    "rules alone": ((R, S), 2, 2, 0.0),
    "foreign premises": ((FOREIGN, "[premise: z]"), 0, 2, 1.0),
    "two directives on a line": ((P + " " + A, R, S), 2, 3, 0.0),
}


@pytest.mark.parametrize(("lines", "matched", "submitted", "order"), MISTAKEN.values(), ids=MISTAKEN.keys())
def test_content_f1_is_multiplied_by_the_share_of_rules_in_order(
    lines: tuple[str, ...], matched: int, submitted: int, order: float
) -> None:
    score = scored(*lines)
    assert score.native == pytest.approx(f1(matched, submitted) * order)
    assert score.native < 1
    assert (score.success, score.answer_found) == (False, True)
    assert score.detail["order"] == pytest.approx(order)
    assert score.detail["submitted"] == submitted


def test_an_antecedent_is_there_whatever_line_stated_it() -> None:
    foreign = ("[premise: -p]", "[defeasible v: -p => x]", "[axiom: a]", S)
    assert rules_out_of_order(map(parse_directive, foreign)) == []


def test_a_rule_out_of_order_still_gives_its_conclusion_to_later_rules() -> None:
    answer = (R, A, S, P)
    assert rules_out_of_order(map(parse_directive, answer)) == [parse_directive(R)]
    assert scored(*answer).native == pytest.approx(1 / 2)


def test_the_negation_of_an_antecedent_does_not_count_as_it() -> None:
    assert rules_out_of_order([parse_directive("[premise: p]"), parse_directive(R)]) == [parse_directive(R)]


@pytest.mark.parametrize("answer", ["", " ", "\n```\n```\n"])
def test_an_answer_without_content_is_not_found(answer: str) -> None:
    assert scored(answer) == Score(0.0, False, False, Reason.EMPTY_ANSWER)


@pytest.mark.parametrize("answer", ["t", "-p => x", "[premise -p]", "premise: -p", "9**9**9", "None", '{"a": 1}'])
def test_an_answer_without_a_readable_line_is_unreadable(answer: str) -> None:
    score = scored(answer)
    assert (score.native, score.success, score.answer_found, score.reason) == (0.0, False, True, Reason.UNREADABLE)


def test_the_detail_sorts_the_lines() -> None:
    detail = scored(R, P, P, FOREIGN, "well").detail
    assert detail["matched"] == [P, R]
    assert detail["missing"] == [A, "[strict s: a AND x -> t]"]
    assert detail["extra"] == [FOREIGN]
    assert detail["repeated"] == [P]
    assert detail["out_of_order"] == [R]
    assert detail["unreadable"] == ["well"]


HOSTILE = {
    "one line": "x" * 1_000_000,
    "brackets": "[" * 1_000_000,
    "premises": "[premise: x]\n" * 50_000,
    "rules": "\n".join(f"[defeasible k{index}: x => t]" for index in range(50_000)),
    "a rule with many antecedents": f"[defeasible k: {'x AND ' * 100_000}y => t]",
    "surrogates": "\ud800junk\n" * 1000,
    "junk lines": "a\n" * 200_000,
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_answers_score_zero_quickly_with_a_small_detail(answer: str) -> None:
    start = time.perf_counter()
    score = scored(answer)
    assert time.perf_counter() - start < 5
    assert (score.native, score.success) == (0.0, False)
    assert len(json.dumps(dict(score.detail), ensure_ascii=False).encode("utf-8")) < 20_000


line = st.sampled_from([*LINES, FOREIGN, "[prefer_rule: r > u]", "[defeasible u: t => z]", "junk", ""])


@given(st.lists(line, max_size=8))
def test_success_is_native_one_and_means_each_directive_once_in_order(lines: list[str]) -> None:
    score = scored(*lines)
    content = [text for text in lines if text]
    right = sorted(content) == sorted(LINES) and not rules_out_of_order(read_chain("\n".join(lines)).directives)
    assert 0.0 <= score.native <= 1.0
    assert score.success == right == (score.native == 1.0) == (score.reason == Reason.CORRECT)


@given(st.text())
def test_any_text_has_a_score(answer: str) -> None:
    assert 0.0 <= scored(answer).native <= 1.0
