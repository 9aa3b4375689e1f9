"""Exporting instances: any mix of coordinates to JSON lines or Parquet, ready for Hugging Face ``datasets``.

ArgGYM's instances and LogiHard's items have the same columns, so that one file may hold both. A row is a pure function
of its coordinates, so an export is the same bytes whatever the number of workers, can be cut into shards, and can be
taken up again where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice, product
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from arggym_env.coordinates import SPLITS, Coordinates, check_split
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozen.guard import refuse_frozen
from arggym_env.instances import AnyInstance
from arggym_env.logihard.coordinates import ItemCoordinates, form_of, generate_item, item_coordinates_of
from arggym_env.parallel import in_order
from arggym_env.rewards.score import JsonValue
from arggym_env.versions import __version__

FRESH_SPLITS: Final = tuple(split for split in SPLITS if split != "frozen")
AnyCoordinates: TypeAlias = Coordinates | ItemCoordinates
"""Where an instance of either benchmark sits."""

_CHUNK: Final = 16
_RAY_BLOCK: Final = 64
_PARQUET_ROWS: Final = 1_000

T = TypeVar("T")


def coordinates_of(
    tasks: Iterable[str],
    levels: Iterable[int],
    orderings: Iterable[str],
    seeds: Iterable[int],
    split: str = "train",
    shard: tuple[int, int] = (0, 1),
) -> Iterator[Coordinates]:
    """Yield the coordinates of an export, seeds changing fastest.

    Args:
        tasks: task names.
        levels: levels.
        orderings: orderings.
        seeds: seeds.
        split: "train" or "eval"; frozen rows are not exported as data.
        shard: (i, n) to take every n-th of them, from the i-th (counted from 0).

    Raises:
        CoordinateError: a value is not allowed.
    """
    _check_fresh(split)
    every = product([get_task(task).name for task in tasks], levels, orderings, list(seeds))
    for task, level, ordering, seed in part_of(every, shard):
        yield Coordinates(task, level, ordering, split, seed)


def letter_coordinates_of(
    tasks: Iterable[str],
    families: Iterable[str],
    levels: Iterable[int],
    tiers: Iterable[str],
    seeds: Iterable[int],
    split: str = "train",
) -> Iterator[ItemCoordinates]:
    """Yield the coordinates of an export of LogiHard items: those of ``item_coordinates_of``.

    Raises:
        CoordinateError: a value is not allowed, or the split is "frozen".
    """
    _check_fresh(split)
    yield from item_coordinates_of(tasks, families, levels, tiers, seeds, split)


def part_of(every: Iterable[T], shard: tuple[int, int]) -> Iterator[T]:
    """Return every n-th of these from the i-th (counted from 0), for a shard (i, n).

    Raises:
        CoordinateError: there is no such shard.
    """
    index, shards = shard
    if not 0 <= index < shards:
        raise CoordinateError(f"shard {index}/{shards} is not i/n with 0 <= i < n")
    return islice(every, index, None, shards)


def row_of(instance: AnyInstance) -> dict[str, JsonValue]:
    """Return an instance as a row: prompt messages, coordinates, the instance as a JSON string, versions.

    Columns are the same for both benchmarks: ``ordering`` is empty in LogiHard's rows, ``family`` and ``tier`` in
    ArgGYM's.

    Raises:
        InstanceError: the instance belongs to a frozen suite.
    """
    refuse_frozen(instance, "training data")
    letters = None if isinstance(instance, Instance) else instance
    return {
        "id": instance.id,
        "prompt": [{"role": "user", "content": instance.prompt}],
        "task": instance.task,
        "level": instance.level,
        "ordering": instance.ordering if isinstance(instance, Instance) else "",
        "family": letters.atomic.family if letters else "",
        "tier": form_of(letters) if letters else "",
        "split": instance.split,
        "seed": instance.seed,
        "floor": instance.floor,
        "prompt_characters": len(instance.prompt),
        "instance": instance.to_json(),
        "package_version": __version__,
        "generator_version": instance.versions.generator,
        "prompt_version": instance.versions.prompt,
        "scoring_version": instance.versions.scoring,
    }


def make_line(where: AnyCoordinates) -> str:
    """Return the row at these coordinates as a line of JSON, without the line break."""
    instance: AnyInstance
    if isinstance(where, ItemCoordinates):
        instance = generate_item(where)
    else:
        instance = generate(where.task, where.level, where.ordering, where.seed, where.split)
    return json.dumps(row_of(instance), ensure_ascii=True, separators=(",", ":"))


def export(
    path: Path,
    coordinates: Sequence[AnyCoordinates],
    *,
    workers: int = 1,
    ray: bool = False,
    resume: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Write one row a line to ``path`` and return how many were written by this call.

    Args:
        path: the file of JSON lines.
        coordinates: what to export, in order.
        workers: processes to use; the file does not depend on it.
        ray: generate through Ray Data instead, on the cluster that Ray is connected to or on this machine (extra:
            ray); neither does the file depend on that.
        resume: go on after the rows that the file holds already; a line that was cut off is written again.
        progress: called with the number of rows in the file after each.

    Raises:
        InstanceError: the file exists and ``resume`` is not asked for, or it holds the rows of another export, or it
            cannot be written; or Ray is asked for and not installed.
    """
    make = _ray_lines if ray else _lines
    if path.is_dir():
        raise InstanceError(f"{path} is a folder, and not a file to write")
    done = _rows_there(path, coordinates) if resume else 0
    if path.exists() and not resume:
        raise InstanceError(f"{path} exists; go on with it (--resume, or resume=True) or choose another file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = path.open("a", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InstanceError(f"{path} cannot be written ({error.strerror})") from None
    with opened as file:
        for number, line in enumerate(make(coordinates[done:], workers), start=done + 1):
            file.write(line + "\n")
            progress(number)
    return len(coordinates) - done


def to_parquet(source: Path, target: Path) -> None:
    """Write the rows of a JSON lines file as Parquet, a thousand at a time.

    Raises:
        InstanceError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # type: ignore[import-not-found, unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InstanceError("Parquet needs pyarrow: pip install 'arggym-env[export]'") from None
    writer = None
    with source.open(encoding="utf-8", newline="\n") as file:
        while batch := list(islice(file, _PARQUET_ROWS)):
            table = pa.Table.from_pylist([json.loads(line) for line in batch])
            writer = writer or pq.ParquetWriter(target, table.schema, compression="zstd")
            writer.write_table(table)
    if writer is not None:
        writer.close()


def _check_fresh(split: str) -> None:
    if check_split(split) not in FRESH_SPLITS:
        raise CoordinateError(f"split {split!r} cannot be exported as data; allowed: {', '.join(FRESH_SPLITS)}")


def _lines(coordinates: Sequence[AnyCoordinates], workers: int) -> Iterator[str]:
    return in_order(make_line, coordinates, workers, chunk=_CHUNK)


def _ray_lines(coordinates: Sequence[AnyCoordinates], workers: int) -> Iterator[str]:
    """Yield the lines as Ray Data makes them, in order; each task generates a block of rows."""
    try:
        import ray.data  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise InstanceError("exporting through Ray needs Ray Data: pip install 'arggym-env[ray]'") from None
    if not coordinates:
        return
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    wanted = ray.data.from_items(
        [{"at": json.dumps(asdict(where))} for where in coordinates],
        override_num_blocks=-(-len(coordinates) // _RAY_BLOCK),
    )
    made = wanted.map_batches(_ray_batch, batch_size=_RAY_BLOCK, batch_format="pandas")
    for batch in made.iter_batches(batch_size=_RAY_BLOCK, batch_format="pandas"):
        yield from batch["line"]


def _ray_batch(batch: Any) -> Any:  # a pandas.DataFrame, which Ray brings
    fields = [json.loads(text) for text in batch["at"]]
    lines = [make_line(ItemCoordinates(**at) if "family" in at else Coordinates(**at)) for at in fields]
    return type(batch)({"line": lines})


def _rows_there(path: Path, coordinates: Sequence[AnyCoordinates]) -> int:
    """Return how many whole rows of the export ``path`` holds, after cutting off a line that was not finished."""
    if not path.exists():
        return 0
    count, end = 0, 0
    with path.open("r+b") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            row = _row_id(line, path, count)
            if count >= len(coordinates) or row != coordinates[count].id:
                raise InstanceError(f"{path}: row {count} is {row!r}, which is not row {count} of this export")
            count += 1
            end += len(line)
        file.truncate(end)
    return count


def _row_id(line: bytes, path: Path, number: int) -> str:
    try:
        row = json.loads(line)
        versions = row["package_version"]
        if versions != __version__:
            raise InstanceError(f"{path}: row {number} was made by version {versions}, this is {__version__}")
        return str(row["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise InstanceError(f"{path}: row {number} is not a row of an export ({error})") from None
