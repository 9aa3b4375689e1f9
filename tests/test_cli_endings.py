"""How commands end when the machine does not play along: one line on standard error, exit code 2, nothing lost."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import arggym_env as ag
from arggym_env.export import export, letter_coordinates_of
from arggym_env.logihard.coordinates import FORMS, LOGIHARD_TASKS
from tests.test_cli import Result, Shell

ROOT = Path(__file__).parent.parent
ARGGYM = f"{shlex.quote(sys.executable)} -c 'from arggym_env.cli import main; main()'"

needs_dev_full = pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full here")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


def in_bash(script: str, folder: Path) -> Result:
    """Run ``script``, in which ``arggym`` is the command line, as the shell would."""
    ended = subprocess.run(
        ["bash", "-c", f'arggym() {{ {ARGGYM} "$@"; }}\n{script}'],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(ended.returncode, ended.stdout, ended.stderr)


def one_line(result: Result) -> str:
    """Return the error of a command that failed with no more than that; a progress bar may stand before it."""
    assert result.code == 2
    assert "Traceback" not in result.err
    *_, line = result.err.rstrip("\n").split("\n")
    assert line.startswith("arggym: ")
    assert result.err.count("arggym: ") == 1
    return line


@needs_dev_full
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "tasks",
        "sample attack",
        "show attack",
        "show attack --svg -",
        "gallery -t attack -l 1",
        "score attack -c /dev/null",
        "export rows.jsonl -t attack -l 1",
    ],
)
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path, command: str) -> None:
    result = in_bash(f"arggym {command} > /dev/full", tmp_path)
    assert one_line(result) == "arggym: the output cannot be written: No space left on device"


@needs_dev_full
def test_where_nothing_can_be_said_the_exit_code_says_it(tmp_path: Path) -> None:
    assert in_bash("arggym sample attack > /dev/full 2>&1", tmp_path) == (2, "", "")


def test_closed_streams_are_no_tracebacks(tmp_path: Path) -> None:
    assert one_line(in_bash("arggym score attack <&-", tmp_path)).endswith("cannot read standard input: it is closed")
    assert in_bash("arggym sample attack >&-", tmp_path) == (0, "", "")


def test_a_reader_that_goes_away_ends_a_picture_quietly(tmp_path: Path) -> None:
    result = in_bash("set -o pipefail; arggym show attack -l 5 --svg - | true", tmp_path)
    assert (result.code in (0, 1), result.out, result.err) == (True, "", "")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_export_to_a_full_disk_names_the_file_and_goes_on_later(tmp_path: Path, workers: int) -> None:
    words = f"export rows.jsonl -t attack -l 1 -n 3 -w {workers}"
    cut = in_bash(f"ulimit -f 20; arggym {words}", tmp_path)
    assert one_line(cut) == "arggym: rows.jsonl cannot be written (File too large)"
    assert in_bash(f"arggym {words} --resume", tmp_path).code == 0
    assert in_bash("arggym export whole.jsonl -t attack -l 1 -n 3", tmp_path).code == 0
    assert (tmp_path / "rows.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_run_on_a_full_disk_names_the_folder_and_goes_on_later(tmp_path: Path) -> None:
    words = "eval --agent floor --limit 12 --out run"
    assert one_line(in_bash(f"ulimit -f 20; arggym {words}", tmp_path)) == "arggym: cannot write 'run': File too large"
    again = in_bash(f"arggym {words}", tmp_path)
    assert (again.code, again.out.startswith("12 of 12 asked")) == (0, True)
    before = (tmp_path / "run" / "rows.jsonl").read_bytes()
    cut = in_bash("ulimit -f 20; arggym rescore run", tmp_path)
    assert one_line(cut) == "arggym: cannot write 'run': File too large"
    assert (tmp_path / "run" / "rows.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["gallery", "-t", "attack", "-l", "1", "folder"],
        ["gallery", "-t", "attack", "-l", "1", "no/such/folder.md"],
        ["gallery", "-t", "attack", "--pages", "file"],
        ["gallery", "-t", "attack", "--pages", "file/below"],
        ["freeze", "file", "-w", "1"],
        ["freeze", "file/below", "--suite", "logihard"],
        ["export", "folder.parquet", "-t", "attack", "-l", "1"],
        ["show", "attack", "--svg", "folder"],
    ],
    ids=" ".join,
)
def test_a_place_that_cannot_be_written_is_refused_by_name(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("folder.parquet").mkdir()
    Path("file").touch()
    result = shell(*words)
    named = next(word for word in words if word.startswith(("folder", "no/", "file")))
    assert named in one_line(result)
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "folder.parquet", "file"}
    assert Path("file").read_bytes() == b""


def test_parquet_without_pyarrow_is_refused_before_any_row_is_made(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "Parquet needs pyarrow" in one_line(shell("export", str(tmp_path / "rows.parquet"), "-t", "attack"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "shard", [f"0/{10**22}", f"{10**22 - 1}/{10**22}"], ids=["the first of many", "the last of many"]
)
def test_a_shard_may_be_one_of_any_number(shell: Shell, tmp_path: Path, shard: str) -> None:
    path = tmp_path / "rows.jsonl"
    assert shell("export", str(path), "-t", "attack", "-l", "1", "--shard", shard).code == 0
    assert path.read_bytes().count(b"\n") == shard.startswith("0/")


@pytest.mark.parametrize("shard", ["3/3", "0/0", "1", "x/2", "0/" + "9" * 5_000], ids=lambda text: text[:8])
def test_what_is_no_shard_is_one_line(shell: Shell, tmp_path: Path, shard: str) -> None:
    result = shell("export", str(tmp_path / "rows.jsonl"), "-t", "attack", "--shard", shard)
    assert "shard" in one_line(result)
    assert not list(tmp_path.iterdir())


def test_shards_of_both_benchmarks_make_up_the_whole(shell: Shell, tmp_path: Path) -> None:
    chosen = ["-t", "attack", "-t", "logihard", "--family", "knights", "-t", "status_query", "-l", "1", "-n", "3"]
    whole, *parts = (tmp_path / f"{name}.jsonl" for name in ("whole", "0", "1", "2", "3", "4"))
    assert shell("export", str(whole), *chosen).code == 0
    lines = whole.read_bytes().splitlines()
    for index, part in enumerate(parts):
        assert shell("export", str(part), *chosen, "--shard", f"{index}/5").code == 0
        assert part.read_bytes().splitlines() == lines[index::5]


def test_a_shard_of_millions_takes_no_memory_for_the_others(tmp_path: Path) -> None:
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); "
        "from arggym_env.cli import main; main()"
    )
    words = ["export", str(tmp_path / "rows.jsonl"), "--seeds", "20000", "--shard", "7/7200000", "-t", "logihard"]
    tasks = [word for task in ag.TASKS for word in ("-t", task)]
    ended = subprocess.run(
        [sys.executable, "-c", script, *words, *tasks],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr.strip()) == (0, "")
    count = 20_000 * (len(ag.TASKS) * 60 + 5 * 5 * len(ag.logihard.FAMILIES))
    assert ended.stdout.startswith(f"{len(range(7, count, 7_200_000))} rows written")


@pytest.mark.parametrize("words", [["-w", "0"], ["-o", "xml"], ["--level", "x"], ["--colour"], ["more"]], ids=" ".join)
@pytest.mark.parametrize("command", ["sample", "export", "audit"])
def test_a_misused_option_is_one_line(shell: Shell, command: str, words: list[str]) -> None:
    result = shell(command, "attack", "extra", *words)
    assert one_line(result).endswith(f"(arggym {command} --help tells more)")
    assert result.err.count("\n") == 1


def test_the_command_line_alone_shows_its_help(shell: Shell) -> None:
    result = shell()
    assert (result.code, result.err) == (2, "")
    assert result.out.strip() == shell("--help").out.strip()


@pytest.mark.parametrize("index", range(9))
def test_a_row_of_an_export_is_a_stored_row(shell: Shell, tmp_path: Path, index: int) -> None:
    path = tmp_path / "rows.jsonl"
    wanted = ["-t", "attack", "-t", "logihard", "--family", "knights", "-l", "1"]
    assert shell("export", str(path), *wanted).code == 0
    row = json.loads(path.read_text(encoding="utf-8").split("\n")[index])
    words = ["--row", str(path), "--index", str(index)]
    reference = json.loads(row["instance"])["reference"]
    answer = f"<answer>\n{reference}\n</answer>" if row["ordering"] else reference
    scored = json.loads(shell("score", *words, "-o", "json", stdin=answer).out)
    assert (scored["instance_id"], scored["success"]) == (row["id"], True)
    if row["ordering"]:
        assert json.loads(shell("show", *words, "-o", "json").out)["title"] == row["id"]


def test_a_shown_theory_can_be_copied_whatever_its_width(shell: Shell, tmp_path: Path) -> None:
    theory = tmp_path / "theory.txt"
    premises = [f"[premise: a_rather_long_name_for_a_claim_{number}]" for number in range(6)]
    body = " AND ".join(premise[10:-1] for premise in premises)
    theory.write_text("\n".join([*premises, f"[defeasible r: {body} => b]"]), encoding="utf-8")
    shown = shell("show", "--theory", str(theory)).out
    assert theory.read_text(encoding="utf-8") in shown


@pytest.mark.parametrize("task", LOGIHARD_TASKS)
def test_logihard_s_tasks_go_by_the_names_that_are_listed(shell: Shell, task: str) -> None:
    tier = "base" if task == "logihard_base" else "medium"
    asked = shell("sample", task, "-s", "3")
    assert asked == shell("sample", "logihard", "--tier", tier, "-s", "3")
    assert asked == shell("sample", task, "--tier", tier, "-s", "3")
    other = {"base": "hard", "medium": "base"}[tier]
    assert f"--tier {other} is no form of {task}" in one_line(shell("sample", task, "--tier", other))
    assert json.loads(shell("score", task, "-o", "json", stdin="none").out)["success"] is False
    assert f"# {task}\n" in shell("gallery", "-t", task).out
    assert "no theory to show" in one_line(shell("show", task))


def test_logihard_stands_for_both_of_its_tasks(shell: Shell, tmp_path: Path) -> None:
    rows, expected = tmp_path / "rows.jsonl", tmp_path / "expected.jsonl"
    words = ["--family", "knights", "-l", "1"]
    assert shell("export", str(rows), "-t", "logihard", "-t", "logihard_base", *words).code == 0
    export(expected, list(letter_coordinates_of(LOGIHARD_TASKS, ["knights"], [1], FORMS, [0])))
    assert rows.read_bytes() == expected.read_bytes()
    assert shell("gallery", "-t", "logihard", "--pages", str(tmp_path / "pages")).code == 0
    assert sorted(path.stem for path in (tmp_path / "pages").iterdir()) == sorted(LOGIHARD_TASKS)


@pytest.mark.parametrize("words", [["sample"], ["export", "no/rows.jsonl", "-t"], ["gallery", "-t"]], ids=" ".join)
def test_what_is_no_task_is_told_the_names_that_work(shell: Shell, words: list[str]) -> None:
    for name, says in (("mixture", "mixture is an environment"), ("logihard_x", "task 'logihard_x' is not one of")):
        line = one_line(shell(*words, name))
        assert says in line
        for task in (*ag.TASKS, "logihard", *LOGIHARD_TASKS):
            assert task in line
