"""Lower bounds on interventions: how many separate things an answer has to touch.

An intervention that is to defeat an argument A, not yet defeated by an accepted argument, must change something on
which A's label depends: A itself, or an argument from which A can be reached through attacks. What there is to touch
is A's *footprint*:

* the literals by which a new argument would attack one of those arguments, and every literal from which one of them
  follows through rules of the theory: a new rule or premise for such a literal may create an attacker;
* the ordinary premises and defeasible rules that occur in those arguments, and all that stated preferences connect
  with them. Which attacks succeed among those arguments changes only when x becomes or ceases to be less preferred
  than y, for such x and y; that takes a chain of preferences from x to y with a new one in it, and the first new one
  has its weaker side here.

So every directive, whatever legal one an answer uses, touches at most one of several disjoint footprints: a rule or a
premise by what it states, a preference by its weaker side. k pairwise disjoint footprints cost at least k directives.
With a witness of that size the minimum is proven, and nothing has to be enumerated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arggym_env.engine import Argument, Attack, State
from arggym_env.theory import DefeasibleRule, PremisePreference, RulePreference, negate


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an intervention has to touch in order to have some effect.

    Attributes:
        literals: one of them must be concluded by a new rule, or be a new premise; or
        compared: one of these rules and premises must be the weaker side of a new preference.
    """

    literals: frozenset[str]
    compared: frozenset[str] = frozenset()

    def is_disjoint(self, other: Footprint) -> bool:
        """Return whether no directive touches both."""
        return self.literals.isdisjoint(other.literals) and self.compared.isdisjoint(other.compared)

    def union(self, other: Footprint) -> Footprint:
        """Return what touches one or the other."""
        return Footprint(self.literals | other.literals, self.compared | other.compared)


