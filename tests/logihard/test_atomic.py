"""AtomicMCQ and generate_atomic: checked values, JSON, purity, coordinates."""

from __future__ import annotations

import dataclasses
import json
import pickle
import subprocess
import sys

import pytest

from arggym_env.errors import ArgGymError, CoordinateError, GenerationError, InstanceError
from arggym_env.logihard import atomic
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.families import FAMILIES

every_family = pytest.mark.parametrize("family", FAMILIES)
CELLS = [(family, level) for family, maker in FAMILIES.items() for level in range(1, len(maker.levels) + 1)]

EXAMPLE = AtomicMCQ("x/1", "plain", "en", "C.", "Q?", ("a", "b", "c", "d"), 0, "f", 0)


def test_a_question_survives_json_and_pickle() -> None:
    assert AtomicMCQ.from_json(EXAMPLE.to_json()) == EXAMPLE
    assert pickle.loads(pickle.dumps(EXAMPLE)) == EXAMPLE


@pytest.mark.parametrize(
    "changes",
    [
        {"options": ("a", "b", "c")},
        {"options": ("a", "b", "c", "a")},
        {"options": ("a", "b", "c", " ")},
        {"answer": 4},
        {"answer": -1},
        {"answer": True},
        {"level": -1},
    ],
    ids=str,
)
def test_a_question_with_a_bad_value_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InstanceError, match="atomic question 'x/1'"):
        dataclasses.replace(EXAMPLE, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"id": "x"}', "[" * 100_000])
def test_text_that_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(InstanceError):
        AtomicMCQ.from_json(text)


def test_a_field_of_another_type_is_refused() -> None:
    row = json.loads(EXAMPLE.to_json())
    with pytest.raises(InstanceError, match="answer"):
        AtomicMCQ.from_json(json.dumps({**row, "answer": "0"}))


@pytest.mark.parametrize(("family", "level"), CELLS, ids=lambda value: str(value))
def test_the_same_coordinates_give_the_same_question_and_others_another_one(family: str, level: int) -> None:
    question = generate_atomic(family, level, 5)
    assert generate_atomic(family, level, 5) == question
    assert AtomicMCQ.from_json(question.to_json()) == question
    others = [generate_atomic(family, level, 6), generate_atomic(family, level, 5, "eval")]
    assert len({(each.context, each.options) for each in (question, *others)}) == 3
    assert (question.source, question.family, question.level) == ("procedural", family, level)


@every_family
def test_a_split_shares_no_question_with_another(family: str) -> None:
    splits = [
        {
            (question.context, question.options)
            for seed in range(12)
            if (question := generate_atomic(family, 2, seed, split))
        }
        for split in ("train", "eval", "frozen")
    ]
    assert len(set.union(*splits)) == sum(map(len, splits)) == 36


def test_another_process_with_another_hash_seed_generates_the_same() -> None:
    code = (
        "from arggym_env.logihard.atomic import generate_atomic\n"
        "from arggym_env.logihard.families import FAMILIES\n"
        "print([generate_atomic(family, 3, 11).to_json() for family in FAMILIES])"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1] == f"{[generate_atomic(family, 3, 11).to_json() for family in FAMILIES]}\n"


@pytest.mark.parametrize(
    "coordinates",
    [
        ("propositions", 1, 0, "train"),
        (None, 1, 0, "train"),
        ("knights", 0, 0, "train"),
        ("knights", 6, 0, "train"),
        ("knights", True, 0, "train"),
        ("knights", 1, -1, "train"),
        ("knights", 1, 2**63, "train"),
        ("knights", 1, 0, "test"),
    ],
    ids=str,
)
def test_bad_coordinates_are_refused_with_what_is_allowed(coordinates: tuple[str, int, int, str]) -> None:
    with pytest.raises(CoordinateError, match=r"not (in|one of|an integer)"):
        generate_atomic(*coordinates)


def test_a_search_that_finds_nothing_ends_and_gives_the_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "MAX_CANDIDATES", 0)
    with pytest.raises(GenerationError, match="knights/L01/train/0"):
        generate_atomic("knights", 1, 0)
    assert issubclass(GenerationError, ArgGymError)
