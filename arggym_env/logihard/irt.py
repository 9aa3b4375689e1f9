"""Item response theory: the 3PL model, its information, the EAP estimate, and where item parameters come from.

LogiHard, section 3.3 and appendix A.4, with these differences, each of which can be turned off:

* The information of an item is that of the 3PL model, a^2 (Q/P) ((P - c)/(1 - c))^2. The paper's a^2 P Q is the 2PL's;
  with guessing it prefers items that are too hard (``information="paper"``).
* c is 0.25 for every item: an atomic question has four options, and a balanced combinatorial item can be answered
  without the question on one item in four, however many claims it offers. ``c="paper"`` is 1/m.
* The prior is N(0, 1), as in the paper's tables; its limitations speak of a uniform one (``prior="uniform"``).

No parameter here was estimated from responses. A difficulty says where it comes from, and theta means what the
parameters mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from arggym_env.errors import CoordinateError
from arggym_env.logihard.gold_score import GOLD_MEAN, GOLD_SD, gold_tier
from arggym_env.logihard.tiers import Tier

Floats: TypeAlias = npt.NDArray[np.float64]
Information: TypeAlias = Literal["3pl", "paper"]
Prior: TypeAlias = Literal["normal", "uniform"]
Subset: TypeAlias = Literal["base", "combinatorial"]
DifficultySource: TypeAlias = Literal["standardised", "paper", "preset", "given"]

DISCRIMINATION: Final[dict[Tier, float]] = {"easy": 0.8, "medium": 1.2, "hard": 1.6, "expert": 2.0}
"""a by tier (section 3.3): the operator tier of a combinatorial item, the Gold Score's tier of an atomic one."""
GUESSING: Final = 0.25
"""c of every balanced item and of every atomic question: how often a guess that ignores the question is right."""
DIFFICULTY_BOUND: Final = 4.0
"""Difficulties are clipped to this distance from 0."""

_NODES: Final = 61
_BOUND: Final = 6.0
_TIER_SHIFT: Final[dict[Tier, float]] = {"easy": 0.0, "medium": 0.5, "hard": 1.0, "expert": 1.5}
_LEVEL_RANGE: Final = 1.5


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a bank.

    Attributes:
        id: names the item in its bank.
        tier: the operator tier, or "base" for an atomic question; quotas are by tier.
        a: discrimination, above 0.
        b: difficulty, on the scale of theta.
        c: the chance that a guess is right, from 0 to below 1.
        difficulty: where b comes from.

    Raises:
        CoordinateError: a parameter is not allowed.
    """

    id: str
    tier: Literal["base"] | Tier
    a: float
    b: float
    c: float
    difficulty: DifficultySource = "given"

    def __post_init__(self) -> None:
        if not (0 < self.a < math.inf and math.isfinite(self.b) and 0 <= self.c < 1):
            raise CoordinateError(f"item {self.id!r:.80}: a {self.a}, b {self.b}, c {self.c} is not a 3PL item")

    @property
    def subset(self) -> Subset:
        """Which of the two abilities the item measures."""
        return "base" if self.tier == "base" else "combinatorial"


@dataclass(frozen=True, slots=True)
class Estimate:
    """An ability estimate: the posterior's mean and standard deviation."""

    theta: float
    se: float


def probability(item: Item, theta: float) -> float:
    """Return the chance that an examinee of ability ``theta`` is right on ``item`` (Eq. 2)."""
    return float(_probabilities(item.a, item.b, item.c, np.array([theta]))[0])


def information(item: Item, theta: float, kind: Information = "3pl") -> float:
    """Return the Fisher information of ``item`` about ``theta``, or what the paper takes for it."""
    a, b, c = (np.array([value]) for value in (item.a, item.b, item.c))
    return float(fisher_information(a, b, c, theta, kind)[0])


def fisher_information(a: Floats, b: Floats, c: Floats, theta: float, kind: Information = "3pl") -> Floats:
    """Return the information of many items at one ability; the three arrays have one shape, and so has the result."""
    right = _probabilities(a, b, c, np.asarray(theta))
    if kind == "paper":
        return a**2 * right * (1 - right)
    return a**2 * (1 - right) / right * ((right - c) / (1 - c)) ** 2


def _probabilities(a: Floats | float, b: Floats | float, c: Floats | float, theta: npt.NDArray[np.float64]) -> Floats:
    return np.asarray(c + (1 - c) * np.exp(-np.logaddexp(0.0, -a * (theta - b))), dtype=np.float64)


