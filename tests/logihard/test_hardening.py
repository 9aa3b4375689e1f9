"""Hardening: the claims mean what they say, and nothing but the question tells the key."""

from __future__ import annotations

import json
import math
import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.instances import score_item
from arggym_env.logihard import claims
from arggym_env.logihard.atomic import AtomicMCQ
from arggym_env.logihard.base import ask
from arggym_env.logihard.blind import SOLVERS, bayes_table, bayes_value, distribution, exact_value, truth
from arggym_env.logihard.formulas import ARITY, KEYS, STATEMENTS, Formula, Operator, formulas, true_indices
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.samplers import SAMPLERS, Sampler, balanced_sets
from arggym_env.logihard.tiers import OPERATOR_TIERS, TIER_RULES, Tier
from arggym_env.logihard.wording import CHINESE, ENGLISH
from tests.logihard.blind import atomic

ITEMS = 2000
EVERYTHING: tuple[Operator, ...] = ("EXACT", "OR", "NOT", "NOT_AND_NOT", "NONE")
PAPER_LEAK: dict[Tier, float] = {"easy": 0.3125, "medium": 0.3902, "hard": 0.4490, "expert": 0.7333}
"""How often the options alone give Algorithm 1's answer away; 0.31, 0.38, 0.46 and 0.72 when it was first measured."""


def sampled(tier: Tier, sampler: Sampler = "balanced", count: int = ITEMS) -> list[CombinatorialItem]:
    return [harden(atomic(seed), tier, seed, sampler) for seed in range(count)]


@pytest.fixture(scope="module")
def items() -> dict[Tier, list[CombinatorialItem]]:
    return {tier: sampled(tier) for tier in OPERATOR_TIERS}


# Attacks: the solvers of arggym_env/logihard/blind.py


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_no_solver_that_ignores_the_question_is_right_on_more_than_a_quarter(tier: Tier) -> None:
    assert bayes_value(tier, "balanced") == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
@pytest.mark.parametrize("name", SOLVERS)
def test_question_blind_solvers_are_held_to_a_quarter(name: str, tier: Tier) -> None:
    value = exact_value(SOLVERS[name], tier, "balanced")
    assert value <= 0.25 + 1e-12
    if name.startswith("consistent"):
        assert value == pytest.approx(0.25)
    if name == "all letters":
        assert value == 0


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_drawn_items_behave_as_the_exact_values_say(items: dict[Tier, list[CombinatorialItem]], tier: Tier) -> None:
    table = bayes_table(tier, "balanced")
    right = Counter[str]()
    for item in items[tier]:
        gold = truth(item.formulas, item.key)
        right["bayes"] += table[frozenset(item.formulas)][0] == gold
        for name, solver in SOLVERS.items():
            right[name] += solver(item.formulas) == gold
    margin = 4 * math.sqrt(0.25 * 0.75 / ITEMS)
    for name, count in right.items():
        assert count / ITEMS <= 0.25 + margin, name
        if name == "bayes" or name.startswith("consistent"):
            assert count / ITEMS == pytest.approx(0.25, abs=margin), name


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_the_papers_sampler_leaks_the_key(tier: Tier) -> None:
    assert bayes_value(tier, "paper") == pytest.approx(PAPER_LEAK[tier], abs=5e-5)
    assert bayes_value(tier, "paper") > bayes_value(tier, "balanced") + 0.06


@pytest.mark.parametrize("tier", ["medium", "hard"])
def test_drawn_paper_items_leak_as_much_as_the_distribution_says(tier: Tier) -> None:
    table = bayes_table(tier, "paper")
    right = 0
    for item in sampled(tier, "paper", 1500):
        right += table[frozenset(item.formulas)][0] == truth(item.formulas, item.key)
    assert right / 1500 == pytest.approx(PAPER_LEAK[tier], abs=4 * math.sqrt(0.25 / 1500))


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_the_prompt_is_the_same_whichever_option_is_right(tier: Tier) -> None:
    for seed in range(40):
        made = [harden(atomic(7, answer), tier, seed) for answer in KEYS]
        assert len({item.prompt for item in made}) == 1
        assert len({item.reference for item in made}) == len(KEYS)


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_every_statement_is_the_key_equally_often(items: dict[Tier, list[CombinatorialItem]], tier: Tier) -> None:
    counts = Counter(item.key for item in items[tier])
    for key in KEYS:
        assert counts[key] / ITEMS == pytest.approx(0.25, abs=4 * math.sqrt(0.25 * 0.75 / ITEMS))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_every_letter_is_right_equally_often(tier: Tier, sampler: Sampler) -> None:
    drawn = sampled(tier, sampler, 800)
    counts = Counter(letter for item in drawn for letter in item.correct)
    options = TIER_RULES[tier].options
    for letter in "ABCDEF"[:options]:
        assert counts[letter] / 800 == pytest.approx(counts.total() / 800 / options, abs=4.5 * math.sqrt(0.25 / 800))


