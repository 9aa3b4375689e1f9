"""The audit passes on the shipped rows and notices what was tampered with."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from arggym_env.envs.registry import TASKS
from arggym_env.frozen.audit import audit, audit_row
from arggym_env.frozen.suite import load_frozen

Row = dict[str, object]


def lines_of(task: str, step: int) -> list[tuple[str, str]]:
    return [(row, line) for row, line in load_frozen().lines() if row.startswith(f"{task}/")][::step]


@pytest.mark.parametrize("task", TASKS)
def test_native_audit_finds_nothing_on_a_sample_of_every_task(task: str) -> None:
    report = audit(lines_of(task, 9), oracle=False)
    assert report.examples == []
    assert report.rows == 14


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_agrees_on_small_rows_of_every_task(task: str) -> None:
    report = audit([lines_of(task, 1)[2]])
    assert report.examples == []


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_agrees_on_every_row(task: str) -> None:
    report = audit(lines_of(task, 1))
    assert report.examples == []
    assert report.rows == 120


def test_minima_and_active_orderings_are_those_of_the_paper_or_more() -> None:
    lines = [pair for task in TASKS for pair in lines_of(task, 1)]
    report = audit(lines[::5], oracle=False)
    for task, at_least in {
        "status_query": 107,
        "defeat_diagnosis": 101,
        "claim_chain": 120,
        "perturbation": 120,
    }.items():
        assert report.principle_active[task] / report.rows_by_task[task] >= at_least / 120
    assert report.lift_active["status_query"] * 2 >= report.rows_by_task["status_query"]


def test_the_matched_pair_has_the_paper_s_minima() -> None:
    for task, expected in {
        "counter_argument": {3: 40, 4: 48, 5: 24, 6: 8},
        "counter_argument_strict": {2: 48, 3: 40, 4: 24, 5: 8},
    }.items():
        minima: dict[int, int] = {}
        for _, line in lines_of(task, 1):
            minimum = json.loads(line)["min_directives"]
            minima[minimum] = minima.get(minimum, 0) + 1
        assert minima == expected


def change(row: Row, field: str, value: object) -> None:
    row[field] = value


def flip_ordering(row: Row) -> None:
    coordinates = row["coordinates"]
    assert isinstance(coordinates, dict)
    old = coordinates["ordering"]
    coordinates["ordering"] = old.replace("elitist", "democratic") if "elitist" in old else old + "?"
    row["id"] = str(row["id"]).replace("elitist", "democratic")


def miscount(row: Row) -> None:
    stats = row["stats"]
    assert isinstance(stats, dict)
    stats["arguments"] += 1


TAMPERING: dict[str, tuple[Callable[[Row], object], str]] = {
    "reference": (lambda row: change(row, "reference", "[defeasible q: x => y]"), "rescoring"),
    "minimum": (lambda row: change(row, "min_directives", 1), "structure"),
    "prompt": (lambda row: change(row, "prompt", str(row["prompt"]) + " "), "decoding"),
    "ordering": (flip_ordering, "ordering"),
    "stats": (miscount, "structure"),
    "field": (lambda row: row.pop("floor"), "decoding"),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_noticed(name: str) -> None:
    tamper, check = TAMPERING[name]
    row, line = next(pair for pair in lines_of("attack", 1) if "/L03/last_link_elitist/" in pair[0])
    changed = json.loads(line)
    tamper(changed)
    found = audit_row(str(changed["id"]), json.dumps(changed, separators=(",", ":")), oracle=False)
    assert check in {kind for kind, _ in found.failures}
    assert audit_row(row, line, oracle=False).failures == ()
