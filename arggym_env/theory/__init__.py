"""The ASPIC+ language: directives, theories, their canonical form, and what reading them forgives."""

from arggym_env.theory.canonical import canonical_form, canonical_hash, shape_key
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
from arggym_env.theory.literals import atom_of, negate
from arggym_env.theory.theory import Theory

__all__ = [
    "Axiom",
    "DefeasibleRule",
    "Directive",
    "Premise",
    "PremisePreference",
    "Rule",
    "RulePreference",
    "StrictRule",
    "Theory",
    "atom_of",
    "canonical_form",
    "canonical_hash",
    "negate",
    "parse_directive",
    "shape_key",
]
