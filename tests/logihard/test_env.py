"""LogiHard's environments keep Gymnasium's contract, and the promises of their docstrings."""

from __future__ import annotations

import copy
import json
import math
import pickle
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import arggym_env as ag
from arggym_env.logihard.answers import LETTERS
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.env import BaseEnv, CombinatorialEnv
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.tiers import OPERATOR_TIERS
from tests.envs.hostile import HOSTILE
from tests.logihard.blind import atomic

QUICK = ["propositional", "knights"]
RESET_KEYS = {"instance_id", "task", "family", "level", "source", "language", "split", "seed", "floor"} | {
    "prompt_characters"
}
STEP_KEYS = {"native", "success", "corrected", "answer_found", "reason", "score"}

LetterEnvironment = BaseEnv | CombinatorialEnv

every_environment = pytest.mark.parametrize("env_id", ag.LOGIHARD_ENV_IDS)


def made(env_id: str, **kwargs: Any) -> tuple[gym.Env[str, str], LetterEnvironment]:
    """Return an environment as ``gymnasium.make`` wraps it, and what is inside."""
    env: gym.Env[str, str] = gym.make(env_id, **{"family": QUICK, **kwargs})
    assert isinstance(env.unwrapped, BaseEnv | CombinatorialEnv)
    return env, env.unwrapped


def right_answer(env: LetterEnvironment) -> str:
    return f"<think>\nlet me see\n</think>\nI have it.\n{env.instance.reference}"


@every_environment
@pytest.mark.parametrize("render_mode", [None, "ansi", "human", "svg"])
def test_gymnasiums_checker_finds_nothing_to_warn_about(env_id: str, render_mode: str | None) -> None:
    check_env(made(env_id, render_mode=render_mode)[1])


@every_environment
def test_the_reference_earns_one_and_any_other_letters_earn_nothing(env_id: str) -> None:
    env, inner = made(env_id)
    for seed in range(5):
        prompt, info = env.reset(seed=seed)
        for answer in (*LETTERS, "A, B", "A, B, C, D", inner.instance.reference):
            env.reset(seed=seed)
            observation, reward, terminated, truncated, step_info = env.step(f"so:\n{answer}")
            assert (terminated, truncated, observation) == (True, False, prompt)
            assert reward == float(answer == inner.instance.reference) == step_info["native"]
            assert step_info["corrected"] == reward
        assert info["floor"] == 0.25


@every_environment
def test_infos_are_those_of_the_docstring_and_never_hold_the_gold(env_id: str) -> None:
    env, inner = made(env_id, family=None)
    extra = {"tier", "sampler"} if "combinatorial" in env_id else set()
    for seed in range(20):
        prompt, info = env.reset(seed=seed)
        item = inner.instance
        assert set(info) == RESET_KEYS | extra
        assert (info["instance_id"], info["task"], info["prompt_characters"]) == (item.id, item.task, len(prompt))
        assert info["task"] == f"logihard_{env_id.partition('/')[2].removesuffix('-v0')}"
        assert prompt == item.prompt
        assert item.reference not in info.values()
        assert item.atomic.answer not in [value for key, value in info.items() if key not in ("level", "seed", "floor")]
        assert set(env.step("no idea")[4]) == RESET_KEYS | extra | STEP_KEYS


@every_environment
def test_seeded_resets_repeat_and_so_do_the_unseeded_ones_after_them(env_id: str) -> None:
    (first, _), (second, _) = made(env_id), made(env_id)
    prompts = [first.reset(seed=7)[0], first.reset()[0], first.reset()[0]]
    assert [second.reset(seed=7)[0], second.reset()[0], second.reset()[0]] == prompts
    assert len(set(prompts)) == 3
    assert first.reset(seed=8)[0] != prompts[0]


@every_environment
def test_without_arguments_every_family_and_level_is_drawn(env_id: str) -> None:
    env, _ = made(env_id, family=None)
    infos = [env.reset(seed=seed)[1] for seed in range(200)]
    assert {info["family"] for info in infos} == set(FAMILIES)
    assert {info["level"] for info in infos} == {1, 2, 3, 4, 5}
    if "combinatorial" in env_id:
        assert {info["tier"] for info in infos} == set(OPERATOR_TIERS)


@every_environment
def test_options_fix_the_question_without_shifting_the_other_draws(env_id: str) -> None:
    env, inner = made(env_id)
    free = env.reset(seed=11)[1]
    fixed = env.reset(seed=11, options={"family": "selection", "level": 2})[1]
    assert (fixed["family"], fixed["level"], fixed["seed"]) == ("selection", 2, free["seed"])
    after = env.reset()[1]["seed"]
    env.reset(seed=11)
    assert env.reset()[1]["seed"] == after
    mcq = ag.logihard.generate_atomic("selection", 4, 0)
    env.reset(options={"family": "selection", "level": 4, "seed": 0, **({"tier": "hard"} if is_hard(inner) else {})})
    assert inner.instance == (harden(mcq, "hard", 0) if is_hard(inner) else ask(mcq, 0))


