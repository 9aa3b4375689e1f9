"""Rows of seed tables for the tests: what a trainer would hand to a reward function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import arggym_env as ag
from arggym_env.envs.mixture import MIXTURE_TASKS
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.rewards.asking import Address, ask
from arggym_env.training.seed_table import Render, seed_rows

EVERY_TASK = dict.fromkeys(MIXTURE_TASKS, 1.0)


def rendered(rows: int, **arguments: Any) -> list[dict[str, Any]]:
    """Return rows with their prompts, as the training loop reads them."""
    settings = {"seed": 0, "weights": EVERY_TASK, "level": [1, 2, 3], **arguments}
    return list(map(Render().render, seed_rows(rows, **settings)))


def of_every_task(**arguments: Any) -> list[dict[str, Any]]:
    """Return a row of each task, with its prompt."""
    first: dict[str, dict[str, Any]] = {}
    for row in seed_rows(500, **{"seed": 0, "weights": EVERY_TASK, "level": [1, 2, 3], **arguments}):
        first.setdefault(row["task"], row)
    return list(map(Render().render, first.values()))


def columns(rows: Sequence[Mapping[str, Any]], generations: int = 1) -> dict[str, list[Any]]:
    """Return the columns as TRL passes them: each row as often as it has completions, without the prompt."""
    return {name: [row[name] for row in rows for _ in range(generations)] for name in rows[0] if name != "prompt"}


def instance_of(row: Mapping[str, Any]) -> Any:
    """Return a row's question with its gold."""
    return ask(Address.of(row)).instance


def oracle(row: Mapping[str, Any]) -> str:
    """Return a completion that is right."""
    reference = instance_of(row).reference
    return (
        f"<think>...</think>\n<answer>\n{reference}\n</answer>" if row["task"] in TASKS else f"...</think>\n{reference}"
    )


def message(text: str) -> list[dict[str, str]]:
    """Return a completion as trainers with chat prompts have it."""
    return [{"role": "assistant", "content": text}]


def answers(row: dict[str, Any]) -> list[str]:
    """Return completions of all qualities: the reference, what the battery says, junk."""
    instance = instance_of(row)
    known = get_task(instance.task).attacks(instance) if isinstance(instance, ag.Instance) else {"A": "A"}
    wrong = [f"<answer>\n{answer}\n</answer>" for answer in known.values()]
    return [oracle(row), *wrong, "no answer", "<think><answer>a</answer>"]


def graded(rows: list[dict[str, Any]]) -> tuple[list[list[dict[str, str]]], dict[str, list[Any]]]:
    """Return every answer to every row, with the columns."""
    pairs = [(row, message(answer)) for row in rows for answer in answers(row)]
    return [completion for _, completion in pairs], columns([row for row, _ in pairs])
