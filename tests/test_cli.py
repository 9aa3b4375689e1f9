"""The command line: every command and flag works, every bad input is one line on standard error with exit code 2."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import arggym_env as ag
from arggym_env.cli import main
from arggym_env.engine import ENGINES, SEMANTICS

THEORY = """
[premise: bird]
[axiom: penguin]
[defeasible r1: bird => flies]
[defeasible r2: penguin => -flies]
[prefer_rule: r2 > r1]
"""

every_task = pytest.mark.parametrize("task", ag.TASKS)


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Shell:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, stdin: str | bytes = "") -> Result:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            main(words)
        out, err = self._capsys.readouterr()
        return Result(int(ended.value.code or 0), out, err)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file with one stored instance of each task, at seeds 10, 11, ..."""
    path = tmp_path / "rows.jsonl"
    lines = [
        ag.generate(task, 1, ag.ORDERINGS[1], 10 + number, "eval").to_json() for number, task in enumerate(ag.TASKS)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def reference_completion(task: str, level: int = 1, ordering: str = ag.ORDERINGS[0], seed: int = 0) -> str:
    return f"<answer>\n{ag.generate(task, level, ordering, seed).reference}\n</answer>"


@every_task
def test_sample_prints_the_prompt_as_the_model_reads_it(shell: Shell, task: str) -> None:
    result = shell("sample", task)
    assert result == (0, ag.generate(task, 1, ag.ORDERINGS[0], 0).prompt + "\n", "")


@every_task
def test_sample_takes_all_five_coordinates(shell: Shell, task: str) -> None:
    for ordering in ag.ORDERINGS:
        result = shell("sample", task, "--level", "2", "--ordering", ordering, "--seed", "3", "--split", "eval")
        assert result == (0, ag.generate(task, 2, ordering, 3, "eval").prompt + "\n", "")


@every_task
def test_sample_shows_the_reference_only_when_asked(shell: Shell, task: str) -> None:
    instance = ag.generate(task, 1, ag.ORDERINGS[0], 0)
    assert instance.reference not in shell("sample", task).out
    assert shell("sample", task, "--reference").out.endswith(f"<answer>\n{instance.reference}\n</answer>\n")


@every_task
def test_a_sampled_json_row_can_be_scored_and_shown(shell: Shell, task: str, tmp_path: Path) -> None:
    row = tmp_path / "row.json"
    printed = shell("sample", task, "-l", "2", "-s", "4", "-o", "json").out
    assert printed.count("\n") == 1
    row.write_bytes(b"\xef\xbb\xbf" + printed.encode())  # as an editor on Windows saves it
    instance = ag.Instance.from_json(printed)
    assert instance == ag.generate(task, 2, ag.ORDERINGS[0], 4)
    completion = f"<answer>\n{instance.reference}\n</answer>"
    scored = json.loads(shell("score", "--row", str(row), "-o", "json", stdin=completion).out)
    assert (scored["instance_id"], scored["native"], scored["success"]) == (instance.id, 1.0, True)
    shown = json.loads(shell("show", "--row", str(row), "-o", "json").out)
    assert shown["theory"] == str(instance.theory).split("\n")


@every_task
def test_score_reads_standard_input_or_a_file(shell: Shell, task: str, tmp_path: Path) -> None:
    completion = reference_completion(task, seed=6)
    path = tmp_path / "completion.txt"
    path.write_text(completion, encoding="utf-8")
    from_stdin = shell("score", task, "--seed", "6", stdin=completion)
    assert from_stdin == shell("score", task, "--seed", "6", "--completion", str(path))
    assert from_stdin.code == 0
    for word in ("success", "yes", "correct", "1.0000", "floor"):
        assert word in from_stdin.out


@every_task
def test_score_reports_every_field_as_json(shell: Shell, task: str) -> None:
    instance = ag.generate(task, 1, ag.ORDERINGS[0], 0)
    result = shell("score", task, "-o", "json", stdin="I do not know")
    report = json.loads(result.out)
    assert report == {
        "instance_id": instance.id,
        "native": 0.0,
        "success": False,
        "floor": instance.floor,
        "corrected": 0.0,
        "answer_found": False,
        "reason": "no_answer",
        "detail": {},
    }


@every_task
def test_the_output_of_sample_can_be_piped_into_score(shell: Shell, task: str) -> None:
    sampled = shell("sample", task, "--reference").out
    assert json.loads(shell("score", task, "-o", "json", stdin=sampled).out)["success"] is True


@every_task
@pytest.mark.parametrize("junk", [b"", b"\xff\xfe<answer>\x00</answer>", b"<answer>\xed\xa0\x80: justified</answer>"])
def test_hostile_bytes_are_scored_and_not_crashed_on(shell: Shell, task: str, junk: bytes) -> None:
    for output in ("text", "json"):
        result = shell("score", task, "-o", output, stdin=junk)
        assert (result.code, result.err) == (0, "")
        result.out.encode()


def test_rows_are_chosen_by_an_index_from_zero(shell: Shell, rows: Path) -> None:
    for index, task in enumerate(ag.TASKS):
        shown = json.loads(shell("show", "--row", str(rows), "--index", str(index), "-o", "json").out)
        assert shown["title"] == f"{task}/L01/last_link_democratic/eval/{10 + index}"


def test_a_row_can_come_from_standard_input(shell: Shell, rows: Path) -> None:
    line = rows.read_text(encoding="utf-8").split("\n")[0]
    assert shell("show", "--row", "-", stdin=line).code == 0


@every_task
def test_show_lists_the_whole_state_within_80_columns(shell: Shell, task: str) -> None:
    instance = ag.generate(task, 5, ag.ORDERINGS[0], 0)
    state = ag.evaluate(instance.theory, instance.ordering)
    result = shell("show", task, "--level", "5")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.split("\n"))) <= 80
    for expected in (instance.id, f"Arguments ({state.argument_count})", f"{state.defeat_count} defeats"):
        assert expected in result.out
    for part in (*instance.theory.directives, *state.arguments):
        assert str(part) in result.out
    assert result.out.count("yes\n") + result.out.count("yes ") >= sum(attack.succeeds for attack in state.attacks)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("ordering", ag.ORDERINGS)
