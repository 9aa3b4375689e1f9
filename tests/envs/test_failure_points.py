"""Failure points by definition, on theories made by hand."""

from __future__ import annotations

import pytest

from arggym_env.engine import evaluate
from arggym_env.envs.failure_points import failure_points
from arggym_env.theory import Theory

# t rests on a through s1 and r1.
SUPPORT = "[premise: a]\n[premise: b]\n[premise: c]\n[premise: d]\n[defeasible s1: a => p]\n[defeasible r1: p => t]\n"


def points(text: str, ordering: str = "last-link elitist", target: str = "t") -> list[str]:
    found = {
        engine: failure_points(evaluate(Theory.parse(SUPPORT + text), ordering, engine=engine), target)
        for engine in ("native", "pyarg")
    }
    assert found["native"] == found["pyarg"]
    return [
        " ".join(filter(None, (point.defeated_at, point.defeater, point.kind, point.survives_because)))
        for point in found["native"]
    ]


def test_support_that_nothing_defeats_does_not_fail() -> None:
    assert points("") == []
    assert points("", target="unknown") == []


def test_a_premise_is_undermined_by_a_literal() -> None:
    assert points("[premise: -a]\n[prefer_premise: -a > a]") == ["a -a undermine"]
    assert points("[strict k: b -> -a]") == ["a -a undermine"]


def test_a_rule_is_undercut_by_a_rule() -> None:
    assert points("[defeasible k: b => -s1]") == ["s1 k undercut"]
    assert points("[strict k: b -> -r1]") == ["r1 k undercut"]


def test_a_conclusion_is_rebutted_by_a_rule() -> None:
    assert points("[defeasible k: b => -p]\n[prefer_rule: k > s1]") == ["p k rebut"]
    assert points("[strict k: b -> -t]") == ["t k rebut"]


def test_a_conclusion_rebutted_by_a_premise_is_rebutted_by_its_literal() -> None:
    assert points("[premise: -p]") == ["p -p rebut"]


def test_a_tie_is_a_failure_point_of_an_undecided_target() -> None:
    assert points("[defeasible k: b => -p]") == ["p k rebut"]


def test_an_attack_that_is_too_weak_is_none() -> None:
    assert points("[defeasible k: b => -p]\n[prefer_rule: s1 > k]") == []


def test_the_ordering_decides() -> None:
    text = "[defeasible k: b => -p]\n[prefer_rule: s1 > k]"
    assert points(text, "weakest-link elitist") == ["p k rebut"]
    assert points(text + "\n[prefer_premise: a > b]", "weakest-link elitist") == []


def test_an_attacker_that_is_defeated_is_none() -> None:
    assert points("[defeasible k: b => -s1]\n[defeasible l: c => -k]") == []


def test_an_undecided_attacker_is_one() -> None:
    assert points("[defeasible k: b => -s1]\n[premise: -b]") == ["s1 k undercut"]


def test_every_point_of_every_argument_is_listed_once() -> None:
    text = """
    [defeasible r2: p => q]
    [defeasible r3: q AND c => t]
    [defeasible k: b => -s1]
    [defeasible l: d => -r3]
    """
    assert points(text) == ["r3 l undercut", "s1 k undercut"]


def test_a_point_may_have_two_defeaters() -> None:
    assert points("[defeasible k: b => -s1]\n[defeasible l: c => -s1]") == ["s1 k undercut", "s1 l undercut"]


def test_a_defeated_counterattack_on_the_last_rule_explains_survival() -> None:
    text = "[defeasible k: b => -s1]\n[defeasible l: c => -k]\n[defeasible m: d => -l]"
    assert points(text) == ["s1 k undercut l"]


def test_a_counterattack_may_be_defeated_below_its_last_rule() -> None:
    text = "[defeasible k: b => -s1]\n[defeasible l: c => -k]\n[premise: -c]\n[prefer_premise: -c > c]"
    assert points(text) == ["s1 k undercut l"]


@pytest.mark.parametrize(
    "counterattack",
    [
        "[defeasible l: c => -k]\n[premise: -c]",  # undecided, and so is the target
        "[premise: -b]\n[prefer_premise: b > -b]",  # too weak, and not by a rule
        "[defeasible l: c => -b]\n[defeasible m: d => -l]",  # below the last rule
    ],
)
def test_no_other_attack_on_the_defeater_explains_survival(counterattack: str) -> None:
    assert points(f"[defeasible k: b => -s1]\n{counterattack}") == ["s1 k undercut"]


def test_what_is_rebutted_strikes_back_but_that_is_no_counterattack() -> None:
    text = "[defeasible k: b => -p]\n[prefer_rule: k > s1]"
    theory = Theory.parse(SUPPORT + text)
    state = evaluate(theory, "last-link elitist")
    assert any(str(attack.attacked.conclusion) == "-p" and not attack.succeeds for attack in state.attacks)
    assert points(text) == ["p k rebut"]


def test_a_rebutting_defeater_survives_an_undercut() -> None:
    text = "[defeasible k: b => -p]\n[prefer_rule: k > s1]\n[defeasible l: c => -k]\n[defeasible m: d => -l]"
    assert points(text) == ["p k rebut l"]
