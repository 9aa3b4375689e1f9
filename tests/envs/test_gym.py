"""Every registered environment keeps Gymnasium's contract, and the promises of its docstring."""

from __future__ import annotations

import copy
import gc
import json
import math
import pickle
import time
import tracemalloc
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import arggym_env as ag
from arggym_env.envs.gym_env import OPTIONS, REWARDS
from arggym_env.envs.scoring import corrected
from arggym_env.envs.single_step import pick

RESET_KEYS = {"instance_id", "task", "level", "ordering", "split", "seed", "floor", "prompt_characters"}
STEP_KEYS = RESET_KEYS | {"native", "success", "corrected", "answer_found", "reason", "score"}

every_environment = pytest.mark.parametrize("env_id", ag.ENV_IDS)
every_task = pytest.mark.parametrize("task", ag.TASKS)


def easy(task: str, **kwargs: Any) -> ag.ArgumentationEnv:
    """Return an environment of early levels, where resets are quick."""
    return ag.ArgumentationEnv(task, **{"level": [1, 2, 3], **kwargs})


def right_answer(env: ag.ArgumentationEnv) -> str:
    return f"<think>\nlet me see\n</think>\n<answer>\n{env.instance.reference}\n</answer>"


def made(env_id: str, **kwargs: Any) -> tuple[gym.Env[str, str], ag.ArgumentationEnv]:
    """Return an environment as ``gymnasium.make`` wraps it, and what is inside."""
    env: gym.Env[str, str] = gym.make(env_id, **kwargs)
    assert isinstance(env.unwrapped, ag.ArgumentationEnv)
    return env, env.unwrapped


@every_environment
@pytest.mark.parametrize("render_mode", [None, "ansi", "human", "svg"])
def test_gymnasiums_checker_finds_nothing_to_warn_about(env_id: str, render_mode: str | None) -> None:
    check_env(made(env_id, level=[1, 2, 3], render_mode=render_mode)[1])


@every_environment
def test_the_reference_earns_one_and_ends_the_episode(env_id: str) -> None:
    env, inner = made(env_id, level=4)
    prompt, _ = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(right_answer(inner))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert type(reward) is float
    assert observation == prompt
    assert info["success"] is True
    assert info["reason"] == "correct"


@every_environment
def test_a_module_prefix_registers_the_environments_on_the_way(env_id: str) -> None:
    env: gym.Env[str, str] = gym.make(f"arggym_env:{env_id}", level=1)
    assert env.spec is not None
    assert env.spec.id == env_id


@every_task
def test_seeded_resets_repeat_and_so_do_the_unseeded_ones_after_them(task: str) -> None:
    first, second = easy(task), easy(task)
    prompts = [first.reset(seed=7)[0] for _ in range(3)]
    assert len(set(prompts)) == 1
    following = [first.reset()[0], first.reset()[0]]
    assert [second.reset(seed=7)[0], second.reset()[0], second.reset()[0]] == [prompts[0], *following]
    assert len({prompts[0], *following}) == 3
    assert first.reset(seed=8)[0] != prompts[0]


def test_the_draws_of_reset_are_the_same_with_every_numpy_version() -> None:
    env = ag.ArgumentationEnv(ag.TASKS[0], level=[1, 2, 3, 4])
    draws = []
    for seed in (7, None):
        _, info = env.reset(seed=seed)
        draws.append((info["level"], info["ordering"], info["seed"]))
    assert draws == [
        (3, "weakest-link democratic", 7154437704795913393),
        (1, "last-link democratic", 8057108420966028186),
    ]


@every_task
def test_without_a_level_and_an_ordering_all_of_them_are_drawn(task: str) -> None:
    env = ag.ArgumentationEnv(task)
    assert (env.levels, env.orderings) == (ag.LEVELS, ag.ORDERINGS)
    seen = set()
    for seed in range(60):
        env.np_random = np.random.default_rng(seed)
        seen.add((pick(env.levels, env._below), pick(env.orderings, env._below)))
    assert {level for level, _ in seen} == set(ag.LEVELS)
    assert {ordering for _, ordering in seen} == set(ag.ORDERINGS)


