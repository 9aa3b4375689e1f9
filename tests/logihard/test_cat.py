"""Adaptive testing: selection, quotas, stopping, recovery of a known ability, and the picture."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from arggym_env.envs.stream import Stream
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozen.logihard import TIER_ROWS
from arggym_env.logihard.cat import (
    PAPER_QUOTAS,
    AdaptiveTest,
    CatReport,
    CatRule,
    DualTest,
    Examinee,
    Outcome,
    adaptive_test,
    administer,
)
from arggym_env.logihard.cat_picture import draw_trace
from arggym_env.logihard.irt import Item, calibrate, eap, information
from arggym_env.logihard.simulation import Recovery, recover, simulate, simulated_examinee
from tests.logihard.banks import published_bank

FREE = CatRule(quotas=None)


def normal(stream: Stream) -> float:
    """Return a standard normal draw, near enough: twelve uniform ones, centred."""
    return sum(stream.below(1_000_000) for _ in range(12)) / 1_000_000 - 6


def mixed_bank() -> list[Item]:
    """Return items of both subsets with preset parameters."""
    base = [calibrate(f"base-{number:03d}", "base", level=1 + number % 5) for number in range(150)]
    hardened = [
        calibrate(f"{tier}-{number:03d}", tier, level=1 + number % 5)
        for tier, count in TIER_ROWS.items()
        for number in range(count // 2)
    ]
    return base + hardened


BANK = published_bank(1 / 6)
BALANCED = published_bank(0.25)
MIXED = mixed_bank()


# Recovery by simulation


@pytest.mark.parametrize(("theta", "items"), [(-1.5, 20.0), (0.0, 18.0), (1.0, 18.5)])
def test_the_contracts_test_lengths_are_reproduced(theta: float, items: float) -> None:
    assert recover(BANK, theta, 100, rule=FREE).items == pytest.approx(items, abs=2.0)


def test_twelve_items_cannot_reach_the_papers_precision() -> None:
    best = min(
        test.steps[11].se
        for seed in range(40)
        for theta in (-1.0, 0.0, 1.0)
        for test in [administer(AdaptiveTest(BANK, FREE), examinee(theta, seed))]
    )
    assert best == pytest.approx(0.342, abs=0.01)


def examinee(theta: float, seed: int) -> Examinee:
    return simulated_examinee({"base": theta, "combinatorial": theta}, Stream("test_cat", "examinee", seed))


@pytest.mark.parametrize("rule", [FREE, CatRule()], ids=["free", "quotas"])
@pytest.mark.parametrize("theta", [-1.0, 0.0, 1.0])
def test_a_known_ability_is_recovered_with_little_bias_and_honest_errors(theta: float, rule: CatRule) -> None:
    found: Recovery = recover(BALANCED, theta, 150, rule=rule)
    shrinkage = found.se**2 * theta
    assert found.bias == pytest.approx(-shrinkage, abs=4 * found.rmse / math.sqrt(150))
    assert found.rmse == pytest.approx(0.3, abs=0.06)
    assert 0.88 <= found.coverage <= 0.99


def test_intervals_cover_abilities_drawn_from_the_prior() -> None:
    stream = Stream("test_cat", "abilities")
    covered = 0
    for seed in range(300):
        theta = normal(stream)
        test = administer(AdaptiveTest(BALANCED, FREE), examinee(theta, seed))
        covered += abs(test.estimate.theta - theta) <= 1.96 * test.estimate.se
    assert covered / 300 == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 300))


def test_an_adaptive_test_needs_fewer_items_than_a_fixed_one_of_equal_precision() -> None:
    adaptive = recover(BALANCED, 0.0, 40)
    fixed = []
    for seed in range(40):
        order = Stream("test_cat", "fixed", seed).shuffled(BALANCED)
        answer = examinee(0.0, seed)
        responses = [(item, answer(item) == "right") for item in order[:120]]
        fixed.append(next((n for n in range(5, 120) if eap(responses[:n]).se < 0.3), 120))
    assert adaptive.items < 0.85 * sum(fixed) / len(fixed)


# Selection


def test_without_quotas_the_most_informative_open_item_is_asked() -> None:
    test = AdaptiveTest(BANK, FREE)
    answer, asked = examinee(0.7, 1), set[str]()
    while (item := test.next_item()) is not None:
        left = [other for other in BANK if other.id not in asked]
        best = max(information(other, test.estimate.theta) for other in left)
        assert information(item, test.estimate.theta) == pytest.approx(best)
        assert item is test.next_item()
        asked.add(item.id)
        test.record(answer(item))
    assert len(asked) == test.items


def test_the_papers_information_asks_harder_items() -> None:
    paper = CatRule(quotas=None, information="paper")
    first = [AdaptiveTest(BALANCED, rule).next_item() for rule in (FREE, paper)]
    assert first[0] is not None
    assert first[1] is not None
    assert first[1].b > first[0].b
    assert recover(BALANCED, -1.5, 20, rule=paper).items > recover(BALANCED, -1.5, 20, rule=FREE).items + 3


def test_quotas_keep_the_composition_and_without_them_expert_items_win() -> None:
    for rule, quota in ((CatRule(target_se=0.0), True), (CatRule(target_se=0.0, quotas=None), False)):
        test = administer(AdaptiveTest(BALANCED, rule), examinee(0.0, 3))
        counts = Counter(step.tier for step in test.steps)
        if quota:
            assert all(counts[tier] == pytest.approx(60 * share, abs=1) for tier, share in PAPER_QUOTAS.items())
        else:
            assert counts["expert"] > 20


def test_a_tier_that_runs_out_leaves_its_share_to_the_others() -> None:
    few = [item for item in BALANCED if item.tier == "easy"][:2] + [item for item in BALANCED if item.tier == "hard"][
        :9
    ]
    test = administer(AdaptiveTest(few, CatRule(target_se=0.0)), examinee(0.0, 3))
    assert Counter(step.tier for step in test.steps) == {"easy": 2, "hard": 9}
    assert test.stop == "bank_exhausted"


def test_the_order_of_the_bank_means_nothing() -> None:
    for seed in range(3):
        backwards = simulate(MIXED[::-1], 0.5, -0.5, seed)
        assert backwards == simulate(MIXED, 0.5, -0.5, seed)


# Stopping and outcomes


def test_a_test_stops_at_the_target_or_after_the_most_items() -> None:
    reached = administer(AdaptiveTest(BALANCED), examinee(0.0, 1))
    assert reached.stop == "target_se"
    assert reached.steps[-1].se < 0.3 <= reached.steps[-2].se
    base = administer(AdaptiveTest([item for item in MIXED if item.tier == "base"]), examinee(0.0, 1))
    assert (base.stop, base.items) == ("max_items", 60)
    assert AdaptiveTest([]).stop == "bank_exhausted"
    assert AdaptiveTest([]).next_item() is None


@pytest.mark.parametrize(("outcome", "sign"), [("wrong", -1), ("unparsable", -1), ("right", 1)])
@pytest.mark.parametrize("b", [-3.0, 3.0])
def test_uniform_outcomes_drive_theta_one_way_and_stay_finite(outcome: Outcome, sign: int, b: float) -> None:
    bank = [Item(f"{number:02d}", "expert", 2.0, b, 0.25) for number in range(60)]
    test = administer(AdaptiveTest(bank, CatRule(target_se=0.0)), lambda item: outcome)
    thetas = [0.0, *(sign * step.theta for step in test.steps)]
    assert all(before < after for before, after in pairwise(thetas))
    assert thetas[-1] <= 6


def test_an_error_is_not_administered_and_an_unparsable_answer_is_wrong() -> None:
    def outcomes(kinds: str) -> DualTest:
        dual = DualTest(MIXED)
        for kind in kinds:
            turn = dual.turn()
            assert turn is not None
            turn[0].record({"r": "right", "u": "unparsable", "w": "wrong", "e": "error"}[kind])  # type: ignore[arg-type]
        return dual

    report = outcomes("reue").report()
    assert (report.base.items, report.base.right, report.base.unparsable, report.base.errors) == (2, 1, 1, 0)
    assert (report.combinatorial.items, report.combinatorial.errors) == (0, 2)
    assert report.combinatorial.theta == pytest.approx(0.0)
    assert report.combinatorial.se == pytest.approx(1.0, abs=1e-6)
    assert len({step.item for step in report.combinatorial.steps}) == 2
    assert outcomes("rrww").report().base.theta == outcomes("rruu").report().base.theta


def test_recording_needs_a_pending_item_and_ids_must_differ() -> None:
    with pytest.raises(CoordinateError):
        AdaptiveTest(BANK).record("right")
    with pytest.raises(CoordinateError):
        AdaptiveTest([BANK[0], BANK[0]])


# Both subsets


def test_delta_theta_is_the_atomic_lead_with_its_error() -> None:
    report = simulate(MIXED, 1.0, -0.5, 4)
    assert report.delta_theta == report.base.theta - report.combinatorial.theta
    assert report.delta_se == pytest.approx(math.hypot(report.base.se, report.combinatorial.se))
    assert abs(report.delta_theta - 1.5) < 3 * report.delta_se
    deltas = [simulate(MIXED, 1.0, -0.5, seed).delta_theta for seed in range(20)]
    assert sum(deltas) / 20 == pytest.approx(1.5, abs=0.4)


def test_the_subsets_take_turns_and_do_not_mix() -> None:
    asked: list[str] = []
    adaptive_test(MIXED, lambda item: (asked.append(item.subset), "right")[1])  # type: ignore[func-returns-value]
    assert asked[:6] == ["base", "combinatorial"] * 3


def test_a_report_survives_json_and_an_interrupted_test_resumes() -> None:
    report = simulate(MIXED, 0.4, -0.4, 2)
    assert CatReport.from_json(report.to_json()) == report
    dual = DualTest(MIXED)
    dual.resume(report)
    assert dual.report() == report


def test_a_trace_with_an_item_removed_or_from_another_bank_is_refused() -> None:
    report = simulate(MIXED, 0.4, -0.4, 2)
    steps = report.base.steps
    gap = replace(report, base=replace(report.base, steps=steps[:5] + steps[6:]))
    with pytest.raises(InstanceError, match="step 6"):
        DualTest(MIXED).resume(gap)
    missing = [item for item in MIXED if item.id != steps[3].item]
    with pytest.raises(InstanceError, match="step 4"):
        DualTest(missing).resume(report)
    moved = [replace(item, b=item.b + 0.1) for item in MIXED]
    with pytest.raises(InstanceError):
        DualTest(moved).resume(report)
    last = replace(steps[-1], outcome="wrong" if steps[-1].outcome == "right" else "right")
    edited = replace(report, base=replace(report.base, steps=(*steps[:-1], last)))
    with pytest.raises(InstanceError, match="theta"):
        DualTest(MIXED).resume(edited)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null"])
def test_a_text_that_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(InstanceError):
        CatReport.from_json(text)
    row = json.loads(simulate(MIXED, 0.0, 0.0, 0).to_json())
    row["base"]["stop"] = "bored"
    with pytest.raises(InstanceError):
        CatReport.from_json(json.dumps(row))


# The picture


def test_the_picture_is_well_formed_and_shows_every_step() -> None:
    report = simulate(MIXED, 1.0, -0.5, 3)
    root = ET.fromstring(draw_trace(report))
    circles = root.findall("{http://www.w3.org/2000/svg}circle")
    open_ones = [circle for circle in circles if circle.get("fill") == "#fff"]
    assert len(circles) == report.base.items + report.combinatorial.items + 2
    wrong = report.base.items - report.base.right + report.combinatorial.items - report.combinatorial.right
    assert len(open_ones) == wrong + 1
    for circle in circles:
        assert 0 < float(circle.get("cx", "nan")) < 900
        assert 0 < float(circle.get("cy", "nan")) < 420
    assert "href" not in draw_trace(report)


def test_a_test_without_steps_has_a_picture_too() -> None:
    ET.fromstring(draw_trace(DualTest(MIXED).report()))
