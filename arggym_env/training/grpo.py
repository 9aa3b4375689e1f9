r"""GRPO on ArgGYM with TRL: the whole recipe, from hyperparameters to checkpoints.

    python training/grpo.py --config configs/grpo/qwen3_4b_h200.yaml                       # one GPU
    python training/grpo.py --config configs/grpo/qwen3_4b_h200.yaml --dry-run             # what it would do, and stop
    python training/grpo.py --config configs/grpo/qwen3_4b_h200.yaml --learning_rate 2e-6 --output runs/other
    python training/grpo.py --config configs/grpo/qwen3_4b_h200.yaml --resume              # from the newest checkpoint
    accelerate launch --config_file configs/accelerate/8gpu_zero3.yaml training/grpo.py \
        --config configs/grpo/qwen3_14b_8xh200.yaml                                        # eight GPUs

Two nodes, LoRA, a smoke run on a CPU, what each metric means and how much memory it all takes: docs/training.md.

Questions are fresh (no row is seen twice) and levels follow a curriculum. Rewards are the environments' own; truncated
completions count for nothing in reward, baseline and loss unless told otherwise. The frozen suite is evaluated on the
way and the best checkpoint by success is kept. Left out on purpose: supervised warm starts, tool use, reward models,
hyperparameter search, and uploading anything anywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from arggym_env.envs.registry import TASKS
from arggym_env.errors import ArgGymError, RunError
from arggym_env.rewards.trl import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Every hyperparameter; a configuration file sets them, and ``--name value`` on the command line over it."""

    # Model
    model: str  # a folder or a hub id; colocated vLLM loads the same
    dtype: Literal["float32", "bfloat16"] = "float32"  # of the trained weights; autocast is bfloat16 where bf16 is true
    attention: str | None = None  # attn_implementation; None is the model's default
    thinking: bool | None = None  # the chat template's enable_thinking; None leaves its default
    lora_rank: int = 0  # 0 trains every weight
    lora_alpha: int = 32
    lora_targets: str = "all-linear"
    # Questions
    seed: int = 0
    weights: dict[str, float] | None = None  # task -> weight; None is the twelve argumentation tasks alike
    levels: list[int] | None = None  # of the table; a curriculum overrides them
    orderings: list[str] | None = None
    system: str | None = None  # a system message
    curriculum: Literal["none", "schedule", "adaptive"] = "adaptive"
    schedule: dict[int, list[int]] = field(default_factory=dict)  # from step -> [lowest, highest] level
    promote: float = 0.7
    demote: float = 0.2
    window: int = 128
    min_samples: int = 64
    replay: float = 0.15
    start_level: int = 1
    # Rewards
    rewards: dict[Kind, float] = field(default_factory=lambda: {"native": 1.0, "success": 0.0, "format": 0.0})
    truncated: Literal["mask", "zero"] = "mask"  # "mask": no reward, not in the baseline, not in the loss
    reward_workers: int = 4
    # GRPO
    steps: int = 1_000
    num_generations: int = 8
    per_device_batch: int = 8  # completions of one forward and backward pass
    accumulation: int = 8
    generation_steps: int | None = None  # batches of one generation; None is the accumulation: fresh every step
    learning_rate: float = 1e-6
    warmup_steps: int = 10
    max_grad_norm: float = 1.0
    beta: float = 0.0  # weight of the KL term; above 0 a reference model is held
    epsilon: float = 0.2
    epsilon_high: float | None = 0.28
    loss_type: Literal["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo"] = "dapo"
    scale_rewards: Literal["group", "batch", "none"] = "group"
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    prompt_tokens: int = 6_144  # the preflight refuses longer prompts
    completion_tokens: int = 8_192
    # Hardware
    cpu: bool = False
    bf16: bool = True
    gradient_checkpointing: bool = True
    vllm: Literal["off", "colocate", "server"] = "colocate"
    vllm_memory: float = 0.35
    vllm_tensor_parallel: int = 1
    vllm_sleep: bool = False
    vllm_url: str | None = None
    gpu_gib: float = 139.0  # for the memory estimate: an H200
    # Frozen suite
    frozen_every: int = 50  # steps; 0 for never
    frozen_rows: int | None = 144  # None is all 1,440
    frozen_tokens: int | None = None  # None is completion_tokens
    frozen_temperature: float = 0.0  # 0 takes the likeliest token
    frozen_top_p: float = 1.0
    frozen_top_k: int = 0
    frozen_metric: str = "frozen/success"  # the best checkpoint has the most of it
    frozen_batch: int = 8  # prompts of one generate call where there is no vLLM
    # Run folder
    output: str
    logging_steps: int = 1
    save_steps: int = 50
    keep_checkpoints: int | None = 3  # with 1, a run that ends while it saves may be left with none
    report_to: list[str] = field(default_factory=list)
    log_completions: bool = True


