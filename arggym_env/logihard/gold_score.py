"""The Gold Score: how hard a question was to think about, read from a thinking trace (LogiHard, section 3.2).

Experimental. The paper names nine metrics (Table 1), a penalty R and a weighted sum (Eq. 1), and publishes neither
marker lists nor weights. Here:

* The nine metrics are counts and shares of markers (``gold_markers``); each function below says what it takes a metric
  to be.
* R counts the verdicts on options ("option B is wrong") that contradict the letters finally given, the last verdict on
  an option being the one that counts.
* The weights are equal: the composite is the mean of the nine z-values minus a ninth of R.
* S = 23.2 + 4.1 z, where z is the composite in standard deviations of a reference corpus, so that scores have the
  published mean and spread there and the tiers' cuts at 20, 25 and 30 mean something.

The shipped reference is a corpus of generated traces (``gold_reference``), because no published one may be shipped. It
fixes the scale and nothing more: to compare questions, measure a reference from the traces of one model with
``GoldReference.measure``. Most metrics are counts, so S grows with length; the score therefore carries the log of the
length, and a claim about S should hold at equal length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from arggym_env.frozenmap import FrozenMap
from arggym_env.logihard.gold_markers import Marker, find_markers
from arggym_env.logihard.tiers import Tier

METRICS: Final = (
    "oscillation",
    "logic_density",
    "abductive_depth",
    "dialectic_tension",
    "dimensional_awareness",
    "inference_chain",
    "uncertainty_entropy",
    "pivots",
    "abstraction",
)
"""The metrics in the order of Table 1."""
GOLD_MEAN: Final = 23.2
"""Mean of the published Gold Scores (section 3.4)."""
GOLD_SD: Final = 4.1
"""Their standard deviation."""
GOLD_CUTS: Final[tuple[tuple[float, Tier], ...]] = ((20.0, "easy"), (25.0, "medium"), (30.0, "hard"))
"""Scores below the cut are of the tier, unless an earlier one holds; the others are expert (section 3.2)."""

_CERTAINTY: Final[tuple[Marker, ...]] = ("certain", "probable", "possible", "doubtful", "impossible")
_TOKEN: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_REJECTED: Final = "not (?:correct|true|right)|incorrect|false|wrong|不正确|不对|不成立|错误|错"
_ACCEPTED: Final = "correct|true|right|正确|对|成立"
_VERDICT: Final = re.compile(
    r"(?:\b(?i:option|claim|choice|answer) |选项 ?)([A-F])(?: is| ?[:\uff1a=]| ?是| ?为)? ?"
    rf"(?:({_REJECTED})|({_ACCEPTED}))"
)


@dataclass(frozen=True, slots=True)
class GoldReference:
    """What scores are measured against: mean and standard deviation of each metric, and of the composite.

    Attributes:
        name: what was measured.
        means: by metric, in the order of ``METRICS``.
        sds: by metric; a metric that does not vary has 0 and counts for nothing.
        composite_mean: of the composite.
        composite_sd: of the composite.
    """

    name: str
    means: tuple[float, ...]
    sds: tuple[float, ...]
    composite_mean: float
    composite_sd: float

    @classmethod
    def measure(cls, name: str, traces: Iterable[tuple[str, frozenset[str] | None]]) -> GoldReference:
        """Return the reference that these traces, with the letters that each ends in, make."""
        measured = [(trace_metrics(trace), contradictions(trace, letters)) for trace, letters in traces]
        if len(measured) < 2:
            raise ValueError(f"a reference needs at least 2 traces, not {len(measured)}")
        columns = list(zip(*(metrics for metrics, _ in measured), strict=True))
        moments = [_moments(column) for column in columns]
        means, sds = tuple(mean for mean, _ in moments), tuple(sd for _, sd in moments)
        composites = [_composite(metrics, wrong, means, sds) for metrics, wrong in measured]
        return cls(name, means, sds, *_moments(composites))


SHIPPED_REFERENCE: Final = GoldReference(
    name="generated traces 1",
    means=(6.015, 9.10474, 0.745, 1.9525, 14.9575, 22.7975, 1.45281, 5.89, 0.345),
    sds=(5.72973, 2.12294, 1.00746, 2.21252, 7.85562, 11.9971, 0.791834, 5.78298, 0.231247),
    composite_mean=0.0,
    composite_sd=0.66822,
)
"""The corpus of ``gold_reference``, measured; a change of markers or metrics calls for measuring it again."""


@dataclass(frozen=True, slots=True)
class GoldScore:
    """The score of one trace.

    Attributes:
        score: S.
        gold_tier: the tier of S; not an operator tier.
        metrics: the nine metrics by name.
        contradictions: R.
        tokens: length: words, and Chinese characters.
        log_length: log10 of the length; S is to be read beside it.
        reference: what S was measured against.
    """

    score: float
    gold_tier: Tier
    metrics: FrozenMap[float]
    contradictions: int
    tokens: int
    log_length: float
    reference: str


def gold_score(
    trace: str, letters: frozenset[str] | None = None, reference: GoldReference = SHIPPED_REFERENCE
) -> GoldScore:
    """Return the Gold Score of a thinking trace that ended in ``letters`` (None: no answer, and R is 0)."""
    metrics, wrong = trace_metrics(trace), contradictions(trace, letters)
    composite = _composite(metrics, wrong, reference.means, reference.sds)
    spread = reference.composite_sd
    score = GOLD_MEAN + GOLD_SD * ((composite - reference.composite_mean) / spread if spread else 0.0)
    tokens = count_tokens(trace)
    return GoldScore(
        score=score,
        gold_tier=gold_tier(score),
        metrics=FrozenMap(dict(zip(METRICS, metrics, strict=True))),
        contradictions=wrong,
        tokens=tokens,
        log_length=math.log10(max(1, tokens)),
        reference=reference.name,
    )


def gold_tier(score: float) -> Tier:
    """Return the tier of a Gold Score."""
    return next((tier for cut, tier in GOLD_CUTS if score < cut), "expert")


def count_tokens(text: str) -> int:
    """Return the number of words, every Chinese character being one."""
    return sum(1 for _ in _TOKEN.finditer(text))


def trace_metrics(trace: str) -> tuple[float, ...]:
    """Return the nine metrics in the order of ``METRICS``."""
    found = list(find_markers(trace))
    counts = Counter(marker for classes in found for marker in sorted(classes))
    return (
        float(counts["reversal"]),
        100 * counts["connective"] / max(1, count_tokens(trace)),
        float(_cycles(found, ("hypothesis", "elimination"))),
        float(_cycles(found, ("thesis", "antithesis", "synthesis"))),
        float(_switches(found, "observed", "inferred")),
        float(counts["deduction"]),
        _entropy([counts[marker] for marker in _CERTAINTY]),
        float(counts["pivot"]),
        counts["abstract"] / max(1, counts["abstract"] + counts["concrete"]),
    )


def _cycles(found: Sequence[frozenset[Marker]], stages: tuple[Marker, ...]) -> int:
    """Return how often the stages were passed one after another: a hypothesis put up and then eliminated."""
    complete = stage = 0
    for classes in found:
        if stages[stage] in classes:
            stage += 1
            if stage == len(stages):
                complete, stage = complete + 1, 0
    return complete


def _switches(found: Sequence[frozenset[Marker]], one: Marker, other: Marker) -> int:
    """Return how often the trace goes from one layer to the other: from what is told to what is inferred, and back."""
    layers = [one in classes for classes in found if (one in classes) != (other in classes)]
    return sum(before != after for before, after in pairwise(layers))


def _entropy(counts: Sequence[int]) -> float:
    """Return the Shannon entropy of the classes' shares, in bits."""
    total = sum(counts)
    return -sum(count / total * math.log2(count / total) for count in counts if count) if total else 0.0


def contradictions(trace: str, letters: frozenset[str] | None) -> int:
    """Return R: on how many options the trace's last verdict is at odds with the letters that it ends in."""
    if letters is None:
        return 0
    verdicts = {match[1]: match[3] is not None for match in _VERDICT.finditer(trace)}
    return sum(holds != (letter in letters) for letter, holds in verdicts.items())


def _composite(metrics: Sequence[float], wrong: int, means: Sequence[float], sds: Sequence[float]) -> float:
    z = [(value - mean) / sd if sd else 0.0 for value, mean, sd in zip(metrics, means, sds, strict=True)]
    return (sum(z) - wrong) / len(z)


def _moments(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
