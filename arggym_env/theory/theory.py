"""An ASPIC+ argumentation theory: an immutable, well-formed sequence of directives (spec section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arggym_env.errors import TheoryError
from arggym_env.theory.directives import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    Rule,
    RulePreference,
    StrictRule,
    parse_directive,
)
from arggym_env.theory.literals import atom_of, is_identifier, is_literal, negate
from arggym_env.theory.typography import content_lines


@dataclass(frozen=True)
class Theory:
    """A well-formed ASPIC+ theory (Modgil & Prakken 2014, Def. 5), checked when it is made.

    Args:
        directives: what the theory states, in the order in which it is printed. The order carries no meaning, and
            stating a premise, an axiom or a preference twice means the same as stating it once.

    Raises:
        TheoryError: the directives break a rule of well-formedness: rule names are unique and are not atoms (a rule
            name may occur as a literal only negated, which undercuts the rule); no two rules share their set of
            antecedents and their consequent, whatever their names and kinds; no literal is both axiom and ordinary
            premise; no two axioms contradict each other; a rule's antecedents are not empty and do not hold its
            consequent; preferences name ordinary premises and defeasible rules of the theory.
    """

    directives: tuple[Directive, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "directives", tuple(self.directives))
        for problem in _problems(self.directives):
            raise TheoryError(problem.message)

    @classmethod
    def parse(cls, text: str) -> Theory:
        """Return the theory that ``text`` states, one directive a line.

        Raises:
            TheoryError: a line cannot be read, or the theory is not well formed; carries the line number.
        """
        lines = content_lines(text)
        directives = []
        for line in lines:
            try:
                directives.append(parse_directive(line.text))
            except TheoryError as error:
                raise TheoryError(error.message, line.number) from None
        for problem in _problems(directives):
            raise TheoryError(problem.message, lines[problem.place].number)
        return cls._checked(tuple(directives))

    @classmethod
    def _checked(cls, directives: tuple[Directive, ...]) -> Theory:
        """Return the theory of directives that are known to be well formed together."""
        theory = cls.__new__(cls)
        object.__setattr__(theory, "directives", directives)
        return theory

    def __str__(self) -> str:
        return "\n".join(map(str, self.directives))

    def __reduce__(self) -> tuple[type[Theory], tuple[tuple[Directive, ...]]]:
        return type(self), (self.directives,)

    def add(self, directives: Iterable[Directive]) -> Theory:
        """Return the theory with ``directives`` stated after its own.

        Raises:
            TheoryError: the result is not well formed.
        """
        new = tuple(directives)
        whole = (*self.directives, *new)
        # The whole is read again only to name its first problem, which may stand among what was fine by itself.
        return self._checked(whole) if self._index.admits(new) else Theory(whole)

    def retract(self, directives: Iterable[Directive]) -> Theory:
        """Return the theory without ``directives``.

        Raises:
            TheoryError: a directive is not stated in the theory, or the result is not well formed (a preference that
                names a retracted rule must be retracted with it).
        """
        gone = set(directives)
        for directive in sorted(gone.difference(self.directives), key=str):
            raise TheoryError(f"{directive} cannot be retracted: the theory does not state it")
        return Theory(tuple(directive for directive in self.directives if directive not in gone))

    @cached_property
    def _index(self) -> _Index:
        return _Index(self)

    @cached_property
    def premises(self) -> tuple[str, ...]:
        """The ordinary premises, each once, in the order stated."""
        return tuple(dict.fromkeys(d.literal for d in self.directives if isinstance(d, Premise)))

    @cached_property
    def axioms(self) -> tuple[str, ...]:
        """The axioms, each once, in the order stated."""
        return tuple(dict.fromkeys(d.literal for d in self.directives if isinstance(d, Axiom)))

    @cached_property
    def strict_rules(self) -> tuple[StrictRule, ...]:
        """The strict rules in the order stated."""
        return tuple(d for d in self.directives if isinstance(d, StrictRule))

    @cached_property
    def defeasible_rules(self) -> tuple[DefeasibleRule, ...]:
        """The defeasible rules in the order stated."""
        return tuple(d for d in self.directives if isinstance(d, DefeasibleRule))

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules in the order stated."""
        return tuple(d for d in self.directives if isinstance(d, StrictRule | DefeasibleRule))

    @cached_property
    def _by_consequent(self) -> dict[str, tuple[Rule, ...]]:
        found: dict[str, tuple[Rule, ...]] = {}
        for rule in self.rules:
            found[rule.consequent] = (*found.get(rule.consequent, ()), rule)
        return found

    def rules_for(self, literal: str) -> tuple[Rule, ...]:
        """Return the rules that conclude ``literal``, in the order stated."""
        return self._by_consequent.get(literal, ())

    @cached_property
    def premise_preferences(self) -> tuple[PremisePreference, ...]:
        """The stated preferences between ordinary premises."""
        return tuple(d for d in self.directives if isinstance(d, PremisePreference))

    @cached_property
    def rule_preferences(self) -> tuple[RulePreference, ...]:
        """The stated preferences between defeasible rules."""
        return tuple(d for d in self.directives if isinstance(d, RulePreference))

    @cached_property
    def rule_names(self) -> frozenset[str]:
        """The names of all rules."""
        return frozenset(rule.name for rule in self.rules)

    @cached_property
    def occurring(self) -> frozenset[str]:
        """The literals that occur in premises, axioms, antecedents and consequents, in the sign in which they occur."""
        return frozenset(_occurrences(self.directives))

    @cached_property
    def atoms(self) -> tuple[str, ...]:
        """The atoms that occur in either sign, sorted. Rule names are not atoms."""
        return tuple(sorted({atom_of(literal) for literal in self.occurring} - self.rule_names))

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Every literal in both signs, sorted by name, positive first; undercut rule names stand among them."""
        names = sorted({atom_of(literal) for literal in self.occurring})
        return tuple(literal for name in names for literal in (name, "-" + name))


class _Problem(NamedTuple):
    place: int
    message: str


def _occurrences(directives: Iterable[Directive]) -> Iterator[str]:
    for directive in directives:
        match directive:
            case Premise(literal) | Axiom(literal):
                yield literal
            case StrictRule(_, antecedents, consequent) | DefeasibleRule(_, antecedents, consequent):
                yield from antecedents
                yield consequent


def _problems(directives: Sequence[Directive]) -> Iterator[_Problem]:
    """Yield what keeps ``directives`` from being a theory, in the order of the rules in ``Theory``'s docstring."""
    rules: dict[str, Rule] = {}
    for index, directive in enumerate(directives):
        if message := _malformed(directive):
            yield _Problem(index, message)
        elif isinstance(directive, StrictRule | DefeasibleRule):
            if directive.name in rules:
                yield _Problem(index, f"rule name {directive.name} is used twice")
            rules[directive.name] = directive

    bodies: dict[tuple[frozenset[str], str], str] = {}
    premises: set[str] = set()
    axioms: set[str] = set()
    for index, directive in enumerate(directives):
        for literal in _occurrences([directive]):
            if literal in rules:
                yield _Problem(index, f"{literal} names a rule and cannot be an atom too (in {directive})")
        match directive:
            case Premise(literal):
                premises.add(literal)
                if literal in axioms:
                    yield _Problem(index, f"{literal} is both an axiom and an ordinary premise")
            case Axiom(literal):
                axioms.add(literal)
                if literal in premises:
                    yield _Problem(index, f"{literal} is both an axiom and an ordinary premise")
                if negate(literal) in axioms:
                    yield _Problem(index, f"axioms {negate(literal)} and {literal} contradict each other")
            case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
                if consequent in antecedents:
                    yield _Problem(index, f"rule {name} has its consequent {consequent} among its antecedents")
                twin = bodies.setdefault(_body(directive), name)
                if twin != name:
                    yield _Problem(index, f"rules {twin} and {name} have the same antecedents and consequent")

    for index, directive in enumerate(directives):
        match directive:
            case PremisePreference(stronger, weaker):
                for literal in (stronger, weaker):
                    if literal not in premises:
                        yield _Problem(index, f"{literal} in {directive} is not an ordinary premise of the theory")
            case RulePreference(stronger, weaker):
                for name in (stronger, weaker):
                    if not isinstance(rules.get(name), DefeasibleRule):
                        yield _Problem(index, f"{name} in {directive} is not a defeasible rule of the theory")


