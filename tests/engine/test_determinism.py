"""States depend on the theory alone: not on the hash seed, the engine or the order of the directives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from arggym_env.engine import ENGINES, EXTENSION_SEMANTICS, ORDERINGS, State, evaluate
from arggym_env.errors import ArgumentLimitExceeded
from arggym_env.theory import DefeasibleRule, Directive, StrictRule, Theory
from tests.engine.random_theories import random_theory

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import sys
from tests.engine.test_determinism import describe_all
sys.stdout.write(describe_all(sys.argv[1]))
"""


def describe(state: State) -> str:
    lines = [*map(str, state.arguments), *map(str, state.attacks)]
    lines.append(" ".join(f"{source.index}>{target.index}" for source, target in state.defeats))
    for semantics in EXTENSION_SEMANTICS:
        extensions = [sorted(argument.index for argument in extension) for extension in state.extensions(semantics)]
        lines.append(f"{semantics}: {extensions}")
    lines.append(str(state.statuses("sceptical preferred")))
    lines.append(str([argument.derivation.hex() for argument in state.arguments]))
    return "\n".join(lines)


def describe_all(engine: str) -> str:
    described = []
    for seed in range(1000, 1040):
        try:
            state = evaluate(random_theory(seed), ORDERINGS[seed % 4], engine=engine, max_arguments=11)
        except ArgumentLimitExceeded:
            continue
        described.append(describe(state))
    return "\n\n".join(described)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_hash_seed_changes_nothing(engine: str) -> None:
    outputs = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", SCRIPT, engine]
        outputs.add(subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True).stdout)
    assert len(outputs) == 1
    assert outputs.pop().decode() == describe_all("native")


def shuffled(theory: Theory, random: Random) -> Theory:
    """Return the theory with its directives, and the antecedents of its rules, in another order."""
    directives: list[Directive] = []
    for directive in random.sample(theory.directives, len(theory.directives)):
        if isinstance(directive, StrictRule | DefeasibleRule):
            antecedents = tuple(random.sample(directive.antecedents, len(directive.antecedents)))
            directive = type(directive)(directive.name, antecedents, directive.consequent)
        directives.append(directive)
    return Theory(tuple(directives))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_directives_changes_nothing(engine: str) -> None:
    random = Random("directive order")
    for seed in range(2000, 2030):
        theory = random_theory(seed)
        try:
            state = evaluate(theory, ORDERINGS[seed % 4], engine=engine, max_arguments=11)
        except ArgumentLimitExceeded:
            continue
        again = evaluate(shuffled(theory, random), ORDERINGS[seed % 4], engine=engine, max_arguments=11)
        assert again.arguments == state.arguments
        assert describe(again) == describe(state)


def test_stating_a_directive_twice_changes_nothing() -> None:
    for seed in range(3000, 3030):
        theory = random_theory(seed)
        doubled = theory.add(d for d in theory.directives if not isinstance(d, StrictRule | DefeasibleRule))
        states = [evaluate(each, ORDERINGS[seed % 4], max_arguments=500) for each in (theory, doubled)]
        assert states[0].defeats == states[1].defeats