# What each tier shows


def test_the_pools_have_the_sizes_of_the_contract() -> None:
    assert [len(balanced_sets(tier)) for tier in OPERATOR_TIERS] == [1, 121, 270, 1776]


def test_false_compound_negations_belong_to_the_pool() -> None:
    negation = Formula("NOT_AND_NOT", (0, 1))
    assert any(negation in drawn for drawn in balanced_sets("expert"))
    assert [negation.holds(key) for key in KEYS] == [False, False, True, True]


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_an_operators_truth_rate_is_the_same_for_every_key(tier: Tier) -> None:
    """Independence fixes the rates at 1/4, 1/2 and 3/4; picking an operator is no shortcut, as the attacks show."""
    shown, held = Counter[tuple[Operator, int]](), Counter[tuple[Operator, int]]()
    for key, drawn, _ in distribution(tier, "balanced"):
        for formula in drawn:
            shown[formula.operator, key] += 1
            held[formula.operator, key] += formula.holds(key)
    rates: dict[Operator, float] = {"EXACT": 0.25, "OR": 0.5, "NOT": 0.75, "NOT_AND_NOT": 0.5, "NONE": 0.0}
    for operator in {operator for operator, _ in shown}:
        assert [held[operator, key] / shown[operator, key] for key in KEYS] == pytest.approx([rates[operator]] * 4)


def test_the_papers_sampler_makes_every_compound_negation_true() -> None:
    seen = [(key, formula) for key, drawn, _ in distribution("expert", "paper") for formula in drawn]
    assert all(formula.holds(key) for key, formula in seen if formula.operator == "NOT_AND_NOT")


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_items_keep_the_rule_of_their_tier(items: dict[Tier, list[CombinatorialItem]], tier: Tier) -> None:
    expected: dict[Tier, tuple[int, set[int]]] = {
        "easy": (4, {1}),
        "medium": (5, {1, 2}),
        "hard": (5, {2, 3}),
        "expert": (6, {2, 3, 4}),
    }
    options, correct = expected[tier]
    for item in items[tier]:
        assert len(item.claims) == options
        assert len({formula.mask for formula in item.formulas}) == options, "two claims are equivalent"
        assert sum(formula.operator == "NONE" for formula in item.formulas) <= 1
        shown = {formula.operator for formula in item.formulas}
        held = {item.formulas[index].operator for index in true_indices(item.formulas, item.key)}
        assert tier == "easy" or "OR" in shown
        assert tier != "hard" or "NOT" in held
        assert tier != "expert" or ({"OR", "NOT", "NOT_AND_NOT"} <= shown and "OR" in held and held > {"OR"})
    assert {len(item.correct) for item in items[tier]} == correct


def test_the_easy_tier_is_the_atomic_question_relabelled(items: dict[Tier, list[CombinatorialItem]]) -> None:
    for item in items["easy"]:
        (letter,) = item.correct
        assert item.formulas["ABCD".index(letter)] == Formula("EXACT", (item.key,))
        assert item.statements[item.key] == item.atomic.options[item.atomic.answer]


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_the_number_of_true_claims_is_that_of_the_tier(tier: Tier, sampler: Sampler) -> None:
    low, high = TIER_RULES[tier].correct
    for item in sampled(tier, sampler, 200):
        assert low <= len(item.correct) <= high
        assert len(set(item.formulas)) == len(item.formulas)


# Wording


def by_keyword(claim: str) -> set[int]:
    """Return the keys under which ``claim`` holds, read by its keywords alone, independently of the phrasings."""
    numerals = [STATEMENTS.index(word) for word in re.findall(r"\b(?:IV|III|II|I)\b", claim)]
    lowered = claim.lower()
    if lowered.startswith(("none", "not one")) or len(numerals) == 4:
        return set()
    if "only" in lowered or "no other" in lowered or "alone" in lowered or "other three" in lowered:
        return set(numerals)
    if "neither" in lowered or "not" in lowered:
        return set(KEYS) - set(numerals)
    return set(numerals)


def test_every_operator_has_three_phrasings_and_one_reading() -> None:
    for formula in formulas(EVERYTHING):
        phrasings = ENGLISH.phrasings[formula.operator]
        assert len(phrasings) == len(set(phrasings)) >= 3
        for phrasing in phrasings:
            text = phrasing.format(*(STATEMENTS[index] for index in formula.statements))
            assert claims.read(text) == formula
            assert by_keyword(text) == {key for key in KEYS if formula.holds(key)}, text


