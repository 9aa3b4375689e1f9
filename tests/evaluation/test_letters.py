"""LogiHard as a suite: what is asked, what its outcomes are, what baselines earn, and the tables of its records."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

import arggym_env as ag
from arggym_env.envs.stream import Stream
from arggym_env.errors import RunError
from arggym_env.evaluation.agents import AgentBackend
from arggym_env.evaluation.folder import Run, RunFolder, manifest_of, read_run, write_records
from arggym_env.evaluation.harness import Job, ask, rescore
from arggym_env.evaluation.item import Item, item_of
from arggym_env.evaluation.letter_tables import HARDENED
from arggym_env.evaluation.record import Outcome, Record, Reply, judge
from arggym_env.evaluation.report import write_report
from arggym_env.evaluation.settings import Settings
from arggym_env.evaluation.suites import Selection, fingerprint, load_items
from arggym_env.evaluation.table import Table
from arggym_env.evaluation.tables import tables_of
from arggym_env.export import row_of
from arggym_env.frozen.logihard import BASE_ROWS, TIER_ROWS
from arggym_env.frozen.suite import load_frozen
from arggym_env.instances import LogiHardItem
from arggym_env.logihard.answers import LETTERS, join_letters
from arggym_env.logihard.base import BaseItem
from arggym_env.logihard.coordinates import FORMS, LOGIHARD_TASKS, ItemCoordinates, generate_item
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.formulas import true_indices
from arggym_env.logihard.policies import option_count, policies
from arggym_env.rewards.score import Reason
from arggym_env.versions import LOGIHARD_VERSIONS
from tests.test_cli import Shell

BOTH = Selection(tasks=("attack", *LOGIHARD_TASKS), levels=(1, 2), seeds=1)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


def run_agent(path: Path, agent: str, suite: str, selection: Selection, label: str | None = None) -> Run:
    """Make a whole run of a baseline agent."""
    items, settings = load_items(suite, selection), Settings(model=agent)
    backend = AgentBackend(agent, items)
    manifest = manifest_of(
        items,
        label=label or agent,
        suite=suite,
        selection=selection,
        samples=1,
        backend=backend.name,
        source=backend.source,
        model=agent,
        request=settings.request(),
        settings=settings.record(),
    )
    with RunFolder(path, manifest) as folder:
        ask(folder, items, settings, backend)
    return read_run(path)


def table(tables: list[Table], name: str) -> list[dict[str, object]]:
    (found,) = (table for table in tables if table.name == name)
    return cast("list[dict[str, object]]", found.as_json()["rows"])


# What is asked


def test_the_frozen_suite_is_asked_whole() -> None:
    items = load_items("logihard", Selection())
    assert [item.id for item in items] == [entry.id for entry in load_frozen("logihard").manifest.rows]
    assert Counter(item.tier for item in items) == {"base": BASE_ROWS} | dict(TIER_ROWS.items())
    for item in items[::97]:
        assert item.score(f"I think\n{item.reference}").success


def test_a_selection_chooses_by_tier_family_task_and_level() -> None:
    chosen = Selection(levels=(2,), tiers=("hard", "expert"), families=("knights",))
    items = load_items("logihard", chosen)
    assert {(item.tier, item.family, item.level) for item in items} == {
        ("hard", "knights", 2),
        ("expert", "knights", 2),
    }
    assert Selection.from_json(json.loads(json.dumps(chosen.as_json()))) == chosen
    assert {item.tier for item in load_items("logihard", Selection(tasks=("logihard_base",)))} == {"base"}


def test_a_limit_takes_both_kinds_and_a_smaller_one_is_part_of_a_larger() -> None:
    small, large = (load_items("logihard", Selection(limit=limit)) for limit in (10, 40))
    assert {item.id for item in small} < {item.id for item in large}
    assert Counter(item.task for item in large) == dict.fromkeys(LOGIHARD_TASKS, 20)


@pytest.mark.parametrize("suite", ["logihard", "fresh", "file"])
def test_a_limit_asks_the_same_questions_in_both_forms(tmp_path: Path, suite: str) -> None:
    chosen = Selection(tasks=LOGIHARD_TASKS, limit=24)
    if suite == "file":
        suite = str(tmp_path / "rows.jsonl")
        made = [generate_item(ItemCoordinates("knights", 1, tier, "eval", n)) for n in range(30) for tier in FORMS[:2]]
        Path(suite).write_text("".join(item.to_json() + "\n" for item in made), encoding="utf-8")
    items = load_items(suite, chosen)
    base = {item.question for item in items if item.tier == "base"}
    assert len(base) == 12
    assert {item.question for item in items if item.tier != "base"} <= base


def test_fresh_items_are_asked_where_they_are_chosen_and_are_those_of_their_seeds() -> None:
    chosen = Selection(tasks=LOGIHARD_TASKS, levels=(1,), families=("ordering",), seeds=2, first_seed=3)
    items = load_items("fresh", chosen)
    assert [item.id for item in items] == [
        ItemCoordinates("ordering", 1, tier, "eval", seed).id for tier in FORMS for seed in (3, 4)
    ]
    assert items[0].prompt == generate_item(ItemCoordinates("ordering", 1, "base", "eval", 3)).prompt
    assert len({item.question for item in items}) == 2
    only = load_items("fresh", Selection(tiers=("expert",), families=("ordering",), levels=(1,)))
    assert [item.tier for item in only] == ["expert"]


def test_files_of_items_and_exported_rows_are_suites_also_with_argumentation(tmp_path: Path) -> None:
    made = [generate_item(ItemCoordinates("knights", 1, tier, "eval", 0)) for tier in FORMS]
    instance = ag.generate("attack", 1, ag.ORDERINGS[0], 0, "eval")
    plain, exported = tmp_path / "plain.jsonl", tmp_path / "exported.jsonl"
    plain.write_text("".join(row.to_json() + "\n" for row in (*made, instance)), encoding="utf-8")
    exported.write_text("".join(json.dumps(row_of(row)) + "\n" for row in (*made, instance)), encoding="utf-8")
    items = load_items(str(plain), Selection())
    assert [item.tier for item in items] == [*FORMS, ""]
    assert fingerprint(items) == fingerprint(load_items(str(exported), Selection()))
    assert [item.tier for item in load_items(str(plain), Selection(tiers=("hard",)))] == ["hard"]


@pytest.mark.parametrize(
    ("suite", "fields", "problem"),
    [
        ("logihard", {"tiers": ("harder",)}, "tier 'harder' is not in suite logihard: base, easy, "),
        ("logihard", {"families": ("knight",)}, "family 'knight' is not in suite logihard: propositional, "),
        ("logihard", {"tasks": ("attack",)}, "task 'attack' is not in suite logihard: logihard_base, "),
        ("logihard", {"levels": (6,)}, "level 6 is not in suite logihard: 1, 2, 3, 4, 5"),
        ("logihard", {"orderings": (ag.ORDERINGS[0],)}, "its rows have no ordering"),
        ("logihard", {"tasks": ("logihard_base",), "tiers": ("easy",)}, "no row has all that was chosen at once"),
        ("arggym", {"tiers": ("hard",)}, "tier 'hard' is not in suite arggym: its rows have no tier"),
    ],
)
def test_a_choice_that_is_not_there_is_refused_by_name(suite: str, fields: dict[str, object], problem: str) -> None:
    with pytest.raises(RunError) as raised:
        load_items(suite, replace(Selection(), **fields))  # type: ignore[arg-type]
    assert problem in str(raised.value)


# Outcomes


def item(tier: str = "expert") -> Item:
    return item_of(generate_item(ItemCoordinates("knights", 1, tier, "eval", 0)))


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        (Reply("So:\n{reference}", finish_reason="stop"), Outcome.CORRECT, Reason.CORRECT),
        (Reply("<answer>\n{reference}\n</answer>", finish_reason="stop"), Outcome.CORRECT, Reason.CORRECT),
        (Reply("{reference}", "so", "stop"), Outcome.CORRECT, Reason.CORRECT),
        (Reply("A, B, C, D, E, F", finish_reason="stop"), Outcome.WRONG, Reason.WRONG),
        (Reply("It is the first one.", finish_reason="stop"), Outcome.MALFORMED, Reason.UNREADABLE),
        (Reply("Z", finish_reason="stop"), Outcome.MALFORMED, Reason.UNREADABLE),
        (Reply("", "{reference}", "stop"), Outcome.NO_ANSWER, Reason.NO_ANSWER),
        (
            Reply("<think><answer>{reference}</answer>", finish_reason="stop"),
            Outcome.ANSWER_IN_THOUGHTS,
            Reason.ANSWER_IN_THOUGHTS,
        ),
        (Reply("so far\n{reference}", finish_reason="length"), Outcome.TRUNCATED, Reason.NO_ANSWER),
        (Reply("<answer>{reference}</answer> and", finish_reason="length"), Outcome.CORRECT, Reason.CORRECT),
    ],
)
def test_every_completion_has_its_outcome(reply: Reply, outcome: Outcome, reason: Reason) -> None:
    asked = item()
    text, reasoning = (
        None if part is None else part.replace("{reference}", asked.reference) for part in (reply.text, reply.reasoning)
    )
    record = judge(asked, 0, {}, "test", False, replace(reply, text=text, reasoning=reasoning))
    assert record.outcome is outcome
    assert record.score is not None
    assert record.score.reason is reason
    assert Record.from_line(record.to_line()) == record
    assert (record.benchmark, record.tier, record.family) == ("logihard", "expert", "knights")


def test_a_record_carries_the_versions_of_its_benchmark() -> None:
    record = judge(item(), 0, {}, "test", None, Reply("A"))
    assert record.versions["logihard_scoring"] == LOGIHARD_VERSIONS.scoring
    assert "scoring" not in record.versions


# Baselines


def with_another_key(made: LogiHardItem) -> LogiHardItem:
    """Return the same question with another option for its key."""
    atomic = replace(made.atomic, answer=(made.atomic.answer + 1) % 4)
    if isinstance(made, BaseItem):
        return replace(made, atomic=atomic, reference=LETTERS[made.order.index(atomic.answer)])
    key = made.order.index(atomic.answer)
    return replace(made, atomic=atomic, reference=join_letters(true_indices(made.formulas, key)))


@pytest.mark.parametrize("tier", FORMS)
def test_policies_and_guesses_are_readable_and_do_not_look_at_the_key(tier: str) -> None:
    made = generate_item(ItemCoordinates("selection", 2, tier, "eval", 1))
    asked = item_of(made)
    for name, answer in asked.policies().items():
        assert asked.score(answer).reason in (Reason.CORRECT, Reason.WRONG), name
    assert asked.policies()["all_letters"] == ", ".join("ABCDEF"[: option_count(made)])
    assert asked.policies() == policies(with_another_key(made))
    guesses = {asked.guess(Stream("test", seed)) for seed in range(600)}
    assert len(guesses) == {"base": 4, "easy": 15, "medium": 31, "hard": 31, "expert": 63}[tier]
    for guess in guesses:
        assert asked.score(guess).answer_found


def test_the_agents_earn_what_they_should() -> None:
    items = load_items("logihard", Selection(tiers=("base", "medium", "hard"), levels=(1, 2)))

    def earned(agent: str) -> float:
        solved: list[bool] = []
        jobs = [Job(item, 0, {}) for item in items]
        AgentBackend(agent, items).answer(
            jobs, lambda job, reply: solved.append(job.item.score(reply.text or "").success)
        )
        return sum(solved) / len(solved)

    assert earned("reference") == 1.0
    assert earned("constant:all_letters") == 0.0
    for agent in ("floor", "constant:longest"):
        assert earned(agent) == pytest.approx(0.25, abs=0.06)
    assert 0.1 < earned("constant:A") < 0.3


def test_a_letter_that_an_item_does_not_offer_is_a_policy_of_the_others() -> None:
    items = load_items("logihard", Selection(tiers=("base", "expert"), levels=(1,), limit=60))
    said: dict[str, str | None] = {}
    jobs = [Job(item, 0, {}) for item in items]
    AgentBackend("constant:F", items).answer(jobs, lambda job, reply: said.update({job.item.tier: reply.text}))
    assert said == {"base": "I do not know.", "expert": "<answer>\nF\n</answer>"}
    with pytest.raises(RunError, match=r"no chosen row has a policy of that name; there are A, B, .*all_letters"):
        AgentBackend("constant:G", items)


# Runs and reports


def test_a_run_over_both_benchmarks_is_recorded_rescored_and_reported(tmp_path: Path) -> None:
    first = run_agent(tmp_path / "a", "reference", "fresh", BOTH)
    second = run_agent(tmp_path / "b", "random", "fresh", BOTH)
    assert {record.benchmark for record in first.records} == {"arggym", "logihard"}
    assert {"scoring", "logihard_scoring"} <= set(first.manifest.versions)
    again = rescore(tmp_path / "b")
    assert (again.records, again.gained, again.lost) == (len(second.records), 0, 0)

    tables = tables_of([first, second])
    assert {row["task"] for row in table(tables, "by_task")} == set(BOTH.tasks)
    assert {row["task"] for row in table(tables, "by_task_and_band_success")} == {"attack"}
    levels = table(tables, "by_level")
    assert sum(int(str(row["records"])) for row in levels) == 2 * sum(r.task == "attack" for r in first.records)
    forms = table(tables, "by_form")
    assert [row["form"] for row in forms] == [*FORMS, HARDENED] * 2
    assert {row["family"] for row in table(tables, "by_family")} == set(FAMILIES)
    costs = table(tables, "hardening")
    assert [row["form"] for row in costs] == [*FORMS[1:], HARDENED] * 2
    assert {row["questions"] for row in costs} == {2 * len(FAMILIES)}
    assert {row["task"] for row in table(tables, "paired")} == {*BOTH.tasks, "all"}
    for name in ("youden", "f1"):
        assert name.capitalize() in table(tables, "partial_credit")[0]
    write_report(tmp_path / "report.html", [first, second], tables)
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_report_shows_what_hardening_costs_in_pairs(tmp_path: Path) -> None:
    run = run_agent(tmp_path, "reference", "fresh", Selection(tasks=LOGIHARD_TASKS, levels=(1,)))
    failed = {record.id for record in run.records if record.tier == "expert" and record.family != "knights"}
    spoilt = [
        replace(record, score=replace(record.score, native=0.0, success=False), outcome=Outcome.WRONG)
        if record.id in failed and record.score
        else record
        for record in run.records
    ]
    write_records(tmp_path, spoilt)
    costs = {row["form"]: row for row in table(tables_of([read_run(tmp_path)]), "hardening")}
    lost = len(FAMILIES) - 1
    assert (costs["expert"]["only atomic"], costs["expert"]["only hardened"]) == (lost, 0)
    assert costs["expert"]["atomic"] == 1.0
    assert costs["expert"]["hardened"] == pytest.approx(1 / len(FAMILIES))
    difference = costs["hard"]["difference"]
    assert isinstance(difference, dict)
    assert (difference["value"], difference["n"], difference["items"]) == (0.0, 7, 7)
    assert difference["low"] == -difference["high"] < 0


def test_the_command_evaluates_the_suite_resumes_and_reports(shell: Shell, tmp_path: Path) -> None:
    words = ("eval", "--suite", "logihard", "--agent", "random", "--limit", "60", "--out", str(tmp_path / "run"))
    assert "60 of 60 asked" in shell(*words).out
    rows = (tmp_path / "run" / "rows.jsonl").read_bytes()
    (tmp_path / "run" / "rows.jsonl").write_bytes(rows[: len(rows) // 2])
    assert "60 of 60 asked" in shell(*words).out
    assert sorted((tmp_path / "run" / "rows.jsonl").read_bytes().split(b"\n")) == sorted(rows.split(b"\n"))
    code, out, err = shell(*words, "--tier", "hard")
    assert (code, out) == (2, "")
    assert "holds another run (selection" in err
    assert "60 records scored again: 0 succeed only now" in shell("rescore", str(tmp_path / "run")).out

    code, out, err = shell("report", str(tmp_path / "run"), "--csv", str(tmp_path), "--html", str(tmp_path / "r.html"))
    assert (code, err) == (0, "")
    assert "LogiHard: success by form and level" in out
    assert "Success by band of levels" not in out
    with (tmp_path / "by_form.csv").open(encoding="utf-8", newline="") as file:
        assert {row["form"] for row in csv.DictReader(file)} >= {"base", HARDENED}
    assert "logihard_combinatorial" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_mixed_versions_of_one_benchmark_are_refused() -> None:
    items = [item("base"), replace(item("hard"), versions=replace(LOGIHARD_VERSIONS, generator=9))]
    with pytest.raises(RunError, match="has logihard_generator version 9, rows before it"):
        manifest_of(
            items,
            label="m",
            suite="f",
            selection=Selection(),
            samples=1,
            backend="agent",
            source="x",
            model="m",
            request={},
            settings={},
        )
