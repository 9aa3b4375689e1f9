"""Run folders: killed at any point and taken up again, nothing is lost, asked twice, mixed or corrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from arggym_env.errors import RunError
from arggym_env.evaluation.agents import AgentBackend
from arggym_env.evaluation.folder import (
    MANIFEST,
    ROWS,
    Manifest,
    RunFolder,
    cut_torn_line,
    read_manifest,
    read_records,
    read_run,
    write_manifest,
    write_records,
)
from arggym_env.evaluation.folder import replace as replace_content
from arggym_env.evaluation.harness import ask, rescore
from arggym_env.evaluation.record import Outcome, Record
from arggym_env.evaluation.settings import Settings
from arggym_env.frozenmap import FrozenMap
from tests.evaluation.runs import SETTINGS, manifest, run_agent, some_items
from tests.evaluation.server import completion, serving

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def arggym(*words: str | Path) -> list[str]:
    return [sys.executable, "-c", "from arggym_env.cli import main; main()", *map(str, words)]


def lines(path: Path) -> list[bytes]:
    return (path / ROWS).read_bytes().split(b"\n") if (path / ROWS).exists() else []


def test_a_run_killed_in_the_middle_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="openai is not installed: pip install 'arggym-env[eval]'")
    _, items = some_items(40)
    known = {item.prompt: f"<answer>{item.reference}</answer>" for item in items}
    with serving(
        lambda body, before: replace(completion(known[body["messages"][-1]["content"]]), delay=0.05)
    ) as server:
        command = arggym(
            *("eval", "--suite", "arggym", "--model", "m", "--base-url", server.url, "--limit", "40"),
            *("--concurrency", "2", "--out", tmp_path / "run"),
        )
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while len(lines(tmp_path / "run")) < 12 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = {record.key: record for record in read_records(tmp_path / "run")}
        assert 10 <= len(kept) < 40
        with (tmp_path / "run" / ROWS).open("ab") as file:
            file.write(b'{"id": "torn')
        time.sleep(0.2)  # until the server has finished what was in flight
        before = len(server.requests)

        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        again = Counter(str(body["messages"][-1]["content"]) for body in server.requests[before:])
    run = read_run(tmp_path / "run")
    assert [record.outcome for record in run.records] == [Outcome.CORRECT] * 40
    assert all(kept[record.key] == record for record in run.records if record.key in kept)
    asked_before = {item.prompt for item in items if (item.id, 0) in kept}
    assert not asked_before & set(again)
    assert sum(again.values()) == 40 - len(kept)


@pytest.mark.parametrize("cut", [1, 40, 400])
def test_a_torn_last_line_is_cut_off_and_asked_again(tmp_path: Path, cut: int) -> None:
    whole = run_agent(tmp_path, "reference")
    content = (tmp_path / ROWS).read_bytes()
    (tmp_path / ROWS).write_bytes(content[:-cut])
    assert len(read_run(tmp_path).records) == 23
    assert run_agent(tmp_path, "reference") == whole
    assert (tmp_path / ROWS).read_bytes() == content


def test_cutting_leaves_whole_lines_and_files_that_are_not_there(tmp_path: Path) -> None:
    file = tmp_path / "f"
    cut_torn_line(file)
    for content, left in ((b"", b""), (b"a\n", b"a\n"), (b"a", b""), (b"a\nb", b"a\n")):
        file.write_bytes(content)
        cut_torn_line(file)
        assert file.read_bytes() == left


def test_a_finished_run_asks_nothing(tmp_path: Path) -> None:
    run_agent(tmp_path, "random")
    before = (tmp_path / ROWS).read_bytes()
    run_agent(tmp_path, "random")
    assert (tmp_path / ROWS).read_bytes() == before


def test_a_second_process_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    selection, items = some_items(2)
    backend = AgentBackend("reference", items)
    with RunFolder(tmp_path, manifest(selection, items, backend)):
        script = (
            "from pathlib import Path; from arggym_env.evaluation.folder import locked\n"
            f"with locked(Path({str(tmp_path)!r})): pass"
        )
        other = subprocess.run(
            [sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, encoding="utf-8", check=False
        )
        assert "another process is working on this run" in other.stderr
        with pytest.raises(RunError, match="another process"):
            run_agent(tmp_path, "reference", limit=2)
        with pytest.raises(RunError, match="another process"):
            rescore(tmp_path)
    run_agent(tmp_path / "free", "reference", limit=2)


def changed(base: Manifest, **fields: object) -> Manifest:
    return replace(base, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("request", FrozenMap({"model": "m", "temperature": 0.6})),
        ("settings", FrozenMap({"seed": 1})),
        ("samples", 2),
        ("model", "other"),
        ("sha256", "0" * 64),
        ("versions", FrozenMap({"package": "0.0.1"})),
    ],
)
def test_a_changed_request_suite_or_version_is_refused_and_named(tmp_path: Path, name: str, value: object) -> None:
    selection, items = some_items(2)
    same = manifest(selection, items, AgentBackend("reference", items))
    with RunFolder(tmp_path, same):
        pass
    before = (tmp_path / MANIFEST).read_bytes()
    with pytest.raises(RunError, match=name), RunFolder(tmp_path, changed(same, **{name: value})):
        pass
    assert (tmp_path / MANIFEST).read_bytes() == before
    moved = changed(same, label="renamed", source="http://elsewhere/v1", environment=FrozenMap({"python": "9"}))
    with RunFolder(tmp_path, moved):
        pass
    assert read_manifest(tmp_path) == moved


def test_a_record_of_another_version_is_refused_until_the_run_is_rescored(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "reference", limit=3)
    old = {**run.manifest.versions, "scoring": 0}
    records = [replace(record, versions=FrozenMap(old)) for record in run.records]
    write_records(tmp_path, records)
    with pytest.raises(RunError, match="arggym rescore"):
        read_run(tmp_path)
    rescore(tmp_path)
    assert read_run(tmp_path).records == run.records


def test_rescoring_asks_nothing_and_gives_each_completion_its_score(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "reference", limit=6)
    stale = [
        replace(record, score=replace(record.score, native=0.5, success=False), outcome=Outcome.WRONG)
        for record in run.records
        if record.score is not None
    ]
    write_records(tmp_path, stale)
    write_manifest(tmp_path, replace(run.manifest, versions=FrozenMap({**run.manifest.versions, "scoring": 0})))
    found = rescore(tmp_path)
    assert (found.records, found.gained, found.lost, found.native) == (6, 6, 0, 6)
    assert read_run(tmp_path) == run
    assert rescore(tmp_path).gained == 0


def test_rescoring_a_suite_that_has_changed_is_refused(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "reference", limit=2)
    write_manifest(tmp_path, replace(run.manifest, sha256="0" * 64))
    with pytest.raises(RunError, match="other prompts"):
        rescore(tmp_path)


def test_a_manifest_and_a_record_come_back_as_they_were(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "floor", limit=12, samples=2)
    assert read_manifest(tmp_path) == run.manifest
    assert [Record.from_line(record.to_line()) for record in run.records] == list(run.records)
    assert [record.sample for record in run.records[:2]] == [0, 1]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"format": 99}', b'{"format": 1}'])
def test_a_manifest_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(RunError) as raised:
        read_manifest(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    run_agent(tmp_path, "reference", limit=2)
    with (tmp_path / ROWS).open("ab") as file:
        file.write(b'{"id": 1}\n')
    with pytest.raises(RunError, match="line 3"):
        read_records(tmp_path)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    selection, items = some_items(1)
    same = manifest(selection, items, AgentBackend("reference", items))
    (tmp_path / ROWS).write_text("mine\n", encoding="utf-8")
    with pytest.raises(RunError, match="not a run folder"), RunFolder(tmp_path, same):
        pass
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunError, match="cannot be used"), RunFolder(tmp_path / "file", same):
        pass
    with pytest.raises(RunError, match="not a run folder"):
        read_run(tmp_path / "nowhere")


def test_the_tally_counts_what_was_there_before(tmp_path: Path) -> None:
    run_agent(tmp_path, "reference", limit=4)
    selection, items = some_items(4)
    backend = AgentBackend("reference", items)
    seen: list[tuple[int, int]] = []
    with RunFolder(tmp_path, manifest(selection, items, backend, SETTINGS, 1, "reference")) as folder:
        ask(folder, items, Settings(), backend, lambda tally: seen.append((tally.done, tally.asked)))
    assert seen == [(4, 4)]


def test_a_file_of_json_lines_is_ascii_whatever_was_said(tmp_path: Path) -> None:
    run_agent(tmp_path, "reference", limit=2)
    assert (tmp_path / ROWS).read_bytes().isascii()
    for line in lines(tmp_path)[:-1]:
        assert json.loads(line)["versions"]["package"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_new_content_goes_into_a_pipe_and_through_a_link_and_leaves_both_what_they_are(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace_content(pipe, b"sent")
        assert os.read(reader, 10) == b"sent"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    replace_content(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
