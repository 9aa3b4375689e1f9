"""What a run records of one question asked once: the request, the reply, the verdict, and the class of the outcome.

A completion is graded as the model wrote it, with one care for thinking. Where a server hands the thinking over apart
from the content, the two are joined again by the tags, so that an answer that stands only in the thinking is seen and
not graded. A completion that was cut off without having closed its thinking is all thinking, also when the chat
template opened it in the prompt and no tag shows it: nothing of it is graded unless thinking was switched off.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Final

from arggym_env.errors import RunError
from arggym_env.evaluation.item import ARGGYM, Item
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue, Reason, Score
from arggym_env.versions import __version__


class Outcome(StrEnum):
    """What became of a question; every record has exactly one, and all of them are in every denominator."""

    CORRECT = "correct"
    """The whole task is solved."""
    WRONG = "wrong"
    """The answer was read and is not right."""
    MALFORMED = "malformed"
    """There is an answer region, and it cannot be read."""
    NO_ANSWER = "no_answer"
    """The completion ended by itself without an answer region, or with an empty one."""
    ANSWER_IN_THOUGHTS = "answer_in_thoughts"
    """The only answer region stands inside the thinking."""
    TRUNCATED = "truncated"
    """The completion was cut off at its token limit before it gave an answer."""
    API_ERROR = "api_error"
    """No completion was had; the question is asked again when the run is resumed."""


OUTCOMES: Final = tuple(Outcome)
TRUNCATION: Final = "length"
"""The finish reason of a completion that was cut off."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no completion.

    Attributes:
        kind: short code: connection, timeout, status, empty, content_filter, malformed_reply.
        message: what the server or the client said, shortened.
        status: the HTTP status, if there was a response.
    """

    kind: str
    message: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: the content of the completion; None when there is none.
        reasoning: the thinking, where the server hands it over apart from the content.
        finish_reason: why the completion ended, in the server's word.
        usage: numbers of tokens: prompt_tokens, completion_tokens, and reasoning_tokens where the server counts them.
        failure: why there is no completion; None when there is one.
        attempts: how often the question was asked to get this.
        seconds: how long the last attempt took.
    """

    text: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    usage: Mapping[str, int] = FrozenMap()
    failure: Failure | None = None
    attempts: int = 1
    seconds: float = 0.0

    @property
    def truncated(self) -> bool:
        """Whether the completion was cut off at its token limit."""
        return self.finish_reason == TRUNCATION


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a run's ``rows.jsonl``.

    Attributes:
        id: the item's id.
        sample: which of the item's samples, from 0.
        task: the item's task.
        level: its level.
        ordering: its ordering.
        floor: its floor.
        reference: its reference answer.
        request: the body of the request as it was sent.
        source: where it was sent to: a base URL, or the name of the backend.
        thinking: whether thinking was switched on or off; None for the model's default.
        reply: what came back.
        score: the verdict; None exactly for API errors.
        outcome: the class.
        versions: the item's versions and, as "package", the package's.
        benchmark: whose versions and levels the item has.
        tier: its form; empty where its benchmark has no such axis.
        family: its kind of reasoning; empty likewise.
        question: what items that ask the same in other forms have in common; empty where there are none.
    """

    id: str
    sample: int
    task: str
    level: int
    ordering: str
    floor: float
    reference: str
    request: Mapping[str, JsonValue]
    source: str
    thinking: bool | None
    reply: Reply
    score: Score | None
    outcome: Outcome
    versions: Mapping[str, JsonValue]
    benchmark: str = ARGGYM
    tier: str = ""
    family: str = ""
    question: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What the record answers: item id and sample."""
        return self.id, self.sample

    @property
    def prompt(self) -> str:
        """The question as it was asked, without a system message."""
        messages = self.request.get("messages")
        last = messages[-1] if isinstance(messages, list) and messages else None
        return str(last.get("content")) if isinstance(last, Mapping) else ""

    @property
    def success(self) -> bool:
        """Whether the whole task was solved; an API error did not solve it."""
        return self.score is not None and self.score.success

    @property
    def native(self) -> float:
        """The native score; 0 for an API error."""
        return 0.0 if self.score is None else self.score.native

    @property
    def answer_found(self) -> bool:
        """Whether the completion has an answer region with content after its thinking."""
        return self.score is not None and self.score.answer_found

    def to_line(self) -> str:
        """Return the record as one line of ASCII JSON, without the line break; any text is safe in it."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        row["request"], row["versions"] = dict(self.request), dict(self.versions)
        row["reply"] = {**asdict(self.reply), "usage": dict(self.reply.usage)}
        if self.score is not None:
            row["score"] = {
                "native": self.score.native,
                "success": self.score.success,
                "answer_found": self.score.answer_found,
                "reason": self.score.reason.value,
                "detail": dict(self.score.detail),
            }
        return json.dumps(row, ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Return the record that ``to_line`` wrote.

        Raises:
            RunError: it did not.
        """
        try:
            row: dict[str, Any] = json.loads(line)
            reply, score = row["reply"], row["score"]
            failure = None if reply["failure"] is None else Failure(**reply["failure"])
            row["reply"] = Reply(**{**reply, "usage": FrozenMap(reply["usage"]), "failure": failure})
            row["score"] = None if score is None else _score(score)
            row["outcome"] = Outcome(row["outcome"])
            row["request"], row["versions"] = FrozenMap(row["request"]), FrozenMap(row["versions"])
            return cls(**row)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunError(f"not a record of a run ({type(error).__name__}: {error})") from None


