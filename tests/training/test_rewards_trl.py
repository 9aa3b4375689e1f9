"""Reward functions for TRL: through the environments, once a batch, the same in any number of processes."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import arggym_env as ag
from arggym_env.rewards import asking, trl
from arggym_env.rewards.asking import Address
from arggym_env.rewards.batch import score_batch
from arggym_env.rewards.trl import (
    KINDS,
    Reward,
    corrected_reward,
    format_reward,
    metrics,
    native_reward,
    stop_ids,
    success_reward,
    text_of,
)
from tests.training.rows import answers, columns, graded, instance_of, message, of_every_task, oracle, rendered

ROOT = Path(__file__).parent.parent.parent
FUNCTIONS = (native_reward, success_reward, corrected_reward, format_reward)
JUNK: tuple[Any, ...] = (
    "",
    "</think>",
    "<answer></answer>",
    "<answer>\nnonsense\n</answer>",
    "x" * 10_000,
    "<answer>" * 1_000,
    "<answer>\ud800\x00\u2028</answer>",
    None,
    7,
    [],
    [{"role": "assistant"}],
    [{"role": "assistant", "content": None}],
    [{"role": "assistant", "content": [{"type": "image"}]}],
    ["text"],
    {"content": "text"},
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """One row of every task."""
    return of_every_task()


@pytest.fixture(autouse=True)
def no_memory_of_other_tests() -> None:
    trl._SCORED.forget()


@pytest.mark.parametrize("form", [str, message], ids=["text", "messages"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_reference_of_every_task_is_paid_in_full(function: Reward, form: Any, rows: list[dict[str, Any]]) -> None:
    function = Reward(function.kind, workers=0)
    assert function([form(oracle(row)) for row in rows], **columns(rows)) == [1.0] * len(rows)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_batch_is_paid_what_its_completions_are_paid_singly(workers: int, rows: list[dict[str, Any]]) -> None:
    completions, batch = graded(rows)
    paid = {kind: Reward(kind, workers=workers)(completions, **batch) for kind in KINDS}
    for place, completion in enumerate(completions):
        row = {name: values[place] for name, values in batch.items()}
        instance = instance_of(row)
        verdict = ag.score(instance, completion[0]["content"])
        assert paid["native"][place] == verdict.native
        assert paid["success"][place] == float(verdict.success)
        assert paid["format"][place] == float(verdict.answer_found and verdict.reason != "unreadable")
        assert paid["corrected"][place] == ag.corrected(verdict.native, instance.floor)
    assert {type(value) for values in paid.values() for value in values} == {float}
    assert 0 < sum(value or 0 for value in paid["success"]) < len(completions)


def test_where_questions_are_known_does_not_matter(rows: list[dict[str, Any]]) -> None:
    completions, batch = graded(rows)
    warm = Reward("native", workers=2)(completions, **batch)
    for workers in (0, 1, 2):
        trl._SCORED.forget()
        asking._QUESTIONS.forget()
        assert Reward("native", workers=workers)(completions, **batch) == warm


def test_512_completions_over_all_levels_are_paid_what_they_are_paid_singly() -> None:
    some = rendered(32, level=None)
    completions = [(answers(row) * 16)[place] for row in some for place in range(16)]
    batch = columns(some, generations=16)
    addresses = [Address.of({name: batch[name][place] for name in batch}) for place in range(512)]
    single = [score_batch([address], [text])[0] for address, text in zip(addresses, completions, strict=True)]
    assert Reward("native", workers=2)(completions, **batch) == [verdict.native for verdict in single]
    assert score_batch(addresses, completions, workers=2) == single


@pytest.mark.parametrize("workers", [0, 2])
def test_junk_earns_nothing_and_raises_nothing(workers: int, rows: list[dict[str, Any]]) -> None:
    row = next(row for row in rows if row["task"] == "attack")
    for kind in KINDS:
        paid = Reward(kind, workers=workers)(list(JUNK), **columns([row], len(JUNK)))
        assert all(isinstance(value, float) and math.isfinite(value) for value in paid)
        if kind != "format":
            assert paid == [0.0] * len(JUNK)


def test_text_is_taken_from_the_last_message() -> None:
    assert text_of("text") == "text"
    assert text_of([*message("first"), {"role": "tool", "content": "t"}, *message("last")]) == "last"
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert text_of([{"role": "assistant", "content": parts}]) == "ab"
    assert text_of([{"role": "assistant", "content": None, "reasoning_content": "hm"}]) == ""
    assert text_of(None) is None


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    ("column", "value", "error"),
    [
        ("options", '{"seed": 1, "level": 99}', "level 99 is not in"),
        ("options", "not JSON", "options 'not JSON' is not a JSON object"),
        ("split", "nowhere", "split 'nowhere' is not one of"),
        ("env_id", "ArgGYM/atack-v0", "atack"),
    ],
)
def test_what_an_environment_refuses_is_an_error_and_never_a_reward(
    workers: int, column: str, value: str, error: str, rows: list[dict[str, Any]]
) -> None:
    row = next(row for row in rows if row["task"] == "attack")
    batch = columns([row], 4)
    batch[column][2] = value
    for _ in range(2):
        with pytest.raises(Exception, match=error):
            Reward("native", workers=workers)(["a"] * 4, **batch)


@pytest.mark.parametrize("column", ["env_id", "task", "split", "options", "arguments", "versions"])
def test_a_missing_column_is_named_and_so_is_one_of_another_length(column: str, rows: list[dict[str, Any]]) -> None:
    batch = columns(rows)
    count = len(rows)
    with pytest.raises(ag.InstanceError, match=f"there is no column '{column}'"):
        native_reward(["a"] * count, **{name: values for name, values in batch.items() if name != column})
    with pytest.raises(ag.InstanceError, match=f"column '{column}' has {count - 1} entries for {count} completions"):
        native_reward(["a"] * count, **{**batch, column: batch[column][:-1]})
    with pytest.raises(ag.InstanceError, match=f"column '{column}' is str, not a list of {count} entries"):
        native_reward(["a"] * count, **{**batch, column: "x" * count})


def test_other_columns_and_arguments_are_ignored(rows: list[dict[str, Any]]) -> None:
    extra = {"trainer_state": object(), "environments": [], "prompts": None, "completion_ids": [[1]], "anything": 3}
    assert success_reward([oracle(row) for row in rows], **columns(rows), **extra) == [1.0] * len(rows)


@pytest.mark.parametrize("version", ["generator", "prompt", "scoring"])
def test_a_row_of_another_version_is_refused_by_its_name(version: str, rows: list[dict[str, Any]]) -> None:
    batch = columns(rows)
    old = json.loads(batch["versions"][3])
    batch["versions"][3] = json.dumps({**old, version: old[version] - 1})
    with pytest.raises(ag.InstanceError, match=f"{rows[3]['task']} has {version} version 0; this package has 1"):
        native_reward(["a"] * len(rows), **batch)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "natve"}, "reward 'natve' is not one of 'native', 'success', 'corrected', 'format'"),
        ({"truncated": "drop"}, "truncated 'drop' is not one of 'score', 'zero', 'mask'"),
        ({"workers": -1}, "workers -1 is not"),
        ({"workers": True}, "workers True is not"),
        ({"truncated": "mask"}, "truncated 'mask' needs stop_ids"),
    ],
)
def test_a_setting_that_is_not_allowed_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ag.CoordinateError, match=message):
        Reward(**{"kind": "native", **arguments})


def test_functions_can_be_pickled_and_have_names(rows: list[dict[str, Any]]) -> None:
    assert [function.__name__ for function in FUNCTIONS] == [f"{kind}_reward" for kind in KINDS]
    assert all(function.__doc__ for function in FUNCTIONS)
    for function in (*FUNCTIONS, Reward("native", 2, "mask", stop_ids=[1, 2])):  # type: ignore[arg-type] # as from YAML
        again = pickle.loads(pickle.dumps(function))
        assert again == function
        assert again([oracle(rows[0])], **columns(rows[:1]), completion_ids=[[2]]) == [1.0]


def test_a_batch_is_scored_once_for_all_functions(rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[int] = []

    def counted(addresses: Any, completions: Any, workers: int) -> Any:
        scored.append(len(completions))
        return score_batch(addresses, completions, workers)

    monkeypatch.setattr(trl, "score_batch", counted)
    completions, batch = graded(rows)
    for function in FUNCTIONS:
        function(completions, **batch)
    assert scored == [len(completions)]
    native_reward(
        completions[:-1], **columns([{n: v[i] for n, v in batch.items()} for i in range(len(completions) - 1)])
    )
    assert scored == [len(completions), len(completions) - 1]


class Log:
    """What a trainer would log."""

    def __init__(self) -> None:
        self.metrics: list[dict[str, float]] = []
        self.extra: dict[str, list[Any]] = {}

    def metric(self, name: str, value: float) -> None:
        if not self.metrics or name in self.metrics[-1]:
            self.metrics.append({})
        self.metrics[-1][name] = value

    def column(self, name: str, values: list[Any]) -> None:
        self.extra.setdefault(name, []).extend(values)

    def told(self) -> dict[str, Any]:
        return {"log_metric": self.metric, "log_extra": self.column}


def test_what_a_batch_was_like_is_logged_once_however_many_functions_there_are(rows: list[dict[str, Any]]) -> None:
    completions, batch = graded(rows)
    log = Log()
    for step in range(3):  # three batches that happen to be alike
        same = list(completions)
        for function in FUNCTIONS:
            function(same, **batch, **log.told())
        assert len(log.metrics) == step + 1
        assert {len(values) for values in log.extra.values()} == {len(completions) * (step + 1)}
    assert list(log.extra) == ["task", "level", "reason", "native"]
    assert log.extra["native"][: len(completions)] == native_reward(completions, **batch)
    for name in ("task", "level"):
        assert log.extra[name][: len(completions)] == batch[name]
    assert set(log.extra["reason"]) <= {reason.value for reason in ag.Reason}


def test_metrics_are_means_by_task_band_and_reason() -> None:
    some = rendered(30, weights={"attack": 1, "status_query": 1, "logihard_base": 1}, level=[5, 6, 15])
    right = [place % 3 == 0 for place in range(30)]
    completions = [oracle(row) if ok else "" for row, ok in zip(some, right, strict=True)]
    cut = [not ok for ok in right]
    addresses = list(map(Address.of, some))
    found = metrics(score_batch(addresses, completions), cut)
    assert (
        found["success"] == found["native"] == found["answer_found"] == found["reason/correct"] == pytest.approx(1 / 3)
    )
    assert found["truncated"] == pytest.approx(2 / 3)
    groups = {task: [row["task"] == task for row in some] for task in ("attack", "status_query", "logihard_base")}
    for band, levels in {"L1-5": [5], "L6-10": [6], "L11-15": [15]}.items():
        groups[band] = [row["level"] in levels and row["task"] != "logihard_base" for row in some]
    for name, members in groups.items():
        of_group = [ok for ok, member in zip(right, members, strict=True) if member]
        assert found[f"success/{name}"] == pytest.approx(sum(of_group) / len(of_group)), name
    assert {name for name in found if name.startswith("reason/")} == {f"reason/{reason}" for reason in ag.Reason}
    assert sum(value for name, value in found.items() if name.startswith("reason/")) == pytest.approx(1)
    assert "truncated" not in metrics(score_batch(addresses, completions))
    assert metrics([]) == {}


@pytest.mark.parametrize(
    ("truncated", "paid"),
    [("score", [1.0, 1.0, 0.0, 1.0]), ("zero", [1.0, 0.0, 0.0, 1.0]), ("mask", [1.0, None, None, 1.0])],
)
@pytest.mark.parametrize("kind", KINDS)
def test_truncated_completions_are_scored_or_earn_nothing_or_are_left_out(
    kind: Any, truncated: Any, paid: list[float | None], rows: list[dict[str, Any]]
) -> None:
    row = rows[0]
    right = oracle(row)
    log = Log()
    function = Reward(kind, workers=0, truncated=truncated, stop_ids=(2, 0))
    ids = [[5, 2], [5, 5], [], [5, 2, 0]]
    assert function([right, right, "", right], **columns([row], 4), completion_ids=ids, **log.told()) == paid
    assert log.metrics[0]["arggym/truncated"] == 0.5
    if truncated == "score":
        assert function([right], **columns([row])) == [1.0], "ids are not needed"
    else:
        with pytest.raises(ag.InstanceError, match="column 'completion_ids' is NoneType, not a list of 1 entries"):
            function([right], **columns([row]))


def test_the_ids_that_end_a_completion_are_those_by_which_trl_tells() -> None:
    class Tokenizer:
        eos_token_id, pad_token_id = 7, None

    class Generation:
        eos_token_id: Any = (9, 7)

    assert stop_ids(Tokenizer()) == (7,)
    assert stop_ids(Tokenizer(), Generation()) == (7, 9)
    Generation.eos_token_id = 3
    assert stop_ids(Tokenizer(), Generation()) == (3, 7)


def test_functions_can_be_called_from_many_threads_and_from_an_event_loop(rows: list[dict[str, Any]]) -> None:
    completions, batch = graded(rows)
    expected = {kind: Reward(kind, workers=0)(completions, **batch) for kind in KINDS}
    for workers in (0, 2):
        trl._SCORED.forget()
        functions = [Reward(kind, workers=workers) for kind in KINDS]
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda function: function(completions, **batch), functions * 4))
        assert found == [expected[function.kind] for function in functions * 4]
        trl._SCORED.forget()

        async def score_as_async_grpo_does(functions: list[Reward] = functions) -> list[list[float | None]]:
            calls = [asyncio.to_thread(function, completions, **batch) for function in functions]
            return await asyncio.gather(*calls)

        assert asyncio.run(score_as_async_grpo_does()) == [expected[function.kind] for function in functions]
