"""Exports are pure functions of their coordinates: workers, shards and interruptions leave no trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arggym_env.envs.instance import Instance
from arggym_env.envs.scoring import score
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.export import coordinates_of, export, row_of, to_parquet
from arggym_env.frozen.suite import load_frozen

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


def test_a_file_of_another_version_is_refused(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(exported.replace(b'"package_version":"', b'"package_version":"9.'))
    with pytest.raises(InstanceError, match="was made by version"):
        export(path, WANTED, resume=True)


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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray about itself
def test_ray_writes_the_same_bytes(exported: bytes, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed (extra: ray)")
    path = tmp_path / "rows.jsonl"
    path.write_bytes(exported[:5_000])
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    try:
        export(path, WANTED, ray=True, resume=True)
    finally:
        ray.shutdown()
    assert path.read_bytes() == exported
