"""Seed tables: rows drawn by weight from streams of their own, rendered by the registered environments."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import arggym_env as ag
from arggym_env.envs.mixture import MIXTURE_TASKS, key_at
from arggym_env.frozen.guard import refuse_frozen
from arggym_env.rewards import asking
from arggym_env.rewards.asking import Address
from arggym_env.training.seed_table import COLUMNS, Render, check_table, seed_rows
from tests.training.rows import EVERY_TASK, instance_of, of_every_task, rendered

ROOT = Path(__file__).parent.parent.parent


def plain(rows: int, **arguments: Any) -> list[dict[str, Any]]:
    """Return rows as they stand in the table."""
    return seed_rows(rows, **{"seed": 0, **arguments})


def seed_table(rows: int, **arguments: Any) -> Any:
    """Return the table itself."""
    pytest.importorskip("datasets", reason="datasets is not installed (extra: train)")
    from arggym_env.training import seed_table

    return seed_table.seed_table(rows, **arguments)


def fingerprint(rows: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


class AtLevel:
    """A curriculum that has come to one level."""

    def __init__(self, level: int) -> None:
        self._level = level

    def level(self, row: Mapping[str, Any]) -> int:
        return self._level if row["task"] in ag.TASKS else int(row["level"])


def test_a_prompt_is_what_the_registered_environment_asks_when_it_is_reset_with_the_rows_options() -> None:
    rows = of_every_task()
    assert {row["task"] for row in rows} == set(MIXTURE_TASKS)
    for row in rows:
        env = gym.make(row["env_id"], split=row["split"], **json.loads(row["arguments"]))
        prompt, info = env.reset(seed=1, options=json.loads(row["options"]))
        assert row["prompt"] == [{"role": "user", "content": prompt}]
        assert (info["task"], info["level"], info["split"]) == (row["task"], row["level"], row["split"])
        assert env.reset(seed=2, options=json.loads(row["options"]))[0] == prompt, "the options leave something open"


def test_a_table_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = (
        "from tests.training.test_seed_table import *; from tests.training.rows import rendered;"
        "print(fingerprint(plain(50, weights=EVERY_TASK)), fingerprint(rendered(20)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    result = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert result.stdout.split() == [fingerprint(plain(50, weights=EVERY_TASK)), fingerprint(rendered(20))]


def test_a_longer_table_begins_with_the_shorter_one() -> None:
    assert plain(60)[:20] == plain(20)
    assert [row["row"] for row in plain(20)] == list(range(20))


def test_other_seeds_and_splits_share_no_question() -> None:
    tables = [plain(200), plain(200, seed=1), plain(200, split="eval"), plain(200, seed=1, split="eval")]
    seeds = [json.loads(row["options"])["seed"] for table in tables for row in table]
    assert len(set(seeds)) == len(seeds) == 800


def test_rows_are_drawn_by_weight_and_not_in_turn() -> None:
    rows = plain(
        3_000,
        weights={"attack": 3, "status_query": 1},
        level={1: 1, 7: 4},
        ordering={ag.ORDERINGS[0]: 1, ag.ORDERINGS[3]: 1},
    )
    shares = {
        "attack": (sum(row["task"] == "attack" for row in rows), 0.75),
        "level 7": (sum(row["level"] == 7 for row in rows), 0.8),
        "ordering": (sum(json.loads(row["options"])["ordering"] == ag.ORDERINGS[0] for row in rows), 0.5),
        "both": (sum(row["task"] == "attack" and row["level"] == 1 for row in rows), 0.15),
    }
    for what, (count, share) in shares.items():
        assert abs(count / 3_000 - share) < 4 * (share * (1 - share) / 3_000) ** 0.5, what
    following = Counter((one["task"], two["task"]) for one, two in pairwise(rows))
    assert len(following) == 4, "tasks come in turn"


def test_the_level_is_the_one_at_the_rows_draw() -> None:
    weights = {2: 1.0, 3: 2.0, 9: 1.0}
    for row in plain(200, level=weights):
        assert 0 <= row["draw"] < 1
        assert row["level"] == key_at(weights, row["draw"]) == json.loads(row["options"])["level"]
    assert {row["level"] for row in plain(200, level=range(4, 7))} == {4, 5, 6}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "frozen"}, r"split 'frozen' is not one of 'train', 'eval'"),
        ({"split": "test"}, r"split 'test' is not one of 'train', 'eval'"),
        ({"rows": 0}, r"rows 0 is not a positive integer"),
        ({"seed": -1}, r"seed -1"),
        ({"weights": {"atack": 1}}, r"task 'atack' is not one of"),
        ({"weights": {"attack": 0}}, r"nothing of positive weight"),
        ({"level": 16}, r"level 16 is not in 1..15"),
        ({"level": []}, r"nothing of positive weight"),
        ({"ordering": "last-link"}, r"last-link"),
        ({"logihard": {"levels": 1}}, r"logihard argument 'levels'"),
    ],
)
def test_what_is_not_allowed_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ag.CoordinateError, match=message):
        seed_rows(**{"rows": 1, "seed": 0, **arguments})


@pytest.mark.parametrize("split", ["train", "eval"])
def test_no_question_is_a_frozen_row_or_a_twin_of_one(split: str) -> None:
    for row in rendered(24, weights=None, level=1, split=split):
        instance = instance_of(row)
        assert instance.split == split
        refuse_frozen(instance, "training data")


def test_a_curriculum_chooses_the_level_when_a_row_is_read_and_the_columns_say_so() -> None:
    table = seed_table(20, seed=3, weights=EVERY_TASK, level=1)
    raised = table.with_transform(Render(AtLevel(4)))
    for before, after in zip(table, raised, strict=True):
        expected = 4 if before["task"] in ag.TASKS else before["level"]
        assert after["level"] == expected == json.loads(after["options"])["level"] == instance_of(after).level
        assert {**json.loads(before["options"]), "level": expected} == json.loads(after["options"])
        unchanged = set(COLUMNS) - {"level", "options"}
        assert {name: before[name] for name in unchanged} == {name: after[name] for name in unchanged}
        assert after["prompt"][0]["content"] == instance_of(after).prompt


def test_a_level_that_there_is_not_is_refused_when_the_row_is_read() -> None:
    dataset = seed_table(1, seed=0).with_transform(Render(AtLevel(16)))
    with pytest.raises(ag.CoordinateError, match=r"level 16 is not in 1\.\.15"):
        dataset[0]


def test_the_table_has_the_rows_in_their_order() -> None:
    assert list(seed_table(30, seed=4, weights=EVERY_TASK)) == plain(30, seed=4, weights=EVERY_TASK)


def test_rows_can_be_read_one_by_one_in_slices_and_in_any_order() -> None:
    dataset = seed_table(6, seed=0, weights={"status_query": 1}, level=1).with_transform(Render())
    whole = dataset[:]
    assert list(whole) == [*COLUMNS, "prompt"]
    assert [dataset[place]["prompt"] for place in range(6)] == whole["prompt"]
    assert dataset.select([4, 1])[:]["prompt"] == [whole["prompt"][4], whole["prompt"][1]]


def test_a_system_message_and_a_suffix_are_put_around_the_question() -> None:
    (row,) = rendered(1)
    (other,) = seed_table(1, seed=0, weights=EVERY_TASK, level=[1, 2, 3]).with_transform(
        Render(system="Be brief.", suffix="\n/no_think")
    )
    assert other["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": row["prompt"][0]["content"] + "\n/no_think"},
    ]


def test_a_transform_can_be_pickled_with_its_curriculum() -> None:
    render = pickle.loads(pickle.dumps(Render(AtLevel(2), system="s")))
    (row,) = seed_table(1, seed=0).with_transform(render)
    assert row["level"] == 2
    assert row["prompt"][0] == {"role": "system", "content": "s"}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_missing_column_is_named(column: str) -> None:
    table = seed_table(2, seed=0).remove_columns(column)
    with pytest.raises(ag.InstanceError, match=f"there is no column '{column}'"):
        check_table(table)
    with pytest.raises(ag.InstanceError, match=f"there is no column '{column}'"):
        table.with_transform(Render())[0]


@pytest.mark.parametrize("version", ["generator", "prompt", "scoring"])
@pytest.mark.parametrize("task", ["attack", "logihard_base"])
def test_rows_of_another_version_are_refused_by_its_name(version: str, task: str) -> None:
    table = seed_table(3, seed=0, weights={task: 1})
    check_table(table)
    check_table(table.with_transform(Render()))
    other = json.loads(table[0]["versions"])
    other[version] -= 1
    old = table.map(
        lambda row, index: {"versions": json.dumps(other) if index == 2 else row["versions"]}, with_indices=True
    )
    match = f"a row of task {task} has {version} version 0; this package has 1"
    with pytest.raises(ag.InstanceError, match=match):
        check_table(old)
    with pytest.raises(ag.InstanceError, match=match):
        old.with_transform(Render())[2]


def test_questions_of_a_file_are_asked_too(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    lines = [
        {"question": f"{number} + 1 = ?", "options": [str(number + other) for other in range(4)], "answer": "B"}
        for number in range(5)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    weights = {"logihard_base": 1, "logihard_combinatorial": 1}
    rows = rendered(12, weights=weights, logihard={"source": str(path), "tier": "easy", "sampler": "balanced"})
    assert {row["task"] for row in rows} == set(weights)
    for row in rows:
        assert row["level"] == 0
        assert "+ 1 = ?" in row["prompt"][0]["content"]


def test_a_question_is_kept_for_the_next_reading_and_the_oldest_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "KEPT", 3)
    dataset = seed_table(5, seed=9, weights={"status_query": 1}, level=1).with_transform(Render())
    addresses = [Address.of(row) for row in dataset.with_format(None)]
    first = dataset[0], asking.ask(addresses[0])
    assert asking.ask(addresses[0]) is first[1]
    for place in (1, 2, 0, 3):
        dataset[place]
    assert [asking.find(address) is not None for address in addresses] == [True, False, True, True, False]


def test_prompts_are_measured_by_task_and_level_and_have_to_fit(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed (extra: train)")
    from transformers import AutoTokenizer

    from arggym_env.training.prompt_lengths import check_room, prompt_lengths
    from tests.training.tiny import tiny_model

    tokenizer = AutoTokenizer.from_pretrained(tiny_model(tmp_path))
    table = seed_table(40, seed=0, weights={"attack": 1, "status_query": 1, "logihard_base": 1}, level=[1, 2])
    render = Render(AtLevel(9), system="Think.")
    own = prompt_lengths(table, tokenizer, render, samples=1)
    assert {cell for cell in own if cell[0] != "logihard_base"} == {
        (t, n) for t in ("attack", "status_query") for n in (1, 2)
    }
    first = next(row for row in table if row["task"] == "attack")
    prompt = Render(AtLevel(1), system="Think.").render(first)["prompt"]
    ids = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=True)["input_ids"]
    assert own["attack", 1] == len(ids)
    wide = prompt_lengths(table, tokenizer, render, levels=[1, 15], samples=2)
    assert {level for task, level in wide if task == "attack"} == {1, 15}
    assert wide["attack", 15] > wide["attack", 1] >= own["attack", 1]

    longest = max(wide.values())
    assert check_room(wide, 100, 10 * longest, reserve=0) == longest
    check_room(wide, 100, longest + 100, reserve=0)
    with pytest.raises(ag.errors.RunError, match=rf"at level 15 take {longest} tokens.* Raise the context to"):
        check_room(wide, 100, longest + 99, reserve=0)
    with pytest.raises(ag.errors.RunError, match="with a reserve of 15%"):
        check_room(wide, 100, longest + 100)
