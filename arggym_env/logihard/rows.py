"""Items as rows: one line of JSON with the item's id and versions, read back strictly."""

from __future__ import annotations

import json
from typing import Protocol, TypeVar

from arggym_env.envs import codec
from arggym_env.errors import InstanceError
from arggym_env.rewards.score import JsonValue
from arggym_env.versions import LOGIHARD_VERSIONS, Versions


class Stored(Protocol):
    """A dataclass with an id that its fields determine."""

    @property
    def id(self) -> str:
        """The name of the item."""


S = TypeVar("S", bound=Stored)


def to_line(item: Stored) -> str:
    """Return ``item`` as one line of JSON; ``from_line`` is the inverse."""
    row = {"id": item.id, **_object(codec.encode(item), "item")}
    return json.dumps(row, ensure_ascii=True, separators=(",", ":"))


def from_line(kind: type[S], text: str, what: str) -> S:
    """Return the item of ``kind`` that ``to_line`` wrote; ``what`` names it in errors.

    Raises:
        InstanceError: the text is not such a line, or its prompt or scoring version is not this package's.
    """
    try:
        row = _object(json.loads(text), what)
    except (ValueError, RecursionError) as error:
        raise InstanceError(f"{what}: not a JSON object ({error})") from None
    name = row.pop("id", None)
    versions = codec.decode(Versions, row.get("versions"), "versions")
    if (versions.prompt, versions.scoring) != (LOGIHARD_VERSIONS.prompt, LOGIHARD_VERSIONS.scoring):
        raise InstanceError(f"{what}: {versions} are not this package's {LOGIHARD_VERSIONS}")
    item = codec.decode(kind, row, what)
    if name != item.id:
        raise InstanceError(f"{what}: id {name!r:.80} does not fit its coordinates {item.id!r}")
    return item


def _object(value: JsonValue, what: str) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise InstanceError(f"{what}: not a JSON object")
    return value
