"""The formats of question files: for each, how a row says what is given, asked, offered and right.

LogicSkills and LogicBench mark one option that follows by a rule of logic, so their wording ("the most suitable
conclusion") compares nothing. The others are questions from examinations, whose wording is taken at its word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

from arggym_env.envs.stream import Stream
from arggym_env.logihard.atomic import OPTION_COUNT


class MalformedRow(Exception):
    """A field of a row is missing or of the wrong kind."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a row says, before any filter."""

    id: str
    context: str
    question: str
    options: tuple[str, ...]
    answers: tuple[int, ...]
    """The options that are marked as right."""
    family: str = ""
    level: int = 0
    language: str = ""
    """Empty where the format does not say."""
    source: str = ""
    """Empty where the format does not say."""


def _whole(value: object) -> Iterable[object]:
    """Return the rows of a JSON file: its list, or the list under "samples", "questions" or "data"."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("samples", "questions", "data") if name in value), [value])
    return cast("list[object]", value) if isinstance(value, list) else [value]


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        name: how it is asked for.
        read: returns what a row says, given also its number from 1; raises MalformedRow.
        may_compare: whether "most", "best" and the like in a question ask for a degree.
        csv_columns: names of the columns of its CSV files, None if their first line gives them.
        unpack: returns the rows in the value of a JSON file.
    """

    name: str
    read: Callable[[Mapping[str, object], int], Row]
    may_compare: bool = True
    csv_columns: Sequence[str] | None = None
    unpack: Callable[[object], Iterable[object]] = _whole


def _plain(row: Mapping[str, object], number: int) -> Row:
    """Read our own schema: the fields of AtomicMCQ, of which id, source, language, family and level may be missing.

    In CSV the options stand in columns option_1 to option_4 (more if there are more). The answer is an index from 0 or
    a letter.
    """
    options = _options(row, "options") if "options" in row else _columns(row, "option_")
    return Row(
        id=str(row.get("id") or number),
        context=_text(row, "context", ""),
        question=_text(row, "question"),
        options=options,
        answers=_answer(row.get("answer"), len(options)),
        family=_text(row, "family", ""),
        level=_number(row.get("level", 0)),
        language=_text(row, "language", ""),
        source=_text(row, "source", ""),
    )


_LOGICSKILLS: Final = re.compile(
    r"situation:\s*(?P<context>.+?)\n\s*\n(?P<question>Which[^\n]*)\n\s*(?P<options>1\. .*)", re.DOTALL
)
_NUMBERED: Final = re.compile(r"^\d+\. ", re.MULTILINE)


def _logicskills(row: Mapping[str, object], number: int) -> Row:
    """Read a validity item of LogicSkills; its key is kept with three of the others, drawn by its id."""
    found = _LOGICSKILLS.search(_text(row, "input"))
    answer = row.get("answer")
    if row.get("task") != "validity" or found is None or not isinstance(answer, list):
        raise MalformedRow
    options = tuple(part.strip() for part in _NUMBERED.split(found["options"])[1:])
    answers = tuple(index - 1 for index in answer if type(index) is int and 1 <= index <= len(options))
    name = str(row.get("id") or number)
    if len(answers) == 1 and len(set(options)) >= OPTION_COUNT:
        stream = Stream("logicskills", name)
        others = [index for index, text in enumerate(options) if index not in answers and text not in options[:index]]
        kept = sorted([*stream.sample(others, OPTION_COUNT - 1), *answers])
        options, answers = tuple(options[index] for index in kept), (kept.index(answers[0]),)
    language = "art" if row.get("language") == "carroll" else "en"
    return Row(name, found["context"].strip(), found["question"], options, answers, "validity", language=language)


def _logicbench_rows(value: object) -> Iterable[object]:
    """Return the samples of a LogicBench file, each with the file's type and axiom."""
    if not isinstance(value, Mapping) or not isinstance(value.get("samples"), list):
        return [value]
    shared = {"type": value.get("type"), "axiom": value.get("axiom")}
    return [{**sample, **shared} if isinstance(sample, Mapping) else sample for sample in value["samples"]]


def _logicbench(row: Mapping[str, object], number: int) -> Row:
    """Read a multiple-choice sample of LogicBench."""
    choices = row.get("choices")
    if not isinstance(choices, Mapping):
        raise MalformedRow
    names = _filled(choices)
    axiom = _text(row, "axiom", "")
    return Row(
        id="/".join((_text(row, "type", ""), axiom, str(row.get("id") or number))),
        context=_text(row, "context"),
        question=_text(row, "question"),
        options=tuple(_text(choices, name) for name in names),
        answers=tuple(index for index, name in enumerate(names) if name == row.get("answer")),
        family=axiom,
        language="en",
    )


