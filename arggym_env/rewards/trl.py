"""Reward functions for TRL's trainers over seed tables: ``GRPOTrainer(reward_funcs=[success_reward, format_reward])``.

Every completion goes through the registered environment that asked its question: the same reset, then a step. However
many of the functions a trainer is given, it is scored once. ``Reward`` makes functions with other settings; give all of
a trainer's functions the same.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, Literal, TypeAlias

from arggym_env.envs.single_step import one_of
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozen.floors import BANDS
from arggym_env.logihard.base import BASE
from arggym_env.logihard.hardening import COMBINATORIAL
from arggym_env.rewards.asking import ADDRESS_COLUMNS, Address, after_fork, check_columns, check_versions
from arggym_env.rewards.batch import Verdict, score_batch
from arggym_env.rewards.score import Reason
from arggym_env.rewards.workers import default_workers

Kind: TypeAlias = Literal["native", "success", "corrected", "format"]
Truncated: TypeAlias = Literal["score", "zero", "mask"]

KINDS: Final[tuple[Kind, ...]] = ("native", "success", "corrected", "format")
"""What can be paid: the three rewards of the environments, and 1.0 for any answer in the right form."""
TRUNCATED: Final[tuple[Truncated, ...]] = ("score", "zero", "mask")
"""What may be done with a completion that was cut off at the length limit."""

_LEVELLED_APART: Final = (BASE, COMBINATORIAL)
"""Tasks whose levels are not those of the bands."""
_BATCHES_KEPT: Final = 4
_Content: TypeAlias = tuple[tuple[Address, ...], tuple[str | None, ...]]


@dataclass(frozen=True)
class Reward:
    """A reward function with TRL's signature; picklable, and named ``<kind>_reward``.

    Args:
        kind: "native", "success" or "corrected", as the environments pay it, or "format": 1.0 for an answer after the
            thinking that can be read (a complete region, or LogiHard's line of letters), right or wrong, else 0.0.
        workers: processes that score; 0 scores in the calling one, None is this process's share of the cores
            (``workers.default_workers``). Results do not depend on it.
        truncated: what a completion is paid whose last token is not one of ``stop_ids``. "score": what it has earned
            so far, usually nothing. "zero": 0.0. "mask": None, by which TRL leaves it out of its group's mean and
            standard deviation and gives it advantage 0; that holds only if all of the trainer's functions say None.
        stop_ids: the ids of the tokens that end a completion, and padding (``stop_ids``). Needed for "zero" and "mask";
            with "score" they only make truncation a logged metric.

    Raises:
        CoordinateError: an argument is not allowed.
    """

    kind: Kind
    workers: int | None = None
    truncated: Truncated = "score"
    stop_ids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        one_of("reward", self.kind, KINDS)
        one_of("truncated", self.truncated, TRUNCATED)
        object.__setattr__(self, "stop_ids", tuple(self.stop_ids))
        if self.workers is not None and (
            isinstance(self.workers, bool) or not isinstance(self.workers, int) or self.workers < 0
        ):
            raise CoordinateError(f"workers {self.workers!r} is not a number of processes, 0 or None")
        if self.truncated != "score" and not self.stop_ids:
            raise CoordinateError(f"truncated {self.truncated!r} needs stop_ids, the ids of the tokens that end a text")

    @property
    def __name__(self) -> str:
        """The name under which trainers log it."""
        return f"{self.kind}_reward"

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the reward of each completion.

        Args:
            completions: texts, or lists of messages of which the last is the model's.
            columns: of the table, each a list as long as ``completions``; TRL's own ``completion_ids``,
                ``log_metric`` and ``log_extra`` are used where they are there, everything else is ignored.

        Raises:
            InstanceError: a column is missing or of another length, or rows were made by other versions.
            ArgGymError: an environment cannot ask a row's question; such an error is never a reward.
        """
        content = _addresses(columns, len(completions)), tuple(map(text_of, completions))
        cut = self._cut(columns, len(completions))
        workers = default_workers() if self.workers is None else self.workers
        verdicts = _SCORED.find(content, lambda: score_batch(*content, workers))
        if _SCORED.is_news(completions):
            _log(verdicts, cut, columns.get("log_metric"), columns.get("log_extra"))
        return [self._pay(verdict, bool(cut and cut[place])) for place, verdict in enumerate(verdicts)]

    def _pay(self, verdict: Verdict, cut: bool) -> float | None:
        if cut and self.truncated != "score":
            return 0.0 if self.truncated == "zero" else None
        if self.kind == "format":
            return float(verdict.answer_found and verdict.reason is not Reason.UNREADABLE)
        return float(getattr(verdict, self.kind))

    def _cut(self, columns: Mapping[str, Any], count: int) -> list[bool]:
        """Return for each completion whether it was cut off; nothing if that cannot be known and is not needed."""
        if not self.stop_ids or (self.truncated == "score" and "completion_ids" not in columns):
            return []
        return [not len(ids) or int(ids[-1]) not in self.stop_ids for ids in _column(columns, "completion_ids", count)]


def stop_ids(tokenizer: Any, generation_config: Any = None) -> tuple[int, ...]:
    """Return the ids that end a completion, sorted: end of sequence and padding, as TRL itself tells truncated ones.

    Args:
        tokenizer: the trainer's tokenizer.
        generation_config: the model's, whose end-of-sequence ids may be several; or None.
    """
    ends = getattr(generation_config, "eos_token_id", None)
    found = [tokenizer.eos_token_id, tokenizer.pad_token_id, *(ends if isinstance(ends, list | tuple) else [ends])]
    return tuple(sorted({int(token) for token in found if token is not None}))


def expect_unpaid() -> None:
    """Keep TRL from logging a row that nobody pays: with "mask" they are expected.

    At every batch that has one, each process would log the question and the completion of one of them in full.
    """
    logging.getLogger("trl.trainer.grpo_trainer").addFilter(_says_more_than_unpaid)


def _says_more_than_unpaid(record: logging.LogRecord) -> bool:
    return "All reward functions returned None" not in record.getMessage()


def text_of(completion: Any) -> str | None:
    """Return the text of a completion: a string, or the content of the last of its messages; None for other things.

    A message without content is an empty text: the model thought, and its trainer keeps thoughts apart.
    """
    content = completion
    if isinstance(completion, list) and completion and isinstance(completion[-1], Mapping):
        content = completion[-1].get("content") or ""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


native_reward: Final = Reward("native")
"""The task's native score, which can be compared within a task only."""
success_reward: Final = Reward("success")
"""1.0 for an answer that solves the whole question, else 0.0: the reward for mixtures of tasks."""
corrected_reward: Final = Reward("corrected")
"""The native score above what can be earned without reading the question, rescaled to [0, 1]."""
format_reward: Final = Reward("format")
"""1.0 for an answer after the thinking that can be read, right or wrong, else 0.0."""


class _Batches:
    """The batches scored last, by their content, so that a trainer's functions share the work and log it once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scored: OrderedDict[_Content, Future[list[Verdict]]] = OrderedDict()
        self._told: object = None

    def find(self, content: _Content, score: Callable[[], list[Verdict]]) -> list[Verdict]:
        """Return the verdicts on a batch, from ``score`` unless a thread has asked or is asking for them."""
        with self._lock:
            verdicts = self._scored.get(content)
            mine = verdicts is None or (verdicts.done() and verdicts.exception() is not None)
            if verdicts is None or mine:
                verdicts = self._scored[content] = Future()
            self._scored.move_to_end(content)
            if len(self._scored) > _BATCHES_KEPT:
                self._scored.popitem(last=False)
        if mine:
            try:
                verdicts.set_result(score())
            except BaseException as error:
                verdicts.set_exception(error)
                raise
        return verdicts.result()

    def is_news(self, completions: object) -> bool:
        """Return whether no function has come with this list yet: TRL gives all functions of a trainer the same one."""
        with self._lock:
            news, self._told = self._told is not completions, completions
            return news

    def forget(self) -> None:
        """Start afresh, in a process that was forked."""
        self._lock = threading.Lock()
        self._scored.clear()


_SCORED: Final = _Batches()
after_fork(_SCORED.forget)


def _addresses(columns: Mapping[str, Any], count: int) -> tuple[Address, ...]:
    check_columns(columns, ADDRESS_COLUMNS)
    found = {name: _column(columns, name, count) for name in ADDRESS_COLUMNS}
    for task, versions in dict.fromkeys(zip(found["task"], found["versions"], strict=True)):
        check_versions(task, versions)
    return tuple(Address.of(dict(zip(found, row, strict=True))) for row in zip(*found.values(), strict=True))


def _column(columns: Mapping[str, Any], name: str, count: int) -> Sequence[Any]:
    """Return a column that has ``count`` entries; raise InstanceError otherwise."""
    column = columns.get(name)
    if isinstance(column, str) or not isinstance(column, Sequence):
        raise InstanceError(f"column {name!r} is {type(column).__name__}, not a list of {count} entries")
    if len(column) != count:
        raise InstanceError(f"column {name!r} has {len(column)} entries for {count} completions")
    return column


def _log(
    verdicts: Sequence[Verdict],
    cut: Sequence[bool],
    log_metric: Callable[[str, float], None] | None,
    log_extra: Callable[[str, list[Any]], None] | None,
) -> None:
    """Tell the trainer what a batch was like, if it listens."""
    if log_metric is not None:
        for name, value in metrics(verdicts, cut).items():
            log_metric(f"arggym/{name}", value)
    if log_extra is not None:
        log_extra("task", [verdict.task for verdict in verdicts])
        log_extra("level", [verdict.level for verdict in verdicts])
        log_extra("reason", [verdict.reason.value for verdict in verdicts])
        log_extra("native", [verdict.native for verdict in verdicts])


def metrics(verdicts: Sequence[Verdict], cut: Sequence[bool] = ()) -> dict[str, float]:
    """Return means over a batch by name: success and native in all, by task and by band of levels; rates of reasons.

    Args:
        verdicts: of the batch.
        cut: for each whether the completion was cut off; empty if that is not known.
    """
    if not verdicts:
        return {}
    groups = {"": verdicts}
    for task in sorted({verdict.task for verdict in verdicts}):
        groups[f"/{task}"] = [verdict for verdict in verdicts if verdict.task == task]
    for band, levels in BANDS:
        groups[f"/{band}"] = [
            verdict for verdict in verdicts if verdict.level in levels and verdict.task not in _LEVELLED_APART
        ]
    found: dict[str, float] = {}
    for name, group in groups.items():
        if group:
            found[f"success{name}"] = fmean(verdict.success for verdict in group)
            found[f"native{name}"] = fmean(verdict.native for verdict in group)
    found["answer_found"] = fmean(verdict.answer_found for verdict in verdicts)
    for reason in Reason:
        found[f"reason/{reason}"] = fmean(verdict.reason is reason for verdict in verdicts)
    if cut:
        found["truncated"] = fmean(cut)
    return found
