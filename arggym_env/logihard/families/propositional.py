"""propositional: what follows from statements joined by if, only if, or, not both.

Models are the valuations of four to six atoms ("Mira comes"). Premises are conditionals in either wording,
disjunctions, exclusions, equivalences and, on higher levels, conditionals with two conditions or two consequences.
Hard because the key takes several of them, through contraposition and case distinction, while the other options are
mostly such as would follow if a conditional were read the wrong way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.drawing import draw_options, draw_premises, puzzle
from arggym_env.logihard.families.family import Disguise, Family, Puzzle
from arggym_env.logihard.families.names import PEOPLE, VERBS, listed
from arggym_env.logihard.kernel import Space, Statement, valuations


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    atoms: int
    premises: int
    depth: int
    """Fewest premises that entail the key."""
    kinds: tuple[str, ...]
    """What premises may be; one that is listed twice comes twice as often."""


_SIMPLE: Final = ("fact", "if", "if", "only_if", "or", "not_both")
_MIXED: Final = ("if", "if", "only_if", "only_if", "or", "not_both", "iff")
_COMPOUND: Final = ("if", "only_if", "or", "not_both", "iff", "if_and", "if_or")

LEVELS: Final = (
    Level(atoms=4, premises=4, depth=2, kinds=_SIMPLE),
    Level(atoms=5, premises=5, depth=2, kinds=_MIXED),
    Level(atoms=5, premises=6, depth=3, kinds=_MIXED),
    Level(atoms=6, premises=7, depth=3, kinds=_COMPOUND),
    Level(atoms=6, premises=8, depth=4, kinds=_COMPOUND),
)

_TEMPLATES: Final = {
    "fact": "{0}",
    "if": "if {0}, then {1}",
    "only_if": "{0} only if {1}",
    "or": "{0} or {1}",
    "not_both": "it is not the case that both {0} and {1}",
    "iff": "{0} if and only if {1}",
    "if_and": "if {0} and {1}, then {2}",
    "if_or": "if {0}, then {1} or {2}",
}
_NEGATIVE_SHARE: Final = 0.35


@dataclass(frozen=True, slots=True)
class _Literal:
    atom: int
    positive: bool


@dataclass(frozen=True, slots=True)
class _Scene:
    """Who may do what, and in which models they do."""

    people: tuple[str, ...]
    verb: tuple[str, str]
    space: Space

    def clause(self, literal: _Literal) -> str:
        name, (affirmed, infinitive) = self.people[literal.atom], self.verb
        return f"{name} {affirmed}" if literal.positive else f"{name} does not {infinitive}"

    def bits(self, literal: _Literal) -> int:
        bits = self.space.atoms[literal.atom]
        return bits if literal.positive else self.space.negation(bits)

    def statement(self, kind: str, literals: tuple[_Literal, ...]) -> Statement:
        text = _TEMPLATES[kind].format(*map(self.clause, literals))
        signs = "".join("+" if literal.positive else "-" for literal in literals)
        return Statement(text, _meaning(self.space, kind, [self.bits(literal) for literal in literals]), kind + signs)


def _meaning(space: Space, kind: str, parts: list[int]) -> int:
    first, *rest = parts
    match kind:
        case "if" | "only_if":
            return space.implication(first, rest[0])
        case "or":
            return first | rest[0]
        case "not_both":
            return space.negation(first & rest[0])
        case "iff":
            return space.equivalence(first, rest[0])
        case "if_and":
            return space.implication(first & rest[0], rest[1])
        case "if_or":
            return space.implication(first, rest[0] | rest[1])
    return first


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    people = tuple(stream.sample(PEOPLE, level.atoms))
    scene = _Scene(people, stream.choice(VERBS), valuations(level.atoms))
    premises = draw_premises(scene.space, lambda: _premise(scene, level, stream), people, level.premises, stream)
    options = draw_options(scene.space, premises, _claims(scene), people, level.depth, disguise, stream)
    context = (
        f"The following is known about {listed(people)}. {' '.join(premise.sentence for premise in premises)} "
        'Here "or" leaves open that both are the case. Nothing else is known.'
    )
    return puzzle(context, options, stream)


def _premise(scene: _Scene, level: Level, stream: Stream) -> Statement:
    kind = stream.choice(level.kinds)
    atoms = stream.sample(range(len(scene.people)), _arity(kind))
    return scene.statement(kind, tuple(_Literal(atom, not stream.chance(_NEGATIVE_SHARE)) for atom in atoms))


def _claims(scene: _Scene) -> list[Statement]:
    return [scene.statement(kind, literals) for kind, literals in _claim_shapes(len(scene.people))]


@cache
def _claim_shapes(atoms: int) -> list[tuple[str, tuple[_Literal, ...]]]:
    """Return what may be an option: facts, and every pair of literals in each of four connectives."""
    shapes: list[tuple[str, tuple[_Literal, ...]]] = [
        ("fact", (_Literal(atom, positive),)) for atom in range(atoms) for positive in (True, False)
    ]
    for kind, pairs in (
        ("if", permutations),
        ("only_if", permutations),
        ("or", combinations),
        ("not_both", combinations),
    ):
        for pair, signs in product(pairs(range(atoms), 2), product((True, False), repeat=2)):
            shapes.append((kind, tuple(map(_Literal, pair, signs))))
    return shapes


def _arity(kind: str) -> int:
    return max(index + 1 for index in range(3) if f"{{{index}}}" in _TEMPLATES[kind])


class Propositional(Family):
    """The propositional family."""

    name = "propositional"
    summary = "what follows from statements joined by if, only if, or, not both"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Propositional()
