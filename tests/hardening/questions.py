"""What is scored in the tests of this folder: questions of every kind, the example plug-in's among them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import arggym_env as ag
from arggym_env.envs.constructive import ConstructiveTask
from arggym_env.envs.instance import Instance
from arggym_env.envs.plugins import declared
from arggym_env.envs.registry import get_task
from arggym_env.instances import AnyInstance
from arggym_env.logihard import OPERATOR_TIERS, ask, generate_atomic, harden
from arggym_env.rewards.score import Reason, Score
from arggym_env.testing.promises import breaches_of_scoring
from tests.plugins import RETRACTION, install_example

LETTERS: Final = ("logihard_base", "logihard_combinatorial")
KINDS: Final = (*ag.TASKS, *LETTERS, RETRACTION)
"""The kinds of question: the tasks, LogiHard's two, and the plug-in's."""


@contextmanager
def plugin_installed(site: Path) -> Iterator[None]:
    """Install the example plug-in into ``site`` for this process, and take it back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(install_example(site))
        declared.cache_clear()
        yield
    declared.cache_clear()


@cache
def question(kind: str, level: int) -> AnyInstance:
    """Return a question of a kind; LogiHard's levels and tiers are chosen to go along."""
    if kind in LETTERS:
        mcq = generate_atomic("propositional", (level - 1) // 3 + 1, level)
        tier = OPERATOR_TIERS[level % len(OPERATOR_TIERS)]
        return ask(mcq, level) if kind == LETTERS[0] else harden(mcq, tier, level)
    return ag.generate(kind, level, ag.ORDERINGS[level % 4], seed=0)


def breaches(instance: AnyInstance, verdict: Score) -> list[str]:
    """Return what a score breaks: of scores in general, and of its task's contract (appendix B)."""
    found = [*breaches_of_scoring(verdict)]
    native, success = verdict.native, verdict.success
    if isinstance(instance, Instance) and isinstance(get_task(instance.task), ConstructiveTask):
        if success and not native >= 0.75:
            found.append(f"a construction succeeds with native {native}")
        if not success and not native <= 0.25:
            found.append(f"a construction that fails has native {native}")
    elif instance.task == "formalization":
        if success and native < 1 and verdict.reason is not Reason.NOT_IDENTICAL:
            found.append(f"success with native {native} and reason {verdict.reason}")
    elif success != (native == 1.0):
        found.append(f"success is {success} with native {native}")
    return found
