"""Vector environments: right by default, right as Gymnasium's own modes, and no hang when a worker dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import arggym_env as ag

every_environment = pytest.mark.parametrize("env_id", ag.ENV_IDS)
TWO = ("ArgGYM/status_query-v0", "ArgGYM/attack-v0")
two_environments = pytest.mark.parametrize("env_id", TWO)

# Starting processes with "spawn" works on every platform and beside other threads; "fork" does not.
SAME_STEP: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}
MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "default, asynchronous": {"asynchronous": True, "context": "spawn"},
    "sync": {"vectorization_mode": "sync", "vector_kwargs": SAME_STEP},
    "async": {
        "vectorization_mode": "async",
        "vector_kwargs": {**SAME_STEP, "shared_memory": False, "context": "spawn"},
    },
}
# Processes do not depend on the task, and cost a second each: two tasks stand for all.
every_environment_and_mode = pytest.mark.parametrize(
    ("env_id", "mode"),
    [
        pytest.param(env_id, mode, id=f"{env_id}, {name}")
        for env_id in ag.ENV_IDS
        for name, mode in MODES.items()
        if "async" not in name or env_id in TWO
    ],
)


@contextmanager
def vector(env_id: str, num_envs: int, **kwargs: Any) -> Iterator[gym.vector.VectorEnv[Any, Any, Any]]:
    with closing(gym.make_vec(env_id, num_envs=num_envs, level=[1, 2], **kwargs)) as envs:
        yield envs


def answers(prompts: tuple[str, ...], infos: dict[str, Any]) -> list[str]:
    """Return the right completion for each sub-environment, from its coordinates."""
    completions = []
    for number, prompt in enumerate(prompts):
        task, split, ordering = (str(infos[key][number]) for key in ("task", "split", "ordering"))
        instance = ag.generate(task, int(infos["level"][number]), ordering, int(infos["seed"][number]), split)
        assert instance.prompt == prompt
        completions.append(f"<answer>\n{instance.reference}\n</answer>")
    return completions


@every_environment_and_mode
def test_every_step_answers_a_question_and_brings_the_next_one(env_id: str, mode: dict[str, Any]) -> None:
    with vector(env_id, 3, **mode) as envs:
        assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        prompts, infos = envs.reset(seed=0)
        assert isinstance(prompts, tuple)
        assert len(set(prompts)) == 3
        for _ in range(2):
            completions = answers(prompts, infos)
            completions[1] = "no idea"
            new_prompts, rewards, terminated, truncated, infos = envs.step(tuple(completions))
            assert rewards.tolist() == [1.0, 0.0, 1.0]
            assert terminated.tolist() == [True] * 3
            assert truncated.tolist() == [False] * 3
            assert list(infos["final_obs"]) == list(prompts)
            assert list(infos["final_info"]["reason"]) == ["correct", "no_answer", "correct"]
            assert infos["final_info"]["success"].tolist() == [True, False, True]
            assert not set(new_prompts) & set(prompts)
            prompts = new_prompts


@two_environments
def test_all_modes_ask_the_same_questions(env_id: str) -> None:
    asked = []
    for mode in MODES.values():
        with vector(env_id, 2, **mode) as envs:
            first, _ = envs.reset(seed=5)
            following = envs.step(("x", "y"))[0]
            asked.append((first, following))
    assert asked.count(asked[0]) == len(MODES)


@every_environment
def test_sub_environments_are_seeded_one_by_one(env_id: str) -> None:
    with vector(env_id, 2) as envs:
        prompts, infos = envs.reset(seed=[4, 4])  # type: ignore[arg-type]
        assert prompts[0] == prompts[1]
        assert infos["seed"].dtype == np.int64
        single = ag.ArgumentationEnv(str(infos["task"][0]), level=[1, 2])
        assert single.reset(seed=4)[0] == prompts[0]
        assert int(infos["seed"][0]) == single.instance.seed


@two_environments
def test_the_default_is_synchronous_and_can_be_asynchronous(env_id: str) -> None:
    with vector(env_id, 2) as envs:
        assert isinstance(envs, SyncVectorEnv)
        assert envs.get_attr("instance") if envs.reset(seed=0) else False
    with vector(env_id, 2, **MODES["default, asynchronous"]) as envs:
        assert isinstance(envs, AsyncVectorEnv)


@every_environment
def test_actions_can_be_sampled_and_belong_to_the_action_space(env_id: str) -> None:
    with vector(env_id, 2) as envs:
        envs.action_space.seed(0)
        actions = envs.action_space.sample()
        assert actions in envs.action_space
        envs.reset(seed=0)
        assert envs.step(actions)[1].tolist() == [0.0, 0.0]


def test_shared_memory_is_refused_rather_than_garbled() -> None:
    with pytest.raises(ValueError, match="shared_memory=False"):
        gym.make_vec(ag.ENV_IDS[0], num_envs=2, vectorization_mode="async")


def test_a_bad_argument_is_the_same_clear_error() -> None:
    with pytest.raises(ag.CoordinateError, match="level 16 is not in"):
        gym.make_vec(ag.ENV_IDS[0], num_envs=2, level=16)


def test_a_dead_worker_is_an_error_and_not_a_hang() -> None:
    with vector(ag.ENV_IDS[0], 2, **MODES["default, asynchronous"]) as envs:
        assert isinstance(envs, AsyncVectorEnv)
        envs.reset(seed=0)
        envs.processes[0].kill()
        envs.processes[0].join(timeout=10)
        with pytest.raises((EOFError, OSError)):
            envs.step(("x", "y"))
        envs.close(terminate=True)