FREE: Final = frozenset(
    (
        *("steps", "reward_workers", "cpu", "gradient_checkpointing", "gpu_gib"),
        *("vllm", "vllm_memory", "vllm_tensor_parallel", "vllm_sleep", "vllm_url"),
        *("frozen_every", "frozen_rows", "frozen_tokens", "frozen_temperature", "frozen_top_p", "frozen_top_k"),
        *("frozen_metric", "frozen_batch"),
        *("output", "logging_steps", "save_steps", "keep_checkpoints", "report_to", "log_completions"),
    )
)
"""What a resumed run may change: how long and where it runs and what it writes, never its data or its objective."""


def build(recipe: Recipe, arguments: Any, run: Any) -> Any:
    """Return the trainer with everything attached: data, rewards, curriculum, frozen suite, records.

    ``arguments`` are ``grpo_config(recipe)``; ``run`` is its :class:`~arggym_env.training.run.Run`.
    """
    from transformers import AutoTokenizer
    from trl import GRPOTrainer

    from arggym_env.training.curriculum_callback import CurriculumCallback, Watch
    from arggym_env.training.preflight import generation_period
    from arggym_env.training.run import Keeper
    from arggym_env.training.seed_table import Render, seed_table

    tokenizer = AutoTokenizer.from_pretrained(recipe.model, padding_side="left")
    rows = -(-recipe.steps // generation_period(recipe)) * run.prompts  # a longer run begins with the same ones
    table = seed_table(rows, seed=recipe.seed, weights=recipe.weights, level=recipe.levels, ordering=recipe.orderings)
    rewards = make_rewards(recipe, tokenizer)
    callbacks: list[Any] = []
    if run.curriculum is not None:
        rewards["success"] = watch = Watch(rewards["success"], run.curriculum)
        callbacks.append(CurriculumCallback(run.curriculum, watch))
    if (frozen := make_frozen(recipe)) is not None:
        callbacks.append(frozen)
    callbacks.append(Keeper(run))  # the last to hear of a save: what it writes says that the checkpoint is whole
    trainer = GRPOTrainer(
        model=recipe.model,
        reward_funcs=list(rewards.values()),
        args=arguments,
        train_dataset=table.with_transform(Render(run.curriculum, system=recipe.system)),
        processing_class=tokenizer,
        peft_config=lora(recipe),
        callbacks=callbacks,
    )
    if frozen is not None:
        frozen.attach(trainer)
    return trainer


def grpo_config(recipe: Recipe) -> Any:
    """Return TRL's configuration for a recipe."""
    from trl import GRPOConfig

    model = {"dtype": recipe.dtype} | ({"attn_implementation": recipe.attention} if recipe.attention else {})
    chosen: dict[str, Any] = {}
    if recipe.thinking is not None:
        chosen["chat_template_kwargs"] = {"enable_thinking": recipe.thinking}
    if recipe.vllm != "off":
        chosen |= {"use_vllm": True, "vllm_mode": recipe.vllm, "vllm_server_base_url": recipe.vllm_url}
        chosen |= {"vllm_gpu_memory_utilization": recipe.vllm_memory, "vllm_enable_sleep_mode": recipe.vllm_sleep}
        chosen |= {"vllm_tensor_parallel_size": recipe.vllm_tensor_parallel}
        chosen |= {"vllm_max_model_length": recipe.prompt_tokens + recipe.completion_tokens}
    return GRPOConfig(
        output_dir=recipe.output,
        model_init_kwargs=model,
        seed=recipe.seed,
        shuffle_dataset=False,  # rows are random already, and the curriculum knows when each is used
        remove_unused_columns=False,
        max_steps=recipe.steps,
        num_generations=recipe.num_generations,
        per_device_train_batch_size=recipe.per_device_batch,
        gradient_accumulation_steps=recipe.accumulation,
        steps_per_generation=recipe.generation_steps or recipe.accumulation,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="constant_with_warmup",  # so that a longer run begins like a shorter one
        warmup_steps=recipe.warmup_steps,
        max_grad_norm=recipe.max_grad_norm,
        beta=recipe.beta,
        epsilon=recipe.epsilon,
        epsilon_high=recipe.epsilon_high,
        loss_type=recipe.loss_type,
        scale_rewards=recipe.scale_rewards,
        reward_weights=list(recipe.rewards.values()),
        mask_truncated_completions=recipe.truncated == "mask",
        temperature=recipe.temperature,
        top_p=recipe.top_p,
        top_k=recipe.top_k,
        max_completion_length=recipe.completion_tokens,
        use_cpu=recipe.cpu,
        bf16=recipe.bf16,
        gradient_checkpointing=recipe.gradient_checkpointing,
        logging_steps=recipe.logging_steps,
        log_completions=recipe.log_completions,
        num_completions_to_print=0,  # they are in the run folder, as Parquet
        save_steps=recipe.save_steps,
        save_total_limit=recipe.keep_checkpoints,
        report_to=recipe.report_to or "none",
        ddp_timeout=7_200,  # seconds that processes wait for one that is still generating
        **chosen,
    )


def make_frozen(recipe: Recipe) -> Any:
    """Return the callback that evaluates the frozen suite, or None."""
    from arggym_env.training.callback import FrozenSuiteCallback, frozen_items
    from arggym_env.training.generation import Sampling

    if not recipe.frozen_every:
        return None
    tokens = recipe.frozen_tokens or recipe.completion_tokens
    return FrozenSuiteCallback(
        frozen_items(recipe.frozen_rows, [task for task in recipe.weights or () if task in TASKS]),
        recipe.frozen_every,
        Sampling(tokens, recipe.frozen_temperature, recipe.frozen_top_p, recipe.frozen_top_k, recipe.seed),
        metric=recipe.frozen_metric,
        thinking=recipe.thinking,
        system=recipe.system,
        batch=recipe.frozen_batch,
    )


def make_rewards(recipe: Recipe, tokenizer: Any) -> dict[Kind, Callable[..., Any]]:
    """Return the reward functions by name, in the order of their weights."""
    from arggym_env.rewards.trl import Reward, expect_unpaid
    from arggym_env.training.generation import stops_of

    if recipe.truncated == "mask":
        expect_unpaid()
    stops = stops_of(recipe.model, tokenizer)
    return {
        name: Reward(name, workers=recipe.reward_workers, truncated=recipe.truncated, stop_ids=stops)
        for name in recipe.rewards
    }


def lora(recipe: Recipe) -> Any:
    """Return PEFT's configuration, or None where every weight is trained."""
    if not recipe.lora_rank:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=recipe.lora_rank, lora_alpha=recipe.lora_alpha, target_modules=recipe.lora_targets, task_type="CAUSAL_LM"
    )


