"""The smoke recipe, run for real by TRL on a CPU: ten steps, checkpoints, a resumed run, and the frozen suite."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="trl is not installed (extra: train)")

from arggym_env.errors import ArgGymError, RunError
from arggym_env.evaluation.record import Record
from arggym_env.training import grpo
from arggym_env.training.options import read_options
from arggym_env.training.run import LEFT, RECORD, Run
from tests.training.tiny import talking_model

ROOT = Path(__file__).parents[2]
SMOKE = str(ROOT / "configs" / "grpo" / "cpu_smoke.yaml")

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*pin_memory.*:UserWarning",
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return talking_model(tmp_path_factory.mktemp("model"))


def train(model: Path, output: Path, *words: str) -> None:
    grpo.main(["--config", SMOKE, "--model", str(model), "--output", str(output), *words])


def log(folder: Path, step: int) -> list[dict[str, Any]]:
    state = json.loads((folder / f"checkpoint-{step}" / "trainer_state.json").read_text(encoding="utf-8"))
    return list(state["log_history"])


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def whole(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten steps without interruption, evaluated every five steps by sampling."""
    output = tmp_path_factory.mktemp("whole")
    train(model, output, "--frozen_temperature", "1.0")
    return output


def test_the_smoke_recipe_leaves_checkpoints_completions_evaluations_and_its_record(whole: Path) -> None:
    for name in ("checkpoint-5", "checkpoint-10", "final", "best"):
        assert (whole / name / "model.safetensors").is_file(), name
    record = json.loads((whole / "checkpoint-5" / RECORD).read_text(encoding="utf-8"))
    assert record["settings"]["steps"] == 10
    assert record["libraries"]["trl"]
    assert record["curriculum"]["history"].keys() == {"status_query", "attack"}
    assert len(list((whole / "completions").glob("*.parquet"))) == 10
    assert [path.name for path in sorted((whole / "frozen").glob("*.jsonl"))] == [
        "step_000000.jsonl",
        "step_000005.jsonl",
        "step_000010.jsonl",
    ]


def test_the_prompts_that_the_trainer_saw_hold_theory_and_question_and_every_completion_has_its_reason(
    whole: Path,
) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (extra: train)")
    rows = pandas.read_parquet(whole / "completions" / "completions_00001.parquet").to_dict("records")
    assert len(rows) == 8
    for row in rows:
        (message,) = row["prompt"]
        assert "[defeasible " in message["content"]
        assert "<answer>" in message["content"]
        assert row["reason"]
        assert 0 <= row["native_reward"] <= 1
    assert len({row["prompt"][0]["content"] for row in rows}) == 2


def test_the_log_has_every_step_and_beside_it_every_evaluation(whole: Path) -> None:
    history = log(whole, 10)
    assert [entry["step"] for entry in history if "reward" in entry] == list(range(1, 11))
    assert [entry["step"] for entry in history if "frozen/success" in entry] == [0, 5, 10]


def test_lengths_reasons_truncation_and_levels_are_logged(whole: Path) -> None:
    entry = next(entry for entry in log(whole, 10) if "reward" in entry)
    for name in ("completions/mean_length", "arggym/truncated", "arggym/reason/no_answer", "curriculum/level"):
        assert name in entry, name
    assert any(key.startswith("arggym/success/") for key in entry)


def test_the_rewards_of_the_smoke_run_vary_so_that_there_is_something_to_learn_from(whole: Path) -> None:
    assert any(entry.get("grad_norm", 0) > 0 for entry in log(whole, 10))


def test_a_resumed_run_is_the_run_it_would_have_been(whole: Path, model: Path, tmp_path: Path) -> None:
    output = tmp_path / "resumed"
    shutil.copytree(whole, output)
    shutil.rmtree(output / "checkpoint-10")
    train(model, output, "--resume", "--frozen_temperature", "1.0")
    for ours, theirs in zip(log(output, 10), log(whole, 10), strict=True):
        assert _timeless(ours) == _timeless(theirs)
    assert weights(output / "final") == weights(whole / "final")
    record, other = (json.loads((folder / "checkpoint-10" / RECORD).read_text()) for folder in (output, whole))
    assert record["curriculum"] == other["curriculum"]


