"""An adaptive test of a model: LogiHard items asked one after the other, each chosen by the answers before it.

The test is recorded in a run folder, so every request, completion and score can be looked at, and a test that was
stopped or killed goes on where it was. Its state is not stored: it follows from the bank, the rule and the recorded
outcomes, which are administered again on opening. Records that such a test would not have asked for are refused.

No response is no answer: an item whose request failed for good counts as not administered, and another one is asked.
Failures at the end of a record are asked again when the test is taken up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from arggym_env.errors import RunError
from arggym_env.evaluation.folder import ADAPTIVE, Manifest, RunFolder, manifest_of, replace
from arggym_env.evaluation.harness import Backend, Job
from arggym_env.evaluation.item import Item, item_of
from arggym_env.evaluation.record import Outcome, Record, Reply, judge
from arggym_env.evaluation.settings import Settings
from arggym_env.evaluation.suites import Selection, repeated
from arggym_env.instances import LogiHardItem
from arggym_env.logihard import cat
from arggym_env.logihard.bank import bank_of
from arggym_env.logihard.cat import SUBSETS, CatReport, CatRule, DualTest
from arggym_env.logihard.cat_picture import draw_trace
from arggym_env.rewards.score import JsonValue

REPORT: Final = "cat.json"
"""The file of the folder that holds the estimates and their traces."""
PICTURE: Final = "trace.svg"
MAX_FAILURES: Final = 5
"""Requests in a row that fail for good before the test is stopped: the server is at fault then, not an item."""


def check_bank(questions: Sequence[LogiHardItem], bank: str) -> None:
    """Raise RunError if the items from ``bank`` lack one of the two subsets, or two of them have one id."""
    for subset in SUBSETS:
        if not any(item.subset == subset for item in bank_of(questions)):
            raise RunError(f"bank {bank}: has no {subset} items; an adaptive test needs both subsets")
    if twice := repeated(question.id for question in questions):
        raise RunError(f"bank {bank}: two items have the same id {twice!r:.80}")


def manifest_of_test(
    questions: Sequence[LogiHardItem],
    rule: CatRule,
    *,
    label: str,
    bank: str,
    settings: Settings,
    backend: Backend,
) -> Manifest:
    """Return what the folder of a test says: the bank, the rule, the request.

    Args:
        questions: the items of the bank.
        rule: how items are chosen and when the test ends.
        label: the test's name.
        bank: where the items come from, a suite or a file.
        settings: of the model.
        backend: who is asked.

    Raises:
        RunError: the bank lacks one of the two subsets, or two of its items have one id.
    """
    check_bank(questions, bank)
    rules: dict[str, JsonValue] = {**asdict(rule), "quotas": None if rule.quotas is None else dict(rule.quotas)}
    return manifest_of(
        [item_of(question) for question in questions],
        label=label,
        suite=bank,
        selection=Selection(),
        samples=1,
        backend=backend.name,
        source=backend.source,
        model=settings.model or "",
        request=settings.request(),
        settings={**settings.record(), ADAPTIVE: rules},
    )


def ask_adaptively(
    folder: RunFolder,
    questions: Sequence[LogiHardItem],
    rule: CatRule,
    settings: Settings,
    backend: Backend,
    progress: Callable[[CatReport], None] = lambda report: None,
) -> CatReport:
    """Administer the test that ``folder`` has not finished, and return its report; both subsets take turns.

    The report and the picture of its trace are written to the folder, also when the test cannot go on.

    Raises:
        RunError: the backend cannot go on, or its requests failed ``MAX_FAILURES`` times in a row; the test can be
            taken up again. Or the folder's records are not those of such a test.
    """
    test = DualTest(bank_of(questions), rule)
    known = _standing(folder.records)
    _replay(folder, test, known)
    progress(test.report())
    by_id = {question.id: question for question in questions}
    try:
        failures = 0
        while (turn := test.turn()) is not None:
            subset_test, chosen = turn
            record = _ask(folder, item_of(by_id[chosen.id]), settings, backend)
            subset_test.record(outcome_of(record))
            progress(test.report())
            failures = failures + 1 if record.outcome is Outcome.API_ERROR else 0
            if failures == MAX_FAILURES:
                raise RunError(f"{failures} items in a row had no response{_why(record)}; run again to go on from here")
    finally:
        _write(folder, test.report())
    return test.report()


def outcome_of(record: Record) -> cat.Outcome:
    """Return what a record is to the test: only a completion can be wrong."""
    if record.outcome is Outcome.API_ERROR or record.score is None:
        return "error"
    if record.success:
        return "right"
    return "wrong" if record.score.detail.get("chosen") else "unparsable"


def _ask(folder: RunFolder, item: Item, settings: Settings, backend: Backend) -> Record:
    job = Job(item, 0, settings.body(item.prompt, 0))
    asked: list[Record] = []

    def record(job: Job, reply: Reply) -> None:
        asked.append(judge(job.item, job.sample, job.body, backend.source, settings.thinking, reply))
        folder.append(asked[-1])

    backend.answer([job], record)
    return asked[-1]


def _why(record: Record) -> str:
    failure = record.reply.failure
    if failure is None:
        return ""
    kind = failure.kind if failure.status is None else f"HTTP {failure.status}"
    return f" ({kind}: {failure.message})"


def _standing(records: Sequence[Record]) -> Mapping[str, Record]:
    """Return the records that the test rests on by item: all but the failures after the last completion."""
    answered = [place for place, record in enumerate(records) if record.outcome is not Outcome.API_ERROR]
    return {record.id: record for record in records[: answered[-1] + 1]} if answered else {}


def _replay(folder: RunFolder, test: DualTest, known: Mapping[str, Record]) -> None:
    """Administer what was recorded.

    Raises:
        RunError: the test asks for an item that has no record while completions are left over.
    """
    left = {name for name, record in known.items() if record.outcome is not Outcome.API_ERROR}
    while (turn := test.turn()) is not None:
        subset_test, chosen = turn
        record = known.get(chosen.id)
        if record is None:
            break
        left.discard(chosen.id)
        subset_test.record(outcome_of(record))
    if left:
        raise RunError(
            f"{folder.path}: its records are not those of this test: it does not ask {min(left)!r} at this point; "
            "a record is missing or was changed"
        )


def _write(folder: RunFolder, report: CatReport) -> None:
    replace(folder.path / REPORT, report.to_json().encode("ascii") + b"\n")
    replace(folder.path / PICTURE, draw_trace(report).encode("utf-8"))
