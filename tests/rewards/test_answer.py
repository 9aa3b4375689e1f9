"""Extraction: which region of a completion is graded, and why there is none."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.rewards.answer import Answer, extract_answer
from arggym_env.rewards.score import Reason


@dataclass(frozen=True)
class Case:
    name: str
    completion: str
    text: str


FOUND = (
    Case("no thinking at all", "<answer>p: justified</answer>", "p: justified"),
    Case("thinking closed", "<think>hm</think><answer>a</answer>", "a"),
    Case("dangling close: the template opened the thinking", "hm</think><answer>a</answer>", "a"),
    Case("the last close counts", "<think>x</think><think>y</think>\n<answer>a</answer>", "a"),
    Case("a region in the thoughts and one after them", "<think><answer>x</answer></think><answer>a</answer>", "a"),
    Case("a region before the last close is thinking", "<answer>x</answer></think><answer>a</answer>", "a"),
    Case("of two regions the last", "<answer>p: justified</answer> no: <answer>p: overruled</answer>", "p: overruled"),
    Case("an empty region before the last", "<answer></answer><answer>a</answer>", "a"),
    Case("the innermost opening", "<answer> I mean <answer>a</answer>", "a"),
    Case("a mentioned opening tag", "I answer in <answer> tags.\n<answer>a</answer>", "a"),
    Case("a mentioned closing tag", "</answer> closes it. <answer>a</answer>", "a"),
    Case("a second closing tag", "<answer>a</answer></answer>", "a"),
    Case("nested regions", "<answer>x <answer>a</answer> y</answer>", "a"),
    Case("a trailing unclosed region", "<answer>a</answer> so <answer>b", "a"),
    Case("prose after the region", "<answer>a</answer> That is my answer.", "a"),
    Case("an unclosed thinking after the region", "<answer>a</answer><think>or is it <answer>b</answer>", "a"),
    Case("tags in the thinking are text", "<think>use <answer></think><answer>a</answer>", "a"),
    Case("a thought that opens twice", "<think><think></think><answer>a</answer>", "a"),
    Case("tags in any case", "<THINK>x</Think><Answer>a</ANSWER>", "a"),
    Case("a fence inside", "<answer>\n```text\np: justified\n```\n</answer>", "\n```text\np: justified\n```\n"),
    Case("a fence around", "```\n<answer>a</answer>\n```", "a"),
    Case("a bullet", "<answer>\n- ko9: justified\n</answer>", "\n- ko9: justified\n"),
    Case("a Unicode minus", "<answer>\u2212ko9: overruled</answer>", "\u2212ko9: overruled"),
    Case("CRLF", "<answer>\r\na\r\n</answer>\r\n", "\r\na\r\n"),
    Case("U+2028", "<answer>a\u2028b</answer>", "a\u2028b"),
    Case("NUL", "\x00<answer>a\x00b</answer>", "a\x00b"),
    Case("lone surrogates", "\ud800<answer>a\udfff</answer>", "a\udfff"),
    Case("a tag that is not one", "<answers>x</answers><answer>a <b> </answer >c</answer>", "a <b> </answer >c"),
    Case("a comparison", "<answer>[prefer_rule: a > b]</answer>", "[prefer_rule: a > b]"),
    Case("the word None", "<answer>None</answer>", "None"),
)

ABSENT = (
    ("nothing", "", Reason.NO_ANSWER),
    ("no tags", "p: justified", Reason.NO_ANSWER),
    ("unclosed", "<answer>p: justified", Reason.NO_ANSWER),
    ("never opened", "p: justified</answer>", Reason.NO_ANSWER),
    ("closed before it is opened", "</answer>p: justified<answer>", Reason.NO_ANSWER),
    ("an attribute", "<answer id=1>a</answer>", Reason.NO_ANSWER),
    ("a blank in the tag", "< answer>a</answer>", Reason.NO_ANSWER),
    ("other letters that fold to the tag", "<an\u017fwer>a</an\u017fwer>", Reason.NO_ANSWER),
    ("only thinking", "<think>p is justified</think>", Reason.NO_ANSWER),
    ("thinking inside the region", "<answer>a <think>b</answer>", Reason.NO_ANSWER),
    ("opened in the thoughts, closed after them", "<think><answer>a</think></answer>", Reason.NO_ANSWER),
    ("only in the thoughts", "<think><answer>a</answer></think>so be it", Reason.ANSWER_IN_THOUGHTS),
    ("only in thoughts that the template opened", "<answer>a</answer></think>", Reason.ANSWER_IN_THOUGHTS),
    ("cut before the thinking ends", "<think>maybe <answer>a</answer>", Reason.ANSWER_IN_THOUGHTS),
    ("cut in a second thought", "<think>x</think><think><answer>a</answer>", Reason.ANSWER_IN_THOUGHTS),
    ("in the thoughts, unclosed after", "<think><answer>a</answer></think><answer>a", Reason.ANSWER_IN_THOUGHTS),
    ("empty", "<answer></answer>", Reason.EMPTY_ANSWER),
    ("blank", "<answer> \r\n\t\u2028 </answer>", Reason.EMPTY_ANSWER),
    ("an empty fence", "<answer>\n```\n```\n</answer>", Reason.EMPTY_ANSWER),
    ("a byte order mark", "<answer>\ufeff</answer>", Reason.EMPTY_ANSWER),
    ("the last region is the empty one", "<answer>a</answer><answer> </answer>", Reason.EMPTY_ANSWER),
    ("empty after an answer in the thoughts", "<answer>a</answer></think><answer></answer>", Reason.EMPTY_ANSWER),
)


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.name)
def test_the_last_complete_region_after_the_thinking_is_the_answer(case: Case) -> None:
    assert extract_answer(case.completion) == Answer(case.text, None)


@pytest.mark.parametrize(("completion", "reason"), [row[1:] for row in ABSENT], ids=[row[0] for row in ABSENT])
def test_a_completion_without_an_answer_says_why(completion: str, reason: Reason) -> None:
    assert extract_answer(completion) == Answer(None, reason)


@pytest.mark.parametrize("completion", [None, b"<answer>a</answer>", 7, ["<answer>a</answer>"], float("nan")])
def test_what_is_not_a_string_has_no_answer(completion: object) -> None:
    assert extract_answer(completion) == Answer(None, Reason.NOT_TEXT)


FLOODS = (
    "<answer>",
    "</answer>",
    "<think>",
    "</think>",
    "<",
    "<answer></answer>",
    "<answer>x</answer><think>",
    "<answer",
    "x\n",
)


@pytest.mark.parametrize("unit", FLOODS, ids=repr)
def test_extraction_is_linear_in_the_length(unit: str) -> None:
    def seconds(characters: int) -> float:
        completion = "<answer>" + unit * (characters // len(unit)) + "</answer>"
        start = time.process_time()
        extract_answer(completion)
        return time.process_time() - start

    short = min(seconds(500_000) for _ in range(3))
    long = min(seconds(10_000_000) for _ in range(2))
    assert long < 5 * 20 * short + 0.1, "twenty times the length took more than a hundred times as long"


@given(
    st.lists(
        st.sampled_from(["<answer>", "</answer>", "<think>", "</think>", "p: justified", "\n", " ", "```", "\ud800"])
    )
)
def test_any_sequence_of_tags_has_an_answer_or_a_reason(parts: list[str]) -> None:
    answer = extract_answer("".join(parts))
    assert (answer.text is None) != (answer.reason is None)
    if answer.text is not None:
        assert answer.text.strip()
        assert not any(tag in answer.text for tag in ("<answer>", "</answer>", "<think>", "</think>"))
        assert f"<answer>{answer.text}</answer>" in "".join(parts).rpartition("</think>")[2]


@given(st.text())
def test_a_plain_text_in_tags_comes_back_as_written(text: str) -> None:
    answer = extract_answer(f"thinking</think><answer>x{text}</answer>")
    assert answer.text == f"x{text}" or "<" in text
