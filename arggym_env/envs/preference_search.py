"""The fewest preferences that give claims their requested statuses: exact, over all legal preferences.

Adding preferences changes one thing: which attacks succeed. Attacks in which the same rules and premises are compared
form a *contest*; they succeed or fail together, and an outcome of all contests determines every status. The search
runs over sets of contests to flip, and asks what it takes to flip them.

A flip needs new relations. Say that x <= y when y is at least as strong as x, in the preorder that the stated
preferences generate. For the attack of B on A to fail under elitist comparison, some member b of B's set needs b <= a
for *each* a of A's set that it is not below yet; to succeed again, each b below all of A's set needs a <= b for some a.
Under democratic comparison each b of B's set needs *some* a to come above it, and to undo that one b must come to be
as strong as all that is above it. Under weakest-link failure takes rules and premises both, and success one of them.

**The bound.** A new preference ``stronger > weaker`` is an edge from weaker to stronger. If x <= y is new, a chain of
stated and new preferences leads from x to y, and the last new edge on it points to some item q with q <= y by the
stated ones, the first one starts at some p with x <= p. So every new relation needs an edge that *ends* in the stated
down-set of y, and one that *starts* in the stated up-set of x. Each edge has one end and one start; an intervention
is never smaller than the smallest set of items that meets all the down-sets that its flips need (used for elitist,
where a flip needs many ends), nor than the smallest that meets all the up-sets (democratic, many starts). This holds
whatever else the intervention states: chains, hubs, unrelated items and ties are all counted by their ends.

**Decomposition.** Names that share a rule or a preference form a component. No argument, attack or stated preference
crosses components, so neither do down-sets: the bounds of the goals of different components add up, although a single
new preference may well name two components.

**Exactness.** For each component the sets of flips that satisfy its goals and leave it consistent are found by
iterative deepening on the bound, and the cheapest ones are turned into preferences, as many as the bound says. If all
goals hold after them, bound and witness agree, and the minimum is proven over *all* legal preferences; no pair is
excluded. Otherwise the minimum counts as not established.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final, NamedTuple, TypeAlias

from arggym_env.engine import Argument, State, Status
from arggym_env.engine.bits import mask_of, members, union
from arggym_env.engine.framework import Labelling, grounded_labelling
from arggym_env.envs.preference_flips import (
    Contest,
    Need,
    Part,
    Preorder,
    compared_sets,
    demand,
    hitting_sets,
    least_hits,
    make_contest,
)
from arggym_env.rewards.execution import Goal
from arggym_env.theory import PremisePreference, RulePreference, Theory, atom_of

Preference: TypeAlias = PremisePreference | RulePreference

MAX_FLIPS: Final = 4000
"""How many sets of flips one component may try before its minimum counts as not established."""
MAX_TRIALS: Final = 60
"""How many ways of turning one set of flips into preferences are tried."""


class Row(NamedTuple):
    """A set of contests that flip, and what it leads to."""

    cost: int
    """The bound: no intervention with fewer preferences in this component flips exactly these contests."""
    flips: tuple[int, ...]
    accepted: int
    defeated: int


@dataclass(frozen=True, slots=True)
class Minimum:
    """The fewest preferences that reach some goals, and a witness of that size."""

    size: int
    witness: tuple[Preference, ...]


class Component:
    """A part of a theory that no rule, attack or stated preference connects with the rest.

    Args:
        state: the base theory's state.
        names: the atoms and rule names of the component.
        arguments: the arguments over them, sub-arguments first.
    """

    def __init__(self, state: State, names: frozenset[str], arguments: Sequence[Argument]) -> None:
        theory = state.theory
        rules = [rule.name for rule in theory.defeasible_rules if rule.name in names]
        premises = [premise for premise in theory.premises if atom_of(premise) in names]
        self.names = names
        self._rules = frozenset(rules)
        self._items = (*sorted(rules), *sorted(premises))
        self._places = {item: place for place, item in enumerate(self._items)}
        self._arguments = {argument.index: place for place, argument in enumerate(arguments)}
        self._subarguments = [
            tuple(self._arguments[part.index] for part in argument.subarguments) for argument in arguments
        ]
        self._concluded: dict[str, int] = {}
        for place, argument in enumerate(arguments):
            self._concluded[argument.conclusion] = self._concluded.get(argument.conclusion, 0) | 1 << place
        self._opposed = [
            (mask, self._concluded.get("-" + literal, 0))
            for literal, mask in self._concluded.items()
            if "-" + literal in self._concluded
        ]
        self._elitist = state.ordering.endswith("elitist")
        self._order = Preorder.of(self._pairs(theory), len(self._items))
        self._direct = [0] * len(arguments)
        self._contests = self._find_contests(state, arguments)
        self._demands = [
            _least_demanding([demand(need, self._order, self._elitist) for need in way] for way in contest.ways)
            for contest in self._contests
        ]
        self._rows: dict[int, tuple[Row, ...] | None] = {}
        self._labels: dict[tuple[int, ...], Labelling] = {}
        self._flips: dict[frozenset[tuple[int, int]], tuple[int, ...]] = {}

    @property
    def claims(self) -> tuple[str, ...]:
        """The literals for which the component has arguments."""
        return tuple(self._concluded)

    def status(self, row: Row, literal: str) -> Status:
        """Return the status that ``literal`` has after the row's flips."""
        mask = self._concluded.get(literal, 0)
        if mask & row.accepted:
            return "justified"
        return "undecided" if mask & ~row.defeated else "overruled"

    def satisfies(self, row: Row, goals: Sequence[Goal]) -> bool:
        """Return whether all ``goals`` hold after the row's flips."""
        # A loop without generators: nothing is asked more often.
        for goal in goals:  # noqa: SIM110
            if self.status(row, goal.literal) != goal.status:
                return False
        return True

    def rows(self, limit: int) -> tuple[Row, ...] | None:
        """Return the sets of flips that cost at most ``limit`` and leave the component consistent, cheapest first.

        None stands for too many sets of flips to try.
        """
        if limit not in self._rows:
            found = list(islice(self._flip_sets(limit), MAX_FLIPS + 1))
            rows = [self._row(flips, cost) for flips, cost in found]
            consistent = [row for row in rows if self._is_consistent(row)]
            consistent.sort(key=lambda row: (row.cost, len(row.flips), row.flips))
            self._rows[limit] = tuple(consistent) if len(found) <= MAX_FLIPS else None
        return self._rows[limit]

    def minimum(self, goals: Sequence[Goal], limit: int) -> Minimum | None:
        """Return the fewest preferences of this component that make ``goals`` hold in it.

        Args:
            goals: postconditions on literals of the component.
            limit: the largest minimum of interest.

        Returns:
            None when the minimum is larger, or could not be established.
        """
        for size in range(limit + 1):
            rows = self.rows(size)
            if rows is None:
                return None
            if fitting := [row for row in rows if self.satisfies(row, goals)]:
                witnesses = (self.realize(row, goals) for row in fitting)
                witness = next((found for found in witnesses if found is not None), None)
                return None if witness is None else Minimum(size, witness)
        return None

    def after(self, preferences: Iterable[Preference]) -> Row:
        """Return what stating ``preferences`` leads to; those that compare items of other components are left out.

        A preference that leaves the component could still matter by a chain that comes back; single components show
        nothing of that.
        """
        places = self._places
        return self._after(
            [
                (places[pair.weaker], places[pair.stronger])
                for pair in preferences
                if pair.weaker in places and pair.stronger in places
            ]
        )

    def holds(self, row: Row, goals: Sequence[Goal]) -> bool:
        """Return whether all ``goals`` hold and the component is consistent after the row's flips."""
        return self._is_consistent(row) and self.satisfies(row, goals)

    def lower_bound(self, goals: Sequence[Goal], limit: int) -> int:
        """Return how many preferences of this component ``goals`` need at least, or ``limit`` + 1 if more."""
        rows = self.rows(limit) or ()
        return min((row.cost for row in rows if self.satisfies(row, goals)), default=limit + 1)

    def realize(self, row: Row, goals: Sequence[Goal]) -> tuple[Preference, ...] | None:
        """Return ``row.cost`` preferences after which ``goals`` hold consistently, None if none are found.

        They need not flip exactly the row's contests.
        """
        for pairs in islice(self._candidates(row), MAX_TRIALS):
            after = self._after(pairs)
            if self.holds(after, goals):
                return tuple(self._directive(weaker, stronger) for weaker, stronger in pairs)
        return None

    def _find_contests(self, state: State, arguments: Sequence[Argument]) -> list[Contest]:
        """Return the contests that can flip; attacks whose outcome is fixed are entered in ``_direct`` at once."""
        by_last_link = state.ordering.startswith("last-link")
        grouped: dict[tuple[Part, ...], dict[int, int]] = {}
        for attack in state.attacks:
            if attack.attacked.index not in self._arguments:
                continue
            source, target = self._arguments[attack.attacker.index], self._arguments[attack.attacked.index]
            if attack.succeeds:
                self._direct[target] |= 1 << source
            if attack.kind != "undercut":
                sets = compared_sets(attack.attacker, attack.attacked, by_last_link)
                parts = tuple(Part(self._mask(weaker), self._mask(stronger)) for weaker, stronger in sets)
                attackers = grouped.setdefault(parts, {})
                attackers[target] = attackers.get(target, 0) | 1 << source
        contests = [make_contest(parts, found, self._order, self._elitist) for parts, found in grouped.items()]
        return [contest for contest in contests if contest.ways]

    def _mask(self, items: frozenset[str]) -> int:
        return mask_of(self._places[item] for item in items)

    def _pairs(self, theory: Theory) -> list[tuple[int, int]]:
        """Return the stated preferences of the component as places, (weaker, stronger)."""
        stated: tuple[Preference, ...] = (*theory.rule_preferences, *theory.premise_preferences)
        places = self._places
        return [(places[pair.weaker], places[pair.stronger]) for pair in stated if pair.weaker in places]

    def _directive(self, weaker: int, stronger: int) -> Preference:
        kind = RulePreference if self._items[weaker] in self._rules else PremisePreference
        return kind(self._items[stronger], self._items[weaker])

    def _flip_sets(self, limit: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield every set of contests whose flips cost at most ``limit``, with its cost."""
        stack: list[tuple[tuple[int, ...], frozenset[frozenset[int]], int]] = [((), frozenset([frozenset()]), 0)]
        while stack:
            flips, demands, cost = stack.pop()
            yield flips, cost
            for contest in range(flips[-1] + 1 if flips else 0, len(self._contests)):
                joined = frozenset(one | other for one in demands for other in self._demands[contest])
                # A flip never makes the others cheaper, so a set that is too expensive is not extended.
                wider = min(least_hits(tuple(sets), limit) for sets in joined)
                if wider <= limit:
                    stack.append(((*flips, contest), joined, wider))

    def _row(self, flips: tuple[int, ...], cost: int) -> Row:
        if flips not in self._labels:
            self._labels[flips] = self._label(flips)
        return Row(cost, flips, *self._labels[flips])

    def _after(self, pairs: Sequence[tuple[int, int]]) -> Row:
        """Return the row of the flips that stating ``pairs`` (weaker, stronger) leads to."""
        stated = frozenset(pairs)
        if stated not in self._flips:
            order = self._order.extended(stated)
            self._flips[stated] = tuple(
                number
                for number, contest in enumerate(self._contests)
                if contest.fails_under(order, self._elitist) != contest.fails
            )
        return self._row(self._flips[stated], len(pairs))

    def _label(self, flips: Sequence[int]) -> Labelling:
        direct = list(self._direct)
        for contest in flips:
            for target, sources in self._contests[contest].attackers.items():
                direct[target] ^= sources
        for target, parts in enumerate(self._subarguments):
            for part in parts:
                direct[target] |= direct[part]
        return grounded_labelling(direct)

    def _is_consistent(self, row: Row) -> bool:
        return not any(mask & row.accepted and other & row.accepted for mask, other in self._opposed)

    def _candidates(self, row: Row) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield lists of ``row.cost`` pairs (weaker, stronger) that serve all needs of the row's flips."""
        for ways in product(*(self._contests[contest].ways for contest in row.flips)):
            needs = list(dict.fromkeys(need for way in ways for need in way))
            demands = [demand(need, self._order, self._elitist) for need in needs]
            for ends in hitting_sets(demands, row.cost):
                if ends.bit_count() == row.cost:
                    yield from product(*self._edges(needs, demands, ends))

    def _edges(self, needs: Sequence[Need], demands: Sequence[int], ends: int) -> list[list[tuple[int, int]]]:
        """Return, for each of ``ends``, the pairs with this end that serve all needs that it is to serve."""
        order, choices = self._order, []
        unserved = list(zip(needs, demands, strict=True))
        for end in members(ends):
            served = [need for need, wanted in unserved if wanted >> end & 1]
            unserved = [(need, wanted) for need, wanted in unserved if not wanted >> end & 1]
            others = -1
            for need in served:
                others &= union(order.above, need.low) if self._elitist else union(order.below, need.high)
            pairs = [(other, end) if self._elitist else (end, other) for other in members(others)] if served else []
            choices.append([(weaker, stronger) for weaker, stronger in pairs if weaker != stronger])
        return choices


def _least_demanding(ways: Iterable[Iterable[int]]) -> frozenset[frozenset[int]]:
    """Return the alternatives' sets of demands without those that include another."""
    sets = {frozenset(way) for way in ways}
    return frozenset(one for one in sets if not any(other < one for other in sets))


def components(state: State) -> tuple[Component, ...]:
    """Return the components of the state's theory that have arguments, by their first argument."""
    leaders = _leaders(state.theory)
    names: dict[str, set[str]] = {}
    for name, leader in leaders.items():
        names.setdefault(leader, set()).add(name)
    arguments: dict[str, list[Argument]] = {}
    for argument in state.arguments:
        arguments.setdefault(leaders[atom_of(argument.conclusion)], []).append(argument)
    return tuple(Component(state, frozenset(names[leader]), found) for leader, found in arguments.items())


def _leaders(theory: Theory) -> dict[str, str]:
    """Return one name for each component, by atom or rule name: names that rules or preferences connect share it."""
    groups = [[rule.name, *map(atom_of, rule.antecedents), atom_of(rule.consequent)] for rule in theory.rules]
    groups += [[atom_of(pair.stronger), atom_of(pair.weaker)] for pair in theory.premise_preferences]
    groups += [[pair.stronger, pair.weaker] for pair in theory.rule_preferences]
    parent = {name: name for name in (*theory.atoms, *theory.rule_names)}

    def find(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for first, *rest in groups:
        for other in rest:
            parent[find(other)] = find(first)
    return {name: find(name) for name in parent}


def find_minimum(state: State, goals: Sequence[Goal], limit: int) -> Minimum | None:
    """Return the fewest preferences that make all ``goals`` hold and keep the theory consistent, with a witness.

    The minimum is over all legal preference directives (see the module's docstring).

    Args:
        state: the base theory's state.
        goals: the postconditions.
        limit: the largest minimum of interest for one component.

    Returns:
        None when the minimum is larger, or could not be established within the search's bounds.
    """
    parts: list[Minimum] = []
    for component in components(state):
        part = component.minimum([goal for goal in goals if atom_of(goal.literal) in component.names], limit)
        if part is None:
            return None
        parts.append(part)
    return Minimum(sum(part.size for part in parts), tuple(pair for part in parts for pair in part.witness))
