"""Answers from the weights that are being trained: through the trainer's own vLLM, or by ``generate``.

``Completions`` are had from every process together: each passes its share of the prompts and gets the answers to it.
Nothing of training may show that it happened: the modes of modules, the random states, gradient checkpointing and
vLLM's sampling parameters are put back as they were.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from accelerate.utils import gather_object, set_seed
from transformers import GenerationConfig
from trl.models import unwrap_model_for_generation

from arggym_env.rewards.trl import stop_ids

VLLM_ATTRIBUTES: Final = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_completion_length")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How answers are sampled.

    Attributes:
        max_tokens: most tokens of an answer.
        temperature: 0 takes the likeliest token.
        top_p: nucleus sampling.
        top_k: sample among the k likeliest tokens; 0 for all.
        seed: of the random states where a temperature is given.
    """

    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0


class Completion(NamedTuple):
    """An answer.

    Attributes:
        text: without special tokens.
        tokens: how many tokens it has, the ending one counted.
        prompt_tokens: how many the prompt has.
        truncated: whether it was cut off before it ended by itself.
    """

    text: str
    tokens: int
    prompt_tokens: int
    truncated: bool


def stops_of(model: str, tokenizer: Any) -> tuple[int, ...]:
    """Return the tokens that end a completion of the model: the tokenizer's, and those its generation config names."""
    try:
        config = GenerationConfig.from_pretrained(model)
    except OSError:  # a model may come without one
        config = None
    return stop_ids(tokenizer, config)


def complete(
    trainer: Any, prompts: Sequence[list[dict[str, str]]], sampling: Sampling, batch: int = 8
) -> list[Completion]:
    """Return the answers to ``prompts``, this process's share, with the weights as they are.

    Every process of a run calls it at the same time, each with its own prompts; shares may differ in length and may be
    empty.

    Args:
        trainer: a ``GRPOTrainer``, or another ``transformers.Trainer`` of a causal language model with a tokenizer.
        prompts: chat messages.
        sampling: how.
        batch: prompts of one call of ``generate``; vLLM makes its own batches.
    """
    tokenizer = trainer.processing_class
    template = getattr(trainer, "chat_template_kwargs", None) or {}
    ids = [
        tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=True, return_dict=False, **template)
        for prompt in prompts
    ]
    share = max(gather_object([len(ids)]))
    if not share:
        return []
    # Every process takes part in every collective call with as many prompts; the last one fills up and is dropped.
    padded = [*ids, *[ids[-1] if ids else [tokenizer.eos_token_id]] * (share - len(ids))]
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id, *(getattr(trainer, "eos_token_ids", None) or [])}
    with untouched(trainer.model, sampling.seed), torch.no_grad():
        if getattr(trainer, "use_vllm", False):
            answers = _by_vllm(trainer, padded, sampling)
        else:
            answers = _by_generate(trainer, padded, sampling, ends, batch)
    return [
        Completion(
            text=tokenizer.decode(answer, skip_special_tokens=True),
            tokens=len(answer),
            prompt_tokens=len(prompt),
            truncated=not answer or answer[-1] not in ends,
        )
        for prompt, answer in zip(ids, answers, strict=False)
    ]


def _by_vllm(trainer: Any, ids: list[list[int]], sampling: Sampling) -> list[list[int]]:
    """Return answers from the engine that training samples from, after it has the current weights."""
    engine = trainer.vllm_generation
    before = {name: getattr(engine, name) for name in VLLM_ATTRIBUTES}
    wanted = (sampling.temperature, sampling.top_p, sampling.top_k, 0.0, 1.0, sampling.max_tokens)
    try:
        for name, value in zip(VLLM_ATTRIBUTES, wanted, strict=True):
            setattr(engine, name, value)
        engine.sync_weights()
        _, answers, _, _ = engine.generate(prompts=ids, images=None, num_generations=1)
    finally:
        for name, value in before.items():
            setattr(engine, name, value)
    return [list(answer) for answer in answers]


def _by_generate(
    trainer: Any, ids: list[list[int]], sampling: Sampling, ends: set[int | None], batch: int
) -> list[list[int]]:
    """Return answers from ``generate``, in batches of prompts of similar length, padded on the left."""
    tokenizer = trainer.processing_class
    stops = sorted(end for end in ends if end is not None and end != tokenizer.pad_token_id)
    chosen: dict[str, Any] = {"do_sample": False}
    if sampling.temperature > 0:
        chosen = {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p}
        chosen["top_k"] = sampling.top_k
    config = GenerationConfig(
        max_new_tokens=sampling.max_tokens,
        eos_token_id=stops or [tokenizer.eos_token_id],
        pad_token_id=tokenizer.pad_token_id,
        use_cache=True,
        disable_compile=True,
        **chosen,
    )
    answers: list[list[int]] = [[] for _ in ids]
    order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
    with unwrap_model_for_generation(
        trainer.model_wrapped,
        trainer.accelerator,
        gather_deepspeed3_params=getattr(trainer.args, "ds3_gather_for_generation", True),
        gradient_checkpointing_kwargs=trainer.args.gradient_checkpointing_kwargs,
    ) as model:
        model.eval()  # also where a trainer has wrapped the module whose modes ``untouched`` keeps
        for start in range(0, len(order), batch):
            indices = order[start : start + batch]
            width = max(len(ids[index]) for index in indices)
            rows = [[tokenizer.pad_token_id] * (width - len(ids[index])) + ids[index] for index in indices]
            masks = [[0] * (width - len(ids[index])) + [1] * len(ids[index]) for index in indices]
            device = trainer.accelerator.device
            output = model.generate(
                input_ids=torch.tensor(rows, device=device),
                attention_mask=torch.tensor(masks, device=device),
                generation_config=config,
                synced_gpus=trainer.accelerator.num_processes > 1 and device.type == "cuda",
            )
            for index, row in zip(indices, output[:, width:].tolist(), strict=True):
                answers[index] = _until(row, ends)
    return answers


def _until(tokens: list[int], ends: set[int | None]) -> list[int]:
    """Return the tokens up to the first that ends an answer, with it."""
    last = next((place for place, token in enumerate(tokens) if token in ends), len(tokens) - 1)
    return tokens[: last + 1]


@contextmanager
def untouched(model: torch.nn.Module, seed: int) -> Iterator[None]:
    """Put the modules' modes and all random states back on leaving; inside, seed the random states with ``seed``."""
    modes = [(module, module.training) for module in model.modules()]
    states = (random.getstate(), np.random.get_state(), torch.get_rng_state())
    device = torch.cuda.get_rng_state() if torch.cuda.is_available() else None
    try:
        set_seed(seed)  # the same in every process: those that share a vLLM have to draw the same tokens
        model.eval()
        yield
    finally:
        for module, training in modes:
            module.training = training
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])
        if device is not None:
            torch.cuda.set_rng_state(device)
