"""Evaluate the frozen suite while training, and keep the checkpoint that solves most of it.

The training reward says little about progress: it is measured on questions that a curriculum keeps moving, at training
temperature, and partly paid for form. The callback asks the same frozen rows every time, decodes greedily unless told
otherwise, and counts success. Its rows are the records of ``arggym eval``, one file for each evaluation.
"""

from __future__ import annotations

import difflib
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from accelerate.utils import broadcast_object_list, gather_object
from transformers import Trainer, TrainerCallback

from arggym_env.coordinates import LEVELS
from arggym_env.envs.registry import TASKS
from arggym_env.errors import RunError
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import TRUNCATION, Record, Reply, judge
from arggym_env.evaluation.settings import Settings
from arggym_env.evaluation.statistics import estimate
from arggym_env.evaluation.suites import SUITES, Selection, fingerprint, spread
from arggym_env.frozen.floors import BANDS
from arggym_env.frozenmap import FrozenMap
from arggym_env.training.generation import Completion, Sampling, complete
from arggym_env.training.run import read_json, write_json

FOLDER: Final = "frozen"
"""Of the evaluations in a run folder."""
BEST: Final = "best"
"""Of the best weights in a run folder."""
PARTIAL: Final = "best.partial"
"""Of weights that are being written; once ``best.json`` is there they are whole, and better than those in ``BEST``."""
SOURCE: Final = "training"
"""What records say of where they were asked."""

Generate = Callable[[Any, Sequence[list[dict[str, str]]], Sampling], list[Completion]]

logger = logging.getLogger(__name__)


def frozen_items(rows: int | None = None, tasks: Sequence[str] = (), levels: Sequence[int] = ()) -> list[Item]:
    """Return frozen rows, the same for the same arguments: all of them, or ``rows`` spread over tasks and bands.

    Every pair of task and band has as many rows as any other, but for one; within it they are chosen by a hash of their
    ids, and those of a smaller number are among those of a larger one.

    Raises:
        RunError: ``rows`` is not positive, or the selection is empty.
    """
    if rows is not None and rows < 1:
        raise RunError(f"frozen rows {rows} is not a positive number")
    entries = [
        entry
        for entry in SUITES["arggym"](Selection())
        if entry.task in (tasks or TASKS) and entry.level in (levels or LEVELS)
    ]
    if not entries:
        raise RunError(f"frozen suite: no row has the tasks {list(tasks)} and levels {list(levels)} together")
    cells = spread(_Cell(entry.id, f"{band_of(entry.level)} {entry.task}") for entry in entries)
    kept = {cell.id for cell in cells[:rows]}
    return [entry.load() for entry in entries if entry.id in kept]


class _Cell(NamedTuple):
    id: str
    task: str
    question: str = ""


def band_of(level: int) -> str:
    """Return the name of the band that a level is in."""
    return next(name for name, levels in BANDS if level in levels)


def metrics_of(records: Iterable[Record]) -> dict[str, float]:
    """Return success, native and truncated shares: of all, by task, by band, and success by both.

    ``frozen/success`` comes with its 95% interval as ``frozen/success_low`` and ``frozen/success_high``.
    """
    every = list(records)
    found: dict[str, float] = {}
    whole = estimate((record.id, float(record.success)) for record in every)
    if whole is None:
        return found
    found.update({"frozen/success_low": whole.low, "frozen/success_high": whole.high})
    found["frozen/tokens"] = fmean(record.reply.usage["completion_tokens"] for record in every)
    groups: dict[str, list[Record]] = {}
    for record in every:
        for place in _places(record):
            groups.setdefault(place, []).append(record)
    for place, chosen in groups.items():
        for kind in _kinds(place):
            found[f"frozen/{kind}{place}"] = fmean(_VALUES[kind](record) for record in chosen)
    return found


def metric_names(items: Iterable[Item]) -> list[str]:
    """Return the names of the metrics that the records of ``items`` give."""
    places = dict.fromkeys(place for item in items for place in _places(item))
    names = [f"frozen/{kind}{place}" for place in places for kind in _kinds(place)]
    return [*names, "frozen/success_low", "frozen/success_high", "frozen/tokens"]