class _Index:
    """What a theory states, by what a further directive could conflict with."""

    def __init__(self, theory: Theory) -> None:
        self._premises, self._axioms, self._occurring = set(theory.premises), set(theory.axioms), theory.occurring
        self._rules: dict[str, Rule] = {rule.name: rule for rule in theory.rules}
        self._bodies = {_body(rule) for rule in theory.rules}

    def admits(self, directives: Sequence[Directive]) -> bool:
        """Return whether the theory and ``directives`` are well formed together."""
        if any(map(_malformed, directives)):
            return False
        premises = {directive.literal for directive in directives if isinstance(directive, Premise)}
        axioms = {directive.literal for directive in directives if isinstance(directive, Axiom)}
        rules = [directive for directive in directives if isinstance(directive, StrictRule | DefeasibleRule)]
        named = {rule.name: rule for rule in rules}
        bodies = {_body(rule) for rule in rules}
        all_premises, all_axioms = self._premises | premises, self._axioms | axioms
        return (
            len(rules) == len(named) == len(bodies)
            and self._rules.keys().isdisjoint(named)
            and self._bodies.isdisjoint(bodies)
            and self._occurring.isdisjoint(named)
            and not any(literal in self._rules or literal in named for literal in _occurrences(directives))
            and not any(rule.consequent in rule.antecedents for rule in rules)
            and all_axioms.isdisjoint(premises)
            and all_premises.isdisjoint(axioms)
            and not any(negate(literal) in all_axioms for literal in axioms)
            and all(self._ranks(directive, all_premises, named) for directive in directives)
        )

    def _ranks(self, directive: Directive, premises: set[str], named: Mapping[str, Rule]) -> bool:
        """Return whether ``directive``, if it is a preference, is one between what is stated."""
        match directive:
            case PremisePreference(stronger, weaker):
                return stronger in premises and weaker in premises
            case RulePreference(stronger, weaker):
                ranked = (named.get(name) or self._rules.get(name) for name in (stronger, weaker))
                return all(isinstance(rule, DefeasibleRule) for rule in ranked)
        return True


def _body(rule: Rule) -> tuple[frozenset[str], str]:
    return frozenset(rule.antecedents), rule.consequent


def _malformed(directive: Directive) -> str | None:
    """Say what is wrong with one directive by itself; text never gets this far, objects made by hand may."""
    match directive:
        case Premise(literal) | Axiom(literal):
            literals, names = [literal], []
        case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
            if not isinstance(antecedents, tuple):
                return f"rule {name} has antecedents {antecedents!r}, which are not a tuple of literals"
            literals, names = [*antecedents, consequent], [name]
            if not antecedents:
                return f"rule {name} has no antecedents"
            if len(set(antecedents)) != len(antecedents):
                return f"rule {name} has an antecedent twice"
        case PremisePreference(stronger, weaker):
            literals, names = [stronger, weaker], []
        case RulePreference(stronger, weaker):
            literals, names = [], [stronger, weaker]
        case _:
            return f"{directive!r} is not a directive"
    for literal in literals:
        if not (isinstance(literal, str) and is_literal(literal)):
            return f"{literal!r} is not a literal (an identifier, or - and an identifier)"
    for name in names:
        if not (isinstance(name, str) and is_identifier(name)):
            return f"{name!r} is not a rule name (a letter, then letters, digits or underscores)"
    return None
