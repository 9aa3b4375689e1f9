"""Abstract argumentation on bitsets: grounded labelling and extensions, without knowledge of what arguments are.

All but the grounded semantics are computed on the part that the grounded labelling leaves undecided, and that part is
split into its weakly connected components; both are exact for every semantics here. Complete, preferred and stable
extensions are composed along strongly connected components (Baroni, Giacomin & Guida 2005, SCC-recursiveness), so the
exponential search only meets conflicts that are truly entangled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple, Protocol

from arggym_env.engine.bits import mask_of, members, transpose, union
from arggym_env.engine.labelling import Kind, LabellingSearch
from arggym_env.errors import ExtensionLimitExceeded

EXTENSION_LIMIT: Final = 100_000
"""The largest number of extensions that is listed, in all and for each component."""

SEARCH_LIMIT: Final = 10_000
"""The largest number of extensions that one strongly connected component may have; a few seconds of search."""

_MAX_DEPTH: Final = 50
"""How deep components of components are taken apart; below, the search takes a part whole, which is as exact."""


class Labelling(NamedTuple):
    """The grounded labelling: bitsets of the accepted and of the defeated arguments; the others are undecided."""

    accepted: int
    defeated: int


class Part(NamedTuple):
    """The extensions of one component of the undecided part."""

    extensions: tuple[int, ...]
    defeated: tuple[int, ...]
    """The arguments that each extension defeats."""


class Outcome(NamedTuple):
    """The extensions under one semantics: all unions of the grounded extension with one extension of every part."""

    grounded: Labelling
    parts: tuple[Part, ...]

    @property
    def exists(self) -> bool:
        """Whether there is an extension."""
        return all(part.extensions for part in self.parts)

    def some_meets(self, mask: int) -> bool:
        """Return whether some extension holds a member of ``mask``; extensions must exist."""
        return mask & self.grounded.accepted != 0 or any(
            mask & extension for part in self.parts for extension in part.extensions
        )

    def every_meets(self, mask: int) -> bool:
        """Return whether every extension holds a member of ``mask``; extensions must exist.

        Extensions combine freely over parts, so if each part has an extension without a member, so has the whole.
        """
        return mask & self.grounded.accepted != 0 or any(
            all(mask & extension for extension in part.extensions) for part in self.parts
        )

    def every_defeats(self, mask: int) -> bool:
        """Return whether every extension defeats all members of ``mask``; extensions must exist."""
        always = self.grounded.defeated
        for part in self.parts:
            common = -1
            for defeated in part.defeated:
                common &= defeated
            always |= common if part.defeated else 0
        return mask & ~always == 0

    def extensions(self, limit: int = EXTENSION_LIMIT) -> tuple[int, ...]:
        """Return all extensions as bitsets, in ascending numerical order.

        Raises:
            ExtensionLimitExceeded: there are more than ``limit``.
        """
        total = 1
        for part in self.parts:
            total *= len(part.extensions)
        if total > limit:
            raise ExtensionLimitExceeded(limit)
        combined = [self.grounded.accepted]
        for part in self.parts:
            combined = [whole | extension for whole, extension in product(combined, part.extensions)]
        return tuple(sorted(combined))


class Solver(Protocol):
    """What computes the semantics of one framework."""

    @property
    def grounded(self) -> Labelling:
        """The grounded labelling."""

    def solve(self, semantics: str) -> Outcome:
        """Return the extensions under one of :data:`~arggym_env.engine.semantics.EXTENSION_SEMANTICS`."""


class Framework:
    """A framework of arguments 0..n-1 and its semantics (Dung 1995; semi-stable and eager: Caminada 2006, 2007).

    Args:
        attackers: the attackers of each argument, as bitsets.
    """

    def __init__(self, attackers: Sequence[int]) -> None:
        self._attackers = attackers
        self.grounded = grounded_labelling(attackers)
        self._solved: dict[str, Outcome] = {}

    def solve(self, semantics: str) -> Outcome:
        """Return the extensions under ``semantics``; computed once.

        Raises:
            ExtensionLimitExceeded: a component has more than :data:`EXTENSION_LIMIT` extensions.
            SearchLimitExceeded: a component is too entangled for the bounded search.
        """
        if semantics not in self._solved:
            parts: list[Part] = []
            if semantics != "grounded":
                parts = [_solve_part(component, semantics) for component in components(self._attackers, self.grounded)]
            self._solved[semantics] = Outcome(self.grounded, tuple(parts))
        return self._solved[semantics]


def grounded_labelling(attackers: Sequence[int]) -> Labelling:
    """Return the grounded labelling of the framework (Dung 1995; Caminada 2006)."""
    accepted = 0
    pending = []
    bit = 1
    for mask in attackers:
        if mask:
            pending.append((bit, mask))
        else:
            accepted |= bit
        bit <<= 1
    defeated = 0
    changed = accepted != 0
    while changed and pending:
        changed = False
        rest = []
        for item in pending:
            bit, mask = item
            if mask & accepted:
                defeated |= bit
                changed = True
            elif mask & ~defeated:
                rest.append(item)
            else:
                accepted |= bit
                changed = True
        pending = rest
    return Labelling(accepted, defeated)


class Component(NamedTuple):
    """A weakly connected component of the undecided part, renumbered from 0 so that its bitsets are short."""

    indices: list[int]
    """The arguments of the whole framework that it is made of, ascending."""
    attackers: list[int]

    def globally(self, mask: int) -> int:
        """Return the arguments of the whole framework that the bitset over this component stands for."""
        return mask_of(self.indices[index] for index in members(mask))


def components(attackers: Sequence[int], grounded: Labelling) -> list[Component]:
    """Return the weakly connected components of what ``grounded`` leaves undecided, by their first argument."""
    undecided = ((1 << len(attackers)) - 1) & ~(grounded.accepted | grounded.defeated)
    sources = {index: attackers[index] & undecided for index in members(undecided)}
    neighbours = dict(sources)
    for index, mask in sources.items():
        for source in members(mask):
            neighbours[source] |= 1 << index
    result = []
    while undecided:
        reached, frontier = 0, undecided & -undecided
        while frontier:
            reached |= frontier
            wider = 0
            for index in members(frontier):
                wider |= neighbours[index]
            frontier = wider & ~reached
        undecided &= ~reached
        indices = list(members(reached))
        places = {index: place for place, index in enumerate(indices)}
        local = [mask_of(places[source] for source in members(sources[index])) for index in indices]
        result.append(Component(indices, local))
    return result


def _solve_part(component: Component, semantics: str) -> Part:
    solver = _ComponentSolver(component.attackers)
    found = solver.solve(semantics)
    pairs = sorted((component.globally(mask), component.globally(solver.range_of(mask))) for mask in found)
    return Part(tuple(extension for extension, _ in pairs), tuple(defeated for _, defeated in pairs))


class _ComponentSolver:
    """Solves one component, by way of its strongly connected components."""

    def __init__(self, attackers: Sequence[int]) -> None:
        self._attackers = attackers
        self._targets = transpose(attackers)
        self._nodes = (1 << len(attackers)) - 1
        self._memory: dict[tuple[Kind, int, int], list[int]] = {}

    def range_of(self, extension: int) -> int:
        """Return the arguments that ``extension`` attacks."""
        return union(self._targets, extension)

    def solve(self, semantics: str) -> list[int]:
        match semantics:
            case "complete" | "preferred" | "stable":
                return self._compose(semantics, self._nodes, self._nodes)
            case "semi-stable":
                return self._semi_stable()
            case _:
                return [self._eager()]

    def _semi_stable(self) -> list[int]:
        stable = self._compose("stable", self._nodes, self._nodes)
        if stable:
            return stable
        ranges = {mask: mask | self.range_of(mask) for mask in self._compose("preferred", self._nodes, self._nodes)}
        maximal = _maximal(set(ranges.values()))
        return [mask for mask, covered in ranges.items() if covered in maximal]

    def _eager(self) -> int:
        """Return the largest admissible set inside the intersection of the semi-stable extensions; it is complete."""
        kept = self._nodes
        for extension in self._semi_stable():
            kept &= extension
        while True:
            beaten = self.range_of(kept)
            defended = mask_of(index for index in members(kept) if not self._attackers[index] & ~beaten)
            if defended == kept:
                return kept
            kept = defended

    def _compose(self, kind: Kind, nodes: int, allowed: int, depth: int = 0) -> list[int]:
        """Return the extensions among ``nodes`` with only ``allowed`` arguments in them, composed along the SCCs."""
        key = kind, nodes, allowed
        if key not in self._memory:
            sections = strongly_connected(self._attackers, nodes) if depth < _MAX_DEPTH else [nodes]
            if len(sections) == 1:
                search = LabellingSearch(kind, self._attackers, self._targets, nodes, allowed)
                self._memory[key] = _at_most(SEARCH_LIMIT, search.extensions())
            else:
                partial = [0]
                for section in sections:
                    extended = self._extend(kind, nodes, allowed, section, partial, depth + 1)
                    partial = _at_most(EXTENSION_LIMIT, extended)
                self._memory[key] = partial
        return self._memory[key]

    def _extend(
        self, kind: Kind, nodes: int, allowed: int, section: int, partial: Sequence[int], depth: int
    ) -> Iterator[int]:
        """Yield each extension of the sections before ``section`` together with each that it leaves ``section``."""
        outer = {index: mask for index in members(section) if (mask := self._attackers[index] & nodes & ~section)}
        for extension in partial:
            rest, open_arguments = section, section & allowed
            if outer:
                beaten = self.range_of(extension)
                rest &= ~beaten
                open_arguments &= rest
                for index, mask in outer.items():
                    if mask & ~beaten:  # an attacker from before that nothing defeats
                        open_arguments &= ~(1 << index)
            for inner in self._compose(kind, rest, open_arguments, depth) if rest else (0,):
                yield extension | inner


def strongly_connected(attackers: Sequence[int], nodes: int) -> list[int]:
    """Return the strongly connected components of the part ``nodes``, each after those that attack it.

    Tarjan 1972, without recursion; following attackers backwards makes components come out in this order.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path = 0
    result: list[int] = []
    for root in members(nodes):
        if root in order:
            continue
        calls = [(root, members(attackers[root] & nodes))]
        order[root] = low[root] = len(order)
        path.append(root)
        on_path |= 1 << root
        while calls:
            node, rest = calls[-1]
            following = next(rest, None)
            if following is None:
                calls.pop()
                if calls:
                    low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
                if low[node] == order[node]:
                    place = path.index(node)
                    component = mask_of(path[place:])
                    del path[place:]
                    on_path &= ~component
                    result.append(component)
            elif following not in order:
                order[following] = low[following] = len(order)
                path.append(following)
                on_path |= 1 << following
                calls.append((following, members(attackers[following] & nodes)))
            elif on_path >> following & 1:
                low[node] = min(low[node], order[following])
    return result


def _maximal(masks: set[int]) -> set[int]:
    """Return the members of ``masks`` that are no proper subset of another."""
    kept: list[int] = []
    for mask in sorted(masks, key=int.bit_count, reverse=True):
        if not any(mask & ~larger == 0 for larger in kept):
            kept.append(mask)
    return set(kept)


def _at_most(limit: int, masks: Iterator[int]) -> list[int]:
    result = []
    for mask in masks:
        result.append(mask)
        if len(result) > limit:
            raise ExtensionLimitExceeded(limit)
    return result
