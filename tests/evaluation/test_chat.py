"""A server over real HTTP: what is sent, what is repeated, what is recorded, and what ends a run."""

from __future__ import annotations

import json
import socket
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from arggym_env.errors import RunError
from arggym_env.evaluation.chat import read_completion, retry_after, without_credentials
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import Outcome, Record
from arggym_env.evaluation.suites import Selection
from tests.evaluation.runs import SETTINGS, run_chat, some_items
from tests.evaluation.server import Body, Said, Script, completion, problem, serving

pytest.importorskip("openai", reason="openai is not installed: pip install 'arggym-env[eval]'")

Items = tuple[Selection, list[Item]]


@pytest.fixture(scope="module")
def items() -> Items:
    return some_items(12)


def right(items: Items) -> Mapping[str, str]:
    """The reference completion of each prompt."""
    return {item.prompt: f"So.\n<answer>\n{item.reference}\n</answer>" for item in items[1]}


def prompt_of(body: Body) -> str:
    return str(body["messages"][-1]["content"])


def answering(items: Items, content: str | None = None) -> Script:
    known = right(items)
    return lambda body, before: completion(known[prompt_of(body)] if content is None else content)


def only(records: tuple[Record, ...]) -> Record:
    (record,) = records
    return record


def one(tmp_path: Path, script: Script, **options: Any) -> Record:
    """The record of one row asked of a scripted server."""
    with serving(script) as server:
        run, _ = run_chat(tmp_path, server.url, some_items(1), **options)
    return only(run.records)


def test_every_row_is_asked_once_and_scored(tmp_path: Path, items: Items) -> None:
    with serving(answering(items)) as server:
        run, tally = run_chat(tmp_path, server.url, items)
    assert {record.outcome for record in run.records} == {Outcome.CORRECT}
    assert sorted(map(prompt_of, server.requests)) == sorted(item.prompt for item in items[1])
    assert (tally.done, tally.asked, tally.success, tally.tokens) == (12, 12, 1.0, 84)
    assert run.records[0].reply.usage == {"prompt_tokens": 11, "completion_tokens": 7}


def test_what_is_recorded_is_exactly_what_was_sent(tmp_path: Path) -> None:
    settings = replace(SETTINGS, top_k=20, min_p=0.0, thinking=True, max_tokens=64, reasoning_effort="low", system="S")
    with serving(lambda body, before: completion("x")) as server:
        run, _ = run_chat(tmp_path, server.url, some_items(1), settings, samples=2)
    assert sorted(server.requests, key=lambda body: int(body["seed"])) == [dict(r.request) for r in run.records]
    sent = server.requests[0]
    assert sent["chat_template_kwargs"] == {"enable_thinking": True}
    assert (sent["top_k"], sent["min_p"], sent["max_tokens"], sent["reasoning_effort"]) == (20, 0.0, 64, "low")
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert "stop" not in sent
    assert "n" not in sent


def test_seed_0_is_sent_and_samples_count_up_from_it(tmp_path: Path) -> None:
    with serving(lambda body, before: completion("x")) as server:
        run_chat(tmp_path, server.url, some_items(1), samples=3)
    assert sorted(body["seed"] for body in server.requests) == [0, 1, 2]


def test_requests_run_at_once_up_to_the_bound(tmp_path: Path, items: Items) -> None:
    known = right(items)
    with serving(lambda body, before: replace(completion(known[prompt_of(body)]), delay=0.1)) as server:
        run_chat(tmp_path, server.url, items, concurrency=4)
    assert server.busiest == 4


@pytest.mark.parametrize("status", [500, 503, 408, 429])
def test_a_passing_error_is_asked_again(tmp_path: Path, status: int) -> None:
    record = one(tmp_path, lambda body, before: completion("x") if before else problem(status, "busy"))
    assert (record.outcome, record.reply.attempts) == (Outcome.NO_ANSWER, 2)


def test_a_server_that_names_a_time_is_left_alone_for_so_long_by_every_request(tmp_path: Path, items: Items) -> None:
    def script(body: Body, before: int) -> Said:
        return completion("x") if before or prompt_of(body) != first else problem(429, "slow down", Retry_After="0.6")

    first = items[1][0].prompt
    with serving(script) as server:
        run_chat(tmp_path, server.url, items, concurrency=2)
    refused = next(at for at, body in zip(server.times, server.requests, strict=True) if prompt_of(body) == first)
    assert not [at for at in server.times if refused + 0.1 < at < refused + 0.55]


def test_a_lasting_error_is_recorded_asked_again_on_resuming_and_leaves_no_denominator(
    tmp_path: Path, items: Items
) -> None:
    known, broken = right(items), items[1][3].prompt
    with serving(
        lambda body, before: problem(500, "boom") if prompt_of(body) == broken else completion(known[prompt_of(body)])
    ) as server:
        run, tally = run_chat(tmp_path, server.url, items)
        assert Counter(map(prompt_of, server.requests))[broken] == 3
    failed = only(tuple(record for record in run.records if record.outcome is Outcome.API_ERROR))
    assert failed.score is None
    assert failed.reply.failure is not None
    assert (failed.reply.failure.status, failed.native, failed.success) == (500, 0.0, False)
    assert (tally.done, tally.success) == (12, 11 / 12)

    with serving(answering(items)) as server:
        run, tally = run_chat(tmp_path, server.url, items)
        assert list(map(prompt_of, server.requests)) == [broken]
    assert (len(run.records), tally.success) == (12, 1.0)