_VALUES: Final[Mapping[str, Callable[[Record], float]]] = {
    "success": lambda record: float(record.success),
    "native": lambda record: record.native,
    "truncated": lambda record: float(record.reply.truncated),
}


def _places(row: Item | Record) -> tuple[str, ...]:
    """Return the ends of the names of the metrics that a row counts for."""
    band = band_of(row.level)
    return "", f"/{row.task}", f"/{band}", f"/{row.task}/{band}"


def _kinds(place: str) -> Iterable[str]:
    return _VALUES if place.count("/") < 2 else ("success",)


class FrozenSuiteCallback(TrainerCallback):  # type: ignore[misc, unused-ignore] # Any without transformers
    """Evaluates frozen rows during training; give it to a trainer, then the trainer to ``attach``.

    Each evaluation writes ``frozen/step_000050.jsonl`` (one record a row) and ``frozen/step_000050.json`` (its metrics)
    to the run folder, and logs the metrics without disturbing the step's own log. The weights with the highest
    ``metric`` so far are in ``best``, with ``best.json`` saying of which step; at a tie the earlier ones stay. What was
    evaluated is on disk, so a resumed run does not evaluate its first step again, and compares with the best so far,
    unless that was measured on other rows or by another sampling.

    Rows are divided over the processes. Training goes on exactly as it would have without the callback: modules' modes,
    random states and generation settings are put back. Where vLLM runs as a server, or samples with a random state of
    its own, that holds for greedy decoding, which draws nothing.

    Args:
        items: what is asked, from ``frozen_items``.
        every: steps between evaluations; 0 for none during training.
        sampling: how answers are decoded.
        at_start: whether to evaluate before the first step.
        at_end: whether to evaluate after the last step.
        metric: the metric that the best checkpoint has the most of; None keeps none.
        thinking: what the trainer's ``chat_template_kwargs`` say of the template's ``enable_thinking``; None for the
            model's default. Answers are read by it.
        system: a system message before every question.
        batch: prompts of one call of ``generate`` where there is no vLLM.
        generate: what answers; ``generation.complete`` unless a trainer of another kind needs its own.

    Raises:
        RunError: there are no items, or the metric is not one that they give.
    """

    def __init__(
        self,
        items: Sequence[Item],
        every: int,
        sampling: Sampling,
        *,
        at_start: bool = True,
        at_end: bool = True,
        metric: str | None = "frozen/success",
        thinking: bool | None = None,
        system: str | None = None,
        batch: int = 8,
        generate: Generate | None = None,
    ) -> None:
        if not items:
            raise RunError("frozen suite: no rows to evaluate")
        if metric is not None and metric not in (names := metric_names(items)):
            near = difflib.get_close_matches(metric, names, n=3)
            raise RunError(f"frozen suite: metric {metric!r} is not one of {', '.join(near or names)}")
        self.items = list(items)
        self.every = every
        self.sampling = sampling
        self.at_start = at_start
        self.at_end = at_end
        self.metric = metric
        self.thinking = thinking
        self._request = settings_of(sampling, system, thinking)
        self._suite = fingerprint(self.items)
        self._generate = generate or (lambda trainer, prompts, how: complete(trainer, prompts, how, batch))
        self._trainer: Any = None

    def attach(self, trainer: Trainer) -> None:
        """Evaluate the weights of ``trainer``, and log and save through it."""
        self._trainer = trainer

    def prompts(self) -> list[list[dict[str, str]]]:
        """Return the chat messages of all rows."""
        return [_messages(self._request.body(item.prompt, 0)) for item in self.items]

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._trainer is None:
            raise RunError("frozen suite: the callback has no trainer; call callback.attach(trainer)")
        due = self.at_start if state.global_step == 0 else self._due(state.global_step)
        if due and not self._evaluated(args, state.global_step):
            self._evaluate(args, state, control)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._due(state.global_step):
            self._evaluate(args, state, control)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self.at_end and not self._evaluated(args, state.global_step):
            self._evaluate(args, state, control)

    def _due(self, step: int) -> bool:
        return self.every > 0 and step % self.every == 0

    def _evaluated(self, args: Any, step: int) -> bool:
        """Return whether the same rows were asked the same way at this step, as every process is told by the first."""
        there = False
        if self._trainer.is_world_process_zero():
            found = read_json(_file(args, step, "json"))
            there = found is not None and found.get("asked") == self._asked()
        return bool(broadcast_object_list([there], from_process=0)[0])

    def _asked(self) -> dict[str, Any]:
        return {"suite": self._suite, "request": dict(self._request.request())}

    def _evaluate(self, args: Any, state: Any, control: Any) -> None:
        records = self._records()
        metrics = metrics_of(records)
        step = state.global_step
        logged = control.should_log
        Trainer.log(self._trainer, dict(metrics))  # the trainer's own would add its training metrics and clear them
        control.should_log = logged
        if self._trainer.is_world_process_zero():
            rows = _file(args, step, "jsonl")
            rows.parent.mkdir(parents=True, exist_ok=True)
            _write_lines(rows, records)
            write_json(_file(args, step, "json"), {"step": step, "metrics": metrics, "asked": self._asked()})
            logger.info("step %d: frozen success %.3f on %d rows", step, metrics["frozen/success"], len(records))
        if self.metric is not None:
            self._keep_best(Path(args.output_dir), step, self.metric, metrics)

    def _records(self) -> list[Record]:
        """Return the records of all rows, the same in every process, each having asked its share."""
        processes = self._trainer.accelerator
        # The items come sorted by task and level; every n-th of them gives each process questions of all lengths.
        share = list(range(processes.process_index, len(self.items), processes.num_processes))
        bodies = [self._request.body(self.items[index].prompt, 0) for index in share]
        answers = self._generate(self._trainer, [_messages(body) for body in bodies], self.sampling)
        lines = []
        for index, body, answer in zip(share, bodies, answers, strict=True):
            request = FrozenMap({name: value for name, value in body.items() if name != "messages"})
            record = judge(self.items[index], 0, request, SOURCE, self.thinking, _reply(answer))
            lines.append((index, record.to_line()))
        return [Record.from_line(line) for _, line in sorted(gather_object(lines))]

    def _keep_best(self, folder: Path, step: int, metric: str, metrics: Mapping[str, float]) -> None:
        first, value = self._trainer.is_world_process_zero(), metrics[metric]
        measured = {"metric": metric, "asked": self._asked()}
        best = broadcast_object_list([_best_so_far(folder) if first else None], from_process=0)[0]
        if best is not None and best["value"] >= value and measured.items() <= best.items():
            return
        partial = folder / PARTIAL
        if first:
            shutil.rmtree(partial, ignore_errors=True)
        self._trainer.save_model(str(partial))
        self._trainer.accelerator.wait_for_everyone()
        if first:
            write_json(partial / "best.json", {"step": step, "value": value, **measured, **metrics})
            _best_so_far(folder)
        self._trainer.accelerator.wait_for_everyone()


