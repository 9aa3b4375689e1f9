"""The audit: every row of a suite is executed again, by the native engine and by the PyArg oracle (paper appendix A.1).

For each row: it decodes and encodes to the same bytes; its prompt is the one that its theory and question give; its
ordering reaches the question and the engine; the engines agree on arguments, defeats, labels and the reference's
score, which is native 1 with success; the recorded structure and minimum are right; and the engine's invariants hold:
no argument is both accepted and defeated, the grounded extension lies inside every preferred one, and a constructive
row's theory contradicts itself neither before nor after the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from arggym_env.engine import State, evaluate
from arggym_env.envs.constructive import ConstructiveTask
from arggym_env.envs.gates import switched
from arggym_env.envs.generation import structure
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.errors import ArgGymError, ExtensionLimitExceeded
from arggym_env.parallel import in_order
from arggym_env.rewards.score import Reason

CHECKS: Final = ("decoding", "rescoring", "ordering", "invariants", "engines", "structure")
"""The kinds of failure that are counted."""


@dataclass(frozen=True, slots=True)
class RowAudit:
    """What the audit found about one row.

    Attributes:
        id: the row.
        failures: what does not hold, each as (check, description).
        minimum: the recorded minimum.
        principle_active: whether switching only the link principle changes the theory's grounded status map.
        lift_active: whether switching only the set ordering does.
    """

    id: str
    failures: tuple[tuple[str, str], ...]
    minimum: int | None = None
    principle_active: bool = False
    lift_active: bool = False


@dataclass(slots=True)
class AuditReport:
    """The sums over a suite."""

    rows: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    minima: dict[str, Counter[int]] = field(default_factory=dict)
    principle_active: Counter[str] = field(default_factory=Counter)
    lift_active: Counter[str] = field(default_factory=Counter)
    rows_by_task: Counter[str] = field(default_factory=Counter)

    def add(self, found: RowAudit) -> None:
        """Count one row."""
        task = found.id.split("/", maxsplit=1)[0]
        self.rows += 1
        self.rows_by_task[task] += 1
        self.failures.update(check for check, _ in found.failures)
        self.examples.extend(f"{found.id}: {check}: {text}" for check, text in found.failures)
        if found.minimum is not None:
            self.minima.setdefault(task, Counter())[found.minimum] += 1
        self.principle_active[task] += found.principle_active
        self.lift_active[task] += found.lift_active


def audit(
    lines: Sequence[tuple[str, str]],
    *,
    oracle: bool = True,
    workers: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> AuditReport:
    """Return what the audit found over rows given as (id, JSON line).

    Args:
        lines: the rows.
        oracle: also execute every row with PyArg (minutes; about a second for each of the larger rows).
        workers: processes to use.
        progress: called with the number of rows done after each.
    """
    report = AuditReport()
    for found in _audits(lines, oracle=oracle, workers=workers):
        report.add(found)
        progress(report.rows)
    return report


def _audits(lines: Iterable[tuple[str, str]], *, oracle: bool, workers: int) -> Iterator[RowAudit]:
    return in_order(_audit_job, [(row, line, oracle) for row, line in lines], workers, chunk=4)


def _audit_job(job: tuple[str, str, bool]) -> RowAudit:
    row, line, oracle = job
    return audit_row(row, line, oracle=oracle)


def audit_row(row: str, line: str, *, oracle: bool = True) -> RowAudit:
    """Return what does not hold of the row stored as ``line``."""
    try:
        instance = Instance.from_json(line)
    except ArgGymError as error:
        return RowAudit(row, (("decoding", str(error)),))
    failures: list[tuple[str, str]] = []

    def expect(holds: bool, check: str, text: str) -> None:
        if not holds:
            failures.append((check, text))

    expect(instance.id == row and instance.to_json() == line, "decoding", "the row does not encode to its own bytes")
    task = get_task(instance.task)
    prompt = task.prompt(instance.theory, instance.question, instance.ordering)
    expect(prompt == instance.prompt, "decoding", "the prompt is not the one that theory and question give")
    expect(instance.ordering in instance.prompt, "ordering", "the prompt does not name the ordering")
    state = evaluate(instance.theory, instance.ordering)
    expect(state.ordering == instance.ordering, "ordering", "the engine got another ordering")
    failures += _structure_failures(instance, state)
    failures += _invariant_failures(instance, state)
    failures += _score_failures(instance, "native")
    if oracle:
        failures += _oracle_failures(instance, state)
        failures += _score_failures(instance, "pyarg")
    statuses = state.statuses()
    principle, lift = (evaluate(instance.theory, other).statuses() != statuses for other in switched(instance.ordering))
    return RowAudit(row, tuple(failures), instance.min_directives, principle, lift)


def _structure_failures(instance: Instance, state: State) -> Iterator[tuple[str, str]]:
    for name, value in structure(instance.theory, state).items():
        if instance.stats[name] != value:
            yield "structure", f"{name} is recorded as {instance.stats[name]} and is {value}"
    lines = len(instance.reference.splitlines())
    if instance.min_directives is not None and instance.min_directives != lines:
        yield "structure", f"the minimum is {instance.min_directives}, its witness has {lines} directives"


def _invariant_failures(instance: Instance, state: State) -> Iterator[tuple[str, str]]:
    (grounded,) = state.extensions("grounded")
    defeated = {argument for argument in state.arguments if state.label(argument) == "out"}
    if grounded & defeated:
        yield "invariants", "an argument is both accepted and defeated"
    attacked = {target for attacker, target in state.defeats if attacker in grounded}
    if attacked != defeated:
        yield "invariants", "the defeated arguments are not those that accepted arguments defeat"
    try:
        if not all(grounded <= extension for extension in state.extensions("preferred")):
            yield "invariants", "a preferred extension lacks part of the grounded one"
    except ExtensionLimitExceeded:
        pass  # too many to list; each of them is built on the grounded one
    if isinstance(get_task(instance.task), ConstructiveTask) and not state.is_consistent:
        yield "invariants", "the theory justifies a literal and its negation"


def _oracle_failures(instance: Instance, state: State) -> Iterator[tuple[str, str]]:
    oracle = evaluate(instance.theory, instance.ordering, engine="pyarg")
    if oracle.arguments != state.arguments:
        yield "engines", "the engines build different arguments"
    elif set(oracle.defeats) != set(state.defeats):
        yield "engines", "the engines find different defeats"
    elif oracle.statuses() != state.statuses():
        yield "engines", "the engines give different statuses"


def _score_failures(instance: Instance, engine: str) -> Iterator[tuple[str, str]]:
    verdict = score(instance, f"<answer>\n{instance.reference}\n</answer>", engine=engine)
    if not (verdict.success and verdict.native == 1.0 and verdict.reason is Reason.CORRECT):
        yield "rescoring", f"the reference scores {verdict.native} ({verdict.reason}) with {engine}"
