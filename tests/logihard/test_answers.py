"""Letters: which line is graded, what it may look like, and what it scores."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.errors import CoordinateError
from arggym_env.logihard.answers import LETTERS, join_letters, letter_f1, read_letters, score_letters, youden
from arggym_env.rewards.score import Reason
from tests.envs.hostile import HOSTILE

ACCEPTED = {
    "one letter": ("A", "A"),
    "commas": ("A, C", "AC"),
    "commas without blanks": ("A,C,F", "ACF"),
    "letters together": ("AC", "AC"),
    "letters and blanks": ("A C", "AC"),
    "and": ("A and C", "AC"),
    "a comma and an and": ("A, B and C", "ABC"),
    "a serial comma": ("A, B, and C", "ABC"),
    "any order": ("C, A", "AC"),
    "a letter twice": ("A, A", "A"),
    "boxed": (r"\boxed{A, C}", "AC"),
    "boxed together": (r"\boxed{AC}", "AC"),
    "boxed text": (r"\boxed{\text{A, C}}", "AC"),
    "boxed in a formula": (r"$\boxed{A, C}$", "AC"),
    "boxed in brackets": ("\\[\n\\boxed{B}\n\\]", "B"),
    "a label": ("Answer: A, C", "AC"),
    "a longer label": ("Final answer: A", "A"),
    "a label in capitals": ("ANSWER: A", "A"),
    "a label and a box": (r"Answer: \boxed{A}", "A"),
    "emphasis": ("**A, C**", "AC"),
    "an emphasised label": ("**Answer:** A, C", "AC"),
    "a full stop": ("A, C.", "AC"),
    "blanks around": ("  A ,  C \t", "AC"),
    "a list bullet": ("- A, C", "AC"),
    "a code fence": ("```\nA, C\n```", "AC"),
    "blank lines after": ("A, C\n\n  \n", "AC"),
    "prose before": ("The claims B and D fail.\n\nA, C", "AC"),
    "letters before": ("B\nA, C", "AC"),
    "CRLF": ("so\r\nA, C\r\n", "AC"),
    "a non-breaking blank": ("A,\u00a0C", "AC"),
    "after the thinking": ("<think>B</think>\nA, C", "AC"),
    "after thinking that the template opened": ("B\n</think>\n\nA, C", "AC"),
    "after two thoughts": ("<think>B</think>D<think>E</think>A", "A"),
    "answer tags": ("<answer>A, C</answer>", "AC"),
    "answer tags and prose after": ("<answer>A, C</answer>\nThat is it.", "AC"),
    "answer tags before a bare line": ("<answer>A</answer>\nB", "A"),
    "the last of two regions": ("<answer>A</answer><answer>B</answer>", "B"),
    "prose in the region": ("<answer>I think\nA</answer>", "A"),
    "a region in the thoughts and a bare line": ("<think><answer>B</answer></think>\nA", "A"),
    "all six": ("ABCDEF", "ABCDEF"),
    "Chinese commas": ("A\uff0cC", "AC"),
    "enumeration marks": ("A、C、D", "ACD"),
    "a Chinese and": ("A、C和D", "ACD"),
    "a Chinese label": ("答案\uff1aA\uff0cC。", "AC"),
    "a longer Chinese label": ("**最终答案是\uff1a**A、C", "AC"),
    "a Chinese label and a box": (r"答案: \boxed{A、C}", "AC"),
}

REFUSED = {
    "a Chinese and alone": ("和", Reason.UNREADABLE, "prose"),
    "nothing": ("", Reason.NO_ANSWER, None),
    "blanks": (" \n\t\n", Reason.NO_ANSWER, None),
    "only typography": ("**\n```\n$$", Reason.NO_ANSWER, None),
    "nothing after the thinking": ("<think>A</think>", Reason.NO_ANSWER, None),
    "unclosed thinking": ("<think>so\nA", Reason.NO_ANSWER, None),
    "an answer before unclosed thinking": ("A\n<think>or", Reason.NO_ANSWER, None),
    "a second, unclosed thought": ("<think>x</think><think>\nA", Reason.NO_ANSWER, None),
    "only in the thoughts": ("<think><answer>A</answer></think>", Reason.ANSWER_IN_THOUGHTS, None),
    "in the thoughts, prose after": ("<think><answer>A</answer></think>so be it", Reason.ANSWER_IN_THOUGHTS, "prose"),
    "an empty region": ("A\n<answer></answer>", Reason.EMPTY_ANSWER, None),
    "prose": ("I cannot tell.", Reason.UNREADABLE, "prose"),
    "a sentence with the letters": ("The answer is A, C", Reason.UNREADABLE, "prose"),
    "prose after the letters": ("A, C\nbecause they follow", Reason.UNREADABLE, "prose"),
    "a reason beside the letter": ("A, since it follows", Reason.UNREADABLE, "prose"),
    "a claim": ("A. II or III.", Reason.UNREADABLE, "prose"),
    "a digit": ("A, 3", Reason.UNREADABLE, "prose"),
    "parentheses": ("(A)", Reason.UNREADABLE, "prose"),
    "or": ("A or C", Reason.UNREADABLE, "prose"),
    "a dangling comma": ("A,", Reason.UNREADABLE, "prose"),
    "an unclosed box": (r"\boxed{A, C", Reason.UNREADABLE, "prose"),
    "two boxes": (r"\boxed{A}, \boxed{C}", Reason.UNREADABLE, "prose"),
    "an empty box": (r"\boxed{}", Reason.UNREADABLE, "prose"),
    "an empty label": ("Answer:", Reason.UNREADABLE, "prose"),
    "a word in capitals": ("NONE", Reason.UNREADABLE, "out_of_range"),
    "lower case": ("a", Reason.UNREADABLE, "lower_case"),
    "mixed case": ("A, c", Reason.UNREADABLE, "lower_case"),
    "a lower-case word": ("bad", Reason.UNREADABLE, "prose"),
    "a letter of no option": ("A, G", Reason.UNREADABLE, "out_of_range"),
    "a Cyrillic letter": ("\u0410", Reason.UNREADABLE, "prose"),
    "a full-width letter": ("\uff21", Reason.UNREADABLE, "prose"),
    "a long line": ("A" * 100_000, Reason.UNREADABLE, "prose"),
    "a long line after an answer": ("B\n" + "*" * 100_000 + "A", Reason.UNREADABLE, "prose"),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_letters_are_read(name: str) -> None:
    completion, letters = ACCEPTED[name]
    selection = read_letters(completion, 6)
    assert selection.letters == frozenset(letters)
    assert selection.reason is None


@pytest.mark.parametrize("name", REFUSED)
def test_anything_else_is_invalid_and_says_why(name: str) -> None:
    completion, reason, problem = REFUSED[name]
    selection = read_letters(completion, 6)
    assert selection.letters is None
    assert (selection.reason, selection.problem) == (reason, problem)
    score = score_letters("A", 6, completion)
    assert (score.native, score.success, score.reason) == (0.0, False, reason)
    assert score.answer_found == (reason is Reason.UNREADABLE)


@pytest.mark.parametrize("value", [None, 3, b"A", ["A"]])
def test_what_is_not_text_is_invalid(value: object) -> None:
    assert score_letters("A", 4, value).reason is Reason.NOT_TEXT


@pytest.mark.parametrize("options", [4, 5, 6])
def test_the_letters_in_range_are_those_of_the_options(options: int) -> None:
    for index, letter in enumerate(LETTERS):
        assert (read_letters(letter, options).letters is not None) == (index < options)


@pytest.mark.parametrize("options", [4, 5, 6])
def test_every_reference_scores_one_and_every_other_selection_less(options: int) -> None:
    selections = [chosen for size in range(1, options) for chosen in combinations(range(options), size)]
    for gold in selections[:: 1 + options // 3]:
        reference = join_letters(gold)
        for chosen in selections:
            for reward in ("exact", "youden"):
                score = score_letters(reference, options, f"Reasons.\n{join_letters(chosen)}", reward)
                assert score.success == (chosen == gold)
                assert (score.native == 1.0) == (chosen == gold)
                assert (score.reason is Reason.CORRECT) == (chosen == gold)
                assert 0.0 <= score.native <= 1.0
                if reward == "exact":
                    assert score.native == float(score.success)


def test_youden_pays_for_hits_less_false_alarms() -> None:
    gold = frozenset("AB")
    for chosen, value in {"A": 0.5, "AB": 1.0, "ABC": 0.75, "AC": 0.25, "CD": 0.0, "ABCDEF": 0.0, "ACDE": 0.0}.items():
        assert youden(gold, frozenset(chosen), 6) == pytest.approx(value)


def test_all_letters_get_two_thirds_of_f1_and_nothing_else() -> None:
    every = frozenset("ABCDEF")
    figures = [letter_f1(frozenset(LETTERS[:correct]), every) for correct in (2, 3, 4)]
    assert sum(figures) / 3 == pytest.approx(0.66, abs=0.01)
    score = score_letters("A, B, C", 6, "ABCDEF", "youden")
    assert score.native == 0.0
    assert score.detail["f1"] == pytest.approx(2 / 3)
    assert score_letters("A, B, C", 6, "ABCDEF").native == 0.0


def test_the_detail_says_what_was_missed() -> None:
    detail = score_letters("A, C", 5, "A, B").detail
    assert (detail["chosen"], detail["missing"], detail["extra"]) == (["A", "B"], ["C"], ["B"])
    assert score_letters("A", 5, "see above").detail["line"] == "see above"


def test_an_unknown_reward_is_refused() -> None:
    with pytest.raises(CoordinateError, match="f1"):
        score_letters("A", 4, "A", "f1")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_completions_score_nothing(name: str) -> None:
    score = score_letters("A, C", 6, HOSTILE[name])
    assert (score.native, score.success) == (0.0, False)
    assert len(str(dict(score.detail))) < 500


@given(st.text())
def test_any_text_has_letters_or_a_reason(text: str) -> None:
    selection = read_letters(text, 6)
    assert (selection.letters is None) != (selection.reason is None)
    assert score_letters("A", 6, text).native in (0.0, 1.0)


@given(st.lists(st.sampled_from(["A", "B", ", ", " and ", "\n", "**", "<think>", "</think>", "<answer>", "</answer>"])))
def test_any_sequence_of_parts_has_letters_or_a_reason(parts: list[str]) -> None:
    selection = read_letters("".join(parts), 4)
    assert (selection.letters is None) != (selection.reason is None)
    assert selection.letters is None or selection.letters <= set("AB")


FLOODS = (
    "A",
    "A, ",
    "A and ",
    "\n",
    "A\n",
    "*",
    "**A**\n",
    "<think>",
    "</think>",
    "\\boxed{",
    "\\boxed{A}",
    "Answer: ",
    " ",
    "```\n",
)


@pytest.mark.parametrize("unit", FLOODS, ids=repr)
def test_reading_is_linear_in_the_length(unit: str) -> None:
    def seconds(characters: int) -> float:
        completion = unit * (characters // len(unit))
        start = time.process_time()
        read_letters(completion, 6)
        return time.process_time() - start

    short = min(seconds(20_000) for _ in range(3))
    assert seconds(400_000) < 5 * 20 * short + 0.1, "twenty times the length took more than a hundred times as long"


@pytest.mark.parametrize("text", ["A", "so far\nA, C", "Answer: A", "</think>\nA", "<answer>A", ""])
def test_the_last_line_of_a_completion_that_was_cut_off_is_no_answer(text: str) -> None:
    assert read_letters(text, 4, cut_off=True).reason is Reason.NO_ANSWER
    assert not score_letters("A", 4, text, cut_off=True).answer_found


@pytest.mark.parametrize("text", ["<answer>A</answer>", "x</think><answer>A</answer> that", "<answer>B\nA</answer>\nC"])
def test_a_complete_region_of_a_completion_that_was_cut_off_is_graded(text: str) -> None:
    assert score_letters("A", 4, text, cut_off=True).success
    assert not score_letters("A", 4, f"<think>{text.replace('</think>', '')}", cut_off=True).success
