"""Policies against constructive goals that see the structure of a theory and ignore which arguments are accepted."""

from __future__ import annotations

from collections.abc import Iterable

from arggym_env.engine import State
from arggym_env.envs.constructive import cuts_from, directive_lines
from arggym_env.envs.instance import Instance
from arggym_env.envs.stream import Stream


def greedy_cut(supports: Iterable[frozenset[str]]) -> list[str]:
    """Return defeasible rules that together hit every one of the ``supports``, the most frequent rule first."""
    open_ = [support for support in supports if support]
    cut: list[str] = []
    while open_:
        names = sorted(set().union(*open_))
        best = max(names, key=lambda name: sum(name in support for support in open_))
        cut.append(best)
        open_ = [support for support in open_ if best not in support]
    return cut


def supports(state: State, literal: str) -> list[frozenset[str]]:
    """Return the defeasible rules of each argument for ``literal``, live or dead."""
    return [argument.defeasible_rules for argument in state.arguments_for(literal)]


def cut_everything(instance: Instance, state: State, literal: str) -> str:
    """Return undercuts, from the first axiom or premise, that sever every argument for ``literal``."""
    return _answer(instance, greedy_cut(supports(state, literal)))


def cut_within_budget(instance: Instance, state: State, literal: str) -> str:
    """Return as many of those undercuts as earn anything, drawn at random: twice the recorded minimum."""
    cut = greedy_cut(supports(state, literal))
    budget = 2 * (instance.min_directives or 1)
    return _answer(instance, Stream("budget", instance.id).sample(cut, min(budget, len(cut))))


def _answer(instance: Instance, rules: list[str]) -> str:
    theory = instance.theory
    start = (*theory.axioms, *theory.premises)[0]
    return directive_lines(cuts_from(theory, start, rules))
