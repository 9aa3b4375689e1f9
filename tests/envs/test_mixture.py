"""The mixture: tasks, levels and orderings by weight, with the contract of the environments that it is made of."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from contextlib import closing
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import arggym_env as ag
from arggym_env.envs.mixture import MIXTURE_TASKS, MixtureEnv
from arggym_env.logihard.base import ask
from arggym_env.logihard.hardening import harden

QUICK: dict[str, Any] = {
    "weights": {"attack": 2, "status_query": 1, "logihard_base": 1, "logihard_combinatorial": 2},
    "level": [1, 2],
    "logihard": {"family": ["knights", "propositional"], "tier": ["medium", "expert"]},
}


def made(**kwargs: Any) -> tuple[gym.Env[str, str], MixtureEnv]:
    """Return the environment as ``gymnasium.make`` wraps it, and what is inside."""
    env: gym.Env[str, str] = gym.make(ag.MIXTURE_ENV_ID, **{**QUICK, **kwargs})
    assert isinstance(env.unwrapped, MixtureEnv)
    return env, env.unwrapped


def infos_of(env: gym.Env[str, str], count: int) -> list[dict[str, Any]]:
    return [env.reset(seed=seed)[1] for seed in range(count)]


def answer(env: MixtureEnv) -> str:
    return f"<answer>\n{env.instance.reference}\n</answer>"


@pytest.mark.parametrize("render_mode", [None, "ansi", "human", "svg"])
def test_gymnasiums_checker_finds_nothing_to_warn_about(render_mode: str | None) -> None:
    check_env(made(render_mode=render_mode)[1])


def test_tasks_come_by_weight_and_every_reference_earns_one() -> None:
    env, inner = made()
    counts: Counter[str] = Counter()
    for seed in range(240):
        prompt, info = env.reset(seed=seed)
        assert prompt == inner.instance.prompt
        counts[info["task"]] += 1
        _, reward, terminated, _, step_info = env.step(answer(inner))
        assert (reward, terminated, step_info["success"], step_info["reason"]) == (1.0, True, True, "correct")
    assert set(counts) == set(QUICK["weights"])
    for task, weight in QUICK["weights"].items():  # four standard errors
        assert abs(counts[task] - 40 * weight) < 32


def test_infos_are_those_of_the_question_s_own_environment() -> None:
    env, inner = made()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        task = info["task"]
        if task in ag.TASKS:
            own: gym.Env[str, str] = gym.make(f"ArgGYM/{task}-v0")
        else:
            own = gym.make(f"LogiHard/{task.removeprefix('logihard_')}-v0", family="knights")
        assert own.reset(options={"instance": inner.instance})[1] == info
        assert set(own.step("x")[4]) == set(env.step("x")[4])


def test_by_default_every_task_of_arggym_is_asked_equally() -> None:
    assert MixtureEnv().weights == dict.fromkeys(ag.TASKS, 1.0)
    assert (tuple(MixtureEnv().levels), tuple(MixtureEnv().orderings)) == (ag.LEVELS, ag.ORDERINGS)
    assert set(MIXTURE_TASKS) == {*ag.TASKS, "logihard_base", "logihard_combinatorial"}


@pytest.mark.parametrize("level", [{1: 3, 2: 1}, [1, 1, 1, 2], {"1": 0.75, "2": 0.25, "15": 0}], ids=str)
def test_levels_come_by_weight(level: Any) -> None:
    env, inner = made(weights={"status_query": 1}, level=level)
    counts = Counter(info["level"] for info in infos_of(env, 120))
    assert set(counts) == {1, 2}
    assert 70 < counts[1] < 110
    assert set(inner.levels) == {1, 2}


def test_orderings_come_by_weight() -> None:
    env, _ = made(weights={"status_query": 1}, ordering={ag.ORDERINGS[0]: 1, ag.ORDERINGS[3]: 3})
    counts = Counter(info["ordering"] for info in infos_of(env, 120))
    assert set(counts) == {ag.ORDERINGS[0], ag.ORDERINGS[3]}
    assert 70 < counts[ag.ORDERINGS[3]] < 110


def test_logihard_s_arguments_reach_its_environments() -> None:
    logihard = {"family": "selection", "level": 3, "tier": "hard", "sampler": "paper"}
    env, _ = made(weights={"logihard_base": 1, "logihard_combinatorial": 1}, logihard=logihard, split="eval")
    for info in infos_of(env, 12):
        assert (info["family"], info["level"], info["split"]) == ("selection", 3, "eval")
        if info["task"] == "logihard_combinatorial":
            assert (info["tier"], info["sampler"]) == ("hard", "paper")


def test_seeded_resets_repeat_and_so_do_the_unseeded_ones_after_them() -> None:
    (first, _), (second, _) = made(), made()
    prompts = [first.reset(seed=7)[0], *(first.reset()[0] for _ in range(6))]
    assert [second.reset(seed=7)[0], *(second.reset()[0] for _ in range(6))] == prompts
    assert len(set(prompts)) == 7


def test_the_draws_of_reset_are_the_same_with_every_numpy_version() -> None:
    env, _ = made()
    found = [env.reset(seed=7)[1], env.reset()[1]]
    assert [(info["task"], info["level"], info["seed"]) for info in found] == [
        ("logihard_base", 3, 2579038177319724605),
        ("attack", 2, 7100543587836151208),
    ]


def test_options_fix_the_task_and_do_not_shift_later_draws() -> None:
    env, inner = made()
    env.reset(seed=11)
    after = env.reset()[0]
    ordering = ag.ORDERINGS[2]
    fixed = {"task": "defence", "level": 3, "ordering": ordering, "seed": 0}
    assert env.reset(seed=11, options=fixed)[1]["task"] == "defence"
    assert inner.instance.to_json() == ag.generate("defence", 3, ordering, 0).to_json()
    assert env.reset()[0] == after
    env.reset(options={"task": "logihard_combinatorial", "family": "knights", "level": 2, "tier": "hard", "seed": 4})
    hardened = harden(ag.logihard.generate_atomic("knights", 2, 4), "hard", 4)
    assert inner.instance.to_json() == hardened.to_json()
    assert env.reset(seed=3, options={"seed": 5})[1]["seed"] == 5


def test_stored_questions_of_all_kinds_can_be_played() -> None:
    env, inner = made()
    mcq = ag.logihard.generate_atomic("knights", 1, 5, "eval")
    for instance in (ag.generate("defence", 2, ag.ORDERINGS[0], 5, "eval"), ask(mcq, 5), harden(mcq, "easy", 5)):
        assert env.reset(options={"instance": instance})[0] == instance.prompt
        assert env.step(answer(inner))[1] == 1.0


@pytest.mark.parametrize("reward", ["native", "success", "corrected"])
def test_the_reward_is_the_chosen_one_of_three(reward: Any) -> None:
    env, inner = made(reward=reward)
    for seed in range(8):
        for completion in (answer(inner) if seed else "x", "<answer>\nundecided\n</answer>"):
            env.reset(seed=seed)
            _, paid, _, _, info = env.step(completion)
            assert paid == float(info[reward])


def test_a_specification_survives_json_with_its_weights() -> None:
    env, inner = made(level={1: 3, 2: 1})
    assert env.spec is not None
    text = env.spec.to_json()
    again: gym.Env[str, str] = gym.make(gym.envs.registration.EnvSpec.from_json(text))
    for seed in range(4):
        assert env.reset(seed=seed)[0] == again.reset(seed=seed)[0]
        assert again.step(answer(inner))[1] == 1.0
    assert json.loads(text)["kwargs"]["weights"] == QUICK["weights"]


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_a_copy_made_in_mid_episode_goes_on_in_the_same_way(duplicate: Any) -> None:
    env, inner = made()
    env.reset(seed=9)
    twin = duplicate(env)
    assert twin.step(answer(inner))[1] == env.step(answer(inner))[1] == 1.0
    assert twin.reset()[0] == env.reset()[0]


def test_vector_environments_mix_too() -> None:
    with closing(gym.make_vec(ag.MIXTURE_ENV_ID, num_envs=6, **QUICK)) as envs:
        assert isinstance(envs, SyncVectorEnv)
        _, infos = envs.reset(seed=0)
        assert len(set(infos["task"])) > 1
        answers = tuple(f"<answer>\n{instance.reference}\n</answer>" for instance in envs.get_attr("instance"))
        assert envs.step(answers)[1].tolist() == [1.0] * 6


BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown task": ({"weights": {"atack": 1}}, "task 'atack' is not one of"),
    "no weights": ({"weights": {}}, "holds nothing of positive weight"),
    "only zeros": ({"weights": {"attack": 0}}, "holds nothing of positive weight"),
    "a negative weight": ({"weights": {"attack": -1}}, "the weight of 'attack' is -1, not a number from 0"),
    "an infinite weight": ({"weights": {"attack": float("inf")}}, "is inf, not a number from 0"),
    "a weight that is text": ({"weights": {"attack": "2"}}, "is '2', not a number from 0"),
    "a list of tasks": ({"weights": ["attack"]}, "is not a mapping to weights"),
    "level 16": ({"level": {16: 1}}, "level 16 is not in 1..15"),
    "no levels": ({"level": []}, "holds nothing of positive weight"),
    "a misspelt ordering": ({"ordering": ["last-link"]}, "ordering 'last-link' is not one of"),
    "an unknown argument of LogiHard": ({"logihard": {"tiers": 1}}, "logihard argument 'tiers' is not one of"),
    "a bad tier": ({"logihard": {"tier": "x"}}, "tier 'x' is not one of"),
    "unknown split": ({"split": "test"}, "split 'test' is not one of"),
    "unknown reward": ({"reward": "exact"}, "reward 'exact' is not one of 'native'"),
    "unknown engine": ({"engine": "fast"}, "engine 'fast' is not one of"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_a_bad_argument_is_one_clear_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ag.CoordinateError, match=message):
        MixtureEnv(**arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lvl": 1}, "reset option 'lvl' is not one of"),
        ({"level": 1}, "reset option 'level' goes with the option 'task'"),
        ({"task": "x"}, "task 'x' is not one of"),
        ({"task": "attack", "level": 16}, "level 16 is not in 1..15"),
        ({"task": "attack", "tier": "hard"}, "reset option 'tier' is not one of 'level'"),
        ({"seed": -1}, "seed -1 is not an integer"),
        ({"instance": "row"}, "is str, not an instance"),
    ],
    ids=str,
)
def test_a_bad_reset_option_is_one_clear_error_and_changes_nothing(options: dict[str, Any], message: str) -> None:
    env, inner = made()
    env.reset(seed=4)
    before = inner.instance
    with pytest.raises(ag.CoordinateError, match=message):
        env.reset(seed=5, options=options)
    assert inner.instance is before
    after = env.reset()[0]
    env.reset(seed=4)
    assert env.reset()[0] == after


def test_an_episode_has_one_step() -> None:
    env, inner = made()
    env.reset(seed=0)
    env.step("x")
    with pytest.raises(ResetNeeded):
        inner.step(answer(inner))
