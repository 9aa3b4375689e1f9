"""Statistics against values worked out elsewhere: by hand, by exact enumeration, or by simulation."""

from __future__ import annotations

import random
from itertools import combinations
from math import sqrt
from statistics import fmean

import pytest

from arggym_env.evaluation.statistics import (
    compare,
    estimate,
    mean_pass_at_k,
    pass_at_k,
    sign_test,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe 1998, table I (score method).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes / n, n) == pytest.approx((low, high), abs=6e-5)


def test_one_answer_an_item_is_wilsons_own_interval() -> None:
    found = estimate((str(i), float(i < 81)) for i in range(263))
    assert found is not None
    assert (found.value, found.n, found.items) == (81 / 263, 263, 263)
    assert (found.low, found.high) == pytest.approx(wilson(81 / 263, 263))


def test_samples_that_always_agree_count_once() -> None:
    once = estimate((str(i), float(i < 3)) for i in range(10))
    often = estimate((str(i), float(i < 3)) for i in range(10) for _ in range(8))
    assert once is not None
    assert often is not None
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert (often.n, often.items) == (80, 10)


def test_all_right_or_all_wrong_is_never_a_point() -> None:
    for value in (0.0, 1.0):
        found = estimate((str(i // 4), value) for i in range(32))
        assert found is not None
        assert found.high - found.low > 0.2
        assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert estimate([]) is None


def test_clustered_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    draw = random.Random(7)
    covered, rounds = 0, 600
    for _ in range(rounds):
        values = []
        for item in range(60):
            p = draw.betavariate(0.8, 1.2)  # items differ much, so plain intervals over 240 answers would be too short
            values += [(str(item), float(draw.random() < p)) for _ in range(4)]
        found = estimate(values)
        assert found is not None
        covered += found.low <= 0.4 <= found.high
    assert 0.92 <= covered / rounds <= 0.98


def brute_pass_at_k(n: int, correct: int, k: int) -> float:
    """The share of choices of k samples that hold a correct one."""
    return fmean(any(i < correct for i in chosen) for chosen in combinations(range(n), k))


def test_pass_at_k_is_the_share_of_choices_with_a_correct_sample() -> None:
    for n in range(1, 8):
        for correct in range(n + 1):
            for k in range(1, n + 1):
                assert pass_at_k(n, correct, k) == pytest.approx(brute_pass_at_k(n, correct, k))


def test_pass_at_k_does_not_exist_with_fewer_samples() -> None:
    assert pass_at_k(2, 0, 5) is None
    assert pass_at_k(4, 1, 1) == 0.25
    assert pass_at_k(4, 4, 2) == 1.0
    assert pass_at_k(0, 0, 1) is None


def test_mean_pass_at_k_is_over_items_and_says_what_it_left_out() -> None:
    found = mean_pass_at_k({"a": (4, 1), "b": (4, 4), "c": (1, 1)}, 2)
    assert found.value is not None
    assert found.value.value == pytest.approx((0.5 + 1.0) / 2)
    assert found.omitted == 1
    assert mean_pass_at_k({"c": (1, 1)}, 2).value is None


def test_the_exact_mcnemar_test_gives_worked_values() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 5) == 1.0
    assert sign_test(0, 5) == pytest.approx(2 / 32)
    assert sign_test(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert sign_test(8, 2) == sign_test(2, 8)
    assert 0.0 < sign_test(600, 840) < 1e-9


def test_two_runs_are_compared_on_the_items_that_both_answered() -> None:
    first = {str(i): [i < 5] for i in range(20)} | {"only here": [True]}
    second = {str(i): [i < 12] for i in range(20)}
    found = compare(first, second)
    assert found is not None
    assert (found.items, found.first, found.second) == (20, 0.25, 0.6)
    assert (found.only_first, found.only_second) == (0, 7)
    assert found.difference == pytest.approx(0.35)
    gained, lost = (7 + 1) / 22, (0 + 1) / 22  # Bonett and Price: one discordant pair more of each kind
    error = sqrt((gained + lost - (gained - lost) ** 2) / 22)
    assert (found.low, found.high) == pytest.approx(
        (gained - lost - 1.96 * error, gained - lost + 1.96 * error), abs=1e-4
    )
    assert found.p == pytest.approx(2 / 128)
    assert compare(first, {}) is None
    assert compare({"a": []}, {"a": [True]}) is None


@pytest.mark.parametrize("gained", [True, False])
def test_the_interval_of_a_difference_never_degenerates_to_a_point(gained: bool) -> None:
    for count in (1, 3, 30):
        found = compare({str(i): [True] for i in range(count)}, {str(i): [gained] for i in range(count)})
        assert found is not None
        assert -1 <= found.low <= found.difference <= found.high <= 1
        assert found.high - found.low > 1 / count**0.75


def test_several_samples_are_compared_item_by_item() -> None:
    found = compare({"a": [True, False], "b": [False, False]}, {"a": [True, True], "b": [True, False]})
    assert found is not None
    assert (found.first, found.second, found.only_second, found.p) == (0.25, 0.75, 2, 0.5)
