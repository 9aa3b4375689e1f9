"""The reward functions inside TRL's own trainer: what it pays, logs, leaves out, and reads after a resume."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arggym_env as ag
from arggym_env.rewards.trl import KINDS, Reward, expect_unpaid, native_reward, stop_ids, success_reward

pytest.importorskip("trl", reason="TRL is not installed (extra: train)")

from arggym_env.training.seed_table import Render, seed_table
from tests.training.rows import oracle
from tests.training.tiny import tiny_model

pytestmark = pytest.mark.filterwarnings(
    "ignore:You are using 'rollout_func':UserWarning",  # how the tests put completions into the trainer's mouth
    "ignore:.*pin_memory.*:UserWarning",  # of torch, on a machine without an accelerator
)

Complete = Callable[[dict[str, Any], int], tuple[str, bool]]
"""From a row and the number of the completion in its group to the text and whether it ends."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("tiny"))


def trainer_of(
    model: Path, folder: Path, complete: Complete, rewards: list[Any], rows: int = 12, **settings: Any
) -> Any:
    """Return a trainer over all twelve tasks whose policy's completions are given."""
    from trl import GRPOConfig, GRPOTrainer

    dataset = seed_table(rows, seed=0, level=1).with_transform(Render())
    row_of = {row["prompt"][0]["content"]: row for row in dataset}

    def roll_out(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        tokenizer, said = trainer.processing_class, []
        for place, prompt in enumerate(prompts):
            text, ends = complete(row_of[prompt[0]["content"]], place % trainer.num_generations)
            said.append(tokenizer(text)["input_ids"] + [tokenizer.eos_token_id] * ends)
        asked = tokenizer.apply_chat_template(prompts, add_generation_prompt=True, return_dict=True)["input_ids"]
        return {"prompt_ids": asked, "completion_ids": said, "logprobs": None}

    arguments = {
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "max_completion_length": 64,
        "max_steps": 2,
        "logging_steps": 1,
        "learning_rate": 1e-4,
        "shuffle_dataset": False,
        "save_strategy": "no",
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "report_to": "none",
        "disable_tqdm": True,
        **settings,
    }
    return GRPOTrainer(
        model=str(model),
        reward_funcs=rewards,
        args=GRPOConfig(output_dir=str(folder), **arguments),
        train_dataset=dataset,
        rollout_func=roll_out,
    )


def stops(model: Path) -> tuple[int, ...]:
    from transformers import AutoTokenizer

    return stop_ids(AutoTokenizer.from_pretrained(model))


def test_the_oracle_earns_one_by_every_function_on_a_mixture_of_all_tasks(model: Path, tmp_path: Path) -> None:
    rewards = [Reward(kind, workers=2) for kind in KINDS]
    settings: dict[str, Any] = {
        "per_device_train_batch_size": 32,
        "reward_weights": [1.0, 0.0, 0.0, 0.0],
        "max_steps": 1,
    }
    trainer = trainer_of(model, tmp_path, lambda row, _: (oracle(row), True), rewards, **settings)
    trainer.train()
    log = trainer.state.log_history[0]
    assert {log[f"rewards/{kind}_reward/mean"] for kind in KINDS} == {1.0}
    assert log["reward"] == log["arggym/success"] == log["arggym/native"] == log["arggym/reason/correct"] == 1.0
    tasks = {row["task"] for row in trainer.train_dataset.with_format(None).select(range(8))}
    assert {name.removeprefix("arggym/success/") for name in log if name.startswith("arggym/success/")} == {
        *tasks,
        "L1-5",
    }
    assert len(trainer._logs["extra"]["reason"]) == len(trainer._logs["completion"]) == 32


def test_what_a_masked_completion_does_to_its_group(model: Path, tmp_path: Path) -> None:
    """It is in neither the mean nor the deviation of its group, and its own advantage is zero."""

    def complete(row: dict[str, Any], place: int) -> tuple[str, bool]:
        return ((oracle(row), True), ("no idea", True), (oracle(row), False), ("no idea", False))[place]

    advantages = {}
    for truncated in ("score", "zero", "mask"):
        rewards = [
            Reward(kind, workers=0, truncated=truncated, stop_ids=stops(model)) for kind in ("success", "format")
        ]
        trainer = trainer_of(model, tmp_path / truncated, complete, rewards, max_steps=1, reward_weights=[1.0, 0.0])
        trainer.train()
        advantages[truncated] = [round(value, 2) for value in trainer._logs["advantages"]]
        log = trainer.state.log_history[0]
        assert log["arggym/truncated"] == log["completions/clipped_ratio"] == 0.5
        assert log["arggym/success"] == 0.5
        assert log["rewards/success_reward/mean"] == {"score": 0.5, "zero": 0.25, "mask": 0.5}[truncated]
    assert advantages["score"] == [0.87, -0.87, 0.87, -0.87]
    assert advantages["zero"] == [1.5, -0.5, -0.5, -0.5]
    assert advantages["mask"] == [0.71, -0.71, 0.0, 0.0]


def test_a_group_of_masked_completions_changes_nothing_and_poisons_nothing(model: Path, tmp_path: Path) -> None:
    rewards = [Reward("native", workers=0, truncated="mask", stop_ids=stops(model))]
    settings = {"per_device_train_batch_size": 8, "max_steps": 1}

    def complete(row: dict[str, Any], place: int) -> tuple[str, bool]:
        return oracle(row) if place else "no idea", row["row"] != 0

    trainer = trainer_of(model, tmp_path, complete, rewards, **settings)
    trainer.train()
    by_row = sorted(zip(trainer._logs["extra"]["native"], trainer._logs["advantages"], strict=True))
    assert sorted(value for _, value in by_row)[0] < 0
    assert sum(value == 0 for _, value in by_row) == 4
    log = trainer.state.log_history[0]
    assert log["reward"] == log["rewards/native_reward/mean"] == 0.75
    assert log["grad_norm"] == log["grad_norm"], "not a number"


def test_masked_completions_are_not_logged_in_full_as_if_they_were_mistakes(
    model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("trl.trainer.grpo_trainer"), "filters", [])
    rewards = [Reward("native", workers=0, truncated="mask", stop_ids=stops(model))]
    for told in (False, True):
        if told:
            expect_unpaid()
        trainer_of(model, tmp_path / str(told), lambda row, _: ("no idea", False), rewards, max_steps=1).train()
        assert ("All reward functions returned None" in caplog.text) is not told
        caplog.clear()


def test_functions_partials_and_instances_are_accepted_under_their_names(model: Path, tmp_path: Path) -> None:
    rewards = [native_reward, functools.partial(success_reward), Reward("corrected", workers=0), Reward("format")]
    trainer = trainer_of(model, tmp_path, lambda row, _: (oracle(row), True), rewards)
    assert trainer.reward_func_names[0] == "native_reward"
    assert trainer.reward_func_names[2:] == ["corrected_reward", "format_reward"]
    trainer.train()
    assert trainer.state.log_history[0]["reward"] == 4.0


def test_a_row_of_another_version_stops_the_run(model: Path, tmp_path: Path) -> None:
    trainer = trainer_of(model, tmp_path, lambda row, _: (oracle(row), True), [success_reward])
    old = json.dumps({**json.loads(trainer.train_dataset.with_format(None)[0]["versions"]), "scoring": 0})
    dataset = trainer.train_dataset.with_format(None).map(lambda row: {"versions": old}).with_transform(Render())
    trainer.train_dataset = dataset
    with pytest.raises(ag.InstanceError, match="has scoring version 0; this package has 1"):
        trainer.train()


class Recorder:
    """A reward that remembers which rows it was given."""

    __name__ = "recorder"

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, completions: list[Any], row: list[int], **columns: Any) -> list[float]:
        self.rows += row
        return [float(place % 2) for place in range(len(completions))]


