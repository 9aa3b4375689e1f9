"""The Python that has vLLM, commands run by it or against it, and vLLM's own server for as long as a test wants it.

That Python is this one, or the one that ARGGYM_VLLM_PYTHON names; ``make endtoend`` makes one from the pins beside this
file. Whatever is started here ends with the test, and waits are long enough for a machine that does other work.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("ARGGYM_VLLM_PYTHON") or (sys.executable if importlib.util.find_spec("vllm") else "")
NO_VLLM = "vllm is not installed, and ARGGYM_VLLM_PYTHON names no Python with it; see make endtoend"
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": str(min(4, os.cpu_count() or 1)),
    "OMP_WAIT_POLICY": "PASSIVE",  # threads that wait for each other by spinning starve where other work is done
}
CONTEXT = 4096
# On a CPU, vLLM 0.31 fails when a request with a seed is cut into chunks ("CPU Generator does not use offset").
WHOLE_PROMPTS = ("--no-enable-chunked-prefill", "--max-num-batched-tokens", str(CONTEXT))
READY_WITHIN = 600.0
DONE_WITHIN = 1200.0
SHOWN = 4000
"""How many characters of a log a failure shows."""


def environment() -> dict[str, str]:
    """The environment of every process: this checkout's package, no model hub, few threads."""
    return {**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT)}


def arggym(*words: str | Path, python: str = sys.executable) -> list[str]:
    return [python, "-c", "from arggym_env.cli import main; main()", *map(str, words)]


def run(command: list[str], within: float = DONE_WITHIN) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, whatever that is."""
    return subprocess.run(
        command, env=environment(), capture_output=True, encoding="utf-8", errors="replace", timeout=within, check=False
    )


def write_model(name: str, folder: Path) -> Path:
    """Have the Python with vLLM write a model of ``tests.vllm.models`` to a folder."""
    made = run([PYTHON, "-m", "tests.vllm.models", name, str(folder)])
    assert made.returncode == 0, made.stderr[-SHOWN:]
    return folder


@dataclass(frozen=True)
class VllmServer:
    """A running server; ``m`` is the model's name there."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def tail(self) -> str:
        """The end of its log, for a failure."""
        return f"\n--- end of the server's log\n{self.log.read_text(encoding='utf-8', errors='replace')[-SHOWN:]}"

    def kill(self) -> None:
        """End it and its children at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def vllm_server(model: Path, log: Path, *options: str) -> Iterator[VllmServer]:
    """Serve a model on a free port until the block is left."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = (
        *(PYTHON, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", str(port)),
        *("--model", str(model), "--served-model-name", "m", "--max-model-len", str(CONTEXT)),
        *("--dtype", "float32", "--enforce-eager", *WHOLE_PROMPTS, *options),
    )
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment(), stdout=output, stderr=output, cwd=log.parent, start_new_session=True
        )
    server = VllmServer(f"http://127.0.0.1:{port}/v1", log, process)
    try:
        deadline = time.monotonic() + READY_WITHIN
        while not _answers(f"http://127.0.0.1:{port}/health"):
            assert process.poll() is None, f"the server ended with code {process.returncode}{server.tail()}"
            assert time.monotonic() < deadline, f"the server did not get ready in {READY_WITHIN:.0f} s{server.tail()}"
            time.sleep(0.5)
        yield server
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        server.kill()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
