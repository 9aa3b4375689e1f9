"""Exports are pure functions of their coordinates: workers, shards and interruptions leave no trace."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arggym_env.envs.instance import Instance
from arggym_env.envs.scoring import score
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.export import (
    AnyCoordinates,
    check_parquet,
    coordinates_of,
    export,
    letter_coordinates_of,
    part_of,
    row_of,
    to_parquet,
)
from arggym_env.frozen.suite import load_frozen
from arggym_env.instances import read_item, score_item
from arggym_env.logihard.coordinates import FORMS, LOGIHARD_TASKS
from arggym_env.logihard.families import FAMILIES

WANTED = list(coordinates_of(["attack", "status_query"], [1, 2], ["last-link elitist"], range(4), split="eval"))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("export") / "rows.jsonl"
    assert export(path, WANTED) == 16
    return path.read_bytes()


def test_a_row_holds_messages_coordinates_instance_and_versions(exported: bytes) -> None:
    rows = [json.loads(line) for line in exported.splitlines()]
    assert [row["id"] for row in rows] == [where.id for where in WANTED]
    row = rows[0]
    instance = Instance.from_json(row["instance"])
    assert row["prompt"] == [{"role": "user", "content": instance.prompt}]
    assert (row["task"], row["level"], row["split"], row["seed"]) == ("attack", 1, "eval", 0)
    assert row["scoring_version"] == instance.versions.scoring
    assert score(instance, f"<answer>{instance.reference}</answer>").success


def test_workers_do_not_change_a_byte(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    export(path, WANTED, workers=2)
    assert path.read_bytes() == exported


@pytest.mark.parametrize("cut", [0, 1, 5_000, 20_000, -1, -3_000])
def test_an_interrupted_export_goes_on_where_it_stopped(exported: bytes, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(exported[:cut])
    whole = exported[:cut].count(b"\n")
    assert export(path, WANTED, resume=True) == 16 - whole
    assert path.read_bytes() == exported


def test_shards_make_up_the_whole(exported: bytes, tmp_path: Path) -> None:
    lines: list[bytes] = []
    for index in range(3):
        wanted = list(
            coordinates_of(["attack", "status_query"], [1, 2], ["last-link elitist"], range(4), "eval", (index, 3))
        )
        path = tmp_path / f"{index}.jsonl"
        export(path, wanted)
        lines += path.read_bytes().splitlines()
    assert sorted(lines) == sorted(exported.splitlines())


def test_an_existing_file_is_not_overwritten(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(exported)
    with pytest.raises(InstanceError, match="exists"):
        export(path, WANTED)
    with pytest.raises(InstanceError, match="not row 0 of this export"):
        export(path, WANTED[1:], resume=True)
    assert path.read_bytes() == exported


def test_what_is_no_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InstanceError, match=r"file/rows\.jsonl cannot be written"):
        export(tmp_path / "file" / "rows.jsonl", WANTED)
    for resume in (False, True):
        with pytest.raises(InstanceError, match="is a folder"):
            export(tmp_path, WANTED, resume=resume)


def test_a_file_of_another_version_is_refused(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(exported.replace(b'"package_version":"', b'"package_version":"9.'))
    with pytest.raises(InstanceError, match="was made by version"):
        export(path, WANTED, resume=True)


@pytest.mark.parametrize("part", ["generator", "prompt", "scoring"])
def test_a_file_of_other_versions_of_a_task_is_refused(
    exported: bytes, mixed: bytes, tmp_path: Path, part: str
) -> None:
    path = tmp_path / "rows.jsonl"
    for content, wanted, row, task in ((exported, WANTED, 9, "status_query"), (mixed, MIXED, 4, "logihard_base")):
        lines = content.splitlines(keepends=True)
        lines[row] = re.sub(rb'"%s_version":\d+' % part.encode(), b'"%s_version":77' % part.encode(), lines[row])
        path.write_bytes(b"".join(lines))
        with pytest.raises(InstanceError, match=f"row {row} was made with {part} version 77 of task {task}, this is "):
            export(path, wanted, resume=True)
        assert path.read_bytes() == b"".join(lines)


def test_frozen_rows_are_not_exported() -> None:
    with pytest.raises(InstanceError, match="training data"):
        row_of(load_frozen()[0])
    with pytest.raises(CoordinateError, match="split 'frozen' cannot be exported"):
        list(coordinates_of(["attack"], [1], ["last-link elitist"], [0], split="frozen"))


@pytest.mark.parametrize("shard", [(2, 2), (-1, 2), (0, 0)])
def test_a_bad_shard_is_refused(shard: tuple[int, int]) -> None:
    with pytest.raises(CoordinateError, match="shard"):
        list(coordinates_of(["attack"], [1], ["last-link elitist"], [0], shard=shard))


def test_parquet_holds_the_same_rows(exported: bytes, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra: export)")
    source, target = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    source.write_bytes(exported)
    to_parquet(source, target)
    assert pq.read_table(target).to_pylist() == [json.loads(line) for line in exported.splitlines()]


def test_a_shard_without_rows_becomes_a_parquet_file_with_the_columns_alone(exported: bytes, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra: export)")
    empty, source = tmp_path / "empty.jsonl", tmp_path / "rows.jsonl"
    export(empty, [])
    source.write_bytes(exported)
    to_parquet(empty, tmp_path / "empty.parquet")
    to_parquet(source, tmp_path / "rows.parquet")
    found = pq.read_table(tmp_path / "empty.parquet")
    assert found.num_rows == 0
    assert found.schema == pq.read_table(tmp_path / "rows.parquet").schema


def test_a_folder_is_no_parquet_file(exported: bytes, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: export)")
    source = tmp_path / "rows.jsonl"
    source.write_bytes(exported)
    with pytest.raises(InstanceError, match="is a folder, and not a file to write"):
        check_parquet(tmp_path)
    with pytest.raises(InstanceError, match="cannot be written"):
        to_parquet(source, tmp_path)


LETTERS = list(letter_coordinates_of(LOGIHARD_TASKS, FAMILIES, [1], FORMS, range(2)))
MIXED: list[AnyCoordinates] = [*WANTED[:4], *LETTERS]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("export") / "rows.jsonl"
    export(path, MIXED)
    return path.read_bytes()


def test_logihard_items_are_exported_in_the_columns_of_instances(mixed: bytes) -> None:
    rows = [json.loads(line) for line in mixed.splitlines()]
    assert [row["id"] for row in rows] == [where.id for where in MIXED]
    assert len({tuple(row) for row in rows}) == 1
    assert len(LETTERS) == 2 * len(FAMILIES) * len(FORMS)
    for row, where in zip(rows[4:], LETTERS, strict=True):
        item = read_item(row["instance"])
        assert row["prompt"] == [{"role": "user", "content": item.prompt}]
        found = (row["task"], row["family"], row["tier"], row["level"], row["split"], row["seed"], row["ordering"])
        assert found == (where.task, where.family, where.tier, 1, "train", where.seed, "")
        assert row["prompt_version"] == item.versions.prompt
        assert score_item(item, item.reference).success


def test_a_seed_asks_the_same_question_in_every_form(mixed: bytes) -> None:
    rows = [json.loads(line) for line in mixed.splitlines()][4:]
    questions = {(row["family"], row["seed"], read_item(row["instance"]).atomic.to_json()) for row in rows}
    assert len(questions) == 2 * len(FAMILIES)
    assert len(rows) == len(questions) * len(FORMS)


def test_a_file_of_both_benchmarks_is_taken_up_again_and_becomes_parquet(mixed: bytes, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra: export)")
    source, target = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    source.write_bytes(mixed[: len(mixed) // 2])
    export(source, MIXED, resume=True, workers=2)
    assert source.read_bytes() == mixed
    to_parquet(source, target)
    assert pq.read_table(target).to_pylist() == [json.loads(line) for line in mixed.splitlines()]


def test_frozen_logihard_rows_and_coordinates_are_not_exported() -> None:
    suite = load_frozen("logihard")
    for row in (suite[0], suite[-1]):
        with pytest.raises(InstanceError, match="training data"):
            row_of(row)
    with pytest.raises(CoordinateError, match="split 'frozen' cannot be exported"):
        list(letter_coordinates_of(LOGIHARD_TASKS, ["knights"], [1], ["base"], [0], split="frozen"))
    with pytest.raises(CoordinateError, match=r"level 6 is not in 1\.\.5"):
        list(letter_coordinates_of(LOGIHARD_TASKS, ["knights"], [6], ["base"], [0]))
    with pytest.raises(CoordinateError, match="tier 'harder' is not one of 'base'"):
        list(letter_coordinates_of(LOGIHARD_TASKS, ["knights"], [1], ["harder"], [0]))
    with pytest.raises(CoordinateError, match="task 'logihard' is not one of logihard_base"):
        list(letter_coordinates_of(["logihard"], ["knights"], [1], ["base"], [0]))


def test_shards_of_letters_make_up_the_whole() -> None:
    for count in (1, 3, 10**30):
        parts = [
            list(letter_coordinates_of(LOGIHARD_TASKS, FAMILIES, [1], FORMS, range(2), shard=(index, count)))
            for index in range(min(count, 3))
        ]
        assert parts == [LETTERS[index :: min(count, len(LETTERS))] for index in range(len(parts))]


def test_parts_of_any_coordinates_make_up_the_whole() -> None:
    parts = [list(part_of(MIXED, (index, 3))) for index in range(3)]
    assert sorted(where.id for part in parts for where in part) == sorted(where.id for where in MIXED)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray about itself
def test_ray_writes_the_same_bytes(exported: bytes, mixed: bytes, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed (extra: ray)")
    path = tmp_path / "rows.jsonl"
    path.write_bytes(exported[:5_000])
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    try:
        export(path, WANTED, ray=True, resume=True)
        export(tmp_path / "mixed.jsonl", MIXED, ray=True)
    finally:
        ray.shutdown()
    assert path.read_bytes() == exported
    assert (tmp_path / "mixed.jsonl").read_bytes() == mixed
