"""Where the commands take instances, theories and completions from: coordinates, files, standard input."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.registry import all_tasks
from arggym_env.errors import ArgGymError
from arggym_env.instances import AnyInstance, LogiHardItem, read_instance
from arggym_env.logihard import ask, generate_atomic, harden

STDIN: Final = "-"
DEFAULT_ORDERING: Final = ORDERINGS[0]
LOGIHARD: Final = "logihard"
"""What the commands call LogiHard's questions, where they take a task."""


class UsageError(ArgGymError):
    """The command line asks for something that cannot be: no task and no row, or a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class LogiHardChoice:
    """What the command line says of a LogiHard question; None where it says nothing.

    Attributes:
        family: the family; "propositional" by default.
        tier: "base" for the atomic question, or an operator tier; "medium" by default.
        sampler: how claims are drawn; "balanced" by default.
    """

    family: str | None = None
    tier: str | None = None
    sampler: str | None = None


def find_instance(
    task: str | None,
    level: int,
    ordering: str,
    seed: int,
    split: str,
    row: Path | None,
    index: int | None,
    choice: LogiHardChoice = LogiHardChoice(),
) -> AnyInstance:
    """Return the instance that the command line names: a stored row if there is one, otherwise by coordinates."""
    if row is not None:
        if task is not None and task not in (*all_tasks(), LOGIHARD):
            raise UsageError(f"{task!r} is not a task, and --row names the instance; a completion is read with -c FILE")
        if task is not None:
            raise UsageError(f"task {task!r} and --row {str(row)!r} both name an instance; give one of them")
        return read_row(row, index)
    if index is not None:
        raise UsageError("--index chooses a row of a file; it needs --row")
    if task is None:
        raise UsageError(f"name a task ({', '.join(all_tasks())}) or a stored row (--row FILE)")
    if task == LOGIHARD:
        if ordering != DEFAULT_ORDERING:
            raise UsageError(f"--ordering {ordering!r} is for argumentation tasks; {LOGIHARD} has none")
        return _logihard(choice, level, seed, split)
    if choice != LogiHardChoice():
        raise UsageError(f"--family, --tier and --sampler are for {LOGIHARD}, not for task {task!r}")
    return generate(task, level, ordering, seed, split)


def _logihard(choice: LogiHardChoice, level: int, seed: int, split: str) -> LogiHardItem:
    mcq = generate_atomic(choice.family or "propositional", level, seed, split)
    tier = choice.tier or "medium"
    if tier == "base":
        if choice.sampler:
            raise UsageError("--sampler draws claims, of which --tier base has none")
        return ask(mcq, seed, split)
    return harden(mcq, tier, seed, choice.sampler or "balanced", split)


def read_row(path: Path, index: int | None) -> AnyInstance:
    """Return the stored instance at ``index`` (from 0) among the JSON lines of ``path``.

    Raises:
        UsageError: the file cannot be read, holds no such row, or holds several and ``index`` is None.
        InstanceError: the row is not an instance of this package.
    """
    rows = [line for line in read_input(str(path)).split("\n") if line.strip()]
    if not rows:
        raise UsageError(f"{path}: no rows")
    if index is None:
        if len(rows) > 1:
            raise UsageError(f"{path}: {len(rows)} rows; choose one with --index 0..{len(rows) - 1}")
        index = 0
    if not 0 <= index < len(rows):
        raise UsageError(f"{path}: row {index} is not in 0..{len(rows) - 1}")
    return read_instance(rows[index])


def read_input(name: str) -> str:
    """Return the text of the file called ``name``, or of standard input for ``-``.

    A byte order mark is dropped. Bytes that are not UTF-8 come back as lone surrogates, so that hostile input is
    judged rather than refused.

    Raises:
        UsageError: the file cannot be read.
    """
    if name == STDIN:
        if sys.stdin.isatty():
            print("reading standard input; end it with Ctrl-D", file=sys.stderr)  # noqa: T201
        content = sys.stdin.buffer.read()
    else:
        try:
            content = Path(name).read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a name with a NUL character
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise UsageError(f"cannot read {name!r}: {reason}") from None
    return content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
