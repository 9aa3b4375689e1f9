"""A reward for verl, which loads this file by its path and calls ``compute_score`` for each completion.

    custom_reward_function.path=.../arggym_env/rewards/verl.py
    custom_reward_function.name=compute_score
    +custom_reward_function.reward_kwargs.reward=success

The package has to be installed where verl runs. docs/rewards.md shows how to write the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arggym_env.envs.scoring import corrected
from arggym_env.envs.single_step import REWARDS, RewardKind, one_of
from arggym_env.instances import read_instance, score
from arggym_env.rewards.asking import ADDRESS_COLUMNS, Address, check_columns, check_versions
from arggym_env.rewards.batch import score_batch


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str | None,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward: RewardKind = "native",
    **ignored: Any,
) -> dict[str, float]:
    """Return ``score``, the reward, and beside it ``native``, ``success``, ``corrected`` and ``answer_found``.

    Args:
        data_source: what verl groups its metrics by; not used.
        solution_str: the completion, without the prompt.
        ground_truth: a stored question: one line of ``Instance.to_json``, as the column ``instance`` of an export; or
            empty, and the question is found by ``extra_info``.
        extra_info: the columns of a seed table that say where a question is found; not used for a stored one.
        reward: "native", "success" or "corrected".
        ignored: other arguments that verl passes.

    Raises:
        InstanceError: there is no question, it cannot be read, or it was made by other versions.
        CoordinateError: the environment refuses its options, or there is no such reward.
    """
    one_of("reward", reward, REWARDS)
    found = _stored(ground_truth, solution_str) if ground_truth else _addressed(extra_info or {}, solution_str)
    return {"score": found[reward], **found}


def _stored(row: str, completion: str) -> dict[str, float]:
    instance = read_instance(row)
    verdict = score(instance, completion)
    above_floor = corrected(verdict.native, instance.floor)
    return _numbers(verdict.native, verdict.success, above_floor, verdict.answer_found)


def _addressed(columns: Mapping[str, Any], completion: str) -> dict[str, float]:
    check_columns(columns, ADDRESS_COLUMNS)
    check_versions(columns["task"], columns["versions"])
    (verdict,) = score_batch([Address.of(columns)], [completion])
    return _numbers(verdict.native, verdict.success, verdict.corrected, verdict.answer_found)


def _numbers(native: float, success: bool, above_floor: float, answer_found: bool) -> dict[str, float]:
    return {
        "native": native,
        "success": float(success),
        "corrected": above_floor,
        "answer_found": float(answer_found),
    }
