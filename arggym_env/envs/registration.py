"""The environments' ids: ``ArgGYM/<task>-v0`` for every task of the registry, LogiHard's two, and the mixture."""

from __future__ import annotations

from typing import Final

import gymnasium as gym

from arggym_env.envs.registry import TASKS

ENV_IDS: Final = tuple(f"ArgGYM/{task}-v0" for task in TASKS)
"""The ids of the tasks' environments, in the order of ``TASKS``."""
LOGIHARD_ENV_IDS: Final = ("LogiHard/base-v0", "LogiHard/combinatorial-v0")
"""The ids of LogiHard's environments."""
MIXTURE_ENV_ID: Final = "ArgGYM/mixture-v0"
"""The id of the environment that asks questions of all the others."""

_OTHERS: Final = (
    (LOGIHARD_ENV_IDS[0], "arggym_env.logihard.env:BaseEnv", "make_base_vector"),
    (LOGIHARD_ENV_IDS[1], "arggym_env.logihard.env:CombinatorialEnv", "make_combinatorial_vector"),
    (MIXTURE_ENV_ID, "arggym_env.envs.mixture:MixtureEnv", "make_mixture_vector"),
)


def register_environments() -> None:
    """Make every environment known to ``gymnasium.make`` and ``gymnasium.make_vec``; ids known already are left alone.

    Entry points are strings, so that environment specifications have a JSON form.
    """
    for task, env_id in zip(TASKS, ENV_IDS, strict=True):
        if env_id not in gym.registry:
            gym.register(
                id=env_id,
                entry_point="arggym_env.envs.gym_env:ArgumentationEnv",
                vector_entry_point="arggym_env.envs.vector:make_vector",
                kwargs={"task": task},
            )
    for env_id, entry_point, maker in _OTHERS:
        if env_id not in gym.registry:
            gym.register(
                id=env_id, entry_point=entry_point, vector_entry_point=f"arggym_env.envs.vector:{maker}", kwargs={}
            )
