"""Submissions that would build a huge theory are refused in bounded time and memory, whatever their shape."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import pytest

import arggym_env as ag
from arggym_env.engine import ENGINES
from arggym_env.envs.constructive import ConstructiveTask
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import REGISTRY
from arggym_env.errors import ArgumentLimitExceeded, TheoryError
from arggym_env.rewards.score import Reason
from arggym_env.theory import Theory
from arggym_env.theory.literals import atom_of, negate

CONSTRUCTIVE: Final = [name for name, task in REGISTRY.items() if isinstance(task, ConstructiveTask)]
SECONDS: Final = 1.0
BYTES: Final = 64_000_000


@contextmanager
def bounded(seconds: float = SECONDS, memory: int = BYTES) -> Iterator[None]:
    """Hold what happens inside to process time and to memory."""
    tracemalloc.start()
    started = time.process_time()
    yield
    elapsed = time.process_time() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert elapsed < 3 * seconds, elapsed  # tracing costs a factor of two to three
    assert peak < memory, peak


def ladder(width: int, steps: int) -> str:
    """``width`` ways for each of ``steps`` steps: width ** steps arguments for the last claim."""
    lines = ["[premise: x0]"]
    for step in range(steps):
        for way in range(width):
            lines += [
                f"[premise: p{step}_{way}]",
                f"[defeasible r{step}_{way}: x{step} AND p{step}_{way} => x{step + 1}]",
            ]
    return "\n".join(lines)


def junction(width: int, ways: int) -> str:
    """One rule with ``width`` antecedents, each with ``ways`` arguments: ways ** width arguments in one step."""
    lines = [f"[premise: p{way}]" for way in range(ways)]
    lines += [f"[defeasible r{way}_{place}: p{way} => c{place}]" for way in range(ways) for place in range(width)]
    return "\n".join([*lines, f"[strict s: {' AND '.join(f'c{place}' for place in range(width))} -> x]"])


def clique(size: int) -> str:
    """A rule from every claim to every other: as many arguments as there are paths without repetition."""
    lines = [f"[premise: x{number}]" for number in range(size)]
    lines += [f"[defeasible r{i}_{j}: x{i} => x{j}]" for i in range(size) for j in range(size) if i != j]
    return "\n".join(lines)


def doubling(steps: int) -> str:
    """Strict rules that join two ways of deriving the same: the number of arguments squares with each step."""
    lines = ["[premise: a0]", "[premise: b0]"]
    for step in range(steps):
        lines += [
            f"[strict s{step}: a{step} AND b{step} -> a{step + 1}]",
            f"[defeasible d{step}: a{step} AND b{step} => b{step + 1}]",
            f"[defeasible e{step}: b{step} => a{step + 1}]",
            f"[defeasible f{step}: a{step} => b{step + 1}]",
        ]
    return "\n".join(lines)


def contraries(size: int) -> str:
    """``size`` arguments for a claim and as many for its negation: size squared attacks."""
    lines = [f"[premise: p{number}]" for number in range(2 * size)]
    lines += [f"[defeasible r{number}: p{number} => {'-' * (number % 2)}x]" for number in range(2 * size)]
    return "\n".join(lines)


SHAPES: Final[dict[str, str]] = {
    "a ladder": ladder(10, 12),
    "a narrow ladder": ladder(2, 200),
    "a junction": junction(40, 10),
    "a clique": clique(14),
    "doubling": doubling(40),
    "contraries": contraries(4_000),
    "a thousand premises joined": f"{junction(1_000, 2)}",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_theory_with_too_many_arguments_is_refused(shape: str, engine: str) -> None:
    theory = Theory.parse(SHAPES[shape])
    with bounded(), pytest.raises(ArgumentLimitExceeded):
        ag.evaluate(theory, ag.ORDERINGS[3], engine=engine)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("level", [1, 15])
def test_a_formalization_with_too_many_arguments_scores_zero(shape: str, level: int) -> None:
    instance = ag.generate("formalization", level, ag.ORDERINGS[0], 0)
    with bounded():
        verdict = ag.score(instance, f"<answer>{SHAPES[shape]}</answer>")
    assert (verdict.native, verdict.success) == (0.0, False)
    assert verdict.reason is Reason.TOO_MANY_ARGUMENTS


def legal_rules(instance: Instance, count: int, rng: random.Random) -> list[str]:
    """Return legal rules that multiply arguments: from late claims, which many arguments have, to early ones."""
    state = ag.evaluate(instance.theory, instance.ordering)
    ways: dict[str, int] = {}
    for argument in state.arguments:
        ways[argument.conclusion] = ways.get(argument.conclusion, 0) + 1
    claims = [claim for claim in ways if atom_of(claim) not in instance.theory.rule_names]
    rich = sorted(claims, key=lambda claim: -ways[claim])[:12]
    used = [antecedent for rule in instance.theory.rules for antecedent in rule.antecedents]
    lines = []
    for number in range(count):
        antecedents = rng.sample(rich, min(len(rich), rng.randint(2, 6)))
        consequent = rng.choice([claim for claim in (*used, *map(negate, used)) if claim not in antecedents])
        lines.append(f"[defeasible new{number}: {' AND '.join(antecedents)} => {consequent}]")
    return lines


def test_constructions_that_multiply_arguments_are_bounded() -> None:
    """The number of directives is limited; what they make of the theory's own rules is not."""
    reasons = set()
    for task in CONSTRUCTIVE:
        rng = random.Random(task)
        for level in (8, 15):
            instance = ag.generate(task, level, ag.ORDERINGS[1], 0)
            assert instance.min_directives is not None
            for _ in range(6):
                lines = legal_rules(instance, 2 * instance.min_directives, rng)
                started = time.process_time()
                verdict = ag.score(instance, "<answer>" + "\n".join(lines) + "</answer>")
                assert time.process_time() - started < SECONDS
                assert verdict.native <= 0.25 or verdict.success
                reasons.add(verdict.reason)
    assert Reason.TOO_MANY_ARGUMENTS in reasons, "the submissions are as bad as they are meant to be"


