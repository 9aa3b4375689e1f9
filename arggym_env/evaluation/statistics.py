"""The statistics of reports: intervals that know which samples share an item, pass@k, and paired comparison.

All of it is small and exact enough to be plain Python. Samples of the same item are not independent, so every interval
is clustered by item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt
from statistics import fmean
from typing import Final

Z: Final = 1.959963984540054
"""The normal quantile of a two-sided interval at 95%."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of values in [0, 1] with its 95% interval.

    Attributes:
        value: the mean.
        low: lower end of the interval.
        high: upper end.
        n: how many values, the samples of an item counted each.
        items: how many items they belong to.
    """

    value: float
    low: float
    high: float
    n: int
    items: int


def estimate(values: Iterable[tuple[str, float]]) -> Estimate | None:
    """Return the mean of values in [0, 1], given with the item that each belongs to; None if there are none.

    The interval is Wilson's at the effective number of values: the number of independent yes/no answers whose mean
    would have the variance that the clusters show. For one yes/no answer an item this is Wilson's own interval, and it
    never degenerates to a point: where the clusters show no variance it is that of as many values as there are items.
    """
    clusters: dict[str, list[float]] = {}
    for item, value in values:
        clusters.setdefault(item, []).append(value)
    n = sum(map(len, clusters.values()))
    if not n:
        return None
    mean = sum(map(sum, clusters.values())) / n
    variance = sum((sum(cluster) - mean * len(cluster)) ** 2 for cluster in clusters.values()) / n**2
    effective = mean * (1 - mean) / variance if variance > 1e-12 else float(len(clusters))
    low, high = wilson(mean, effective)
    return Estimate(mean, low, high, n, len(clusters))


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95% interval for a share observed over ``n`` independent yes/no answers (``n`` > 0)."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * sqrt(max(0.0, share * (1 - share)) / n + Z**2 / (4 * n**2))
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def pass_at_k(n: int, correct: int, k: int) -> float | None:
    """Return the unbiased estimate of solving an item in ``k`` tries, from ``correct`` of ``n`` (Chen et al. 2021).

    None when there are fewer than ``k`` samples: the estimate does not exist then.
    """
    if n < k:
        return None
    return 1.0 - comb(n - correct, k) / comb(n, k)


@dataclass(frozen=True, slots=True)
class PassAtK:
    """pass@k over items.

    Attributes:
        k: the number of tries.
        value: mean over the items that have at least k samples; None if there are none.
        omitted: how many items have fewer.
    """

    k: int
    value: Estimate | None
    omitted: int


def mean_pass_at_k(counts: Mapping[str, tuple[int, int]], k: int) -> PassAtK:
    """Return pass@k over items given as (samples, correct samples)."""
    found = {item: pass_at_k(n, correct, k) for item, (n, correct) in counts.items()}
    there = [(item, value) for item, value in found.items() if value is not None]
    return PassAtK(k, estimate(there), len(found) - len(there))


@dataclass(frozen=True, slots=True)
class Paired:
    """Two runs compared on the items that both answered.

    Attributes:
        items: how many.
        first: the first run's success on them.
        second: the second run's.
        difference: second minus first, the mean over items.
        low: lower end of its 95% interval: the adjusted Wald interval of Bonett and Price (2012), which two items more
            give, one better and one worse; it never degenerates to a point.
        high: upper end.
        only_first: items on which the first does better.
        only_second: items on which the second does better.
        p: two-sided exact p-value of "better on as many items as worse": McNemar's test for one sample an item, the
            sign test over items for more.
    """

    items: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    only_first: int
    only_second: int
    p: float


def compare(first: Mapping[str, Sequence[bool]], second: Mapping[str, Sequence[bool]]) -> Paired | None:
    """Return the paired comparison of two runs, given as the successes of each item's samples; None without items."""
    shared = [item for item in first if first[item] and second.get(item)]
    if not shared:
        return None
    pairs = [(fmean(first[item]), fmean(second[item])) for item in shared]
    differences = [b - a for a, b in pairs]
    mean = fmean(differences)
    adjusted = [*differences, 1.0, -1.0]
    middle = fmean(adjusted)
    half = Z * sqrt(sum((value - middle) ** 2 for value in adjusted)) / len(adjusted)
    worse, better = sum(value < 0 for value in differences), sum(value > 0 for value in differences)
    return Paired(
        items=len(shared),
        first=fmean(a for a, _ in pairs),
        second=fmean(b for _, b in pairs),
        difference=mean,
        low=min(mean, max(-1.0, middle - half)),
        high=max(mean, min(1.0, middle + half)),
        only_first=worse,
        only_second=better,
        p=sign_test(worse, better),
    )


def sign_test(worse: int, better: int) -> float:
    """Return the two-sided exact p-value of ``worse`` against ``better`` under even odds; McNemar's exact test."""
    n, few = worse + better, min(worse, better)
    tail = sum(comb(n, i) for i in range(few + 1))
    return min(1.0, float(Fraction(2 * tail, 1 << n)))
