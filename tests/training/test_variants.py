"""Each branch of the recipe that a CPU can take, run for a few steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="trl is not installed (extra: train)")

from arggym_env.errors import RunError
from arggym_env.training import grpo
from tests.training.tiny import talking_model

SMOKE = str(Path(__file__).parents[2] / "configs" / "grpo" / "cpu_smoke.yaml")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return talking_model(tmp_path_factory.mktemp("model"))


def run(model: Path, output: Path, *words: str) -> list[dict[str, Any]]:
    common = ["--config", SMOKE, "--model", str(model), "--output", str(output), "--steps", "4", "--save_steps", "4"]
    grpo.main([*common, "--frozen_every", "0", *words])
    return history(output, 4)


def history(output: Path, step: int) -> list[dict[str, Any]]:
    state = json.loads((output / f"checkpoint-{step}" / "trainer_state.json").read_text(encoding="utf-8"))
    return [entry for entry in state["log_history"] if "loss" in entry]


VARIANTS = {
    "lora": ["--lora_rank", "4", "--lora_alpha", "8"],
    "generation for two steps": ["--generation_steps", "4"],
    "masked truncation": ["--truncated", "mask"],
    "kl term": ["--beta", "0.1"],
    "flat levels": ["--curriculum", "none"],
    "system message": ["--system", "Answer at once."],
    "gradient checkpointing": ["--gradient_checkpointing", "true"],
    "with logihard": ["--weights", "{status_query: 1, logihard_base: 1}"],
    "corrected": ["--rewards", "{corrected: 1, success: 0.5, format: 0.1}"],
}


@pytest.mark.parametrize("words", VARIANTS.values(), ids=VARIANTS)
def test_the_recipe_runs(model: Path, tmp_path: Path, words: list[str]) -> None:
    entries = run(model, tmp_path, *words)
    assert [entry["step"] for entry in entries] == [1, 2, 3, 4]
    assert any(entry["grad_norm"] > 0 for entry in entries)


def test_adapters_are_saved_and_evaluated(model: Path, tmp_path: Path) -> None:
    run(model, tmp_path, "--lora_rank", "4", "--frozen_every", "4")
    assert (tmp_path / "best" / "adapter_model.safetensors").is_file()
    assert (tmp_path / "frozen" / "step_000004.jsonl").is_file()


def test_levels_follow_a_schedule_and_the_reward_scores_what_was_rendered(model: Path, tmp_path: Path) -> None:
    words = ("--curriculum", "schedule", "--schedule", "{0: [1, 1], 2: [3, 3]}", "--weights", "{status_query: 1}")
    levels = [entry["curriculum/level"] for entry in run(model, tmp_path, *words)]
    assert levels == [1.0, 1.0, 3.0, 3.0]


def test_a_promotion_reaches_the_prompts_after_those_that_were_fetched_ahead(model: Path, tmp_path: Path) -> None:
    words = ["--weights", "{status_query: 1}", "--min_samples", "8", "--window", "8", "--replay", "0.0"]
    levels = [entry["curriculum/level"] for entry in _generous(model, tmp_path, *words)]
    assert levels == [1.0, 1.0, 2.0, 2.0]  # what step 2 solved was of level 1 still, and does not count for level 2


def _generous(model: Path, output: Path, *words: str) -> list[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grpo, "make_rewards", _all_solved)
        return run(model, output, *words)


def _all_solved(recipe: grpo.Recipe, tokenizer: Any) -> dict[str, Any]:
    def solved(completions: list[Any], **columns: Any) -> list[float]:
        """Return success for each completion, if the row says the level that its options ask for."""
        assert columns["level"] == [json.loads(options)["level"] for options in columns["options"]]
        return [1.0] * len(completions)

    return dict.fromkeys(recipe.rewards, solved)


def test_data_loader_workers_do_not_go_with_a_curriculum(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = grpo.grpo_config

    def with_workers(recipe: grpo.Recipe) -> Any:
        arguments = config(recipe)
        arguments.dataloader_num_workers = 1
        return arguments

    monkeypatch.setattr(grpo, "grpo_config", with_workers)
    with pytest.raises(RunError, match="dataloader_num_workers 1 does not go with a curriculum"):
        run(model, tmp_path)