def test_a_prompt_beyond_the_context_is_an_error_of_that_row_and_is_not_repeated(tmp_path: Path) -> None:
    message = "This model's maximum context length is 2048 tokens"
    record = one(tmp_path, lambda body, before: problem(400, message))
    assert record.reply.failure is not None
    assert (record.outcome, record.reply.attempts, record.reply.failure.status) == (Outcome.API_ERROR, 1, 400)
    assert message in record.reply.failure.message


@pytest.mark.parametrize(
    "said",
    [
        completion(""),
        completion(None),
        completion("I cannot", finish="content_filter"),
        Said(body=b"<html>proxy</html>"),
        Said(body=b'{"choices": []}'),
        Said(body=b'{"choices": [{"message": {"content": ["x"]}}]}'),
    ],
    ids=["empty", "null", "filtered", "html", "no choice", "not text"],
)
def test_what_is_no_completion_is_asked_again_and_then_an_api_error(tmp_path: Path, said: Said) -> None:
    record = one(tmp_path, lambda body, before: said)
    assert (record.outcome, record.reply.attempts, record.score) == (Outcome.API_ERROR, 3, None)


def test_a_truncated_completion_is_a_class_of_its_own(tmp_path: Path) -> None:
    record = one(tmp_path, lambda body, before: completion("I think that", finish="length"))
    assert (record.outcome, record.reply.attempts) == (Outcome.TRUNCATED, 1)


def test_thinking_that_was_cut_off_has_no_content_and_is_truncated(tmp_path: Path) -> None:
    record = one(
        tmp_path, lambda body, before: completion(None, finish="length", message={"reasoning": "I think that"})
    )
    assert (record.outcome, record.reply.reasoning, record.reply.text) == (Outcome.TRUNCATED, "I think that", None)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_an_answer_that_stands_only_in_the_separate_thinking_is_not_graded(tmp_path: Path, name: str) -> None:
    known = right(some_items(1))
    record = one(tmp_path, lambda body, before: completion("Done.", message={name: known[prompt_of(body)]}))
    assert (record.outcome, record.success) == (Outcome.ANSWER_IN_THOUGHTS, False)


def test_any_characters_survive_in_the_file(tmp_path: Path) -> None:
    hostile = "a\u2028b\u0085c\x0cd\ud800e\x00f</script>\r\n"
    record = one(tmp_path, lambda body, before: completion(hostile))
    assert record.reply.text == hostile
    assert (tmp_path / "rows.jsonl").read_bytes().count(b"\n") == 1


def test_a_slow_server_is_given_up_on_after_the_timeout(tmp_path: Path) -> None:
    record = one(tmp_path, lambda body, before: replace(completion("x"), delay=1.0), timeout=0.2, attempts=2)
    assert record.reply.failure is not None
    assert (record.outcome, record.reply.failure.kind) == (Outcome.API_ERROR, "timeout")


def test_a_server_that_is_down_ends_the_run_with_one_line(tmp_path: Path, items: Items) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    started = time.monotonic()
    with pytest.raises(RunError, match="cannot be reached") as raised:
        run_chat(tmp_path, url, items)
    assert "\n" not in str(raised.value)
    assert time.monotonic() - started < 10
    with serving(answering(items)) as server:
        run, _ = run_chat(tmp_path, server.url, items)
    assert {record.outcome for record in run.records} == {Outcome.CORRECT}


@pytest.mark.parametrize("status", [401, 403, 404])
def test_wrong_credentials_or_model_end_the_run_and_record_nothing(tmp_path: Path, items: Items, status: int) -> None:
    with (
        serving(lambda body, before: problem(status, "no such model")) as server,
        pytest.raises(RunError, match=f"HTTP {status}.*no such model"),
    ):
        run_chat(tmp_path, server.url, items)
    assert (tmp_path / "rows.jsonl").read_bytes() == b""


def test_a_retry_time_is_read_in_every_form_and_nonsense_is_none() -> None:
    assert retry_after({"retry-after": "3"}) == 3.0
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < (retry_after({"retry-after": later}) or 0) <= 30
    for nonsense in ("", "soon", "-1", "1e999", "²", "Mon, 99 Foo 2026"):
        assert retry_after({"retry-after": nonsense}) in (None, 0.0), nonsense
    assert retry_after({}) is None


def test_no_response_makes_reading_fail() -> None:
    hostile = [b"", b"null", b"[]", b"\xff", b'{"choices": null}', b"[" * 5000, b'{"choices":[{"message":null}]}']
    for content in hostile:
        assert read_completion(content).reply.failure is not None
    usage = json.dumps({"choices": [{"message": {"content": "x"}}], "usage": {"completion_tokens": "many"}}).encode()
    assert read_completion(usage).reply.usage == {}


def test_credentials_of_the_url_are_kept_out_of_files() -> None:
    assert without_credentials("http://user:secret@host:80/v1") == "http://host:80/v1"
    for wrong in ("", "host:80", "ftp://host", "http://", "http://[bad"):
        with pytest.raises(RunError, match="base URL"):
            without_credentials(wrong)
