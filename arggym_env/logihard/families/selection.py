"""selection: who is chosen when k of n applicants are, under rules about pairs of them.

Models are the k-element subsets of the applicants. Hard because the number to be chosen works together with the rules:
who is out forces others in.
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
from arggym_env.logihard.kernel import Space, Statement, space_of


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    applicants: int
    places: int
    premises: int
    depth: int
    """Fewest rules that entail the key."""


LEVELS: Final = (
    Level(applicants=5, places=3, premises=3, depth=2),
    Level(applicants=6, places=3, premises=4, depth=2),
    Level(applicants=7, places=4, premises=5, depth=3),
    Level(applicants=8, places=4, premises=6, depth=3),
    Level(applicants=9, places=5, premises=7, depth=4),
)

_TEMPLATES: Final = {
    "in": "{0} is chosen",
    "out": "{0} is not chosen",
    "if": "if {0} is chosen, then {1} is chosen",
    "if_not": "if {0} is chosen, then {1} is not chosen",
    "unless": "if {0} is not chosen, then {1} is chosen",
    "not_both": "{0} and {1} are not both chosen",
    "or": "at least one of {0} and {1} is chosen",
    "one": "exactly one of {0} and {1} is chosen",
    "both": "{0} and {1} are both chosen",
    "neither": "neither {0} nor {1} is chosen",
    "same": "{0} is chosen if and only if {1} is chosen",
}
_RULES: Final = ("if", "if", "if_not", "unless", "not_both", "or", "one", "same")
_DIRECTED: Final = frozenset({"if"})
_COUNTS: Final = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    people = tuple(stream.sample(PEOPLE, level.applicants))
    space = _space(level.applicants, level.places)
    premises = draw_premises(space, lambda: _rule(space, people, stream), people, level.premises, stream)
    claims = [
        _statement(space, people, kind, persons) for kind in _TEMPLATES for persons in _persons(kind, level.applicants)
    ]
    options = draw_options(space, premises, claims, people, level.depth, disguise, stream)
    context = (
        f"Of the {_COUNTS[level.applicants]} applicants {listed(people)}, exactly {_COUNTS[level.places]} are chosen. "
        f"{' '.join(premise.sentence for premise in premises)}"
    )
    return puzzle(context, options, stream)


@cache
def _space(applicants: int, places: int) -> Space:
    return space_of(list(combinations(range(applicants), places)), applicants)


@cache
def _persons(kind: str, applicants: int) -> list[tuple[int, ...]]:
    """Return whom a statement of the kind can be about."""
    if "{1}" not in _TEMPLATES[kind]:
        return [(person,) for person in range(applicants)]
    pairs = permutations if kind in _DIRECTED else combinations
    return list(pairs(range(applicants), 2))


def _statement(space: Space, people: tuple[str, ...], kind: str, persons: tuple[int, ...]) -> Statement:
    text = _TEMPLATES[kind].format(*(people[person] for person in persons))
    return Statement(text, _meaning(space, kind, [space.atoms[person] for person in persons]), kind)


def _meaning(space: Space, kind: str, chosen: list[int]) -> int:
    first, *rest = chosen
    match kind:
        case "out":
            return space.negation(first)
        case "if":
            return space.implication(first, rest[0])
        case "if_not" | "not_both":
            return space.negation(first & rest[0])
        case "unless" | "or":
            return first | rest[0]
        case "one":
            return first ^ rest[0]
        case "both":
            return first & rest[0]
        case "neither":
            return space.negation(first | rest[0])
        case "same":
            return space.equivalence(first, rest[0])
    return first


def _rule(space: Space, people: tuple[str, ...], stream: Stream) -> Statement:
    kind = stream.choice(_RULES)
    return _statement(space, people, kind, tuple(stream.sample(range(len(people)), 2)))


class Selection(Family):
    """The selection family."""

    name = "selection"
    summary = "who is chosen when k of n applicants are, under rules about pairs of them"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Selection()