def _timeless(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if "time" not in key and "second" not in key}


def test_evaluating_on_the_way_does_not_change_what_is_trained(whole: Path, model: Path, tmp_path: Path) -> None:
    train(model, tmp_path / "plain", "--steps", "7", "--frozen_every", "0", "--save_steps", "7")
    plain = [entry for entry in log(tmp_path / "plain", 7) if "reward" in entry]
    evaluated = [entry for entry in log(whole, 10) if "reward" in entry][:7]
    names = ("loss", "grad_norm", "reward", "entropy", "completions/mean_length")
    assert [[entry[name] for name in names] for entry in plain] == [[one[name] for name in names] for one in evaluated]


def test_a_run_that_would_not_be_the_same_run_is_refused_before_a_model_is_loaded(
    whole: Path, model: Path, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match="holds checkpoint-10; go on from it with --resume"):
        train(model, whole)
    with pytest.raises(RunError, match="no whole checkpoint"):
        train(model, tmp_path / "empty", "--resume")
    with pytest.raises(RunError, match=r"checkpoint-10: learning_rate is 0\.001; 0\.1 would be another run"):
        train(model, whole, "--resume", "--learning_rate", "0.1")
    with pytest.raises(RunError, match="99 prompts a generation; 2 with these"):
        train(model, _edit(whole, tmp_path, prompts=99), "--resume")
    with pytest.raises(RunError, match="made with arggym prompt version -1"):
        train(model, _edit(whole, tmp_path, versions={"arggym": {"generator": 1, "prompt": -1}}), "--resume")


def _edit(whole: Path, tmp_path: Path, **changes: Any) -> Path:
    """Return a run folder like ``whole`` whose checkpoint says something else."""
    folder = tmp_path / "-".join(changes)
    (folder / "checkpoint-10").mkdir(parents=True)
    record = json.loads((whole / "checkpoint-10" / RECORD).read_text(encoding="utf-8"))
    (folder / "checkpoint-10" / RECORD).write_text(json.dumps({**record, **changes}), encoding="utf-8")
    return folder


def test_a_checkpoint_that_was_interrupted_is_passed_over(whole: Path, model: Path, tmp_path: Path) -> None:
    shutil.copytree(whole / "checkpoint-5", tmp_path / "checkpoint-5")
    (tmp_path / "checkpoint-10").mkdir()
    with pytest.raises(RunError, match="checkpoint-5: temperature is"):
        train(model, tmp_path, "--resume", "--temperature", "0.5")


