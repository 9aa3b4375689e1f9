"""The smoke recipe in two processes on a CPU (gloo), started by torchrun: accelerate's launcher starts one on CPUs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="trl is not installed (extra: train)")

from arggym_env.evaluation.record import Record
from tests.training.tiny import talking_model

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def launch(model: Path, output: Path, reports: Path, *words: str) -> None:
    reports.mkdir()
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc_per_node",
        "2",
        "--master_port",
        str(free_port()),
    ]
    command += [str(Path(__file__).with_name("two_processes.py")), str(reports)]
    command += ["--config", str(ROOT / "configs" / "grpo" / "cpu_smoke.yaml"), "--model", str(model)]
    command += ["--output", str(output), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_two_processes_hold_one_curriculum_and_one_model_and_resume_as_if_they_had_not_stopped(tmp_path: Path) -> None:
    model = talking_model(tmp_path / "model")
    # Groups of eight are spread over both processes: a batch of four on each.
    words = ["--num_generations", "8", "--accumulation", "1", "--min_samples", "8", "--window", "8"]
    words += ["--weights", "{status_query: 1}", "--promote", "0.01", "--demote", "0.0", "--frozen_rows", "3"]
    launch(model, tmp_path / "whole", tmp_path / "reports", *words)
    first, second = (read(tmp_path / "reports" / f"process_{index}_of_2.json") for index in range(2))
    assert first["same"] == second["same"]
    assert first["parts"] == [2, 2], "a checkpoint was called whole before both processes had written their parts"
    assert second["parts"] == []
    assert first["same"]["curriculum"] == read(tmp_path / "whole" / "checkpoint-10" / "arggym.json")["curriculum"]

    lines = (tmp_path / "whole" / "frozen" / "step_000010.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert len({Record.from_line(line).id for line in lines}) == 3

    (tmp_path / "whole" / "checkpoint-10").rename(tmp_path / "last")
    launch(model, tmp_path / "whole", tmp_path / "again", "--resume", *words)
    assert read(tmp_path / "again" / "process_0_of_2.json")["same"] == first["same"]