def judge(
    item: Item, sample: int, request: Mapping[str, JsonValue], source: str, thinking: bool | None, reply: Reply
) -> Record:
    """Return the record of a reply: its score and the class of its outcome."""
    grade = item.score_cut_off if reply.truncated and item.score_cut_off else item.score
    score = None if reply.failure else grade(completion_of(reply, thinking))
    return Record(
        id=item.id,
        sample=sample,
        task=item.task,
        level=item.level,
        ordering=item.ordering,
        floor=item.floor,
        reference=item.reference,
        request=request,
        source=source,
        thinking=thinking,
        reply=reply,
        score=score,
        outcome=_classify(score, truncated=reply.truncated),
        versions=FrozenMap(versions_of(item)),
        benchmark=item.benchmark,
        tier=item.tier,
        family=item.family,
        question=item.question,
    )


def versions_of(item: Item) -> dict[str, JsonValue]:
    """Return the versions that a record carries: those of ArgGYM by their names, others with their benchmark's."""
    prefix = "" if item.benchmark == ARGGYM else f"{item.benchmark}_"
    return {"package": __version__, **{f"{prefix}{name}": value for name, value in asdict(item.versions).items()}}


def versions_of_all(items: Iterable[Item]) -> dict[str, JsonValue]:
    """Return the versions that a run over ``items`` carries: those of every benchmark in it.

    Raises:
        RunError: items of one benchmark have different versions.
    """
    found: dict[str, JsonValue] = {}
    for item in items:
        versions = versions_of(item)
        for name, value in versions.items():
            if found.setdefault(name, value) != value:
                raise RunError(f"{item.id} has {name} version {value}, rows before it {found[name]}; a run has one")
    return found


def completion_of(reply: Reply, thinking: bool | None) -> str:
    """Return what is graded: thinking and content as one completion."""
    content = reply.text or ""
    if reply.reasoning:
        return f"<think>{reply.reasoning}</think>{content}"
    if reply.truncated and thinking is not False and "</think>" not in content.lower():
        return f"<think>{content}"
    return content


def _classify(score: Score | None, *, truncated: bool) -> Outcome:
    if score is None:
        return Outcome.API_ERROR
    if score.success:
        return Outcome.CORRECT
    if truncated and not score.answer_found:
        return Outcome.TRUNCATED
    match score.reason:
        case Reason.ANSWER_IN_THOUGHTS:
            return Outcome.ANSWER_IN_THOUGHTS
        case Reason.NO_ANSWER | Reason.EMPTY_ANSWER | Reason.NOT_TEXT:
            return Outcome.NO_ANSWER
        case Reason.UNREADABLE:
            return Outcome.MALFORMED
    return Outcome.WRONG


def _score(row: Mapping[str, Any]) -> Score:
    return Score(
        float(row["native"]),
        bool(row["success"]),
        bool(row["answer_found"]),
        Reason(row["reason"]),
        FrozenMap(row["detail"]),
    )
