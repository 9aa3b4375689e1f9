"""Adaptive tests of a model behind a real server: what is asked, recorded, taken up again, and refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arggym_env.errors import RunError
from arggym_env.evaluation.adaptive import MAX_FAILURES, ask_adaptively, manifest_of_test
from arggym_env.evaluation.chat import ChatBackend
from arggym_env.evaluation.folder import RunFolder, read_records, write_records
from arggym_env.evaluation.record import Outcome, Record
from arggym_env.evaluation.settings import Settings
from arggym_env.frozen.suite import load_frozen
from arggym_env.instances import LogiHardItem
from arggym_env.logihard.bank import answering, bank_of
from arggym_env.logihard.cat import CatReport, CatRule, adaptive_test
from tests.evaluation.server import Body, Said, Script, completion, problem, serving
from tests.test_cli import Shell

pytest.importorskip("openai", reason="openai is not installed: pip install 'arggym-env[eval]'")

ROOT = Path(__file__).parents[2]
SETTINGS = Settings(model="m", seed=0)
RULE = CatRule(max_items=8)


@cache
def bank() -> tuple[LogiHardItem, ...]:
    """A tenth of the frozen suite, of both subsets."""
    return tuple(load_frozen("logihard")[::10])


@cache
def by_prompt() -> dict[str, LogiHardItem]:
    return {item.prompt: item for item in load_frozen("logihard")}


def asked(body: Body) -> LogiHardItem:
    return by_prompt()[body["messages"][-1]["content"]]


def able(prompt: str) -> str:
    """What a model of middling ability writes: it knows the lower levels."""
    item = by_prompt()[prompt]
    return f"So:\n{item.reference}" if item.level <= 2 else "A, B, C, D"


def answer(body: Body, before: int) -> Said:
    return completion(able(body["messages"][-1]["content"]))


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return Shell(capsys, monkeypatch)


def run(path: Path, script: Script, rule: CatRule = RULE) -> tuple[CatReport, list[dict[str, Any]]]:
    """Run a test, or go on with it, and return its report and the requests that it sent."""
    with serving(script) as server:
        backend = ChatBackend(server.url, concurrency=1, attempts=1, timeout=20.0, first_pause=0.01)
        manifest = manifest_of_test(bank(), rule, label="m", bank="logihard", settings=SETTINGS, backend=backend)
        try:
            with RunFolder(path, manifest) as folder:
                return ask_adaptively(folder, bank(), rule, SETTINGS, backend), server.requests
        except RunError as error:
            error.add_note(str(len(server.requests)))
            raise


Whole = tuple[CatReport, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A test that nothing disturbed, and its requests."""
    return run(tmp_path_factory.mktemp("whole"), answer)


def test_a_model_gets_the_test_that_its_answers_lead_to(tmp_path: Path) -> None:
    report, requests = run(tmp_path, answer)
    assert report == adaptive_test(bank_of(bank()), answering(bank(), able), RULE)
    assert (report.base.items, report.combinatorial.items) == (8, 8)
    assert [type(asked(body)).__name__ for body in requests[:4]] == ["BaseItem", "CombinatorialItem"] * 2
    assert {body["seed"] for body in requests} == {0}


def test_every_request_answer_and_score_is_recorded(tmp_path: Path) -> None:
    report, requests = run(tmp_path, answer)
    records = read_records(tmp_path)
    assert [record.request for record in records] == requests
    for record in records:
        assert record.reply.text == able(str(requests[records.index(record)]["messages"][-1]["content"]))
        assert record.score is not None
    assert sum(record.success for record in records) == report.base.right + report.combinatorial.right
    assert CatReport.from_json((tmp_path / "cat.json").read_text(encoding="utf-8")) == report
    assert ET.fromstring((tmp_path / "trace.svg").read_text(encoding="utf-8")).tag.endswith("svg")


def test_a_finished_test_asks_nothing_more(tmp_path: Path) -> None:
    report, _ = run(tmp_path, answer)
    assert run(tmp_path, answer) == (report, [])


@pytest.mark.parametrize("cut", [1, 5, 15])
def test_a_test_that_was_cut_short_goes_on_where_it_was(tmp_path: Path, whole: Whole, cut: int) -> None:
    report, requests = whole
    run(tmp_path, answer)
    file = tmp_path / "rows.jsonl"
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join(lines[:cut]) + b"\n" + lines[cut][:40])
    again, more = run(tmp_path, answer)
    assert again == report
    assert more == requests[cut:]