def test_show_explains_a_theory_of_ones_own(
    shell: Shell, tmp_path: Path, engine: str, semantics: str, ordering: str
) -> None:
    path = tmp_path / "theory.txt"
    path.write_text(THEORY, encoding="utf-8")
    words = ["show", "--theory", str(path), "--engine", engine, "--semantics", semantics, "--ordering", ordering]
    text, values = shell(*words), json.loads(shell(*words, "-o", "json").out)
    assert text.code == 0
    assert "A3 " in text.out
    assert values["statuses"]["-flies"] == "justified"
    assert values["statuses"]["flies"] == "overruled"
    assert values["ordering"] == ordering
    assert [attack for attack in values["attacks"] if attack["defeat"]] == [
        {"attacker": 2, "attacked": 3, "kind": "rebut", "defeat": True}
    ]
    assert values["defeats"] == [[2, 3]]
    assert [argument["label"] for argument in values["arguments"]] == ["in", "in", "in", "out"]


def test_tasks_lists_every_task(shell: Shell) -> None:
    text, values = shell("tasks").out, json.loads(shell("tasks", "-o", "json").out)
    assert tuple(values) == (*ag.TASKS, "logihard_base", "logihard_combinatorial", "mixture")
    assert all(task in text for task in values)
    assert all(environment in text for environment in (*ag.LOGIHARD_ENV_IDS, ag.MIXTURE_ENV_ID))
    assert max(map(len, text.split("\n"))) <= 80


def test_version_is_the_packages(shell: Shell) -> None:
    assert shell("--version") == (0, ag.__version__ + "\n", "")


@pytest.mark.parametrize("command", [(), ("tasks",), ("sample",), ("score",), ("show",)], ids=" ".join)
def test_help_names_what_there_is(shell: Shell, command: Sequence[str]) -> None:
    result = shell(*command, "--help")
    assert result.code == 0
    assert "Usage: arggym" in result.out
    assert max(map(len, result.out.split("\n"))) <= 80
    if command and command != ("tasks",):
        assert all(task in result.out for task in ag.TASKS)


