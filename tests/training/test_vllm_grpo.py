"""The GRPO recipe with a real vLLM in its own process, on a CPU: rewards move, and the engine follows the weights.

Needs the Python of ``tests.vllm.serving``, with TRL. ``tests.vllm.colocate`` says what it changes to make this work.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from arggym_env.evaluation.record import Record
from tests.vllm.serving import NO_VLLM, PYTHON, SHOWN, run, write_model

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PYTHON, reason=NO_VLLM)]

RECIPE: dict[str, Any] = {
    "weights": {"status_query": 1},
    "levels": [1],
    "curriculum": "none",
    "rewards": {"format": 1.0},
    "reward_workers": 0,
    "truncated": "zero",
    "warmup_steps": 0,
    "prompt_tokens": 2048,
    "completion_tokens": 24,
    "cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "vllm": "colocate",
    "frozen_rows": 3,
    "frozen_tokens": 8,
}
ONE_LINE = r"<answer>\n[a-z]{1,80}[0-9]: (justified|overruled|undecided)\n</answer>"
"""An answer that a completion comes to the end of only if the name in it is short: paid for form, models learn that."""
AGREED = 1e-3
"""By how much log-probabilities of the same float32 weights may differ between vLLM's kernels and torch's."""


def trained(model: Path, folder: Path, **settings: Any) -> dict[str, Any]:
    """Run the recipe and return what ``tests.vllm.colocate`` found."""
    config, findings = folder / "recipe.yaml", folder / "findings.json"
    recipe = {**RECIPE, "model": str(model), "output": str(folder / "run"), **settings}
    config.write_text(json.dumps(recipe), encoding="utf-8", newline="\n")  # JSON is YAML
    ended = run([PYTHON, "-m", "tests.vllm.colocate", str(findings), ONE_LINE, "--config", str(config)], within=2400)
    assert ended.returncode == 0, f"{ended.stdout[-SHOWN:]}\n{ended.stderr[-SHOWN:]}"
    found: dict[str, Any] = json.loads(findings.read_text(encoding="utf-8"))
    return found


def curve(found: dict[str, Any], name: str) -> list[float]:
    return [entry[name] for entry in found["log"] if name in entry]


def the_engine_follows_the_model(gaps: dict[str, float]) -> None:
    """The engine left the weights of the start, and agrees with the model when it is given its weights, only then."""
    assert gaps["synced"] < AGREED < min(gaps["from_start"], gaps["changed"])


def test_a_random_model_learns_through_vllm_and_is_evaluated_by_it(tmp_path: Path) -> None:
    model = write_model("tiny", tmp_path / "model")
    found = trained(
        model,
        tmp_path,
        steps=24,
        num_generations=16,
        per_device_batch=16,
        accumulation=1,
        learning_rate=2e-2,
        frozen_every=12,
        save_steps=24,
    )
    rewards = curve(found, "reward")
    assert len(rewards) == 24
    assert fmean(rewards[-6:]) > fmean(rewards[:6]) + 0.2, rewards
    the_engine_follows_the_model(found["gaps"])
    assert found["gaps"]["left"] < AGREED  # the last evaluation was of the last weights
    assert [entry["step"] for entry in found["log"] if "frozen/success" in entry] == [0, 12, 24]
    for step in (0, 12, 24):
        lines = (tmp_path / "run" / "frozen" / f"step_{step:06d}.jsonl").read_text(encoding="utf-8")
        records = [Record.from_line(line) for line in lines.split("\n") if line]
        assert len(records) == RECIPE["frozen_rows"]
        assert all(record.reply.usage["completion_tokens"] <= RECIPE["frozen_tokens"] for record in records)
    assert (tmp_path / "run" / "final" / "model.safetensors").is_file()


def test_a_pretrained_language_model_takes_steps_through_vllm(tmp_path: Path) -> None:
    model = write_model("smollm2", tmp_path / "model")
    found = trained(
        model,
        tmp_path,
        steps=3,
        num_generations=4,
        per_device_batch=1,  # a prompt of 1,200 tokens takes gigabytes
        accumulation=4,
        learning_rate=5e-5,
        frozen_every=0,
        save_steps=3,
        keep_checkpoints=1,
    )
    assert len(curve(found, "reward")) == 3
    assert max(curve(found, "grad_norm")) > 0
    the_engine_follows_the_model(found["gaps"])