def test_an_api_error_is_not_wrong_and_another_item_is_asked(tmp_path: Path) -> None:
    refused = {item.id for item in bank() if item.seed % 3 == 0}

    def script(body: Body, before: int) -> Said:
        return problem(400, "too long") if asked(body).id in refused else answer(body, before)

    report, _ = run(tmp_path, script)
    records = {record.id: record for record in read_records(tmp_path)}
    failed = {name for name, record in records.items() if record.outcome is Outcome.API_ERROR}
    assert failed
    assert failed <= refused
    for subset in (report.base, report.combinatorial):
        assert subset.items == RULE.max_items
        assert subset.errors == sum(step.item in failed for step in subset.steps)
        assert {step.outcome for step in subset.steps if step.item in failed} <= {"error"}
    answered = tuple(item for item in bank() if item.id not in failed)
    without = adaptive_test(bank_of(answered), answering(answered, able), RULE)
    assert without.delta_theta == report.delta_theta
    assert run(tmp_path, answer) == (report, [])  # later answers rest on the test as it was


BROKEN: dict[str, Callable[[], Said]] = {
    "errors": lambda: problem(500, "broken"),
    "empty": lambda: completion(""),
    "null": lambda: completion(None),
    "filtered": lambda: completion("A", finish="content_filter"),
    "no choices": lambda: Said(body=b'{"choices": []}'),
    "no JSON": lambda: Said(body=b"<html>"),
}


@pytest.mark.parametrize("said", BROKEN.values(), ids=BROKEN)
def test_a_broken_server_ends_the_test_and_its_items_are_asked_again(
    tmp_path: Path, whole: Whole, said: Callable[[], Said]
) -> None:
    report, requests = whole
    count = 0

    def script(body: Body, before: int) -> Said:
        nonlocal count
        count += 1
        return answer(body, before) if count <= 6 else said()

    with pytest.raises(RunError, match=f"{MAX_FAILURES} items in a row had no response") as raised:
        run(tmp_path, script)
    assert raised.value.__notes__ == [str(6 + MAX_FAILURES)]
    stopped = CatReport.from_json((tmp_path / "cat.json").read_text(encoding="utf-8"))
    assert (stopped.base.items, stopped.combinatorial.items) == (3, 3)
    assert run(tmp_path, answer) == (report, requests[6:])


def test_prose_and_letters_of_no_option_are_wrong_and_reported(tmp_path: Path) -> None:
    lines = ["I think so.", "Z", "a", "<think>A", "A, B, C, D, E, F"]
    report, _ = run(tmp_path, lambda body, before: completion(lines[asked(body).seed % len(lines)]))
    for subset in (report.base, report.combinatorial):
        assert (subset.items, subset.right, subset.errors) == (8, 0, 0)
        assert subset.unparsable >= 5
        assert subset.theta < 0


def test_a_completion_that_was_cut_off_has_no_answer_in_its_last_line(tmp_path: Path) -> None:
    def script(body: Body, before: int) -> Said:
        return completion(asked(body).reference, finish="length")

    report, _ = run(tmp_path, script)
    assert report.base.right == report.combinatorial.right == 0
    assert {record.outcome for record in read_records(tmp_path)} == {Outcome.TRUNCATED}


def changed(record: Record) -> Record:
    assert record.score is not None
    return replace(record, score=replace(record.score, success=not record.score.success))


@pytest.mark.parametrize("spoil", ["remove", "change"])
def test_records_of_another_test_are_refused(tmp_path: Path, spoil: str) -> None:
    run(tmp_path, answer)
    records = read_records(tmp_path)
    kept = [*records[:3], *([] if spoil == "remove" else [changed(records[3])]), *records[4:]]
    write_records(tmp_path, kept)
    with pytest.raises(RunError, match="a record is missing or was changed") as raised:
        run(tmp_path, answer)
    assert raised.value.__notes__ == ["0"]
    assert read_records(tmp_path) == kept


def test_another_rule_is_another_test(tmp_path: Path) -> None:
    run(tmp_path, answer)
    with pytest.raises(RunError, match="holds another run"):
        run(tmp_path, answer, CatRule(max_items=9))


