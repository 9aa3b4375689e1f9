"""The commands eval, rescore and report: what they print, write and refuse, and how they end."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluation.runs import run_agent
from tests.evaluation.server import completion, problem, serving
from tests.test_cli import Shell

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return Shell(capsys, monkeypatch)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_agents_are_evaluated_rescored_and_reported(shell: Shell, tmp_path: Path) -> None:
    for agent in ("reference", "random"):
        code, out, err = shell("eval", "--agent", agent, "--limit", "24", "--out", str(tmp_path / agent))
        assert code == 0, err
        assert "24 of 24 asked" in out
        assert "24/24" in err
    assert (
        "success 100.0%"
        in shell("eval", "--agent", "reference", "--limit", "24", "--out", str(tmp_path / "reference")).out
    )
    assert "24 records scored again: 0 succeed only now" in shell("rescore", str(tmp_path / "reference")).out

    folders = [str(tmp_path / name) for name in ("reference", "random")]
    code, out, err = shell("report", *folders, "--csv", str(tmp_path / "csv"), "--html", str(tmp_path / "r.html"))
    assert (code, err) == (0, "")
    assert "100.0 [86, 100]" in out
    assert "reference -> random" in out
    with (tmp_path / "csv" / "by_task.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 24
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    tables = json.loads(shell("report", *folders, "-o", "json").out)
    assert tables[0]["rows"][0]["success"]["value"] == 1.0


def test_no_number_of_a_report_is_cut_off(shell: Shell, tmp_path: Path) -> None:
    shell("eval", "--agent", "reference", "--limit", "12", "--out", str(tmp_path))
    assert "…" not in shell("report", str(tmp_path)).out


def test_a_server_is_asked_with_a_config_and_settings_of_the_command_line(shell: Shell, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="openai is not installed: pip install 'arggym-env[eval]'")
    config = ROOT / "configs" / "eval" / "qwen3.5-4b.toml"
    with serving(lambda body, before: completion("x")) as server:
        words = (
            *("eval", "--base-url", server.url, "--config", str(config), "--reasoning", "on", "--set", "max_tokens=64"),
            *("--model", "mine", "--seed", "0", "--samples", "2", "--task", "attack", "--level", "1"),
            *("--ordering", "last-link elitist", "--out", str(tmp_path)),
        )
        code, out, err = shell(*words)
        assert code == 0, err
        assert "4 of 4 asked" in out
        sent = list(server.requests)
    assert {(body["model"], body["max_tokens"], body["top_k"]) for body in sent} == {("mine", 64, 20)}
    assert sorted(body["seed"] for body in sent) == [0, 0, 1, 1]  # in whatever order they arrived
    manifest = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (manifest["label"], manifest["settings"]["context"]) == ("mine (on)", 262144)
    assert [dict(row)["sample"] for row in rows(tmp_path / "rows.jsonl")].count(1) == 2

    code, out, err = shell(*words, "--set", "max_tokens=65")
    assert (code, out) == (2, "")
    assert "holds another run (request" in err
    assert '"max_tokens": 65' in err


def test_too_many_api_errors_end_with_exit_code_1_and_the_run_is_kept(shell: Shell, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="openai is not installed: pip install 'arggym-env[eval]'")
    words = ("eval", "--model", "m", "--limit", "4", "--attempts", "1", "--out", str(tmp_path))
    with serving(lambda body, before: problem(400, "too long")) as server:
        code, out, err = shell(*words, "--base-url", server.url)
        assert code == 1
        assert "4 api_error" in out
        assert "asks the 4 API errors again" in err
        assert shell(*words, "--base-url", server.url, "--max-errors", "1").code == 0
    assert "status 400" in shell("report", str(tmp_path)).out


INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner in the background ignores it, and so would we
from arggym_env.cli import main
main()
"""


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="openai is not installed: pip install 'arggym-env[eval]'")
    with serving(lambda body, before: replace(completion("x"), delay=0.2)) as server:
        words = ("eval", "--model", "m", "--base-url", server.url, "--limit", "200", "--out", str(tmp_path))
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTIBLE, *words],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        deadline = time.monotonic() + 30
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "the same command goes on from here" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("eval",), "name a model"),
        (("eval", "--model", "m"), "name the server"),
        (("eval", "--model", "m", "--base-url", "localhost:1"), "not an http or https address"),
        (("eval", "--agent", "reference", "--model", "m"), "--agent answers instead of a model"),
        (("eval", "--agent", "nobody"), "agent 'nobody' is not one of"),
        (("eval", "--agent", "reference", "--suite", "nothing"), "nor a file"),
        (("eval", "--agent", "reference", "--task", "atack"), "task 'atack' is not in suite"),
        (("eval", "--agent", "reference", "--config", "nothing.toml"), "cannot be read"),
        (("eval", "--model", "m", "--base-url", "http://x/v1", "--set", "tempertaure=1"), "'tempertaure' is not"),
        (("eval", "--model", "m", "--base-url", "http://x/v1", "--set", "top_p=nan"), "top_p nan is not a finite"),
        (("eval", "--model", "m", "--base-url", "http://x/v1", "--reasoning", "on"), "--reasoning on chooses a table"),
        (("cat", "--model", "m", "--base-url", "http://x/v1", "--reasoning", "on"), "--reasoning on chooses a table"),
        (("eval", "--agent", "reference", "--set", "temperature=0"), "--agent answers instead of a model"),
        (("eval", "--agent", "reference", "--vllm", "x=1"), "--vllm x=1 is for a model that runs here"),
        (("eval", "--agent", "reference", "--suite", "."), "cannot be read"),
        (("cat", "--simulate", "0", "--bank", "nothing"), "file 'nothing' cannot be read"),
        (("eval", "--model", "m", "--offline", "--vllm", "x"), "is not KEY=VALUE"),
        (("rescore", "nowhere"), "not a run folder"),
        (("report", "nowhere"), "not a run folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_line_and_exit_code_2(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = shell(*words)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [("--html", "taken"), ("--csv", "file"), ("--html", "file/page.html")], ids=" ".join)
def test_a_report_that_cannot_be_written_is_one_line_and_leaves_nothing(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_agent(tmp_path / "run", "reference", limit=2)
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").touch()
    there = sorted(tmp_path.rglob("*"))
    code, _, err = shell("report", "run", *words)
    assert code == 2
    assert err.startswith(f"arggym: cannot write '{words[1]}': ")
    assert err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == there


def test_a_run_goes_to_a_folder_named_after_suite_and_model(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shell("eval", "--agent", "constant:empty", "--limit", "2").code == 0
    assert (tmp_path / "runs" / "arggym" / "constant-empty" / "run.json").exists()


@pytest.mark.parametrize("command", ["eval", "rescore", "report"])
def test_help_says_what_the_command_is_for(shell: Shell, command: str) -> None:
    code, out, _ = shell(command, "--help")
    assert code == 0
    assert len(out) > 300