@every_task
def test_options_fix_the_instance_and_seed_zero_counts(task: str) -> None:
    env = easy(task)
    ordering = "weakest-link democratic"
    prompt, info = env.reset(seed=3, options={"level": 4, "ordering": ordering, "seed": 0})
    assert (info["level"], info["ordering"], info["seed"]) == (4, ordering, 0)
    assert env.instance == ag.generate(task, 4, ordering, 0)
    assert prompt == env.instance.prompt
    assert env.reset(options={"seed": 0, "level": 1, "ordering": ordering})[1]["seed"] == 0


@every_task
def test_fixing_an_option_does_not_shift_the_other_draws(task: str) -> None:
    env = easy(task)
    free = env.reset(seed=11)[1]
    fixed = env.reset(seed=11, options={"level": 2})[1]
    assert (fixed["ordering"], fixed["seed"]) == (free["ordering"], free["seed"])
    after_fixed = env.reset()[1]["seed"]
    env.reset(seed=11)
    assert env.reset()[1]["seed"] == after_fixed


@every_task
def test_a_stored_instance_can_be_played(task: str) -> None:
    instance = ag.Instance.from_json(ag.generate(task, 2, ag.ORDERINGS[0], 5, "eval").to_json())
    env = easy(task)
    prompt, info = env.reset(options={"instance": instance})
    assert prompt == instance.prompt
    assert (info["split"], info["seed"]) == ("eval", 5)
    assert env.step(right_answer(env))[1] == 1.0


@every_task
def test_the_gold_is_in_no_prompt_and_in_no_info_of_reset(task: str) -> None:
    env = ag.ArgumentationEnv(task)
    for level in (1, 5, 10, 15):
        forms = set(env.reset(seed=99, options={"level": level})[0].split("\n"))  # what every prompt says
        prompt, info = env.reset(seed=level, options={"level": level})
        assert set(info) == RESET_KEYS
        instance = env.instance
        told = {*prompt.split("\n"), *map(str, info.values())} - forms
        gold = set(instance.reference.split("\n")) - set(str(instance.theory).split("\n"))
        assert not told & gold  # lines of the theory may recur in a reference that selects among them
        assert instance.reference not in prompt
        assert instance.reference not in repr(instance.question)


@every_task
def test_infos_are_complete_and_never_shared(task: str) -> None:
    env = easy(task)
    _, reset_info = env.reset(seed=0)
    step_info = env.step("no idea")[4]
    assert set(step_info) == STEP_KEYS
    assert {key: step_info[key] for key in RESET_KEYS} == reset_info
    assert reset_info["prompt_characters"] == len(env.instance.prompt)
    assert reset_info["floor"] == env.instance.floor
    step_info.clear()
    reset_info.clear()
    assert set(env.reset(seed=0)[1]) == RESET_KEYS
    assert isinstance(env.step("no idea")[4]["score"], ag.Score)


@every_task
@pytest.mark.parametrize("reward", REWARDS)
def test_the_reward_is_the_chosen_one_of_three(task: str, reward: Any) -> None:
    env = easy(task, reward=reward)
    env.reset(seed=1)
    answers = [env.instance.reference, *_attack_answers(env.instance), "junk"]
    paid = set()
    for answer in answers:
        env.reset(seed=1)
        _, value, _, _, info = env.step(f"<answer>{answer}</answer>")
        native = info["score"].native
        expected = {
            "native": native,
            "success": 1.0 if info["score"].success else 0.0,
            "corrected": corrected(native, env.instance.floor),
        }
        assert value == expected[reward] == (float(info["success"]) if reward == "success" else info[reward])
        assert type(value) is float
        paid.add(value)
    assert {0.0, 1.0} <= paid


def _attack_answers(instance: ag.Instance) -> list[str]:
    from arggym_env.envs.registry import get_task

    return list(get_task(instance.task).attacks(instance).values())


HOSTILE = {
    "None": None,
    "bytes": b"<answer>x</answer>",
    "integer": 3,
    "list": ["<answer>x</answer>"],
    "empty": "",
    "NUL": "\x00",
    "line separators": "<answer>\u2028\u2029</answer>",
    "braces": "<answer>{}</answer>",
    "null": "<answer>null</answer>",
    "zeros": f"<answer>{'0' * 20_000}</answer>",
    "parentheses": f"<answer>{'(' * 2_000}</answer>",
    "emoji": "<answer>🙂: justified</answer>",
    "lone surrogate": "<answer>\ud800</answer>",
    "megabyte line": f"<answer>{'a' * 1_000_000}</answer>",
    "open brackets": f"<answer>{'[' * 100_000}</answer>",
    "unclosed": "<answer>",
    "only thoughts": "<think><answer>x</answer></think>",
}


