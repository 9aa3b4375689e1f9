"""The environments' ids: ``ArgGYM/<task>-v0`` for every task of the registry."""

from __future__ import annotations

from typing import Final

import gymnasium as gym

from arggym_env.envs.registry import TASKS

ENV_IDS: Final = tuple(f"ArgGYM/{task}-v0" for task in TASKS)
"""The ids, in the order of ``TASKS``."""


def register_environments() -> None:
    """Make every task known to ``gymnasium.make`` and ``gymnasium.make_vec``; ids known already are left alone.

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
