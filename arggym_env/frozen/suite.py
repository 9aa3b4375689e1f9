"""The frozen suites: rows that never change, with a manifest that says how they came about (spec section 8).

A suite is two files in ``frozen/data``: ``NAME.jsonl.xz``, one JSON row a line, and ``NAME.manifest.json``, which holds
the versions, the accepted seeds, rejection statistics, and the SHA-256 of each row and of the whole.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar, overload

from arggym_env.coordinates import check_level
from arggym_env.engine.orderings import check_ordering
from arggym_env.envs import codec
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import REGISTRY
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue
from arggym_env.versions import LOGIHARD_VERSIONS, Versions

if TYPE_CHECKING:
    from arggym_env.frozen.logihard import LogiHardSuite

SUITES: Final = ("arggym", "logihard")
"""The names of the shipped suites."""
_VERSIONS: Final = {"arggym": Versions(), "logihard": LOGIHARD_VERSIONS}

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the manifest says of one row.

    Attributes:
        id: the row's coordinates as one word.
        sha256: of the row's line, without the line break.
        canonical: of the theory's canonical form (``theory.canonical_hash``); in the LogiHard suite the
            atomic question's ``logihard.twins.fingerprint``.
        shape: the theory's ``theory.shape_key``, a quick test before the canonical form is computed; in the LogiHard
            suite the family.
    """

    id: str
    sha256: str
    canonical: str
    shape: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """How a suite came about.

    Attributes:
        name: the suite's name.
        versions: of generator, prompts and scoring.
        sha256: of the rows' hashes, one a line.
        rows: one entry for each row, in order.
        rejections: by task, how many candidates the generator rejected for each reason, over all rows.
        skipped: seeds that were passed over, with the reason.
    """

    name: str
    versions: Versions
    sha256: str
    rows: tuple[Entry, ...]
    rejections: FrozenMap[FrozenMap[int]]
    skipped: tuple[str, ...]


class FrozenRows(Sequence[R], Generic[R]):
    """The rows of a frozen suite in its order; a row is read when asked for.

    Attributes:
        manifest: how the suite came about.
    """

    def __init__(self, manifest: Manifest, lines: Sequence[str]) -> None:
        self.manifest = manifest
        self._lines = lines
        self._positions = {entry.id: index for index, entry in enumerate(manifest.rows)}

    @abstractmethod
    def read(self, line: str) -> R:
        """Return the row that is stored as ``line``."""

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> R: ...

    @overload
    def __getitem__(self, index: slice) -> list[R]: ...

    def __getitem__(self, index: int | slice) -> R | list[R]:
        if isinstance(index, slice):
            return [self.read(line) for line in self._lines[index]]
        return self.read(self._lines[index])

    def lines(self) -> list[tuple[str, str]]:
        """Return every row's id and its line of JSON, without reading the rows."""
        return [(entry.id, line) for entry, line in zip(self.manifest.rows, self._lines, strict=True)]

    def by_id(self, row: str) -> R:
        """Return the row with this id, such as ``attack/L05/weakest_link_elitist/frozen/1``.

        Raises:
            CoordinateError: the suite has no such row.
        """
        if row not in self._positions:
            raise CoordinateError(f"row {row!r} is not in the frozen suite {self.manifest.name}")
        return self[self._positions[row]]


class FrozenSuite(FrozenRows[Instance]):
    """The ArgGYM suite, in the order of tasks, levels, orderings and seeds."""

    def read(self, line: str) -> Instance:
        return Instance.from_json(line)

    def select(
        self,
        tasks: Iterable[str] | None = None,
        levels: Iterable[int] | None = None,
        orderings: Iterable[str] | None = None,
    ) -> list[Instance]:
        """Return the rows of these tasks, levels and orderings (None for all), in the suite's order.

        Raises:
            CoordinateError: one of them is none of the suite's.
        """
        wanted_tasks = None if tasks is None else {_check_task(task) for task in several_names(tasks)}
        wanted_levels = None if levels is None else {f"L{check_level(level, 'any'):02d}" for level in levels}
        names = None if orderings is None else map(check_ordering, several_names(orderings))
        wanted = None if names is None else {name.replace("-", "_").replace(" ", "_") for name in names}
        found = []
        for index, entry in enumerate(self.manifest.rows):
            task, level, ordering, *_ = entry.id.split("/")
            if (
                (wanted_tasks is None or task in wanted_tasks)
                and (wanted_levels is None or level in wanted_levels)
                and (wanted is None or ordering in wanted)
            ):
                found.append(self[index])
        return found


def _check_task(task: str) -> str:
    if not isinstance(task, str) or task not in REGISTRY:
        raise CoordinateError(f"task {task!r} is not one of {', '.join(REGISTRY)}")
    return task


def several_names(names: Iterable[str]) -> Iterable[str]:
    """Return ``names``; raise CoordinateError for a single name, whose letters would be taken for names."""
    if isinstance(names, str):
        raise CoordinateError(f"{names!r} is one name where several are taken; write [{names!r}]")
    return names


@overload
def load_frozen(name: Literal["arggym"] = "arggym") -> FrozenSuite: ...


@overload
def load_frozen(name: Literal["logihard"]) -> LogiHardSuite: ...


@overload
def load_frozen(name: str) -> FrozenSuite | LogiHardSuite: ...


def load_frozen(name: str = "arggym") -> FrozenSuite | LogiHardSuite:
    """Return the frozen suite called ``name``, checked against its manifest.

    Raises:
        CoordinateError: there is no such suite.
        InstanceError: the rows are not those of the manifest, or were made by another version of the package.
    """
    manifest = load_manifest(name)
    return _suite(manifest, lzma.decompress(_shipped(f"{name}.jsonl.xz")).decode("utf-8"))


