"""Tests for tasks: what every task owes its users, the suite's own and those of plug-ins, without a test framework.

``check_task("namespace.task")`` holds a task to all of it, ``python -m arggym_env.testing namespace.task`` does the
same from a shell; ``PROMISES`` are the single checks, for a parametrized test.
"""

from arggym_env.testing.contract import BrokenPromises, check_task
from arggym_env.testing.promises import PROMISES, TASK_PROMISES, answered, is_right

__all__ = ["PROMISES", "TASK_PROMISES", "BrokenPromises", "answered", "check_task", "is_right"]
