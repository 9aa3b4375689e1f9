"""Tasks of other distributions: found by their entry points, imported when they are first asked for.

A distribution declares ``"<namespace>.<task>" = "module:TASK"`` in the entry-point group ``arggym_env.tasks``. Its
environment is ``<namespace>/<task>-v0``, its name everywhere else ``<namespace>.<task>``: with a dot, which no task of
the suite has. Finding the names reads the metadata of what is installed and imports nothing, so that a broken plug-in
harms only who asks for it.
"""

from __future__ import annotations

import dataclasses
import logging
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from types import MappingProxyType
from typing import Final

from arggym_env.envs.question import Question
from arggym_env.envs.task import Task
from arggym_env.errors import PluginError
from arggym_env.versions import Versions

GROUP: Final = "arggym_env.tasks"
"""The entry-point group that declares tasks."""
RESERVED: Final = ("arggym", "logihard")
"""Namespaces that plug-ins may not use."""

_NAME: Final = re.compile(r"([a-z][a-z0-9_]*)\.[a-z][a-z0-9_]*")
_LOG: Final = logging.getLogger("arggym_env")


@dataclass(frozen=True, slots=True)
class Declared:
    """A task that a distribution declares.

    Attributes:
        name: the task's name, ``<namespace>.<task>``.
        entry: where it is imported from.
        distribution: who declares it, name and version.
        problem: why it cannot be used, as far as its declaration shows; None when nothing is wrong with that.
    """

    name: str
    entry: EntryPoint
    distribution: str
    problem: str | None = None

    @property
    def env_id(self) -> str:
        """The id of the task's environment."""
        namespace, _, task = self.name.partition(".")
        return f"{namespace}/{task}-v0"


def plugin_names() -> tuple[str, ...]:
    """Return the names of the tasks that plug-ins declare and that can be asked for, sorted."""
    return tuple(name for name, task in declared().items() if task.problem is None)


def plugin_problems() -> tuple[str, ...]:
    """Return a line for each declaration that is refused."""
    return tuple(task.problem for task in declared().values() if task.problem is not None)


@cache
def declared() -> Mapping[str, Declared]:
    """Return what plug-ins declare by name, sorted; what is installed later in this process is not seen."""
    found: defaultdict[str, list[Declared]] = defaultdict(list)
    for task in _declarations():
        found[task.name].append(task)
    return MappingProxyType({name: _only(found[name]) for name in sorted(found)})


def load_plugin(name: str) -> Task | None:
    """Return the plug-in task called ``name``, imported now if it was not; None when no plug-in declares it.

    What its methods raise and return is checked where the package calls them (``checked``).

    Raises:
        PluginError: it cannot be used; the message names the distribution that declares it.
    """
    task = declared().get(name)
    return None if task is None else _load(task)


def name_of(name: str) -> str:
    """Return what errors call the task that a plug-in declares as ``name``: with its distribution."""
    return f"task {name!r} of {declared()[name].distribution}"


@cache
def _load(task: Declared) -> Task:
    if task.problem is not None:
        raise PluginError(task.problem)
    who = name_of(task.name)
    try:
        loaded = task.entry.load()
    except (Exception, SystemExit) as error:  # whatever the other distribution's code raises is its fault
        raise PluginError(f"{who} cannot be imported from {task.entry.value}: {one_line(error)}") from error
    try:
        problem = next(_problems(loaded, task.name), None)
        if problem is None:
            return loaded  # type: ignore[no-any-return]
    except (Exception, SystemExit) as error:  # its attributes may be code as well
        raise PluginError(f"{who}: {task.entry.value} cannot be examined: {one_line(error)}") from error
    raise PluginError(f"{who}: {task.entry.value} {problem}")


