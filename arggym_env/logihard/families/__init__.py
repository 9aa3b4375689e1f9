"""The families of procedural questions by name: importing them makes the table, and everything else loops over it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arggym_env.errors import CoordinateError
from arggym_env.logihard.families import (
    argumentation,
    categorical,
    individuals,
    knights,
    ordering,
    propositional,
    selection,
)
from arggym_env.logihard.families.family import Family

_FAMILIES: Final[tuple[Family, ...]] = (
    propositional.FAMILY,
    categorical.FAMILY,
    ordering.FAMILY,
    knights.FAMILY,
    selection.FAMILY,
    individuals.FAMILY,
    argumentation.FAMILY,
)

FAMILIES: Final[Mapping[str, Family]] = MappingProxyType({family.name: family for family in _FAMILIES})
"""Every family, in the order of the design's table."""


def get_family(name: str) -> Family:
    """Return the family called ``name``.

    Raises:
        CoordinateError: there is none; the message lists those there are.
    """
    family = FAMILIES.get(name) if isinstance(name, str) else None
    if family is None:
        raise CoordinateError(f"family {name!r} is not one of {', '.join(FAMILIES)}")
    return family