def read_suite(folder: Path, name: str) -> FrozenSuite | LogiHardSuite:
    """Return a suite from the two files that ``freeze`` wrote to ``folder``; errors as ``load_frozen``."""
    manifest = parse_manifest((folder / f"{name}.manifest.json").read_text(encoding="utf-8"))
    return _suite(manifest, lzma.decompress((folder / f"{name}.jsonl.xz").read_bytes()).decode("utf-8"))


def _suite(manifest: Manifest, text: str) -> FrozenSuite | LogiHardSuite:
    if manifest.name != "logihard":
        return open_suite(manifest, text)
    from arggym_env.frozen.logihard import LogiHardSuite  # LogiHard's generator asks the manifest for twins

    return LogiHardSuite(manifest, checked_lines(manifest, text))


@cache
def load_manifest(name: str = "arggym") -> Manifest:
    """Return the manifest of the frozen suite called ``name``.

    Raises:
        CoordinateError: there is no such suite.
        InstanceError: the manifest cannot be read.
    """
    if name not in SUITES:
        raise CoordinateError(f"suite {name!r} is not one of {', '.join(SUITES)}")
    return parse_manifest(_shipped(f"{name}.manifest.json").decode("utf-8"))


def _shipped(name: str) -> bytes:
    """Return the content of one of the package's data files."""
    file = resources.files("arggym_env.frozen").joinpath("data", name)
    try:
        return file.read_bytes()
    except OSError as error:
        raise InstanceError(f"the package's file {name} cannot be read ({error}); install it again") from None


def parse_manifest(text: str) -> Manifest:
    """Return the manifest that ``manifest_text`` wrote."""
    try:
        row = json.loads(text)
        return Manifest(
            name=row["name"],
            versions=codec.decode(Versions, row["versions"], "manifest.versions"),
            sha256=row["sha256"],
            rows=tuple(Entry(**entry) for entry in row["rows"]),
            rejections=FrozenMap({task: FrozenMap(counts) for task, counts in row["rejections"].items()}),
            skipped=tuple(row["skipped"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InstanceError(f"manifest: cannot be read ({type(error).__name__}: {error})") from None


def manifest_text(manifest: Manifest) -> str:
    """Return the manifest as JSON, one row's entry a line, so that differences can be read."""
    head: dict[str, JsonValue] = {
        "name": manifest.name,
        "versions": codec.encode(manifest.versions),
        "sha256": manifest.sha256,
        "rejections": {task: dict(counts) for task, counts in manifest.rejections.items()},
        "skipped": list(manifest.skipped),
    }
    fields = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    entries = ",\n".join(json.dumps(codec.encode(entry)) for entry in manifest.rows)
    return "{\n" + ",\n".join(fields) + ',\n"rows": [\n' + entries + "\n]\n}\n"


def write_suite(folder: Path, manifest: Manifest, text: str) -> None:
    """Write a suite's two files to ``folder``, which is made when it is missing; ``read_suite`` is the inverse.

    Raises:
        InstanceError: they cannot be written there.
    """
    make_folder(folder)
    rows = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    for name, content in (("jsonl.xz", rows), ("manifest.json", manifest_text(manifest).encode())):
        file = folder / f"{manifest.name}.{name}"
        try:
            file.write_bytes(content)
        except OSError as error:
            raise InstanceError(f"{file} cannot be written ({error.strerror})") from None


def make_folder(folder: Path) -> None:
    """Make the folder of a suite unless it is there; call it before the work whose results are to go there.

    Raises:
        InstanceError: there can be none, or nothing may be written to it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InstanceError(f"{folder} cannot be the suite's folder ({error.strerror})") from None
    if not os.access(folder, os.W_OK):
        raise InstanceError(f"{folder} cannot be the suite's folder (nothing may be written to it)")


def open_suite(manifest: Manifest, text: str) -> FrozenSuite:
    """Return the ArgGYM suite whose rows are ``text``, one a line, after checking every row against the manifest."""
    return FrozenSuite(manifest, checked_lines(manifest, text))


def checked_lines(manifest: Manifest, text: str) -> list[str]:
    """Return the lines of ``text`` if they are the manifest's rows; raise InstanceError otherwise."""
    ours = _VERSIONS.get(manifest.name, Versions())
    if manifest.versions != ours:
        raise InstanceError(f"suite {manifest.name}: made with {manifest.versions}, this package has {ours}")
    lines = text.split("\n")[:-1]
    if len(lines) != len(manifest.rows):
        raise InstanceError(f"suite {manifest.name}: {len(lines)} rows, the manifest has {len(manifest.rows)}")
    for line, entry in zip(lines, manifest.rows, strict=True):
        if line_hash(line) != entry.sha256:
            raise InstanceError(f"suite {manifest.name}: row {entry.id} differs from the manifest (SHA-256)")
    if whole_hash(manifest.rows) != manifest.sha256:
        raise InstanceError(f"suite {manifest.name}: the manifest's rows do not fit its SHA-256")
    return lines


def line_hash(line: str) -> str:
    """Return the SHA-256 of a row's line."""
    return hashlib.sha256(line.encode()).hexdigest()


def whole_hash(rows: Iterable[Entry]) -> str:
    """Return the SHA-256 over the rows' hashes, one a line."""
    return hashlib.sha256("".join(f"{entry.sha256}\n" for entry in rows).encode()).hexdigest()
