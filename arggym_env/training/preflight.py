"""What a recipe is about to do, and whether it can: said before a model is loaded.

Versions, how many completions and questions a step has, how long prompts are against the context, what happens to
truncated completions, what is evaluated, and how much memory it takes. What cannot work is refused here, with the
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arggym_env.coordinates import LEVELS
from arggym_env.errors import RunError
from arggym_env.training import memory
from arggym_env.training.prompt_lengths import check_room, count_tokens, prompt_lengths
from arggym_env.training.run import VERSIONS, Run, library_versions
from arggym_env.training.seed_table import Render, seed_table

if TYPE_CHECKING:
    from arggym_env.training.callback import FrozenSuiteCallback
    from arggym_env.training.grpo import Recipe

SAMPLED: int = 256
"""Rows of the table whose prompts are measured for the tasks they hold."""

_TRUNCATED = {
    "mask": "truncated completions: no reward, not in the group's baseline, not in the loss",
    "zero": "truncated completions: reward 0, in the group's baseline and in the loss (lengths tend to grow)",
}


_LEAST: Final = {
    1: (
        *("steps", "num_generations", "per_device_batch", "accumulation", "generation_steps"),
        *("prompt_tokens", "completion_tokens", "vllm_tensor_parallel"),
        *("frozen_rows", "frozen_tokens", "frozen_batch", "logging_steps", "save_steps", "keep_checkpoints"),
    ),
    0: (
        *("lora_rank", "reward_workers", "learning_rate", "warmup_steps", "max_grad_norm", "beta", "epsilon", "top_k"),
        *("frozen_every", "frozen_temperature", "frozen_top_k"),
    ),
}
"""The least value of hyperparameters that have one and are not checked where they are used."""
_SHARES: Final = ("top_p", "frozen_top_p", "vllm_memory")


def check_settings(recipe: Recipe) -> None:
    """Accept hyperparameters that are within their bounds.

    Raises:
        RunError: one is not.
    """
    for least, names in _LEAST.items():
        for name in names:
            if (value := getattr(recipe, name)) is not None and value < least:
                raise RunError(f"{name} {value} is less than {least}")
    for name in _SHARES:
        if not 0 < getattr(recipe, name) <= 1:
            raise RunError(f"{name} {getattr(recipe, name)} is not in 0..1, 0 excluded")
    if recipe.temperature <= 0:
        raise RunError(f"temperature {recipe.temperature} is not above 0; without chance all of a group are alike")
    if not recipe.rewards:
        raise RunError("rewards {} name no reward")
    generation_period(recipe)


def generation_period(recipe: Recipe) -> int:
    """Return how many optimizer steps one generation serves.

    Raises:
        RunError: generations would not begin with a step, or checkpoints not with a generation.
    """
    batches = recipe.generation_steps or recipe.accumulation
    if batches % recipe.accumulation:
        raise RunError(f"generation_steps {batches} is not a multiple of accumulation {recipe.accumulation}")
    period = batches // recipe.accumulation
    if recipe.save_steps % period:
        raise RunError(f"save_steps {recipe.save_steps} is not a multiple of the {period} steps of one generation")
    return period


def accepted(configure: Callable[[Recipe], Any], recipe: Recipe, dry_run: bool) -> Any:
    """Return what ``configure`` makes of a recipe; a dry run needs no GPU.

    Raises:
        RunError: TRL refuses the settings, or this machine cannot run them.
    """
    import torch

    here = replace(recipe, cpu=True, bf16=False) if dry_run and not torch.cuda.is_available() else recipe
    try:
        return configure(here)
    except ValueError as error:
        raise RunError(f"TRL refuses these settings: {' '.join(str(error).split())}") from None


def preflight(recipe: Recipe, arguments: Any, run: Run, frozen: FrozenSuiteCallback | None) -> list[str]:
    """Return what there is to say about a recipe, as lines of text.

    Args:
        recipe: the hyperparameters.
        arguments: its ``GRPOConfig``.
        run: its run.
        frozen: what evaluates the frozen suite, if something does.

    Raises:
        RunError: a prompt or a frozen row does not fit, processes do not divide, or the model is not there.
    """
    from transformers import AutoTokenizer

    batches = _batches(recipe, arguments, run)
    tokenizer = _loaded(AutoTokenizer, recipe.model)
    return [
        *_versions(),
        *batches,
        *_lengths(recipe, tokenizer),
        _TRUNCATED[recipe.truncated],
        _frozen(recipe, tokenizer, frozen),
        *_memory(recipe, arguments),
    ]


def _versions() -> list[str]:
    ours = "; ".join(
        f"{kind} " + ", ".join(f"{name} {version}" for name, version in versions.items())
        for kind, versions in VERSIONS.items()
    )
    libraries = ", ".join(f"{name} {version}" for name, version in library_versions().items() if version)
    return [f"versions: {ours}", f"libraries: {libraries}"]


def _batches(recipe: Recipe, arguments: Any, run: Run) -> list[str]:
    processes, period = arguments.world_size, generation_period(recipe)
    completions = recipe.per_device_batch * processes * recipe.accumulation
    if recipe.vllm == "colocate" and processes % recipe.vllm_tensor_parallel:
        raise RunError(f"vllm_tensor_parallel {recipe.vllm_tensor_parallel} does not divide {processes} processes")
    if recipe.vllm == "server" and recipe.vllm_url is None:
        raise RunError("vllm server needs vllm_url, such as http://10.0.0.2:8000")
    return [
        f"step: {recipe.per_device_batch} completions x {processes} processes x {recipe.accumulation} = {completions}",
        f"generation: {run.prompts} questions x {recipe.num_generations} completions, used for {period} step(s)",
        f"run: {recipe.steps} steps, {-(-recipe.steps // period) * run.prompts:,} questions; {_levels(recipe)}",
    ]


def _levels(recipe: Recipe) -> str:
    match recipe.curriculum:
        case "adaptive":
            return f"levels from {recipe.start_level}, up at {recipe.promote:.0%} solved, down at {recipe.demote:.0%}"
        case "schedule":
            return "levels " + ", ".join(f"{low}-{high} from step {at}" for at, (low, high) in recipe.schedule.items())
    return f"levels {recipe.levels or list(LEVELS)}, all alike"


def reachable(recipe: Recipe) -> list[int]:
    """Return every level that a row of the run may be asked at."""
    if recipe.curriculum == "schedule":
        return sorted({level for low, high in recipe.schedule.values() for level in range(low, high + 1)})
    listed = recipe.levels or list(LEVELS)
    return list(range(min(listed), max(listed) + 1)) if recipe.curriculum == "adaptive" else sorted(set(listed))


def _lengths(recipe: Recipe, tokenizer: Any) -> list[str]:
    table = seed_table(
        SAMPLED, seed=recipe.seed, weights=recipe.weights, level=recipe.levels, ordering=recipe.orderings
    )
    levels = reachable(recipe)
    lengths = prompt_lengths(
        table, tokenizer, Render(system=recipe.system), levels=levels, chat_template_kwargs=_template(recipe)
    )
    context = recipe.prompt_tokens + recipe.completion_tokens
    longest = check_room(lengths, recipe.completion_tokens, context)
    by_level = {level: max(count for (_, at), count in lengths.items() if at == level) for _, level in lengths}
    said = ", ".join(f"L{level} {by_level[level]:,}" for level in sorted(by_level))
    return [
        f"longest prompts, in tokens: {said}",
        f"context: {context:,} tokens = {recipe.prompt_tokens:,} + {recipe.completion_tokens:,}; "
        f"the longest prompt takes {longest:,} with a reserve",
    ]


def _loaded(kind: Any, model: str) -> Any:
    """Return a model's tokenizer or configuration; raise RunError, in one line, where it is not to be had."""
    if (model.startswith((".", "/", "~")) or model.count("/") > 1) and not Path(model).is_dir():
        raise RunError(f"model {model!r} is a path, and there is no such folder")  # a hub id has one slash at most
    try:
        return kind.from_pretrained(model)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise RunError(
            f"model {model!r} is no folder with a model and its tokenizer, nor to be had from the hub here; download "
            f"it first, or give --model FOLDER ({reason})"
        ) from None