T = ag.TASKS[0]
BAD_INPUT: dict[str, tuple[list[str], str]] = {
    "unknown task": (["sample", "atack"], f"task 'atack' is not one of {', '.join(ag.TASKS)}"),
    "level 0": (["sample", T, "--level", "0"], f"level 0 is not in 1..15 (task {T})"),
    "level 16": (["show", T, "-l", "16"], f"level 16 is not in 1..15 (task {T})"),
    "misspelt ordering": (
        ["score", T, "--ordering", "last-link elitst"],
        "ordering 'last-link elitst' is not one of " + ", ".join(map(repr, ag.ORDERINGS)),
    ),
    "negative seed": (["sample", T, "--seed", "-1"], "seed -1 is not an integer from 0 to 2**63 - 1"),
    "seed too large": (["sample", T, "--seed", str(2**63)], f"seed {2**63} is not an integer from 0 to 2**63 - 1"),
    "unknown split": (["sample", T, "--split", "dev"], "split 'dev' is not one of 'train', 'eval', 'frozen'"),
    "unknown engine": (["show", T, "--engine", "fast"], "engine 'fast' is not one of 'native', 'pyarg'"),
    "unknown semantics": (["show", T, "--semantics", "ideal"], "semantics 'ideal' is not one of 'grounded', "),
    "too few arguments": (["show", T, "--max-arguments", "3"], "the theory has more than 3 arguments"),
    "no arguments": (["show", T, "--max-arguments", "0"], "max_arguments 0 is not a positive integer"),
    "no instance": (["score"], f"name a task ({', '.join(ag.TASKS)}) or a stored row (--row FILE)"),
    "an index without rows": (["show", T, "--index", "0"], "--index chooses a row of a file; it needs --row"),
    "missing completion": (["score", T, "-c", "no/such file"], "cannot read 'no/such file': No such file or directory"),
    "missing row": (["show", "--row", "no/such file"], "cannot read 'no/such file': No such file or directory"),
    "missing theory": (["show", "--theory", "no/such file"], "cannot read 'no/such file': No such file or directory"),
    "a folder": (["score", T, "-c", "."], "cannot read '.': Is a directory"),
    "a name with NUL": (["score", T, "-c", "a\0b"], "cannot read 'a\\x00b': "),
    "a task and a row": (["show", T, "--row", "-"], f"task '{T}' and --row '-' both name an instance"),
    "a file and a row": (["score", "a.txt", "--row", "-", "-c", "b"], "'a.txt' is not a task, and --row names the"),
    "a task and a theory": (["show", T, "--theory", "-"], "--theory shows a theory of your own"),
    "one stream for two": (["score", "--row", "-"], "cannot both come from standard input"),
    "empty row": (["show", "--row", "-"], "-: no rows"),
}


@pytest.mark.parametrize(("words", "message"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_is_one_line_on_standard_error(shell: Shell, words: list[str], message: str) -> None:
    result = shell(*words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("arggym: ")
    assert message in result.err
    assert result.err.count("\n") == 1


BAD_THEORIES: dict[str, tuple[str, str]] = {
    "unreadable": ("[premise: a]\n\n[premis: b]", "arggym: line 3: cannot read '[premis: b]': "),
    "twin rules": (
        "[premise: a]\n[defeasible r1: a => b]\n[strict r2: a -> b]",
        "arggym: line 3: rules r1 and r2 have the same antecedents and consequent",
    ),
    "unknown rule": ("[premise: a]\n[prefer_rule: r1 > r2]", "arggym: line 2: r1 in [prefer_rule: r1 > r2] is not a"),
    "hostile bytes": ("[premise: \ud800]", "arggym: line 1: cannot read "),
}


@pytest.mark.parametrize(("text", "message"), BAD_THEORIES.values(), ids=BAD_THEORIES.keys())
def test_a_malformed_theory_is_an_error_with_its_line_number(shell: Shell, text: str, message: str) -> None:
    result = shell("show", "--theory", "-", stdin=text.encode("utf-8", "surrogatepass"))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1


BAD_ROWS = {
    "not JSON": ("{", "instance: not JSON"),
    "no object": ("[1]", "instance: not a JSON object"),
    "no fields": ("{}", "instance: field "),
    "several": ("{}\n{}", "-: 2 rows; choose one with --index 0..1"),
}


@pytest.mark.parametrize(("text", "message"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_malformed_row_is_one_clear_error(shell: Shell, text: str, message: str) -> None:
    result = shell("show", "--row", "-", stdin=text)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("index", ["-1", "99"])
def test_an_index_outside_the_file_is_refused(shell: Shell, rows: Path, index: str) -> None:
    result = shell("show", "--row", str(rows), "--index", index)
    assert (result.code, result.out) == (2, "")
    assert f"row {index} is not in 0..{len(ag.TASKS) - 1}" in result.err


@pytest.mark.parametrize("words", [["sample"], ["sample", T, "--level", "five"], ["sample", T, "--colour"], ["dance"]])
def test_a_misused_command_says_so_and_exits_with_two(shell: Shell, words: list[str]) -> None:
    result = shell(*words)
    assert result.code == 2
    assert "Traceback" not in result.err
    assert result.err


def command_line(*words: str) -> list[str]:
    return [sys.executable, "-c", "from arggym_env.cli import main; main()", *words]


def test_the_command_line_works_in_the_c_locale() -> None:
    environment = {**os.environ, "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words, stdin in (
        (["sample", T], b""),
        (["score", T], "<answer>é: \U0001f642</answer>".encode()),
        (["show", T], b""),
        (["--help"], b""),
    ):
        result = subprocess.run(command_line(*words), input=stdin, env=environment, capture_output=True, check=False)
        assert (result.returncode, result.stderr) == (0, b"")
        assert result.stdout


def test_a_reader_that_goes_away_is_no_error() -> None:
    for words in (["show", T, "-l", "5"], ["sample", T, "-o", "json"]):
        with subprocess.Popen(command_line(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b""
