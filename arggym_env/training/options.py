"""A recipe's hyperparameters: one dataclass, filled from a YAML file and from the command line.

A key that the dataclass does not have is refused by name, and so is a value of another type: a misspelt hyperparameter
would otherwise leave its default in force while the run is labelled with the wish.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from arggym_env.errors import RunError

T = TypeVar("T")


def read_options(kind: type[T], file: Path, assignments: Sequence[str] = ()) -> T:
    """Return a ``kind`` (a dataclass) with the values of ``file``, and over them those of the command line.

    Args:
        kind: a dataclass whose fields are annotated with plain types, their unions, ``Literal``, lists and dicts.
        file: YAML with a mapping at its top.
        assignments: words of the command line in pairs, ``--learning_rate 1e-6``, or in one, ``--learning_rate=1e-6``.
            Values are YAML.

    Raises:
        RunError: the file cannot be read, a key is unknown, a value is of another type, or a field has no value.
    """
    values = _checked(kind, _mapping(file), str(file))
    values.update(_checked(kind, _pairs(assignments), "command line"))
    for field in fields(kind):  # type: ignore[arg-type] # T is a dataclass
        if field.default is MISSING and field.default_factory is MISSING and field.name not in values:
            raise RunError(f"{file}: {field.name} has no value")
    return kind(**values)


def describe_options(kind: type[Any]) -> str:
    """Return a line for each field of ``kind`` (a dataclass): how it is set, what it may be, and its default."""
    hints = get_type_hints(kind)
    lines = []
    for field in fields(kind):
        value = field.default if field.default_factory is MISSING else field.default_factory()
        words = _words(hints[field.name])
        lines.append(f"  --{field.name}: {words}" + ("" if value is MISSING else f" ({json.dumps(value)})"))
    return "\n".join(lines)


def take_flag(words: list[str], flag: str) -> bool:
    """Return whether ``flag`` is among the words of a command line, and take it out."""
    there = flag in words
    words[:] = [word for word in words if word != flag]
    return there


class _Loader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore] # Any without stubs
    """Reads YAML, and refuses a mapping that says a key twice: the later value would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value} is there twice", key.start_mark)
            seen.add(key.value)
        found: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return found


def _mapping(file: Path) -> dict[str, Any]:
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise RunError(f"{file}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValueError) as error:
        raise RunError(f"{file}: not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise RunError(f"{file}: holds {type(content).__name__}, not a mapping of keys to values")
    return content


def _pairs(words: Sequence[str]) -> dict[str, Any]:
    """Return what the command line assigns, each value read as YAML."""
    found: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key or (not equals and not rest):
            raise RunError(f"command line: {word!r} is not --KEY VALUE")
        text = value if equals else rest.pop(0)
        try:
            found[key] = yaml.load(text, _Loader)
        except yaml.YAMLError:
            raise RunError(f"command line: the value of --{key}, {text!r}, is not YAML") from None
    return found


def _checked(kind: type[Any], values: Mapping[str, Any], where: str) -> dict[str, Any]:
    hints = get_type_hints(kind)
    found = {}
    for key, value in values.items():
        if key not in hints:
            near = difflib.get_close_matches(str(key), hints, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(hints)}"
            raise RunError(f"{where}: {key!r} is not a hyperparameter; {hint}")
        fitted = _fit(value, hints[key])
        if fitted is _MISFIT:
            raise RunError(f"{where}: {key} {value!r:.80} is not {_words(hints[key])}")
        found[key] = fitted
    return found


_MISFIT = object()


def _fit(value: Any, hint: Any) -> Any:
    """Return ``value`` as a value of the type ``hint``; ``_MISFIT`` if it is none.

    YAML reads ``1e-6`` as a text and ``1`` as an integer; both are numbers where a float is wanted. It reads ``off`` as
    false, which is the choice "off" where there is one. Numbers are finite.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        fits = (fitted for fitted in (_fit(value, one) for one in arguments) if fitted is not _MISFIT)
        return next(fits, _MISFIT)
    if origin is Literal:
        chosen = "off" if value is False else value
        return chosen if chosen in arguments else _MISFIT
    if origin is list:
        items = [_fit(item, arguments[0]) for item in value] if isinstance(value, list) else [_MISFIT]
        return _MISFIT if _MISFIT in items else items
    if origin is dict:
        if not isinstance(value, dict):
            return _MISFIT
        pairs = [(_fit(key, arguments[0]), _fit(item, arguments[1])) for key, item in value.items()]
        return _MISFIT if any(_MISFIT in pair for pair in pairs) else dict(pairs)
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return _MISFIT
        try:
            return float(value) if math.isfinite(float(value)) else _MISFIT
        except ValueError:
            return _MISFIT
    exact = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    return value if exact else _MISFIT


def _words(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_words(one) for one in arguments)
    if origin is Literal:
        return "one of " + ", ".join(map(repr, arguments))
    if origin is list:
        return f"a list of {_words(arguments[0])}"
    if origin is dict:
        return f"a mapping from {_words(arguments[0])} to {_words(arguments[1])}"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", NoneType: "null"}
    return names.get(hint, str(hint))
