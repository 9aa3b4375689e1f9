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
from arggym_env.envs.registry import TASKS
from arggym_env.errors import ArgGymError, RunError
from arggym_env.evaluation.item import Item, item_of
from arggym_env.export import coordinates_of
from arggym_env.frozen.published import import_published
from arggym_env.frozen.suite import load_frozen
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
        limit: at most so many rows, spread evenly over the tasks and otherwise drawn by a hash of their ids: the same
            rows in every run, and those of a smaller limit are among those of a larger one.
        seeds: seeds for each task, level and ordering (suite ``fresh``).
        first_seed: the first of them (suite ``fresh``).
    """

    tasks: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    orderings: tuple[str, ...] = ()
    limit: int | None = None
    seeds: int = 1
    first_seed: int = 0

    def as_json(self) -> dict[str, JsonValue]:
        """Return the fields as JSON values."""
        return {
            "tasks": list(self.tasks),
            "levels": list(self.levels),
            "orderings": list(self.orderings),
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


class _Placed(Protocol):
    """Something with an id and a task."""

    @property
    def id(self) -> str: ...

    @property
    def task(self) -> str: ...


P = TypeVar("P", bound=_Placed)

Suite = Callable[[Selection], Sequence[Entry]]
"""Lists a suite's rows in their order; all of them, or as few as the selection lets it get away with."""


def _frozen(selection: Selection) -> list[Entry]:
    entries = []
    for row, line in load_frozen("arggym").lines():
        task, level, ordering, *_ = row.split("/")
        entries.append(Entry(row, task, int(level[1:]), _ORDERING_OF[ordering], partial(_item_of_line, line)))
    return entries


def _fresh(selection: Selection) -> list[Entry]:
    seeds = range(selection.first_seed, selection.first_seed + selection.seeds)
    found = coordinates_of(TASKS, LEVELS, ORDERINGS, seeds, FRESH_SPLIT)
    return [Entry(at.id, at.task, at.level, at.ordering, partial(_item_at, at)) for at in found]


SUITES: Final[Mapping[str, Suite]] = MappingProxyType({"arggym": _frozen, "fresh": _fresh})
"""The suites by name; any other name is that of a file."""


def load_items(suite: str, selection: Selection) -> list[Item]:
    """Return the selected rows of a suite, in the suite's order.

    Args:
        suite: a key of ``SUITES``, or a file of JSON lines: instances, rows of ``arggym export``, or published rows.
        selection: which of its rows.

    Raises:
        RunError: there is no such suite or file, a chosen task, level or ordering has no row, or ids are not unique.
        InstanceError: a row cannot be read.
    """
    listed = SUITES[suite](selection) if suite in SUITES else _file(Path(suite))
    entries = [entry for entry in listed if _chosen(entry, selection)]
    _check(suite, selection, listed)
    if not entries:
        raise RunError(f"suite {suite}: no row has the chosen tasks, levels and orderings together")
    if len({entry.id for entry in entries}) < len(entries):
        raise RunError(f"suite {suite}: two rows have the same id")
    if selection.limit is not None:
        kept = {entry.id for entry in spread(entries)[: selection.limit]}
        entries = [entry for entry in entries if entry.id in kept]
    return [entry.load() for entry in entries]


def spread(entries: Iterable[P]) -> list[P]:
    """Return ``entries`` one task after the other in turn, each task's own in the order of a hash of their ids."""
    by_task: dict[str, list[P]] = {}
    for entry in sorted(entries, key=lambda entry: hashlib.sha256(entry.id.encode("utf-8", "replace")).digest()):
        by_task.setdefault(entry.task, []).append(entry)
    rounds = zip_longest(*(by_task[task] for task in sorted(by_task)))
    return [entry for turn in rounds for entry in turn if entry is not None]


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
    )


def _check(suite: str, selection: Selection, entries: Sequence[Entry]) -> None:
    """Raise RunError for a chosen task, level or ordering that no row has."""
    if selection.limit is not None and selection.limit < 1:
        raise RunError(f"limit {selection.limit} is not a positive number of rows")
    chosen: tuple[tuple[str, tuple[object, ...], dict[object, None]], ...] = (
        ("task", selection.tasks, {entry.task: None for entry in entries}),
        ("level", selection.levels, {entry.level: None for entry in sorted(entries, key=lambda entry: entry.level)}),
        ("ordering", selection.orderings, {entry.ordering: None for entry in entries}),
    )
    for axis, wanted, there in chosen:
        for value in wanted:
            if value not in there:
                raise RunError(f"{axis} {value!r} is not in suite {suite}: {', '.join(map(str, there))}")


def _item_of_line(line: str) -> Item:
    return item_of(Instance.from_json(line))


def _item_at(at: Coordinates) -> Item:
    return item_of(generate(at.task, at.level, at.ordering, at.seed, at.split))


def _file(path: Path) -> list[Entry]:
    """Return the rows of a file: instances, exported rows that hold one each, or rows of the published taskset."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RunError(
            f"suite {str(path)!r} is not one of {', '.join(SUITES)}, nor a file ({error.strerror})"
        ) from None
    except UnicodeDecodeError as error:
        raise RunError(f"suite {path}: not UTF-8 ({error.reason} at byte {error.start})") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise RunError(f"suite {path}: no rows")
    if _is_published(lines):
        return [_entry_of(instance) for instance in import_published(path)]
    entries = []
    for number, line in lines:
        try:
            row = json.loads(line)
            entries.append(_entry_of(Instance.from_json(row.get("instance", line))))
        except (ValueError, TypeError, AttributeError, RecursionError, ArgGymError) as error:
            raise RunError(f"suite {path}: line {number}: {error}") from None
    return entries


def _is_published(lines: Sequence[tuple[int, str]]) -> bool:
    return any('"__manifest__"' in line[:200] or '"reference_answer"' in line for _, line in lines[:2])


def _entry_of(instance: Instance) -> Entry:
    check_level(instance.level, instance.task)
    return Entry(instance.id, instance.task, instance.level, instance.ordering, partial(item_of, instance))


_ORDERING_OF: Final = {name.replace("-", "_").replace(" ", "_"): name for name in ORDERINGS}
