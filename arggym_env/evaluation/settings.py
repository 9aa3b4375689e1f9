"""Settings of a model: what is sent with every request, read from a TOML file whose every key is known.

A file holds the settings of one model; its table ``[reasoning.NAME]`` holds what is different for one way of reasoning
(paper, Table 3), and one of them is chosen by name. A key that is not known is refused: a misspelt parameter would
otherwise leave the server at its default while the results are labelled with the wish.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from arggym_env.errors import RunError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue

REASONING: Final = "reasoning"
"""The table of a file that holds its variants."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is set for a model; None leaves a parameter to the server's default, and it is not sent.

    Attributes:
        model: the model's name at the server.
        reasoning: the name of the chosen variant.
        system: a system message before the question.
        temperature: sampling temperature.
        top_p: nucleus sampling.
        top_k: sample among the k likeliest tokens.
        min_p: smallest probability relative to the likeliest token's.
        presence_penalty: penalty on tokens that have occurred.
        frequency_penalty: penalty on tokens by how often they have occurred.
        repetition_penalty: multiplicative penalty on repetition; 1 is neutral.
        max_tokens: most tokens of a completion.
        max_completion_tokens: the same in the newer word that some servers want.
        stop: strings that end a completion; none unless asked for, since they also end a chain of thought.
        seed: sampling seed of an item's first sample; its further samples count up from it.
        thinking: thinking on or off, through the chat template's ``enable_thinking``.
        reasoning_effort: how long to think, for models that have it as a parameter.
        context: the server's context length; for the record, and for offline vLLM.
        chat_template_kwargs: more variables for the chat template.
        extra_body: more fields of the request, for what one provider alone understands.
    """

    model: str | None = None
    reasoning: str | None = None
    system: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    thinking: bool | None = None
    reasoning_effort: str | None = None
    context: int | None = None
    chat_template_kwargs: Mapping[str, JsonValue] = FrozenMap()
    extra_body: Mapping[str, JsonValue] = FrozenMap()

    def request(self) -> dict[str, JsonValue]:
        """Return what every request carries, but for its messages and its seed."""
        body: dict[str, JsonValue] = {"model": self.model}
        for name in _SENT:
            if (value := getattr(self, name)) is not None:
                body[name] = value
        if self.stop:
            body["stop"] = list(self.stop)
        template = {} if self.thinking is None else {"enable_thinking": self.thinking}
        if template or self.chat_template_kwargs:
            body["chat_template_kwargs"] = {**template, **self.chat_template_kwargs}
        return {**body, **self.extra_body}

    def body(self, prompt: str, sample: int) -> dict[str, JsonValue]:
        """Return the whole request for one sample of a prompt."""
        messages: list[JsonValue] = [] if self.system is None else [{"role": "system", "content": self.system}]
        messages.append({"role": "user", "content": prompt})
        seed: dict[str, JsonValue] = {} if self.seed is None else {"seed": self.seed + sample}
        return {**self.request(), **seed, "messages": messages}

    def record(self) -> dict[str, JsonValue]:
        """Return what a run's manifest keeps beside the request."""
        return {name: getattr(self, name) for name in ("reasoning", "thinking", "context", "seed", "system")}


_SENT: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
)
_TEXT: Final = ("model", "system", "reasoning_effort")
_WHOLE: Final = {"top_k": -1, "max_tokens": 1, "max_completion_tokens": 1, "seed": 0, "context": 1}
"""Integers, with the least that each may be."""
_TABLES: Final = ("chat_template_kwargs", "extra_body")
_KEYS: Final = tuple(field.name for field in fields(Settings) if field.name != REASONING)


def read_settings(path: Path, reasoning: str | None = None) -> Settings:
    """Return the settings in a file.

    Args:
        path: a TOML file.
        reasoning: which of its ``[reasoning.NAME]`` tables; a file that has some needs the choice.

    Raises:
        RunError: the file cannot be read, has an unknown key or a value of another type, or has no such table.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise RunError(f"{path}: not TOML ({error})") from None
    variants = content.pop(REASONING, {})
    if not isinstance(variants, dict) or not all(isinstance(value, dict) for value in variants.values()):
        raise RunError(f"{path}: {REASONING} is not a table of tables, such as [{REASONING}.high]")
    settings = with_values(Settings(), content, str(path))
    if reasoning is None and not variants:
        return settings
    if reasoning not in variants:
        known = ", ".join(variants) or "none there"
        problem = "choose one" if reasoning is None else f"{reasoning!r} is not one"
        raise RunError(f"{path}: {problem} of the file's ways of reasoning ({known})")
    return replace(with_values(settings, variants[reasoning], f"{path}: {REASONING}.{reasoning}"), reasoning=reasoning)


def read_assignments(settings: Settings, assignments: Sequence[str]) -> Settings:
    """Return ``settings`` with values written as on the command line, such as ``max_tokens=512``.

    Raises:
        RunError: one is not ``KEY=VALUE`` with a TOML value, or is refused as in a file.
    """
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        try:
            content = tomllib.loads(f"{key}={value}") if equals else {}
        except ValueError:
            try:  # a string may stand without its quotation marks
                content = tomllib.loads(f"{key}={json.dumps(value)}")
            except ValueError:
                content = {}
        if not content:
            raise RunError(f"setting {assignment!r} is not KEY=VALUE, such as max_tokens=512")
        settings = with_values(settings, content, "settings")
    return settings


def with_values(settings: Settings, values: Mapping[str, Any], where: str) -> Settings:
    """Return ``settings`` with ``values``, each checked; raise RunError for an unknown key or a wrong type."""
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in _KEYS:
            raise RunError(f"{where}: {key!r} is not a setting; known: {', '.join(_KEYS)}")
        problem = _problem(key, value)
        if problem:
            raise RunError(f"{where}: {key} {value!r:.80} is not {problem}")
        checked[key] = _held(key, value)
    for table in _TABLES:
        if table in checked:
            checked[table] = FrozenMap({**getattr(settings, table), **checked[table]})
    merged = replace(settings, **checked)
    if merged.max_tokens is not None and merged.max_completion_tokens is not None:
        raise RunError(f"{where}: max_tokens and max_completion_tokens are two words for the same; set one")
    clash = sorted(({"messages", "n", "stream"} | set(_SENT)) & set(merged.extra_body))
    if clash:
        raise RunError(f"{where}: extra_body.{clash[0]} is not for extra_body")
    return merged


def _problem(key: str, value: object) -> str | None:
    """Return what ``value`` had to be; None if it is that."""
    if key in _TEXT:
        return None if isinstance(value, str) and value else "a text"
    if key == "thinking":
        return None if isinstance(value, bool) else "true or false"
    if key == "stop":
        texts = isinstance(value, list) and all(isinstance(text, str) and text for text in value)
        return None if texts else "a list of texts"
    if key in _TABLES:
        return None if isinstance(value, dict) and _is_json(value) else "a table of JSON values"
    if key in _WHOLE:
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= _WHOLE[key]
        return None if whole else f"a whole number from {_WHOLE[key]}"
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "a number"
    return None if abs(value) <= sys.float_info.max else "a finite number"


def _is_json(value: object) -> bool:
    """Return whether JSON has ``value``: it has no dates and times, which TOML has, and no inf and nan."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _held(key: str, value: Any) -> object:
    if key == "stop":
        return tuple(value)
    if key in _TABLES:
        return FrozenMap(value)
    return float(value) if key not in _WHOLE and isinstance(value, int) and not isinstance(value, bool) else value
