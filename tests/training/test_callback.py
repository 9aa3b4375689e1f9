from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("trl", reason="trl is not installed (extra: train)")

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

from arggym_env.envs.registry import TASKS
from arggym_env.errors import RunError
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import Outcome, Record
from arggym_env.training.callback import (
    FrozenSuiteCallback,
    band_of,
    frozen_items,
    metric_names,
    metrics_of,
    settings_of,
)
from arggym_env.training.generation import VLLM_ATTRIBUTES, Completion, Sampling, complete, untouched
from tests.training.tiny import tiny_model

Prompts = Sequence[list[dict[str, str]]]


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return frozen_items(9, tasks=["status_query", "attack", "formalization"])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("tiny"))


def trainer_of(model: Path, output: Path, callback: FrozenSuiteCallback, steps: int = 4) -> Trainer:
    """Return a plain trainer of a causal language model, which is all that the callback asks for."""
    tokenizer = AutoTokenizer.from_pretrained(str(model))
    rows = [{"input_ids": [5, 6, 7], "labels": [5, 6, 7]}] * 8
    trainer = Trainer(
        model=AutoModelForCausalLM.from_pretrained(str(model)),
        args=TrainingArguments(
            output_dir=str(output),
            max_steps=steps,
            per_device_train_batch_size=1,
            use_cpu=True,
            save_steps=2,
            logging_steps=1,
            report_to=[],
            disable_tqdm=True,
        ),
        train_dataset=rows,  # type: ignore[arg-type, unused-ignore]
        processing_class=tokenizer,
        callbacks=[callback],
    )
    callback.attach(trainer)
    return trainer


class Student:
    """Answers a growing number of the items, the first ones first, with their references."""

    def __init__(self, items: Sequence[Item], solved: Sequence[int]) -> None:
        self.answers = {item.prompt: f"<answer>{item.reference}</answer>" for item in items}
        self.solved = list(solved)
        self.asked = 0

    def __call__(self, trainer: Any, prompts: Prompts, sampling: Sampling) -> list[Completion]:
        known = self.solved[self.asked]
        self.asked += 1
        texts = [self.answers[prompt[-1]["content"]] if place < known else "no" for place, prompt in enumerate(prompts)]
        return [Completion(text, 3, 100, truncated=text == "no") for text in texts]


def test_all_rows_are_the_whole_suite() -> None:
    assert len(frozen_items()) == 1_440


@pytest.mark.parametrize("rows", [1, 36, 72, 100, 144])
def test_a_subset_is_spread_over_tasks_and_bands_and_is_the_same_each_time(rows: int) -> None:
    chosen = frozen_items(rows)
    assert [item.id for item in chosen] == [item.id for item in frozen_items(rows)]
    cells = Counter((item.task, band_of(item.level)) for item in chosen)
    assert sum(cells.values()) == rows
    assert max(cells.values()) - min(cells.values()) <= 1
    if rows >= 36:
        assert len(cells) == 3 * len(TASKS)


def test_a_smaller_subset_is_part_of_a_larger_one() -> None:
    assert {item.id for item in frozen_items(36)} < {item.id for item in frozen_items(100)}


def test_no_rows_and_unknown_metrics_are_refused(items: list[Item]) -> None:
    with pytest.raises(RunError, match="frozen rows 0"):
        frozen_items(0)
    with pytest.raises(RunError, match="no rows"):
        FrozenSuiteCallback([], 1, Sampling(8))
    with pytest.raises(RunError, match="metric 'frozen/success_mid' is not one of "):
        FrozenSuiteCallback(items, 1, Sampling(8), metric="frozen/success_mid")


def test_a_callback_without_a_trainer_says_what_to_do(items: list[Item]) -> None:
    state = SimpleNamespace(global_step=0)
    with pytest.raises(RunError, match=r"callback\.attach\(trainer\)"):
        FrozenSuiteCallback(items, 1, Sampling(8)).on_train_begin(None, state, None)