def test_the_records_of_an_evaluation_are_those_of_arggym_eval(whole: Path) -> None:
    lines = (whole / "frozen" / "step_000010.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    records = [Record.from_line(line) for line in lines]
    assert len(records) == 6
    assert {record.task for record in records} == {"status_query", "attack"}
    assert sorted(record.level > 5 for record in records) == [False, False, True, True, True, True]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--completion_tokens", "4", "--prompt_tokens", "100"], "that is more than the context of 104"),
        (["--accumulation", "2", "--generation_steps", "3"], "generation_steps 3 is not a multiple of accumulation 2"),
        (["--generation_steps", "4", "--save_steps", "5"], "save_steps 5 is not a multiple of the 2 steps"),
        (["--rewards", "{native: 1}"], "a curriculum counts success"),
        (["--rewards", "{nativ: 1, success: 0}"], "a mapping from one of 'native', 'success'"),
        (["--vllm", "server"], "vllm server needs vllm_url"),
        (["--curriculum", "schedule"], "schedule: its first stage starts at step None, not at 0"),
        (["--num_generations", "3"], r"generation_batch_size \(8\) must be divisible by num_generations \(3\)"),
        (["--accumulation", "0"], "accumulation 0 is less than 1"),
        (["--save_steps", "0"], "save_steps 0 is less than 1"),
        (["--learning_rate", "-1"], "learning_rate -1.0 is less than 0"),
        (["--temperature", "0"], "temperature 0.0 is not above 0"),
        (["--frozen_top_p", "2"], "frozen_top_p 2.0 is not in 0..1"),
        (["--rewards", "{}", "--curriculum", "none"], "name no reward"),
        (["--loss_type", "dappo"], "loss_type 'dappo' is not one of 'grpo', "),
        (["--scale_rewards", "rows"], "scale_rewards 'rows' is not one of 'group', "),
        (["--orderings", "[x]"], "ordering 'x' is not one of"),
        (["--weights", "{atack: 1}"], "task 'atack' is not one of"),
        (["--frozen_metric", "frozen/success_mid"], "metric 'frozen/success_mid' is not one of "),
        (["--frozen_tokens", "5000", "--vllm", "colocate"], "more than vLLM's context of 4144. Lower frozen_tokens"),
        (["--model", "/nowhere/qwen3"], "model '/nowhere/qwen3' is a path, and there is no such folder"),
        (["--model", str(Path(__file__).parent)], "is no folder with a model and its tokenizer"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(model: Path, tmp_path: Path, words: list[str], says: str) -> None:
    with pytest.raises(ArgGymError, match=says) as error:
        train(model, tmp_path / "none", *words, "--dry-run")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "none").exists()


def test_a_dry_run_says_what_would_happen_and_does_nothing(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(model, tmp_path / "none", "--dry-run")
    said = capsys.readouterr().out
    for part in (
        "versions:",
        "step: 4 completions",
        "longest prompts",
        "truncated completions",
        "frozen suite: 6 rows",
    ):
        assert part in said
    assert "memory, GiB on each GPU, with 1 process(es)" in said
    assert "warning" not in said
    assert not (tmp_path / "none").exists()


def test_a_dry_run_needs_no_gpu_and_warns_of_weights_too_coarse_for_their_steps(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--cpu", "false", "--bf16", "true", "--dtype", "bfloat16", "--dry-run"]
    train(model, tmp_path / "none", *words)
    assert "warning: bfloat16 weights without a float32 copy" in capsys.readouterr().out
    train(model, tmp_path / "none", *words, "--lora_rank", "4")
    assert "warning" not in capsys.readouterr().out


def test_help_says_how_to_use_it(capsys: pytest.CaptureFixture[str]) -> None:
    grpo.main(["--help"])
    said = capsys.readouterr().out
    assert "--resume" in said
    assert "\n  --learning_rate: a number (1e-06)\n" in said
    assert re.findall(r"^  --(\w+): ", said, re.MULTILINE) == [one.name for one in fields(grpo.Recipe)]


@pytest.mark.parametrize("left", LEFT)
def test_what_another_run_left_is_not_taken_for_this_runs_own(left: str, tmp_path: Path) -> None:
    run = Run(tmp_path, {}, [], 1, None)
    run.begin()
    (tmp_path / "checkpoint-5").mkdir()  # interrupted while it was written
    (tmp_path / left).mkdir()
    with pytest.raises(RunError, match=f"holds {left} of a run without a whole checkpoint"):
        run.begin()


CONFIGS = sorted((ROOT / "configs" / "grpo").glob("*.yaml"))
PROCESSES = {"qwen3_14b_8xh200": 8, "qwen3_14b_2nodes": 8}


@pytest.mark.parametrize("file", CONFIGS, ids=[file.stem for file in CONFIGS])
def test_every_shipped_recipe_is_one_that_trl_takes(file: Path, tmp_path: Path) -> None:
    recipe = read_options(grpo.Recipe, file)
    arguments = grpo.grpo_config(replace(recipe, cpu=True, bf16=False, output=str(tmp_path)))
    processes = PROCESSES.get(file.stem, 1)
    assert arguments.generation_batch_size * processes % recipe.num_generations == 0
    assert processes % recipe.vllm_tensor_parallel == 0
    assert recipe.dtype == "float32" or recipe.lora_rank or processes > 1, (
        "bfloat16 needs a float32 copy of the weights"
    )
