"""Suites and selections: what is asked is what was chosen, the same in every run; and the baseline agents on it."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import arggym_env as ag
from arggym_env.envs.stream import Stream
from arggym_env.errors import ArgGymError, RunError
from arggym_env.evaluation.agents import AgentBackend
from arggym_env.evaluation.record import Outcome
from arggym_env.evaluation.suites import Selection, fingerprint, load_items, spread
from arggym_env.export import row_of
from arggym_env.rewards.score import Reason
from tests.evaluation.runs import run_agent, some_items
from tests.frozen.test_published import SAMPLE

every_task = pytest.mark.parametrize("task", ag.TASKS)


def test_a_limit_takes_an_even_mix_and_a_smaller_one_is_part_of_a_larger() -> None:
    small, large = ({item.id for item in some_items(limit)[1]} for limit in (24, 60))
    assert small < large
    counts = Counter(item.task for item in some_items(60)[1])
    assert set(counts) == set(ag.TASKS)
    assert set(counts.values()) == {5}
    assert len({item.level for item in some_items(60)[1]}) > 10


def test_items_come_in_the_suites_order_and_are_asked_mixed() -> None:
    _, items = some_items(60)
    positions = [ag.TASKS.index(item.task) for item in items]
    assert positions == sorted(positions)
    assert len({item.task for item in spread(items)[:12]}) == 12


def test_a_selection_chooses_exactly_its_rows() -> None:
    chosen = Selection(tasks=("attack",), levels=(1, 15), orderings=("weakest-link elitist",))
    items = load_items("arggym", chosen)
    assert len(items) == 4
    assert {(item.task, item.ordering) for item in items} == {("attack", "weakest-link elitist")}
    assert {item.level for item in items} == {1, 15}
    assert Selection.from_json(json.loads(json.dumps(chosen.as_json()))) == chosen


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"tasks": ("atack",)}, "task 'atack' is not in suite arggym: formalization"),
        ({"levels": (16,)}, "level 16 is not in suite"),
        ({"orderings": ("elitist",)}, "ordering 'elitist' is not in suite"),
        ({"limit": 0}, "limit 0"),
    ],
)
def test_a_choice_that_is_not_there_is_refused_by_name(fields: dict[str, object], problem: str) -> None:
    with pytest.raises(RunError) as raised:
        load_items("arggym", replace(Selection(), **fields))  # type: ignore[arg-type]
    assert problem in str(raised.value)


def test_fresh_items_are_those_of_their_seeds_and_no_others_are_generated() -> None:
    chosen = Selection(tasks=("status_query",), levels=(1,), seeds=2, first_seed=5)
    items = load_items("fresh", chosen)
    assert len(items) == 8
    assert {item.id.split("/")[-1] for item in items} == {"5", "6"}
    assert {item.id.split("/")[-2] for item in items} == {"eval"}
    assert fingerprint(items) == fingerprint(load_items("fresh", chosen))
    assert fingerprint(items) != fingerprint(load_items("fresh", replace(chosen, first_seed=0)))


def test_a_file_of_instances_or_exported_rows_is_a_suite(tmp_path: Path) -> None:
    made = [ag.generate("attack", 2, ag.ORDERINGS[0], seed, "eval") for seed in range(3)]
    plain, exported = tmp_path / "plain.jsonl", tmp_path / "exported.jsonl"
    plain.write_text("".join(instance.to_json() + "\n" for instance in made), encoding="utf-8")
    exported.write_text("".join(json.dumps(row_of(instance)) + "\n" for instance in made), encoding="utf-8")
    items = load_items(str(plain), Selection())
    assert [item.id for item in items] == [instance.id for instance in made]
    assert fingerprint(items) == fingerprint(load_items(str(exported), Selection()))


def test_published_rows_are_a_suite() -> None:
    if not SAMPLE.exists():
        pytest.skip("the published rows are not beside this checkout")
    items = load_items(str(SAMPLE), Selection(limit=3))
    for item in items:
        assert item.score(f"<answer>\n{item.reference}\n</answer>").success


@pytest.mark.parametrize("content", ["", "{}", "[]", "not JSON", '{"instance": 3}', '{"instance": "{}"}', "\udcff"])
def test_a_file_that_is_no_suite_is_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ArgGymError) as raised:
        load_items(str(file), Selection())
    assert "\n" not in str(raised.value)
    assert "rows.jsonl" in str(raised.value)


def test_a_name_that_is_neither_suite_nor_file_lists_the_suites() -> None:
    with pytest.raises(RunError, match="'argym' is not one of arggym, "):
        load_items("argym", Selection())


def test_rows_with_the_same_id_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    row = ag.generate("attack", 1, ag.ORDERINGS[0], 0, "eval").to_json()
    file.write_text(f"{row}\n{row}\n", encoding="utf-8")
    with pytest.raises(RunError, match=re.escape(f"same id {ag.Instance.from_json(row).id!r}")):
        load_items(str(file), Selection())


def test_the_reference_agent_solves_everything(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "reference", limit=36)
    assert {record.outcome for record in run.records} == {Outcome.CORRECT}
    assert {record.native for record in run.records} == {1.0}


def test_the_floor_agent_earns_the_floor_of_every_item_and_solves_none(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "floor", limit=36)
    for record in run.records:
        assert record.native == pytest.approx(record.floor), record.id
        assert not record.success


def test_a_constant_agent_says_the_same_everywhere_and_nothing_where_its_policy_means_nothing(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "constant:all_justified", limit=24)
    said = {record.task: record.outcome for record in run.records}
    assert said["attack"] is Outcome.NO_ANSWER
    assert said["status_query"] is Outcome.WRONG
    with pytest.raises(RunError, match=r"there are .*all_justified"):
        AgentBackend("constant:most_justified", some_items(12)[1])
    for wrong in ("constant", "oracle", ""):
        with pytest.raises(RunError, match="is not one of"):
            AgentBackend(wrong, some_items(1)[1])


@every_task
def test_a_guess_is_readable_legal_random_and_repeatable(task: str) -> None:
    _, items = some_items(8, tasks=(task,))
    guesses = {item.guess(Stream("test", seed)) for item in items for seed in range(6)}
    assert len(guesses) > 24
    for item in items:
        guess = item.guess(Stream("test", 0))
        assert guess == item.guess(Stream("test", 0))
        verdict = item.score(f"<answer>\n{guess}\n</answer>")
        assert verdict.reason is not Reason.UNREADABLE
        assert not verdict.detail.get("refused")
        assert not verdict.detail.get("unreadable")


def test_samples_of_the_random_agent_differ(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "random", limit=6, samples=3)
    assert len({record.reply.text for record in run.records}) > 12
