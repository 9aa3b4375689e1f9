"""The suites that can be evaluated: the frozen rows, fresh instances, and files of rows.

A suite lists its rows without building them, a selection chooses among them, and only the chosen ones become items.
``SUITES`` is the table of the suites that have a name; another suite joins by one more line in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from arggym_env.coordinates import LEVELS, Coordinates, check_level
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.plugins import plugin_names
from arggym_env.envs.registry import TASKS
from arggym_env.errors import ArgGymError, RunError
from arggym_env.evaluation.item import Item, item_of
from arggym_env.export import coordinates_of
from arggym_env.frozen.published import import_published
from arggym_env.frozen.suite import load_frozen
from arggym_env.instances import AnyInstance, read_instance
from arggym_env.logihard.base import BASE
from arggym_env.logihard.coordinates import (
    BASE_FORM,
    FORMS,
    LOGIHARD_LEVELS,
    LOGIHARD_TASKS,
    ItemCoordinates,
    form_of,
    generate_item,
    item_coordinates_of,
)
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.hardening import COMBINATORIAL
from arggym_env.rewards.score import JsonValue

FRESH_SPLIT: Final = "eval"
"""The split that fresh instances for evaluation come from; training never sees it."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows of a suite are evaluated; an empty field chooses all.

    Attributes:
        tasks: only these tasks.
        levels: only these levels.
        orderings: only these orderings.
        tiers: only these forms of LogiHard questions, "base" or an operator tier.
        families: only these families of LogiHard questions.
        limit: at most so many rows, spread evenly over the tasks and otherwise drawn by a hash, questions that are
            asked in several tasks first: the same rows in every run, and those of a smaller limit are among those of a
            larger one.
        seeds: seeds for each cell of task, level and ordering, or family, level and tier (suite ``fresh``).
        first_seed: the first of them (suite ``fresh``).
    """

    tasks: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    orderings: tuple[str, ...] = ()
    limit: int | None = None
    seeds: int = 1
    first_seed: int = 0
    tiers: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    def as_json(self) -> dict[str, JsonValue]:
        """Return the fields as JSON values."""
        return {
            "tasks": list(self.tasks),
            "levels": list(self.levels),
            "orderings": list(self.orderings),
            "tiers": list(self.tiers),
            "families": list(self.families),
            "limit": self.limit,
            "seeds": self.seeds,
            "first_seed": self.first_seed,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, JsonValue]) -> Selection:
        """Return the selection that ``as_json`` wrote.

        Raises:
            RunError: it did not.
        """
        try:
            fields = {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
            return cls(**fields)  # type: ignore[arg-type]
        except TypeError as error:
            raise RunError(f"selection {dict(value)!r:.200} cannot be read ({error})") from None


@dataclass(frozen=True, slots=True)
class Entry:
    """A row that has not been built yet."""

    id: str
    task: str
    level: int
    ordering: str
    load: Callable[[], Item]
    tier: str = ""
    family: str = ""
    question: str = ""


class _Placed(Protocol):
    """Something with an id, a task, and the question that it shares with other forms of it, if there are any."""

    @property
    def id(self) -> str: ...

    @property
    def task(self) -> str: ...

    @property
    def question(self) -> str: ...


P = TypeVar("P", bound=_Placed)

Suite = Callable[[Selection], Sequence[Entry]]
"""Lists a suite's rows in their order; all of them, or as few as the selection lets it get away with."""


def _frozen_arggym(selection: Selection) -> list[Entry]:
    entries = []
    for row, line in load_frozen("arggym").lines():
        task, level, ordering, *_ = row.split("/")
        entries.append(Entry(row, task, int(level[1:]), _ORDERING_OF[ordering], partial(_item_of_line, line)))
    return entries


def _frozen_logihard(selection: Selection) -> list[Entry]:
    entries = []
    for row, line in load_frozen("logihard").lines():
        family, level, split, seed, tier, *_ = row.split("/")
        task = BASE if tier == BASE_FORM else COMBINATORIAL
        question = "/".join((family, level, split, seed))
        entries.append(Entry(row, task, int(level[1:]), "", partial(_item_of_line, line), tier, family, question))
    return entries


def _fresh(selection: Selection) -> list[Entry]:
    """Return all of ArgGYM, and of LogiHard and of a plug-in's task where the selection asks for any of it."""
    seeds = range(selection.first_seed, selection.first_seed + selection.seeds)
    plugins = [task for task in plugin_names() if task in selection.tasks]
    found = coordinates_of([*TASKS, *plugins], LEVELS, ORDERINGS, seeds, FRESH_SPLIT)
    entries = [Entry(at.id, at.task, at.level, at.ordering, partial(_item_at, at)) for at in found]
    if selection.tiers or selection.families or set(selection.tasks) & set(LOGIHARD_TASKS):
        letters = item_coordinates_of(LOGIHARD_TASKS, FAMILIES, LOGIHARD_LEVELS, FORMS, seeds, FRESH_SPLIT)
        entries += [
            Entry(at.id, at.task, at.level, "", partial(_item_at, at), at.tier, at.family, at.question)
            for at in letters
        ]
    return entries


SUITES: Final[Mapping[str, Suite]] = MappingProxyType(
    {"arggym": _frozen_arggym, "logihard": _frozen_logihard, "fresh": _fresh}
)
"""The suites by name; any other name is that of a file."""