def settings_of(sampling: Sampling, system: str | None = None, thinking: bool | None = None) -> Settings:
    """Return a sampling as records have it; what draws nothing says nothing of how it would draw."""
    drawn: dict[str, Any] = {}
    if sampling.temperature > 0:
        drawn = {"top_p": sampling.top_p, "top_k": sampling.top_k, "seed": sampling.seed}
    return Settings(
        system=system, temperature=sampling.temperature, max_tokens=sampling.max_tokens, thinking=thinking, **drawn
    )


def _best_so_far(folder: Path) -> dict[str, Any] | None:
    """Return what is said of the best weights, after putting those in their place that are whole and not yet there."""
    if (folder / PARTIAL / "best.json").is_file():
        shutil.rmtree(folder / BEST, ignore_errors=True)
        os.replace(folder / PARTIAL, folder / BEST)
    return read_json(folder / BEST / "best.json")


def _messages(body: Mapping[str, Any]) -> list[dict[str, str]]:
    return list(body["messages"])


def _file(args: Any, step: int, kind: str) -> Path:
    return Path(args.output_dir) / FOLDER / f"step_{step:06d}.{kind}"


def _write_lines(path: Path, records: Sequence[Record]) -> None:
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(record.to_line() + "\n" for record in records)
    os.replace(partial, path)


def _reply(answer: Completion) -> Reply:
    usage = {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.tokens}
    return Reply(answer.text, finish_reason=TRUNCATION if answer.truncated else "stop", usage=FrozenMap(usage))
