"""The goals of preference_construction: which claims to ask about so that the minimum is what the level wants.

The search lists what flips in a dispute lead to (``preference_search``), and goals are read off that list backwards:
choose flips of the wanted cost, take claims that they change, and add claims until nothing cheaper gives all of them
their statuses. So some goals hold already: they are there because a cheaper way breaks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from arggym_env.engine import State
from arggym_env.envs.gates import require, switched
from arggym_env.envs.preference_search import Component, Minimum, Preference, Row, components
from arggym_env.envs.preference_templates import by_goals, by_position
from arggym_env.envs.stream import Stream
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.progress import DEADLOCK_CREDIT
from arggym_env.theory import Theory, atom_of

PART_LIMIT: Final = 3
"""The most preferences that the goals on one dispute need."""
TEMPLATE_SHARE: Final = 0.5
"""The progress that templates may make, as a share of what success takes; a single goal they may reach."""
MAX_ROWS: Final = 6
"""How many sets of flips are tried for the goals on one dispute and one minimum."""


class Plan(NamedTuple):
    """Goals, and as few preferences as reach them."""

    goals: tuple[Goal, ...]
    witness: tuple[Preference, ...]


@dataclass(frozen=True, slots=True)
class _Option:
    """Goals on one dispute, and what they cost."""

    goals: tuple[Goal, ...]
    """Goals that cost the option's minimum, and no less."""
    spare: tuple[Goal, ...]
    """Further goals that cost nothing more; those come first that another way to the same goals would break."""
    minimum: Minimum
    """The minimum for both."""
    is_set_ordered: bool
    """Whether the other set ordering asks for something else: the witness fails there, or a part of it is enough."""
    changes: int
    """How many of the goals do not hold yet."""
    gains: tuple[float, ...]
    """The progress towards those that each template makes, summed over them."""


def plan_goals(state: State, lines: Sequence[str], minimum: int, count: int, stream: Stream) -> Plan:
    """Return goals on all disputes whose minima add up; raise Rejected when none were found.

    Args:
        state: the base theory's state.
        lines: a literal of each dispute.
        minimum: the fewest preferences that are to reach the goals.
        count: the number of goals.
        stream: where choices are drawn from.
    """
    switched_state = state.under(switched(state.ordering).lift)
    limit = min(PART_LIMIT, minimum - len(lines) + 1)
    menus = [
        _Menu(state.theory, component, twin, limit, stream).options()
        for component, twin in zip(components(state), components(switched_state), strict=True)
        if any(atom_of(line) in component.names for line in lines)
    ]
    options = _pick(menus, minimum, stream)
    goals = [goal for option in options for goal in option.goals]
    most = max(len(option.spare) for option in options)
    spare = [option.spare[place] for place in range(most) for option in options if place < len(option.spare)]
    room = count - len(goals)
    require(room >= 0, "too_many_goals")
    require(room <= len(spare), "too_few_goals")
    witness = (pair for option in options for pair in option.minimum.witness)
    return Plan((*goals, *spare[:room]), tuple(witness))