@pytest.mark.parametrize("text", ["", "I", "Only V.", "Only I. ", "I or I.", "Not I or II.", "Only I.\n", "only I."])
def test_a_text_that_is_no_claim_is_refused(text: str) -> None:
    with pytest.raises(InstanceError):
        claims.read(text)


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_claims_in_the_prompt_read_independently_give_the_reference(
    items: dict[Tier, list[CombinatorialItem]], tier: Tier
) -> None:
    for item in items[tier][:500]:
        statements = re.findall(r"^(IV|III|II|I)\. (.+)$", item.prompt, re.MULTILINE)
        offered = re.findall(r"^([A-F])\. (.+)$", item.prompt, re.MULTILINE)
        key = [text for _, text in statements].index(item.atomic.options[item.atomic.answer])
        assert [letter for letter, text in offered if key in by_keyword(text)] == list(item.correct)


def test_phrasings_and_orders_are_all_used_and_independent_of_truth(
    items: dict[Tier, list[CombinatorialItem]],
) -> None:
    counts: dict[str, list[int]] = {}
    for item in items["expert"]:
        for claim, formula in zip(item.claims, item.formulas, strict=True):
            shape = re.sub(r"\b(?:IV|III|II|I)\b", "#", claim)
            counts.setdefault(f"{formula.operator} {shape}", [0, 0])[formula.holds(item.key)] += 1
    assert len(counts) == sum(len(phrasings) for phrasings in ENGLISH.phrasings.values())
    for operator in EVERYTHING:
        cells = [cell for name, cell in counts.items() if name.startswith(f"{operator} ")]
        rate = sum(cell[1] for cell in cells) / sum(map(sum, cells))
        for cell in cells:
            assert cell[1] / sum(cell) == pytest.approx(rate, abs=4.5 * math.sqrt(0.25 / sum(cell)))
    pairs = [re.findall(r"\b(?:IV|III|II|I)\b", claim) for item in items["expert"] for claim in item.claims]
    for pair in combinations(STATEMENTS, 2):
        forward, backward = pairs.count([*pair]), pairs.count([*pair[::-1]])
        assert forward / (forward + backward) == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / (forward + backward)))


def test_the_prompt_says_how_to_read_a_claim_and_how_to_answer() -> None:
    item = harden(atomic(), "expert", 0)
    for promise in (
        "Exactly one of the four statements is the correct answer",
        "it does not say that II is false",
        "not entailed is not thereby false",
        "last line",
        "capital letters separated by commas",
        item.atomic.context,
        item.atomic.question,
    ):
        assert promise in item.prompt
    assert all(statement in item.prompt for statement in item.statements)
    assert item.reference not in item.prompt.replace("B, D", "")
    assert harden(replace(atomic(), context=""), "easy", 0).prompt.startswith("Question: ")


# Items as data


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_an_item_survives_json_and_pickle(tier: Tier, sampler: Sampler) -> None:
    item = harden(atomic(3), tier, 5, sampler, "eval")
    assert CombinatorialItem.from_json(item.to_json()) == item
    assert pickle.loads(pickle.dumps(item)) == item


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reference", "A"),
        ("reference", "A, B, C, D, E, F"),
        ("order", [0, 1, 2, 2]),
        ("order", [3, 2, 1]),
        ("claims", ["Only I."] * 6),
        ("claims", []),
        ("tier", "hard"),
        ("sampler", "uniform"),
        ("seed", "0"),
        ("id", "other"),
        ("formulas", [{"operator": "OR", "statements": [0]}] * 6),
        ("formulas", [{"operator": "AND", "statements": [0, 1]}] * 6),
        ("versions", {"generator": 1, "prompt": 99, "scoring": 1}),
        ("atomic", None),
        ("prompt", "Which?"),
    ],
)
def test_a_row_that_does_not_fit_itself_is_refused(field: str, value: object) -> None:
    row = json.loads(harden(atomic(), "expert", 0).to_json())
    assert row[field] != value
    row[field] = value
    with pytest.raises(InstanceError):
        CombinatorialItem.from_json(json.dumps(row))


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "{" * 100_000])
def test_a_text_that_is_no_row_is_refused(text: str) -> None:
    with pytest.raises(InstanceError):
        CombinatorialItem.from_json(text)


def test_a_claim_that_says_something_else_than_its_formula_is_refused() -> None:
    item = harden(atomic(), "expert", 0)
    swapped = (item.claims[1], item.claims[0], *item.claims[2:])
    with pytest.raises(InstanceError, match="does not say"):
        replace(item, claims=swapped)