def _template(recipe: Recipe) -> dict[str, bool]:
    return {} if recipe.thinking is None else {"enable_thinking": recipe.thinking}


def _frozen(recipe: Recipe, tokenizer: Any, frozen: FrozenSuiteCallback | None) -> str:
    if frozen is None:
        return "frozen suite: not evaluated"
    sampling = frozen.sampling
    longest = max(count_tokens(tokenizer, prompt, _template(recipe)) for prompt in frozen.prompts())
    context = recipe.prompt_tokens + recipe.completion_tokens
    if recipe.vllm != "off" and longest + sampling.max_tokens > context:
        raise RunError(
            f"frozen suite: its longest prompt takes {longest} tokens; with {sampling.max_tokens} for the answer that "
            f"is more than vLLM's context of {context}. Lower frozen_tokens, or raise prompt_tokens"
        )
    how = f"temperature {sampling.temperature}" if sampling.temperature else "the likeliest tokens"
    return (
        f"frozen suite: {len(frozen.items)} rows before the first step, every {frozen.every} steps and at the end, "
        f"prompts of up to {longest:,} tokens, answers of up to {sampling.max_tokens:,}, {how}; "
        f"the best weights have the most {frozen.metric}"
    )


def plan_of(recipe: Recipe, gpus: int, sharding: memory.Sharding) -> memory.Plan:
    """Return what of a recipe decides its memory, on so many GPUs."""
    return memory.Plan(
        gpus=gpus,
        sharding=sharding,
        width=2 if sharding != "none" or recipe.dtype == "bfloat16" else 4,
        lora_rank=recipe.lora_rank,
        sequences=recipe.per_device_batch,
        context=recipe.prompt_tokens + recipe.completion_tokens,
        checkpointing=recipe.gradient_checkpointing,
        reference=recipe.beta > 0,
        vllm_share=recipe.vllm_memory if recipe.vllm == "colocate" else 0.0,
        vllm_tp=recipe.vllm_tensor_parallel,
        gpu=int(recipe.gpu_gib * memory.GIB),
    )


def _memory(recipe: Recipe, arguments: Any) -> list[str]:
    from transformers import AutoConfig

    shape = memory.QWEN3.get(recipe.model) or memory.shape_of(_loaded(AutoConfig, recipe.model))
    stage = getattr(getattr(arguments, "deepspeed_plugin", None), "zero_stage", 0)
    sharding: memory.Sharding = "zero3" if stage == 3 else "zero2" if stage in (1, 2) else "none"
    plan = plan_of(recipe, arguments.world_size, sharding)
    said = memory.lines(recipe.model, shape, plan)
    if not recipe.cpu and not memory.estimate(shape, plan).fits:
        said.append("warning: by this estimate it does not fit")
    if plan.width == 2 and sharding == "none" and not recipe.lora_rank:
        said.append(
            f"warning: bfloat16 weights without a float32 copy: steps of a learning rate of {recipe.learning_rate:g} "
            "are mostly rounded away; dtype float32, DeepSpeed and LoRA keep them"
        )
    how = f"{plan.gpus} process(es), {'nothing sharded' if sharding == 'none' else f'DeepSpeed {sharding}'}"
    return [f"memory, GiB on each GPU, with {how}: {said[0]}", *said[1:]]
