"""Gates that several tasks put their candidates through: is the ordering formally active in this theory?"""

from __future__ import annotations

from typing import Final, NamedTuple

from arggym_env.engine import State
from arggym_env.envs.task import Rejected

_OTHER: Final = {
    "last-link": "weakest-link",
    "weakest-link": "last-link",
    "elitist": "democratic",
    "democratic": "elitist",
}


class Switched(NamedTuple):
    """The two orderings that differ from one in a single choice."""

    principle: str
    """The other link principle, the same set ordering."""
    lift: str
    """The same link principle, the other set ordering."""


def switched(ordering: str) -> Switched:
    """Return the orderings with the other link principle, and with the other set ordering."""
    principle, lift = ordering.split()
    return Switched(f"{_OTHER[principle]} {lift}", f"{principle} {_OTHER[lift]}")


class Active(NamedTuple):
    """The literals on whose status the ordering bears."""

    principle: frozenset[str]
    """Status changes when only the link principle is switched."""
    lift: frozenset[str]
    """Status changes when only the set ordering is switched."""


def active_literals(state: State) -> Active:
    """Return the literals of the theory whose grounded status depends on the link principle and on the set ordering."""
    statuses = state.statuses()
    changed = []
    for other in switched(state.ordering):
        others = state.under(other).statuses()
        changed.append(frozenset(literal for literal, status in statuses.items() if others[literal] != status))
    return Active(*changed)


def require(condition: bool, reason: str) -> None:
    """Reject the candidate with ``reason`` unless ``condition`` holds."""
    if not condition:
        raise Rejected(reason)


def most_arguments(size: int) -> int:
    """Return how many arguments a theory may have of which ``size`` are planned."""
    return size + size // 8 + 8


def require_structure(state: State, size: int, depth: int) -> None:
    """Reject a theory of another depth, of fewer arguments than ``size``, of many more, or that contradicts itself."""
    require(size <= state.argument_count <= most_arguments(size), "size")
    require(state.depth == depth, "depth")
    require(state.is_consistent, "inconsistent")


def require_active(state: State) -> None:
    """Reject a theory on none of whose statuses the link principle bears, or on none the set ordering."""
    active = active_literals(state)
    require(bool(active.principle), "link_principle_inert")
    require(bool(active.lift), "set_ordering_inert")