def _problems(loaded: object, name: str) -> Iterator[str]:
    """Yield what keeps an imported object from being the task called ``name``."""
    if not isinstance(loaded, Task):
        yield f"is {type(loaded).__name__}, not an instance of a subclass of arggym_env.envs.task.Task"
        return
    for attribute in ("name", "summary", "question_type", "levels"):
        if not hasattr(loaded, attribute):
            yield f"has no {attribute}"
            return
    if loaded.name != name:
        yield f"is called {loaded.name!r:.80}, which is not the name of the entry point"
    if "versions" not in {field for kind in type(loaded).__mro__ if kind is not Task for field in vars(kind)}:
        yield "declares no versions of its own (versions = Versions(generator=1, prompt=1, scoring=1))"
    versions = loaded.versions
    if not isinstance(versions, Versions) or {*map(type, dataclasses.astuple(versions))} != {int}:
        yield f"has versions {versions!r:.80}, not Versions of three integers"
    if not isinstance(loaded.summary, str):
        yield f"has a summary that is {type(loaded.summary).__name__}, not a string"
    if not isinstance(loaded.stream_name, str | None):
        yield f"has a stream_name that is {type(loaded.stream_name).__name__}, not a string or None"
    yield from _problems_of_levels(loaded.levels)
    kind = loaded.question_type
    if not (isinstance(kind, type) and issubclass(kind, Question) and dataclasses.is_dataclass(kind)):
        yield "has a question_type that is not a dataclass derived from arggym_env.envs.question.Question"


def _problems_of_levels(levels: object) -> Iterator[str]:
    if not isinstance(levels, Sequence):
        yield f"has levels that are {type(levels).__name__}, not a tuple"
        return
    if len(levels) != 15:
        yield f"has {len(levels)} levels, not 15"
    for level in levels:
        if not dataclasses.is_dataclass(level) or isinstance(level, type):
            yield f"has a level that is {type(level).__name__}, not an instance of a frozen dataclass"


def _declarations() -> Iterator[Declared]:
    """Yield the entry points of the group; of a distribution that is found twice those of the first, as imports do.

    Only the metadata that name the group are parsed: what is wrong elsewhere is no concern of ours.
    """
    seen: set[str] = set()
    for distribution in distributions():
        if not _names_the_group(distribution):
            continue
        name, version = _called(distribution)
        if name in seen:
            continue
        seen.add(name)
        who = f"{name} {version}"
        try:
            entries = list(distribution.entry_points.select(group=GROUP))
        except (TypeError, ValueError) as error:
            _LOG.warning("the entry points of %s cannot be read and are ignored: %s", who, one_line(error))
            continue
        for entry in entries:
            yield Declared(entry.name, entry, who, _misnamed(entry.name, who))


def _names_the_group(distribution: Distribution) -> bool:
    try:
        return f"[{GROUP}]" in (distribution.read_text("entry_points.txt") or "")
    except ValueError:  # it is not text
        return False


def _called(distribution: Distribution) -> tuple[str, str]:
    """Return the distribution's name, as package indexes compare it, and its version."""
    metadata = distribution.metadata
    return re.sub(r"[-_.]+", "-", str(metadata["Name"])).lower(), str(metadata["Version"])


def _misnamed(name: str, distribution: str) -> str | None:
    """Say what is wrong with a declared name, None when nothing is."""
    match = _NAME.fullmatch(name)
    if match is None:
        return (
            f"task {name!r} of {distribution} is ignored: a plug-in's task is named <namespace>.<task>, "
            "both of lower-case letters, digits and underscores"
        )
    if match[1] in RESERVED:
        return f"task {name!r} of {distribution} is ignored: the namespaces {', '.join(RESERVED)} are reserved"
    return None


def _only(found: list[Declared]) -> Declared:
    """Return the one declaration of a name; several are refused together, since none has more right to it."""
    first, *others = found
    if not others:
        return first
    who = " and ".join(sorted(task.distribution for task in found))
    problem = f"task {first.name!r} is declared by {who}; it cannot be used until one of them is gone"
    return dataclasses.replace(first, problem=problem)


def one_line(error: BaseException) -> str:
    """Return class and message of an error of other people's code, on one line of bounded length."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # a message that cannot be written is as much theirs as the error
        message = "(without a readable message)"
    return f"{type(error).__name__}: {message}"[:300]