def test_a_resumed_run_reads_the_rows_that_the_interrupted_one_had_left(model: Path, tmp_path: Path) -> None:
    def run(folder: str, resume: bool = False, **settings: Any) -> list[int]:
        recorder = Recorder()
        settings = {"shuffle_dataset": True, "max_steps": 6, "save_strategy": "steps", "save_steps": 2, **settings}
        trainer = trainer_of(model, tmp_path / folder, lambda row, _: ("no idea", True), [recorder], **settings)
        trainer.train(resume_from_checkpoint=str(tmp_path / folder / "checkpoint-2") if resume else None)
        return recorder.rows

    whole = run("whole")
    assert len(set(whole)) == 6
    assert run("whole", resume=True) == whole[8:]


def test_the_documented_lines_make_a_trainer(model: Path, tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "rewards.md").read_text(encoding="utf-8")
    code = page[page.index("```python\n") + 10 :].split("```")[0]
    for written, here in {
        '"Qwen/Qwen3-0.6B"': repr(str(model)),
        '"run"': repr(str(tmp_path)),
        "GRPOConfig(": "GRPOConfig(use_cpu=True, bf16=False, report_to='none', ",
        "10_000": "16",
    }.items():
        assert written in code
        code = code.replace(written, here)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["trainer"].reward_func_names == ["success_reward", "format_reward"]
    assert names["trainer"].train_dataset[3]["prompt"][0]["role"] == "user"