def is_hard(env: LetterEnvironment) -> bool:
    return isinstance(env, CombinatorialEnv)


@every_environment
def test_a_stored_item_can_be_played_and_one_of_the_other_kind_is_refused(env_id: str) -> None:
    env, inner = made(env_id)
    mcq = ag.logihard.generate_atomic("knights", 1, 5, "eval")
    items: list[BaseItem | CombinatorialItem] = [ask(mcq, 5, "eval"), harden(mcq, "expert", 5, "paper", "eval")]
    own, other = items[::-1] if is_hard(inner) else items
    assert env.reset(options={"instance": own})[0] == own.prompt
    assert env.step(right_answer(inner))[1] == 1.0
    with pytest.raises(ag.CoordinateError, match=f"is {type(other).__name__}, not a {type(own).__name__}"):
        env.reset(options={"instance": other})


def test_youden_pays_a_part_and_its_floor_is_the_best_blind_answers() -> None:
    env = CombinatorialEnv(family=QUICK, tier="hard", reward="youden")
    _, info = env.reset(seed=3)
    item = env.instance
    assert info["floor"] > 0.25
    best = 0.0
    for mask in range(1, 2 ** len(item.claims)):
        chosen = [letter for place, letter in enumerate(LETTERS) if mask >> place & 1]
        paid = []
        for key in range(4):
            gold = {letter for letter, formula in zip(LETTERS, item.formulas, strict=False) if formula.holds(key)}
            hits, alarms = len(gold.intersection(chosen)) / len(gold), len(set(chosen) - gold)
            paid.append(max(0.0, hits - alarms / (len(item.claims) - len(gold))))
        best = max(best, sum(paid) / 4)
    assert info["floor"] == pytest.approx(best)
    first, *_ = item.correct
    _, reward, _, _, step_info = env.step(first)
    assert 0 < reward == step_info["native"] < 1
    assert step_info["success"] is False
    assert step_info["corrected"] == max(0.0, (reward - best) / (1 - best))


@every_environment
@pytest.mark.parametrize("completion", HOSTILE.values(), ids=HOSTILE)
def test_hostile_completions_earn_nothing_and_can_be_shown(env_id: str, completion: str) -> None:
    env, _ = made(env_id, render_mode="ansi")
    env.reset(seed=2)
    _, reward, terminated, _, info = env.step(completion)
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert math.isfinite(info["corrected"])
    str(env.render()).encode()


@every_environment
def test_what_is_no_text_scores_zero(env_id: str) -> None:
    _, inner = made(env_id)
    for completion in (None, b"A", 3, ["A"]):
        inner.reset(seed=2)
        assert inner.step(completion)[4]["reason"] == "not_text"  # type: ignore[arg-type]


@every_environment
def test_a_step_before_reset_or_after_the_end_raises(env_id: str) -> None:
    env, inner = made(env_id)
    with pytest.raises(ResetNeeded, match="before the first reset"):
        inner.step("A")
    env.reset(seed=0)
    env.step("A")
    with pytest.raises(ResetNeeded, match="call reset"):
        inner.step(right_answer(inner))


@every_environment
def test_a_specification_survives_json(env_id: str) -> None:
    env, inner = made(env_id, level=[2, 3], split="eval")
    assert env.spec is not None
    again: gym.Env[str, str] = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert env.reset(seed=5)[0] == again.reset(seed=5)[0]
    assert again.step(right_answer(inner))[1] == 1.0
    assert json.loads(env.spec.to_json())["kwargs"]["level"] == [2, 3]


@every_environment
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_a_copy_made_in_mid_episode_goes_on_in_the_same_way(env_id: str, duplicate: Any) -> None:
    env, inner = made(env_id)
    env.reset(seed=9)
    twin = duplicate(env)
    assert twin.unwrapped.instance == inner.instance
    assert twin.step(right_answer(inner))[1] == env.step(right_answer(inner))[1] == 1.0
    assert twin.reset()[0] == env.reset()[0]


@every_environment
def test_vector_environments_answer_a_question_with_every_step(env_id: str) -> None:
    with closing(gym.make_vec(env_id, num_envs=3, family=QUICK)) as envs:
        assert isinstance(envs, SyncVectorEnv)
        prompts, _ = envs.reset(seed=0)
        answers = tuple(item.reference for item in envs.get_attr("instance"))
        following, rewards, _, _, infos = envs.step((answers[0], "no idea", answers[2]))
        assert rewards.tolist() == [1.0, 0.0, 1.0]
        assert list(infos["final_obs"]) == list(prompts)
        assert list(infos["final_info"]["reason"]) == ["correct", "unreadable", "correct"]
        assert not set(following) & set(prompts)


