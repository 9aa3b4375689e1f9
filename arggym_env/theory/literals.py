"""Literals are plain strings: an atom (``ko9``) or its negation (``-ko9``).

Signed negation is the only conflict between literals (spec section 3), so a literal has exactly one contrary.
"""

from __future__ import annotations

import re
from typing import Final

IDENTIFIER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""What may name an atom or a rule."""


def negate(literal: str) -> str:
    """Return the literal that conflicts with ``literal``: ``ko9`` and ``-ko9`` are each other's negation."""
    return literal[1:] if literal.startswith("-") else "-" + literal


def atom_of(literal: str) -> str:
    """Return the name that ``literal`` is about, without its sign."""
    return literal.removeprefix("-")


def is_identifier(text: str) -> bool:
    """Return whether ``text`` may name an atom or a rule: a letter, then letters, digits or underscores (ASCII)."""
    return IDENTIFIER.fullmatch(text) is not None


def is_literal(text: str) -> bool:
    """Return whether ``text`` is an identifier with at most one leading ``-``."""
    return is_identifier(text.removeprefix("-"))
