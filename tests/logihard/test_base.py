"""Atomic items as asked: checked values, rows, what the prompt promises, and questions of both kinds scored alike."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace

import pytest

import arggym_env as ag
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.instances import read_instance
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.hardening import harden
from tests.logihard.blind import atomic


def test_an_item_survives_json_and_pickle() -> None:
    item = ask(atomic(3), 5, "eval")
    assert BaseItem.from_json(item.to_json()) == item
    assert pickle.loads(pickle.dumps(item)) == item
    assert (item.id, item.task, item.level, item.floor) == ("blind/3/base/eval/5", "logihard_base", 1, 0.25)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reference", "E"),
        ("order", [0, 1, 2, 2]),
        ("order", [3, 2, 1]),
        ("prompt", "Which?"),
        ("seed", "0"),
        ("id", "other"),
        ("versions", {"generator": 1, "prompt": 99, "scoring": 1}),
        ("atomic", None),
    ],
)
def test_a_row_that_does_not_fit_itself_is_refused(field: str, value: object) -> None:
    row = json.loads(ask(atomic(), 0).to_json())
    assert row[field] != value
    with pytest.raises(InstanceError):
        BaseItem.from_json(json.dumps({**row, field: value}))


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "{" * 100_000])
def test_a_text_that_is_no_row_is_refused(text: str) -> None:
    for read in (BaseItem.from_json, read_instance):
        with pytest.raises(InstanceError):
            read(text)


def test_every_letter_is_right_equally_often_wherever_the_source_puts_its_key() -> None:
    counts = Counter(ask(atomic(number, answer=0), number).reference for number in range(1200))
    assert set(counts) == set("ABCD")
    assert max(counts.values()) - min(counts.values()) < 120  # four standard errors of a difference


def test_the_order_is_drawn_without_the_key() -> None:
    for seed in range(20):
        prompts = {ask(atomic(7, answer), seed).prompt for answer in range(4)}
        assert len(prompts) == 1


def test_the_prompt_says_what_is_asked_and_how_to_answer_and_repeating_it_earns_nothing() -> None:
    item = ask(atomic(), 1)
    for promise in ("Exactly one of the options", "last line", "one capital letter", *item.options):
        assert promise in item.prompt
    assert [f"{letter}. {text}" for letter, text in zip("ABCD", item.options, strict=True)] == [
        line for line in item.prompt.split("\n") if line[1:3] == ". "
    ]
    assert not ag.score(item, item.prompt).answer_found or not ag.score(item, item.prompt).success
    assert ask(replace(atomic(), context=""), 0).prompt.startswith("Question: ")


def test_bad_coordinates_are_refused() -> None:
    for arguments in ((-1, "train"), (True, "train"), (0, "test")):
        with pytest.raises(CoordinateError):
            ask(atomic(), *arguments)


def test_questions_of_all_kinds_are_read_back_and_scored_by_the_same_functions() -> None:
    mcq = ag.logihard.generate_atomic("knights", 2, 1)
    for instance in (ag.generate("attack", 1, ag.ORDERINGS[0], 0), ask(mcq, 1), harden(mcq, "expert", 1)):
        assert read_instance(instance.to_json()) == instance
        verdict = ag.score(instance, f"<answer>\n{instance.reference}\n</answer>")
        assert (verdict.native, verdict.success) == (1.0, True)
        assert ag.score(instance, None).reason == "not_text"
        assert instance.floor < 1
