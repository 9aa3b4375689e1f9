"""Abstract semantics against their definitions, against clingo, and on frameworks too large for either."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Sequence
from random import Random
from typing import Final

import clingo
import pytest

from arggym_env.engine import EXTENSION_SEMANTICS
from arggym_env.engine.bits import mask_of, members
from arggym_env.engine.framework import Framework, strongly_connected
from arggym_env.engine.pyarg import solve_with_pyarg
from arggym_env.errors import ExtensionLimitExceeded
from tests.engine.brute_force import brute_force_extensions
from tests.engine.random_frameworks import random_framework

DENSITIES: Final = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)

# Admissibility, completeness and stability as answer sets; maximality is asked of the answer sets afterwards.
ENCODING: Final = """
{in(X)} :- arg(X).
out(X) :- att(Y,X), in(Y).
:- in(X), out(X).
undefended(X) :- att(Y,X), not out(Y).
:- in(X), undefended(X).
:- arg(X), not in(X), not undefended(X).
"""


def sample(seed: int, smallest: int, largest: int) -> list[int]:
    random = Random(f"sample {seed}")
    size = random.randint(smallest, largest)
    return random_framework(
        seed, size, random.choice(DENSITIES), random.choice([0, 0.2, 0.6]), random.choice([0, 0.1, 0.3])
    )


def solve(attackers: Sequence[int], semantics: str) -> set[int]:
    extensions = Framework(attackers).solve(semantics).extensions()
    assert len(set(extensions)) == len(extensions)
    return set(extensions)


@pytest.mark.parametrize("semantics", EXTENSION_SEMANTICS)
def test_extensions_are_those_of_the_definition(semantics: str) -> None:
    for seed in range(1500):
        attackers = sample(seed, 0, 8)
        assert solve(attackers, semantics) == brute_force_extensions(attackers, semantics), (seed, attackers)


def clingo_complete(attackers: Sequence[int]) -> set[int]:
    facts = [f"arg({index})." for index in range(len(attackers))]
    facts += [f"att({source},{index})." for index, mask in enumerate(attackers) for source in members(mask)]
    control = clingo.Control(["0", "--warn=none"])
    control.add("base", [], ENCODING + "#show in/1.\n" + " ".join(facts))
    control.ground([("base", [])])
    found: set[int] = set()
    with control.solve(yield_=True) as models:
        for model in models:
            found.add(mask_of(symbol.arguments[0].number for symbol in model.symbols(shown=True)))
    return found


def from_complete(attackers: Sequence[int], complete: set[int], semantics: str) -> set[int]:
    """Pick the extensions under ``semantics`` out of the complete ones."""
    covered = {e: e | mask_of(i for i, mask in enumerate(attackers) if mask & e) for e in complete}
    semi = {e for e in complete if not any(covered[e] | covered[o] == covered[o] != covered[e] for o in complete)}
    common = -1
    for extension in semi:
        common &= extension
    return {
        "complete": complete,
        "grounded": {min(complete, key=int.bit_count)},
        "preferred": {e for e in complete if not any(e != other and e & ~other == 0 for other in complete)},
        "stable": {e for e in complete if covered[e] == (1 << len(attackers)) - 1},
        "semi-stable": semi,
        "eager": {max((e for e in complete if e & ~common == 0), key=int.bit_count)},
    }[semantics]


def test_extensions_are_those_that_clingo_finds() -> None:
    several = 0
    for seed in range(250):
        attackers = sample(10_000 + seed, 9, 25)
        complete = clingo_complete(attackers)
        several += len(complete) > 2
        for semantics in EXTENSION_SEMANTICS:
            assert solve(attackers, semantics) == from_complete(attackers, complete, semantics), (seed, semantics)
    assert several >= 40


@pytest.mark.parametrize("semantics", [semantics for semantics in EXTENSION_SEMANTICS if semantics != "grounded"])
def test_pyarg_finds_the_same_without_our_reduction_to_undecided_parts(semantics: str) -> None:
    for seed in range(150):
        attackers = sample(20_000 + seed, 0, 7)
        assert solve_with_pyarg(attackers, semantics) == brute_force_extensions(attackers, semantics), (seed, attackers)


def conflicts_with_common_sink(pairs: int) -> list[int]:
    """Return mutual attacks that all attack one argument: one weak component with 2 to the ``pairs`` extensions."""
    attackers = [1 << (index ^ 1) for index in range(2 * pairs)]
    return [*attackers, mask_of(range(0, 2 * pairs, 2))]


def odd_and_even_cycles(size: int) -> list[int]:
    """Return cycles of two to five arguments in chains of twelve, each cycle attacking the next of its chain."""
    attackers: list[int] = []
    cycles = 0
    while len(attackers) + 5 <= size:
        start, length = len(attackers), 2 + cycles % 4
        before = 1 << (start - 1) if cycles % 12 else 0
        attackers += [1 << (start + (place - 1) % length) | (0 if place else before) for place in range(length)]
        cycles += 1
    return attackers


@pytest.mark.parametrize("density", [0.005, 0.01, 0.02, 0.03, 0.3, 0.5])
@pytest.mark.parametrize("semantics", EXTENSION_SEMANTICS)
def test_two_hundred_arguments_finish(density: float, semantics: str) -> None:
    attackers = random_framework(1, 200, density, mutual=0, self_attacks=0.02)
    started = time.perf_counter()
    extensions = solve(attackers, semantics)
    assert time.perf_counter() - started < 10
    for extension in extensions:
        beaten = mask_of(i for i, mask in enumerate(attackers) if mask & extension)
        assert not extension & beaten
        assert all(not attackers[i] & ~beaten for i in members(extension))
        assert semantics != "stable" or extension | beaten == (1 << 200) - 1


@pytest.mark.parametrize("semantics", ["preferred", "stable", "semi-stable", "eager"])
def test_two_hundred_arguments_in_cycles_finish(semantics: str) -> None:
    started = time.perf_counter()
    outcome = Framework(odd_and_even_cycles(200)).solve(semantics)
    assert time.perf_counter() - started < 10
    assert outcome.exists


def test_a_component_with_thousands_of_extensions_is_listed() -> None:
    outcome = Framework(conflicts_with_common_sink(12)).solve("preferred")
    assert len(outcome.extensions()) == 2**12
    sink = 1 << 24
    assert outcome.some_meets(sink)
    assert not outcome.every_meets(sink)


def test_claims_are_decided_where_the_extensions_are_too_many_to_list() -> None:
    attackers = [1 << (index ^ 1) for index in range(200)]
    outcome = Framework(attackers).solve("preferred")
    assert outcome.some_meets(1)
    assert outcome.every_meets(0b11)
    assert not outcome.every_meets(0b101)
    assert outcome.every_defeats(0)
    with pytest.raises(ExtensionLimitExceeded, match="more than 100000 extensions"):
        outcome.extensions()


def test_an_entangled_conflict_with_too_many_extensions_is_refused_promptly() -> None:
    started = time.perf_counter()
    with pytest.raises(ExtensionLimitExceeded):
        Framework(random_framework(0, 120, 0.01, mutual=1, self_attacks=0)).solve("preferred")
    assert time.perf_counter() - started < 30


def nested(levels: int) -> list[int]:
    """Return a component in which each accepted argument splits a smaller component of the same shape off."""
    size = 3 * levels
    attackers = [0] * size
    for first in range(0, size, 3):
        second, third = first + 1, first + 2
        attackers[first] |= mask_of([second, first - 1] if first else [second])
        attackers[second] |= mask_of([first, second])
        attackers[third] |= mask_of([first, third, size - 2])
    return attackers


def test_deeply_nested_components_do_not_exhaust_the_stack() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 230)
    try:
        assert solve(nested(100), "preferred") == {mask_of(range(0, 300, 3))}
    finally:
        sys.setrecursionlimit(limit)


def test_strong_components_come_after_those_that_attack_them() -> None:
    for seed in range(300):
        attackers = sample(30_000 + seed, 1, 12)
        everything = (1 << len(attackers)) - 1
        before = 0
        for component in strongly_connected(attackers, everything):
            before |= component
            assert all(not attackers[index] & ~before for index in members(component))
        assert before == everything
