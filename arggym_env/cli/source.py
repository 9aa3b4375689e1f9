"""Where the commands take instances, theories and completions from: coordinates, files, standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.registry import all_tasks
from arggym_env.errors import ArgGymError, CoordinateError
from arggym_env.instances import AnyInstance, LogiHardItem, read_instance
from arggym_env.logihard import ask, generate_atomic, harden
from arggym_env.logihard.base import BASE
from arggym_env.logihard.coordinates import BASE_FORM, LOGIHARD_TASKS

STDIN: Final = "-"
DEFAULT_ORDERING: Final = ORDERINGS[0]
LOGIHARD: Final = "logihard"
"""What the commands call LogiHard's questions, where they take a task."""
MIXTURE: Final = "mixture"
"""What ``arggym tasks`` lists and no command takes for a task."""


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
        if task is not None and task not in (*all_tasks(), LOGIHARD, *LOGIHARD_TASKS):
            raise UsageError(f"{task!r} is not a task, and --row names the instance; a completion is read with -c FILE")
        if task is not None:
            raise UsageError(f"task {task!r} and --row {str(row)!r} both name an instance; give one of them")
        return read_row(row, index)
    if index is not None:
        raise UsageError("--index chooses a row of a file; it needs --row")
    if task is None:
        raise UsageError(f"name a task ({', '.join(all_tasks())}) or a stored row (--row FILE)")
    if check_task(task) in (LOGIHARD, *LOGIHARD_TASKS):
        if ordering != DEFAULT_ORDERING:
            raise UsageError(f"--ordering {ordering!r} is for argumentation tasks; {LOGIHARD} has none")
        return _logihard(task, choice, level, seed, split)
    if choice != LogiHardChoice():
        raise UsageError(f"--family, --tier and --sampler are for {LOGIHARD}, not for task {task!r}")
    return generate(task, level, ordering, seed, split)


def check_task(name: str) -> str:
    """Return ``name`` if it is a task of either benchmark or of a plug-in, or ``logihard``.

    Raises:
        CoordinateError: it is none; the message lists those there are.
    """
    known = (*all_tasks(), LOGIHARD, *LOGIHARD_TASKS)
    if name == MIXTURE:
        raise CoordinateError(f"{MIXTURE} is an environment that asks other tasks; name one of {', '.join(known)}")
    if name not in known:
        raise CoordinateError(f"task {name!r} is not one of {', '.join(known)}")
    return name


def tell_apart(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return LogiHard's tasks among these, ``logihard`` standing for both, and the others; errors as ``check_task``."""
    tasks = [task for name in names for task in (LOGIHARD_TASKS if check_task(name) == LOGIHARD else (name,))]
    found = list(dict.fromkeys(tasks))
    return [task for task in found if task in LOGIHARD_TASKS], [task for task in found if task not in LOGIHARD_TASKS]


def _logihard(task: str, choice: LogiHardChoice, level: int, seed: int, split: str) -> LogiHardItem:
    tier = choice.tier or (BASE_FORM if task == BASE else "medium")
    if task != LOGIHARD and (tier == BASE_FORM) != (task == BASE):
        raise UsageError(f"--tier {tier} is no form of {task}; {LOGIHARD} takes every tier")
    mcq = generate_atomic(choice.family or "propositional", level, seed, split)
    if tier == BASE_FORM:
        if choice.sampler:
            raise UsageError("--sampler draws claims, of which --tier base has none")
        return ask(mcq, seed, split)
    return harden(mcq, tier, seed, choice.sampler or "balanced", split)


def read_row(path: Path, index: int | None) -> AnyInstance:
    """Return the stored instance at ``index`` (from 0) among the JSON lines of ``path``.

    A line is an instance, or a row of ``arggym export`` that holds one.

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
    return read_instance(_instance_in(rows[index]))


def _instance_in(line: str) -> str:
    """Return the instance that a row of ``arggym export`` holds; any other line as it is."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return line
    held = row.get("instance") if isinstance(row, dict) else None
    return held if isinstance(held, str) else line


def read_input(name: str) -> str:
    """Return the text of the file called ``name``, or of standard input for ``-``.

    A byte order mark is dropped. Bytes that are not UTF-8 come back as lone surrogates, so that hostile input is
    judged rather than refused.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        content = _read_stdin() if name == STDIN else Path(name).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"cannot read {name!r}: {reason}") from None
    return content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _read_stdin() -> bytes:
    if sys.stdin is None:  # closed by whoever started this process
        raise UsageError("cannot read standard input: it is closed")
    if sys.stdin.isatty():
        print("reading standard input; end it with Ctrl-D", file=sys.stderr)  # noqa: T201
    return sys.stdin.buffer.read()
