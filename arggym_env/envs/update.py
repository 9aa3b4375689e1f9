"""Updates of a theory: what they are, what they change, and what they could change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from arggym_env.engine import State
from arggym_env.envs.question import Question
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
    negate,
    parse_directive,
)

Preference: TypeAlias = PremisePreference | RulePreference


@dataclass(frozen=True, slots=True)
class UpdateQuestion(Question):
    """Which claims change status when these directives, one line of text each, are added and retracted?"""

    added: tuple[str, ...]
    retracted: tuple[str, ...]


def updated(theory: Theory, update: UpdateQuestion) -> Theory:
    """Return ``theory`` after ``update``, which takes effect all at once.

    Raises:
        TheoryError: the update does not fit the theory.
    """
    return theory.retract(_all_retracted(theory, update)).add(map(parse_directive, update.added))


def _all_retracted(theory: Theory, update: UpdateQuestion) -> list[Directive]:
    """Return what the update retracts, and the preferences that name it: they go with it."""
    retracted = [parse_directive(line) for line in update.retracted]
    preferences: tuple[Preference, ...] = (*theory.rule_preferences, *theory.premise_preferences)
    return [*retracted, *preferences_naming(preferences, retracted)]


def preferences_naming(preferences: Iterable[Preference], directives: Iterable[Directive]) -> list[Preference]:
    """Return those of ``preferences`` that name one of ``directives``: a rule by its name, a premise by its literal."""
    rules: set[str] = set()
    premises: set[str] = set()
    for directive in directives:
        match directive:
            case DefeasibleRule():
                rules.add(directive.name)
            case Premise():
                premises.add(directive.literal)
    return [
        pair
        for pair in preferences
        if not (rules if isinstance(pair, RulePreference) else premises).isdisjoint((pair.stronger, pair.weaker))
    ]


def claims_of(theory: Theory) -> tuple[str, ...]:
    """Return the literals over atoms that occur in ``theory``, in the sign in which they occur, sorted."""
    return tuple(sorted(literal for literal in theory.occurring if atom_of(literal) not in theory.rule_names))


def changes(before: State, after: State) -> dict[str, str]:
    """Return the claims of the theory before the update whose status differs, with the status after it."""
    return {
        claim: status for claim in claims_of(before.theory) if (status := after.status(claim)) != before.status(claim)
    }


def mentioned(theory: Theory, update: UpdateQuestion) -> tuple[str, ...]:
    """Return the claims over atoms that the update names outside rule names, sorted."""
    atoms = {atom_of(literal) for line in (*update.added, *update.retracted) for literal in _literals(line)}
    return tuple(claim for claim in claims_of(theory) if atom_of(claim) in atoms)


def _literals(line: str) -> Iterator[str]:
    match parse_directive(line):
        case Premise(literal) | Axiom(literal):
            yield literal
        case StrictRule(_, antecedents, consequent) | DefeasibleRule(_, antecedents, consequent):
            yield from (*antecedents, consequent)
        case PremisePreference(stronger, weaker):
            yield from (stronger, weaker)


def reached(theory: Theory, update: UpdateQuestion) -> frozenset[str]:
    """Return the claims that the update might affect, whatever the strengths and statuses; no other claim changes.

    Effects spread along rules, to what a conclusion contradicts, and to the conclusions of rules that are undercut.
    They start from the premises and conclusions that come or go, and from those between which a preference does.
    """
    after = updated(theory, update)
    rules = {rule.name: rule for rule in (*theory.rules, *after.rules)}
    above: dict[str, list[str]] = {}
    for rule in rules.values():
        for antecedent in rule.antecedents:
            above.setdefault(antecedent, []).append(rule.consequent)
    pending = list(_starting_points(theory, after))
    found: set[str] = set()
    while pending:
        literal = pending.pop()
        if literal in found:
            continue
        found.add(literal)
        pending += [negate(literal), *above.get(literal, ())]
        if (undercut := rules.get(atom_of(literal))) is not None:
            pending.append(undercut.consequent)
    return frozenset(found.intersection(claims_of(theory)))


def _starting_points(before: Theory, after: Theory) -> Iterator[str]:
    for directive in set(before.directives).symmetric_difference(after.directives):
        match directive:
            case Premise(literal) | Axiom(literal):
                yield literal
            case StrictRule() | DefeasibleRule():
                yield directive.consequent
    # A preference about what itself comes or goes adds nothing.
    premises = set(before.premises).intersection(after.premises)
    for pair in _closure(before.premise_preferences) ^ _closure(after.premise_preferences):
        if premises.issuperset(pair):
            yield from pair
    consequents = {rule.name: rule.consequent for rule in before.rules if rule.name in after.rule_names}
    for pair in _closure(before.rule_preferences) ^ _closure(after.rule_preferences):
        if consequents.keys() >= set(pair):
            yield from (consequents[name] for name in pair)


def _closure(preferences: Iterable[Preference]) -> set[tuple[str, str]]:
    """Return the (stronger, weaker) pairs that are stated or follow from those that are."""
    below: dict[str, set[str]] = {}
    for preference in preferences:
        below.setdefault(preference.stronger, set()).add(preference.weaker)
    pairs: set[tuple[str, str]] = set()
    for name, weaker in below.items():
        pending = list(weaker)
        while pending:
            other = pending.pop()
            if (name, other) not in pairs:
                pairs.add((name, other))
                pending += below.get(other, ())
    return pairs
