"""The contract of formalization: a submitted theory is run, compared and checked for its types (paper appendix B).

Three agreements with the reference theory, each an F1 in [0, 1]:

* B, behaviour: the claim-status pairs that the submission induces on the queried claims against the specified ones.
  Both maps have exactly the queried claims as keys, a claim without an argument being overruled, so B is the share of
  queried claims with the right status.
* S, structure: the multisets of directives, up to the names of rules. An undercut and a preference between rules name
  a rule; they are compared by what that rule *is* (kind, antecedents, consequent), through any number of undercuts of
  undercuts.
* T, types: the multisets of axioms and strict rules, compared like S; an extra axiom or strict rule costs precision.

The native score is 0.4 B + 0.6 S when the reference has neither axiom nor strict rule, else 0.25 B + 0.35 S + 0.40 T.
A line that cannot be read, or lines that are together no well-formed theory, cannot be run and score 0. Success is
agreement on both polarities of every atom of the reference theory, however it is reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate
from arggym_env.errors import ArgumentLimitExceeded, TheoryError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.detail import SHOWN_ENTRIES, shown, shown_entries
from arggym_env.rewards.pairs import pair_f1
from arggym_env.rewards.score import JsonValue, Reason, Score
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
from arggym_env.theory.typography import content_lines

WITHOUT_TYPES: Final = (0.40, 0.60)
"""Weights of B and S when the reference has no type-sensitive decision."""
WITH_TYPES: Final = (0.25, 0.35, 0.40)
"""Weights of B, S and T when it has one."""


class Agreement(NamedTuple):
    """How far a submission agrees with the reference."""

    behaviour: float
    structure: float
    types: float | None
    """None when the reference has neither axiom nor strict rule."""

    @property
    def native(self) -> float:
        """The task-native score, exactly 1 when all agreements are."""
        if min(self.behaviour, self.structure, 1.0 if self.types is None else self.types) == 1.0:
            return 1.0
        if self.types is None:
            return WITHOUT_TYPES[0] * self.behaviour + WITHOUT_TYPES[1] * self.structure
        return WITH_TYPES[0] * self.behaviour + WITH_TYPES[1] * self.structure + WITH_TYPES[2] * self.types


def score_formalization(
    reference: Theory,
    ordering: str,
    specified: Mapping[str, str],
    answer: str,
    *,
    engine: str = "native",
    max_arguments: int = DEFAULT_MAX_ARGUMENTS,
) -> Score:
    """Return the score of a formalization.

    Args:
        reference: the theory that the description was made from.
        ordering: one of the four orderings.
        specified: the status of every queried claim, as the question gives it; not empty.
        answer: the text of the answer region.
        engine: the name of the engine that computes the statuses.
        max_arguments: how many arguments the submission may have; more score 0.

    Raises:
        ArgumentLimitExceeded: the reference itself has more arguments than ``max_arguments``.
    """
    if not content_lines(answer):
        return Score(0.0, False, False, Reason.EMPTY_ANSWER)
    try:
        submission = Theory.parse(answer)
    except TheoryError as error:
        problem: JsonValue = {"line": error.line, "problem": shown(error.message)}
        return Score(0.0, False, True, Reason.UNREADABLE, FrozenMap({"unreadable": problem}))
    target = _reference_state(reference, ordering, engine, max_arguments)
    try:
        state = evaluate(submission, ordering, engine=engine, max_arguments=max_arguments)
    except ArgumentLimitExceeded:
        detail: dict[str, JsonValue] = {"directives": len(submission.directives)}
        return Score(0.0, False, True, Reason.TOO_MANY_ARGUMENTS, FrozenMap(detail))
    return _verdict(target, state, specified)


@lru_cache(maxsize=256)
def _reference_state(theory: Theory, ordering: str, engine: str, max_arguments: int) -> State:
    """Return the reference's state; a group of answers to one instance shares it."""
    return evaluate(theory, ordering, engine=engine, max_arguments=max_arguments)


def _verdict(target: State, state: State, specified: Mapping[str, str]) -> Score:
    """Return the score of a submission that was run."""
    induced = {claim: state.status(claim) for claim in specified}
    matched = sum(induced[claim] == status for claim, status in specified.items())
    deviating = _deviating(target, state)
    ours, theirs = _shapes(target.theory, state.theory)
    agreement = Agreement(
        behaviour=pair_f1(matched, len(induced), len(specified)),
        structure=_multiset_f1(theirs, ours),
        types=_types(theirs, ours),
    )
    native, success = agreement.native, not deviating
    reached = Reason.CORRECT if native == 1.0 else Reason.NOT_IDENTICAL
    detail: dict[str, JsonValue] = {
        "directives": len(state.theory.directives),
        "behaviour": agreement.behaviour,
        "structure": agreement.structure,
        "types": agreement.types,
        "statuses": dict(induced),
        "deviating": shown_entries(deviating),
        "missing": _unmatched(target.theory, ours, theirs),
        "extra": _unmatched(state.theory, theirs, ours),
    }
    return Score(native, success, True, reached if success else Reason.WRONG, FrozenMap(detail))