def test_vector_environments_can_have_processes_of_their_own() -> None:
    kwargs = {"family": QUICK, "asynchronous": True, "context": "spawn"}
    with closing(gym.make_vec(ag.LOGIHARD_ENV_IDS[1], num_envs=2, **kwargs)) as envs:  # type: ignore[arg-type]
        assert len(set(envs.reset(seed=0)[0])) == 2
        assert envs.step(("A", "B"))[1].shape == (2,)


@pytest.fixture
def questions(tmp_path: Path) -> str:
    path = tmp_path / "questions.jsonl"
    rows = [atomic(number, number % 4) for number in range(6)]
    fields = ("id", "context", "question", "options", "answer", "family", "level")
    lines = []
    for number, row in enumerate(rows):
        line = {name: getattr(row, name) for name in fields}
        lines.append({**line, "context": f"Told {number}.", "family": "ab"[number % 2], "level": number % 3})
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return str(path)


@every_environment
def test_questions_can_come_from_a_file_and_are_selected_by_family_and_level(env_id: str, questions: str) -> None:
    env, inner = made(env_id, family=None, source=questions)
    contexts = set()
    for seed in range(60):
        prompt, info = env.reset(seed=seed)
        assert info["source"] == "plain"
        contexts.add(prompt.split("\n")[0])
        assert env.step(right_answer(inner))[1] == 1.0
    assert contexts == {f"Told {number}." for number in range(6)}
    env, _ = made(env_id, family="b", level=[0], source=questions)
    assert {env.reset(seed=seed)[0].split("\n")[0] for seed in range(10)} == {"Told 3."}
    with pytest.raises(ag.CoordinateError, match="has 6 questions, none of"):
        made(env_id, family="c", source=questions)
    with pytest.raises(ag.CoordinateError, match=r"source 'no/such\.jsonl' cannot be read: No such file"):
        made(env_id, source="no/such.jsonl")
    with pytest.raises(ag.CoordinateError, match="'level' does not go with a source file"):
        env.reset(options={"level": 1})


BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown family": ({"family": "knight"}, "family 'knight' is not one of"),
    "no families": ({"family": []}, r"family \[\] holds nothing"),
    "level 6": ({"level": 6}, "level 6 is not in 1..5"),
    "level true": ({"level": [True]}, "level True is not in 1..5"),
    "unknown split": ({"split": "test"}, "split 'test' is not one of"),
    "unknown reward": ({"reward": "f1"}, "reward 'f1' is not one of 'exact'"),
    "unknown render mode": ({"render_mode": "rgb"}, "render_mode 'rgb' is not one of"),
}


@pytest.mark.parametrize("environment", [BaseEnv, CombinatorialEnv])
@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_a_bad_argument_is_one_clear_error(environment: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ag.CoordinateError, match=message):
        environment(**arguments)


def test_bad_arguments_of_the_combinatorial_form_are_clear_errors() -> None:
    for arguments, message in (
        ({"tier": "base"}, "tier 'base' is not one of 'easy'"),
        ({"tier": ["hard", "harder"]}, "tier 'harder' is not one of"),
        ({"sampler": "random"}, "sampler 'random' is not one of"),
    ):
        with pytest.raises(ag.CoordinateError, match=message):
            CombinatorialEnv(**arguments)
    with pytest.raises(ag.CoordinateError, match="'youden' is not one of 'exact'"):
        BaseEnv(reward="youden")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ordering": "x"}, "reset option 'ordering' is not one of 'family', 'level', 'tier', 'seed', 'instance'"),
        ({"family": "x"}, "family 'x' is not one of"),
        ({"level": 0}, "level 0 is not in 1..5"),
        ({"tier": "x"}, "tier 'x' is not one of"),
        ({"seed": -1}, "seed -1 is not an integer"),
        ({"instance": None, "seed": 1}, "goes with no other option"),
    ],
    ids=str,
)
def test_a_bad_reset_option_is_one_clear_error_and_changes_nothing(options: dict[str, Any], message: str) -> None:
    env = CombinatorialEnv(family=QUICK)
    env.reset(seed=4)
    before = env.instance
    with pytest.raises(ag.CoordinateError, match=message):
        env.reset(seed=5, options=options)
    assert env.instance is before
    after = env.reset()[0]
    env.reset(seed=4)
    assert env.reset()[0] == after


@every_environment
def test_rendering_shows_the_prompt_then_the_verdict(env_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    env, inner = made(env_id, render_mode="human")
    prompt, info = env.reset(seed=0)
    assert prompt in capsys.readouterr().out
    env.step(right_answer(inner))
    out = capsys.readouterr().out
    assert "success (correct): native 1.000, floor 0.250, corrected 1.000" in out
    assert info["instance_id"] in out
