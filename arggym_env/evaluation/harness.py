"""The run itself: what is still to be asked goes to a backend, and every reply is judged and recorded as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from arggym_env.errors import RunError
from arggym_env.evaluation import folder as folders
from arggym_env.evaluation.folder import RunFolder
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import OUTCOMES, Outcome, Record, Reply, judge, versions_of_all
from arggym_env.evaluation.settings import Settings
from arggym_env.evaluation.suites import SUITES, fingerprint, load_items, spread
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue


@dataclass(frozen=True, slots=True)
class Job:
    """One question to ask once.

    Attributes:
        item: the item.
        sample: which of its samples.
        body: the request.
    """

    item: Item
    sample: int
    body: Mapping[str, JsonValue]


class Backend(Protocol):
    """Something that answers.

    Attributes:
        name: how a manifest calls it: "chat", "vllm" or "agent".
        source: where the requests go: a base URL, or the name.
    """

    name: str
    source: str

    def answer(self, jobs: Sequence[Job], record: Callable[[Job, Reply], None]) -> None:
        """Answer every job, in any order, and hand each reply to ``record`` as soon as it is there.

        Raises:
            RunError: it makes no sense to go on; what was recorded stays.
        """


class Tally:
    """Running totals of a run, for the progress bar.

    Attributes:
        asked: how many records the finished run has.
        outcomes: how many records of each class there are.
        tokens: completion tokens so far.
    """

    def __init__(self, records: Sequence[Record], asked: int) -> None:
        self.asked = asked
        self.outcomes: dict[Outcome, int] = dict.fromkeys(OUTCOMES, 0)
        self.tokens = 0
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Count a record."""
        self.outcomes[record.outcome] += 1
        self.tokens += record.reply.usage.get("completion_tokens", 0)

    @property
    def done(self) -> int:
        """How many questions have been asked."""
        return sum(self.outcomes.values())

    @property
    def success(self) -> float:
        """The share of them that were solved."""
        return self.outcomes[Outcome.CORRECT] / self.done if self.done else 0.0

    @property
    def errors(self) -> float:
        """The share of them that ended in an API error."""
        return self.outcomes[Outcome.API_ERROR] / self.done if self.done else 0.0


def ask(
    folder: RunFolder,
    items: Sequence[Item],
    settings: Settings,
    backend: Backend,
    progress: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Ask what ``folder`` has no completion for, and return the totals of the whole run.

    Questions are asked in an order that mixes tasks and levels, so that a run that is stopped early has seen of all.

    Raises:
        RunError: the backend cannot go on; the run can be taken up again.
    """
    jobs = [
        Job(item, sample, settings.body(item.prompt, sample))
        for sample in range(folder.manifest.samples)
        for item in spread(items)
        if not folder.answered(item.id, sample)
    ]
    answered = [record for record in folder.records if record.outcome is not Outcome.API_ERROR]
    tally = Tally(answered, folder.manifest.asked)
    progress(tally)

    def record(job: Job, reply: Reply) -> None:
        found = judge(job.item, job.sample, job.body, backend.source, settings.thinking, reply)
        folder.append(found)
        tally.add(found)
        progress(tally)

    if jobs:
        backend.answer(jobs, record)
    return tally


@dataclass(frozen=True, slots=True)
class Rescored:
    """What scoring a run again changed.

    Attributes:
        records: how many records the run has.
        gained: how many of them succeed only now.
        lost: how many no longer succeed.
        native: how many have another native score.
    """

    records: int
    gained: int
    lost: int
    native: int


def rescore(path: Path) -> Rescored:
    """Score the completions of a run again with this package, asking nothing, and rewrite the run.

    Raises:
        RunError: the suite's items are no longer those that were asked, or the run is an adaptive test.
    """
    old = folders.read_manifest(path)
    if folders.ADAPTIVE in old.settings:
        raise RunError(f"{path}: is an adaptive test; other scores would have led to other items")
    suite = old.suite
    if suite not in SUITES and not Path(suite).exists():
        raise RunError(f"{path}: the suite's file {suite} is not there; rescore where it is")
    items = {item.id: item for item in load_items(suite, old.selection)}
    if fingerprint(items.values()) != old.sha256:
        raise RunError(f"{path}: suite {suite} has other prompts or references now than those that were asked")
    versions = FrozenMap(versions_of_all(items.values()))
    with folders.locked(path):
        before = list({record.key: record for record in folders.read_records(path)}.values())
        after = [_again(record, items[record.id]) for record in before]
        folders.write_records(path, after)
        folders.write_manifest(path, replace(old, versions=versions))
    pairs = list(zip(before, after, strict=True))
    return Rescored(
        records=len(after),
        gained=sum(new.success and not was.success for was, new in pairs),
        lost=sum(was.success and not new.success for was, new in pairs),
        native=sum(was.native != new.native for was, new in pairs),
    )


def _again(record: Record, item: Item) -> Record:
    return judge(item, record.sample, record.request, record.source, record.thinking, record.reply)