def test_a_bank_without_one_of_the_subsets_is_refused() -> None:
    backend = ChatBackend("http://127.0.0.1:9/v1")
    for kind, missing in (("BaseItem", "combinatorial"), ("CombinatorialItem", "base")):
        items = [item for item in bank() if type(item).__name__ == kind]
        with pytest.raises(RunError, match=f"has no {missing} items"):
            manifest_of_test(items, RULE, label="m", bank="b", settings=SETTINGS, backend=backend)
    with pytest.raises(RunError, match=f"same id {bank()[0].id!r}"):
        manifest_of_test([*bank(), bank()[0]], RULE, label="m", bank="b", settings=SETTINGS, backend=backend)


def test_the_command_tests_a_model_and_shows_the_result(shell: Shell, tmp_path: Path) -> None:
    config = ROOT / "configs" / "eval" / "qwen3.5-4b.toml"
    with serving(answer) as server:
        words = (
            *("cat", "--base-url", server.url, "--config", str(config), "--reasoning", "on", "--model", "mine"),
            *("--set", "max_tokens=64", "--max-items", "4", "--out", str(tmp_path / "run"), "--seed", "7"),
        )
        code, out, err = shell(*words)
        assert code == 0, err
        for word in ("theta", "standard error", "items used", "no response", "max items", "delta theta", "test folder"):
            assert word in out
        sent = list(server.requests)
        assert len(sent) == 8
        assert {(body["model"], body["max_tokens"], body["top_k"], body["seed"]) for body in sent} == {
            ("mine", 64, 20, 7)
        }
        report = json.loads(shell(*words, "-o", "json", "--svg", str(tmp_path / "trace.svg")).out)
        assert len(server.requests) == 8
        code, out, err = shell(*words[:-4], "--max-items", "5", *words[-4:])
    assert (code, out) == (2, "")
    assert "holds another run" in err
    assert (report.pop("model"), report.pop("run")) == ("mine", str(tmp_path / "run"))
    assert CatReport.from_json(json.dumps(report)).base.items == 4
    assert (tmp_path / "trace.svg").read_text(encoding="utf-8").startswith("<svg")

    for command in ("report", "rescore"):
        code, out, err = shell(command, str(tmp_path / "run"))
        assert (code, out) == (2, "")
        assert "is an adaptive test" in err


def test_a_file_of_rows_is_a_bank(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bank.jsonl"
    file.write_text("".join(item.to_json() + "\n" for item in bank()), encoding="utf-8")
    with serving(answer) as server:
        words = ("cat", "--model", "m", "--base-url", server.url, "--bank", str(file), "--max-items", "3")
        report = json.loads(shell(*words, "--out", str(tmp_path / "run"), "-o", "json").out)
    assert report["base"]["items"] == 3
    assert {step["item"] for step in report["base"]["steps"]} <= {item.id for item in bank()}
    simulated = json.loads(shell("cat", "--simulate", "0", "--bank", str(file), "-o", "json").out)
    assert simulated["combinatorial"]["items"] <= len(bank())


def test_a_server_that_is_down_or_refuses_the_key_is_one_line(shell: Shell, tmp_path: Path) -> None:
    words = ("cat", "--model", "m", "--attempts", "1", "--out", str(tmp_path))
    with serving(lambda body, before: problem(401, "no key")) as server:
        code, out, err = shell(*words, "--base-url", server.url)
        assert (code, out) == (2, "")
        assert "answers HTTP 401" in err
    code, out, err = shell(*words, "--base-url", server.url)
    assert (code, out) == (2, "")
    assert "cannot be reached" in err
    assert "Traceback" not in err


KILLED = "from arggym_env.cli import main; main()"


@pytest.mark.slow
def test_a_test_that_is_killed_and_taken_up_is_the_whole_test(tmp_path: Path) -> None:
    """kill -9 in the middle: nothing is lost, only what was on its way is asked twice."""
    with serving(lambda body, before: replace(answer(body, before), delay=0.05)) as server:
        words = ("cat", "--model", "m", "--base-url", server.url, "--max-items", "10", "--out", str(tmp_path / "a"))
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", KILLED, *words]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(server.requests) < 7 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)
        before = len(read_records(tmp_path / "a"))
        assert 5 <= before < 20
        subprocess.run(command, env=environment, check=True, capture_output=True)
        prompts = [body["messages"][-1]["content"] for body in server.requests]
        whole = subprocess.run(
            [*command[:-1], str(tmp_path / "b"), "-o", "json"], env=environment, check=True, capture_output=True
        )
    assert len(prompts) - len(set(prompts)) <= 1
    ours = json.loads((tmp_path / "a" / "cat.json").read_text(encoding="utf-8"))
    theirs = json.loads(whole.stdout)
    assert ours == {name: theirs[name] for name in ours}
