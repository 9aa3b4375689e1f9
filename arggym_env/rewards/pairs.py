"""The contract of the pair-valued tasks: status_query, semantics_query and perturbation (paper appendix B).

An answer is a map from keys to statuses, one ``key: status`` a line. With predicted map P, gold map G and TP the keys
whose submitted status is the gold one, precision is TP/|P|, recall TP/|G|, and the native score their harmonic mean.
What the paper leaves open is settled by spec section 6: a line that cannot be read counts as one wrong pair in |P|, a
key with contradictory statuses counts once in |P| and never in TP, and a line that is repeated counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from arggym_env.engine import SEMANTICS
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.detail import SHOWN_ENTRIES, shown, shown_entries
from arggym_env.rewards.score import JsonValue, Reason, Score
from arggym_env.theory.literals import is_literal
from arggym_env.theory.typography import content_lines

KeyReader: TypeAlias = Callable[[str], str | None]
"""Returns the key that a text states, in the spelling of the gold map, or None when it cannot be read."""

CLAIM_STATUSES: Final = ("justified", "overruled", "undecided")
"""The statuses of a claim under grounded semantics: status_query and perturbation."""
STATUSES_UNDER_SEMANTICS: Final = (*CLAIM_STATUSES, "no stable extension")
"""The statuses of a claim under a named semantics: semantics_query."""


class Pair(NamedTuple):
    """One readable line."""

    key: str
    status: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """What an answer says.

    Attributes:
        statuses: each key's distinct statuses, in the order written; more than one contradict each other.
        unreadable: the distinct lines that cannot be read, in the order written.
    """

    statuses: Mapping[str, tuple[str, ...]]
    unreadable: tuple[str, ...]

    def __len__(self) -> int:
        """Return |P|: the keys and the unreadable lines."""
        return len(self.statuses) + len(self.unreadable)


def claim_key(text: str) -> str | None:
    """Return the literal that ``text`` is, or None: the key of status_query and perturbation."""
    literal = text.strip()
    return literal if is_literal(literal) else None


def claim_under_semantics_key(text: str) -> str | None:
    """Return ``claim under semantics`` as ``text`` states it, or None: the key of semantics_query.

    ``under`` and the name of the semantics may be written in any case and with any blanks between the words.
    """
    claim, *words = text.split() or [""]
    under, semantics = " ".join(words[:1]).lower(), " ".join(words[1:]).lower()
    readable = is_literal(claim) and under == "under" and semantics in SEMANTICS
    return f"{claim} under {semantics}" if readable else None


def read_pair(line: str, statuses: Collection[str], read_key: KeyReader = claim_key) -> Pair | None:
    """Return the pair that ``line`` states, or None when it is not ``key: status`` and nothing else.

    Args:
        line: a line whose typography was put right.
        statuses: the allowed statuses, in lower case; the line may write them in any case.
        read_key: reads what stands before the last colon.
    """
    before, colon, after = line.rpartition(":")
    status = " ".join(after.split()).lower()
    if not colon or status not in statuses:
        return None
    key = read_key(before)
    return None if key is None else Pair(key, status)


def read_pairs(text: str, statuses: Collection[str], read_key: KeyReader = claim_key) -> Pairs:
    """Return what the content lines of ``text`` say, each read by :func:`read_pair`."""
    stated: dict[str, dict[str, None]] = {}
    unreadable: dict[str, None] = {}
    for line in content_lines(text):
        pair = read_pair(line.text, statuses, read_key)
        if pair is None:
            unreadable[line.text] = None
        else:
            stated.setdefault(pair.key, {})[pair.status] = None
    return Pairs(FrozenMap({key: tuple(values) for key, values in stated.items()}), tuple(unreadable))


def pair_f1(matched: int, predicted: int, gold: int) -> float:
    """Return the harmonic mean of precision ``matched / predicted`` and recall ``matched / gold`` (paper appendix B).

    It is 0 when nothing matches, also when there is nothing to match, and exactly 1 when the three counts are equal.
    """
    return 2 * matched / (predicted + gold) if matched else 0.0


def score_pairs(
    gold: Mapping[str, str], answer: str, statuses: Collection[str], read_key: KeyReader = claim_key
) -> Score:
    """Return the score of a pair-valued answer; success requires that predicted and gold map are equal.

    Args:
        gold: the right status of every key.
        answer: the text of the answer region.
        statuses: the statuses that an answer may use, in lower case.
        read_key: reads what stands before the colon of a line.
    """
    pairs = read_pairs(answer, statuses, read_key)
    if not len(pairs):
        return Score(0.0, False, False, Reason.EMPTY_ANSWER)
    matched = [key for key, status in gold.items() if pairs.statuses.get(key) == (status,)]
    success = len(matched) == len(pairs) == len(gold)
    mistaken = Reason.WRONG if pairs.statuses else Reason.UNREADABLE
    native = pair_f1(len(matched), len(pairs), len(gold))
    return Score(
        native, success, True, Reason.CORRECT if success else mistaken, FrozenMap(_detail(gold, pairs, matched))
    )


def _detail(gold: Mapping[str, str], pairs: Pairs, matched: list[str]) -> dict[str, JsonValue]:
    """Return the maps for reports; what the answer adds to the gold keys is cut to a bounded number of entries."""
    stated = pairs.statuses
    mistaken = (key for key, status in gold.items() if len(stated.get(key, ())) == 1 and stated[key] != (status,))
    parsed = islice(stated.items(), len(gold) + SHOWN_ENTRIES)
    return {
        "parsed": {shown(key): " / ".join(statuses) for key, statuses in parsed},
        "matched": shown_entries(matched, len(gold)),
        "mistaken": shown_entries(mistaken, len(gold)),
        "missing": shown_entries((key for key in gold if key not in stated), len(gold)),
        "extra": shown_entries(key for key in stated if key not in gold),
        "contradictory": shown_entries(key for key, statuses in stated.items() if len(statuses) > 1),
        "unreadable": shown_entries(pairs.unreadable),
        "predicted": len(pairs),
    }
