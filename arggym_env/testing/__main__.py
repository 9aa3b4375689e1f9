"""``python -m arggym_env.testing namespace.task``: hold a task to what all tasks promise."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from arggym_env.errors import ArgGymError
from arggym_env.testing.contract import DEFAULT_FLOOR, DEFAULT_LEVELS, BrokenPromises, check_task


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the tasks that the command line names; return 0 when all promises hold, 1 when not, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m arggym_env.testing", description=main.__doc__)
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="name of a task, such as namespace.task")
    parser.add_argument("--level", type=int, action="append", help="look at this level; may be repeated")
    parser.add_argument("--seeds", type=int, default=1, help="seeds for each level and ordering")
    parser.add_argument("--floor", type=float, default=DEFAULT_FLOOR, help="highest mean floor that is accepted")
    options = parser.parse_args(arguments)
    for task in options.tasks:
        try:
            check_task(task, levels=options.level or DEFAULT_LEVELS, seeds=range(options.seeds), floor=options.floor)
        except BrokenPromises as broken:
            sys.stdout.write(f"{task}: {len(broken.breaches)} breaches\n{broken}\n")
            return 1
        except ArgGymError as error:
            sys.stderr.write(f"{task}: {error}\n")
            return 2
        sys.stdout.write(f"{task}: all promises hold\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