def main(words: Sequence[str]) -> None:
    """Run the recipe that the command line names."""
    from arggym_env.training.options import describe_options, read_options, take_flag

    rest = list(words)
    if take_flag(rest, "--help"):
        print(__doc__, describe_options(Recipe), sep="\n")  # noqa: T201 - a script
        return
    from arggym_env.training.curriculum import Clock, make_curriculum
    from arggym_env.training.preflight import accepted, check_settings, generation_period, preflight
    from arggym_env.training.run import Run, settings_of

    dry_run, resume = take_flag(rest, "--dry-run"), take_flag(rest, "--resume")
    if "--config" not in rest[:-1]:
        raise RunError("grpo.py needs --config FILE, such as configs/grpo/cpu_smoke.yaml")
    place = rest.index("--config")
    recipe = read_options(Recipe, Path(rest[place + 1]), rest[:place] + rest[place + 2 :])
    check_settings(recipe)

    arguments = accepted(grpo_config, recipe, dry_run)
    prompts = arguments.generation_batch_size // arguments.num_generations
    curriculum = make_curriculum(recipe, Clock(prompts, generation_period(recipe)))
    settings = settings_of(recipe)
    run = Run(Path(recipe.output), settings, [name for name in settings if name not in FREE], prompts, curriculum)
    if arguments.process_index == 0:
        for line in preflight(recipe, arguments, run, make_frozen(recipe)):
            print(line, flush=True)  # noqa: T201 - a script
    if dry_run:
        return
    checkpoint = None
    if resume:
        checkpoint = str(run.resume())
    else:
        run.begin()
    trainer = build(recipe, arguments, run)
    trainer.train(resume_from_checkpoint=checkpoint)
    trainer.save_model(str(run.folder / "final"))
    trainer.accelerator.end_training()  # a process that leaves its group open may be aborted on its way out


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ArgGymError as error:
        sys.exit(f"error: {error}")
