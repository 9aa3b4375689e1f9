"""The six directives of the language: one line of text each, one immutable object each (spec section 2).

``str(directive)`` prints the line, :func:`parse_directive` reads it; each is the other's inverse. Reading checks what
one line can show by itself; whether the lines together make a theory is :class:`~arggym_env.theory.theory.Theory`'s
business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from arggym_env.errors import TheoryError
from arggym_env.theory.literals import is_identifier, is_literal


@dataclass(frozen=True, slots=True)
class Premise:
    """An ordinary premise, open to undermining: ``[premise: ko9]``."""

    literal: str

    def __str__(self) -> str:
        return f"[premise: {self.literal}]"


@dataclass(frozen=True, slots=True)
class Axiom:
    """A premise that cannot be attacked: ``[axiom: mp0]``."""

    literal: str

    def __str__(self) -> str:
        return f"[axiom: {self.literal}]"


@dataclass(frozen=True, slots=True)
class StrictRule:
    """A rule without exceptions, neither rebutted nor undercut: ``[strict hu2: lq4 -> au0]``."""

    name: str
    antecedents: tuple[str, ...]
    consequent: str

    def __str__(self) -> str:
        return f"[strict {self.name}: {' AND '.join(self.antecedents)} -> {self.consequent}]"


@dataclass(frozen=True, slots=True)
class DefeasibleRule:
    """A rule that holds unless attacked: ``[defeasible fy9: by3 AND hu0 => lq4]``."""

    name: str
    antecedents: tuple[str, ...]
    consequent: str

    def __str__(self) -> str:
        return f"[defeasible {self.name}: {' AND '.join(self.antecedents)} => {self.consequent}]"


@dataclass(frozen=True, slots=True)
class PremisePreference:
    """The left ordinary premise is at least as strong as the right: ``[prefer_premise: -mk7 > mk7]``."""

    stronger: str
    weaker: str

    def __str__(self) -> str:
        return f"[prefer_premise: {self.stronger} > {self.weaker}]"


@dataclass(frozen=True, slots=True)
class RulePreference:
    """The left defeasible rule is at least as strong as the right: ``[prefer_rule: mi6 > ha8]``."""

    stronger: str
    weaker: str

    def __str__(self) -> str:
        return f"[prefer_rule: {self.stronger} > {self.weaker}]"


Rule: TypeAlias = StrictRule | DefeasibleRule
Directive: TypeAlias = Premise | Axiom | StrictRule | DefeasibleRule | PremisePreference | RulePreference

KEYWORDS: Final = ("premise", "axiom", "strict", "defeasible", "prefer_premise", "prefer_rule")
_SHOWN: Final = 60


def parse_directive(text: str) -> Directive:
    """Return the directive that the line ``text`` states.

    Args:
        text: one line whose typography was put right (``theory.typography``); keywords in any case.

    Raises:
        TheoryError: the line is not a directive; the message says what is wrong with it.
    """
    if not (text.startswith("[") and text.endswith("]") and len(text) > 2):
        raise _unreadable(text, f"a directive is written [keyword ...], with keyword one of {', '.join(KEYWORDS)}")
    head, colon, body = text[1:-1].partition(":")
    if not colon:
        raise _unreadable(text, "the colon after the keyword is missing")
    keyword, *names = head.split(maxsplit=2) or [""]
    match keyword.lower(), names:
        case "premise", []:
            return Premise(_literal(body, text))
        case "axiom", []:
            return Axiom(_literal(body, text))
        case "strict", [name]:
            return StrictRule(_name(name, text), *_rule_body(body, "->", text))
        case "defeasible", [name]:
            return DefeasibleRule(_name(name, text), *_rule_body(body, "=>", text))
        case "prefer_premise", []:
            stronger, weaker = _sides(body, text)
            return PremisePreference(_literal(stronger, text), _literal(weaker, text))
        case "prefer_rule", []:
            stronger, weaker = _sides(body, text)
            return RulePreference(_name(stronger, text), _name(weaker, text))
        case ("strict" | "defeasible") as kind, []:
            raise _unreadable(text, f"the rule's name is missing: [{kind} name: ...]")
        case kind, _ if kind in KEYWORDS:
            raise _unreadable(text, f"{' '.join(names)!r} between keyword and colon is not understood")
    raise _unreadable(text, f"{keyword!r} is not a keyword; allowed: {', '.join(KEYWORDS)}")


def _rule_body(body: str, arrow: str, text: str) -> tuple[tuple[str, ...], str]:
    left, found, right = body.partition(arrow)
    if not found:
        raise _unreadable(text, f"the arrow {arrow} is missing")
    words = left.split()
    if len(words) % 2 == 0 or any(word.upper() != "AND" for word in words[1::2]):
        raise _unreadable(text, "antecedents are one or more literals joined with AND")
    antecedents = dict.fromkeys(_literal(word, text) for word in words[::2])
    return tuple(antecedents), _literal(right, text)


def _sides(body: str, text: str) -> tuple[str, str]:
    stronger, found, weaker = body.partition(">")
    if not found:
        raise _unreadable(text, "a preference is written stronger > weaker")
    return stronger, weaker


def _literal(text: str, line: str) -> str:
    literal = text.strip()
    if not is_literal(literal):
        raise _unreadable(line, f"{_shorten(literal)!r} is not a literal (an identifier, or - and an identifier)")
    return literal


def _name(text: str, line: str) -> str:
    name = text.strip()
    if not is_identifier(name):
        raise _unreadable(
            line, f"{_shorten(name)!r} is not a rule name (a letter, then letters, digits or underscores)"
        )
    return name


def _unreadable(line: str, why: str) -> TheoryError:
    return TheoryError(f"cannot read {_shorten(line)!r}: {why}")


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
