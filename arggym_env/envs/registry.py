"""The tasks by name: importing the tasks makes the table, and everything else loops over it.

Tasks of other distributions are found beside it (``plugins``); their names have a dot, so that they never hide one of
the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from arggym_env.envs import (
    attack,
    attack_defense,
    claim_chain,
    counter_argument,
    counter_argument_strict,
    defeat_diagnosis,
    defence,
    formalization,
    perturbation,
    preference_construction,
    semantics_query,
    status_query,
)
from arggym_env.envs.plugins import load_plugin, plugin_names
from arggym_env.envs.task import Task
from arggym_env.errors import CoordinateError

_TASKS: Final[tuple[Task, ...]] = (
    formalization.TASK,
    claim_chain.TASK,
    defeat_diagnosis.TASK,
    status_query.TASK,
    semantics_query.TASK,
    perturbation.TASK,
    preference_construction.TASK,
    counter_argument.TASK,
    counter_argument_strict.TASK,
    attack.TASK,
    defence.TASK,
    attack_defense.TASK,
)

REGISTRY: Final[Mapping[str, Task]] = MappingProxyType({task.name: task for task in _TASKS})
"""Every task of the suite, in the order of the paper's Table 1."""

TASKS: Final = tuple(REGISTRY)
"""The task names, in the order of the paper's Table 1."""


def all_tasks() -> tuple[str, ...]:
    """Return the names of the suite's tasks and, after them, of the plug-ins' that are installed."""
    return (*TASKS, *plugin_names())


def get_task(name: str) -> Task:
    """Return the task called ``name``, of the suite or of a plug-in.

    Raises:
        CoordinateError: there is none; the message lists those there are.
        PluginError: a plug-in declares it, and it cannot be used.
    """
    task = REGISTRY.get(name) or load_plugin(name) if isinstance(name, str) else None
    if task is None:
        raise CoordinateError(f"task {name!r} is not one of {', '.join(all_tasks())}")
    return task
