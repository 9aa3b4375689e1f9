"""Simulated examinees, and how well an adaptive test recovers the ability that it was given.

A simulated response is right with the item's own probability, so a simulation says what the bank and the rule can
measure when the model is true: it does not say whether the item parameters are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arggym_env.envs.stream import Stream
from arggym_env.logihard.cat import DEFAULT_RULE, AdaptiveTest, CatReport, CatRule, Examinee, adaptive_test, administer
from arggym_env.logihard.irt import Estimate, Item, Subset, probability


def simulated_examinee(abilities: Mapping[Subset, float], stream: Stream) -> Examinee:
    """Return an examinee whose ability is known, for each subset."""
    return lambda item: "right" if stream.chance(probability(item, abilities[item.subset])) else "wrong"


def simulate(
    bank: Sequence[Item], base: float, combinatorial: float, seed: int, rule: CatRule = DEFAULT_RULE
) -> CatReport:
    """Return the report of a simulated examinee with these two abilities."""
    abilities: dict[Subset, float] = {"base": base, "combinatorial": combinatorial}
    return adaptive_test(bank, simulated_examinee(abilities, Stream("logihard.simulate", seed)), rule)


@dataclass(frozen=True, slots=True)
class Recovery:
    """How one ability was recovered over many simulated tests.

    Attributes:
        theta: the true ability.
        bias: mean of estimate minus truth; EAP estimates shrink towards the prior's mean, by about se^2 theta.
        rmse: root mean square of estimate minus truth.
        se: mean reported standard error.
        coverage: share of tests whose estimate is within 1.96 standard errors of the truth.
        items: mean number of items.
    """

    theta: float
    bias: float
    rmse: float
    se: float
    coverage: float
    items: float


def recover(
    bank: Sequence[Item], theta: float, replications: int, seed: int = 0, rule: CatRule = DEFAULT_RULE
) -> Recovery:
    """Return how ``theta`` is recovered from ``bank``, whose items are of one subset."""
    abilities: dict[Subset, float] = {"base": theta, "combinatorial": theta}
    estimates: list[Estimate] = []
    items = 0
    for replication in range(replications):
        stream = Stream("logihard.recover", seed, replication)
        test = administer(AdaptiveTest(bank, rule), simulated_examinee(abilities, stream))
        estimates.append(test.estimate)
        items += test.items
    errors = [estimate.theta - theta for estimate in estimates]
    covered = sum(abs(error) <= 1.96 * estimate.se for error, estimate in zip(errors, estimates, strict=True))
    return Recovery(
        theta=theta,
        bias=sum(errors) / replications,
        rmse=math.sqrt(sum(error**2 for error in errors) / replications),
        se=sum(estimate.se for estimate in estimates) / replications,
        coverage=covered / replications,
        items=items / replications,
    )
