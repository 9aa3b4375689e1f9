"""Vector environments that suit one-step episodes.

Gymnasium's default autoreset spends every second step of a one-step episode on the reset, and its default shared
memory cannot hold text. ``gymnasium.make_vec("ArgGYM/attack-v0", num_envs=4)`` comes here and gets neither: a finished
sub-environment is reset within the same step, its last prompt is in ``infos["final_obs"]`` and its verdict in
``infos["final_info"]``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from arggym_env.envs.gym_env import ArgumentationEnv
from arggym_env.envs.mixture import MixtureEnv
from arggym_env.logihard.env import BaseEnv, CombinatorialEnv


def make_vector(num_envs: int, **kwargs: Any) -> VectorEnv[Any, Any, Any]:
    """Return ``num_envs`` copies of an :class:`ArgumentationEnv` as one, made as ``vectorised`` says."""
    return vectorised(ArgumentationEnv, num_envs, **kwargs)


def make_base_vector(num_envs: int, **kwargs: Any) -> VectorEnv[Any, Any, Any]:
    """Return ``num_envs`` copies of a :class:`BaseEnv` as one, made as ``vectorised`` says."""
    return vectorised(BaseEnv, num_envs, **kwargs)


def make_combinatorial_vector(num_envs: int, **kwargs: Any) -> VectorEnv[Any, Any, Any]:
    """Return ``num_envs`` copies of a :class:`CombinatorialEnv` as one, made as ``vectorised`` says."""
    return vectorised(CombinatorialEnv, num_envs, **kwargs)


def make_mixture_vector(num_envs: int, **kwargs: Any) -> VectorEnv[Any, Any, Any]:
    """Return ``num_envs`` copies of a :class:`MixtureEnv` as one, made as ``vectorised`` says."""
    return vectorised(MixtureEnv, num_envs, **kwargs)


def vectorised(
    environment: Callable[..., gym.Env[str, str]],
    num_envs: int,
    *,
    asynchronous: bool = False,
    context: str | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return ``num_envs`` copies of an environment as one; observations and actions are tuples of strings.

    Args:
        environment: the environment's class.
        num_envs: how many.
        asynchronous: whether each runs in a process of its own, or all in this one.
        context: how processes are started ("spawn", "forkserver", "fork"); None for the platform's default.
        kwargs: arguments of the environment.

    Raises:
        CoordinateError: an argument of the environment is not allowed.
    """
    makers = [partial(environment, **kwargs) for _ in range(num_envs)]
    if asynchronous:
        return AsyncVectorEnv(makers, shared_memory=False, context=context, autoreset_mode=AutoresetMode.SAME_STEP)
    return SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
