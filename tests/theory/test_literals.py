"""Literals: an identifier, or - and an identifier, in ASCII and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.theory.literals import atom_of, is_identifier, is_literal, negate
from tests.theory.theories import literals

IDENTIFIERS = ["x", "ko9", "hx0_jl00", "A", "a_", "AND", "premise", "x" * 10_000]
NOT_IDENTIFIERS = [
    "",
    " ",
    "9x",
    "_x",
    "x-y",
    "x y",
    "x\n",
    "\nx",
    "x ",
    "é",
    "xé",
    "x\u0661",
    "\uff58",
    "x.",
    "x'",
    "x\x00",
]


@pytest.mark.parametrize("text", IDENTIFIERS)
def test_identifiers_are_a_letter_then_letters_digits_or_underscores(text: str) -> None:
    assert is_identifier(text)
    assert is_literal(text)
    assert is_literal("-" + text)
    assert not is_identifier("-" + text)


@pytest.mark.parametrize("text", NOT_IDENTIFIERS)
def test_anything_else_is_no_identifier_and_no_literal(text: str) -> None:
    assert not is_identifier(text)
    assert not is_literal(text)
    assert not is_literal("-" + text)


@pytest.mark.parametrize("text", ["--x", "- x", "-", "~x", "\u2212x", "!x", "not x", "-x-"])
def test_there_is_one_way_to_write_a_negation(text: str) -> None:
    assert not is_literal(text)


@given(literals())
def test_negation_is_an_involution_that_keeps_the_atom(literal: str) -> None:
    assert negate(literal) != literal
    assert negate(negate(literal)) == literal
    assert atom_of(negate(literal)) == atom_of(literal)
    assert {literal, negate(literal)} == {atom_of(literal), "-" + atom_of(literal)}


@given(st.text())
def test_every_literal_is_an_identifier_with_at_most_one_sign(text: str) -> None:
    assert is_literal(text) == (is_identifier(text) or (text[:1] == "-" and is_identifier(text[1:])))
