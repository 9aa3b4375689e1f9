"""The native engine and the PyArg oracle give the same state for every random theory, ordering and semantics."""

from __future__ import annotations

from collections import Counter

import pytest

from arggym_env.engine import EXTENSION_SEMANTICS, ORDERINGS, SEMANTICS, Argument, State, Status, evaluate
from arggym_env.errors import ArgumentLimitExceeded
from tests.engine.random_theories import random_theory

MAX_ARGUMENTS = 40
MAX_UNDECIDED = 11  # PyArg's searches double with every argument


def tree(argument: Argument) -> str:
    """Write the derivation of ``argument`` out, without indices."""
    name = argument.top_rule.name if argument.top_rule else sorted(argument.ordinary_premises)
    return f"({argument.conclusion} {name} {' '.join(map(tree, argument.subarguments))})"


def naive_status(state: State, literal: str, semantics: str) -> Status:
    """Apply the definition of claim status to the listed extensions and defeats."""
    listed = {"credulous preferred": "preferred", "sceptical preferred": "preferred"}.get(semantics, semantics)
    extensions = state.extensions(listed)
    if not extensions:
        return "no stable extension"
    arguments = [argument for argument in state.arguments if argument.conclusion == literal]
    held = [any(argument in extension for argument in arguments) for extension in extensions]
    if any(held) if semantics == "credulous preferred" else all(held):
        return "justified"
    pairs = set(state.defeats)
    beaten = all(any((e, a) in pairs for e in extension) for extension in extensions for a in arguments)
    return "overruled" if beaten else "undecided"


def compare(seed: int, seen: Counter[str]) -> None:
    """Hold both engines' states of one theory against each other, and count what occurred."""
    theory = random_theory(seed)
    for ordering in ORDERINGS:
        try:
            native = evaluate(theory, ordering, max_arguments=MAX_ARGUMENTS)
        except ArgumentLimitExceeded:
            seen["too large"] += 1
            return
        oracle = evaluate(theory, ordering, engine="pyarg", max_arguments=MAX_ARGUMENTS)
        where = f"seed {seed}, {ordering}:\n{theory}"
        compare_structure(native, oracle, where)
        undecided = sum(native.label(argument) == "undecided" for argument in native.arguments)
        seen["states"] += 1
        seen["self-defeat"] += any(source == target for source, target in native.defeats)
        seen["lost attacks"] += not all(attack.succeeds for attack in native.attacks)
        seen["inconsistent"] += not native.is_consistent
        if undecided > MAX_UNDECIDED:
            seen["undecided part too large"] += 1
            continue
        for semantics in EXTENSION_SEMANTICS:
            assert native.extensions(semantics) == oracle.extensions(semantics), f"{semantics}, {where}"
        for semantics in SEMANTICS:
            statuses = native.statuses(semantics)
            assert statuses == oracle.statuses(semantics), f"{semantics}, {where}"
            for literal, status in statuses.items():
                assert status == naive_status(native, literal, semantics), f"{literal}, {semantics}, {where}"
            seen[f"{semantics} differs from grounded"] += statuses != native.statuses()
            seen.update(f"{semantics}: {status}" for status in set(statuses.values()))


def compare_structure(native: State, oracle: State, where: str) -> None:
    """Hold arguments, attacks, defeats and labels of two states against each other."""
    assert list(map(str, native.arguments)) == list(map(str, oracle.arguments)), where
    assert list(map(tree, native.arguments)) == list(map(tree, oracle.arguments)), where
    for ours, theirs in zip(native.arguments, oracle.arguments, strict=True):
        assert ours == theirs, where
        assert ours.height == theirs.height, where
        assert ours.premises == theirs.premises, where
        assert ours.ordinary_premises == theirs.ordinary_premises, where
        assert ours.defeasible_rules == theirs.defeasible_rules, where
        assert ours.last_defeasible_rules == theirs.last_defeasible_rules, where
        assert native.label(ours) == oracle.label(theirs), where
    assert native.attacks == oracle.attacks, where
    assert native.attack_pairs == oracle.attack_pairs, where
    assert native.defeats == oracle.defeats, where
    assert native.is_consistent == oracle.is_consistent, where
    counts = [(s.argument_count, s.attack_count, s.defeat_count, s.depth) for s in (native, oracle)]
    assert counts[0] == counts[1], where


def run(seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        compare(seed, seen)
    return seen


def test_engines_agree_on_random_theories() -> None:
    seen = run(range(400))
    assert seen["states"] >= 1400
    assert seen["undecided part too large"] < seen["states"] / 8
    # The comparison means little unless the theories show everything in which engines could differ.
    for event in ("self-defeat", "lost attacks", "inconsistent", "stable: no stable extension"):
        assert seen[event] >= 20, event
    for semantics in SEMANTICS:
        assert semantics == "grounded" or seen[f"{semantics} differs from grounded"] >= 20, semantics
        for status in ("justified", "overruled", "undecided"):
            assert seen[f"{semantics}: {status}"] >= 20 or (semantics, status) == ("stable", "undecided")


@pytest.mark.slow
def test_engines_agree_on_five_thousand_more() -> None:
    assert run(range(400, 5400))["states"] >= 17_000
