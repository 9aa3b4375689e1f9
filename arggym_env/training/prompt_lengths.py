"""How many tokens prompts take, by task and level, and whether a training run has room for them.

TRL never shortens prompts: one that does not fit the context ends the run. So a recipe measures before it starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from arggym_env.errors import RunError
from arggym_env.logihard.base import BASE
from arggym_env.logihard.hardening import COMBINATORIAL
from arggym_env.training.seed_table import Render, at_level

if TYPE_CHECKING:
    from datasets import Dataset

Lengths = dict[tuple[str, int], int]
"""The longest prompt, in tokens, by task and level."""

_LEVELLED_APART: Final = (BASE, COMBINATORIAL)


def prompt_lengths(
    table: Dataset,
    tokenizer: Any,
    render: Render | None = None,
    *,
    levels: Sequence[int] | None = None,
    samples: int = 2,
    chat_template_kwargs: Mapping[str, Any] | None = None,
) -> Lengths:
    """Return the longest prompt measured for each task and level, in tokens with the chat template.

    Args:
        table: a seed table; its first rows of each task are measured.
        tokenizer: a tokenizer with a chat template.
        render: how prompts are made (system message, suffix); the table's own levels are measured, whatever its
            ``resolve`` chooses.
        levels: levels at which to measure the argumentation tasks instead: all that a curriculum may come to.
        samples: how many questions of each task and level are measured.
        chat_template_kwargs: further arguments of the chat template, as GRPOConfig has them.
    """
    plain = Render(system=render.system, suffix=render.suffix) if render else Render()
    found: Lengths = {}
    for row in _sampled(table, levels, samples):
        tokens = count_tokens(tokenizer, plain.render(row)["prompt"], chat_template_kwargs)
        cell = row["task"], row["level"]
        found[cell] = max(tokens, found.get(cell, 0))
    return found


def count_tokens(
    tokenizer: Any, prompt: Sequence[Mapping[str, str]], chat_template_kwargs: Mapping[str, Any] | None = None
) -> int:
    """Return how many tokens chat messages take, with what the template adds for the answer to begin."""
    text = tokenizer.apply_chat_template(
        prompt, tokenize=False, add_generation_prompt=True, **(chat_template_kwargs or {})
    )
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])


def check_room(lengths: Mapping[tuple[str, int], int], completion: int, context: int, *, reserve: float = 0.15) -> int:
    """Return the tokens that the longest prompt takes with a reserve, if they and a completion fit the context.

    Args:
        lengths: what ``prompt_lengths`` measured.
        completion: the most tokens of a completion (``max_completion_length``).
        context: the most tokens of both (``vllm_max_model_length``, or what the model can take).
        reserve: by what share a prompt that was not measured may be longer than the longest that was.

    Raises:
        RunError: they do not fit; the message names the task and level.
    """
    (task, level), longest = max(lengths.items(), key=lambda item: item[1])
    needed = math.ceil(longest * (1 + reserve))
    if needed + completion > context:
        raise RunError(
            f"prompts of {task} at level {level} take {longest} tokens, {needed} with a reserve of {reserve:.0%}; with "
            f"{completion} for the completion that is more than the context of {context}. Raise the context to "
            f"{needed + completion}, or lower the level or the completion's length"
        )
    return needed


def _sampled(table: Dataset, levels: Sequence[int] | None, samples: int) -> Iterator[dict[str, Any]]:
    """Yield rows of every task at every level to be measured."""
    plain = table.with_format(None)
    of_task: dict[str, list[int]] = {}
    wanted: dict[str, set[int]] = {}
    for place, (task, level) in enumerate(zip(plain["task"], plain["level"], strict=True)):
        of_task.setdefault(task, []).append(place)
        wanted.setdefault(task, set()).add(level)
    for task, places in of_task.items():
        for level in sorted(wanted[task] if levels is None or task in _LEVELLED_APART else set(levels)):
            for row in map(plain.__getitem__, places[:samples]):
                yield {**row, **at_level(row, level)} if row["level"] else row
