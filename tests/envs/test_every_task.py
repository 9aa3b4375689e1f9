"""What every task owes its users. A task is tested by being registered; its own tests hold what only it promises."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import re
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean

import pytest

import arggym_env as ag
from arggym_env.coordinates import SPLITS
from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs import codec
from arggym_env.envs.generation import MAX_PROMPT_CHARACTERS, generate, structure
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.envs.scoring import corrected, score
from arggym_env.errors import TheoryError
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory, canonical_hash
from tests.envs.hostile import HOSTILE
from tests.envs.samples import sample, samples

LEVELS = (1, 8, 15)
TELLS_THE_THEORY_IN_PROSE = {"formalization"}
BEHAVIOUR_IS_ENOUGH = {"formalization"}
"""Tasks in which another answer than the reference may be right although a line is missing."""

every_task = pytest.mark.parametrize("task", TASKS)
every_cell = pytest.mark.parametrize(
    ("task", "level"), [(task, level) for task in TASKS for level in LEVELS], ids=lambda value: str(value)
)


def answered(text: str) -> str:
    return f"<think>\nlet me see\n</think>\nSo:\n<answer>\n{text}\n</answer>"


def is_right(verdict: Score) -> bool:
    return verdict.native == 1.0 and verdict.success and verdict.answer_found and verdict.reason is Reason.CORRECT


@every_cell
def test_the_reference_is_right_under_the_native_engine(task: str, level: int) -> None:
    for instance in samples(task, level):
        assert is_right(score(instance, answered(instance.reference))), instance.id
        assert corrected(1.0, instance.floor) == 1.0


@every_cell
def test_the_oracle_engine_gives_the_same_scores(task: str, level: int) -> None:
    instance = sample(task, level, ORDERINGS[LEVELS.index(level)])
    first_line = instance.reference.splitlines()[0]
    for answer in (instance.reference, first_line):
        native, oracle = (score(instance, answered(answer), engine=engine) for engine in ("native", "pyarg"))
        assert native == oracle, instance.id
    assert is_right(score(instance, answered(instance.reference), engine="pyarg"))


@pytest.mark.slow
@every_task
def test_the_reference_is_right_at_every_level_under_both_engines(task: str) -> None:
    for level, ordering in itertools.product(range(1, 16), ORDERINGS):
        instance = sample(task, level, ordering, seed=1)
        for engine in ("native", "pyarg"):
            assert is_right(score(instance, answered(instance.reference), engine=engine)), (instance.id, engine)


@every_cell
def test_layout_that_the_prompt_forgives_costs_nothing(task: str, level: int) -> None:
    instance = sample(task, level)
    assert "blank lines, list bullets and code fences inside it are ignored" in " ".join(instance.prompt.split())
    lines = instance.reference.splitlines()
    for text in (
        "\n\n".join(lines),
        "\r\n".join(lines),
        "\n".join(f"- {line}" for line in lines),
        "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1)),
        "```\n" + instance.reference + "\n```",
        "\n".join(f"   {line}\t" for line in lines),
        "- \n" + instance.reference + "\n-",
        instance.reference.replace("-", "\u2212"),
    ):
        assert is_right(score(instance, answered(text))), text
    assert is_right(score(instance, f"<answer>{instance.reference}</answer>"))
    assert is_right(score(instance, f"<answer>junk</answer> no: <answer>{instance.reference}</answer> done"))


@every_cell
def test_an_answer_that_lacks_a_line_or_has_a_line_of_junk_is_not_right(task: str, level: int) -> None:
    for instance in samples(task, level):
        lines = instance.reference.splitlines()
        for text in ("\n".join(lines[1:]), "\n".join(lines[:-1])):
            verdict = score(instance, answered(text))
            assert verdict.native < 1.0
            assert not verdict.success or task in BEHAVIOUR_IS_ENOUGH
        verdict = score(instance, answered(f"{instance.reference}\nand that is my answer"))
        assert not verdict.success
        assert verdict.native < 1.0


@every_task
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_earn_nothing_quickly(
    task: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for level, ordering in ((1, ORDERINGS[1]), (15, ORDERINGS[2])):
        instance = sample(task, level, ordering)
        start = time.process_time()
        verdicts = [score(instance, HOSTILE[name]), score(instance, f"<answer>{HOSTILE[name]}</answer>")]
        assert time.process_time() - start < 3
        for verdict in verdicts:
            assert 0.0 <= verdict.native <= instance.floor or verdict.native == 0.0
            assert not verdict.success
            assert verdict.reason is not Reason.CORRECT
            assert len(str(verdict.detail)) < 40_000
        assert verdicts[0].native == 0.0
    assert not list(tmp_path.iterdir())


@every_task
@pytest.mark.parametrize(
    "completion", [None, 3, b"<answer></answer>", ["x"], float("nan"), object()], ids=lambda value: type(value).__name__
)
def test_completions_that_are_no_text_score_zero(task: str, completion: object) -> None:
    verdict = score(sample(task, 1), completion)
    assert (verdict.native, verdict.success, verdict.answer_found) == (0.0, False, False)
    assert verdict.reason is Reason.NOT_TEXT


@every_task
def test_an_answer_in_the_thoughts_or_cut_off_does_not_count(task: str) -> None:
    instance = sample(task, 1)
    reference = instance.reference
    for completion in (
        reference,
        f"<think><answer>{reference}</answer></think>",
        f"<think><answer>{reference}</answer>",
        f"<answer>{reference}",
        f"{reference}</answer>",
        f"<answer>{reference}</answer></think> and then nothing",
        f"<answer>{reference}</answer><answer></answer>",
    ):
        verdict = score(instance, completion)
        assert (verdict.native, verdict.success, verdict.answer_found) == (0.0, False, False), completion[:40]
    wrong_after_right = score(instance, f"<think><answer>{reference}</answer></think><answer>junk</answer>")
    assert not wrong_after_right.success
    assert wrong_after_right.native == 0.0


@every_cell
def test_no_policy_that_ignores_the_theory_succeeds_and_the_best_one_is_the_floor(task: str, level: int) -> None:
    for instance in samples(task, level):
        policies = get_task(task).attacks(instance)
        verdicts = {name: score(instance, f"<answer>{answer}</answer>") for name, answer in policies.items()}
        assert not [name for name, verdict in verdicts.items() if verdict.success], instance.id
        assert instance.floor == max(verdict.native for verdict in verdicts.values())
        assert 0.0 <= instance.floor < 1.0
        untagged = instance.prompt.replace("<answer>", "").replace("</answer>", "")
        for answer in (instance.prompt, untagged, *policies.values()):
            if answer.strip():
                assert not get_task(task).score(instance, answer).success


def _floor_target(task: str) -> float:
    """Return the highest mean floor that spec section 6 allows."""
    if task in {"status_query", "semantics_query", "perturbation"}:
        return 0.40
    if task in {"formalization", "defeat_diagnosis"}:
        return 0.15
    return 0.25 if task == "claim_chain" else 0.10


@every_task
def test_floors_are_low_on_average(task: str) -> None:
    """The bounds are those of the frozen suite; a sample of twelve may miss them by a little."""
    floors = [instance.floor for level in LEVELS for instance in samples(task, level)]
    assert mean(floors) <= 1.25 * _floor_target(task), floors


@every_cell
def test_the_same_coordinates_give_the_same_bytes(task: str, level: int) -> None:
    instance = sample(task, level, ORDERINGS[3])
    again = generate(task, level, ORDERINGS[3], 0)
    assert again == instance
    assert again.to_json() == instance.to_json()


@every_cell
def test_json_pickle_and_copies_give_the_instance_back(task: str, level: int) -> None:
    for instance in samples(task, level):
        again = Instance.from_json(instance.to_json())
        assert again == instance
        assert again.to_json() == instance.to_json()
        for copied in (pickle.loads(pickle.dumps(instance)), copy.deepcopy(instance)):
            assert copied == instance
            assert hash(copied) == hash(instance)


@every_task
def test_other_seeds_splits_levels_and_orderings_give_other_questions(task: str) -> None:
    first = sample(task, 1)
    others = [sample(task, 1, seed=seed) for seed in range(1, 8)]
    others += [sample(task, 1, split=split) for split in SPLITS[1:]]
    others += [sample(task, 1, ordering) for ordering in ORDERINGS[1:]]
    others += [sample(task, level) for level in (2, 8)]
    instances = [first, *others]
    assert len({instance.prompt for instance in instances}) == len(instances)
    assert len({instance.reference for instance in instances}) == len(instances)
    assert len({canonical_hash(instance.theory) for instance in instances}) == len(instances)


@pytest.mark.slow
@every_task
def test_splits_and_seeds_share_no_theory_up_to_names(task: str) -> None:
    hashes = [
        canonical_hash(sample(task, level, ordering, seed, split).theory)
        for level, ordering in ((1, ORDERINGS[0]), (2, ORDERINGS[3]))
        for split in SPLITS
        for seed in range(25)
    ]
    assert len(set(hashes)) == len(hashes)


@every_cell
def test_the_gold_is_not_in_what_the_model_is_told(task: str, level: int) -> None:
    """Single lines may be: a chain is made of lines of the theory. The reference as a whole may not."""
    for instance in samples(task, level):
        told = [instance.prompt, str(codec.encode(instance.question)), str(dict(instance.stats))]
        for text in told:
            assert instance.reference not in text
            assert instance.reference.replace("\n", "\\n") not in text
        worded = get_task(task).prompt(instance.theory, instance.question, instance.ordering)
        assert instance.prompt == worded, "the minimum and the floor take no part in the wording"


@every_task
def test_the_environment_does_not_tell_the_gold(task: str) -> None:
    env = ag.ArgumentationEnv(task, level=3)
    observation, info = env.reset(seed=5)
    reference = env.instance.reference
    assert reference not in observation
    assert reference not in str(info)
    assert "min_directives" not in str(info)
    assert "reference" not in info


def _readable_paragraphs(prompt: str) -> Iterator[Theory]:
    for paragraph in prompt.split("\n\n"):
        try:
            yield Theory.parse(paragraph)
        except TheoryError:
            continue


@every_cell
def test_the_theory_in_the_prompt_is_the_theory(task: str, level: int) -> None:
    for instance in samples(task, level):
        if task in TELLS_THE_THEORY_IN_PROSE:
            assert not [line for line in str(instance.theory).splitlines() if line in instance.prompt]
        else:
            assert next(_readable_paragraphs(instance.prompt)) == instance.theory


@every_cell
def test_the_prompt_names_its_ordering_and_the_answer_region(task: str, level: int) -> None:
    for instance in samples(task, level):
        prompt = instance.prompt
        assert instance.ordering in prompt
        assert not [other for other in ORDERINGS if other != instance.ordering and other in prompt]
        assert "<answer>" in prompt
        assert "</answer>" in prompt
        assert ("elitist" in prompt) != ("democratic" in prompt)
        assert instance.id not in prompt
        assert "level" not in prompt.lower().replace("levels", "level") or task in TELLS_THE_THEORY_IN_PROSE
        assert prompt.isascii()
        assert prompt == prompt.strip()


@every_cell
def test_prompts_fit_a_training_context(task: str, level: int) -> None:
    for instance in samples(task, level):
        assert len(instance.prompt) < MAX_PROMPT_CHARACTERS == 12_000


@pytest.mark.slow
@every_task
def test_prompts_fit_a_training_context_at_every_level(task: str) -> None:
    for level in range(1, 16):
        assert max(len(instance.prompt) for instance in samples(task, level, seeds=3)) < 12_000


@every_cell
def test_recorded_numbers_are_those_of_the_theory(task: str, level: int) -> None:
    for instance in samples(task, level):
        recomputed = structure(instance.theory, evaluate(instance.theory, instance.ordering))
        assert recomputed == {name: instance.stats[name] for name in recomputed}
        assert instance.stats["prompt_characters"] == len(instance.prompt)
        assert all(count >= 0 for count in instance.stats.values())
        assert all(count > 0 for count in instance.rejections.values())


@every_cell
def test_the_oracle_engine_sees_the_same_structure(task: str, level: int) -> None:
    instance = sample(task, level, ORDERINGS[2])
    oracle = evaluate(instance.theory, instance.ordering, engine="pyarg")
    assert structure(instance.theory, oracle) == {
        name: instance.stats[name] for name in structure(instance.theory, oracle)
    }
    assert oracle.statuses() == evaluate(instance.theory, instance.ordering).statuses()


@every_cell
def test_generated_names_are_two_letters_and_a_digit_in_every_role(task: str, level: int) -> None:
    for instance in samples(task, level):
        names = {*instance.theory.atoms, *instance.theory.rule_names}
        assert all(re.fullmatch(r"[a-z]{2}[0-9]", name) for name in names)


@every_task
def test_goals_stand_anywhere_in_the_theory(task: str) -> None:
    """The rules for a goal are neither always first nor always last."""
    places: list[float] = []
    for level in LEVELS:
        for instance in samples(task, level):
            if isinstance(instance.question, GoalQuestion):
                goals = {goal.literal for goal in instance.question.goals}
                rules = instance.theory.rules
                places += [index / (len(rules) - 1) for index, rule in enumerate(rules) if rule.consequent in goals]
    if places:
        assert 0.35 < mean(places) < 0.65
        assert min(places) < 0.2
        assert max(places) > 0.8


@every_cell
def test_a_recorded_minimum_is_the_size_of_the_reference(task: str, level: int) -> None:
    for instance in samples(task, level):
        lines = instance.reference.splitlines()
        assert len(set(lines)) == len(lines)
        if isinstance(instance.question, GoalQuestion):
            assert instance.min_directives == len(lines)
        else:
            assert instance.min_directives is None


@every_task
def test_threads_give_the_scores_of_the_main_thread(task: str) -> None:
    work = [(instance, answered(answer)) for instance in samples(task, 1) for answer in (instance.reference, "junk")]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda pair: score(*pair), work)) == [score(*pair) for pair in work]


def _natives(row: str) -> list[float]:
    instance = Instance.from_json(row)
    return [score(instance, answered(answer)).native for answer in (instance.reference, "junk", instance.prompt)]


@pytest.mark.slow
def test_a_spawned_process_gives_the_scores_of_this_one() -> None:
    rows = [sample(task, 8).to_json() for task in TASKS]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(_natives, rows)) == [_natives(row) for row in rows]


@every_task
def test_scores_are_finite_floats_that_survive_pickling(task: str) -> None:
    instance = sample(task, 8)
    for answer in (instance.reference, "junk", instance.reference.splitlines()[0], instance.prompt):
        verdict = score(instance, answered(answer))
        assert type(verdict.native) is float
        assert type(verdict.success) is bool
        assert math.isfinite(verdict.native)
        assert pickle.loads(pickle.dumps(verdict)) == verdict
