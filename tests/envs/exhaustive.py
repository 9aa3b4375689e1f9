"""Slow, independent search for interventions: every combination of legal directives from a plain candidate list.

It shares nothing with the generators' proofs: candidates come from the theory's text alone and every combination is
run by the scorer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations, product

from arggym_env.envs.instance import Instance
from arggym_env.envs.scoring import score
from arggym_env.rewards.legality import Legality
from arggym_env.theory import (
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
    negate,
)


def rule_candidates(theory: Theory, legality: Legality, antecedents: Iterable[str]) -> list[Directive]:
    """Return single-antecedent rules from each of ``antecedents`` to every literal and every undercut."""
    consequents = [literal for atom in theory.atoms for literal in (atom, negate(atom))]
    consequents += [negate(rule.name) for rule in theory.defeasible_rules]
    kinds = [DefeasibleRule] * legality.defeasible_rules + [StrictRule] * legality.strict_rules
    return [
        kind(f"new{number}", (antecedent,), consequent)
        for number, (kind, antecedent, consequent) in enumerate(product(kinds, antecedents, consequents))
        if antecedent != consequent
    ]


def other_candidates(theory: Theory, legality: Legality) -> list[Directive]:
    """Return every preference between what the theory states, and every contrary of an ordinary premise."""
    found: list[Directive] = []
    if legality.contraries:
        found += [Premise(negate(premise)) for premise in theory.premises if not premise.startswith("-")]
    if legality.preferences:
        names = [rule.name for rule in theory.defeasible_rules]
        found += [RulePreference(*pair) for pair in permutations(names, 2)]
        found += [PremisePreference(*pair) for pair in permutations(theory.premises, 2)]
    return found


def succeeding(instance: Instance, candidates: Sequence[Directive], size: int) -> tuple[Directive, ...] | None:
    """Return a combination of ``size`` candidates that succeeds, or None when there is none."""
    for chosen in combinations(candidates, size):
        answer = "\n".join(map(str, chosen))
        if score(instance, f"<answer>{answer}</answer>").success:
            return chosen
    return None


def undisputed_start(instance: Instance) -> str:
    """Return the literal from which the reference starts its rules."""
    first = next(line for line in instance.reference.splitlines() if ":" in line)
    return first.partition(":")[2].partition("=>" if "=>" in first else "->")[0].strip()
