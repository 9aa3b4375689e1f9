"""Limits hold promptly, and every wrong argument meets one clear error."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, ENGINES, ORDERINGS, evaluate, get_engine, labelling
from arggym_env.engine.framework import Framework
from arggym_env.errors import ArgumentLimitExceeded, CoordinateError, ExtensionLimitExceeded, SearchLimitExceeded
from arggym_env.theory import Theory

ROOT = Path(__file__).resolve().parents[2]
ORDERING = ORDERINGS[0]


def alternatives(width: int, steps: int) -> Theory:
    """Return a chain with ``width`` alternatives for each of ``steps`` steps: width ** steps arguments at its end."""
    lines = ["[axiom: x0]"]
    for step in range(steps):
        for choice in range(width):
            lines += [
                f"[premise: p{step}_{choice}]",
                f"[defeasible r{step}_{choice}: x{step} AND p{step}_{choice} => x{step + 1}]",
            ]
    return Theory.parse("\n".join(lines))


@pytest.mark.parametrize("engine", ENGINES)
def test_exploding_arguments_are_refused_at_once_and_without_memory(engine: str) -> None:
    theory = alternatives(10, 10)
    tracemalloc.start()
    started = time.perf_counter()
    with pytest.raises(ArgumentLimitExceeded, match="more than 5000 arguments"):
        evaluate(theory, ORDERING, engine=engine)
    elapsed = time.perf_counter() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert elapsed < 1
    assert peak < 20_000_000


def test_one_step_with_many_antecedents_is_refused_before_it_is_formed() -> None:
    lines = [f"[premise: p{i}]" for i in range(10)]
    lines += [f"[defeasible r{i}_{j}: p{i} => c{j}]" for i in range(10) for j in range(30)]
    lines.append(f"[strict s: {' AND '.join(f'c{j}' for j in range(30))} -> goal]")  # 10 ** 30 combinations
    started = time.perf_counter()
    with pytest.raises(ArgumentLimitExceeded):
        evaluate(Theory.parse("\n".join(lines)), ORDERING)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("engine", ENGINES)
def test_the_limit_is_exact(engine: str) -> None:
    theory = alternatives(2, 3)
    count = 1 + 6 + 2 + 4 + 8
    assert evaluate(theory, ORDERING, engine=engine, max_arguments=count).argument_count == count
    with pytest.raises(ArgumentLimitExceeded) as error:
        evaluate(theory, ORDERING, engine=engine, max_arguments=count - 1)
    assert error.value.limit == count - 1


def test_the_limit_counts_premises() -> None:
    with pytest.raises(ArgumentLimitExceeded):
        evaluate(Theory.parse("[premise: a]\n[premise: b]"), ORDERING, max_arguments=1)


def test_the_last_allowed_argument_may_be_one_step_from_many() -> None:
    theory = Theory.parse("[premise: a]\n[premise: b]\n[strict s: a AND b -> c]\n[strict t: c -> d]")
    assert evaluate(theory, ORDERING, max_arguments=4).argument_count == 4
    for limit in (2, 3):
        with pytest.raises(ArgumentLimitExceeded):
            evaluate(theory, ORDERING, max_arguments=limit)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_a_theory_near_the_limit_evaluates_in_about_a_second(ordering: str) -> None:
    # Two sides of 1728 arguments that all attack each other, and preferences that tell most of them apart.
    lines = str(alternatives(12, 3)).split("\n")
    lines += [line.replace("=> x3", "=> -x3").replace(" r2_", " q2_") for line in lines if "=> x3" in line]
    names = [line.split()[1].rstrip(":") for line in lines if line.startswith("[defeasible")]
    lines += [f"[prefer_rule: {a} > {b}]" for place, a in enumerate(names) for b in names[place + 1 :: 7]]
    premises = [line[10:-1] for line in lines if line.startswith("[premise:")]
    lines += [f"[prefer_premise: {b} > {a}]" for a, b in zip(premises, premises[5:], strict=False)]
    theory = Theory.parse("\n".join(lines))
    started = time.perf_counter()
    state = evaluate(theory, ordering)
    state.statuses()
    assert time.perf_counter() - started < 3
    assert 3000 < state.argument_count <= DEFAULT_MAX_ARGUMENTS
    assert state.defeat_count > 1_000_000


def test_shared_sub_arguments_stay_shared_natively_and_are_refused_by_the_oracle() -> None:
    lines = ["[premise: a0]", "[premise: b0]"]
    for step in range(40):
        lines.append(f"[defeasible r{step}: a{step} AND b{step} => a{step + 1}]")
        lines.append(f"[defeasible q{step}: a{step} AND b{step} => b{step + 1}]")
    theory = Theory.parse("\n".join(lines))  # written out as trees, 2 ** 41 steps
    state = evaluate(theory, ORDERING)
    assert state.argument_count == 82
    assert len(str(state.arguments[-1])) < 60
    with pytest.raises(ArgumentLimitExceeded):
        evaluate(theory, ORDERING, engine="pyarg")


@pytest.mark.parametrize("engine", ENGINES)
def test_wrong_coordinates_are_named_with_what_is_allowed(engine: str) -> None:
    theory = Theory.parse("[premise: a]")
    with pytest.raises(CoordinateError, match="ordering 'last link' is not one of 'last-link elitist'"):
        evaluate(theory, "last link", engine=engine)
    for limit in (0, True, 2.0, "many", None):
        with pytest.raises(CoordinateError, match=f"max_arguments {limit!r} is not a positive integer"):
            evaluate(theory, ORDERING, engine=engine, max_arguments=limit)  # type: ignore[arg-type]
    state = evaluate(theory, ORDERING, engine=engine)
    with pytest.raises(CoordinateError, match="semantics 'preferred' is not one of 'grounded', 'credulous preferred'"):
        state.status("a", "preferred")
    with pytest.raises(CoordinateError, match="semantics 'ideal' is not one of"):
        state.statuses("ideal")
    with pytest.raises(CoordinateError, match="extension semantics 'credulous preferred' is not one of 'grounded'"):
        state.extensions("credulous preferred")
    with pytest.raises(CoordinateError, match="'--a' is not a literal"):
        state.status("--a")
    with pytest.raises(CoordinateError, match="'a b' is not a literal"):
        state.arguments_for("a b")


def test_unknown_engines_are_refused_by_name() -> None:
    with pytest.raises(CoordinateError, match="engine 'clingo' is not one of 'native', 'pyarg'"):
        evaluate(Theory.parse("[premise: a]"), ORDERING, engine="clingo")
    assert [get_engine(name).name for name in ENGINES] == list(ENGINES)


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_check_the_ordering_themselves(engine: str) -> None:
    with pytest.raises(CoordinateError, match="ordering 'best' is not one of"):
        get_engine(engine).evaluate(Theory.parse("[premise: a]"), "best", 10)


def test_pyarg_is_imported_only_when_it_is_used() -> None:
    script = "import sys; import arggym_env.engine; sys.exit(any(name.startswith('py_arg') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_an_entangled_framework_ends_with_a_clear_error_instead_of_hanging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "STEP_LIMIT", 20)
    stream = random.Random(4)
    attackers = [0] * 60
    for first in range(60):
        for second in range(first):
            if stream.random() < 0.2:
                low, high = stream.sample((first, second), 2)
                attackers[low] |= 1 << high
    with pytest.raises(SearchLimitExceeded, match="within 20 search steps"):
        Framework(attackers).solve("preferred")


def test_limit_errors_survive_pickling() -> None:
    for error in (ArgumentLimitExceeded(3), SearchLimitExceeded(4), ExtensionLimitExceeded(5)):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.limit) == (type(error), str(error), error.limit)