@every_task
@pytest.mark.parametrize("completion", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_completion_crashes_the_environment_and_none_of_these_earns_anything(task: str, completion: Any) -> None:
    env = easy(task, render_mode="ansi")
    env.reset(seed=2)
    start = time.perf_counter()
    _, reward, terminated, _, info = env.step(completion)
    assert time.perf_counter() - start < 1
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert math.isfinite(info["corrected"])
    assert info["reason"] in set(ag.Reason)
    if not isinstance(completion, str):
        assert info["reason"] == "not_text"
    text = env.render()
    assert text is not None
    assert "\x00" not in text
    text.encode()


def test_a_numpy_string_is_text() -> None:
    env = easy(ag.TASKS[0])
    env.reset(seed=0)
    assert env.step(np.str_(right_answer(env)))[1] == 1.0


@every_environment
def test_a_step_before_reset_or_after_the_end_raises(env_id: str) -> None:
    env, inner = made(env_id, level=1)
    for target in (env, inner):
        with pytest.raises(ResetNeeded):
            target.step("x")
    with pytest.raises(ResetNeeded, match="before the first reset"):
        inner.instance  # noqa: B018 - the property raises
    env.reset(seed=0)
    env.step("x")
    for target in (env, inner):
        with pytest.raises(ResetNeeded, match="call reset"):
            target.step(right_answer(inner))
    env.reset()
    assert env.step(right_answer(inner))[1] == 1.0


@every_environment
def test_a_specification_survives_json(env_id: str) -> None:
    env, inner = made(env_id, level=[2, 3], ordering=["last-link democratic"], split="eval", reward="success")
    assert env.spec is not None
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again: gym.Env[str, str] = gym.make(spec)
    assert env.reset(seed=5)[0] == again.reset(seed=5)[0]
    completion = right_answer(inner)
    assert env.step(completion)[1] == again.step(completion)[1] == 1.0
    assert json.loads(env.spec.to_json())["kwargs"]["level"] == [2, 3]


@every_environment
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_a_copy_made_in_mid_episode_goes_on_in_the_same_way(env_id: str, duplicate: Any) -> None:
    env, inner = made(env_id, level=[1, 2, 3])
    env.reset(seed=9)
    twin = duplicate(env)
    assert twin.unwrapped.instance == inner.instance
    assert twin.step(right_answer(inner))[1] == env.step(right_answer(inner))[1] == 1.0
    with pytest.raises(ResetNeeded):
        duplicate(env).step("x")
    assert twin.reset()[0] == env.reset()[0]


BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown task": ({"task": "atack"}, "task 'atack' is not one of"),
    "level 0": ({"level": 0}, "level 0 is not in 1..15"),
    "level 16": ({"level": 16}, "level 16 is not in 1..15"),
    "level as text": ({"level": "5"}, "level '5' is not in 1..15"),
    "level true": ({"level": True}, "level True is not in 1..15"),
    "a bad level in a list": ({"level": [1, 99]}, "level 99 is not in 1..15"),
    "no levels": ({"level": []}, r"level \[\] holds no level"),
    "misspelt ordering": ({"ordering": "lastlink elitist"}, "ordering 'lastlink elitist' is not one of 'last-link el"),
    "a bad ordering in a list": ({"ordering": ["last-link"]}, "ordering 'last-link' is not one of"),
    "no orderings": ({"ordering": []}, "holds no ordering"),
    "unknown split": ({"split": "test"}, "split 'test' is not one of 'train', 'eval', 'frozen'"),
    "unknown reward": ({"reward": "gain"}, "reward 'gain' is not one of 'native', 'success', 'corrected'"),
    "unknown engine": ({"engine": "fast"}, "engine 'fast' is not one of 'native', 'pyarg'"),
    "no arguments": ({"max_arguments": 0}, "max_arguments 0 is not a positive integer"),
    "unknown render mode": ({"render_mode": "rgb"}, "render_mode 'rgb' is not one of 'human', 'ansi'"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS.keys())
def test_a_bad_argument_is_one_clear_error_when_the_environment_is_made(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ag.CoordinateError, match=message) as caught:
        ag.ArgumentationEnv(**{"task": ag.TASKS[0], **arguments})
    assert "\n" not in str(caught.value)


BAD_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"lvl": 3}, f"reset option 'lvl' is not one of {', '.join(map(repr, OPTIONS))}"),
    "level 16": ({"level": 16}, "level 16 is not in 1..15"),
    "level None": ({"level": None}, "level None is not in 1..15"),
    "misspelt ordering": ({"ordering": "x"}, "ordering 'x' is not one of"),
    "negative seed": ({"seed": -1}, "seed -1 is not an integer from 0"),
    "seed too large": ({"seed": 2**63}, "is not an integer from 0"),
    "seed 0.5": ({"seed": 0.5}, "seed 0.5 is not an integer from 0"),
    "not an instance": ({"instance": "row"}, "reset option 'instance' is str, not an Instance"),
    "instance and level": ({"instance": None, "level": 1}, "goes with no other option"),
}


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS.keys())
def test_a_bad_reset_option_is_one_clear_error_and_changes_nothing(options: dict[str, Any], message: str) -> None:
    env = easy(ag.TASKS[0])
    env.reset(seed=4)
    before = env.instance
    with pytest.raises(ag.CoordinateError, match=message):
        env.reset(seed=5, options=options)
    assert env.instance is before
    after = env.reset()[0]
    env.reset(seed=4)
    assert env.reset()[0] == after


