"""Adapters and filters: each format, each reason, and the real files where a checkout has them."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections import Counter
from pathlib import Path

import pytest

from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.instances import score_item
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.files import Imported, Skip, read_file, read_rows
from arggym_env.logihard.formats import FORMATS
from arggym_env.logihard.hardening import harden

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "mcq"
needs_real_files = pytest.mark.skipif(not REAL.is_dir(), reason=f"the real question files are not at {REAL}")

OPTIONS = ["it rains", "it snows", "it hails", "it is dry"]
PLAIN: dict[str, object] = {"context": "C.", "question": "Which follows?", "options": OPTIONS, "answer": 2}

SAMPLES: dict[str, dict[str, object]] = {
    "plain": PLAIN,
    "logicskills": {
        "id": "7",
        "task": "validity",
        "language": "english",
        "input": "Solve.\n\nConsider the following situation:\n\nC.\n\nWhich, if any, follow?\n\n"
        + "".join(f"{number}. {text}\n" for number, text in enumerate((*OPTIONS, "it thaws", "it thaws"), 1)),
        "answer": [3],
    },
    "logicbench": {
        "type": "propositional_logic",
        "axiom": "modus_tollens",
        "id": 7,
        "context": "C.",
        "question": "What is the most suitable conclusion?",
        "choices": {f"choice_{number}": text for number, text in enumerate(OPTIONS, 1)},
        "answer": "choice_3",
    },
    "logiqa": {"context": "C.", "query": "Which follows?", "options": OPTIONS, "correct_option": 2},
    "agieval": {
        "passage": "C.",
        "question": "Which follows?",
        "options": [f"({letter}){text}" for letter, text in zip("ABCD", OPTIONS, strict=True)],
        "label": "C",
    },
    "mmlu": {"question": "Which follows?", "choices": OPTIONS, "answer": 2, "subject": "formal_logic"},
    "logihard": {
        "id": "7",
        "subset": "base",
        "language": "en",
        "source": "GMAT",
        "context": "C. Which follows?",
        "options": dict(zip("ABCD", OPTIONS, strict=True)),
        "correct_answer": "C",
        "reasoning_type": "syllogism",
    },
}


def only(imported: Imported) -> AtomicMCQ:
    assert not imported.skipped
    (question,) = imported.questions
    return question


def reasons(**changes: object) -> dict[str, int]:
    imported = read_rows([{**PLAIN, **changes}], "plain")
    assert len(imported.questions) + sum(imported.skipped.values()) == 1
    return dict(imported.skipped)


def test_every_format_has_a_sample_here() -> None:
    assert list(SAMPLES) == list(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_of_each_format_becomes_its_question(name: str) -> None:
    question = only(read_rows([SAMPLES[name]], name))
    assert question.options[question.answer] == "it hails"
    assert set(question.options) <= {*OPTIONS, "it thaws"}
    assert question.id.startswith(f"{name}/")
    assert question.source == ("GMAT" if name == "logihard" else name)
    assert question.language == "en"
    assert question.level == 0
    assert AtomicMCQ.from_json(question.to_json()) == question


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_without_its_fields_is_counted_not_raised(name: str) -> None:
    sample = SAMPLES[name]
    for field in sample:
        imported = read_rows([{key: value for key, value in sample.items() if key != field}], name)
        assert len(imported.questions) + sum(imported.skipped.values()) == 1
    junk: list[object] = [None, 5, "", [], {}, {"question": None, "options": 3}, dict.fromkeys(sample)]
    for row in junk:
        imported = read_rows([row], name)  # type: ignore[list-item]
        assert dict(imported.skipped) == {"malformed": 1}


def test_logiqa_2_is_told_by_its_field_names() -> None:
    row = {"id": 9, "text": "C.", "question": "Which follows?", "options": OPTIONS, "answer": 2, "type": {}}
    assert only(read_rows([row], "logiqa")).id == "logiqa/9"


@pytest.mark.parametrize("answer", [2, "2", "C", "(C)", "C.", [2], ["C"]], ids=str)
def test_an_answer_is_an_index_or_a_letter(answer: object) -> None:
    assert only(read_rows([{**PLAIN, "answer": answer}], "plain")).answer == 2


@pytest.mark.parametrize("answer", [0, "0", "A"], ids=repr)
def test_the_first_option_can_be_the_key(answer: object) -> None:
    assert only(read_rows([{**PLAIN, "answer": answer}], "plain")).answer == 0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"options": OPTIONS[:3]}, Skip.NOT_FOUR_OPTIONS),
        ({"options": [*OPTIONS, "it thaws"]}, Skip.NOT_FOUR_OPTIONS),
        ({"answer": "B, C"}, Skip.NOT_ONE_ANSWER),
        ({"answer": None}, Skip.NOT_ONE_ANSWER),
        ({"answer": 4}, Skip.NOT_ONE_ANSWER),
        ({"answer": -1}, Skip.NOT_ONE_ANSWER),
        ({"answer": "E"}, Skip.MALFORMED),
        ({"answer": "it hails"}, Skip.MALFORMED),
        ({"question": 5}, Skip.MALFORMED),
        ({"options": "abcd"}, Skip.MALFORMED),
        ({"level": "high"}, Skip.MALFORMED),
        ({"options": [*OPTIONS[:3], "It  rains"]}, Skip.UNUSABLE_OPTIONS),
        ({"options": [*OPTIONS[:3], " "]}, Skip.UNUSABLE_OPTIONS),
        ({"options": [*OPTIONS[:3], "None of the above"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "all of the other options"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "None of these."]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "All of those"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "Both A and C"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "A and C"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "I, II and III only"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "Neither option B nor option D"]}, Skip.MENTIONS_OPTIONS),
        ({"options": [*OPTIONS[:3], "以上都不对"]}, Skip.MENTIONS_OPTIONS),
        ({"question": "All of these follow EXCEPT"}, Skip.EXCEPT_QUESTION),
        ({"question": "Each of them follows, except:"}, Skip.EXCEPT_QUESTION),
        ({"question": "Which is best supported?"}, Skip.COMPARATIVE_QUESTION),
        ({"question": "Which would most weaken the argument?"}, Skip.COMPARATIVE_QUESTION),
        ({"question": "", "context": "C. Which is the least likely?"}, Skip.COMPARATIVE_QUESTION),
        ({"question": "以下哪项最能削弱上述论证?"}, Skip.COMPARATIVE_QUESTION),
    ],
    ids=str,
)
def test_a_row_that_cannot_be_hardened_is_left_out_for_its_reason(changes: dict[str, object], reason: Skip) -> None:
    assert reasons(**changes) == {reason.value: 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"question": "Which must be true if at least two of them come, and at most three?"},
        {"question": "", "context": "Most birds fly. What follows?"},
        {"options": [*OPTIONS[:3], "Both Anna and Carl come."]},
        {"options": [*OPTIONS[:3], "None of the birds fly."]},
        {"options": [*OPTIONS[:3], "All of these birds fly."]},
        {"options": [*OPTIONS[:3], "Neither Ivan nor Dora answers a question."]},
    ],
    ids=str,
)
def test_a_row_that_only_looks_like_one_of_these_is_kept(changes: dict[str, object]) -> None:
    assert reasons(**changes) == {}


def test_a_question_that_came_before_is_left_out_whatever_the_order_of_its_options() -> None:
    again = {**PLAIN, "id": "b", "options": OPTIONS[::-1], "answer": 1, "question": "which  follows?"}
    imported = read_rows([PLAIN, again, {**PLAIN, "context": "D."}], "plain")
    assert len(imported.questions) == 2
    assert dict(imported.skipped) == {"duplicate": 1}


def test_chinese_text_is_told_from_english() -> None:
    assert only(read_rows([{**PLAIN, "context": "所有的鸟都会飞。"}], "plain")).language == "zh"
    quoting = {**PLAIN, "context": "The character 人 means person. It stands on the door."}
    assert only(read_rows([quoting], "plain")).language == "en"


@pytest.mark.parametrize(
    ("told", "language"),
    [("zh-CN", "zh"), ("zh_Hant", "zh"), ("Chinese", "zh"), ("EN", "en"), ("en-GB", "en"), ("art", "art")],
)
def test_a_language_is_told_by_its_name_or_its_code_with_or_without_a_region(told: str, language: str) -> None:
    assert only(read_rows([{**PLAIN, "language": told}], "plain")).language == language


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_our_own_questions_are_read_back_from_the_lines_they_were_written_as(tmp_path: Path, suffix: str) -> None:
    written = [generate_atomic(family, 1, 3) for family in ("knights", "ordering")]
    lines = [question.to_json() for question in written]
    path = tmp_path / f"questions{suffix}"
    text = "\n".join(lines) + "\n" if suffix == ".jsonl" else f"[{','.join(lines)}]"
    path.write_text(text, encoding="utf-8", newline="\n")
    imported = read_file(path, "plain")
    assert [question.options for question in imported.questions] == [question.options for question in written]
    assert [question.answer for question in imported.questions] == [question.answer for question in written]
    assert {question.source for question in imported.questions} == {"procedural"}


def test_csv_files_have_options_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "context", *(f"option_{number}" for number in range(1, 5)), "answer"])
        writer.writerow(["Which follows?", "C,\nD.", *OPTIONS, "C"])
    question = only(read_file(path, "plain"))
    assert (question.context, question.options, question.answer) == ("C,\nD.", tuple(OPTIONS), 2)


def test_mmlu_csv_files_have_no_header(tmp_path: Path) -> None:
    path = tmp_path / "formal_logic_test.csv"
    path.write_text(f"Which follows?,{','.join(OPTIONS)},C\n", encoding="utf-8", newline="\n")
    assert only(read_file(path, "mmlu")).answer == 2


def test_line_separators_inside_a_string_do_not_split_a_json_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        json.dumps({**PLAIN, "context": "C\u2028D\u0085E"}, ensure_ascii=False), encoding="utf-8", newline="\n"
    )
    assert only(read_file(path, "plain")).context == "C\u2028D\u0085E"


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv"])
def test_a_byte_order_mark_is_no_part_of_a_file_and_another_encoding_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"questions{suffix}"
    text = json.dumps({**PLAIN, "context": "C\u00e9."}, ensure_ascii=False)
    if suffix == ".csv":
        text = f"context,question,option_1,option_2,option_3,option_4,answer\nC\u00e9.,Q,{','.join(OPTIONS)},C\n"
    path.write_text(text, encoding="utf-8-sig")
    assert only(read_file(path, "plain")).context == "C\u00e9."
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InstanceError, match=rf"questions\{suffix}: not UTF-8 \(.* at byte \d+\)"):
        read_file(path, "plain")


def test_a_file_of_the_wrong_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "Q"}\n{oops\n', encoding="utf-8")
    with pytest.raises(InstanceError, match=r"questions\.jsonl, line 2: not JSON"):
        read_file(path, "plain")
    with pytest.raises(InstanceError, match=r"does not end in one of \.json, \.jsonl, \.csv, \.parquet"):
        read_file(tmp_path / "questions.txt", "plain")
    with pytest.raises(CoordinateError, match="format 'bigbench' is not one of plain"):
        read_file(path, "bigbench")


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_parquet_without_its_package_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match=r"pip install 'arggym-env\[export\]'"):
        read_file(tmp_path / "questions.parquet", "plain")


def shorter(row: dict[str, object]) -> dict[str, object]:
    """Return a row of another question, with three options where its format names options by letter."""
    found = {**row, "context": "D.", "id": "8"} if "id" in row else {**row, "question": "Which holds?"}
    for field in ("options", "choices"):
        if isinstance(named := row.get(field), dict):
            found[field] = dict(list(named.items())[:3])
    return {**found, "id": 8} if isinstance(row.get("id"), int) else found


@pytest.mark.parametrize("name", FORMATS)
def test_parquet_files_of_every_format_are_read_as_their_rows_are(name: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: export)")
    import pyarrow.parquet as pq

    rows = [SAMPLES[name], shorter(SAMPLES[name])]
    path = tmp_path / "questions.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    imported = read_file(path, name)
    assert imported == read_rows(rows, name)
    assert len(imported.questions) + sum(imported.skipped.values()) == 2
    assert imported.questions[0] == only(read_rows(rows[:1], name))


def test_questions_in_parquet_are_hardened_and_scored(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: export)")
    import pyarrow.parquet as pq

    path = tmp_path / "questions.parquet"
    written = [generate_atomic("knights", 1, seed) for seed in range(5)]
    pq.write_table(
        pa.Table.from_pylist([json.loads(question.to_json()) for question in written]), path, row_group_size=2
    )
    for question, source in zip(read_file(path, "plain").questions, written, strict=True):
        assert (question.options, question.answer) == (source.options, source.answer)
        item = harden(question, "expert", 1)
        assert score_item(item, item.reference).success


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: export)")
    path = tmp_path / "questions.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InstanceError, match=r"questions\.parquet: not Parquet \("):
        read_file(path, "plain")


@pytest.mark.parametrize("name", FORMATS)
def test_a_hub_data_set_is_read_as_its_rows_are(name: str) -> None:
    datasets = pytest.importorskip("datasets", reason="the datasets package is not installed")
    rows = [SAMPLES[name], shorter(SAMPLES[name])]
    assert read_rows(datasets.Dataset.from_list(rows), name) == read_rows(rows, name)


@needs_real_files
def test_logicskills_validity_items_are_imported_with_three_of_their_other_options() -> None:
    path = REAL / "logicskills_validity.jsonl"
    imported = read_file(path, "logicskills")
    rows = {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    assert len(imported.questions) + sum(imported.skipped.values()) == len(rows) == 600
    assert len(imported.questions) == 600
    assert Counter(question.language for question in imported.questions) == {"art": 300, "en": 300}
    for question in imported.questions:
        row = rows[question.id.removeprefix("logicskills/")]
        assert f"{row['answer'][0]}. {question.options[question.answer]}\n" in row["input"]
        assert all(f". {option}\n" in row["input"] for option in question.options)
    assert read_file(path, "logicskills") == imported


@needs_real_files
def test_logicbench_samples_are_all_imported() -> None:
    files = sorted((REAL / "logicbench").glob("*.json"))
    imported = [read_file(path, "logicbench") for path in files]
    questions = [question for each in imported for question in each.questions]
    assert sum(len(each.questions) + sum(each.skipped.values()) for each in imported) == 20 * len(files)
    assert len(questions) == 340
    assert len({question.id for question in questions}) == 340
    assert len({question.family for question in questions}) == 11
