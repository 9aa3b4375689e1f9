"""categorical: syllogisms with all, no, some and some-not over three or four terms.

Models are the non-empty sets of inhabited regions of a Venn diagram: 2**8 - 1 for three terms, 2**16 - 1 for four. On
levels with existential import every term has members; on the others a term may be empty, and "all A are B" does not say
that there is an A. Hard because conversion tempts ("all A are B" for "all B are A"), and because on higher levels a
subject has two terms and three premises or more must be chained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.drawing import draw_options, draw_premises, puzzle
from arggym_env.logihard.families.family import Disguise, Family, Puzzle
from arggym_env.logihard.families.names import TRADES, listed
from arggym_env.logihard.kernel import Space, Statement, valuations


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    terms: int
    premises: int
    depth: int
    """Fewest premises that entail the key."""
    existential_import: bool
    """Whether every term has members."""
    compound_share: float
    """Share of premises whose subject has two terms."""


LEVELS: Final = (
    Level(terms=3, premises=3, depth=2, existential_import=False, compound_share=0.0),
    Level(terms=4, premises=3, depth=2, existential_import=True, compound_share=0.0),
    Level(terms=4, premises=4, depth=2, existential_import=False, compound_share=0.0),
    Level(terms=4, premises=4, depth=3, existential_import=False, compound_share=0.0),
    Level(terms=4, premises=5, depth=3, existential_import=True, compound_share=0.4),
)

_KINDS: Final = ("all", "no", "some", "some_not")
_TEMPLATES: Final = {
    "all": "all {0} are {1}",
    "no": "no {0} are {1}",
    "some": "some {0} are {1}",
    "some_not": "some {0} are not {1}",
}
_BACKGROUND: Final = {
    True: "There is at least one of each kind.",
    False: 'Somebody is there, but there may be none of a kind: "all" and "no" do not say that there are any.',
}


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    terms = tuple(stream.sample(TRADES, level.terms))
    space = _space(level.terms, level.existential_import)
    premises = draw_premises(space, lambda: _premise(terms, level, stream), terms, level.premises, stream)
    claims = [
        _statement(terms, level, kind, subject, predicate)
        for kind, subject, predicate in _claim_shapes(level.terms, level.compound_share > 0)
    ]
    options = draw_options(space, premises, claims, terms, level.depth, disguise, stream)
    context = (
        f"In a town some people are {listed(terms)}; one person may be several of these, or none. "
        f"{_BACKGROUND[level.existential_import]} {' '.join(premise.sentence for premise in premises)}"
    )
    return puzzle(context, options, stream)


@cache
def _space(terms: int, existential_import: bool) -> Space:
    """Return the models, as the space of facts "region r is inhabited"; term t holds in the regions with bit t set."""
    regions = 1 << terms
    every_set = valuations(regions)
    space = every_set.restricted(every_set.everything & ~1)  # the first model is the one without inhabitants
    if existential_import:
        for term in range(terms):
            space = space.restricted(_some(space, [region for region in range(regions) if region >> term & 1]))
    return space


def _some(space: Space, regions: list[int]) -> int:
    """Return the models in which one of the regions is inhabited."""
    bits = 0
    for region in regions:
        bits |= space.atoms[region]
    return bits


def _statement(terms: tuple[str, ...], level: Level, kind: str, subject: tuple[int, ...], predicate: int) -> Statement:
    noun = " who are ".join(terms[term] for term in subject)
    text = _TEMPLATES[kind].format(noun, terms[predicate])
    return Statement(
        text, _meaning(level.terms, level.existential_import, kind, subject, predicate), f"{kind}{len(subject)}"
    )


@cache
def _meaning(terms: int, existential_import: bool, kind: str, subject: tuple[int, ...], predicate: int) -> int:
    space = _space(terms, existential_import)
    within = [region for region in range(1 << terms) if all(region >> term & 1 for term in subject)]
    witnesses = [region for region in within if bool(region >> predicate & 1) == (kind in ("some", "no"))]
    bits = _some(space, witnesses)
    return bits if kind.startswith("some") else space.negation(bits)


def _premise(terms: tuple[str, ...], level: Level, stream: Stream) -> Statement:
    kind = stream.choice(_KINDS)
    size = 2 if stream.chance(level.compound_share) else 1
    *subject, predicate = stream.sample(range(level.terms), size + 1)
    return _statement(terms, level, kind, tuple(subject), predicate)


def _claim_shapes(terms: int, compound: bool) -> Iterator[tuple[str, tuple[int, ...], int]]:
    for kind in _KINDS:
        for size in (1, 2) if compound else (1,):
            for *subject, predicate in permutations(range(terms), size + 1):
                yield kind, tuple(subject), predicate


class Categorical(Family):
    """The categorical family."""

    name = "categorical"
    summary = "syllogisms with all, no, some and some-not over three or four terms"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Categorical()
