"""Policies against constructive goals that see the structure of a theory and ignore which arguments are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arggym_env.engine import Argument, State
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


def cut_what_looks_alive(instance: Instance, state: State, literal: str, steps: int, by_strength: bool) -> str:
    """Return undercuts of what looks alive to a reader who follows attacks for ``steps`` steps only.

    An argument looks dead when some attacker of it looks alive one step less far; at the last step all do. Whoever is
    attacked back only by what it attacks counts as unattacked. Room that is left below twice the recorded minimum goes
    to arguments that look dead, at random; too many cuts are thinned at random.

    Args:
        instance: the question.
        state: the state of its theory.
        literal: whose arguments to sever.
        steps: how far attacks are followed.
        by_strength: leave attacks on the arguments themselves, but not those further up, out where they fail.
    """
    attackers = _sources(state.attack_pairs)
    first = _sources(state.defeats) if by_strength else attackers

    def looks_alive(argument: Argument, left: int, attacked: Argument | None = None) -> bool:
        if left == 0:
            return True
        own = set(_parts(attacked)) if attacked else set()
        found = (first if attacked is None else attackers).get(argument.index, [])
        return not any(looks_alive(other, left - 1, argument) for other in found if other not in own)

    routes = state.arguments_for(literal)
    alive = greedy_cut(route.defeasible_rules for route in routes if looks_alive(route, steps))
    others = greedy_cut(route.defeasible_rules for route in routes if route.defeasible_rules.isdisjoint(alive))
    stream, budget = Stream("reader", instance.id, steps), 2 * (instance.min_directives or 1)
    chosen = stream.sample(alive, min(budget, len(alive)))
    return _answer(instance, chosen + stream.sample(others, min(budget - len(chosen), len(others))))


def _parts(argument: Argument) -> Iterator[Argument]:
    yield argument
    for part in argument.subarguments:
        yield from _parts(part)


def _sources(pairs: Iterable[tuple[Argument, Argument]]) -> dict[int, list[Argument]]:
    found: dict[int, list[Argument]] = {}
    for source, goal in pairs:
        found.setdefault(goal.index, []).append(source)
    return found


def _answer(instance: Instance, rules: list[str]) -> str:
    theory = instance.theory
    start = (*theory.axioms, *theory.premises)[0]
    return directive_lines(cuts_from(theory, start, rules))
