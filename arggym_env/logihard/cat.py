"""Computerised adaptive testing with two subsets (LogiHard, section 3.3 and appendix A.4).

Each subset, atomic and combinatorial, is a test of its own: the most informative item at the current estimate is
administered, the response updates the EAP estimate, and the test stops when the standard error is below 0.3 or after
60 items. What the combinatorial form costs is delta theta, the difference of the two abilities, with its standard
error.

Quotas keep a test's composition: information grows with the square of the discrimination, so that without quotas an
ability would rest on expert items alone. A tier may run ahead of its share by one item.

How many items to expect: from a bank of 539 with c = 1/6, difficulties around the ability and no quotas, about 20. The
paper's 12 are out of reach with these parameters, since the standard error after 12 items is at best 0.34. With c =
0.25 and the paper's quotas it takes about 40, and an atomic subset without Gold Scores (a = 0.8) ends after 60 items
with a standard error near 0.39. The report says why a test stopped.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from arggym_env.envs import codec
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozenmap import FrozenMap
from arggym_env.logihard.irt import Estimate, Information, Item, Posterior, Prior, Subset, fisher_information

Outcome: TypeAlias = Literal["right", "wrong", "unparsable", "error"]
"""``right`` is an exact match; ``unparsable`` counts as wrong; after an ``error`` (no response was obtained) the item
counts as not administered and is not asked again."""
Stop: TypeAlias = Literal["target_se", "max_items", "bank_exhausted", "running"]
Examinee: TypeAlias = Callable[[Item], Outcome]

PAPER_QUOTAS: Final = FrozenMap({"easy": 0.2, "medium": 0.4, "hard": 0.3, "expert": 0.1})
"""The composition of the published combinatorial subset (section 3.4)."""
SUBSETS: Final[tuple[Subset, ...]] = get_args(Subset)
"""The two subsets, in the order in which they take turns."""


@dataclass(frozen=True, slots=True)
class CatRule:
    """How a test selects, estimates and stops.

    Attributes:
        max_items: most items administered.
        target_se: the test stops when the standard error is below this.
        information: what is maximised by selection.
        prior: the prior of theta.
        quotas: each tier's share of a subset that has several tiers; None selects by information alone.
    """

    max_items: int = 60
    target_se: float = 0.3
    information: Information = "3pl"
    prior: Prior = "normal"
    quotas: FrozenMap[float] | None = PAPER_QUOTAS


DEFAULT_RULE: Final = CatRule()


@dataclass(frozen=True, slots=True)
class Step:
    """One item of a test, and the estimate after it."""

    item: str
    tier: str
    outcome: Outcome
    theta: float
    se: float


class AdaptiveTest:
    """One subset's test: ask for ``next_item``, ``record`` its outcome, until there is no next item.

    Args:
        bank: the items; their ids differ. The order of the bank means nothing: ties go to the smaller id.
        rule: how to select, estimate and stop.

    Raises:
        CoordinateError: two items have one id.
    """

    def __init__(self, bank: Sequence[Item], rule: CatRule = DEFAULT_RULE) -> None:
        self._bank = sorted(bank, key=lambda item: item.id)
        for item, following in pairwise(self._bank):
            if item.id == following.id:
                raise CoordinateError(f"the item bank has two items with the id {item.id!r:.80}")
        self._rule = rule
        self._a, self._b, self._c = (
            np.array([getattr(item, name) for item in self._bank], dtype=np.float64) for name in "abc"
        )
        self._open = np.ones(len(self._bank), dtype=np.bool_)
        tiers = np.array([item.tier for item in self._bank], dtype=np.str_)
        self._left = Counter(item.tier for item in self._bank)
        self._of_tier = {tier: tiers == tier for tier in sorted(self._left)}
        self._posterior = Posterior(rule.prior)
        self._pending: int | None = None
        self._administered: Counter[str] = Counter()
        self.estimate: Estimate = self._posterior.estimate()
        self.steps: list[Step] = []

    @property
    def items(self) -> int:
        """How many items were administered."""
        return self._administered.total()

    @property
    def stop(self) -> Stop:
        """Why the test is over, or "running"."""
        if self.items and self.estimate.se < self._rule.target_se:
            return "target_se"
        if self.items >= self._rule.max_items:
            return "max_items"
        return "running" if self._open.any() else "bank_exhausted"

    def next_item(self) -> Item | None:
        """Return the item to administer, the same one until its outcome is recorded; None when the test is over."""
        if self.stop != "running":
            return None
        if self._pending is None:
            values = fisher_information(self._a, self._b, self._c, self.estimate.theta, self._rule.information)
            self._pending = int(np.where(self._within_quota(), values, -1.0).argmax())
        return self._bank[self._pending]

    def record(self, outcome: Outcome) -> Step:
        """Take the pending item's outcome and return the step that it makes.

        Raises:
            CoordinateError: no item is pending.
        """
        if self._pending is None:
            raise CoordinateError("no item is pending: ask for next_item first")
        item = self._bank[self._pending]
        self._open[self._pending], self._pending = False, None
        self._left[item.tier] -= 1
        if outcome != "error":
            self._administered[item.tier] += 1
            self._posterior.observe(item, outcome == "right")
            self.estimate = self._posterior.estimate()
        step = Step(item.id, item.tier, outcome, self.estimate.theta, self.estimate.se)
        self.steps.append(step)
        return step

    def _within_quota(self) -> np.typing.NDArray[np.bool_]:
        """Return which items are open and of a tier that is not ahead of its share; all open ones if none is."""
        quotas, tiers = self._rule.quotas, [tier for tier, left in self._left.items() if left]
        if quotas is None or len(tiers) < 2:
            return self._open
        due = [tier for tier in tiers if self._administered[tier] < quotas.get(tier, 0.0) * (self.items + 1)]
        return self._open & np.logical_or.reduce([self._of_tier[tier] for tier in due]) if due else self._open


@dataclass(frozen=True, slots=True)
class SubsetReport:
    """One subset's result.

    Attributes:
        theta: the ability.
        se: its standard error.
        items: items administered.
        right: exact matches among them.
        unparsable: responses without a valid answer among them, counted as wrong.
        errors: items for which no response was obtained; they count for nothing.
        stop: why the test ended.
        steps: the trace.
    """

    theta: float
    se: float
    items: int
    right: int
    unparsable: int
    errors: int
    stop: Stop
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CatReport:
    """The result of both subsets.

    Attributes:
        base: the atomic subset.
        combinatorial: the combinatorial subset.
        delta_theta: how much lower the combinatorial ability is.
        delta_se: its standard error; the two posteriors are independent.
    """

    base: SubsetReport
    combinatorial: SubsetReport
    delta_theta: float
    delta_se: float

    def to_json(self) -> str:
        """Return the report and its traces as one line of JSON; ``from_json`` is the inverse."""
        return json.dumps(codec.encode(self), ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> CatReport:
        """Return the report that ``to_json`` wrote.

        Raises:
            InstanceError: the text is not such a line.
        """
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InstanceError(f"adaptive test report: not JSON ({error})") from None
        return codec.decode(cls, row, "adaptive test report")


@dataclass
class DualTest:
    """Both subsets of a bank, tested in turns.

    Args:
        bank: items of both subsets.
        rule: the rule of both tests.
    """

    bank: Sequence[Item]
    rule: CatRule = DEFAULT_RULE
    tests: dict[Subset, AdaptiveTest] = field(init=False)

    def __post_init__(self) -> None:
        self.tests = {
            subset: AdaptiveTest([item for item in self.bank if item.subset == subset], self.rule) for subset in SUBSETS
        }

    def turn(self) -> tuple[AdaptiveTest, Item] | None:
        """Return the test whose turn it is and its next item: the test with fewer steps; None when both are over."""
        running = [(len(test.steps), test, item) for test in self.tests.values() if (item := test.next_item())]
        return min(running, key=lambda entry: entry[0])[1:] if running else None

    def resume(self, report: CatReport) -> None:
        """Take over the steps of an interrupted test.

        Raises:
            InstanceError: this bank and rule would have asked other items or given other estimates, as when an item is
                missing or the parameters have changed.
        """
        for subset, told in zip(SUBSETS, (report.base, report.combinatorial), strict=True):
            test = self.tests[subset]
            for number, step in enumerate(told.steps, start=1):
                item = test.next_item()
                if item is None or item.id != step.item:
                    asked = "no item" if item is None else repr(item.id)
                    raise InstanceError(f"{subset} step {number} was {step.item!r:.80}; this bank asks {asked:.80}")
                again = test.record(step.outcome)
                if not math.isclose(again.theta, step.theta, abs_tol=1e-9):
                    raise InstanceError(f"{subset} step {number}: theta was {step.theta}, this bank has {again.theta}")

    def report(self) -> CatReport:
        """Return the estimates so far."""
        base, combinatorial = (_summary(self.tests[subset]) for subset in SUBSETS)
        return CatReport(base, combinatorial, base.theta - combinatorial.theta, math.hypot(base.se, combinatorial.se))


def _summary(test: AdaptiveTest) -> SubsetReport:
    outcomes = Counter(step.outcome for step in test.steps)
    return SubsetReport(
        theta=test.estimate.theta,
        se=test.estimate.se,
        items=test.items,
        right=outcomes["right"],
        unparsable=outcomes["unparsable"],
        errors=outcomes["error"],
        stop=test.stop,
        steps=tuple(test.steps),
    )


def administer(test: AdaptiveTest, examinee: Examinee) -> AdaptiveTest:
    """Run ``test`` to its end with ``examinee`` and return it."""
    while (item := test.next_item()) is not None:
        test.record(examinee(item))
    return test


def adaptive_test(bank: Sequence[Item], examinee: Examinee, rule: CatRule = DEFAULT_RULE) -> CatReport:
    """Return the report of both subsets of ``bank``, administered to ``examinee`` in turns."""
    dual = DualTest(bank, rule)
    while (turn := dual.turn()) is not None:
        test, item = turn
        test.record(examinee(item))
    return dual.report()
