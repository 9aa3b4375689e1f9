"""Atomic questions from local files: adapters for published formats, and filters that say why a row is left out.

A row becomes a question only if it has exactly four options and one key, and if "this statement is the correct answer"
says the same of each option whatever the others are; hardening needs no more. CSV, JSON and JSON lines are read with
the standard library; Parquet needs pyarrow (extra: export). Rows from elsewhere, a loaded hub data set for instance, go
through :func:`read_rows`.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, TextIO, cast

from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozenmap import FrozenMap
from arggym_env.logihard.atomic import OPTION_COUNT, AtomicMCQ
from arggym_env.logihard.formats import FORMATS, Format, MalformedRow, Row


class Skip(Enum):
    """Why a row does not become a question."""

    MALFORMED = "malformed"
    """A field is missing or of the wrong kind."""
    NOT_FOUR_OPTIONS = "not_four_options"
    NOT_ONE_ANSWER = "not_one_answer"
    """No option is marked as right, or several are."""
    UNUSABLE_OPTIONS = "unusable_options"
    """An option is empty, or two are the same."""
    MENTIONS_OPTIONS = "mentions_options"
    """An option is about other options or about labels: "all of the above", "both A and C", "I and II only"."""
    EXCEPT_QUESTION = "except_question"
    """The question asks for the one statement that does not hold."""
    COMPARATIVE_QUESTION = "comparative_question"
    """The question asks for the best, most or least: the others may be right too, in a lesser degree."""
    DUPLICATE = "duplicate"
    """The same context, question and options came before."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read: the questions, and how many rows were left out for which reason.

    Attributes:
        questions: in the order of the rows.
        skipped: rows left out, by the value of their :class:`Skip`; every row is counted once, under the first that
            applies.
    """

    questions: tuple[AtomicMCQ, ...]
    skipped: FrozenMap[int]


_LABEL: Final = r"\(?(?:[A-D]|I{1,3}|IV)\)?"
_MENTIONS_OPTIONS: Final = re.compile(
    r"(?i:\b(?:all|none|neither|both|any|either|each|some|two|more than one)\s+of\s+(?:the|these)\s+"
    r"(?:other\s+)?(?:above|following|others?|options|choices|answers|statements|preceding|foregoing)\b)"
    r"|(?i:\b(?:all|none|both|neither)\b.*\babove\b)"
    r"|(?i:^\W*(?:all|none|neither|both|any|either)\s+of\s+(?:these|those)\W*$)"
    r"|\b(?i:options?|choices?|answers?)\s+\(?[A-D]\b"
    rf"|\b(?i:both|either|neither)\s+{_LABEL}\s+(?i:and|or|nor)\s+{_LABEL}(?!\w)"
    rf"|^\W*{_LABEL}(?:\s*(?:,|&|\b(?i:and|or)\b)\s*{_LABEL})+(?:\s+(?i:only))?\W*$"
    r"|以上|上述选项|[A-D]\s*[和或与、]\s*[A-D]|选项\s*[A-D]"
)
_EXCEPT: Final = re.compile(r"\bEXCEPT\b|\bexcept\s*(:|\?|\.\.\.|$)|\ball\b.*\bexcept\b|除.{0,12}外|除了", re.MULTILINE)
_COMPARATIVE: Final = re.compile(r"(?<!\bat )\b(most|best|least|strongest|weakest)\b|最", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff1f\uff01])")
_PARQUET_ROWS: Final = 1_000
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_LATIN_WORD: Final = re.compile(r"[A-Za-z]+")
_LANGUAGES: Final = FrozenMap({"chinese": "zh", "cn": "zh", "中文": "zh", "english": "en", "英文": "en"})


def read_file(path: str | Path, format_name: str) -> Imported:
    """Return the questions of a local file.

    Args:
        path: a file whose name ends in .json, .jsonl, .csv or .parquet.
        format_name: one of ``FORMATS``; says how its rows are read.

    Raises:
        CoordinateError: there is no such format.
        InstanceError: the file is not of the kind that its name says, or Parquet cannot be read here.
        OSError: the file cannot be opened.
    """
    form = _format(format_name)
    path = Path(path)
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise InstanceError(f"file {path.name!r} does not end in one of {', '.join(_READERS)}")
    return _imported(reader(path, form), form)


def read_rows(rows: Iterable[Mapping[str, object]], format_name: str) -> Imported:
    """Return the questions of rows that are at hand, such as a hub data set that ``datasets.load_dataset`` returned.

    Raises:
        CoordinateError: there is no such format.
    """
    return _imported(rows, _format(format_name))


def _format(name: str) -> Format:
    form = FORMATS.get(name) if isinstance(name, str) else None
    if form is None:
        raise CoordinateError(f"format {name!r} is not one of {', '.join(FORMATS)}")
    return form


def _imported(rows: Iterable[object], form: Format) -> Imported:
    questions: list[AtomicMCQ] = []
    skipped: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    for number, row in enumerate(rows, 1):
        result = _question(row, number, form)
        if isinstance(result, AtomicMCQ) and (fingerprint := _fingerprint(result)) in seen:
            result = Skip.DUPLICATE
        if isinstance(result, Skip):
            skipped[result.value] += 1
        else:
            seen.add(fingerprint)
            questions.append(result)
    return Imported(tuple(questions), FrozenMap(dict(sorted(skipped.items()))))


def _question(row: object, number: int, form: Format) -> AtomicMCQ | Skip:
    """Return the row as a question, or why it is left out."""
    if not isinstance(row, Mapping):
        return Skip.MALFORMED
    try:
        read = form.read(row, number)
    except MalformedRow:
        return Skip.MALFORMED
    if (reason := _reason(read, form)) is not None:
        return reason
    return AtomicMCQ(
        id=f"{form.name}/{read.id}",
        source=read.source or form.name,
        language=_language(read),
        context=read.context,
        question=read.question,
        options=read.options,
        answer=read.answers[0],
        family=read.family,
        level=read.level,
    )


def _language(row: Row) -> str:
    """Return the language of a row: "zh" and "en" also where it names a region or is spelt out, else told by its text.

    Text is Chinese that has more Chinese characters than words in Latin letters: either kind quotes the other.
    """
    if told := row.language.strip().casefold():
        name = re.split("[-_]", told)[0]
        return _LANGUAGES.get(name, name)
    text = f"{row.context} {row.question}"
    return "zh" if len(_CHINESE.findall(text)) > len(_LATIN_WORD.findall(text)) else "en"


def _reason(row: Row, form: Format) -> Skip | None:
    asked = row.question or _last_sentence(row.context)
    if len(row.options) != OPTION_COUNT:
        return Skip.NOT_FOUR_OPTIONS
    if len(row.answers) != 1:
        return Skip.NOT_ONE_ANSWER
    if len({_normal(option) for option in row.options} - {""}) != OPTION_COUNT:
        return Skip.UNUSABLE_OPTIONS
    if any(_MENTIONS_OPTIONS.search(option) for option in row.options):
        return Skip.MENTIONS_OPTIONS
    if _EXCEPT.search(asked):
        return Skip.EXCEPT_QUESTION
    if form.may_compare and _COMPARATIVE.search(asked):
        return Skip.COMPARATIVE_QUESTION
    return None


def _last_sentence(text: str) -> str:
    return next((sentence for sentence in reversed(_SENTENCE_END.split(text)) if sentence), "")


def _fingerprint(question: AtomicMCQ) -> tuple[str, ...]:
    options = sorted(_normal(option) for option in question.options)
    return (_normal(question.context), _normal(question.question), *options)


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())


@contextmanager
def _opened(path: Path, newline: str = "\n") -> Iterator[TextIO]:
    """Open a text file, without the byte-order mark that spreadsheets write; other encodings are refused."""
    with path.open(encoding="utf-8-sig", newline=newline) as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise InstanceError(f"{path.name}: not UTF-8 ({error.reason} at byte {error.start})") from None


def _json_rows(path: Path, form: Format) -> Iterator[object]:
    with _opened(path) as file:
        value = _parsed(file.read(), path.name)
    yield from form.unpack(value)


def _json_line_rows(path: Path, form: Format) -> Iterator[object]:
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _parsed(line, f"{path.name}, line {number}")


def _csv_rows(path: Path, form: Format) -> Iterator[object]:
    with _opened(path, newline="") as lines:
        try:
            yield from csv.DictReader(lines, fieldnames=form.csv_columns, strict=True)
        except csv.Error as error:
            raise InstanceError(f"{path.name}: not CSV ({error})") from None


def _parquet_rows(path: Path, form: Format) -> Iterator[object]:
    try:
        import pyarrow as pa  # type: ignore[import-not-found, unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InstanceError(f"{path.name}: Parquet needs pyarrow: pip install 'arggym-env[export]'") from None
    with path.open("rb") as content:
        try:
            for batch in pq.ParquetFile(content).iter_batches(batch_size=_PARQUET_ROWS):
                yield from batch.to_pylist()
        except pa.ArrowException as error:
            raise InstanceError(f"{path.name}: not Parquet ({' '.join(str(error).split()):.200})") from None


_READERS: Final = {".json": _json_rows, ".jsonl": _json_line_rows, ".csv": _csv_rows, ".parquet": _parquet_rows}


def _parsed(text: str, where: str) -> object:
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InstanceError(f"{where}: not JSON ({error})") from None
