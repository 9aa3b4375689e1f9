"""A model behind any server that speaks the OpenAI chat protocol.

Requests run concurrently up to a bound. A request that fails for a passing reason (no connection, a timeout, HTTP 408,
409, 425, 429 or 5xx, an empty or filtered completion) is repeated with growing pauses; where the server says how long
to wait, all requests wait that long. One that fails for good (HTTP 400: the prompt does not fit the context, say) is
recorded as it is. Wrong credentials or a wrong model name end the run, as does a server that is no longer there.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from arggym_env.errors import RunError
from arggym_env.evaluation.harness import Job
from arggym_env.evaluation.record import TRUNCATION, Failure, Reply
from arggym_env.frozenmap import FrozenMap

_PASSING: Final = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 that may be gone the next time."""
_FATAL: Final = frozenset({401, 403, 404})
"""HTTP statuses that every other request would get too."""
_LONGEST_PAUSE: Final = 60.0
_LONGEST_WAIT: Final = 600.0
"""What is waited at most when the server names a time, in seconds."""
_SHOWN: Final = 500
"""How many characters of a server's message are kept."""
_TOKEN_COUNTS: Final = ("prompt_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one request brought; ``again`` when another may bring more, after ``wait`` seconds if the server says so."""

    reply: Reply
    again: bool = False
    wait: float | None = None


class ChatBackend:
    """Asks a server, many questions at a time.

    Attributes:
        source: the base URL, without credentials.
    """

    name = "chat"

    def __init__(
        self,
        base_url: str,
        *,
        concurrency: int = 16,
        timeout: float = 3600.0,
        attempts: int = 6,
        first_pause: float = 0.5,
    ) -> None:
        self.source = without_credentials(base_url)
        self._base_url = base_url
        self._concurrency = concurrency
        self._timeout = timeout
        self._attempts = attempts
        self._first_pause = first_pause
        self._not_before = 0.0
        self._reached = False
        self._lost = 0

    def answer(self, jobs: Sequence[Job], record: Callable[[Job, Reply], None]) -> None:
        """Ask every job; see :class:`~arggym_env.evaluation.harness.Backend`."""
        try:
            import openai
        except ImportError:
            raise RunError("asking a server needs openai: pip install 'arggym-env[eval]'") from None
        try:
            asyncio.run(self._answer_all(openai, jobs, record))
        except ExceptionGroup as group:  # the workers' task group; the first of them says what is wrong
            raise group.exceptions[0] from None

    async def _answer_all(self, openai: Any, jobs: Sequence[Job], record: Callable[[Job, Reply], None]) -> None:
        key = os.environ.get("OPENAI_API_KEY") or "none"
        patience = openai.Timeout(self._timeout, connect=10.0)
        pending = iter(jobs)
        async with (
            openai.AsyncOpenAI(base_url=self._base_url, api_key=key, max_retries=0, timeout=patience) as client,
            asyncio.TaskGroup() as workers,
        ):
            for _ in range(min(self._concurrency, len(jobs))):
                workers.create_task(self._work(openai, client, pending, record))

    async def _work(
        self, openai: Any, client: Any, pending: Iterator[Job], record: Callable[[Job, Reply], None]
    ) -> None:
        for job in pending:
            reply = await self._ask(openai, client, job.body)
            record(job, reply)
            self._watch(reply)

    async def _ask(self, openai: Any, client: Any, body: Mapping[str, Any]) -> Reply:
        """Return the reply to a request, after as many attempts as it takes or may take."""
        for number in range(1, self._attempts + 1):
            await asyncio.sleep(max(0.0, self._not_before - time.monotonic()))
            started = time.monotonic()
            attempt = await self._attempt(openai, client, body)
            seconds = round(time.monotonic() - started, 3)
            if not attempt.again or number == self._attempts:
                break
            if attempt.wait is not None:
                self._not_before = max(self._not_before, time.monotonic() + min(attempt.wait, _LONGEST_WAIT))
            else:
                pause = min(_LONGEST_PAUSE, self._first_pause * 2 ** (number - 1))
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # so that not all of them come back at once
        return replace(attempt.reply, attempts=number, seconds=seconds)

    async def _attempt(self, openai: Any, client: Any, body: Mapping[str, Any]) -> _Attempt:
        rest = {name: value for name, value in body.items() if name not in ("model", "messages")}
        try:
            # The body is sent as it is recorded: nothing is renamed, dropped or added on the way.
            raw = await client.chat.completions.with_raw_response.create(
                model=body["model"], messages=body["messages"], extra_body=rest
            )
        except openai.APITimeoutError as error:
            return _failed("timeout", error, again=True)
        except openai.APIConnectionError as error:
            return _failed("connection", error.__cause__ or error, again=True)
        except openai.APIStatusError as error:
            return self._refused(error.status_code, error.response.headers, error.response.text)
        return read_completion(raw.http_response.content)

    def _refused(self, status: int, headers: Mapping[str, str], text: str) -> _Attempt:
        if status in _FATAL:
            raise RunError(f"{self.source} answers HTTP {status}: {_short(text)}")
        self._reached = True
        failure = Failure("status", _short(text), status)
        return _Attempt(Reply(failure=failure), status in _PASSING or status >= 500, retry_after(headers))

    def _watch(self, reply: Reply) -> None:
        """Raise RunError when the server cannot be reached at all, or has gone."""
        if reply.failure is None or reply.failure.kind != "connection":
            self._reached, self._lost = True, 0
            return
        self._lost += 1
        if not self._reached or self._lost >= max(2, self._concurrency):
            state = "has gone" if self._reached else "cannot be reached"
            raise RunError(f"{self.source} {state}: {reply.failure.message}; run again to go on from here")


def read_completion(content: bytes) -> _Attempt:
    """Return what a response with status 200 says."""
    try:
        body = json.loads(content)
        choice = body["choices"][0]
        message = choice["message"]
        text, reasoning = message.get("content"), message.get("reasoning") or message.get("reasoning_content")
        finish = choice.get("finish_reason")
        if not all(value is None or isinstance(value, str) for value in (text, reasoning, finish)):
            raise TypeError("content, reasoning and finish_reason are texts")
        usage = _usage(body.get("usage") or {})
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        return _failed("malformed_reply", f"{type(error).__name__}: {error}", again=True)
    reply = Reply(text, reasoning, finish, usage)
    if finish == "content_filter":
        return _Attempt(replace(reply, failure=Failure("content_filter", "the server filtered the completion")), True)
    if not text and not reasoning and finish != TRUNCATION:
        failure = Failure("empty", f"an empty completion with finish reason {finish!r:.40}")
        return _Attempt(replace(reply, failure=failure), True)
    return _Attempt(reply)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by the server's ``retry-after-ms`` or ``retry-after``; None if it does not say."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if "retry-after" not in headers:
            return None
        value = headers["retry-after"].strip()
        if value.replace(".", "", 1).isdecimal():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def without_credentials(url: str) -> str:
    """Return a URL without user name and password, for files and messages.

    Raises:
        RunError: it is not an http or https URL.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise RunError(f"base URL {url!r:.200} is not an http or https address, such as http://127.0.0.1:8000/v1")
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _usage(usage: Mapping[str, Any]) -> FrozenMap[int]:
    details = usage.get("completion_tokens_details") or {}
    counts = {name: usage.get(name) for name in _TOKEN_COUNTS} | {"reasoning_tokens": details.get("reasoning_tokens")}
    return FrozenMap({name: count for name, count in counts.items() if type(count) is int})


def _failed(kind: str, error: object, *, again: bool) -> _Attempt:
    return _Attempt(Reply(failure=Failure(kind, _short(str(error) or type(error).__name__))), again)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 3] + "..."
