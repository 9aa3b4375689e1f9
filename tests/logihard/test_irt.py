"""The 3PL model, its information, the EAP estimate, and item parameters by rule."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arggym_env.envs.stream import Stream
from arggym_env.errors import CoordinateError
from arggym_env.logihard.irt import (
    DISCRIMINATION,
    Estimate,
    Item,
    Prior,
    b_paper,
    b_preset,
    b_standardised,
    calibrate,
    eap,
    guessing,
    information,
    log_likelihood,
    probability,
)
from arggym_env.logihard.tiers import OPERATOR_TIERS, Tier

CATSIM = (
    (0.8, -1.0, 0.25, 0.5, 0.8263935876242632, 0.07940988228244157),
    (1.2, 0.0, 0.25, -1.5, 0.35638829867536587, 0.05232728331042286),
    (1.6, 0.7, 1 / 6, 0.7, 0.5833333333333334, 0.45714285714285724),
    (2.0, 1.5, 0.2, 3.0, 0.9620593014579466, 0.14314000687720435),
    (2.0, 2.0, 0.25, -2.0, 0.25025151259784983, 1.3477080972465568e-06),
    (1.0, 0.0, 0.0, 0.0, 0.5, 0.25),
)
"""a, b, c, theta, and what catsim 0.21 gives for probability and information."""
GRID = [
    (Item("i", "expert", a, b, c), theta)
    for a in (0.8, 1.2, 2.0)
    for b in (-2.0, 0.3, 4.0)
    for c in (0.0, 1 / 6, 0.25)
    for theta in (-3.0, -0.5, 0.0, 1.7, 3.0)
]


@pytest.mark.parametrize(("a", "b", "c", "theta", "chance", "amount"), CATSIM)
def test_probability_and_information_agree_with_catsim(
    a: float, b: float, c: float, theta: float, chance: float, amount: float
) -> None:
    item = Item("i", "easy", a, b, c)
    assert probability(item, theta) == pytest.approx(chance, rel=1e-12)
    assert information(item, theta) == pytest.approx(amount, rel=1e-9)


def test_information_is_the_squared_slope_over_the_variance() -> None:
    step = 1e-5
    for item, theta in GRID:
        slope = (probability(item, theta + step) - probability(item, theta - step)) / (2 * step)
        chance = probability(item, theta)
        assert information(item, theta) == pytest.approx(slope**2 / (chance * (1 - chance)), rel=1e-4, abs=1e-12)


def test_the_papers_information_is_the_2pl_formula_and_too_large_with_guessing() -> None:
    for item, theta in GRID:
        chance = probability(item, theta)
        assert information(item, theta, "paper") == pytest.approx(item.a**2 * chance * (1 - chance))
        if item.c:
            assert information(item, theta, "paper") > information(item, theta)
        else:
            assert information(item, theta, "paper") == pytest.approx(information(item, theta))


def test_probability_rises_from_guessing_to_certainty() -> None:
    item = Item("i", "hard", 1.6, 0.5, 0.25)
    chances = [probability(item, theta) for theta in np.linspace(-60, 60, 301)]
    assert chances == sorted(chances)
    assert chances[0] == pytest.approx(0.25)
    assert chances[-1] == pytest.approx(1.0)
    assert probability(item, 0.5) == pytest.approx((1 + 0.25) / 2)


def test_likelihoods_are_the_logarithms_of_the_probabilities() -> None:
    for item, theta in GRID:
        chance = probability(item, theta)
        assert math.exp(log_likelihood(item, True, np.array([theta]))[0]) == pytest.approx(chance)
        assert math.exp(log_likelihood(item, False, np.array([theta]))[0]) == pytest.approx(1 - chance)


def fine_integral(responses: list[tuple[Item, bool]], prior: Prior) -> Estimate:
    """Return posterior mean and deviation on a grid of 24,001 points, on plain probabilities."""
    theta = np.linspace(-6, 6, 24_001)
    density = np.exp(-(theta**2) / 2) if prior == "normal" else np.ones_like(theta)
    for item, correct in responses:
        chance = item.c + (1 - item.c) / (1 + np.exp(-item.a * (theta - item.b)))
        density = density * (chance if correct else 1 - chance)
    mean = np.trapezoid(theta * density, theta) / np.trapezoid(density, theta)
    variance = np.trapezoid((theta - mean) ** 2 * density, theta) / np.trapezoid(density, theta)
    return Estimate(float(mean), math.sqrt(float(variance)))


@pytest.mark.parametrize("count", [0, 1, 5, 20, 60])
def test_61_nodes_are_as_good_as_a_fine_integral(count: int) -> None:
    for seed in range(10):
        stream = Stream("test_irt", seed, count)
        responses = [
            (
                Item(f"{n}", "easy", stream.choice((0.8, 1.2, 1.6, 2.0)), stream.between(-300, 300) / 100, 0.25),
                stream.chance(0.6),
            )
            for n in range(count)
        ]
        coarse, fine = eap(responses), fine_integral(responses, "normal")
        assert coarse.theta == pytest.approx(fine.theta, abs=1e-5)
        assert coarse.se == pytest.approx(fine.se, abs=1e-5)
        assert eap(responses[::-1]).theta == pytest.approx(coarse.theta, abs=1e-12)


def test_a_uniform_prior_does_not_shrink() -> None:
    responses = [(Item(f"{n}", "expert", 2.0, 1.0, 0.25), n % 8 != 0) for n in range(40)]
    flat, fine = eap(responses, "uniform"), fine_integral(responses, "uniform")
    assert flat.theta == pytest.approx(fine.theta, abs=1e-4)
    assert flat.theta > eap(responses).theta


@pytest.mark.parametrize("b", [-4.0, 0.0, 4.0])
@pytest.mark.parametrize("prior", ["normal", "uniform"])
def test_all_wrong_lowers_and_all_right_raises_theta_whatever_the_items(b: float, prior: Prior) -> None:
    for correct, sign in ((True, 1), (False, -1)):
        thetas = [
            sign * eap([(Item(f"{n}", "expert", 2.0, b, 0.25), correct) for n in range(count)], prior).theta
            for count in range(0, 60, 6)
        ]
        assert all(before < after for before, after in pairwise(thetas))
        assert all(math.isfinite(theta) and abs(theta) <= 6 for theta in thetas)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0.01, 50), st.floats(-100, 100), st.floats(0, 0.99), st.booleans()), max_size=200))
def test_any_responses_have_a_finite_estimate(responses: list[tuple[float, float, float, bool]]) -> None:
    estimate = eap([(Item("i", "easy", a, b, c), correct) for a, b, c, correct in responses])
    assert math.isfinite(estimate.theta)
    assert abs(estimate.theta) <= 6
    assert 0 <= estimate.se <= 6


@pytest.mark.parametrize(("a", "b", "c"), [(0.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (1.0, math.nan, 0.0), (1.0, 0.0, 1.0)])
def test_impossible_parameters_are_refused(a: float, b: float, c: float) -> None:
    with pytest.raises(CoordinateError):
        Item("i", "easy", a, b, c)


def test_the_papers_difficulty_moves_little_over_the_gold_range() -> None:
    expected = (25 - 72) / 54 + 0.1 * (3.5 - 2) + 3.0 - 3.17 + (140 - 100) / 200
    assert b_paper(25.0, 3.5, 1000, 140) == pytest.approx(expected)
    assert b_paper(34.8, 2.0, 1000, 100) - b_paper(12.4, 2.0, 1000, 100) == pytest.approx(0.415, abs=0.001)
    assert b_paper(25.0, 2.0, 0, 100) == b_paper(25.0, 2.0, 1, 100)


def test_the_standardised_difficulty_is_a_clipped_z_value() -> None:
    assert b_standardised(23.2) == 0.0
    assert b_standardised(27.3) == pytest.approx(1.0)
    assert (b_standardised(-500.0), b_standardised(500.0)) == (-4.0, 4.0)


def test_preset_difficulties_rise_with_level_and_tier() -> None:
    kinds: tuple[Literal["base"] | Tier, ...] = ("base", *OPERATOR_TIERS)
    for tier in kinds:
        levels = [b_preset(level, 5, tier) for level in range(1, 6)]
        assert levels == sorted(set(levels))
        assert b_preset(0, 5, tier) == levels[2]
    assert [b_preset(3, 5, tier) for tier in OPERATOR_TIERS] == [0.0, 0.5, 1.0, 1.5]
    assert b_preset(1, 1) == 0.0


def test_discrimination_and_guessing_go_by_tier() -> None:
    assert [DISCRIMINATION[tier] for tier in OPERATOR_TIERS] == [0.8, 1.2, 1.6, 2.0]
    assert [guessing(options) for options in (4, 5, 6)] == [0.25] * 3
    assert [guessing(options, "paper") for options in (4, 5, 6)] == [0.25, 0.2, 1 / 6]
    assert calibrate("i", "expert", options=6) == Item("i", "expert", 2.0, 1.5, 0.25, "preset")
    assert calibrate("i", "base", level=1) == Item("i", "base", 0.8, -1.5, 0.25, "preset")
    assert calibrate("i", "base", gold=31.4) == Item("i", "base", 2.0, b_standardised(31.4), 0.25, "standardised")
    assert calibrate("i", "hard", gold=23.2, options=5, c="paper") == Item("i", "hard", 1.6, 0.0, 0.2, "standardised")
    assert (calibrate("i", "base").subset, calibrate("i", "easy").subset) == ("base", "combinatorial")