def test_an_instance_of_another_task_is_refused() -> None:
    other = ag.generate(ag.TASKS[1], 1, ag.ORDERINGS[0], 0)
    with pytest.raises(ag.CoordinateError, match=f"is of task '{ag.TASKS[1]}'; this environment's is '{ag.TASKS[0]}'"):
        easy(ag.TASKS[0]).reset(options={"instance": other})


@pytest.mark.parametrize("seed", [-1, 0.5, "7"])
def test_a_bad_reset_seed_is_refused(seed: Any) -> None:
    with pytest.raises(gym.error.Error, match="Seed must be"):
        easy(ag.TASKS[0]).reset(seed=seed)


@every_task
def test_both_engines_pay_the_same(task: str) -> None:
    rewards: list[list[float]] = []
    for engine in ("native", "pyarg"):
        env = easy(task, engine=engine)
        env.reset(seed=6)
        answers = [env.instance.reference, *_attack_answers(env.instance)]
        rewards.append([])
        for answer in answers:
            env.reset(seed=6)
            rewards[-1].append(env.step(f"<answer>{answer}</answer>")[1])
    assert rewards[0] == rewards[1]


@every_task
def test_rendering_shows_the_prompt_then_the_completion_and_the_verdict(
    task: str, capsys: pytest.CaptureFixture[str]
) -> None:
    env = easy(task, render_mode="ansi")
    with pytest.raises(ResetNeeded):
        env.render()
    prompt, info = env.reset(seed=0)
    assert env.render() == prompt
    env.step("\x1b[2J<answer>\ud800</answer>")
    text = env.render()
    assert text is not None
    assert text.startswith(prompt)
    assert "\\u001b[2J" in text
    assert info["instance_id"] in text
    assert "no success" in text
    assert capsys.readouterr().out == ""


@every_task
def test_human_mode_prints_the_episode_as_it_happens(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = easy(task, render_mode="human")
    prompt, _ = env.reset(seed=0)
    assert prompt in capsys.readouterr().out
    env.step(right_answer(env))
    out = capsys.readouterr().out
    assert prompt not in out
    assert "success (correct): native 1.000" in out
    assert env.render() is None
    assert prompt in capsys.readouterr().out


def test_rendering_without_a_mode_warns_and_returns_nothing() -> None:
    env = easy(ag.TASKS[0])
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@every_task
def test_without_human_mode_nothing_is_printed(task: str, capfd: pytest.CaptureFixture[str]) -> None:
    env = easy(task)
    env.reset(seed=0)
    env.step(right_answer(env))
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("task", ["status_query", "attack"])
def test_memory_stays_flat_over_many_episodes(task: str) -> None:
    env = easy(task)

    def play(episodes: int) -> None:
        for number in range(episodes):
            env.reset(options={"seed": number % 25, "level": 1, "ordering": ag.ORDERINGS[number % 4]})
            env.step(right_answer(env) if number % 2 else "<answer>\nnothing\n</answer>")

        gc.collect()

    play(100)  # every instance once: bounded caches are full
    tracemalloc.start()
    play(100)
    before, _ = tracemalloc.get_traced_memory()
    play(300)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 200_000