def test_a_row_with_too_many_claims_is_refused() -> None:
    row = json.loads(harden(atomic(), "expert", 0, "paper").to_json())
    for field in ("claims", "formulas"):
        row[field] *= 2
    with pytest.raises(InstanceError, match="12 claims"):
        CombinatorialItem.from_json(json.dumps(row))


def test_hardening_is_a_pure_function_of_its_coordinates() -> None:
    code = (
        "from tests.logihard.blind import atomic\n"
        "from arggym_env.logihard.hardening import harden\n"
        "import hashlib\n"
        "text = ''.join(harden(atomic(s), t, s, p).to_json() for s in range(5) "
        "for t in ('easy', 'medium', 'hard', 'expert') for p in ('balanced', 'paper'))\n"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    root = Path(__file__).parents[2]
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_splits_seeds_samplers_and_questions_give_different_items() -> None:
    made = [
        harden(atomic(number, 0), "expert", seed, sampler, split).prompt
        for number in range(3)
        for seed in range(5)
        for sampler in SAMPLERS
        for split in ("train", "eval", "frozen")
    ]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize(
    ("tier", "seed", "sampler", "split"),
    [
        ("extreme", 0, "balanced", "train"),
        ("easy", -1, "balanced", "train"),
        ("easy", 0, "fair", "train"),
        ("easy", 0, "balanced", "test"),
    ],
)
def test_unknown_coordinates_are_refused(tier: str, seed: int, sampler: str, split: str) -> None:
    with pytest.raises(CoordinateError):
        harden(atomic(), tier, seed, sampler, split)


def test_a_formula_takes_as_many_statements_as_its_operator() -> None:
    for operator, arity in ARITY.items():
        for named in ((), (0,), (0, 1), (1, 0), (0, 0), (4,), (-1,), (0, 1, 2)):
            if named not in ((), (0,), (0, 1)) or len(named) != arity:
                with pytest.raises(InstanceError):
                    Formula(operator, named)
    assert str(Formula("OR", (0, 3))) == "OR(I, IV)"


def chinese(number: int = 0) -> AtomicMCQ:
    """Return a question in Chinese whose text says nothing."""
    options = ("甲成立。", "乙成立。", "丙成立。", "丁成立。")
    return AtomicMCQ(
        f"zh/{number}", "plain", "zh", "有些事是已知的。", "哪一项必定成立?", options, number % 4, "none", 0
    )


def by_chinese_keyword(claim: str) -> set[int]:
    """Return the keys under which a claim in Chinese holds, read by its words alone."""
    numerals = [STATEMENTS.index(numeral) for numeral in re.findall("IV|III|II|I", claim)]
    if "四个" in claim:
        return set()
    if re.search("只有|唯有|而不是|其他三个", claim):
        return set(numerals)
    return set(KEYS) - set(numerals) if re.search("非|不是", claim) else set(numerals)


def test_the_phrasings_of_both_languages_are_as_many_and_each_has_one_reading() -> None:
    for formula in formulas(EVERYTHING):
        phrasings = CHINESE.phrasings[formula.operator]
        assert len(set(phrasings)) == len(ENGLISH.phrasings[formula.operator])
        for phrasing in phrasings:
            text = phrasing.format(*(STATEMENTS[index] for index in formula.statements))
            assert claims.read(text) == formula
            assert by_chinese_keyword(text) == {key for key in KEYS if formula.holds(key)}, text


@pytest.mark.parametrize("tier", OPERATOR_TIERS)
def test_a_chinese_question_is_asked_in_chinese(tier: Tier) -> None:
    for seed in range(40):
        for item in (harden(chinese(seed), tier, seed), ask(chinese(seed), seed)):
            assert not re.search("[A-Za-z]{2,}", re.sub(r"\b(?:IV|III|II)\b", "", item.prompt))
            assert type(item).from_json(item.to_json()) == item
            for answer in (item.reference, item.reference.replace(", ", "、"), f"答案\uff1a{item.reference}。"):
                assert score_item(item, f"想一想。\n{answer}").success
        offered = re.findall(r"^([A-F])\. (.+)$", harden(chinese(seed), tier, seed).prompt, re.MULTILINE)
        made = harden(chinese(seed), tier, seed)
        assert [letter for letter, text in offered if made.key in by_chinese_keyword(text)] == list(made.correct)


def test_language_changes_the_words_alone() -> None:
    for tier in OPERATOR_TIERS:
        zh = harden(chinese(1), tier, 3)
        en = harden(replace(chinese(1), language="en"), tier, 3)
        assert (zh.order, zh.formulas, zh.reference) == (en.order, en.formulas, en.reference)
        assert all(ours != theirs for ours, theirs in zip(zh.claims, en.claims, strict=True))
