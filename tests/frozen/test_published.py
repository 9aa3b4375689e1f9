"""Rows of the published taskset are read into instances that score with our contracts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS
from arggym_env.envs.scoring import score
from arggym_env.errors import InstanceError
from arggym_env.frozen.published import import_published

SAMPLE = Path(__file__).resolve().parents[3] / "shared" / "data" / "arggym-public" / "published_sample.jsonl"

ROW = {
    "id": "attack/L1/last_link_elitist/s0",
    "task": "attack",
    "question": "The claim b is justified. Make it overruled.",
    "reference_answer": "[defeasible k: c => -r]",
    "metadata": {
        "seed": 0,
        "level": 1,
        "ordering": "last_link_elitist",
        "base_ops": [
            {"kind": "premise", "content": "a"},
            {"kind": "premise", "content": "c"},
            {"kind": "defeasible", "name": "r", "antecedents": ["a"], "consequent": "b"},
        ],
        "state": {"goals": [{"claim": "b", "want": "OVERRULED"}]},
        "gold": {"min_directives": 1},
    },
}


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_row_is_read_and_scored(tmp_path: Path) -> None:
    (instance,) = import_published(written(tmp_path / "rows.jsonl", {"__manifest__": {"n": 1}}, ROW))
    assert (instance.split, instance.task, instance.ordering) == ("published", "attack", "last-link elitist")
    assert instance.prompt.startswith("The claim b is justified.")
    assert "<answer>" in instance.prompt
    assert score(instance, f"<answer>{instance.reference}</answer>").native == 1.0
    assert not score(instance, "<answer>[defeasible k: c => -b]</answer>").success
    assert Instance.from_json(instance.to_json()) == instance


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("task", "atack", "task 'atack' is not one of"),
        ("metadata", {}, "KeyError"),
        ("metadata", {**ROW["metadata"], "ordering": "strongest_link_elitist"}, "ordering"),  # type: ignore[dict-item]
        ("metadata", {**ROW["metadata"], "base_ops": [{"kind": "belief", "content": "a"}]}, "'belief'"),  # type: ignore[dict-item]
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, field: str, value: object, message: str) -> None:
    path = written(tmp_path / "rows.jsonl", ROW, {**ROW, field: value})
    with pytest.raises(InstanceError, match=rf"line 2: .*{message}"):
        import_published(path)


@pytest.mark.parametrize("opening", ["[", '{"id":'])
def test_a_line_nested_without_end_is_named_too(tmp_path: Path, opening: str) -> None:
    path = written(tmp_path / "rows.jsonl", ROW)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(opening * 200_000)
    with pytest.raises(InstanceError, match="line 2: RecursionError"):
        import_published(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match=r"nothing\.jsonl: cannot be read"):
        import_published(tmp_path / "nothing.jsonl")


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample of published rows is not part of a clone")
def test_every_published_sample_row_s_reference_succeeds_under_both_engines() -> None:
    instances = import_published(SAMPLE)
    assert len(instances) == 24
    assert {instance.task for instance in instances} == set(TASKS)
    for instance in instances:
        for engine in ("native", "pyarg"):
            verdict = score(instance, f"<answer>{instance.reference}</answer>", engine=engine)
            assert (verdict.native, verdict.success) == (1.0, True), instance.id
