"""The shipped suite: what is in it, that it is guarded against changes, and that loading is lazy."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from arggym_env.engine import ORDERINGS
from arggym_env.envs.registry import TASKS
from arggym_env.envs.scoring import score
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozen.suite import (
    FrozenSuite,
    load_frozen,
    load_manifest,
    manifest_text,
    open_suite,
    parse_manifest,
    read_suite,
)


@pytest.fixture(scope="module")
def suite() -> FrozenSuite:
    return load_frozen()


def rows_text(suite: FrozenSuite) -> str:
    return "".join(f"{line}\n" for _, line in suite.lines())


def test_the_suite_has_two_rows_for_each_task_level_and_ordering(suite: FrozenSuite) -> None:
    assert len(suite) == 1_440
    cells = Counter(row.rsplit("/", 2)[0] for row, _ in suite.lines())
    assert len(cells) == len(TASKS) * 15 * len(ORDERINGS)
    assert set(cells.values()) == {2}


def test_no_two_rows_share_a_theory_but_those_of_the_matched_pair(suite: FrozenSuite) -> None:
    twins = Counter(entry.canonical for entry in suite.manifest.rows)
    shared = {canonical for canonical, count in twins.items() if count > 1}
    tasks = Counter(entry.id.partition("/")[0] for entry in suite.manifest.rows if entry.canonical in shared)
    assert tasks == {"counter_argument": 120, "counter_argument_strict": 120}


def test_rows_are_read_when_asked_for_and_score_without_generation(suite: FrozenSuite) -> None:
    for index in range(0, len(suite), 97):
        instance = suite[index]
        assert instance.id == suite.manifest.rows[index].id
        assert instance.split == "frozen"
        assert score(instance, f"<answer>{instance.reference}</answer>").success
    assert [instance.id for instance in suite[3:5]] == [entry.id for entry in suite.manifest.rows[3:5]]
    assert suite[-1].id == suite.manifest.rows[-1].id


def test_rows_are_found_by_id_and_by_coordinates(suite: FrozenSuite) -> None:
    row = suite.by_id("attack/L05/weakest_link_elitist/frozen/1")
    assert (row.task, row.level, row.ordering, row.seed) == ("attack", 5, "weakest-link elitist", 1)
    assert len(suite.select(tasks=["attack"])) == 120
    assert [r.id for r in suite.select(tasks=["attack"], levels=[5], orderings=["weakest-link elitist"])] == [
        "attack/L05/weakest_link_elitist/frozen/0",
        "attack/L05/weakest_link_elitist/frozen/1",
    ]
    with pytest.raises(CoordinateError, match="attack/L05/nowhere"):
        suite.by_id("attack/L05/nowhere")


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"tasks": "attack"}, "'attack' is one name where several are taken"),
        ({"tasks": ["attack", "nope"]}, "task 'nope' is not one of formalization, "),
        ({"tasks": ["logihard_base"]}, "task 'logihard_base' is not one of formalization, "),
        ({"levels": [99]}, r"level 99 is not in 1\.\.15"),
        ({"orderings": ["x"]}, "ordering 'x' is not one of "),
        ({"orderings": "last-link elitist"}, "is one name where several are taken"),
    ],
    ids=str,
)
def test_what_no_row_has_cannot_be_selected(suite: FrozenSuite, chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(CoordinateError, match=message):
        suite.select(**chosen)


def test_an_unknown_suite_is_refused_by_name() -> None:
    with pytest.raises(CoordinateError, match="'argym' is not one of arggym"):
        load_frozen("argym")


def test_the_manifest_round_trips() -> None:
    manifest = load_manifest()
    assert parse_manifest(manifest_text(manifest)) == manifest


def test_one_changed_byte_is_noticed(suite: FrozenSuite) -> None:
    text = rows_text(suite)
    position = text.index("justified", len(text) // 2)
    changed = text[:position] + "J" + text[position + 1 :]
    with pytest.raises(InstanceError, match="differs from the manifest"):
        open_suite(suite.manifest, changed)


def test_a_missing_row_is_noticed(suite: FrozenSuite) -> None:
    text = rows_text(suite)
    with pytest.raises(InstanceError, match="1439 rows, the manifest has 1440"):
        open_suite(suite.manifest, text[: text.rindex("\n", 0, -1) + 1])


@pytest.mark.parametrize("field", ["generator", "prompt", "scoring"])
def test_a_suite_of_another_version_is_refused(suite: FrozenSuite, field: str) -> None:
    row = json.loads(manifest_text(suite.manifest))
    row["versions"][field] += 1
    with pytest.raises(InstanceError, match="made with"):
        open_suite(parse_manifest(json.dumps(row)), rows_text(suite))


def test_a_manifest_whose_hash_was_changed_is_refused(suite: FrozenSuite) -> None:
    row = json.loads(manifest_text(suite.manifest))
    row["sha256"] = "0" * 64
    with pytest.raises(InstanceError, match="do not fit its SHA-256"):
        open_suite(parse_manifest(json.dumps(row)), rows_text(suite))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 1}', "null"])
def test_a_manifest_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InstanceError, match="manifest: cannot be read"):
        parse_manifest(text)


def test_a_suite_can_be_read_from_a_folder(suite: FrozenSuite, tmp_path: Path) -> None:
    (tmp_path / "arggym.manifest.json").write_text(manifest_text(suite.manifest), encoding="utf-8")
    (tmp_path / "arggym.jsonl.xz").write_bytes(lzma.compress(rows_text(suite).encode()))
    assert read_suite(tmp_path, "arggym").lines() == suite.lines()


def test_the_shipped_files_are_small() -> None:
    data = resources.files("arggym_env.frozen").joinpath("data")
    sizes = [len(data.joinpath(name).read_bytes()) for name in ("arggym.jsonl.xz", "arggym.manifest.json")]
    assert sum(sizes) < 4_000_000


def test_a_missing_file_of_the_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("arggym_env.frozen.suite.resources.files", lambda package: tmp_path)
    with pytest.raises(InstanceError, match=r"arggym\.manifest\.json cannot be read"):
        load_manifest.__wrapped__("arggym")
