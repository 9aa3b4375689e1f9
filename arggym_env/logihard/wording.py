"""How items are worded, in English and in Chinese: the parts of the prompt, and several phrasings for each operator.

A question is worded in its own language; what is neither English nor Chinese is asked in English.
"""
# ruff: noqa: RUF001 - Chinese text has Chinese punctuation

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from arggym_env.logihard.formulas import Operator


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one language.

    Attributes:
        question: introduces the question, which stands in the place of the braces.
        options: heads the options.
        statements: heads the statements that claims are about.
        base_answer: says how an atomic question is answered.
        one_statement: says that exactly one statement is the correct answer.
        reading: what a newcomer has to know to read the claims; stated in every prompt that has claims.
        answer: says how claims are answered.
        phrasings: each operator's; the numbers in braces are the places of the statements that the formula names.
    """

    question: str
    options: str
    statements: str
    base_answer: str
    one_statement: str
    reading: str
    answer: str
    phrasings: Mapping[Operator, tuple[str, ...]]


ENGLISH: Final = Wording(
    question="Question: {}",
    options="Options:",
    statements="Statements:",
    base_answer="""\
Exactly one of the options is the correct answer to the question. Think as long as you need, then give as the last \
line of your reply the letter of that option: one capital letter, and nothing else on that line.""",
    one_statement="Exactly one of the four statements is the correct answer to the question.",
    reading="""\
How to read an option. Each option below speaks of which statement is the correct answer to the question, and of \
nothing else. A numeral in an option stands for "this statement is the correct answer". So "not II" says that II is \
not the correct answer; it does not say that II is false. A statement that is not entailed is not thereby false: one \
that is left open may happen to be true without being the correct answer. "II or IV" holds when at least one of the \
two is the correct answer; "only II" holds when II is and the other three are not.""",
    answer="""\
Select every option that holds; at least one does. Think as long as you need, then give as the last line of your reply \
the letters of all the options that hold and of no other option: capital letters separated by commas, and nothing else \
on that line. The line has the form
B, D""",
    phrasings=MappingProxyType(
        {
            "EXACT": (
                "Only {0}.",
                "{0} and no other.",
                "{0} alone is the correct answer.",
                "{0} is the correct answer, and the other three are not.",
            ),
            "OR": (
                "{0} or {1}.",
                "At least one of {0} and {1}.",
                "{0} is the correct answer, or {1} is.",
                "The correct answer is among {0} and {1}.",
            ),
            "NOT": (
                "Not {0}.",
                "{0} is not the correct answer.",
                "The correct answer is not {0}.",
                "It is not the case that {0} is the correct answer.",
            ),
            "NOT_AND_NOT": (
                "Neither {0} nor {1}.",
                "Not {0} and not {1}.",
                "{0} is not the correct answer, and {1} is not either.",
                "The correct answer is not {0}, and it is not {1}.",
            ),
            "NONE": (
                "None of the four.",
                "Not one of the four statements is the correct answer.",
                "Not I, not II, not III and not IV.",
            ),
        }
    ),
)

CHINESE: Final = Wording(
    question="问题：{}",
    options="选项：",
    statements="陈述：",
    base_answer="""\
上述选项中恰有一个是该问题的正确答案。思考时间不限，最后请在回复的最后一行写出该选项的字母：一个大写字母，\
这一行不要写任何其他内容。""",
    one_statement="四个陈述中恰有一个是该问题的正确答案。",
    reading="""\
如何理解选项：下面的每个选项只谈论哪个陈述是该问题的正确答案，不涉及其他任何事。选项中的罗马数字代表“该陈述是正确答案”。\
因此，“非 II”是说 II 不是正确答案，并不是说 II 为假。一个陈述推不出来，并不因此就为假：一个悬而未决的陈述可能恰好为真，\
却不是正确答案。“II 或 IV”在两者中至少有一个是正确答案时成立；“只有 II”在 II 是正确答案而其他三个都不是时成立。""",
    answer="""\
请选出所有成立的选项；至少有一个成立。思考时间不限，最后请在回复的最后一行写出所有成立的选项的字母，不要写其他选项的字母：\
大写字母，用逗号隔开，这一行不要写任何其他内容。这一行的形式如下
B, D""",
    phrasings=MappingProxyType(
        {
            "EXACT": (
                "只有 {0}。",
                "是 {0}，而不是其他任何一个。",
                "唯有 {0} 是正确答案。",
                "{0} 是正确答案，其他三个都不是。",
            ),
            "OR": (
                "{0} 或 {1}。",
                "{0} 和 {1} 中至少有一个。",
                "{0} 是正确答案，或者 {1} 是正确答案。",
                "正确答案在 {0} 和 {1} 之中。",
            ),
            "NOT": (
                "非 {0}。",
                "{0} 不是正确答案。",
                "正确答案不是 {0}。",
                "并非 {0} 是正确答案。",
            ),
            "NOT_AND_NOT": (
                "既非 {0} 也非 {1}。",
                "非 {0} 且非 {1}。",
                "{0} 不是正确答案，{1} 也不是。",
                "正确答案不是 {0}，也不是 {1}。",
            ),
            "NONE": (
                "四个都不是。",
                "四个陈述中没有一个是正确答案。",
                "非 I、非 II、非 III 且非 IV。",
            ),
        }
    ),
)

WORDINGS: Final = (ENGLISH, CHINESE)


def wording_of(language: str) -> Wording:
    """Return the wording for a question's language."""
    return CHINESE if language == "zh" else ENGLISH
