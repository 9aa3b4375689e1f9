"""individuals: general rules applied to named people, with the traps of converse and inverse.

Models are the assignments of qualities to people, 2**(qualities x people) of them. Premises are rules about everybody
("Everyone who is tired is calm", "Only those who are tired are calm", "No one who is tired is calm") and facts about
one person. Hard because a rule also works backwards, from what somebody is not, and because "only" turns it around.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.drawing import draw_options, draw_premises, puzzle
from arggym_env.logihard.families.family import Disguise, Family, Puzzle
from arggym_env.logihard.families.names import PEOPLE, QUALITIES, listed
from arggym_env.logihard.kernel import Space, Statement, valuations


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    qualities: int
    people: int
    premises: int
    depth: int
    """Fewest premises that entail the key."""
    kinds: tuple[str, ...]
    """What rules may be."""


_PLAIN: Final = ("all", "only", "no")
_NEGATIVE: Final = ("all", "only", "no", "all_not")
_COMPOUND: Final = ("all", "only", "no", "all_not", "all_and", "no_and", "all_or")

LEVELS: Final = (
    Level(qualities=3, people=2, premises=4, depth=2, kinds=_PLAIN),
    Level(qualities=4, people=2, premises=5, depth=2, kinds=_PLAIN),
    Level(qualities=4, people=3, premises=6, depth=3, kinds=_NEGATIVE),
    Level(qualities=5, people=2, premises=7, depth=3, kinds=_COMPOUND),
    Level(qualities=4, people=3, premises=8, depth=4, kinds=_COMPOUND),
)

_RULE_SHARE: Final = 0.55
_RULES: Final = {
    "all": "everyone who is {0} is {1}",
    "only": "only those who are {0} are {1}",
    "no": "no one who is {0} is {1}",
    "all_not": "everyone who is not {0} is {1}",
    "all_and": "everyone who is both {0} and {1} is {2}",
    "no_and": "no one who is both {0} and {1} is {2}",
    "all_or": "everyone who is {0} is {1} or {2}",
}
_FACTS: Final = {"is": "{0} is {1}", "is_not": "{0} is not {1}"}
_HYPOTHESES: Final = {
    "if": "if {0} is {1}, then {0} is {2}",
    "if_not": "if {0} is {1}, then {0} is not {2}",
}


@dataclass(frozen=True, slots=True)
class _Scene:
    """People, qualities, and the space of facts "person p has quality q", numbered p * qualities + q."""

    people: tuple[str, ...]
    qualities: tuple[str, ...]
    space: Space

    def has(self, person: int, quality: int) -> int:
        return self.space.atoms[person * len(self.qualities) + quality]

    def rule(self, kind: str, qualities: tuple[int, ...]) -> Statement:
        bits = self.space.everything
        for person in range(len(self.people)):
            bits &= _instance(self.space, kind, [self.has(person, quality) for quality in qualities])
        return Statement(_RULES[kind].format(*(self.qualities[quality] for quality in qualities)), bits, kind)

    def fact(self, kind: str, person: int, quality: int) -> Statement:
        bits = self.has(person, quality)
        text = _FACTS[kind].format(self.people[person], self.qualities[quality])
        return Statement(text, bits if kind == "is" else self.space.negation(bits), kind)

    def hypothesis(self, kind: str, person: int, first: int, second: int) -> Statement:
        consequence = self.has(person, second)
        bits = self.space.implication(
            self.has(person, first), consequence if kind == "if" else self.space.negation(consequence)
        )
        text = _HYPOTHESES[kind].format(self.people[person], self.qualities[first], self.qualities[second])
        return Statement(text, bits, kind)


def _instance(space: Space, kind: str, has: list[int]) -> int:
    """Return the models in which the rule holds of one person, who has the qualities in ``has``."""
    first, second, *rest = has
    match kind:
        case "only":
            return space.implication(second, first)
        case "no":
            return space.negation(first & second)
        case "all_not":
            return first | second
        case "all_and":
            return space.implication(first & second, rest[0])
        case "no_and":
            return space.negation(first & second & rest[0])
        case "all_or":
            return space.implication(first, second | rest[0])
    return space.implication(first, second)


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    people = tuple(stream.sample(PEOPLE, level.people))
    qualities = tuple(stream.sample(QUALITIES, level.qualities))
    scene = _Scene(people, qualities, valuations(level.people * level.qualities))
    names = (*people, *qualities)
    premises = draw_premises(scene.space, lambda: _premise(scene, level, stream), names, level.premises, stream)
    options = draw_options(scene.space, premises, list(_claims(scene)), names, level.depth, disguise, stream)
    context = (
        f"Each of {listed(people)} may or may not be {', '.join(qualities[:-1])} or {qualities[-1]}; statements about "
        "everyone and no one are about just these people. "
        f"{' '.join(premise.sentence for premise in premises)}"
    )
    return puzzle(context, options, stream)


def _premise(scene: _Scene, level: Level, stream: Stream) -> Statement:
    if stream.chance(_RULE_SHARE):
        kind = stream.choice(level.kinds)
        count = 3 if "{2}" in _RULES[kind] else 2
        return scene.rule(kind, tuple(stream.sample(range(level.qualities), count)))
    return scene.fact(stream.choice(("is", "is_not")), stream.below(level.people), stream.below(level.qualities))


def _claims(scene: _Scene) -> Iterator[Statement]:
    qualities = range(len(scene.qualities))
    for person in range(len(scene.people)):
        for quality in qualities:
            for kind in _FACTS:
                yield scene.fact(kind, person, quality)
        for first, second in permutations(qualities, 2):
            for kind in _HYPOTHESES:
                yield scene.hypothesis(kind, person, first, second)
    for first, second in permutations(qualities, 2):
        for kind in ("all", "only", "no", "all_not"):
            yield scene.rule(kind, (first, second))


class Individuals(Family):
    """The individuals family."""

    name = "individuals"
    summary = "general rules applied to named people, with the traps of converse and inverse"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Individuals()
