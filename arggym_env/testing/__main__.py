"""``python -m arggym_env.testing namespace.task``: hold a task to what all tasks promise."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from arggym_env.errors import ArgGymError
from arggym_env.testing.contract import DEFAULT_FLOOR, DEFAULT_LEVELS, BrokenPromises, check_task

INTERRUPTED: Final = 130
"""The exit code after an interruption from the keyboard, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the tasks that the command line names; return 0 if all hold, 1 if not, 2 on bad input, 130 on Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m arggym_env.testing", description=main.__doc__)
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="name of a task, such as namespace.task")
    parser.add_argument("--level", type=int, action="append", help="look at this level; may be repeated")
    parser.add_argument("--seeds", type=int, default=1, help="seeds for each level and ordering, at least 1")
    parser.add_argument("--floor", type=float, default=DEFAULT_FLOOR, help="highest mean floor that is accepted")
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        parser.error(f"argument --seeds: {options.seeds} is not a positive integer")
    code = 0
    for task in options.tasks:
        try:
            check_task(task, levels=options.level or DEFAULT_LEVELS, seeds=range(options.seeds), floor=options.floor)
        except KeyboardInterrupt:
            sys.stderr.write(f"{task}: interrupted\n")
            return INTERRUPTED
        except BrokenPromises as broken:
            sys.stdout.write(f"{task}: {len(broken.breaches)} breaches\n{broken}\n")
            code = max(code, 1)
        except ArgGymError as error:
            sys.stderr.write(f"{task}: {error}\n")
            code = 2
        else:
            sys.stdout.write(f"{task}: all promises hold\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