@pytest.mark.parametrize("task", ["formalization", "attack"])
def test_a_limit_below_the_question_s_own_theory_is_the_caller_s_error(task: str) -> None:
    """No answer could succeed under it, so that a zero would be the model's for a fault that is not its own."""
    instance = ag.generate(task, 8, ag.ORDERINGS[0], 0)
    completion, own = f"<answer>{instance.reference}</answer>", instance.stats["arguments"]
    for limit in (1, own - 1):
        with pytest.raises(ArgumentLimitExceeded, match=f"max_arguments={limit}"):
            ag.score(instance, completion, max_arguments=limit)
    assert ag.score(instance, completion, max_arguments=2 * own).success


LONG: Final[dict[str, Callable[[], str]]] = {
    "many premises": lambda: "\n".join(f"[premise: p{number}]" for number in range(50_000)),
    "many rules": lambda: "\n".join(f"[defeasible r{number}: a => c{number}]" for number in range(50_000)),
    "one long rule": lambda: f"[defeasible r: {' AND '.join(f'a{number}' for number in range(50_000))} => x]",
    "the same antecedent": lambda: f"[defeasible r: {' AND '.join(['a'] * 100_000)} => x]",
    "the same premise": lambda: "[premise: p]\n" * 50_000,
    "a cycle of preferences": lambda: "\n".join(
        f"[premise: p{number}]\n[prefer_premise: p{number} > p{(number + 1) % 9_000}]" for number in range(9_000)
    ),
    "a long name": lambda: f"[premise: {'p' * 1_000_000}]",
    "long lines of nothing": lambda: ("[" * 100_000 + "\n") * 10,
    "nested brackets": lambda: "[premise: " * 50_000 + "]" * 50_000,
    "blank lines": lambda: "\n" * 1_000_000,
    "line breaks of every kind": lambda: "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029" * 100_000,
}


@pytest.mark.parametrize("name", LONG)
def test_reading_a_long_text_is_linear(name: str) -> None:
    text = LONG[name]()
    started = time.process_time()
    assert len(_complaint(text)) < 300
    assert time.process_time() - started < 2 * SECONDS


def _complaint(text: str) -> str:
    """Return what is wrong with a text, "" if it is a theory."""
    try:
        Theory.parse(text)
    except TheoryError as error:
        return str(error)
    return ""


def test_a_theory_may_be_as_long_as_a_machine_can_read() -> None:
    """Depth is not bounded by Python's recursion limit, neither in reading nor in evaluating."""
    chain = "\n".join(["[premise: x0]", *(f"[defeasible r{step}: x{step} => x{step + 1}]" for step in range(4_000))])
    theory = Theory.parse(chain)
    with bounded(seconds=5, memory=500_000_000):
        state = ag.evaluate(theory, ag.ORDERINGS[0])
    assert (state.argument_count, state.depth, state.status("x4000")) == (4_001, 4_000, "justified")
    assert str(theory) == chain
