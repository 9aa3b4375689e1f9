"""ordering: who sits where in a row of four to six seats.

Models are the permutations of the people. Premises place two people relative to each other (left of, immediately left
of, next to, with one person between them), a person relative to two others, or a person and a seat. Hard because a
partial order and adjacency have to be combined, and what is left open is easily filled in by a picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.drawing import draw_options, draw_premises, puzzle
from arggym_env.logihard.families.family import Disguise, Family, Puzzle
from arggym_env.logihard.families.names import PEOPLE, listed
from arggym_env.logihard.kernel import Space, Statement, space_of


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    people: int
    premises: int
    depth: int
    """Fewest premises that entail the key."""


LEVELS: Final = (
    Level(people=4, premises=3, depth=2),
    Level(people=5, premises=4, depth=2),
    Level(people=5, premises=4, depth=3),
    Level(people=6, premises=5, depth=3),
    Level(people=6, premises=6, depth=4),
)

_PAIRS: Final = {
    "left": "{0} sits somewhere to the left of {1}",
    "just_left": "{0} sits immediately to the left of {1}",
    "next": "{0} and {1} sit next to each other",
    "apart": "{0} and {1} do not sit next to each other",
    "one_between": "exactly one person sits between {0} and {1}",
}
_DIRECTED: Final = frozenset({"left", "just_left"})
_BETWEEN: Final = "{0} sits somewhere between {1} and {2}"
_SEAT: Final = "{0} sits in seat {1}"
_NOT_SEAT: Final = "{0} does not sit in seat {1}"
_END: Final = "{0} sits at one of the two ends"
_NOT_END: Final = "{0} does not sit at either end"

_PREMISE_KINDS: Final = ("left",) * 3 + ("just_left", "next", "apart", "one_between", "between", "not_seat", "end")


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    people = tuple(stream.sample(PEOPLE, level.people))
    space, statements = _space(level.people), _statements(level.people)

    def named(shape: Statement) -> Statement:
        return Statement(shape.text.format(*people), shape.bits, shape.form)

    def draw() -> Statement:
        return named(stream.choice(statements[stream.choice(_PREMISE_KINDS)]))

    premises = draw_premises(space, draw, people, level.premises, stream)
    claims = [named(shape) for shapes in statements.values() for shape in shapes]
    options = draw_options(space, premises, claims, people, level.depth, disguise, stream)
    context = (
        f"{listed(people)} sit in a row of {level.people} seats, numbered 1 to {level.people} from left to right, one "
        f"person in each seat. {' '.join(premise.sentence for premise in premises)}"
    )
    return puzzle(context, options, stream)


@cache
def _space(people: int) -> Space:
    """Return the seatings, as the space of facts "person p sits in seat s", numbered p * people + s."""
    models = [
        [person * people + seat for person, seat in enumerate(seating)] for seating in permutations(range(people))
    ]
    return space_of(models, people * people)


@cache
def _statements(people: int) -> dict[str, list[Statement]]:
    """Return every statement by kind; a person is the slot of the same number."""
    everyone, seats = range(people), range(people)
    found: dict[str, list[Statement]] = {}

    def add(kind: str, template: str, words: tuple[object, ...], bits: int) -> None:
        found.setdefault(kind, []).append(Statement(template.format(*words), bits, kind))

    for a, b in permutations(everyone, 2):
        for kind, template in _PAIRS.items():
            if kind in _DIRECTED or a < b:
                add(kind, template, (_slot(a), _slot(b)), _pair(people, kind, a, b))
    for a, b, c in permutations(everyone, 3):
        if b < c:
            left, right = (_pair(people, "left", b, a), _pair(people, "left", a, b))
            bits = (left & _pair(people, "left", a, c)) | (right & _pair(people, "left", c, a))
            add("between", _BETWEEN, (_slot(a), _slot(b), _slot(c)), bits)
    space = _space(people)
    for a in everyone:
        for seat in seats:
            bits = _at(people, a, seat)
            add("seat", _SEAT, (_slot(a), seat + 1), bits)
            add("not_seat", _NOT_SEAT, (_slot(a), seat + 1), space.negation(bits))
        ends = _at(people, a, 0) | _at(people, a, people - 1)
        add("end", _END, (_slot(a),), ends)
        add("not_end", _NOT_END, (_slot(a),), space.negation(ends))
    return found


def _slot(person: int) -> str:
    return f"{{{person}}}"


def _at(people: int, person: int, seat: int) -> int:
    return _space(people).atoms[person * people + seat]


def _pair(people: int, kind: str, a: int, b: int) -> int:
    """Return the seatings in which ``a`` and ``b`` sit as the kind says."""
    bits = 0
    for left in range(people):
        for right in range(people):
            if _fits(kind, right - left):
                bits |= _at(people, a, left) & _at(people, b, right)
    return bits


def _fits(kind: str, distance: int) -> bool:
    """Return whether somebody ``distance`` seats further right sits as the kind says."""
    match kind:
        case "left":
            return distance > 0
        case "just_left":
            return distance == 1
        case "next":
            return abs(distance) == 1
        case "apart":
            return abs(distance) > 1
    return abs(distance) == 2


class Ordering(Family):
    """The ordering family."""

    name = "ordering"
    summary = "who sits where in a row of four to six seats"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Ordering()
