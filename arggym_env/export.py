"""Exporting instances: any mix of coordinates to JSON lines or Parquet, ready for Hugging Face ``datasets``.

ArgGYM's instances and LogiHard's items have the same columns, so that one file may hold both. A row is a pure function
of its coordinates, so an export is the same bytes whatever the number of workers, can be cut into shards, and can be
taken up again where it stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, fields, replace
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from arggym_env.coordinates import SPLITS, Coordinates, check_split
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozen.guard import refuse_frozen
from arggym_env.instances import AnyInstance
from arggym_env.logihard.coordinates import ItemCoordinates, form_of, generate_item, item_coordinates_of
from arggym_env.parallel import in_order
from arggym_env.rewards.score import JsonValue
from arggym_env.versions import LOGIHARD_VERSIONS, Versions, __version__

FRESH_SPLITS: Final = tuple(split for split in SPLITS if split != "frozen")
AnyCoordinates: TypeAlias = Coordinates | ItemCoordinates
"""Where an instance of either benchmark sits."""

_VERSION_COLUMNS: Final = {field.name: f"{field.name}_version" for field in fields(Versions)}
"""What an instance is made with, and the column that says which version of it."""
_FAR: Final = sys.maxsize // 2
"""Beyond the rows of any export; islice takes no more, and its sum of two such numbers is still one it can hold."""
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
    shard: tuple[int, int] = (0, 1),
) -> Iterator[ItemCoordinates]:
    """Yield the coordinates of an export of LogiHard items: those of ``item_coordinates_of``, or a shard of them.

    Raises:
        CoordinateError: a value is not allowed, or the split is "frozen".
    """
    _check_fresh(split)
    cells = list(item_coordinates_of(tasks, families, levels, tiers, [0], split))
    for cell, seed in part_of(product(cells, list(seeds)), shard):
        yield replace(cell, seed=seed)


def part_of(every: Iterable[T], shard: tuple[int, int]) -> Iterator[T]:
    """Return every n-th of these from the i-th (counted from 0), for a shard (i, n).

    Raises:
        CoordinateError: there is no such shard.
    """
    index, shards = check_shard(shard)
    return islice(every, min(index, _FAR), None, min(shards, _FAR))


def check_shard(shard: tuple[int, int]) -> tuple[int, int]:
    """Return ``shard`` if it is (i, n) with 0 <= i < n; raise CoordinateError otherwise."""
    index, shards = shard
    if not 0 <= index < shards:
        raise CoordinateError(f"shard {index}/{shards} is not i/n with 0 <= i < n")
    return shard


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
        **{_VERSION_COLUMNS[part]: version for part, version in asdict(instance.versions).items()},
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
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8", newline="\n")
    try:
        for number, line in enumerate(make(coordinates[done:], workers), start=done + 1):
            with _writing(path):
                file.write(line + "\n")
            progress(number)
    finally:
        with _writing(path):
            file.close()
    return len(coordinates) - done


def check_parquet(target: Path) -> None:
    """Say before the work whether ``to_parquet`` can write to ``target`` after it.

    Raises:
        InstanceError: pyarrow is not installed, or the target is a folder.
    """
    _pyarrow()
    if target.is_dir():
        raise InstanceError(f"{target} is a folder, and not a file to write")


def to_parquet(source: Path, target: Path) -> None:
    """Write the rows of a JSON lines file as Parquet, a thousand at a time; a file without rows has the columns alone.

    Raises:
        InstanceError: pyarrow is not installed, or the target cannot be written.
    """
    pa, pq = _pyarrow()
    with source.open(encoding="utf-8", newline="\n") as file, ExitStack() as opened:
        batches = iter(lambda: [json.loads(line) for line in islice(file, _PARQUET_ROWS)], [])
        first = next(batches, [])
        schema = pa.Table.from_pylist(first or [row_of(generate(TASKS[0], 1, ORDERINGS[0], 0))]).schema
        opened.enter_context(_writing(target))
        writer = opened.enter_context(pq.ParquetWriter(target, schema, compression="zstd"))
        for batch in chain([first], batches):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet."""
    try:
        import pyarrow as pa  # type: ignore[import-not-found, unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InstanceError("Parquet needs pyarrow: pip install 'arggym-env[export]'") from None
    return pa, pq


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InstanceError(f"{path} cannot be written ({error.strerror or error})") from None


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
            _check_row(line, coordinates[count] if count < len(coordinates) else None, path, count)
            count += 1
            end += len(line)
        file.truncate(end)
    return count


def _check_row(line: bytes, where: AnyCoordinates | None, path: Path, number: int) -> None:
    """Raise InstanceError unless ``line`` is the row at ``where``, made by the versions that make rows here."""
    try:
        row = json.loads(line)
        found = {name: row[name] for name in ("package_version", *_VERSION_COLUMNS.values())}
        name = str(row["id"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InstanceError(f"{path}: row {number} is not a row of an export ({error})") from None
    if found["package_version"] != __version__:
        raise InstanceError(
            f"{path}: row {number} was made by version {found['package_version']}, this is {__version__}"
        )
    if where is None or name != where.id:
        raise InstanceError(f"{path}: row {number} is {name!r}, which is not row {number} of this export")
    for part, ours in asdict(_versions_at(where)).items():
        if (theirs := found[_VERSION_COLUMNS[part]]) != ours:
            raise InstanceError(
                f"{path}: row {number} was made with {part} version {theirs} of task {where.task}, this is {ours}"
            )


def _versions_at(where: AnyCoordinates) -> Versions:
    return LOGIHARD_VERSIONS if isinstance(where, ItemCoordinates) else get_task(where.task).versions
