"""The contract of defeat_diagnosis: a status, and one record for each point at which the support fails (appendix B).

An answer is a line ``status: overruled`` or ``status: undecided``, and for each failure point a line
``defeated_at: X; defeater: Y; kind: K``, with ``; survives_because: R`` where the defeater survives a counterattack.
With F_diag the F1 of the records, I the status being right and F_surv the F1 of the survival explanations, the native
score is 0.85 F_diag + 0.15 I when no explanation is required, and 0.60 F_diag + 0.15 I + 0.25 F_surv otherwise.

What the paper leaves open is settled here:

* The key of a record is (defeated_at, defeater); a key stated with two kinds counts once among the predicted records
  and is never right. A repeated line counts once. A line that cannot be read counts as one wrong record.
* A survival explanation is a key with its rule; the record's kind does not matter to it. A key stated with two rules,
  or with and without one, counts once among the predicted explanations and is never right.
* The status may stand on any line. Two different statuses, or none, are worth nothing; repeating it costs nothing.
* Fields may come in any order, in any case, with any blanks; a field twice or an unknown one makes a line unreadable.
* An explanation where the whole instance requires none scores 0, whatever else the answer says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.detail import SHOWN_ENTRIES, shown_entries
from arggym_env.rewards.pairs import CLAIM_STATUSES, pair_f1
from arggym_env.rewards.score import JsonValue, Reason, Score
from arggym_env.theory.literals import is_literal
from arggym_env.theory.typography import content_lines

KINDS: Final = ("undermine", "undercut", "rebut")
"""The ways in which a point fails."""

_Key: TypeAlias = tuple[str, str]
_REQUIRED: Final = frozenset({"defeated_at", "defeater", "kind"})
_FIELDS: Final = _REQUIRED | {"survives_because"}


@dataclass(frozen=True, slots=True, order=True)
class FailurePoint:
    """One record of a diagnosis; ``str`` is its line."""

    defeated_at: str
    """The attacked ordinary premise, rule name, or conclusion literal."""
    defeater: str
    """The undermining literal, or the last rule of the undercutting or rebutting argument."""
    kind: str
    """One of :data:`KINDS`."""
    survives_because: str = ""
    """The rule of a counterattack on the defeater that is itself defeated; empty when there is none."""

    @property
    def key(self) -> _Key:
        """What the record is matched by."""
        return self.defeated_at, self.defeater

    def __str__(self) -> str:
        line = f"defeated_at: {self.defeated_at}; defeater: {self.defeater}; kind: {self.kind}"
        return f"{line}; survives_because: {self.survives_because}" if self.survives_because else line


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an answer says.

    Attributes:
        statuses: the distinct statuses, in the order written.
        points: the distinct records, in the order written.
        unreadable: the distinct lines that cannot be read, in the order written.
    """

    statuses: tuple[str, ...]
    points: tuple[FailurePoint, ...]
    unreadable: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([*(f"status: {status}" for status in self.statuses), *map(str, self.points)])

    @property
    def kinds(self) -> Mapping[_Key, frozenset[str]]:
        """The kinds that each key is stated with."""
        kinds: dict[_Key, set[str]] = {}
        for point in self.points:
            kinds.setdefault(point.key, set()).add(point.kind)
        return {key: frozenset(values) for key, values in kinds.items()}

    @property
    def survivals(self) -> Mapping[_Key, frozenset[str]]:
        """The rules that each key with some explanation is stated with; an empty string for a record without one."""
        rules: dict[_Key, set[str]] = {}
        for point in self.points:
            rules.setdefault(point.key, set()).add(point.survives_because)
        return {key: frozenset(values) for key, values in rules.items() if values != {""}}


def read_diagnosis(text: str) -> Diagnosis:
    """Return what the content lines of ``text`` say."""
    statuses: dict[str, None] = {}
    points: dict[FailurePoint, None] = {}
    unreadable: dict[str, None] = {}
    for line in content_lines(text):
        fields = _fields(line.text)
        if fields.keys() == {"status"} and fields["status"].lower() in CLAIM_STATUSES:
            statuses[fields["status"].lower()] = None
        elif (point := _point(fields)) is not None:
            points[point] = None
        else:
            unreadable[line.text] = None
    return Diagnosis(tuple(statuses), tuple(points), tuple(unreadable))


def _fields(line: str) -> Mapping[str, str]:
    """Return the fields of ``name: value; name: value``; none when the line is anything else."""
    fields: dict[str, str] = {}
    for part in line.removesuffix(";").split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if not colon or name in fields:
            return {}
        fields[name] = value.strip()
    return fields


def _point(fields: Mapping[str, str]) -> FailurePoint | None:
    if not _REQUIRED <= fields.keys() <= _FIELDS:
        return None
    kind = fields["kind"].lower()
    names = [value for name, value in fields.items() if name != "kind"]
    if kind not in KINDS or not all(map(is_literal, names)):
        return None
    return FailurePoint(fields["defeated_at"], fields["defeater"], kind, fields.get("survives_because", ""))


def score_diagnosis(gold: Diagnosis, answer: str) -> Score:
    """Return the score of a diagnosis; success requires the status, all records and all explanations, and no others.

    Args:
        gold: the right diagnosis: one status, and one record for each key.
        answer: the text of the answer region.
    """
    said = read_diagnosis(answer)
    predicted = len(said.kinds) + len(said.unreadable)
    if not (predicted or said.statuses):
        return Score(0.0, False, False, Reason.EMPTY_ANSWER)
    matched = sum(said.kinds.get(key) == kinds for key, kinds in gold.kinds.items())
    explained = sum(said.survivals.get(key) == rules for key, rules in gold.survivals.items())
    right_status = said.statuses == gold.statuses
    points_f1 = pair_f1(matched, predicted, len(gold.kinds))
    survival_f1 = pair_f1(explained, len(said.survivals), len(gold.survivals))
    if gold.survivals:
        native = 0.60 * points_f1 + 0.15 * right_status + 0.25 * survival_f1
    else:
        native = 0.0 if said.survivals else 0.85 * points_f1 + 0.15 * right_status
    success = (
        right_status
        and matched == predicted == len(gold.kinds)
        and explained == len(said.survivals) == len(gold.survivals)
    )
    mistaken = Reason.WRONG if said.points or said.statuses else Reason.UNREADABLE
    return Score(
        1.0 if success else native,
        success,
        True,
        Reason.CORRECT if success else mistaken,
        FrozenMap(_detail(gold, said, right_status, points_f1, survival_f1)),
    )


def _detail(
    gold: Diagnosis, said: Diagnosis, right_status: bool, points_f1: float, survival_f1: float
) -> dict[str, JsonValue]:
    """Return the records for reports; what the answer adds to the gold records is cut to a bounded number."""
    expected, stated = set(gold.points), set(said.points)
    shown_points = len(gold.points) + SHOWN_ENTRIES
    return {
        "status": " / ".join(said.statuses),
        "status_right": right_status,
        "parsed": shown_entries(map(str, said.points), shown_points),
        "matched": shown_entries(str(point) for point in gold.points if point in stated),
        "missing": shown_entries(str(point) for point in gold.points if point not in stated),
        "extra": shown_entries(str(point) for point in said.points if point not in expected),
        "unreadable": shown_entries(said.unreadable),
        "predicted": len(said.kinds) + len(said.unreadable),
        "points_f1": points_f1,
        "survival_required": bool(gold.survivals),
        "survival_f1": survival_f1,
    }