def test_the_first_of_the_best_is_kept_and_every_step_keeps_its_own_log(
    items: list[Item], model: Path, tmp_path: Path
) -> None:
    callback = FrozenSuiteCallback(items, 1, Sampling(8), generate=Student(items, [1, 4, 9, 9, 2]))
    trainer = trainer_of(model, tmp_path, callback)
    trainer.train()
    best = json.loads((tmp_path / "best" / "best.json").read_text(encoding="utf-8"))
    assert (best["step"], best["value"]) == (2, 1.0)
    kept = AutoModelForCausalLM.from_pretrained(str(tmp_path / "best")).state_dict()
    second = AutoModelForCausalLM.from_pretrained(str(tmp_path / "checkpoint-2")).state_dict()
    assert all(torch.equal(kept[name], second[name]) for name in kept)
    assert [entry["step"] for entry in trainer.state.log_history if "loss" in entry] == [1, 2, 3, 4]
    shares = [entry["frozen/success"] for entry in trainer.state.log_history if "frozen/success" in entry]
    assert shares == pytest.approx([1 / 9, 4 / 9, 1.0, 1.0, 2 / 9])


def test_a_resumed_run_keeps_the_best_and_evaluates_no_step_twice(
    items: list[Item], model: Path, tmp_path: Path
) -> None:
    first = Student(items, [0, 9, 0])
    trainer_of(model, tmp_path, FrozenSuiteCallback(items, 2, Sampling(8), generate=first)).train()
    assert first.asked == 3
    again = Student(items, [9, 9])
    trainer = trainer_of(model, tmp_path, FrozenSuiteCallback(items, 2, Sampling(8), generate=again), steps=8)
    trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-4"))
    assert again.asked == 2
    best = json.loads((tmp_path / "best" / "best.json").read_text(encoding="utf-8"))
    assert best["step"] == 2


def test_what_was_best_by_another_measure_is_not_the_best(items: list[Item], model: Path, tmp_path: Path) -> None:
    trainer_of(model, tmp_path, FrozenSuiteCallback(items, 2, Sampling(8), generate=Student(items, [9, 0, 0]))).train()
    fewer = frozen_items(3, tasks=["status_query"])
    callback = FrozenSuiteCallback(fewer, 2, Sampling(8), generate=Student(fewer, [0, 1, 0]))
    trainer_of(model, tmp_path, callback, steps=8).train(resume_from_checkpoint=str(tmp_path / "checkpoint-4"))
    best = json.loads((tmp_path / "best" / "best.json").read_text(encoding="utf-8"))
    assert (best["step"], best["value"]) == (6, pytest.approx(1 / 3))


def test_best_weights_that_were_whole_when_a_run_ended_are_not_lost(
    items: list[Item], model: Path, tmp_path: Path
) -> None:
    first = FrozenSuiteCallback(items, 2, Sampling(8), generate=Student(items, [0, 9, 0]))
    trainer_of(model, tmp_path, first).train()
    (tmp_path / "best").rename(tmp_path / "best.partial")
    again = FrozenSuiteCallback(items, 2, Sampling(8), generate=Student(items, [4, 4]))
    trainer_of(model, tmp_path, again, steps=8).train(resume_from_checkpoint=str(tmp_path / "checkpoint-4"))
    assert json.loads((tmp_path / "best" / "best.json").read_text(encoding="utf-8"))["step"] == 2
    assert not (tmp_path / "best.partial").exists()


def test_records_say_how_answers_were_sampled() -> None:
    greedy, drawn = settings_of(Sampling(8)).request(), settings_of(Sampling(8, 0.6, 0.95, 20)).request()
    assert greedy.keys() == {"model", "temperature", "max_tokens"}
    assert (drawn["temperature"], drawn["top_p"], drawn["top_k"]) == (0.6, 0.95, 20)


