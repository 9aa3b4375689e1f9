"""Questions by address: what a row of training data says, and the registered environment that asks it.

A prompt is rendered and its completions are scored through the same environment and the same reset, so that what is
scored is what was asked. Questions are kept for a while, because trainers come back to each of them many times.
"""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Final, NamedTuple

import gymnasium as gym

from arggym_env.envs.registry import get_task
from arggym_env.errors import InstanceError
from arggym_env.logihard.base import BASE
from arggym_env.logihard.hardening import COMBINATORIAL
from arggym_env.versions import LOGIHARD_VERSIONS

KEPT: Final = 512
"""How many questions a process keeps, each about 130 KB; the one that was not asked for longest goes first."""


ADDRESS_COLUMNS: Final = ("env_id", "task", "split", "options", "arguments", "versions")
"""The columns that say where a row's question is found, and by which versions of what it was meant."""


class Address(NamedTuple):
    """Where a question is found; equal addresses are the same question on any machine.

    Attributes:
        env_id: the id of a registered environment.
        split: its argument ``split``.
        options: a JSON object for ``reset(options=...)`` that leaves nothing to be drawn.
        arguments: a JSON object of the environment's other arguments.
    """

    env_id: str
    split: str
    options: str
    arguments: str = "{}"

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Address:
        """Return the address that the columns of a row say."""
        return cls(row["env_id"], row["split"], row["options"], row["arguments"])


class Asked(NamedTuple):
    """A question as its environment asks it."""

    instance: Any
    """The question with its gold, of whichever kind the environment has."""
    prompt: str
    info: dict[str, Any]
    """What may be known before it is answered."""


class _Environments(threading.local):
    """The environments of a thread: an environment serves one episode at a time."""

    def __init__(self) -> None:
        self.made: dict[Address, gym.Env[str, str]] = {}


class _Questions:
    """The questions that this process asked last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: OrderedDict[Address, Asked] = OrderedDict()

    def find(self, address: Address) -> Asked | None:
        with self._lock:
            if address in self._asked:
                self._asked.move_to_end(address)
            return self._asked.get(address)

    def keep(self, address: Address, asked: Asked) -> None:
        with self._lock:
            self._asked[address] = asked
            while len(self._asked) > KEPT:
                self._asked.popitem(last=False)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._asked.clear()


_ENVIRONMENTS = _Environments()
_QUESTIONS = _Questions()


def ask(address: Address) -> Asked:
    """Return the question at ``address``, generating it unless this process has it still.

    Raises:
        CoordinateError: the environment refuses an argument or an option.
        InstanceError: options or arguments are not a JSON object.
        gymnasium.error.Error: there is no such environment.
    """
    asked = _QUESTIONS.find(address)
    if asked is None:
        env = environment(address)
        prompt, info = env.reset(options=read_object("options", address.options))
        asked = Asked(env.get_wrapper_attr("instance"), prompt, info)
        _QUESTIONS.keep(address, asked)
    return asked


def find(address: Address) -> Asked | None:
    """Return the question at ``address`` if this process has it still."""
    return _QUESTIONS.find(address)


def environment(address: Address) -> gym.Env[str, str]:
    """Return this thread's environment for ``address``; whoever steps it resets it first."""
    key = address._replace(options="")
    if key not in _ENVIRONMENTS.made:
        arguments = read_object("arguments", address.arguments)
        _ENVIRONMENTS.made[key] = gym.make(address.env_id, disable_env_checker=True, split=address.split, **arguments)
    return _ENVIRONMENTS.made[key]


def read_object(column: str, text: str) -> dict[str, Any]:
    """Return the JSON object that ``text``, from the named column, holds; raise InstanceError otherwise."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InstanceError(f"{column} {text!r:.80} is not a JSON object")
    return found


def check_columns(columns: Collection[str], needed: Sequence[str]) -> None:
    """Accept rows that have the needed columns; raise InstanceError, which names the first missing one, otherwise."""
    for column in needed:
        if column not in columns:
            raise InstanceError(f"there is no column {column!r}; a seed table has {', '.join(needed)}")


@cache
def versions_of(task: str) -> str:
    """Return what the column ``versions`` says in this package's rows of a task, LogiHard's two among them."""
    return json.dumps(asdict(LOGIHARD_VERSIONS if task in (BASE, COMBINATORIAL) else get_task(task).versions))


def check_versions(task: str, text: str) -> None:
    """Accept the column ``versions`` of a row if it says what the task's questions are made and scored with here.

    Raises:
        InstanceError: generator, prompt or scoring version is another one, or is not said.
    """
    if text == versions_of(task):
        return
    found = read_object("versions", text)
    for name, version in json.loads(versions_of(task)).items():
        if found.get(name) != version:
            raise InstanceError(
                f"a row of task {task} has {name} version {found.get(name)!r:.20}; this package has {version}"
            )


def after_fork(forget: Callable[[], None]) -> None:
    """Call ``forget`` in every process forked from this one: a lock that was held would stay locked there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


after_fork(_QUESTIONS.forget)