def _logiqa(row: Mapping[str, object], number: int) -> Row:
    """Read LogiQA 1 (context, query, options, correct_option) or LogiQA 2 (text, question, options, answer)."""
    is_first = "query" in row
    options = _options(row, "options")
    return Row(
        id=str(row.get("id") or number),
        context=_text(row, "context" if is_first else "text"),
        question=_text(row, "query" if is_first else "question"),
        options=options,
        answers=_answer(row.get("correct_option" if is_first else "answer"), len(options)),
    )


def _agieval(row: Mapping[str, object], number: int) -> Row:
    """Read an AGIEval multiple-choice row: passage (or null), question, options with letters, label."""
    options = _options(row, "options")
    passage = row.get("passage")
    return Row(
        id=str(row.get("id") or number),
        context=passage if isinstance(passage, str) else "",
        question=_text(row, "question"),
        options=options,
        answers=_answer(row.get("label"), len(options)),
    )


def _mmlu(row: Mapping[str, object], number: int) -> Row:
    """Read MMLU: question, choices, answer, subject; or question, A, B, C, D, answer in CSV files without a header."""
    options = _options(row, "choices") if "choices" in row else tuple(_text(row, letter) for letter in "ABCD")
    return Row(
        id=str(number),
        context="",
        question=_text(row, "question"),
        options=options,
        answers=_answer(row.get("answer"), len(options)),
        family=_text(row, "subject", ""),
        language="en",
    )


def _logihard(row: Mapping[str, object], number: int) -> Row:
    """Read LogiHard-2K: the question is the end of the context; combinatorial rows fall to the filters."""
    options = _options(row, "options")
    return Row(
        id=str(row.get("id") or number),
        context=_text(row, "context"),
        question=_text(row, "question", ""),
        options=options,
        answers=_answer(row.get("correct_answer"), len(options)),
        family=_text(row, "reasoning_type", ""),
        language=_text(row, "language", ""),
        source=_text(row, "source", ""),
    )


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        form.name: form
        for form in (
            Format("plain", _plain),
            Format("logicskills", _logicskills, may_compare=False),
            Format("logicbench", _logicbench, may_compare=False, unpack=_logicbench_rows),
            Format("logiqa", _logiqa),
            Format("agieval", _agieval),
            Format("mmlu", _mmlu, csv_columns=("question", "A", "B", "C", "D", "answer")),
            Format("logihard", _logihard),
        )
    }
)
"""Every format by name."""

_LETTER: Final = re.compile(r"\(?(?P<letter>[A-Z])\)?[.)]?")
_LABEL: Final = re.compile(r"^\s*(\([A-Z]\)|[A-Z][.):\uff1a\u3001])\s*")


def _text(row: Mapping[str, object], field: str, default: str | None = None) -> str:
    value = row.get(field, default)
    if value is None and default is not None:
        value = default
    if not isinstance(value, str):
        raise MalformedRow
    return value.strip()


def _number(value: object) -> int:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    if type(value) is not int or value < 0:
        raise MalformedRow
    return value


def _options(row: Mapping[str, object], field: str) -> tuple[str, ...]:
    """Return the options in a list, or in an object by letter, without the letters in front of them."""
    value = row.get(field)
    if isinstance(value, Mapping):
        value = [value[name] for name in _filled(value)]
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise MalformedRow
    texts = [item.strip() for item in value]
    if texts and all(_LABEL.match(text) for text in texts):
        texts = [_LABEL.sub("", text) for text in texts]
    return tuple(texts)


def _filled(options: Mapping[str, object]) -> list[str]:
    """Return the letters that have an option: a file in columns has a null for those that other rows have."""
    return sorted(name for name, text in options.items() if text is not None)


def _columns(row: Mapping[str, object], prefix: str) -> tuple[str, ...]:
    """Return the options in numbered columns."""
    names = [f"{prefix}{number}" for number in range(1, 10)]
    return tuple(_text(row, name) for name in names if row.get(name))


def _answer(value: object, count: int) -> tuple[int, ...]:
    """Return the options that an answer names: an index from 0, a letter, or several of either."""
    if isinstance(value, list | tuple):
        return tuple(sorted({index for item in value for index in _answer(item, count)}))
    if isinstance(value, str):
        found = [_index(part, count) for part in re.split(r"[,\s]+", value.strip()) if part]
        return tuple(sorted(set(found)))
    if type(value) is int and 0 <= value < count:
        return (value,)
    return ()


def _index(part: str, count: int) -> int:
    found = _LETTER.fullmatch(part)
    index = ord(found["letter"]) - ord("A") if found else int(part) if part.isdecimal() else count
    if index >= count:
        raise MalformedRow
    return index