def test_metrics_cover_all_tasks_bands_and_both(items: list[Item], model: Path, tmp_path: Path) -> None:
    callback = FrozenSuiteCallback(items, 0, Sampling(8), at_end=False, generate=Student(items, [9]))
    trainer_of(model, tmp_path, callback, steps=1).train()
    lines = (tmp_path / "frozen" / "step_000000.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    records = [Record.from_line(line) for line in lines]
    assert {record.id for record in records} == {item.id for item in items}
    assert {record.outcome for record in records} == {Outcome.CORRECT}
    found = metrics_of(records)
    assert found["frozen/success"] == found["frozen/native"] == 1.0
    assert found["frozen/success_low"] < found["frozen/success_high"] == 1.0
    assert found["frozen/truncated/attack"] == 0.0
    for name in ("frozen/success/attack/L1-5", "frozen/native/L6-10", "frozen/success/L11-15", "frozen/tokens"):
        assert name in found
    assert set(found) == set(metric_names(items))
    assert metrics_of([]) == {}


def test_greedy_answers_do_not_depend_on_the_batch_and_leave_everything_as_it_was(
    items: list[Item], model: Path, tmp_path: Path
) -> None:
    trainer = trainer_of(model, tmp_path, FrozenSuiteCallback(items, 0, Sampling(8)))
    trainer.model.gradient_checkpointing_enable()
    trainer.model.train()
    trainer.model.model.layers[0].eval()
    modes = [module.training for module in trainer.model.modules()]
    before = torch.get_rng_state()
    asked = [[{"role": "user", "content": item.prompt}] for item in items]
    together = complete(trainer, asked, Sampling(6), batch=4)
    alone = complete(trainer, asked, Sampling(6), batch=1)
    assert [one.text for one in together] == [one.text for one in alone]
    assert all(one.tokens == 6 and one.truncated for one in together if one.tokens == 6)
    sampled = complete(trainer, asked, Sampling(6, temperature=1.0, seed=1))
    assert sampled == complete(trainer, asked, Sampling(6, temperature=1.0, seed=1))
    assert sampled != complete(trainer, asked, Sampling(6, temperature=1.0, seed=2))
    assert torch.equal(torch.get_rng_state(), before)
    assert [module.training for module in trainer.model.modules()] == modes
    assert trainer.model.is_gradient_checkpointing


def test_modes_and_random_states_come_back_after_an_error(model: Path) -> None:
    network = AutoModelForCausalLM.from_pretrained(str(model)).train()
    before = torch.get_rng_state()
    with pytest.raises(KeyError):
        _fail_inside(network)
    assert network.training
    assert torch.equal(torch.get_rng_state(), before)


def _fail_inside(network: torch.nn.Module) -> None:
    with untouched(network, 3):
        assert not network.training
        torch.rand(3)
        raise KeyError


class Engine:
    """What the callback needs of TRL's vLLM engine, recording how it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.synced = 0
        for name, value in zip(VLLM_ATTRIBUTES, (1.0, 0.9, 20, 0.1, 1.1, 4096), strict=True):
            setattr(self, name, value)

    def sync_weights(self) -> None:
        self.synced += 1

    def generate(self, prompts: list[list[int]], images: None, num_generations: int) -> tuple[Any, ...]:
        self.calls.append(tuple(getattr(self, name) for name in VLLM_ATTRIBUTES))
        return None, [[5, 2] for _ in prompts], None, None


def test_vllm_is_asked_with_the_current_weights_and_its_own_sampling_comes_back(
    items: list[Item], model: Path, tmp_path: Path
) -> None:
    trainer: Any = trainer_of(model, tmp_path, FrozenSuiteCallback(items, 0, Sampling(8)))
    trainer.use_vllm, trainer.vllm_generation = True, Engine()
    before = [getattr(trainer.vllm_generation, name) for name in VLLM_ATTRIBUTES]
    asked = [[{"role": "user", "content": item.prompt}] for item in items]
    answers = complete(trainer, asked, Sampling(64, temperature=0.0))
    assert len(answers) == len(items)
    assert trainer.vllm_generation.calls == [(0.0, 1.0, 0, 0.0, 1.0, 64)]
    assert trainer.vllm_generation.synced == 1
    assert [getattr(trainer.vllm_generation, name) for name in VLLM_ATTRIBUTES] == before
    assert not any(answer.truncated for answer in answers)