class _Menu:
    """What may be asked about one dispute.

    Args:
        theory: the base theory.
        component: the dispute.
        twin: the same dispute under the other set ordering.
        limit: the largest minimum of interest.
        stream: where choices are drawn from.
    """

    def __init__(self, theory: Theory, component: Component, twin: Component, limit: int, stream: Stream) -> None:
        self._theory, self._component, self._twin, self._stream = theory, component, twin, stream
        self._limit = limit
        self._rows = component.rows(limit) or ()
        self._blind = [component.after(pairs) for pairs in by_position(theory).values()]
        self._gains: dict[Goal, tuple[float, ...]] = {}
        self._wishes: dict[Row, list[Goal]] = {}
        derived = {rule.consequent for rule in theory.rules}
        self._claims = [
            claim for claim in component.claims if claim in derived and atom_of(claim) not in theory.rule_names
        ]

    def options(self) -> list[_Option]:
        """Return for each minimum the goals that templates miss best: such as the set ordering bears on, and others."""
        best: dict[tuple[int, bool], _Option] = {}
        for cost in range(1, self._limit + 1):
            pool = self._stream.shuffled([row for row in self._rows if row.cost == cost])[:MAX_ROWS]
            for option in filter(None, map(self._option, pool)):
                known = best.setdefault((cost, option.is_set_ordered), option)
                if max(option.gains) < max(known.gains):
                    best[cost, option.is_set_ordered] = option
        return list(best.values())

    def _option(self, row: Row) -> _Option | None:
        """Return goals that hold after the flips of ``row`` and that no cheaper flips reach, None if there are none."""
        goals = self._goals(row)
        if not goals:
            return None
        spare = self._spare(row, goals)
        minimum = self._component.minimum([*goals, *spare], row.cost)
        if minimum is None:
            return None
        return _Option(
            goals=tuple(goals),
            spare=tuple(spare),
            minimum=minimum,
            is_set_ordered=self._is_set_ordered(goals, spare, minimum.witness),
            changes=sum(not self._component.satisfies(self._rows[0], [goal]) for goal in goals),
            gains=_total(map(self._gain, goals)),
        )

    def _gain(self, goal: Goal) -> tuple[float, ...]:
        """Return the progress that each template makes towards ``goal`` (see ``rewards.progress``)."""
        if goal not in self._gains:
            component = self._component
            was = component.status(self._rows[0], goal.literal)
            gains = []
            for after in (*self._blind, *map(component.after, by_goals(self._theory, [goal]).values())):
                now = component.status(after, goal.literal)
                deadlock = DEADLOCK_CREDIT if now == "undecided" != was else 0.0
                gains.append(0.0 if was == goal.status else 1.0 if now == goal.status else deadlock)
            self._gains[goal] = tuple(gains)
        return self._gains[goal]

    def _goals(self, row: Row) -> list[Goal]:
        """Return claims with the statuses that they have after ``row``, which no cheaper row gives them all."""
        goals: list[Goal] = []
        for cheaper in self._rows:
            if cheaper.cost < row.cost and self._component.satisfies(cheaper, goals):
                # The first row is the present state, so the first goal is one that does not hold.
                differing = [goal for goal in self._wished(row) if not self._component.satisfies(cheaper, [goal])]
                if not differing:
                    return []
                gains = [sum(self._gain(goal)) for goal in differing]
                least = min(gains)
                goals.append(
                    self._stream.choice([goal for goal, gain in zip(differing, gains, strict=True) if gain == least])
                )
        return goals

    def _wished(self, row: Row) -> list[Goal]:
        if row not in self._wishes:
            self._wishes[row] = [Goal(claim, self._component.status(row, claim)) for claim in self._claims]
        return self._wishes[row]

    def _spare(self, row: Row, goals: Sequence[Goal]) -> list[Goal]:
        """Return further goals: first those that rivals of ``row`` break, then those that any flips break."""
        satisfies = self._component.satisfies
        rivals = [other for other in self._rows if other.cost <= row.cost and satisfies(other, goals)]
        spare: list[Goal] = []
        for others in (rivals, self._rows):
            left = [goal for goal in self._wished(row) if goal not in goals and goal not in spare]
            at_stake = [goal for goal in left if not all(satisfies(other, [goal]) for other in others)]
            kept_first = sorted(self._stream.shuffled(at_stake), key=lambda goal: not satisfies(self._rows[0], [goal]))
            spare += kept_first
        return spare

    def _is_set_ordered(self, goals: Sequence[Goal], spare: Sequence[Goal], witness: Sequence[Preference]) -> bool:
        """Return whether the other set ordering asks for something else, whichever of ``spare`` become goals."""
        twin = self._twin
        parts = ([*witness[:place], *witness[place + 1 :]] for place in range(len(witness)))
        return not twin.holds(twin.after(witness), goals) or any(
            twin.holds(twin.after(part), [*goals, *spare]) for part in parts
        )


def _pick(menus: Sequence[Sequence[_Option]], minimum: int, stream: Stream) -> list[_Option]:
    """Return one option from each menu, with minima that add up to ``minimum``; reject the candidate if none do.

    Among the combinations, those that the set ordering bears on come first, and of these what templates miss.
    """
    picks = [pick for pick in product(*menus) if sum(option.minimum.size for option in pick) == minimum]
    require(bool(picks), "no_such_minimum")
    best = min(stream.shuffled(picks), key=lambda pick: (not _any_set_ordered(pick), _template_gain(pick)))
    require(_any_set_ordered(best), "set_ordering_idle")
    changes = sum(option.changes for option in best)
    require(_template_gain(best) <= max(1.0, TEMPLATE_SHARE * changes), "templates_gain")
    return list(best)


def _any_set_ordered(options: Sequence[_Option]) -> bool:
    return any(option.is_set_ordered for option in options)


def _template_gain(options: Sequence[_Option]) -> float:
    """Return the progress that the best template makes on all the options' goals."""
    return max(_total(option.gains for option in options))


def _total(rows: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(sum, zip(*rows, strict=True)))
