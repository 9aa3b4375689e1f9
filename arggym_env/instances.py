"""Questions of both kinds under one roof: ArgGYM's instances and LogiHard's items, scored and read back alike."""

from __future__ import annotations

import json
from typing import TypeAlias

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
from arggym_env.envs.instance import Instance
from arggym_env.envs.scoring import check_settings
from arggym_env.envs.scoring import score as score_argumentation
from arggym_env.errors import InstanceError
from arggym_env.logihard.answers import score_letters
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.hardening import CombinatorialItem
from arggym_env.rewards.score import Score

LogiHardItem: TypeAlias = BaseItem | CombinatorialItem
"""A question that is answered by letters."""
AnyInstance: TypeAlias = Instance | LogiHardItem
"""A question with its gold; all kinds have id, task, level, split, seed, prompt, reference, floor and versions."""


def score(
    instance: AnyInstance,
    completion: object,
    *,
    engine: str = "native",
    max_arguments: int = DEFAULT_MAX_ARGUMENTS,
) -> Score:
    """Return the score of ``completion``, a model's whole response to ``instance.prompt``.

    Total: any object has a score; one that is not a string scores 0 with reason ``not_text``. Never regenerates the
    instance.

    Args:
        instance: the question with its gold.
        completion: the text that the model wrote after the prompt, thinking included, the prompt not.
        engine: "native" or "pyarg"; both give the same score.
        max_arguments: a submission whose theory has more arguments scores 0 with reason ``too_many_arguments``.

    Raises:
        CoordinateError: the engine or ``max_arguments`` is not allowed, whether or not this answer needs it.
        InstanceError: ``instance`` is no question; a stored row has to be read first.
        PluginError: the task is a plug-in's, and its scorer raised or returned something that is no score.
    """
    if isinstance(instance, Instance):
        return score_argumentation(instance, completion, engine=engine, max_arguments=max_arguments)
    check_settings(engine, max_arguments)
    if not isinstance(instance, BaseItem | CombinatorialItem):
        raise InstanceError(
            f"instance {instance!r:.80} is {type(instance).__name__}, not an Instance or a LogiHard item; "
            "from_json reads the rows that to_json wrote"
        )
    return score_item(instance, completion)


def score_item(item: LogiHardItem, completion: object, reward: str = "exact", *, cut_off: bool = False) -> Score:
    """Return the score of ``completion`` in letters: native is 1 for an exact match, else 0 or, for "youden", partial.

    Args:
        item: the question with its gold.
        completion: what the model wrote after the prompt.
        reward: one of ``LETTER_REWARDS``.
        cut_off: whether the completion was cut off at its token limit; its last line is no answer then.

    Raises:
        CoordinateError: the reward is not one of ``LETTER_REWARDS``.
    """
    options = len(item.options) if isinstance(item, BaseItem) else len(item.claims)
    return score_letters(item.reference, options, completion, reward, cut_off=cut_off)


def read_instance(text: str) -> AnyInstance:
    """Return the instance or item that ``to_json`` wrote, whichever it is.

    Raises:
        InstanceError: the text is no such line, or its prompt or scoring version is not this package's.
    """
    return read_item(text) if "atomic" in _fields(text) else Instance.from_json(text)


def read_item(text: str) -> LogiHardItem:
    """Return the LogiHard item that ``to_json`` wrote; errors as ``read_instance``."""
    return CombinatorialItem.from_json(text) if "formulas" in _fields(text) else BaseItem.from_json(text)


def _fields(text: str) -> set[str]:
    """Return the names of the fields of a row, none if it is no row."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return set()
    return set(row) if isinstance(row, dict) else set()
