"""Dataclasses to JSON values and back: strict, with errors that name the place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.envs import codec
from arggym_env.errors import InstanceError
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.score import JsonValue


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Outer:
    title: str
    share: float
    flag: bool
    kind: Literal["old", "new"]
    note: str | None
    words: tuple[str, ...]
    inners: tuple[Inner, ...]
    first: Inner


EXAMPLE = Outer("t", 0.5, True, "new", None, ("a", "b"), (Inner("x", 1), Inner("y", 2)), Inner("z", 0))
ENCODED: dict[str, JsonValue] = {
    "title": "t",
    "share": 0.5,
    "flag": True,
    "kind": "new",
    "note": None,
    "words": ["a", "b"],
    "inners": [{"name": "x", "count": 1}, {"name": "y", "count": 2}],
    "first": {"name": "z", "count": 0},
}
inners = st.builds(Inner, st.text(), st.integers())
outers = st.builds(
    Outer,
    st.text(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.sampled_from(["old", "new"]),
    st.none() | st.text(),
    st.lists(st.text(), max_size=3).map(tuple),
    st.lists(inners, max_size=3).map(tuple),
    inners,
)


def test_the_json_form_is_the_obvious_one() -> None:
    assert codec.encode(EXAMPLE) == ENCODED
    assert codec.decode(Outer, ENCODED, "row") == EXAMPLE


@given(outers)
def test_decoding_undoes_encoding_through_json_text(value: Outer) -> None:
    assert codec.decode(Outer, json.loads(json.dumps(codec.encode(value))), "row") == value


@pytest.mark.parametrize(
    "value", [{1: 2}, {1, 2}, [1], b"x", object(), Inner, 1j], ids=lambda value: type(value).__name__
)
def test_what_has_no_json_form_is_a_programming_error(value: object) -> None:
    with pytest.raises(TypeError, match="no JSON form"):
        codec.encode(value)


WRONG: dict[str, tuple[str, JsonValue, str]] = {
    "a number as text": ("title", 1, "row.title"),
    "null as text": ("title", None, "row.title"),
    "an integer as float": ("share", 1, "row.share"),
    "text as float": ("share", "0.5", "row.share"),
    "an integer as bool": ("flag", 1, "row.flag"),
    "another word": ("kind", "newer", "row.kind"),
    "a list for a word": ("kind", ["new"], "row.kind"),
    "a number or null": ("note", 3, "row.note"),
    "text as list": ("words", "ab", "row.words"),
    "null as list": ("words", None, "row.words"),
    "an object as list": ("words", {"0": "a"}, "row.words"),
    "a number in a list of texts": ("words", ["a", 1], r"row.words\[1\]"),
    "null in a list of texts": ("words", [None], r"row.words\[0\]"),
    "text for an object": ("first", "z", "row.first"),
    "a list for an object": ("first", ["z", 0], "row.first"),
    "a bool as integer": ("first", {"name": "z", "count": True}, "row.first.count"),
    "a float as integer": ("first", {"name": "z", "count": 0.0}, "row.first.count"),
    "a missing part": ("first", {"name": "z"}, r"row.first: missing fields \['count'\]"),
    "an unknown part": ("first", {"name": "z", "count": 0, "x": 1}, r"row.first: .*unknown fields \['x'\]"),
    "a wrong part deep down": ("inners", [{"name": "x", "count": 1}, {"name": 2, "count": 1}], r"row.inners\[1\].name"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_part_is_named(case: str) -> None:
    field, value, place = WRONG[case]
    with pytest.raises(InstanceError, match=f"^{place}") as caught:
        codec.decode(Outer, {**ENCODED, field: value}, "row")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ENCODED)
def test_every_field_is_needed(field: str) -> None:
    rest = {name: value for name, value in ENCODED.items() if name != field}
    with pytest.raises(InstanceError, match=rf"row: missing fields \['{field}'\]"):
        codec.decode(Outer, rest, "row")


@pytest.mark.parametrize("value", [None, [], "x", 1, True, 1.5])
def test_a_dataclass_is_read_from_an_object_only(value: JsonValue) -> None:
    with pytest.raises(InstanceError, match="is not an object"):
        codec.decode(Outer, value, "row")


def test_long_values_are_quoted_in_part() -> None:
    with pytest.raises(InstanceError) as caught:
        codec.decode(Inner, {"name": ["x" * 10_000], "count": 1}, "row")
    assert len(str(caught.value)) < 300


def test_checks_of_the_dataclass_itself_apply() -> None:
    assert codec.decode(Goal, {"literal": "-x", "status": "overruled"}, "goal") == Goal("-x", "overruled")
    for literal, status in (("--x", "overruled"), ("x", "rejected"), ("", "justified")):
        with pytest.raises(InstanceError, match="goal"):
            codec.decode(Goal, {"literal": literal, "status": status}, "goal")
