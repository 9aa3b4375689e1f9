"""The semantics by name, and the words in which a claim's status is given (spec section 3)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from arggym_env.errors import CoordinateError

Status: TypeAlias = Literal["justified", "overruled", "undecided", "no stable extension"]
"""What a theory says about a claim under an ordering and a semantics."""

Label: TypeAlias = Literal["in", "out", "undecided"]
"""The grounded label of an argument: accepted, defeated by an accepted argument, or neither."""

SEMANTICS: Final = ("grounded", "credulous preferred", "sceptical preferred", "stable", "eager")
"""The semantics under which a claim has a status."""

EXTENSION_SEMANTICS: Final = ("grounded", "complete", "preferred", "stable", "semi-stable", "eager")
"""The semantics whose extensions can be listed."""

EXTENSIONS_OF: Final = {
    "grounded": "grounded",
    "credulous preferred": "preferred",
    "sceptical preferred": "preferred",
    "stable": "stable",
    "eager": "eager",
}
"""The extensions that a status semantics looks at."""


def check_semantics(semantics: str) -> str:
    """Return ``semantics`` if claims have a status under it.

    Raises:
        CoordinateError: it is not one of :data:`SEMANTICS`.
    """
    return _check(semantics, SEMANTICS, "semantics")


def check_extension_semantics(semantics: str) -> str:
    """Return ``semantics`` if its extensions can be listed.

    Raises:
        CoordinateError: it is not one of :data:`EXTENSION_SEMANTICS`.
    """
    return _check(semantics, EXTENSION_SEMANTICS, "extension semantics")


def _check(value: str, allowed: tuple[str, ...], what: str) -> str:
    if value not in allowed:
        raise CoordinateError(f"{what} {value!r} is not one of {', '.join(map(repr, allowed))}")
    return value
