"""End to end with a real vLLM on a CPU: runs that are killed and resumed, the errors of a real server, the report.

Needs the Python of ``tests.vllm.serving``. Asserts nothing about speed or about what a model says.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from arggym_env.evaluation.folder import ROWS, read_records, read_run
from arggym_env.evaluation.record import Outcome, Record
from tests.vllm.serving import (
    CONTEXT,
    NO_VLLM,
    PYTHON,
    SHOWN,
    VllmServer,
    arggym,
    environment,
    run,
    vllm_server,
    write_model,
)

SHORT_CONTEXT = 2600
"""Of the offline test: prompts of level 1 fit, some of level 15 do not."""
EMPTY_AT_ONCE = '[extra_body.logit_bias]\n"{stop}" = 100\n'
"""Settings that make a model end before it says anything."""
ANSWER_FORM = r"<answer>\n(-?[a-z]{1,8}[0-9]{1,3}: (justified|overruled|undecided)\n){5}</answer>"
"""Of a status query, as a regular expression that the server holds the model to."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PYTHON, reason=NO_VLLM)]

Words = Sequence[str | Path]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model("tiny", tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def server(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    """The tiny model as a reasoning model: what comes before a closing tag of thinking is handed over apart."""
    with vllm_server(tiny, tmp_path_factory.mktemp("server") / "log", "--reasoning-parser", "qwen3") as running:
        yield running


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    """SmolLM2-135M-Instruct, which answers in words."""
    model = write_model("smollm2", tmp_path_factory.mktemp("smollm2"))
    with vllm_server(model, tmp_path_factory.mktemp("smollm2-server") / "log") as running:
        yield running


def asked(server: VllmServer, out: Path, *words: str | Path) -> Words:
    """The command line of a run."""
    return ("eval", "--model", "m", "--base-url", server.url, "--out", out, "--max-errors", "0", *words)


def done(words: Words, server: VllmServer | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command that has to end with ``code`` and without a traceback."""
    ended = run(arggym(*words))
    said = f"{ended.stdout[-SHOWN:]}\n{ended.stderr[-SHOWN:]}{server.tail() if server else ''}"
    assert ended.returncode == code, said
    assert "Traceback" not in ended.stderr, said
    return ended


def started(words: Words, out: Path, lines: int) -> subprocess.Popen[bytes]:
    """Start a run and return it when it has written at least so many records."""
    with (out.parent / f"{out.name}.log").open("wb") as log:
        process = subprocess.Popen(arggym(*words), env=environment(), stdout=log, stderr=log)
    deadline = time.monotonic() + 600
    while process.poll() is None and time.monotonic() < deadline:
        if (out / ROWS).exists() and (out / ROWS).read_bytes().count(b"\n") >= lines:
            break
        time.sleep(0.02)
    return process


def killed_and_resumed(words: Words, out: Path, server: VllmServer) -> list[Record]:
    """Kill a run when it holds a few records, run it to its end, and return its records."""
    process = started(words, out, lines=3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = read_records(out)
    assert kept, (out.parent / f"{out.name}.log").read_text(encoding="utf-8") + server.tail()
    done(words, server)
    records = read_records(out)
    assert records[: len(kept)] == kept  # none was lost, and none asked twice
    assert len({record.key for record in records}) == len(records) == read_run(out).manifest.asked
    return records


def tables_of(*runs: Path, page: Path) -> dict[str, list[dict[str, Any]]]:
    """Report runs as a page and as tables, and return the rows of the tables by their names."""
    report = done(("report", *runs, "--html", page, "-o", "json"))
    assert page.stat().st_size > 10_000
    assert not re.search(r'(src|href)="(https?:)?//', page.read_text(encoding="utf-8"))
    return {table["name"]: table["rows"] for table in json.loads(report.stdout)}


def unchanged_by_rescoring(out: Path) -> None:
    before = read_records(out)
    done(("rescore", out))
    assert read_records(out) == before


def test_a_run_of_a_reasoning_model_is_killed_resumed_reported_and_rescored(server: VllmServer, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = asked(
        *(server, out, "--limit", "24", "--samples", "2", "--level", "1", "--level", "2", "--concurrency", "4"),
        *("--set", "max_tokens=24", "--set", "temperature=1.0", "--seed", "0"),
    )
    records = killed_and_resumed(words, out, server)
    assert len(records) == 48
    assert {record.reply.finish_reason for record in records} <= {"length", "stop"}
    assert all(0 < record.reply.usage["completion_tokens"] <= 24 for record in records)
    cut = [record for record in records if record.reply.truncated]
    assert cut
    assert all(record.outcome is Outcome.TRUNCATED for record in cut if record.reply.text is None)
    # Thinking that is cut off leaves no content: the server says null, and what was thought stands apart.
    assert any(record.reply.text is None and record.reply.reasoning for record in cut)
    tables = tables_of(out, page=tmp_path / "report.html")
    assert set(tables) >= {"overall", "by_task", "protocol", "outcomes", "pass_at_k", "lengths"}
    (overall,) = tables["overall"]
    assert (overall["records"], overall["success"]["items"]) == (48, 24)
    unchanged_by_rescoring(out)


def test_with_thinking_switched_off_the_same_model_answers_in_the_content(server: VllmServer, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("--limit", "6", "--level", "1", "--set", "max_tokens=16", "--set", "thinking=false", "--seed", "0")
    done(asked(server, out, *words), server)
    records = read_run(out).records
    assert all(record.reply.text and record.reply.reasoning is None for record in records)
    assert all(record.thinking is False for record in records)


def test_the_same_seed_gives_the_same_completions(server: VllmServer, tmp_path: Path) -> None:
    said = []
    for name in ("one", "two"):
        words = ("--limit", "4", "--level", "1", "--concurrency", "1", "--set", "max_tokens=16", "--seed", "0")
        done(asked(server, tmp_path / name, *words), server)
        said.append([(record.reply.text, record.reply.reasoning) for record in read_run(tmp_path / name).records])
    assert said[0] == said[1]


@pytest.mark.parametrize("thinking", ["true", "false"])
def test_an_empty_completion_is_asked_again_and_then_recorded(
    server: VllmServer, tiny: Path, tmp_path: Path, thinking: str
) -> None:
    stop = json.loads((tiny / "config.json").read_text(encoding="utf-8"))["eos_token_id"]
    config = tmp_path / "empty.toml"
    config.write_text(f"thinking = {thinking}\n" + EMPTY_AT_ONCE.format(stop=stop), encoding="utf-8", newline="\n")
    words = ("--limit", "2", "--level", "1", "--config", config, "--attempts", "2", "--set", "max_tokens=8")
    done(asked(server, tmp_path / "run", *words), server, code=1)
    for record in read_run(tmp_path / "run").records:
        assert record.outcome is Outcome.API_ERROR
        assert record.reply.failure is not None
        assert (record.reply.failure.kind, record.reply.attempts) == ("empty", 2)
        assert not record.reply.text


def test_a_prompt_beyond_the_context_is_refused_by_the_server_and_recorded(server: VllmServer, tmp_path: Path) -> None:
    words = asked(server, tmp_path / "run", "--limit", "3", "--set", f"max_tokens={CONTEXT}")
    done(words, server, code=1)
    for record in read_run(tmp_path / "run").records:
        assert record.reply.failure is not None
        assert (record.reply.failure.status, record.reply.attempts) == (400, 1)


def test_a_wrong_model_name_ends_the_run(server: VllmServer, tmp_path: Path) -> None:
    words = ("eval", "--model", "other", "--base-url", server.url, "--limit", "2", "--out", tmp_path / "run")
    assert "HTTP 404" in done(words, server, code=2).stderr


def test_a_server_that_dies_ends_the_run_which_goes_on_at_another(
    server: VllmServer, tiny: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ("--limit", "24", "--level", "1", "--concurrency", "2", "--attempts", "2", "--set", "max_tokens=128")
    with vllm_server(tiny, tmp_path / "log", "--reasoning-parser", "qwen3") as other:
        process = started(asked(other, out, *words), out, lines=3)
        other.kill()
        process.wait(120)
        said = (tmp_path / "run.log").read_text(encoding="utf-8")
        assert process.returncode == 2, said
        assert "has gone" in said
        assert "Traceback" not in said
        kept = [record for record in read_records(out) if record.outcome is not Outcome.API_ERROR]
        again = done(asked(other, out, *words), code=2)
        assert "cannot be reached" in again.stderr
    done(asked(server, out, *words), server)
    found = read_run(out)
    assert len(found.records) == 24
    assert all(record.outcome is not Outcome.API_ERROR for record in found.records)
    assert {record.key: record for record in found.records}.items() >= {record.key: record for record in kept}.items()


def test_vllm_in_this_process_gives_a_run_like_the_servers(tiny: Path, tmp_path: Path) -> None:
    words = ("eval", "--offline", "--model", tiny, "--limit", "12", "--level", "1", "--level", "15")
    settings = ("--set", f"context={SHORT_CONTEXT}", "--set", "max_tokens=16", "--seed", "0")
    options = ('dtype="float32"', "enforce_eager=true", "enable_chunked_prefill=false")
    engine = [word for option in options for word in ("--vllm", option)]
    ended = run(arggym(*words, *settings, *engine, "--max-errors", "1", "--out", tmp_path, python=PYTHON))
    assert ended.returncode == 0, ended.stderr[-SHOWN:]
    records = read_run(tmp_path).records
    assert len(records) == 12
    long, short = ([record for record in records if record.level == level] for level in (15, 1))
    assert any(record.reply.failure is None for record in short)
    assert any(record.reply.failure is not None and record.reply.failure.kind == "refused" for record in long)


def test_a_pretrained_language_model_is_evaluated(smollm2: VllmServer, tmp_path: Path) -> None:
    out, floor = tmp_path / "smollm2", tmp_path / "floor"
    words = asked(
        *(smollm2, out, "--label", "SmolLM2-135M", "--level", "1", "--limit", "16", "--concurrency", "4"),
        *("--set", "max_tokens=48", "--set", "temperature=0"),
    )
    records = killed_and_resumed(words, out, smollm2)
    assert len(records) == 16
    assert any((record.reply.text or "").strip() for record in records)
    unchanged_by_rescoring(out)
    done(("eval", "--agent", "floor", "--level", "1", "--limit", "16", "--out", floor))
    tables = tables_of(out, floor, page=tmp_path / "report.html")
    overall = next(row for row in tables["overall"] if row["run"] == "SmolLM2-135M")
    assert (overall["records"], overall["of"], overall["API errors"]) == (16, 16, 0.0)
    assert overall["success"]["value"] == sum(record.success for record in records) / 16
    counted = Counter(record.outcome.value.replace("_", " ") for record in records)
    shown = [row for row in tables["outcomes"] if row["run"] == "SmolLM2-135M"]
    whole = [row for row in shown if row["task"] == "all"] or shown
    for outcome in Outcome:
        name = outcome.value.replace("_", " ")
        assert sum(row[name] for row in whole) == counted[name]
    assert sum(row["items"] for row in tables["paired"] if row["task"] != "all") == 16


def test_a_pretrained_language_model_that_is_held_to_the_form_of_an_answer_is_graded(
    smollm2: VllmServer, tmp_path: Path
) -> None:
    config = tmp_path / "form.toml"
    config.write_text(f"[extra_body.structured_outputs]\nregex = '''{ANSWER_FORM}'''\n", encoding="utf-8", newline="\n")
    out = tmp_path / "run"
    words = ("--task", "status_query", "--level", "1", "--config", config, "--set", "temperature=0")
    done(asked(smollm2, out, *words, "--set", "max_tokens=128"), smollm2)
    records = read_run(out).records
    assert records
    for record in records:
        assert record.answer_found, record.reply
        assert record.outcome in (Outcome.CORRECT, Outcome.WRONG)


def test_a_prompt_beyond_the_context_of_a_pretrained_model_costs_that_row_alone(
    smollm2: VllmServer, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ("--task", "status_query", "--level", "1", "--level", "15", "--limit", "4", "--set", "max_tokens=2000")
    done(asked(smollm2, out, *words, "--set", 'stop=[" "]'), smollm2, code=1)
    refused = {record.level: record.reply.failure for record in read_run(out).records}
    assert refused[1] is None
    assert refused[15] is not None
    assert refused[15].status == 400
