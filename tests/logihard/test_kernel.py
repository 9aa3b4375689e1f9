"""Spaces, entailment and its relatives, against enumeration written out."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.logihard.kernel import (
    Space,
    Statement,
    Verdict,
    are_independent,
    conjunction,
    is_irredundant,
    needs,
    space_of,
    valuations,
    verdict,
)

bitsets = st.integers(0, 255)


def statements(*bits: int) -> list[Statement]:
    return [Statement(f"s{index}", each, "s") for index, each in enumerate(bits)]


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_valuations_are_the_space_of_all_sets_of_facts(count: int) -> None:
    space = valuations(count)
    rows = [tuple(bool(atom >> model & 1) for atom in space.atoms) for model in range(space.everything.bit_length())]
    assert sorted(rows) == sorted(itertools.product((False, True), repeat=count))


def test_a_space_of_listed_models_holds_each_fact_where_it_was_listed() -> None:
    models = [(0, 2), (1,), (), (2, 1)]
    space = space_of(models, 3)
    columns = [f"{atom:04b}" for atom in space.atoms]
    assert sorted(zip(*columns, strict=True)) == sorted(
        tuple("1" if atom in model else "0" for atom in range(3)) for model in models
    )


def test_connectives_have_their_truth_tables() -> None:
    space = valuations(2)
    a, b = space.atoms
    for model in range(4):
        x, y = bool(a >> model & 1), bool(b >> model & 1)
        assert bool(space.implication(a, b) >> model & 1) == (y or not x)
        assert bool(space.equivalence(a, b) >> model & 1) == (x == y)
        assert bool(space.negation(a) >> model & 1) == (not x)


@given(bitsets.filter(bool), bitsets)
def test_the_verdict_says_in_how_many_models_of_the_premises_a_claim_is_true(premises: int, claim: int) -> None:
    truths = {bool(claim >> model & 1) for model in range(8) if premises >> model & 1}
    one_sided = Verdict.ENTAILED if True in truths else Verdict.CONTRADICTED
    expected = one_sided if len(truths) == 1 else Verdict.UNDETERMINED
    assert verdict(premises, claim) is expected


@given(st.lists(bitsets, min_size=1, max_size=4))
def test_premises_are_irredundant_when_dropping_any_one_leaves_more_models(bits: list[int]) -> None:
    space = valuations(3)
    whole = conjunction(space, statements(*bits))
    shorter = [conjunction(space, statements(*bits[:index], *bits[index + 1 :])) for index in range(len(bits))]
    assert is_irredundant(space, statements(*bits)) == all(each != whole for each in shorter)


@given(st.lists(bitsets, min_size=1, max_size=4), bitsets)
def test_a_claim_needs_as_many_premises_as_the_smallest_set_that_entails_it(bits: list[int], claim: int) -> None:
    space = valuations(3)
    sizes = [
        size
        for size in range(len(bits) + 1)
        for subset in itertools.combinations(statements(*bits), size)
        if not conjunction(space, subset) & ~claim
    ]
    smallest = min(sizes, default=len(bits) + 1)
    for depth in range(1, len(bits) + 1):
        assert needs(space, statements(*bits), claim, depth) == (smallest >= depth)


def test_independent_claims_neither_follow_from_nor_negate_each_other() -> None:
    space = Space(0b1111, ())
    assert are_independent(space, [0b0011, 0b0101])
    assert not are_independent(space, [0b0011, 0b0111])
    assert not are_independent(space, [0b0011, 0b0011])
    assert not are_independent(space, [0b0011, 0b1100])


def test_a_sentence_opens_with_a_capital_and_keeps_names() -> None:
    assert Statement("if Anna comes, then Otto comes", 1, "if").sentence == "If Anna comes, then Otto comes."
