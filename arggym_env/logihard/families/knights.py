"""knights: who tells the truth and who lies, from what they say about each other.

Models are the 2**n ways in which n islanders (three to five) are knights, who always tell the truth, or knaves, who
always lie; somebody's saying s is the statement "the speaker is a knight if and only if s". Hard because no saying can
be taken at its word, and the key takes several of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.drawing import draw_options, draw_premises, puzzle
from arggym_env.logihard.families.family import Disguise, Family, Puzzle
from arggym_env.logihard.families.names import PEOPLE, listed
from arggym_env.logihard.kernel import Space, Statement, valuations


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    people: int
    sayings: int
    depth: int
    """Fewest sayings that entail the key."""
    kinds: tuple[str, ...]
    """What islanders say."""


_PLAIN: Final = ("knight", "knave", "same", "different")
_JOINED: Final = ("knave", "same", "different", "some_knave", "some_knight", "if_knave", "if_knight")

LEVELS: Final = (
    Level(people=3, sayings=2, depth=2, kinds=("knave", *_JOINED)),
    Level(people=4, sayings=3, depth=2, kinds=_PLAIN),
    Level(people=4, sayings=3, depth=3, kinds=_JOINED),
    Level(people=5, sayings=4, depth=3, kinds=_JOINED),
    Level(people=5, sayings=5, depth=4, kinds=_JOINED),
)

_TEMPLATES: Final = {
    "knight": "{0} is a knight",
    "knave": "{0} is a knave",
    "same": "{0} and {1} are of the same kind",
    "different": "{0} and {1} are of different kinds",
    "some_knight": "at least one of {0} and {1} is a knight",
    "some_knave": "at least one of {0} and {1} is a knave",
    "both_knights": "{0} and {1} are both knights",
    "both_knaves": "{0} and {1} are both knaves",
    "if_knight": "if {0} is a knight, then {1} is a knight",
    "if_knave": "if {0} is a knight, then {1} is a knave",
    "unless": "if {0} is a knave, then {1} is a knight",
}
_DIRECTED: Final = frozenset({"if_knight"})


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    people = tuple(stream.sample(PEOPLE, level.people))
    space = valuations(level.people)
    premises = draw_premises(space, lambda: _saying(space, people, level, stream), people, level.sayings, stream)
    claims = [
        _statement(space, people, kind, persons) for kind in _TEMPLATES for persons in _persons(kind, level.people)
    ]
    said = " ".join(premise.text for premise in premises)
    claims = [claim for claim in claims if f'"{claim.sentence}"' not in said]
    options = draw_options(space, premises, claims, people, level.depth, disguise, stream)
    context = (
        "On an island everybody is either a knight, who says only what is true, or a knave, who says only what is "
        f"false. {listed(people)} live there. {' '.join(premise.text for premise in premises)}"
    )
    return puzzle(context, options, stream)


@cache
def _persons(kind: str, people: int) -> list[tuple[int, ...]]:
    """Return whom a statement of the kind can be about."""
    if "{1}" not in _TEMPLATES[kind]:
        return [(person,) for person in range(people)]
    pairs = permutations if kind in _DIRECTED else combinations
    return list(pairs(range(people), 2))


def _statement(space: Space, people: tuple[str, ...], kind: str, persons: tuple[int, ...]) -> Statement:
    text = _TEMPLATES[kind].format(*(people[person] for person in persons))
    return Statement(text, _meaning(space, kind, [space.atoms[person] for person in persons]), kind)


def _meaning(space: Space, kind: str, knights: list[int]) -> int:
    first, *rest = knights
    match kind:
        case "knave":
            return space.negation(first)
        case "same":
            return space.equivalence(first, rest[0])
        case "different":
            return first ^ rest[0]
        case "some_knight" | "unless":
            return first | rest[0]
        case "some_knave" | "if_knave":
            return space.negation(first & rest[0])
        case "both_knights":
            return first & rest[0]
        case "both_knaves":
            return space.negation(first | rest[0])
        case "if_knight":
            return space.implication(first, rest[0])
    return first


def _saying(space: Space, people: tuple[str, ...], level: Level, stream: Stream) -> Statement:
    """Return somebody's statement about others or, sometimes, about themselves and another."""
    kind = stream.choice(level.kinds)
    speaker = stream.below(level.people)
    said = _statement(space, people, kind, stream.choice(_persons(kind, level.people)))
    text = f'{people[speaker]} says: "{said.sentence}"'
    return Statement(text, space.equivalence(space.atoms[speaker], said.bits), "saying")


class Knights(Family):
    """The knights family."""

    name = "knights"
    summary = "who tells the truth and who lies, from what they say about each other"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Knights()
