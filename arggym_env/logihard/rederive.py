"""The gold again, from what the model reads and by other means than the generator's.

Keys of the deductive families come from ``readers``, keys of the argumentation family from PyArg; claims are read by
their keywords, not by their phrasings. The audit of the frozen suite compares the result with what the rows say.
"""

from __future__ import annotations

import re
from typing import Final

from arggym_env.engine import evaluate
from arggym_env.errors import InstanceError
from arggym_env.instances import LogiHardItem
from arggym_env.logihard.atomic import AtomicMCQ
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.formulas import KEYS, STATEMENTS
from arggym_env.logihard.readers import READERS
from arggym_env.theory import Theory

_NUMERAL: Final = re.compile(r"\b(?:IV|III|II|I)\b")
_STATEMENT: Final = re.compile(r"^(IV|III|II|I)\. (.+)$", re.MULTILINE)
_OPTION: Final = re.compile(r"^([A-F])\. (.+)$", re.MULTILINE)
_ORDERING: Final = re.compile(r"evaluated under grounded semantics with the (.+) preference ordering\.")
_DIRECTIVE: Final = re.compile(r"^\[.+\]$", re.MULTILINE)


def derived_keys(question: AtomicMCQ, engine: str = "pyarg") -> list[int]:
    """Return the options that the context makes right: one, if the question is sound.

    Args:
        question: a procedural question.
        engine: who evaluates theories.

    Raises:
        InstanceError: the question's text cannot be read.
    """
    if question.family in READERS:
        reading = READERS[question.family](question)
        return [index for index, text in enumerate(question.options) if reading.entails(reading.premises, text)]
    found = _ORDERING.search(question.context)
    if question.family != "argumentation" or found is None:
        raise InstanceError(f"{question.id}: no reader for family {question.family!r:.80}")
    state = evaluate(Theory.parse("\n".join(_DIRECTIVE.findall(question.context))), found[1], engine=engine)
    claims = [option.removesuffix(" is justified.") for option in question.options]
    return [index for index, claim in enumerate(claims) if state.status(claim) == "justified"]


def keys_of(claim: str) -> set[int]:
    """Return the keys under which a claim about statements I to IV holds, read by its keywords alone."""
    numerals = {STATEMENTS.index(word) for word in _NUMERAL.findall(claim)}
    lowered = claim.lower()
    if lowered.startswith(("none", "not one")) or len(numerals) == len(KEYS):
        return set()
    if any(word in lowered for word in ("only", "no other", "alone", "other three")):
        return numerals
    if "neither" in lowered or "not" in lowered:
        return set(KEYS) - numerals
    return numerals


def derived_letters(item: LogiHardItem, key: int) -> list[str]:
    """Return the letters that the item's prompt makes right if the atomic option ``key`` is."""
    right = item.atomic.options[key]
    question = item.prompt[item.prompt.rindex("\n\nQuestion: ") if item.atomic.context else 0 :]
    options = _OPTION.findall(question)
    if isinstance(item, BaseItem):
        return [letter for letter, text in options if text == right]
    places = [STATEMENTS.index(numeral) for numeral, text in _STATEMENT.findall(question) if text == right]
    return [letter for letter, text in options if set(places) & keys_of(text)]
