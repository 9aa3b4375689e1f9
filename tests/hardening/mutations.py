"""Completions that nobody would write, made from ones that are right: small steps that hypothesis or a seed can choose.

A step is the name of a mutation and two integers, which say where and what. Sizes stay where a scorer that is not
linear shows: lines of a hundred thousand characters, lists of thousands of lines, nesting of thousands of brackets.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

Mutation: TypeAlias = Callable[[str, int, int], str]

BITS: Final = (
    *("", " ", "\t", "\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\u00a0", "\u3000"),
    *("\x00", "\x07", "\x1b[2J", "\ufeff", "\u200b", "\u202e", "\ud800", "\udfff", "\udc80", "\uffff", "\U0010ffff"),
    *("-", "\u2212", "\u2013", "--", "->", "\u2192", "=>", "\u21d2", ">", "<", "AND", "and", ":", "::", ";", ",", "."),
    *("[", "]", "[[", "]]", "(", ")", "{", "}", "{}", "null", "None", "nan", "inf", "0", "1e999", "9**9**9", "'", '"'),
    *("justified", "overruled", "undecided", "Justified", "justifed", "no stable extension", "status: overruled"),
    *("premise", "axiom", "strict", "defeasible", "prefer_rule", "prefer_premise", "PREMISE", "under grounded"),
    *("[premise: a]", "[axiom: a]", "[premise: -a]", "[strict n: a -> b]", "[defeasible n: a => -b]", "[premise: a"),
    *("[prefer_rule: a > b]", "[prefer_rule: a > a]", "[premise:]", "[:]", "[]", "[premise a]", "survives_because: a"),
    *(
        "defeated_at: a; defeater: b; kind: rebut",
        "A",
        "B, C",
        "a: justified",
        "```",
        "~~~",
        "- ",
        "1. ",
        "* ",
        "\\boxed{A}",
    ),
    *(
        "<answer>",
        "</answer>",
        "<think>",
        "</think>",
        "<ANSWER>",
        "</Answer>",
        "< answer>",
        "<answer/>",
        "&lt;answer&gt;",
    ),
    *(
        "\U0001f600",
        "\u0301",
        "a\u0301\u0302\u0303",
        "\u0130",
        "\u1e9e",
        "\u0661",
        "\uff11",
        "\u00b2",
        "\u2460",
        "\u0430",
    ),
)
"""What is inserted: line breaks of every kind, controls, surrogates, look-alikes, keywords, directives, tags."""

CONFUSABLES: Final = str.maketrans(
    {
        **{letter: chr(ord(letter) + 0xFEE0) for letter in "abcdefghijklmnopqrstuvwxyz0123456789[]:>=-"},
        "a": "\u0430",
        "e": "\u0435",
        "o": "\u043e",
        "p": "\u0440",
        "i": "\u0456",
        "s": "\u017f",
        "k": "\u212a",
        "-": "\u2010",
    }
)
_TOKEN: Final = re.compile(r"\w+|[^\w\s]|\s+")
_LONG: Final = 100_000
_MANY: Final = 4_000


def _tokens(change: Callable[[list[str], int, int], None]) -> Mutation:
    return _parts(_TOKEN.findall, "", change)


def _lines(change: Callable[[list[str], int, int], None]) -> Mutation:
    return _parts(lambda text: text.split("\n"), "\n", change)


def _parts(split: Callable[[str], list[str]], glue: str, change: Callable[[list[str], int, int], None]) -> Mutation:
    def mutation(text: str, where: int, what: int) -> str:
        parts = split(text)
        if parts:
            change(parts, where % len(parts), what)
        return glue.join(parts)

    return mutation


def _delete(parts: list[str], where: int, what: int) -> None:
    del parts[where : where + 1 + what % 3]


def _swap(parts: list[str], where: int, what: int) -> None:
    other = what % len(parts)
    parts[where], parts[other] = parts[other], parts[where]


def _repeat(parts: list[str], where: int, what: int) -> None:
    parts[where:where] = [parts[where]] * (1 + what % 4)


def _replace(parts: list[str], where: int, what: int) -> None:
    parts[where] = BITS[what % len(BITS)]


def _shuffle(parts: list[str], where: int, what: int) -> None:
    random.Random(what).shuffle(parts)


def _copy(parts: list[str], where: int, what: int) -> None:
    parts[where] = parts[what % len(parts)]


def _insert(text: str, where: int, what: int) -> str:
    place = where % (len(text) + 1)
    return text[:place] + BITS[what % len(BITS)] + text[place:]


def _insert_any(text: str, where: int, what: int) -> str:
    place = where % (len(text) + 1)
    return text[:place] + chr(what % 0x110000) + text[place:]


def _delete_character(text: str, where: int, what: int) -> str:
    place = where % (len(text) + 1)
    return text[:place] + text[place + 1 + what % 5 :]


def _confuse(text: str, where: int, what: int) -> str:
    place = where % (len(text) + 1)
    end = place + 1 + what % 40
    return text[:place] + text[place:end].translate(CONFUSABLES) + text[end:]


def _change_case(text: str, where: int, what: int) -> str:
    place = where % (len(text) + 1)
    end = place + 1 + what % 60
    return text[:place] + text[place:end].swapcase() + text[end:]


def _truncate(text: str, where: int, what: int) -> str:
    place = where % (len(text) + 1)
    return text[:place] if what % 2 else text[place:]


def _twice(text: str, where: int, what: int) -> str:
    return text + BITS[what % len(BITS)] + text


def _nest(text: str, where: int, what: int) -> str:
    depth = 1 + where % _MANY
    opening, closing = (("[", "]"), ("(", ")"), ("<answer>", "</answer>"), ("<think>", "</think>"), ("{", "}"))[
        what % 5
    ]
    return opening * depth + text + closing * depth


def _huge_line(text: str, where: int, what: int) -> str:
    bit = BITS[what % len(BITS)] or "x"
    return _insert(text, where, 0) + (bit * (_LONG // len(bit)))


def _huge_list(text: str, where: int, what: int) -> str:
    lines = text.split("\n")
    line = lines[where % len(lines)]
    return "\n".join([text, *(_renumbered(line, number, 1 + what % 2) for number in range(_MANY))])


def _renumbered(line: str, number: int, words: int) -> str:
    """Return ``line`` with its first words replaced by names that hold ``number``."""
    return re.sub(r"\w+", lambda word: f"{word[0]}{number}", line, count=words)


def _huge_repetition(text: str, where: int, what: int) -> str:
    lines = text.split("\n")
    return "\n".join([*lines, *[lines[where % len(lines)]] * _MANY])


SMALL: Final[dict[str, Mutation]] = {
    "delete tokens": _tokens(_delete),
    "swap tokens": _tokens(_swap),
    "repeat a token": _tokens(_repeat),
    "replace a token": _tokens(_replace),
    "copy a token": _tokens(_copy),
    "delete lines": _lines(_delete),
    "swap lines": _lines(_swap),
    "repeat a line": _lines(_repeat),
    "replace a line": _lines(_replace),
    "shuffle lines": _lines(_shuffle),
    "insert": _insert,
    "insert any character": _insert_any,
    "delete characters": _delete_character,
    "confuse": _confuse,
    "change case": _change_case,
    "truncate": _truncate,
    "say it twice": _twice,
}
LARGE: Final[dict[str, Mutation]] = {
    "nest": _nest,
    "huge line": _huge_line,
    "huge list": _huge_list,
    "huge repetition": _huge_repetition,
}
MUTATIONS: Final[dict[str, Mutation]] = {**SMALL, **LARGE}

WRAPPERS: Final = (
    *["<answer>\n{}\n</answer>"] * 5,
    "<think>let me see: <answer>x</answer></think>\nSo:\n<answer>{}</answer>",
    "{}",
    "<answer>{}",
    "<think><answer>{}</answer>",
    "<answer>{}</answer> or <answer>{}</answer>",
)


class Step(NamedTuple):
    """One mutation, with where and what."""

    mutation: str
    where: int
    what: int


def completion(reference: str, steps: Sequence[Step], wrapper: int, around: int = 0) -> str:
    """Return the reference after the steps, in an answer region or not; the last ``around`` steps come after that."""
    inside = steps[: len(steps) - around]
    text = reference
    for step in inside:
        text = MUTATIONS[step.mutation](text, step.where, step.what)
    text = WRAPPERS[wrapper % len(WRAPPERS)].replace("{}", text)
    for step in steps[len(steps) - around :]:
        text = MUTATIONS[step.mutation](text, step.where, step.what)
    return text


def random_completion(reference: str, rng: random.Random, large: float) -> str:
    """Return a completion after one to six random steps; with the chance ``large`` one of them makes it large."""
    steps = [Step(rng.choice(tuple(SMALL)), rng.getrandbits(32), rng.getrandbits(32)) for _ in range(rng.randint(1, 6))]
    if rng.random() < large:
        steps.append(Step(rng.choice(tuple(LARGE)), rng.getrandbits(32), rng.getrandbits(32)))
    return completion(reference, steps, rng.getrandbits(16), around=int(rng.random() < 0.2))
