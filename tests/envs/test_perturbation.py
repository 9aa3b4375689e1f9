"""perturbation: the claims whose status an update changes, with their new status."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from statistics import mean

import pytest

from arggym_env.coordinates import Coordinates
from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.gates import switched
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.perturbation import LEVELS, TASK, prompt
from arggym_env.envs.question import expect
from arggym_env.envs.scoring import score
from arggym_env.envs.update import UpdateQuestion, changes, claims_of, reached, updated
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.theory import Theory

CELLS = [(level, ordering) for level in range(1, 16) for ordering in ORDERINGS]
IDS = [Coordinates("perturbation", level, ordering, "train", 0).id for level, ordering in CELLS]
each_cell = pytest.mark.parametrize(("level", "ordering"), CELLS, ids=IDS)


@cache
def instance_of(level: int, ordering: str, seed: int = 0) -> Instance:
    return generate("perturbation", level, ordering, seed)


def question_of(instance: Instance) -> UpdateQuestion:
    return expect(UpdateQuestion, instance.question)


def gold_of(instance: Instance) -> dict[str, str]:
    return dict(line.split(": ") for line in instance.reference.splitlines())


def changes_under(instance: Instance, ordering: str, engine: str = "native") -> dict[str, str]:
    after = updated(instance.theory, question_of(instance))
    return changes(evaluate(instance.theory, ordering, engine=engine), evaluate(after, ordering, engine=engine))


def native(instance: Instance, answer: Mapping[str, str]) -> float:
    lines = "\n".join(f"{claim}: {status}" for claim, status in answer.items())
    return score(instance, f"<answer>{lines}</answer>").native


# What every instance is


@each_cell
def test_the_reference_is_the_difference_of_the_two_evaluations_and_scores_one(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    before = evaluate(instance.theory, ordering)
    after = evaluate(updated(instance.theory, question_of(instance)), ordering)
    expected = {
        literal: after.status(literal)
        for literal in instance.theory.occurring
        if literal.removeprefix("-") in instance.theory.atoms and before.status(literal) != after.status(literal)
    }
    assert gold_of(instance) == expected
    assert before.is_consistent
    assert after.is_consistent
    assert score(instance, f"<answer>{instance.reference}</answer>").success


@each_cell
def test_claims_change_to_several_statuses_and_claims_that_look_affected_survive(level: int, ordering: str) -> None:
    instance, rung = instance_of(level, ordering), LEVELS[level - 1]
    gold = gold_of(instance)
    survivors = reached(instance.theory, question_of(instance)) - gold.keys()
    assert len(gold) >= rung.changes >= 1
    assert len(set(gold.values())) >= rung.statuses
    assert len(survivors) >= rung.survivors >= 1
    assert gold.keys() <= reached(instance.theory, question_of(instance))


@each_cell
def test_the_answer_depends_on_the_link_principle(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    assert changes_under(instance, switched(ordering).principle) != gold_of(instance)
    statuses = evaluate(instance.theory, ordering).statuses()
    assert statuses != evaluate(instance.theory, switched(ordering).principle).statuses()
    assert statuses != evaluate(instance.theory, switched(ordering).lift).statuses()


def test_the_answer_depends_on_the_set_ordering_on_most_instances() -> None:
    assert mean(instance_of(*cell).stats["lift_changes_answer"] for cell in CELLS) > 0.6


@each_cell
def test_nothing_changes_beyond_what_the_update_reaches_under_any_ordering(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    for other in ORDERINGS:
        assert changes_under(instance, other).keys() <= reached(instance.theory, question_of(instance))


@each_cell
def test_the_update_touches_only_what_the_theory_states(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    question, lines = question_of(instance), set(map(str, instance.theory.directives))
    assert set(question.retracted) <= lines
    assert not lines & set(question.added)
    updated(instance.theory, question)


def test_updates_add_at_some_low_levels_retract_at_others_and_do_both_from_a_middle_level_on() -> None:
    kinds: dict[bool, set[tuple[bool, bool]]] = defaultdict(set)
    for level, ordering in CELLS:
        question = question_of(instance_of(level, ordering))
        kinds[LEVELS[level - 1].mixed].add((bool(question.added), bool(question.retracted)))
    assert kinds[False] == {(True, False), (False, True)}
    assert kinds[True] == {(True, True)}


def test_updates_state_and_retract_every_kind_of_directive_that_they_may() -> None:
    added: Counter[str] = Counter()
    retracted: Counter[str] = Counter()
    for cell in CELLS:
        question = question_of(instance_of(*cell))
        added.update(line.split()[0].strip("[:") for line in question.added)
        retracted.update(line.split()[0].strip("[:") for line in question.retracted)
    assert {"premise", "defeasible", "prefer_rule"} <= added.keys()
    assert {"premise", "defeasible", "prefer_rule"} <= retracted.keys()


def test_changes_reach_beyond_what_the_update_names() -> None:
    """Cascades: most changed claims are over atoms that the update does not mention."""
    shares = []
    for cell in CELLS:
        instance = instance_of(*cell)
        text = " ".join((*question_of(instance).added, *question_of(instance).retracted))
        gold = gold_of(instance)
        shares.append(mean(claim.removeprefix("-") in text for claim in gold))
    assert mean(shares) < 0.4


@pytest.mark.parametrize("level", [1, 3, 5])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_oracle_finds_the_same_changes(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    assert changes_under(instance, ordering, engine="pyarg") == gold_of(instance)


@pytest.mark.slow
@each_cell
def test_the_oracle_finds_the_same_changes_at_every_level(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering, 1)
    assert changes_under(instance, ordering, engine="pyarg") == gold_of(instance)


# The curriculum


def test_structure_grows_over_the_levels() -> None:
    names = ("arguments", "attacks", "depth", "changed", "survivors")
    numbers = defaultdict(list)
    for level, ordering in CELLS:
        for name in names:
            numbers[name, (level - 1) // 5].append(instance_of(level, ordering).stats[name])
    for name in names:
        low, middle, high = (mean(numbers[name, band]) for band in range(3))
        assert low < middle < high, name


def test_the_level_table_never_shrinks() -> None:
    for name in ("sites", "idle", "mixed", "size", "depth", "changes", "survivors", "statuses"):
        column = [getattr(level, name) for level in LEVELS]
        assert column == sorted(column), name
    assert len(LEVELS) == 15
    assert 60 <= LEVELS[-1].arguments[0] <= LEVELS[-1].arguments[1] <= 150


def test_new_statuses_are_balanced() -> None:
    counts = Counter(status for cell in CELLS for status in gold_of(instance_of(*cell)).values())
    assert set(counts) == set(CLAIM_STATUSES)
    assert all(0.2 < counts[status] / counts.total() < 0.5 for status in CLAIM_STATUSES)


# Answers


@each_cell
def test_wrong_answers_of_every_class_score_less_than_one(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    gold = gold_of(instance)
    first = next(iter(gold))
    unchanged = next(claim for claim in claims_of(instance.theory) if claim not in gold)
    assert native(instance, gold) == 1
    for status in set(CLAIM_STATUSES) - {gold[first]}:
        assert native(instance, {**gold, first: status}) < 1
    for status in CLAIM_STATUSES:
        assert native(instance, {**gold, unchanged: status}) < 1
    assert native(instance, {claim: status for claim, status in gold.items() if claim != first}) < 1
    old = {claim: evaluate(instance.theory, ordering).status(claim) for claim in gold}
    assert native(instance, old) == 0


def test_nothing_changes_is_never_right() -> None:
    for cell in CELLS:
        assert score(instance_of(*cell), "<answer></answer>").native == 0
        assert score(instance_of(*cell), "<answer>nothing changes</answer>").native == 0


THEORY = Theory.parse("[premise: p]\n[defeasible r: p => x]\n[defeasible s: x => y]")
ADDED, RETRACTED = "[defeasible n: p => -r]", "[defeasible s: x => y]"


def test_the_prompt_states_the_update_and_the_ordering() -> None:
    text = prompt(THEORY, UpdateQuestion((ADDED,), (RETRACTED,)), "weakest-link democratic")
    assert "weakest-link democratic" in text
    assert f"These directives are retracted:\n\n{RETRACTED}\n\n" in text
    assert f"These directives are added:\n\n{ADDED}\n\n" in text
    assert "go all preferences that name it" in text


def test_a_prompt_says_nothing_of_the_kind_of_update_that_does_not_occur() -> None:
    assert "retracted" not in prompt(THEORY, UpdateQuestion((ADDED,), ()), ORDERINGS[0])
    assert "are added" not in prompt(THEORY, UpdateQuestion((), (RETRACTED,)), ORDERINGS[0])


PROMISES: dict[str, tuple[Callable[[str], str], bool]] = {
    # what the prompt says: (what is done to the reference, whether it stays right)
    "a changed claim that is missing": (lambda text: text.split("\n", 1)[1], False),
    "a claim that does not change": (lambda text: text + "\nzz99: overruled", False),
    "a claim with two different statuses": (lambda text: text + "\n" + flipped(text.split("\n")[0]), False),
    "a line that cannot be read": (lambda text: text + "\nthat is all", False),
    "list bullets": (lambda text: "\n".join(f"- {line}" for line in text.split("\n")), True),
    "blank lines": (lambda text: text.replace("\n", "\n\n"), True),
}


def flipped(line: str) -> str:
    claim, status = line.split(": ")
    return f"{claim}: {'justified' if status != 'justified' else 'overruled'}"


@pytest.mark.parametrize("promise", PROMISES)
def test_the_prompt_states_what_the_score_does(promise: str) -> None:
    change, right = PROMISES[promise]
    for level in (1, 8, 15):
        instance = instance_of(level, ORDERINGS[0])
        assert promise in instance.prompt
        assert score(instance, f"<answer>{change(instance.reference)}</answer>").success == right


def test_the_prompt_shows_the_original_theory_and_not_the_answer() -> None:
    for cell in CELLS[::7]:
        instance = instance_of(*cell)
        assert str(instance.theory) in instance.prompt
        assert not any(line in instance.prompt for line in instance.reference.splitlines())


def test_the_question_survives_json() -> None:
    instance = instance_of(6, ORDERINGS[2])
    assert Instance.from_json(instance.to_json()) == instance


# Policies that do not evaluate the theory


def test_no_attack_succeeds_and_the_mean_floor_is_far_below_the_bound() -> None:
    floors = []
    for cell in CELLS:
        instance = instance_of(*cell)
        scores = [score(instance, f"<answer>{answer}</answer>") for answer in TASK.attacks(instance).values()]
        assert not any(verdict.success for verdict in scores)
        assert max(verdict.native for verdict in scores) == instance.floor
        floors.append(instance.floor)
    assert mean(floors) <= 0.3


@pytest.mark.parametrize("status", [*CLAIM_STATUSES, "flipped"])
def test_calling_everything_that_the_update_reaches_changed_fails(status: str) -> None:
    """A policy that follows rules and conflicts but not statuses never succeeds: there are survivors."""
    natives = []
    for cell in CELLS:
        instance = instance_of(*cell)
        before = evaluate(instance.theory, instance.ordering)
        answer = {
            claim: ("overruled" if before.status(claim) == "justified" else "justified")
            if status == "flipped"
            else status
            for claim in reached(instance.theory, question_of(instance))
        }
        natives.append(native(instance, answer))
    assert max(natives) < 1
    assert mean(natives) < 0.55
