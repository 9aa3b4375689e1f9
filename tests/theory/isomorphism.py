"""When are two theories the same up to names and order? By trying every renaming: an oracle for tiny theories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
    atom_of,
)


def names_of(theory: Theory) -> list[str]:
    """Return every name that the theory uses, for an atom or a rule, sorted."""
    return sorted({*theory.rule_names, *map(atom_of, theory.occurring)})


def renamed(directive: Directive, names: Mapping[str, str]) -> Directive:
    """Return ``directive`` with every name replaced."""

    def literal(old: str) -> str:
        return old.replace(atom_of(old), names[atom_of(old)])

    if isinstance(directive, Premise):
        return Premise(literal(directive.literal))
    if isinstance(directive, Axiom):
        return Axiom(literal(directive.literal))
    if isinstance(directive, PremisePreference):
        return PremisePreference(literal(directive.stronger), literal(directive.weaker))
    if isinstance(directive, RulePreference):
        return RulePreference(names[directive.stronger], names[directive.weaker])
    antecedents = tuple(map(literal, directive.antecedents))
    return type(directive)(names[directive.name], antecedents, literal(directive.consequent))


def content(directives: Sequence[Directive]) -> frozenset[Directive]:
    """Return what the directives say, whatever the order of lines and of antecedents."""

    def unordered(directive: Directive) -> Directive:
        if isinstance(directive, StrictRule | DefeasibleRule):
            return type(directive)(directive.name, tuple(sorted(directive.antecedents)), directive.consequent)
        return directive

    return frozenset(map(unordered, directives))


def are_isomorphic(one: Theory, other: Theory) -> bool:
    """Return whether some bijection of the names turns what ``one`` says into what ``other`` says."""
    ours, theirs = names_of(one), names_of(other)
    if len(ours) != len(theirs) or len(content(one.directives)) != len(content(other.directives)):
        return False
    wanted = content(other.directives)
    return any(
        content([renamed(directive, dict(zip(ours, order, strict=True))) for directive in one.directives]) == wanted
        for order in permutations(theirs)
    )
