"""A theory under construction: fresh names, lines of reasoning, and preferences that decide their conflicts.

Generators think in lines (the arguments that they intend) and in who is to win; the draft turns that into directives.
Whether the theory behaves as intended is not decided here: the engine evaluates the finished theory and the task's
gates accept or reject it.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from arggym_env.envs.stream import Stream
from arggym_env.errors import GenerationError
from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    Rule,
    RulePreference,
    StrictRule,
    Theory,
    atom_of,
    negate,
)

_Pairs: TypeAlias = list[tuple[str, str]]
_LETTERS: Final = string.ascii_lowercase
_NAME_LIMIT: Final = 6_000  # of the 6,760 that there are
_NEGATIVE_SHARE: Final = 0.2


@dataclass(frozen=True, eq=False)
class Line:
    """An intended argument: a premise, or a rule applied to other lines.

    Attributes:
        literal: what the line concludes.
        rule: the last rule, None for a premise.
        subs: the lines for the rule's antecedents.
        premises: the ordinary premises used, sorted.
        rules: the names of the defeasible rules used, sorted.
        last: the names of the last defeasible rules, sorted (Modgil & Prakken 2014, Def. 18).
        height: the number of rules on the longest path.
    """

    literal: str
    rule: Rule | None
    subs: tuple[Line, ...]
    premises: tuple[str, ...]
    rules: tuple[str, ...]
    last: tuple[str, ...]
    height: int

    @property
    def is_attackable(self) -> bool:
        """Whether the line can be attacked at its own conclusion or rule: an ordinary premise or a defeasible step."""
        return isinstance(self.rule, DefeasibleRule) or (self.rule is None and bool(self.premises))

    def steps(self) -> Iterator[Line]:
        """Yield the line and all lines below it, top first; a shared line comes as often as it is used."""
        yield self
        for sub in self.subs:
            yield from sub.steps()


class Draft:
    """Collects directives whose names carry no information, and hands out lines."""

    def __init__(self, stream: Stream, ordering: str, negative_share: float = _NEGATIVE_SHARE) -> None:
        self.stream = stream
        self.negative_share = negative_share
        """Share of fresh literals that are negative, whatever their role."""
        self.size = 0
        """Lines stated so far: a lower bound on the arguments that the theory will have."""
        self.by_last_link = ordering.startswith("last-link")
        self.is_elitist = ordering.endswith("elitist")
        self._names: set[str] = set()
        self._rule_names: set[str] = set()
        self._knowledge: list[Directive] = []
        self._rules: list[Directive] = []
        self._preferences: list[PremisePreference | RulePreference] = []
        self._weaker_than: dict[str, list[str]] = {}

    def fresh_name(self) -> str:
        """Return an unused name: two letters and a digit, whatever it is to name.

        Raises:
            GenerationError: so many names are in use that a draw would go on for long.
        """
        if len(self._names) > _NAME_LIMIT:
            raise GenerationError(f"a theory of more than {_NAME_LIMIT} names cannot be drafted")
        while True:
            name = self.stream.choice(_LETTERS) + self.stream.choice(_LETTERS) + str(self.stream.below(10))
            if name not in self._names:
                self._names.add(name)
                return name

    def fresh_literal(self) -> str:
        """Return a literal over an unused atom, in either sign, whatever its role."""
        name = self.fresh_name()
        return "-" + name if self.stream.chance(self.negative_share) else name

    def premise(self, literal: str | None = None) -> Line:
        """State an ordinary premise (a fresh one by default; one that is there is not repeated) and return its line."""
        literal = literal or self.fresh_literal()
        stated = Premise(literal)
        if stated not in self._knowledge:
            self._knowledge.append(stated)
            self.size += 1
        return Line(literal, None, (), (literal,), (), (), 0)

    def axiom(self) -> Line:
        """State a fresh axiom and return its line."""
        literal = self.fresh_literal()
        self._knowledge.append(Axiom(literal))
        self.size += 1
        return Line(literal, None, (), (), (), (), 0)

    @property
    def preferences(self) -> tuple[PremisePreference | RulePreference, ...]:
        """The preferences stated so far, in the order stated."""
        return tuple(self._preferences)

    def is_undercut(self, line: Line) -> bool:
        """Return whether the line concludes that a rule does not apply; such a conclusion cannot be rebutted."""
        return atom_of(line.literal) in self._rule_names

    def defeasible(self, subs: Sequence[Line], literal: str | None = None) -> Line:
        """State a defeasible rule from the lines' conclusions to ``literal`` (fresh by default); return its line."""
        name, antecedents = self.fresh_name(), self._antecedents(subs)
        return self._apply(DefeasibleRule(name, antecedents, literal or self.fresh_literal()), subs, (name,))

    def strict(self, subs: Sequence[Line], literal: str | None = None) -> Line:
        """State a strict rule from the lines' conclusions to ``literal`` (fresh by default); return its line."""
        rule = StrictRule(self.fresh_name(), self._antecedents(subs), literal or self.fresh_literal())
        return self._apply(rule, subs, _union(sub.last for sub in subs))

    def step(self, subs: Sequence[Line], strict_share: float, literal: str | None = None) -> Line:
        """State a rule that is strict with the given probability, else defeasible; return its line."""
        return (self.strict if self.stream.chance(strict_share) else self.defeasible)(subs, literal)

    def chain(self, base: Line, length: int, strict_share: float) -> Line:
        """Return ``base`` continued by ``length`` single-antecedent rules."""
        for _ in range(length):
            base = self.step([base], strict_share)
        return base

    def rank(self, weaker: Line, stronger: Line, *, elitist: bool | None = None, last_link: bool | None = None) -> bool:
        """State preferences that make one line strictly weaker than the other.

        Args:
            weaker: the line that is to be weaker.
            stronger: the line that is to be stronger.
            elitist: the set ordering to rank by; the draft's own by default.
            last_link: the link principle to rank by; the draft's own by default.

        Returns:
            False, with nothing stated, when the lines cannot be ranked so, or when that would turn around a preference
            that was stated before.
        """
        elitist = self.is_elitist if elitist is None else elitist
        last_link = self.by_last_link if last_link is None else last_link
        rule_pairs: _Pairs | None = []
        premise_pairs: _Pairs | None = []
        if last_link:
            if weaker.last or stronger.last:
                rule_pairs = self._pairs(weaker.last, stronger.last, elitist)
            else:
                premise_pairs = self._pairs(weaker.premises, stronger.premises, elitist)
        else:
            both_strict = not weaker.rules and not stronger.rules
            both_firm = not weaker.premises and not stronger.premises
            if not both_strict:
                rule_pairs = self._pairs(_early(weaker), _early(stronger), elitist)
            if both_strict or not both_firm:
                premise_pairs = self._pairs(weaker.premises, stronger.premises, elitist)
        if rule_pairs is None or premise_pairs is None:
            return False
        for low, high in rule_pairs:
            self._prefer(RulePreference(high, low))
        for low, high in premise_pairs:
            self._prefer(PremisePreference(high, low))
        return True

    def feint(self, weaker: Line, stronger: Line) -> bool:
        """State preferences between two lines with defeasible rules that the draft's link principle alone ignores.

        By last link those are preferences between premises, by weakest link preferences between rules without any
        between premises.

        Returns:
            False, with nothing stated, when there are none to state.
        """
        if not (weaker.rules and stronger.rules and weaker.premises and stronger.premises):
            return False
        low, high = (weaker.premises, stronger.premises) if self.by_last_link else (weaker.last, stronger.last)
        pairs = self._pairs(low, high, self.is_elitist)
        for below, above in pairs or []:
            self._prefer(PremisePreference(above, below) if self.by_last_link else RulePreference(above, below))
        return bool(pairs)

    def theory(self) -> Theory:
        """Return the theory: knowledge, rules and preferences, each in random order."""
        groups = (self._knowledge, self._rules, self._preferences)
        return Theory(tuple(directive for group in groups for directive in self.stream.shuffled(group)))

    def _antecedents(self, subs: Sequence[Line]) -> tuple[str, ...]:
        return tuple(self.stream.shuffled([sub.literal for sub in subs]))

    def _apply(self, rule: Rule, subs: Sequence[Line], last: tuple[str, ...]) -> Line:
        self._rules.append(rule)
        self.size += 1
        self._rule_names.add(rule.name)
        own = (rule.name,) if isinstance(rule, DefeasibleRule) else ()
        return Line(
            literal=rule.consequent,
            rule=rule,
            subs=tuple(subs),
            premises=_union(sub.premises for sub in subs),
            rules=_union([own, *(sub.rules for sub in subs)]),
            last=last,
            height=1 + max(sub.height for sub in subs),
        )

    def _pairs(self, weaker: Sequence[str], stronger: Sequence[str], elitist: bool) -> _Pairs | None:
        """Return the (low, high) pairs that make one set strictly weaker than the other, None when there are none."""
        if not weaker:
            return None
        if not stronger:
            return []
        pairs = [(weaker[0], high) for high in stronger] if elitist else [(low, stronger[0]) for low in weaker]
        # A pair that is turned around elsewhere, or a common element, would only make a tie.
        return None if any(self._reaches(high, low) for low, high in pairs) else pairs

    def _reaches(self, start: str, goal: str) -> bool:
        """Return whether ``start`` is ``goal`` or is stated to be weaker than it, through any number of steps."""
        seen, frontier = {start}, [start]
        while frontier:
            if (name := frontier.pop()) == goal:
                return True
            for above in self._weaker_than.get(name, ()):
                if above not in seen:
                    seen.add(above)
                    frontier.append(above)
        return False

    def _prefer(self, preference: PremisePreference | RulePreference) -> None:
        above = self._weaker_than.setdefault(preference.weaker, [])
        if preference.stronger not in above:
            above.append(preference.stronger)
            self._preferences.append(preference)


def _early(line: Line) -> list[str]:
    """Return the line's defeasible rules, the last ones last: a weakest link need not be a last link."""
    return [name for name in line.rules if name not in line.last] + list(line.last)


def contrary(line: Line) -> str:
    """Return the literal that conflicts with the line's conclusion."""
    return negate(line.literal)


def _union(parts: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({name for part in parts for name in part}))
