"""Which directives a constructive answer may add, as data, and the judge that applies it (spec section 5).

Each directive is judged by itself, in the order of the answer: it is retained, or refused for the first reason that
applies. A refused directive is dropped; it still counts toward the number of submitted directives. The theory with the
retained directives is always well formed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

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


@dataclass(frozen=True, slots=True)
class Legality:
    """The kinds of directive that a task permits; new axioms and new positive premises are never among them.

    Attributes:
        defeasible_rules: ``[defeasible ...]``.
        strict_rules: ``[strict ...]``.
        contraries: ``[premise: -p]`` for an ordinary premise ``p`` of the theory.
        preferences: ``[prefer_rule: ...]`` and ``[prefer_premise: ...]``.
    """

    defeasible_rules: bool = False
    strict_rules: bool = False
    contraries: bool = False
    preferences: bool = False

    def permits(self, directive: Directive) -> bool:
        """Return whether the kind of ``directive`` is permitted."""
        match directive:
            case DefeasibleRule():
                return self.defeasible_rules
            case StrictRule():
                return self.strict_rules
            case Premise():
                return self.contraries
            case PremisePreference() | RulePreference():
                return self.preferences
            case Axiom():
                return False


class Refusal(StrEnum):
    """Why a directive is dropped."""

    KIND_NOT_PERMITTED = "kind_not_permitted"
    """The task permits no directive of this kind; axioms are permitted by none."""
    DUPLICATE = "duplicate"
    """The theory or an earlier retained line states exactly this."""
    NAME_TAKEN = "name_taken"
    """The rule's name is that of a rule of the theory or of an earlier retained line."""
    NAME_IS_ATOM = "name_is_atom"
    """The rule's name is an atom of the theory or of the answer."""
    NEW_ANTECEDENT = "new_antecedent"
    """An antecedent does not occur in the theory in this sign."""
    OWN_ANTECEDENT = "own_antecedent"
    """The rule concludes one of its antecedents."""
    RULE_NAME_CLAIMED = "rule_name_claimed"
    """The consequent is a rule's name without the sign that would make it an undercut."""
    UNDERCUTS_ADDED_RULE = "undercuts_added_rule"
    """The consequent undercuts a rule that the answer itself states."""
    TWIN_RULE = "twin_rule"
    """A rule of the theory or of an earlier retained line has the same antecedents and consequent."""
    NOT_A_CONTRARY = "not_a_contrary"
    """The premise is not the negation of an ordinary premise of the theory that is an atom."""
    AXIOM_AS_PREMISE = "axiom_as_premise"
    """The premise is an axiom of the theory already."""
    SAME_ON_BOTH_SIDES = "same_on_both_sides"
    """The preference compares a rule or a premise with itself."""
    NOT_A_DEFEASIBLE_RULE = "not_a_defeasible_rule"
    """The preference names something that is no defeasible rule of the theory or of an earlier retained line."""
    NOT_AN_ORDINARY_PREMISE = "not_an_ordinary_premise"
    """The preference names something that is no ordinary premise of the theory or of an earlier retained line."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A directive that is dropped, and why."""

    directive: Directive
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer really adds, and what of it is dropped, both in the order of the answer."""

    retained: tuple[Directive, ...]
    refused: tuple[Refused, ...]


def judge(theory: Theory, legality: Legality, directives: Sequence[Directive]) -> Judgement:
    """Return which of ``directives`` may be added to ``theory``, in time linear in the sizes of both.

    Args:
        theory: the base theory.
        legality: the kinds of directive that the task permits.
        directives: the readable lines of an answer, as :func:`~arggym_env.theory.parse_directive` returns them.
    """
    bench = _Bench(theory, legality, directives)
    retained: list[Directive] = []
    refused: list[Refused] = []
    for directive in directives:
        refusal = bench.refusal(directive)
        if refusal is None:
            bench.retain(directive)
            retained.append(directive)
        else:
            refused.append(Refused(directive, refusal))
    return Judgement(tuple(retained), tuple(refused))


class _Bench:
    """The theory and what was retained so far, indexed by what the rules of legality ask."""

    def __init__(self, theory: Theory, legality: Legality, directives: Iterable[Directive]) -> None:
        self._theory = theory
        self._legality = legality
        rules = [directive for directive in directives if isinstance(directive, StrictRule | DefeasibleRule)]
        self._answer_names = {rule.name for rule in rules}
        self._atoms = {*theory.atoms, *self._atoms_of(directives)}
        self._stated: set[Directive] = set(theory.directives)
        self._names = set(theory.rule_names)
        self._bodies = {(frozenset(rule.antecedents), rule.consequent) for rule in theory.rules}
        self._defeasible = {rule.name for rule in theory.defeasible_rules}
        self._base_premises, self._axioms = frozenset(theory.premises), frozenset(theory.axioms)
        self._premises = set(self._base_premises)

    def _atoms_of(self, directives: Iterable[Directive]) -> Iterable[str]:
        """Yield the atoms that the answer uses; ``-name`` in a consequent is an undercut and uses none."""
        for directive in directives:
            match directive:
                case Premise(literal) | Axiom(literal):
                    yield atom_of(literal)
                case PremisePreference(stronger, weaker):
                    yield from (atom_of(stronger), atom_of(weaker))
                case StrictRule(_, antecedents, consequent) | DefeasibleRule(_, antecedents, consequent):
                    yield from map(atom_of, antecedents)
                    if not (consequent.startswith("-") and atom_of(consequent) in self._answer_names):
                        yield atom_of(consequent)

    def retain(self, directive: Directive) -> None:
        self._stated.add(directive)
        match directive:
            case Premise(literal):
                self._premises.add(literal)
            case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
                self._names.add(name)
                self._bodies.add((frozenset(antecedents), consequent))
                if isinstance(directive, DefeasibleRule):
                    self._defeasible.add(name)

    def refusal(self, directive: Directive) -> Refusal | None:
        """Return the first reason to refuse ``directive``, or None when it may stand."""
        if isinstance(directive, Axiom) or not self._legality.permits(directive):
            return Refusal.KIND_NOT_PERMITTED
        if directive in self._stated:
            return Refusal.DUPLICATE
        match directive:
            case StrictRule() | DefeasibleRule():
                return self._rule_refusal(directive)
            case Premise(literal):
                return self._premise_refusal(literal)
            case PremisePreference(stronger, weaker):
                known, refusal = self._premises, Refusal.NOT_AN_ORDINARY_PREMISE
            case RulePreference(stronger, weaker):
                known, refusal = self._defeasible, Refusal.NOT_A_DEFEASIBLE_RULE
        if stronger == weaker:
            return Refusal.SAME_ON_BOTH_SIDES
        return None if stronger in known and weaker in known else refusal

    def _premise_refusal(self, literal: str) -> Refusal | None:
        if not literal.startswith("-") or negate(literal) not in self._base_premises:
            return Refusal.NOT_A_CONTRARY
        return Refusal.AXIOM_AS_PREMISE if literal in self._axioms else None

    def _rule_refusal(self, rule: Rule) -> Refusal | None:
        if rule.name in self._names:
            return Refusal.NAME_TAKEN
        if rule.name in self._atoms:
            return Refusal.NAME_IS_ATOM
        if not self._theory.occurring.issuperset(rule.antecedents):
            return Refusal.NEW_ANTECEDENT
        if rule.consequent in rule.antecedents:
            return Refusal.OWN_ANTECEDENT
        if (frozenset(rule.antecedents), rule.consequent) in self._bodies:
            return Refusal.TWIN_RULE
        return self._consequent_refusal(rule.consequent)

    def _consequent_refusal(self, consequent: str) -> Refusal | None:
        if consequent in self._theory.rule_names:
            return Refusal.RULE_NAME_CLAIMED
        atom = atom_of(consequent)
        if consequent.startswith("-") and atom in self._answer_names and atom not in self._theory.rule_names:
            return Refusal.UNDERCUTS_ADDED_RULE
        return None
