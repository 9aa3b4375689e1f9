"""The policies that do not read the theory: what they answer, and that they are worth little."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import pytest

from arggym_env.engine import ORDERINGS
from arggym_env.envs.battery import all_premises_justified, constant_labels, theory_blind
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.envs.scoring import score
from arggym_env.theory import Theory
from tests.envs.samples import sample

TELLS_THE_THEORY_IN_PROSE = {"formalization"}
every_task = pytest.mark.parametrize("task", TASKS)


def test_constant_labels_answer_every_key_with_each_label_and_with_all() -> None:
    assert constant_labels(["x", "-y"], ["justified", "no stable extension"]) == {
        "all_justified": "x: justified\n-y: justified",
        "all_no_stable_extension": "x: no stable extension\n-y: no stable extension",
        "every_label": "x: justified\nx: no stable extension\n-y: justified\n-y: no stable extension",
    }


def test_premises_justified_reads_no_rule() -> None:
    theory = Theory.parse("[premise: x]\n[axiom: y]\n[defeasible r: x => -x]")
    assert (
        all_premises_justified(theory, ["x", "-x", "y", "z"])
        == "x: justified\n-x: overruled\ny: justified\nz: overruled"
    )


def test_copying_policies_copy() -> None:
    instance = sample("attack", 1)
    policies = theory_blind(instance)
    assert policies["empty"] == ""
    assert policies["echo_prompt"] == instance.prompt
    assert Theory.parse(policies["every_directive"]) == instance.theory
    assert set(policies["every_claim"].splitlines()) == instance.theory.occurring
    assert len(policies["premises_only"].splitlines()) == len(instance.theory.premises)
    assert len(policies["axiom_flood"].splitlines()) == len(instance.theory.atoms)


@every_task
def test_every_task_meets_the_policies_that_copy_text(task: str) -> None:
    instance = sample(task, 1)
    policies = get_task(task).attacks(instance)
    shown = theory_blind(instance)
    if task in TELLS_THE_THEORY_IN_PROSE:
        assert {"empty", "echo_prompt"} <= policies.keys(), "there are no directives to copy"
    else:
        assert shown.items() <= policies.items()
        assert len(policies) > len(shown), "a task has policies of its own"
    assert policies == get_task(task).attacks(instance)


@every_task
def test_no_policy_finds_its_answer_in_the_reference(task: str) -> None:
    """A policy may look at theory, question and budget; with the gold blanked out it says the same."""
    instance = sample(task, 8)
    blind = replace(instance, reference="")
    assert get_task(task).attacks(blind) == get_task(task).attacks(instance)


@every_task
def test_every_policy_fails_also_without_the_gate(task: str) -> None:
    """Policies are run as they would be written into a completion, with thinking and with the tags in the prompt."""
    for ordering in ORDERINGS[:2]:
        instance = sample(task, 3, ordering)
        for name, answer in get_task(task).attacks(instance).items():
            verdict = score(instance, f"<think>hm</think>\n<answer>\n{answer}\n</answer>")
            assert not verdict.success, name
            assert verdict.native <= instance.floor or name == "echo_prompt"


@pytest.mark.slow
@every_task
def test_floors_hold_over_the_curriculum(task: str) -> None:
    """Means over levels 1-15, four orderings, five seeds; the targets are those of spec section 6."""
    floors = [
        sample(task, level, ordering, seed).floor
        for level in range(1, 16)
        for ordering in ORDERINGS
        for seed in range(5)
    ]
    target = 0.40 if task in {"status_query", "semantics_query", "perturbation"} else 0.10
    target = {"formalization": 0.15, "defeat_diagnosis": 0.15, "claim_chain": 0.25}.get(task, target)
    assert mean(floors) <= target
