"""Hypothesis strategies for theories: small, in few names, so that every odd coincidence of names turns up."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from arggym_env.errors import TheoryError
from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
)

NAMES = ("a", "b1", "AND", "premise", "hx0_jl00", "Z_", "v0", "k9")
"""Names of atoms and of rules: keywords, the canonical names and underscores are names like any other."""


def names() -> st.SearchStrategy[str]:
    return st.sampled_from(NAMES)


def literals() -> st.SearchStrategy[str]:
    return st.builds(str.__add__, st.sampled_from(["", "-"]), names())


def _antecedents() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(literals(), min_size=1, max_size=3, unique=True).map(tuple)


def directives() -> st.SearchStrategy[Directive]:
    """Return directives that are well formed one by one."""
    return st.one_of(
        st.builds(Premise, literals()),
        st.builds(Axiom, literals()),
        st.builds(StrictRule, names(), _antecedents(), literals()),
        st.builds(DefeasibleRule, names(), _antecedents(), literals()),
        st.builds(PremisePreference, literals(), literals()),
        st.builds(RulePreference, names(), names()),
    )


def well_formed(candidates: Iterable[Directive]) -> Theory:
    """Return the theory of those ``candidates`` that may stand after the ones before them."""
    theory = Theory(())
    for directive in candidates:
        try:
            theory = theory.add([directive])
        except TheoryError:
            continue
    return theory


def theories(max_size: int = 14) -> st.SearchStrategy[Theory]:
    """Return well-formed theories with at most ``max_size`` directives."""
    return st.lists(directives(), max_size=max_size).map(well_formed)