def load_items(suite: str, selection: Selection) -> list[Item]:
    """Return the selected rows of a suite, in the suite's order.

    Args:
        suite: a key of ``SUITES``, or a file of JSON lines: instances of either benchmark, rows of ``arggym export``,
            or published rows.
        selection: which of its rows.

    Raises:
        RunError: there is no such suite or file, a chosen task, level, ordering, tier or family has no row, or ids are
            not unique.
        InstanceError: a row cannot be read.
    """
    listed = SUITES[suite](selection) if suite in SUITES else _file(Path(suite))
    entries = [entry for entry in listed if _chosen(entry, selection)]
    _check(suite, selection, listed)
    if not entries:
        raise RunError(f"suite {suite}: no row has all that was chosen at once")
    if twice := repeated(entry.id for entry in entries):
        raise RunError(f"suite {suite}: two rows have the same id {twice!r:.80}")
    if selection.limit is not None:
        kept = {entry.id for entry in spread(entries)[: selection.limit]}
        entries = [entry for entry in entries if entry.id in kept]
    return [entry.load() for entry in entries]


def repeated(ids: Iterable[str]) -> str | None:
    """Return the first id that stands twice; None if each is unique."""
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            return name
        seen.add(name)
    return None


def spread(entries: Iterable[P]) -> list[P]:
    """Return ``entries`` one task after the other in turn, each task's own in the order of a hash.

    The hash is of the question where it is asked in several forms, and of the id elsewhere. Questions that are there
    for several tasks come first, so that the first rows of these tasks ask the same ones and can be compared in pairs.
    """
    entries = list(entries)
    tasks: dict[str, set[str]] = {}
    for entry in entries:
        tasks.setdefault(entry.question, set()).add(entry.task)

    def place(entry: P) -> tuple[bool, bytes, bytes]:
        alone = not entry.question or len(tasks[entry.question]) < 2
        return alone, _hash(entry.question or entry.id), _hash(entry.id)

    by_task: dict[str, list[P]] = {}
    for entry in sorted(entries, key=place):
        by_task.setdefault(entry.task, []).append(entry)
    rounds = zip_longest(*(by_task[task] for task in sorted(by_task)))
    return [entry for turn in rounds for entry in turn if entry is not None]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def fingerprint(items: Iterable[Item]) -> str:
    """Return a SHA-256 over the items' ids, prompts and references: two runs with the same one saw the same suite."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps([item.id, item.prompt, item.reference]).encode() + b"\n")
    return digest.hexdigest()


def _chosen(entry: Entry, selection: Selection) -> bool:
    return (
        (not selection.tasks or entry.task in selection.tasks)
        and (not selection.levels or entry.level in selection.levels)
        and (not selection.orderings or entry.ordering in selection.orderings)
        and (not selection.tiers or entry.tier in selection.tiers)
        and (not selection.families or entry.family in selection.families)
    )


def _check(suite: str, selection: Selection, entries: Sequence[Entry]) -> None:
    """Raise RunError for a chosen task, level, ordering, tier or family that no row has."""
    if selection.limit is not None and selection.limit < 1:
        raise RunError(f"limit {selection.limit} is not a positive number of rows")
    chosen: tuple[tuple[str, tuple[object, ...], dict[object, None]], ...] = (
        ("task", selection.tasks, {entry.task: None for entry in entries}),
        ("level", selection.levels, {entry.level: None for entry in sorted(entries, key=lambda entry: entry.level)}),
        ("ordering", selection.orderings, {entry.ordering: None for entry in entries if entry.ordering}),
        ("tier", selection.tiers, {entry.tier: None for entry in entries if entry.tier}),
        ("family", selection.families, {entry.family: None for entry in entries if entry.family}),
    )
    for axis, wanted, there in chosen:
        for value in wanted:
            if value not in there:
                known = ", ".join(map(str, there)) or f"its rows have no {axis}"
                raise RunError(f"{axis} {value!r} is not in suite {suite}: {known}")


def _item_of_line(line: str) -> Item:
    return item_of(read_instance(line))


def _item_at(at: Coordinates | ItemCoordinates) -> Item:
    if isinstance(at, ItemCoordinates):
        return item_of(generate_item(at))
    return item_of(generate(at.task, at.level, at.ordering, at.seed, at.split))


def _file(path: Path) -> list[Entry]:
    if not path.exists():
        raise RunError(f"suite {str(path)!r} is not one of {', '.join(SUITES)}, nor a file")
    return [_entry_of(instance) for instance in read_questions(path)]


def read_questions(path: Path) -> list[AnyInstance]:
    """Return the rows of a file: instances, exported rows that hold one each, or rows of the published taskset.

    Raises:
        RunError: the file cannot be read, or a line of it is no such row.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RunError(f"file {str(path)!r} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise RunError(f"file {path}: not UTF-8 ({error.reason} at byte {error.start})") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise RunError(f"file {path}: no rows")
    if _is_published(lines):
        return [*import_published(path)]
    found = []
    for number, line in lines:
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise RunError(f"not a row but {line.strip()!r:.40}")
            instance = read_instance(row.get("instance", line))
            if isinstance(instance, Instance):
                check_level(instance.level, instance.task)
            found.append(instance)
        except (ValueError, TypeError, AttributeError, RecursionError, ArgGymError) as error:
            raise RunError(f"file {path}: line {number}: {error}") from None
    return found


def _is_published(lines: Sequence[tuple[int, str]]) -> bool:
    return any('"__manifest__"' in line[:200] or '"reference_answer"' in line for _, line in lines[:2])


def _entry_of(instance: AnyInstance) -> Entry:
    load = partial(item_of, instance)
    if isinstance(instance, Instance):
        return Entry(instance.id, instance.task, instance.level, instance.ordering, load)
    atomic, form = instance.atomic, form_of(instance)
    return Entry(instance.id, instance.task, instance.level, "", load, form, atomic.family, atomic.id)


_ORDERING_OF: Final = {name.replace("-", "_").replace(" ", "_"): name for name in ORDERINGS}