class Posterior:
    """The posterior of theta on 61 nodes over [-6, 6], in log space, so that no sequence of responses underflows.

    Args:
        prior: "normal" is N(0, 1); "uniform" is flat over the nodes.
    """

    def __init__(self, prior: Prior = "normal") -> None:
        nodes = _nodes()
        self._log = -0.5 * nodes**2 if prior == "normal" else np.zeros_like(nodes)

    def observe(self, item: Item, correct: bool) -> None:
        """Multiply by the likelihood of one response."""
        self._log = self._log + log_likelihood(item, correct, _nodes())

    def estimate(self) -> Estimate:
        """Return the expected a posteriori estimate; theta and its error are finite whatever was observed."""
        weights = np.exp(self._log - self._log.max())
        weights /= weights.sum()
        theta = float(weights @ _nodes())
        return Estimate(theta, math.sqrt(float(weights @ (_nodes() - theta) ** 2)))


@cache
def _nodes() -> Floats:
    nodes: Floats = np.linspace(-_BOUND, _BOUND, _NODES)
    nodes.setflags(write=False)
    return nodes


def log_likelihood(item: Item, correct: bool, theta: Floats) -> Floats:
    """Return the log-probability of one response at each ability of ``theta``."""
    z = item.a * (theta - item.b)
    if not correct:
        return np.asarray(math.log1p(-item.c) - np.logaddexp(0.0, z), dtype=np.float64)
    known = math.log1p(-item.c) - np.logaddexp(0.0, -z)
    return np.asarray(np.logaddexp(math.log(item.c), known) if item.c else known, dtype=np.float64)


def eap(responses: Sequence[tuple[Item, bool]], prior: Prior = "normal") -> Estimate:
    """Return the EAP estimate from responses, whose order does not matter."""
    posterior = Posterior(prior)
    for item, correct in responses:
        posterior.observe(item, correct)
    return posterior.estimate()


def guessing(options: int, c: Literal["balanced", "paper"] = "balanced") -> float:
    """Return c: one in four for balanced items and atomic questions, or the paper's one in the number of options."""
    return GUESSING if c == "balanced" else 1 / options


def b_paper(gold: float, logic_density: float, thinking_tokens: int, segments: int) -> float:
    """Return Eq. 3 as printed. Over the published range of Gold Scores its first term moves by 0.4 in all.

    Args:
        gold: the Gold Score.
        logic_density: logical connectives per 100 tokens.
        thinking_tokens: length of the thinking.
        segments: number of reasoning segments.
    """
    return _clipped(
        (gold - 72) / 54
        + 0.1 * (logic_density - 2)
        + math.log10(max(1, thinking_tokens))
        - 3.17
        + (segments - 100) / 200
    )


def b_standardised(gold: float) -> float:
    """Return the Gold Score in standard deviations from its published mean; the default when there is a trace."""
    return _clipped((gold - GOLD_MEAN) / GOLD_SD)


def b_preset(level: int, levels: int = 5, tier: Literal["base"] | Tier = "base") -> float:
    """Return a difficulty by rank alone, for questions without a trace: uncalibrated.

    Levels are spread evenly over [-1.5, 1.5], and each operator tier after the first adds a half.

    Args:
        level: the question's level; 0, for questions that have none, stands in the middle.
        levels: how many levels there are.
        tier: the operator tier, or "base".
    """
    share = (level - 1) / (levels - 1) if level and levels > 1 else 0.5
    return _clipped(_LEVEL_RANGE * (2 * share - 1) + (0.0 if tier == "base" else _TIER_SHIFT[tier]))


def _clipped(b: float) -> float:
    return min(DIFFICULTY_BOUND, max(-DIFFICULTY_BOUND, b))


def calibrate(
    name: str,
    tier: Literal["base"] | Tier,
    *,
    level: int = 0,
    levels: int = 5,
    options: int = 4,
    gold: float | None = None,
    c: Literal["balanced", "paper"] = "balanced",
) -> Item:
    """Return an item of a bank with parameters by rule.

    Args:
        name: the item's id.
        tier: the operator tier; "base" for an atomic question.
        level: the atomic question's level, and ``levels`` the number of them.
        levels: see ``level``.
        options: how many options the item offers (for the paper's c).
        gold: the atomic question's Gold Score, if it has a trace; then b is standardised, else preset. Its tier is an
            atomic question's discrimination; without it that is 0.8, since the question is the easy tier's under other
            labels.
        c: which guessing parameter to use.
    """
    operators_or_gold: Tier = tier if tier != "base" else "easy" if gold is None else gold_tier(gold)
    return Item(
        id=name,
        tier=tier,
        a=DISCRIMINATION[operators_or_gold],
        b=b_preset(level, levels, tier) if gold is None else b_standardised(gold),
        c=guessing(options, c),
        difficulty="preset" if gold is None else "standardised",
    )
