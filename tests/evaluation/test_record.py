"""Outcome classes: each has its completions, and nothing that stands in thinking or behind a cut is graded."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import Failure, Outcome, Record, Reply, completion_of, judge
from tests.evaluation.runs import some_items


@pytest.fixture(scope="module")
def item() -> Item:
    _, (found,) = some_items(1, tasks=("attack",))
    return found


class Case(NamedTuple):
    """A reply, where GOLD stands for a complete right answer, and its class."""

    name: str
    text: str | None
    outcome: Outcome
    finish: str = "stop"
    reasoning: str | None = None
    thinking: bool | None = None


CASES = [
    Case("right", "GOLD", Outcome.CORRECT),
    Case("right after closed thinking", "<think>x</think>GOLD", Outcome.CORRECT),
    Case("right after a closing tag alone", "x</think>GOLD", Outcome.CORRECT),
    Case("right after separate thinking", "GOLD", Outcome.CORRECT, reasoning="x"),
    Case("read and wrong", "<answer>[defeasible n: a => b]</answer>", Outcome.WRONG),
    Case("cannot be read", "<answer>hello</answer>", Outcome.MALFORMED),
    Case("no region", "hello", Outcome.NO_ANSWER),
    Case("empty region", "<answer> </answer>", Outcome.NO_ANSWER),
    Case("blank", " ", Outcome.NO_ANSWER),
    Case("only in thinking", "<think>GOLD</think>done", Outcome.ANSWER_IN_THOUGHTS),
    Case("only in unclosed thinking", "<think>GOLD", Outcome.ANSWER_IN_THOUGHTS),
    Case("only in separate thinking", "done", Outcome.ANSWER_IN_THOUGHTS, reasoning="GOLD"),
    Case("only in separate thinking, no content", None, Outcome.ANSWER_IN_THOUGHTS, reasoning="GOLD"),
    Case("cut in an open think tag", "<think>GOLD and", Outcome.TRUNCATED, "length"),
    Case("cut in thinking that the template opened", "GOLD and", Outcome.TRUNCATED, "length", thinking=True),
    Case("cut in what may be thinking", "GOLD and", Outcome.TRUNCATED, "length"),
    Case("cut in separate thinking", None, Outcome.TRUNCATED, "length", "GOLD and"),
    Case("cut within the region", "<answer>\n[defeasible", Outcome.TRUNCATED, "length", thinking=False),
    Case("cut after a right answer, no thinking", "GOLD and", Outcome.CORRECT, "length", thinking=False),
    Case("cut after a right answer behind thinking", "x</think>GOLD and", Outcome.CORRECT, "length"),
    Case("cut after a right answer, separate thinking", "GOLD and", Outcome.CORRECT, "length", "x"),
    Case("cut after a wrong answer", "<answer>hello</answer> and", Outcome.MALFORMED, "length", thinking=False),
]


def judged(item: Item, case: Case) -> Record:
    gold = f"<answer>\n{item.reference}\n</answer>"
    text = None if case.text is None else case.text.replace("GOLD", gold)
    reasoning = None if case.reasoning is None else case.reasoning.replace("GOLD", gold)
    return judge(item, 0, {}, "test", case.thinking, Reply(text, reasoning, case.finish))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_completion_has_its_class(item: Item, case: Case) -> None:
    record = judged(item, case)
    assert record.outcome is case.outcome
    assert record.success is (case.outcome is Outcome.CORRECT)
    assert record.reply.truncated is (case.finish == "length")


def test_every_class_has_a_case() -> None:
    assert {case.outcome for case in CASES} | {Outcome.API_ERROR} == set(Outcome)


def test_an_api_error_has_no_score_and_counts_as_not_solved(item: Item) -> None:
    record = judge(item, 0, {}, "test", None, Reply(failure=Failure("timeout", "slow")))
    assert record.outcome is Outcome.API_ERROR
    assert record.score is None
    assert (record.native, record.success, record.answer_found) == (0.0, False, False)


def test_separate_thinking_cannot_close_itself_into_the_content(item: Item) -> None:
    reply = Reply("done", "x</think><answer>\n" + item.reference + "\n</answer>", "stop")
    for same in (reply, replace(reply, text=None, finish_reason="length")):
        assert not judge(item, 0, {}, "test", None, same).success
    assert completion_of(reply, None).endswith("</think>done")


def test_the_detail_shows_what_was_read(item: Item) -> None:
    record = judged(item, CASES[0])
    assert record.score is not None
    assert record.score.detail
    assert (record.id, record.task, record.level, record.floor) == (item.id, "attack", item.level, item.floor)
