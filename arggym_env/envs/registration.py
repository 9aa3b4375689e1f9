"""The environments' ids: ``ArgGYM/<task>-v0`` for every task of the registry, LogiHard's two, and the mixture.

A plug-in's task has ``<namespace>/<task>-v0``; registering it imports nothing of the plug-in.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Final

import gymnasium as gym

from arggym_env.envs.plugins import declared, plugin_problems
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
_LOG: Final = logging.getLogger("arggym_env")


def register_environments() -> None:
    """Make every environment known to ``gymnasium.make`` and ``gymnasium.make_vec``; ids known already are left alone.

    Entry points are strings, so that environment specifications have a JSON form. A plug-in that declares its tasks
    wrongly is warned of in the log, once.
    """
    for problem in plugin_problems():
        _LOG.warning(problem)
    for task, env_id in (*zip(TASKS, ENV_IDS, strict=True), *_plugin_environments()):
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


def _plugin_environments() -> Iterator[tuple[str, str]]:
    """Yield the plug-ins' tasks with the ids of their environments."""
    return ((task.name, task.env_id) for task in declared().values() if task.problem is None)
