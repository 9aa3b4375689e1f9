"""A program that answers questions about stable semantics from the rules alone, without arguments or strength."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arggym_env.engine import State, evaluate
from arggym_env.theory import DefeasibleRule, Theory, negate
from arggym_env.theory.directives import PremisePreference, RulePreference

Node = tuple[str, int]


def conflicts(theory: Theory) -> dict[str, set[str]]:
    """Return what each rule or premise contradicts or switches off, as far as the text shows."""
    attacks: dict[str, set[str]] = {unit: set() for unit in _conclusions(theory)}
    defeasible = {rule.name: rule.consequent for rule in theory.rules if isinstance(rule, DefeasibleRule)}
    open_to_rebuttal = defeasible | {f"premise {literal}": literal for literal in theory.premises}
    for unit, conclusion in _conclusions(theory).items():
        attacks[unit] |= {other for other, literal in open_to_rebuttal.items() if literal == negate(conclusion)}
        attacks[unit] |= {name for name in defeasible if conclusion == negate(name)}
    return attacks


def _conclusions(theory: Theory) -> dict[str, str]:
    given = {f"premise {literal}": literal for literal in (*theory.premises, *theory.axioms)}
    return given | {rule.name: rule.consequent for rule in theory.rules}


def odd_cycles(theory: Theory) -> list[set[str]]:
    """Return the strongly connected sets of rules and premises in which an odd number of conflicts leads back."""
    attacks, conclusions = conflicts(theory), _conclusions(theory)
    supports = {
        unit: {rule.name for rule in theory.rules if literal in rule.antecedents}
        for unit, literal in conclusions.items()
    }
    steps: dict[Node, list[Node]] = {
        (unit, parity): [(other, parity) for other in sorted(supports[unit])]
        + [(other, 1 - parity) for other in sorted(attacks[unit])]
        for unit in conclusions
        for parity in (0, 1)
    }
    reached = {node: set(_reachable(steps, node)) for node in steps}
    odd = {unit for unit in conclusions if (unit, 1) in reached[unit, 0]}
    return [
        {other for other in odd if other in _units(reached[unit, 0]) and unit in _units(reached[other, 0])}
        for unit in sorted(odd)
    ]


def _units(nodes: set[Node]) -> set[str]:
    return {unit for unit, _ in nodes}


def _reachable(steps: Mapping[Node, Sequence[Node]], start: Node) -> Iterator[Node]:
    seen: set[Node] = set()
    pending = list(steps[start])
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending += steps[node]


def unguarded_odd_cycle(theory: Theory) -> bool:
    """Return whether some odd cycle is attacked by nothing outside it."""
    attacks = conflicts(theory)
    return any(
        not any(unit not in cycle and targets & cycle for unit, targets in attacks.items())
        for cycle in odd_cycles(theory)
    )


def without_strength(theory: Theory, ordering: str) -> State:
    """Return the state of the theory without its preferences."""
    strength = (PremisePreference, RulePreference)
    return evaluate(Theory(tuple(d for d in theory.directives if not isinstance(d, strength))), ordering)