class Dependencies:
    """What the labels of a state's arguments depend on."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._attacks: dict[int, list[Attack]] = {}
        for attack in state.attacks:
            self._attacks.setdefault(attack.attacked.index, []).append(attack)
        self._antecedents: dict[str, set[str]] = {}
        for rule in state.theory.rules:
            self._antecedents.setdefault(rule.consequent, set()).update(rule.antecedents)
        self._related: dict[str, set[str]] = {}
        self._outranked: set[str] = set()
        preferences: tuple[RulePreference | PremisePreference, ...] = state.theory.rule_preferences
        for preference in preferences + state.theory.premise_preferences:
            self._related.setdefault(preference.stronger, set()).add(preference.weaker)
            self._related.setdefault(preference.weaker, set()).add(preference.stronger)
            self._outranked.add(preference.weaker)

    def footprint(self, argument: Argument) -> Footprint:
        """Return what has to be touched for ``argument`` to be defeated by an accepted argument."""
        return self._footprint(argument, rebuttable=True)

    def unrebutted_footprint(self, argument: Argument) -> Footprint | None:
        """Return what has to be touched for an acceptable argument against the conclusion of ``argument`` to stand.

        Let some argument Z against the conclusion be accepted, the first one in the construction of the grounded
        extension, with a defeasible last rule. Unless ``argument`` is weaker than Z it defeats Z, so an accepted
        argument must defeat it elsewhere than at its conclusion: what is to be touched for that is its footprint
        without the points that only a rebuttal of the conclusion uses. For it to be weaker than Z, a rule or premise of
        it must be less preferred than one of Z's; where none of them is on the weaker side of a stated preference, that
        takes a new preference whose weaker side is in the footprint too.

        Returns:
            None where a stated preference has a rule or premise of ``argument`` as its weaker side, so that the
            reasoning does not apply.
        """
        if not self._outranked.isdisjoint(argument.ordinary_premises | argument.defeasible_rules):
            return None
        return self._footprint(argument, rebuttable=False)

    def creation(self, literal: str) -> Footprint:
        """Return what has to be touched for there to be a new argument for ``literal``."""
        return Footprint(_closure({literal}, self._antecedents))

    def breaks(self, argument: Argument) -> Iterator[Argument]:
        """Yield the accepted arguments that defeat ``argument`` elsewhere than at its conclusion."""
        against = negate(argument.conclusion)
        frontier, seen = [argument], {argument.index}
        while frontier:
            part = frontier.pop()
            for attack in self._attacks.get(part.index, ()):
                at_conclusion = part == argument and attack.attacker.conclusion == against
                if attack.succeeds and not at_conclusion and self._state.label(attack.attacker) == "in":
                    yield attack.attacker
            for sub in part.subarguments:
                if sub.index not in seen:
                    seen.add(sub.index)
                    frontier.append(sub)

    def attackers(self, argument: Argument) -> Iterator[Argument]:
        """Yield the arguments that attack ``argument`` at itself (not at its sub-arguments)."""
        for attack in self._attacks.get(argument.index, ()):
            yield attack.attacker

    def _footprint(self, argument: Argument, *, rebuttable: bool) -> Footprint:
        literals: set[str] = set()
        compared: set[str] = set()
        for member in self._members(argument, rebuttable=rebuttable):
            compared |= member.ordinary_premises | member.defeasible_rules
            literals |= {negate(premise) for premise in member.ordinary_premises}
            if isinstance(member.top_rule, DefeasibleRule):
                literals.add(f"-{member.top_rule.name}")
                if rebuttable or member != argument:
                    literals.add(negate(member.conclusion))
        return Footprint(_closure(literals, self._antecedents), _closure(compared, self._related))

    def _members(self, argument: Argument, *, rebuttable: bool) -> list[Argument]:
        """Return the arguments on which the label depends, with all their sub-arguments."""
        against = negate(argument.conclusion)
        seen = {argument.index}
        frontier = [argument]
        members = []
        while frontier:
            member = frontier.pop()
            members.append(member)
            for other in (*member.subarguments, *self.attackers(member)):
                skipped = not rebuttable and member == argument and other.conclusion == against
                if other.index not in seen and not skipped:
                    seen.add(other.index)
                    frontier.append(other)
        return members


def live_arguments(state: State, literal: str) -> list[Argument]:
    """Return the arguments for ``literal`` that no accepted argument defeats."""
    return [argument for argument in state.arguments_for(literal) if state.label(argument) != "out"]


def separate_cuts(state: State, literal: str) -> int:
    """Return a lower bound on the directives that make ``literal`` overruled: disjoint footprints of live arguments."""
    dependencies = Dependencies(state)
    return largest_packing([dependencies.footprint(argument) for argument in live_arguments(state, literal)])


def new_support(state: State, dependencies: Dependencies, literal: str) -> Footprint | None:
    """Return what has to be touched for ``literal`` to have an accepted argument, whatever happens to its negation.

    Either there is a new argument for it, or one that is there stops being defeated below its conclusion.

    Returns:
        None when an argument for it has no accepted defeater below its conclusion: then nothing need be touched.
    """
    support = dependencies.creation(literal)
    for argument in state.arguments_for(literal):
        breaks = sorted(dependencies.breaks(argument), key=lambda breaker: breaker.index)
        if not breaks:
            return None
        # Mending the argument takes mending each of its breaks; the first one is enough for a bound.
        support = support.union(dependencies.footprint(breaks[0]))
    return support


def largest_packing(footprints: Iterable[Footprint]) -> int:
    """Return the size of a largest pairwise disjoint selection, by branching on the least entangled footprint."""
    found = list(dict.fromkeys(footprints))
    # Each clashes with itself, also when it is empty: what nothing can defeat.
    clashes = [
        frozenset(index for index, other in enumerate(found) if index == own or not footprint.is_disjoint(other))
        for own, footprint in enumerate(found)
    ]
    return _packing(clashes, frozenset(range(len(found))))


def _packing(clashes: Sequence[frozenset[int]], open_: frozenset[int]) -> int:
    if not open_:
        return 0
    pick = min(open_, key=lambda index: (len(clashes[index] & open_), index))
    rivals = clashes[pick] & open_
    taken = 1 + _packing(clashes, open_ - rivals)
    if all(rivals <= clashes[rival] for rival in rivals):
        return taken  # at most one of the rivals can be selected, and none leaves more room than the pick
    return max(taken, _packing(clashes, open_ - {pick}))


def _closure(start: Iterable[str], neighbours: dict[str, set[str]]) -> frozenset[str]:
    seen = set(start)
    frontier = list(seen)
    while frontier:
        for other in neighbours.get(frontier.pop(), ()):
            if other not in seen:
                seen.add(other)
                frontier.append(other)
    return frozenset(seen)
