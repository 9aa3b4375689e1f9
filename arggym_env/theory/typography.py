"""What reading forgives: typography, never content.

Theories and answers come from text editors and language models, so surrounding blanks, blank lines, every kind of
line break, code fences, list bullets, numbering, and Unicode dashes and arrows are put right before a line is read.
Everything here is linear in the length of the text.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2192\u27f6\u279c\u279d", "->"),
        **dict.fromkeys("\u21d2\u27f9", "=>"),
        **dict.fromkeys("\u00a0\u2007\u202f\u3000", " "),
        "\ufeff": "",
    }
)
_FENCE: Final = re.compile(r"(?:```+|~~~+)[A-Za-z0-9_+-]*")
_BULLET: Final = re.compile(r"(?:[-*+\u2022\u2023\u25e6\u2043]|\(?\d{1,4}[.)])(?:[ \t]+|$)")


class Line(NamedTuple):
    """One line that carries content."""

    number: int
    """1-based line number in the text it came from."""
    text: str
    """The line with its typography put right."""


def content_lines(text: str) -> list[Line]:
    """Return the lines of ``text`` that carry content, with their typography put right.

    Blank lines, code-fence lines and bullets without an item are left out; a list bullet is a marker followed by a
    blank (``- ko9`` lists ``ko9``, ``-ko9`` is a negation).
    """
    lines = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.translate(_PLAIN).strip()
        if not line or _FENCE.fullmatch(line):
            continue
        bullet = _BULLET.match(line)
        if item := line[bullet.end() :].lstrip() if bullet else line:
            lines.append(Line(number, item))
    return lines
