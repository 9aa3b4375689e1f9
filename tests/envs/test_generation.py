"""Generation is a pure function of its coordinates, bounded, and checked before it starts."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from arggym_env.coordinates import SPLITS
from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs import generation
from arggym_env.envs.generation import MAX_CANDIDATES, MAX_PROMPT_CHARACTERS, generate, structure
from arggym_env.envs.registry import REGISTRY, TASKS, get_task
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Rejected
from arggym_env.errors import ArgGymError, CoordinateError, GenerationError
from arggym_env.theory import Theory
from tests.envs.samples import sample

GOOD: dict[str, Any] = {"task": "status_query", "level": 1, "ordering": ORDERINGS[0], "seed": 0, "split": "train"}

BAD: list[tuple[str, object, str]] = [
    ("task", "dance", "task 'dance' is not one of status_query|task 'dance' is not one of"),
    ("task", "", "task '' is not one of"),
    ("task", "Attack", "task 'Attack' is not one of"),
    ("task", "attack-v0", "task 'attack-v0' is not one of"),
    ("task", None, "task None is not one of"),
    ("task", ["attack"], r"task \['attack'\] is not one of"),
    ("level", 0, r"level 0 is not in 1..15 \(task status_query\)"),
    ("level", 16, "level 16 is not in 1..15"),
    ("level", -1, "level -1 is not in 1..15"),
    ("level", True, "level True is not in 1..15"),
    ("level", 1.0, "level 1.0 is not in 1..15"),
    ("level", 1.5, "level 1.5 is not in 1..15"),
    ("level", "1", "level '1' is not in 1..15"),
    ("level", None, "level None is not in 1..15"),
    ("level", [1], r"level \[1\] is not in 1..15"),
    ("level", 10**30, "level 1000.* is not in 1..15"),
    ("ordering", "last-link", "ordering 'last-link' is not one of 'last-link elitist'"),
    ("ordering", "last-link  elitist", "ordering 'last-link  elitist' is not one of"),
    ("ordering", "Last-Link Elitist", "ordering 'Last-Link Elitist' is not one of"),
    ("ordering", "last_link_elitist", "ordering 'last_link_elitist' is not one of"),
    ("ordering", "elitist last-link", "ordering 'elitist last-link' is not one of"),
    ("ordering", "last\u2010link elitist", "ordering .* is not one of"),
    ("ordering", None, "ordering None is not one of"),
    ("ordering", 0, "ordering 0 is not one of"),
    ("ordering", [ORDERINGS[0]], "ordering .* is not one of"),
    ("seed", -1, "seed -1 is not an integer from 0"),
    ("seed", 2**63, "seed 9223372036854775808 is not an integer from 0"),
    ("seed", 10**400, "seed 1000.* is not an integer from 0"),
    ("seed", 1.0, "seed 1.0 is not an integer"),
    ("seed", False, "seed False is not an integer"),
    ("seed", "0", "seed '0' is not an integer"),
    ("seed", None, "seed None is not an integer"),
    ("split", "test", "split 'test' is not one of 'train', 'eval', 'frozen'"),
    ("split", "Train", "split 'Train' is not one of"),
    ("split", "", "split '' is not one of"),
    ("split", None, "split None is not one of"),
    ("split", ["train"], "split .* is not one of"),
]


@pytest.mark.parametrize(("field", "value", "message"), BAD, ids=[f"{field}={value!r:.20}" for field, value, _ in BAD])
def test_each_bad_coordinate_is_one_clear_error(
    field: str, value: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nothing is built before the coordinates are checked")

    monkeypatch.setattr(type(get_task("status_query")), "build", refuse)
    with pytest.raises(CoordinateError, match=message) as caught:
        generate(**{**GOOD, field: value})
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ArgGymError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**53 + 1, 2**63 - 1])
def test_every_seed_in_range_is_honoured(seed: int) -> None:
    assert generate("status_query", 1, ORDERINGS[0], seed).seed == seed


def test_large_seeds_do_not_run_together() -> None:
    """Seeds that differ only beyond the precision of a float, or beyond 32 bits, are different seeds."""
    seeds = (0, 2**32, 2**53, 2**53 + 1, 2**62, 2**63 - 1)
    theories = [sample("status_query", 1, seed=seed).theory for seed in seeds]
    assert len(set(theories)) == len(seeds)


def test_the_split_is_train_by_default() -> None:
    assert generate("attack", 1, ORDERINGS[0], 3) == sample("attack", 1, seed=3, split="train")


def test_nothing_around_a_call_changes_its_result() -> None:
    """Neither earlier calls, nor global generators, nor threads, nor the order of calls."""
    wanted = [sample("attack", level, ordering) for level in (1, 4) for ordering in ORDERINGS]
    np.random.seed(1)
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda old: generate(old.task, old.level, old.ordering, old.seed), reversed(wanted), timeout=120)
        )
    assert found == wanted[::-1]
    assert [each.to_json() for each in found] == [each.to_json() for each in wanted[::-1]]


def test_streams_of_the_splits_are_disjoint() -> None:
    theories = {
        split: {sample("status_query", 1, seed=seed, split=split).theory for seed in range(10)} for split in SPLITS
    }
    for one, other in itertools.combinations(SPLITS, 2):
        assert not theories[one] & theories[other]


def test_a_generator_that_never_succeeds_stops_with_the_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()

    def build(*_: object) -> Candidate:
        raise Rejected(f"reason_{next(calls) % 2}")

    monkeypatch.setattr(type(get_task("attack")), "build", build)
    start = time.perf_counter()
    with pytest.raises(GenerationError) as caught:
        generate("attack", 7, ORDERINGS[2], 11, "eval")
    assert time.perf_counter() - start < 10
    assert next(calls) == MAX_CANDIDATES
    message = str(caught.value)
    assert message.startswith("attack/L07/weakest_link_elitist/eval/11: no acceptable candidate")
    assert f"'reason_0': {MAX_CANDIDATES // 2}" in message


def test_rejections_are_counted_by_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(get_task("status_query"))
    build = kind.build
    reasons = iter(["b", "a", "b"])

    def grudging(self: object, level: int, ordering: str, stream: Stream) -> Candidate:
        for reason in reasons:
            raise Rejected(reason)
        return build(get_task("status_query"), level, ordering, stream)

    plain = sample("status_query", 3, seed=5)
    monkeypatch.setattr(kind, "build", grudging)
    instance = generate("status_query", 3, ORDERINGS[0], 5)
    assert dict(instance.rejections) == {**plain.rejections, "a": 1, "b": 2}
    assert list(instance.rejections) == sorted(instance.rejections)
    assert instance.theory == plain.theory


def test_an_instance_on_which_a_blind_policy_succeeds_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(get_task("attack"))
    monkeypatch.setattr(kind, "attacks", lambda self, instance: {"oracle": instance.reference})
    monkeypatch.setattr(generation, "MAX_CANDIDATES", 8)
    with pytest.raises(GenerationError, match=r"'attack_succeeds': [1-8]"):
        generate("attack", 1, ORDERINGS[0], 0)


def test_a_prompt_that_is_too_long_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "MAX_CANDIDATES", 20)
    monkeypatch.setattr(type(get_task("attack")), "prompt", lambda *_: "x" * (MAX_PROMPT_CHARACTERS + 1))
    with pytest.raises(GenerationError, match="prompt_too_long"):
        generate("attack", 1, ORDERINGS[0], 0)


def test_a_wrong_reference_is_the_generators_error_and_not_an_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(get_task("status_query"))
    build = kind.build

    def careless(self: object, level: int, ordering: str, stream: Stream) -> Candidate:
        candidate = build(get_task("status_query"), level, ordering, stream)
        wrong = candidate.reference.replace("justified", "overruled", 1)
        return Candidate(candidate.theory, candidate.question, wrong + "\nextra: justified extra")

    monkeypatch.setattr(kind, "build", careless)
    with pytest.raises(GenerationError, match="the reference scores"):
        generate("status_query", 1, ORDERINGS[0], 0)


def test_structure_counts_what_the_theory_and_its_state_have() -> None:
    theory = Theory.parse(
        "[premise: a]\n[premise: -a]\n[axiom: b]\n[strict s: b -> c]\n[defeasible r: a => d]\n[defeasible u: c => -r]\n"
        "[prefer_premise: -a > a]\n[prefer_rule: u > r]"
    )
    assert structure(theory, evaluate(theory, ORDERINGS[0])) == {
        "premises": 2,
        "axioms": 1,
        "strict_rules": 1,
        "defeasible_rules": 2,
        "preferences": 2,
        "arguments": 6,
        "attacks": 3,
        "defeats": 3,
        "depth": 2,
    }


def test_the_registry_names_its_tasks() -> None:
    assert tuple(REGISTRY) == TASKS
    for name, task in REGISTRY.items():
        assert task.name == name
        assert get_task(name) is task
        assert len(task.levels) == 15
        assert task.summary
        assert "\n" not in task.summary