def _deviating(target: State, state: State) -> list[str]:
    """Return the literals over the reference's atoms to which the submission gives another status."""
    literals = (literal for atom in target.theory.atoms for literal in (atom, negate(atom)))
    return [literal for literal in literals if state.status(literal) != target.status(literal)]


class _Shape(NamedTuple):
    """What a directive says once the names of rules are gone."""

    typed: bool
    """Whether it is an axiom or a strict rule."""
    number: int
    """Equal for equal content, over both theories of a comparison."""


def _shapes(reference: Theory, submission: Theory) -> tuple[list[_Shape], list[_Shape]]:
    """Return the shape of every directive of both theories, in the order stated."""
    numbers: dict[Hashable, int] = {}
    return _theory_shapes(reference, numbers), _theory_shapes(submission, numbers)


def _theory_shapes(theory: Theory, numbers: dict[Hashable, int]) -> list[_Shape]:
    rules = _rule_numbers(theory, numbers)
    return [_shape(directive, rules, numbers) for directive in theory.directives]


def _shape(directive: Directive, rules: Mapping[str, int], numbers: dict[Hashable, int]) -> _Shape:
    match directive:
        case StrictRule(name) | DefeasibleRule(name):
            return _Shape(isinstance(directive, StrictRule), rules[name])
        case Axiom(literal) | Premise(literal):
            key: Hashable = (type(directive).__name__, literal)
        case PremisePreference(stronger, weaker):
            key = ("PremisePreference", stronger, weaker)
        case RulePreference(stronger, weaker):
            key = ("RulePreference", rules[stronger], rules[weaker])
    return _Shape(isinstance(directive, Axiom), numbers.setdefault(key, len(numbers)))


def _rule_numbers(theory: Theory, numbers: dict[Hashable, int]) -> dict[str, int]:
    """Return what each rule is, as a number; rules that are named by others come before these.

    Rules that undercut each other in a circle, which no reference has, are told apart by the rest of what they say.
    """
    named = {rule.name: _named_rules(rule, theory) for rule in theory.rules}
    users: dict[str, list[str]] = {name: [] for name in named}
    for name, others in named.items():
        for other in others:
            users[other].append(name)
    waiting = {name: len(others) for name, others in named.items()}
    ready = [name for name, count in waiting.items() if not count]
    by_name = {rule.name: rule for rule in theory.rules}
    resolved: dict[str, int] = {}
    while ready:
        name = ready.pop()
        resolved[name] = numbers.setdefault(_body(by_name[name], theory, resolved), len(numbers))
        for user in users[name]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    circular = {
        name: numbers.setdefault(("circular", _body(rule, theory, {})), len(numbers))
        for name, rule in by_name.items()
        if name not in resolved
    }
    return {**resolved, **circular}


def _named_rules(rule: Rule, theory: Theory) -> frozenset[str]:
    """Return the rules whose names occur, negated, in ``rule``."""
    names = (atom_of(literal) for literal in (*rule.antecedents, rule.consequent))
    return theory.rule_names.intersection(names)


def _body(rule: Rule, theory: Theory, resolved: Mapping[str, int]) -> Hashable:
    """Return kind, antecedents and consequent, an undercut being one of the rule that ``resolved`` knows by number."""

    def content(literal: str) -> Hashable:
        name = atom_of(literal)
        return ("undercut", resolved.get(name)) if name in theory.rule_names else literal

    return type(rule).__name__, frozenset(map(content, rule.antecedents)), content(rule.consequent)


def _multiset_f1(submitted: list[_Shape], gold: list[_Shape]) -> float:
    return pair_f1((Counter(submitted) & Counter(gold)).total(), len(submitted), len(gold))


def _types(submitted: list[_Shape], gold: list[_Shape]) -> float | None:
    """Return the F1 over axioms and strict rules, None when the reference has neither."""
    decisions = [shape for shape in gold if shape.typed]
    return _multiset_f1([shape for shape in submitted if shape.typed], decisions) if decisions else None


def _unmatched(theory: Theory, own: list[_Shape], other: list[_Shape]) -> list[JsonValue]:
    """Return the directives of ``theory`` that the other side does not state, at most as many as a detail shows."""
    left = Counter(own) - Counter(other)
    entries: list[JsonValue] = []
    for directive, shape in zip(theory.directives, own, strict=True):
        if len(entries) == SHOWN_ENTRIES:
            break
        if left[shape] > 0:
            left[shape] -= 1
            entries.append(shown(str(directive)))
    return entries
