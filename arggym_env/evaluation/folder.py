"""A run is a folder: ``run.json`` says what was asked and how, ``rows.jsonl`` holds one record a line.

A record is appended in one write as soon as there is one, so a run can be killed at any point: on opening, a last line
without its line break is cut off, and what it would have held is asked again. Of several records of the same question
the last one counts; there are several only where the earlier ones are API errors. A folder is locked while a process
works on it, and the lock goes with the process however that ends.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final

from arggym_env.errors import RunError
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import Outcome, Record, versions_of_all
from arggym_env.evaluation.suites import Selection, fingerprint
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue

FORMAT: Final = 1
"""Of the two files; changes when their fields do."""
MANIFEST: Final = "run.json"
ROWS: Final = "rows.jsonl"
LOCK: Final = "run.lock"
ADAPTIVE: Final = "adaptive"
"""The setting that holds the rule of an adaptive test; runs that ask whole suites have none."""

_FREE: Final = ("label", "source", "environment")
"""What a resumed run may change: its name, and where it runs. Each record says where it was asked."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run asks, of whom, and how.

    Attributes:
        label: the run's name in reports.
        suite: the suite's name or file.
        selection: which of its rows.
        items: how many.
        sha256: fingerprint of the items.
        tasks: the items' tasks, in the suite's order.
        orderings: the items' orderings, in the suite's order.
        samples: how often each item is asked.
        backend: "chat", "vllm" or "agent".
        source: the base URL, or the name of the backend.
        model: the model's name, or the agent's.
        request: every request but its messages and seed.
        settings: what else was set: reasoning, thinking, context, seed, system prompt.
        versions: of the package and of every benchmark that has items here.
        environment: versions of the interpreter and of libraries.
    """

    label: str
    suite: str
    selection: Selection
    items: int
    sha256: str
    tasks: tuple[str, ...]
    orderings: tuple[str, ...]
    samples: int
    backend: str
    source: str
    model: str
    request: Mapping[str, JsonValue]
    settings: Mapping[str, JsonValue]
    versions: Mapping[str, JsonValue]
    environment: Mapping[str, JsonValue]

    @property
    def asked(self) -> int:
        """How many records a finished run has."""
        return self.items * self.samples

    def as_json(self) -> dict[str, JsonValue]:
        """Return the fields as JSON values."""
        row: dict[str, Any] = {"format": FORMAT}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Selection):
                value = value.as_json()
            elif isinstance(value, Mapping):
                value = dict(value)
            row[field.name] = list(value) if isinstance(value, tuple) else value
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Manifest:
        """Return the manifest that ``as_json`` wrote.

        Raises:
            RunError: it did not, or its format is another one.
        """
        row = dict(row)
        if (found := row.pop("format", None)) != FORMAT:
            raise RunError(f"run format {found!r} is not this package's format {FORMAT}")
        try:
            for name in ("request", "settings", "versions", "environment"):
                row[name] = FrozenMap(row[name])
            for name in ("tasks", "orderings"):
                row[name] = tuple(row[name])
            return cls(**{**row, "selection": Selection.from_json(row["selection"])})
        except (KeyError, TypeError, AttributeError) as error:
            raise RunError(f"{MANIFEST} cannot be read ({type(error).__name__}: {error})") from None


def manifest_of(
    items: Sequence[Item],
    *,
    label: str,
    suite: str,
    selection: Selection,
    samples: int,
    backend: str,
    source: str,
    model: str,
    request: Mapping[str, JsonValue],
    settings: Mapping[str, JsonValue],
) -> Manifest:
    """Return the manifest of a run over ``items``.

    Raises:
        RunError: items of one benchmark carry different versions.
    """
    return Manifest(
        label=label,
        suite=suite,
        selection=selection,
        items=len(items),
        sha256=fingerprint(items),
        tasks=tuple(dict.fromkeys(item.task for item in items)),
        orderings=tuple(dict.fromkeys(item.ordering for item in items)),
        samples=samples,
        backend=backend,
        source=source,
        model=model,
        request=FrozenMap(request),
        settings=FrozenMap(settings),
        versions=FrozenMap(versions_of_all(items)),
        environment=FrozenMap(_environment()),
    )


class RunFolder:
    """A run's folder, open and locked for writing; use it as a context manager.

    Attributes:
        path: the folder.
        manifest: what the run asks.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._records: dict[tuple[str, int], Record] = {}

    def __enter__(self) -> RunFolder:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{self.path}: cannot be used as a run folder ({error.strerror})") from None
        with ExitStack() as opened:
            opened.enter_context(locked(self.path))
            self._take_up()
            self._rows = opened.enter_context((self.path / ROWS).open("ab", buffering=0))
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    @property
    def records(self) -> list[Record]:
        """The records so far, one for each question asked."""
        return list(self._records.values())

    def answered(self, item: str, sample: int) -> bool:
        """Whether there is a completion for this sample of the item; an API error is none."""
        record = self._records.get((item, sample))
        return record is not None and record.outcome is not Outcome.API_ERROR

    def append(self, record: Record) -> None:
        """Add a record, in the file before anything else."""
        self._rows.write(record.to_line().encode("ascii") + b"\n")
        self._records[record.key] = record

    def _take_up(self) -> None:
        """Write the manifest of a new run, or check that it is the one there is; read what is recorded."""
        path = self.path / MANIFEST
        if path.exists():
            _check_same(self.path, read_manifest(self.path), self.manifest)
            cut_torn_line(self.path / ROWS)
            self._records = {record.key: record for record in read_records(self.path)}
            _check_versions(self.path, self.manifest, self._records.values())
        elif (self.path / ROWS).exists():
            raise RunError(f"{self.path}: has {ROWS} but no {MANIFEST}; it is not a run folder")
        write_manifest(self.path, self.manifest)


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it was recorded.

    Attributes:
        path: its folder.
        manifest: what it asks.
        records: one for each question asked so far, by task, level, ordering, id and sample.
    """

    path: Path
    manifest: Manifest
    records: tuple[Record, ...]


def read_run(path: Path) -> Run:
    """Return the run in a folder, also while it is going on.

    Raises:
        RunError: it is not a run folder, or its records do not fit its manifest.
    """
    manifest = read_manifest(path)
    found = {record.key: record for record in read_records(path)}
    _check_versions(path, manifest, found.values())
    places = {task: place for place, task in enumerate(manifest.tasks)}
    order = {ordering: place for place, ordering in enumerate(manifest.orderings)}

    def place(record: Record) -> tuple[int, int, int, str, int]:
        known = places.get(record.task, len(places)), record.level, order.get(record.ordering, len(order))
        return *known, record.id, record.sample

    return Run(path, manifest, tuple(sorted(found.values(), key=place)))


def read_manifest(path: Path) -> Manifest:
    """Return a folder's manifest; raise RunError if there is none."""
    try:
        row = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path}: not a run folder ({MANIFEST}: {error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: {MANIFEST} is not JSON ({error})") from None
    if not isinstance(row, dict):
        raise RunError(f"{path}: {MANIFEST} is not a JSON object")
    return Manifest.from_json(row)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Put a folder's manifest in place, whole or not at all."""
    replace(path / MANIFEST, json.dumps(manifest.as_json(), indent=1).encode() + b"\n")


def read_records(path: Path) -> list[Record]:
    """Return all records of a folder in the order of the file; a last line without its line break is passed over.

    Raises:
        RunError: a line is not a record.
    """
    file = path / ROWS
    if not file.exists():
        return []
    records = []
    # Completions may hold any character that str.splitlines would take for a line break: only b"\n" ends a record.
    for number, line in enumerate(file.read_bytes().split(b"\n")[:-1], start=1):
        try:
            records.append(Record.from_line(line.decode("utf-8")))
        except (RunError, UnicodeDecodeError) as error:
            raise RunError(f"{file}: line {number}: {error}") from None
    return records


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Put a folder's records in place, all or none."""
    replace(path / ROWS, b"".join(record.to_line().encode("ascii") + b"\n" for record in records))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a folder's lock, which goes with the process.

    Raises:
        RunError: another process has it, or there can be none.
    """
    try:
        file = (path / LOCK).open("a+b")
    except OSError as error:
        raise RunError(f"{path}: cannot be used as a run folder ({error.strerror})") from None
    with file:
        try:
            _lock(file)
        except OSError:
            raise RunError(f"{path}: another process is working on this run") from None
        yield


def cut_torn_line(file: Path) -> None:
    """Cut off what stands after the last line break of a file."""
    if file.exists():
        content = file.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(file, whole)


def replace(file: Path, content: bytes) -> None:
    """Give a file new content: readers see the old or the new, never a part.

    What is no file, such as a pipe or a device, is written to and stays what it is.
    """
    if file.exists() and not file.is_file():
        file.write_bytes(content)
        return
    file = file.resolve()  # a link stays a link
    beside = file.with_name(f"{file.name}.new")
    try:
        beside.write_bytes(content)
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _check_same(path: Path, old: Manifest, new: Manifest) -> None:
    before, after = old.as_json(), new.as_json()
    for name in before:
        if name not in _FREE and before[name] != after[name]:
            what = f"{name} {json.dumps(before[name])} there, {json.dumps(after[name])} asked for"
            raise RunError(f"{path}: holds another run ({what}); choose another folder")


def _check_versions(path: Path, manifest: Manifest, records: Iterable[Record]) -> None:
    for record in records:
        if not record.versions.items() <= manifest.versions.items():
            raise RunError(
                f"{path}: row {record.id} has versions {json.dumps(dict(record.versions))}, the run "
                f"{json.dumps(dict(manifest.versions))}; arggym rescore brings them together"
            )


def _environment() -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {"python": platform.python_version(), "platform": platform.platform()}
    for library in ("openai", "vllm"):
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            found[library] = None
    return found


def _lock(file: BinaryIO) -> None:
    if sys.platform == "win32":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
