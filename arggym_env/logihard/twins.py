"""Twins: procedural questions that differ in names and order alone, and the guard that keeps those of frozen ones out.

A fingerprint forgets what people and things are called and in what order sentences and options stand. Each name starts
out like every other, and is then told apart by the sentences that it occurs in, round after round (colour refinement).
Twins have one fingerprint. Two questions that are no twins might share one as well; that costs a rejection, no more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from arggym_env.frozen.suite import load_manifest
from arggym_env.logihard.families.names import PEOPLE, QUALITIES, TRADES, VERBS

_NAMES: Final = "|".join((*PEOPLE, *QUALITIES, *TRADES, r"[a-z]{2}\d"))
_NAME: Final = re.compile(rf"\b(?:{_NAMES})\b")
_ENUMERATION: Final = re.compile(rf"\b(?:{_NAMES})\b(?:(?:, | and | or | AND )(?:{_NAMES})\b)*")
"""Names in a row, whose order means nothing; mostly one alone."""
_VERB: Final = re.compile(
    rf"\b({'|'.join(affirmed for affirmed, _ in VERBS)})\b|\b(?:{'|'.join(v for _, v in VERBS)})\b"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.\"])\s+|\n+")
_ROUNDS: Final = 4


class _Sentence:
    """A sentence as a text with gaps, and the names that stand in each gap."""

    def __init__(self, text: str) -> None:
        plain = _VERB.sub(lambda found: "<does>" if found[1] else "<do>", text)
        self.gaps = [_NAME.findall(run) for run in _ENUMERATION.findall(plain)]
        self.frame = _ENUMERATION.sub("_", plain)

    def signature(self, colours: dict[str, str]) -> str:
        """Return the sentence with the colours of its names."""
        return f"{self.frame}\x1f{[sorted(map(colours.__getitem__, gap)) for gap in self.gaps]}"


def fingerprint(context: str, question: str, options: Sequence[str]) -> str:
    """Return the SHA-256 that a procedural question shares with its twins."""
    told = [_Sentence(text) for text in _SENTENCE_END.split(context) if text]
    offered = [_Sentence(text) for text in options]
    colours = {name: "" for sentence in (*told, *offered) for gap in sentence.gaps for name in gap}
    for _ in range(_ROUNDS):
        occurrences: dict[str, list[str]] = {name: [] for name in colours}
        for side, sentences in (("told", told), ("offered", offered)):
            for sentence in sentences:
                seen = f"{side}\x1f{sentence.signature(colours)}"
                for place, gap in enumerate(sentence.gaps):
                    for name in gap:
                        occurrences[name].append(f"{place}\x1f{seen}")
        colours = {name: _hash([colours[name], *sorted(found)]) for name, found in occurrences.items()}
    parts = (sorted(sentence.signature(colours) for sentence in sentences) for sentences in (told, offered))
    return _hash([question, *(_hash(part) for part in parts)])


def is_frozen_twin(family: str, context: str, question: str, options: Sequence[str]) -> bool:
    """Return whether the frozen suite has this question of the family, or a twin of it."""
    frozen = _frozen_fingerprints().get(family)
    return frozen is not None and fingerprint(context, question, options) in frozen


def is_frozen_question(context: str, question: str, options: Sequence[str]) -> bool:
    """Return whether the frozen suite has this question, of whatever family, or a twin of it."""
    found = fingerprint(context, question, options)
    return any(found in frozen for frozen in _frozen_fingerprints().values())


@cache
def _frozen_fingerprints() -> dict[str, frozenset[str]]:
    """Return the fingerprints of the frozen questions by family, as the manifest records them."""
    found: dict[str, set[str]] = {}
    for entry in load_manifest("logihard").rows:
        found.setdefault(entry.shape, set()).add(entry.canonical)
    return {family: frozenset(hashes) for family, hashes in found.items()}


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()
