"""The Gold Score: markers, the nine metrics one by one, the penalty, and the scale."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.logihard.gold_markers import MARKERS, find_markers
from arggym_env.logihard.gold_reference import TRACES, measure_reference, reference_trace
from arggym_env.logihard.gold_score import (
    METRICS,
    SHIPPED_REFERENCE,
    GoldReference,
    contradictions,
    count_tokens,
    gold_score,
    gold_tier,
    trace_metrics,
)


def metric(name: str, trace: str) -> float:
    return trace_metrics(trace)[METRICS.index(name)]


def classes(trace: str) -> list[set[str]]:
    return [set(found) for found in find_markers(trace)]


def test_the_longest_marker_wins_in_both_languages() -> None:
    assert classes("不可能") == [{"elimination", "impossible"}]
    assert classes("可能") == [{"possible"}]
    assert classes("不太可能") == [{"doubtful"}]
    assert classes("not possible") == [{"impossible"}]
    assert classes("it is possible") == [{"possible"}]
    assert classes("most likely") == [{"probable"}]
    assert classes("unlikely") == [{"doubtful"}]
    assert classes("if and only if") == [{"connective"}]


def test_english_markers_are_words_and_case_means_nothing() -> None:
    assert classes("However") == classes("HOWEVER") == [{"reversal", "antithesis"}]
    assert classes("awaiting orchids mustard sofa") == []
    assert classes("can\u2019t") == classes("can't")


@pytest.mark.parametrize("name", MARKERS)
def test_every_class_has_markers_of_both_languages_and_finds_them(name: str) -> None:
    markers = MARKERS[name]  # type: ignore[index]
    assert any(marker.isascii() for marker in markers)
    assert any(not marker.isascii() for marker in markers)
    for marker in markers:
        assert marker == marker.lower().strip()
        assert any(name in found for found in find_markers(marker)), marker
    assert len(set(markers)) == len(markers)


@pytest.mark.parametrize(
    ("name", "trace", "value"),
    [
        ("oscillation", "B holds. Wait, no. However, C.", 2),
        ("oscillation", "等等。不对。", 2),
        ("logic_density", "p and q or r", 40),
        ("logic_density", "如果甲那么乙", 100 * 2 / 6),
        ("abductive_depth", "Suppose p. That is a contradiction. Assume q; ruled out. Suppose r.", 2),
        ("abductive_depth", "It is ruled out. Suppose p.", 0),
        ("abductive_depth", "假设甲。矛盾。", 1),
        ("dialectic_tension", "It seems p. But q. Overall r.", 1),
        ("dialectic_tension", "Overall r. But q. It seems p.", 0),
        ("dialectic_tension", "一方面甲。另一方面乙。综上丙。", 1),
        ("dimensional_awareness", "Given p. Given q. This means r. We are told s.", 2),
        ("dimensional_awareness", "已知甲。可知乙。", 1),
        ("inference_chain", "Therefore p, so q. Hence r.", 3),
        ("inference_chain", "因此甲。所以乙。", 2),
        ("uncertainty_entropy", "It must be p. It must be q.", 0),
        ("uncertainty_entropy", "It must be p. Maybe q.", 1),
        ("uncertainty_entropy", "must, probably, maybe, unlikely, never", math.log2(5)),
        ("uncertainty_entropy", "一定。可能", 1),
        ("pivots", "Let me reconsider. Start over.", 2),
        ("pivots", "重新来。换个思路。", 2),
        ("abstraction", "In general p. For example q.", 0.5),
        ("abstraction", "一般来说", 1),
    ],
)
def test_a_metric_counts_what_it_says(name: str, trace: str, value: float) -> None:
    assert metric(name, trace) == pytest.approx(value)


def test_an_empty_trace_has_metrics_and_a_low_score() -> None:
    assert trace_metrics("") == (0.0,) * 9
    score = gold_score("", None)
    assert (score.tokens, score.log_length, score.contradictions, score.gold_tier) == (0, 0.0, 0, "easy")


def test_tokens_are_words_and_chinese_characters() -> None:
    assert count_tokens("two words") == 2
    assert count_tokens("三个字") == 3
    assert count_tokens("A是B") == 3


@pytest.mark.parametrize(
    ("trace", "letters", "count"),
    [
        ("Option A is correct. Option B is wrong.", "A", 0),
        ("Option A is correct. Option B is wrong.", "B", 2),
        ("Option A is correct. Option A is not correct.", "B", 0),
        ("Claim C is incorrect.", "C", 1),
        ("选项A正确。选项B是错误", "B", 2),
        ("选项A不正确", "A", 1),
        ("Nothing is said.", "A", 0),
    ],
)
def test_contradictions_are_last_verdicts_against_the_answer(trace: str, letters: str, count: int) -> None:
    assert contradictions(trace, frozenset(letters)) == count
    assert contradictions(trace, None) == 0


def test_a_contradiction_costs_a_ninth_of_the_composite() -> None:
    trace = "Option A is correct. Option B is wrong."
    agreed, against = (gold_score(trace, frozenset(letters)) for letters in ("A", "B"))
    assert agreed.score - against.score == pytest.approx(4.1 * 2 / 9 / SHIPPED_REFERENCE.composite_sd)


def test_the_shipped_reference_is_the_generated_corpus_measured() -> None:
    measured = measure_reference()
    assert measured.name == SHIPPED_REFERENCE.name
    assert measured.means == pytest.approx(SHIPPED_REFERENCE.means, rel=1e-4)
    assert measured.sds == pytest.approx(SHIPPED_REFERENCE.sds, rel=1e-4)
    assert measured.composite_mean == pytest.approx(0, abs=1e-9)
    assert measured.composite_sd == pytest.approx(SHIPPED_REFERENCE.composite_sd, rel=1e-4)


def test_scores_have_the_published_mean_and_spread_on_the_reference() -> None:
    found = [gold_score(reference_trace(index)) for index in range(0, TRACES, 2)]
    mean = sum(score.score for score in found) / len(found)
    assert mean == pytest.approx(23.2, abs=1.0)
    assert math.sqrt(sum((score.score - mean) ** 2 for score in found) / len(found)) == pytest.approx(4.1, abs=0.6)
    assert {score.gold_tier for score in found} == {"easy", "medium", "hard", "expert"}


@pytest.mark.parametrize(
    ("score", "tier"),
    [(-5, "easy"), (19.99, "easy"), (20, "medium"), (24.99, "medium"), (25, "hard"), (29.99, "hard"), (30, "expert")],
)
def test_the_cuts_are_the_papers(score: float, tier: str) -> None:
    assert gold_tier(score) == tier


def test_a_reference_needs_traces_and_a_metric_that_does_not_vary_counts_for_nothing() -> None:
    with pytest.raises(ValueError):
        GoldReference.measure("one", [("so", None)])
    flat = GoldReference.measure("flat", [("so p", None)] * 3)
    assert gold_score("Wait, maybe.", None, flat).score == 23.2


@given(st.text())
def test_any_text_has_a_finite_score(text: str) -> None:
    assert math.isfinite(gold_score(text, frozenset("A")).score)


def test_scoring_a_long_trace_is_quick() -> None:
    trace = " ".join(reference_trace(index) for index in range(60))
    start = time.process_time()
    gold_score(trace)
    assert time.process_time() - start < 20 * len(trace) / 1_000_000 + 1
