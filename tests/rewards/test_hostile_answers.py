"""Scoring is total and quick: any text in, a finite score out."""

from __future__ import annotations

import ast
import math
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arggym_env.rewards.score as package_file
from arggym_env.rewards.answer import extract_answer
from arggym_env.rewards.execution import score_construction
from arggym_env.rewards.formalization import score_formalization
from arggym_env.rewards.legality import Legality
from arggym_env.rewards.pairs import CLAIM_STATUSES, score_pairs
from arggym_env.rewards.progress import Goal
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory

THEORY = Theory.parse("[premise: x]\n[premise: y]\n[defeasible r1: x => t]\n[defeasible r2: y => -t]")
ALL = Legality(defeasible_rules=True, strict_rules=True, contraries=True, preferences=True)


def pairs(answer: str) -> Score:
    return score_pairs({"x": "justified", "-t": "undecided"}, answer, CLAIM_STATUSES)


def construction(answer: str) -> Score:
    return score_construction(THEORY, "last-link elitist", (Goal("t", "justified"),), ALL, 2, answer)


def construction_without_minimum(answer: str) -> Score:
    return score_construction(THEORY, "weakest-link democratic", (Goal("t", "justified"),), ALL, None, answer)


def formalization(answer: str) -> Score:
    told = Theory.parse("[premise: u]\n[premise: -u]\n[defeasible r1: u => v]")
    return score_formalization(told, "last-link democratic", {"u": "undecided", "v": "undecided"}, answer)


CONTRACTS: tuple[Callable[[str], Score], ...] = (pairs, construction, construction_without_minimum, formalization)

HOSTILE = {
    "a call": "__import__('os').system('touch pwned')",
    "a power": "9**9**9",
    "parentheses": "(" * 1_000_000,
    "brackets": "[" * 1_000_000,
    "directives on one line": "[premise: x]" * 50_000,
    "directives on many lines": "[premise: x]\n" * 50_000,
    "rules on many lines": "\n".join(f"[defeasible k{index}: x => t]" for index in range(50_000)),
    "a rule with many antecedents": f"[defeasible k: {'x AND ' * 100_000}y => t]",
    "one word": "x" * 1_000_000,
    "colons": ":" * 1_000_000,
    "zeros": "0" * 20_000,
    "lines": "x\n" * 300_000,
    "blank lines": "\n" * 1_000_000,
    "dashes": "\u2212" * 1_000_000,
    "NUL": "\x00",
    "U+2028": "\u2028",
    "JSON": "{}",
    "null": "null",
    "emoji": "\U0001f600",
    "a lone surrogate": "\ud800",
    "None": "None",
}


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_answers_score_zero_quickly(
    answer: str, contract: Callable[[str], Score], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    start = time.process_time()
    score = contract(answer)
    assert time.process_time() - start < 2
    assert (score.native, score.success) == (0.0, False)
    assert not list(tmp_path.iterdir())


def _lines_of(parts: list[str]) -> str:
    return "\n".join(parts)


readable = st.sampled_from(
    [
        "[premise: -x]",
        "[defeasible n1: x => -r2]",
        "[defeasible n2: y => -r1]",
        "[strict n3: x -> t]",
        "[prefer_rule: r1 > r2]",
        "[prefer_premise: x > y]",
        "[axiom: t]",
        "x: justified",
        "-t: undecided",
        "-t: overruled",
        "junk",
        "",
    ]
)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@given(answer=st.text() | st.lists(readable, max_size=6).map(_lines_of))
def test_any_text_has_a_finite_score(contract: Callable[[str], Score], answer: str) -> None:
    score = contract(answer)
    assert math.isfinite(score.native)
    assert 0.0 <= score.native <= 1.0
    assert not score.success or score.native >= 0.5
    assert (score.reason == "correct") == (score.success and score.native == 1.0)
    assert score == contract(answer), "scoring twice gives the same score"


@given(st.binary() | st.none() | st.integers() | st.floats() | st.text())
def test_any_object_can_be_searched_for_an_answer(completion: object) -> None:
    assert extract_answer(completion).reason is not None or isinstance(completion, str)


def test_nothing_in_the_package_evaluates_text() -> None:
    for path in Path(package_file.__file__).parent.glob("*.py"):
        names = {
            node.id for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)
        }
        assert names.isdisjoint({"eval", "exec", "compile", "__import__"}), path.name


def test_threads_give_the_scores_of_the_main_thread() -> None:
    answers = [f"[defeasible n{index}: x => -r2]" for index in range(40)] + ["junk", "x: justified", "[premise: -x]"]
    for contract in CONTRACTS:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(contract, answers)) == [contract(answer) for answer in answers]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_scores_survive_pickling(contract: Callable[[str], Score]) -> None:
    score = contract("[defeasible n1: x => -r2]\n[axiom: t]")
    assert pickle.loads(pickle.dumps(score)) == score
