"""Frozen dataclasses to JSON values and back, strictly: what is read must be what was written."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import TypeVar

from arggym_env.errors import InstanceError
from arggym_env.rewards.score import JsonValue

D = TypeVar("D")


def encode(value: object) -> JsonValue:
    """Return ``value`` (dataclasses, tuples and scalars, nested) as JSON values.

    Raises:
        TypeError: a part has no JSON form.
    """
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def decode(kind: type[D], value: JsonValue, where: str) -> D:
    """Return the dataclass ``kind`` that :func:`encode` wrote as ``value``.

    Args:
        kind: a dataclass whose fields are scalars, tuples of one type, or dataclasses.
        value: JSON values.
        where: what is being read, for the error message.

    Raises:
        InstanceError: a field is missing, unknown, or of another type.
    """
    return typing.cast(D, _decode(kind, value, where))


def _decode(kind: object, value: JsonValue, where: str) -> object:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple and isinstance(value, list):
        return tuple(_decode(arguments[0], item, f"{where}[{index}]") for index, item in enumerate(value))
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in arguments:
            return None
        (kind,) = (argument for argument in arguments if argument is not type(None))
        return _decode(kind, value, where)
    if origin is typing.Literal and value in arguments:
        return value
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise InstanceError(f"{where}: {value!r:.80} is not of the expected type {getattr(kind, '__name__', kind)}")


def _decode_dataclass(kind: type, value: JsonValue, where: str) -> object:
    if not isinstance(value, dict):
        raise InstanceError(f"{where}: {value!r:.80} is not an object")
    names = {field.name for field in dataclasses.fields(kind)}
    if names != value.keys():
        missing, unknown = sorted(names - value.keys()), sorted(value.keys() - names)
        raise InstanceError(f"{where}: missing fields {missing}, unknown fields {unknown}")
    hints = typing.get_type_hints(kind)
    return kind(**{name: _decode(hints[name], value[name], f"{where}.{name}") for name in sorted(names)})
