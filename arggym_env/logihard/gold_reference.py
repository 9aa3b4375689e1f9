"""The shipped reference of the Gold Score: generated traces, reproducible anywhere, and no model's.

A trace is a sequence of stock sentences: steps, hypotheses, objections, verdicts. Harder problems give longer traces
with more hypotheses and more reversals. The corpus only fixes the scale's zero and unit.
"""

from __future__ import annotations

from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.logihard.gold_score import GoldReference

TRACES: Final = 400
"""How many traces the reference is measured on."""

_PLAIN: Final = (
    "Given that {0} holds, the next premise applies.",
    "{0} and {1} are both named in the text.",
    "Therefore {0} holds.",
    "It follows from the premises that {0} is excluded, so {1} remains.",
    "If {0} holds then {1} holds, because every case is covered.",
    "We are told that {0} comes before {1}.",
    "This means that not every {0} is a {1}.",
)
_EFFORT: Final = (
    "Wait, {0} was counted twice.",
    "Suppose that {0} holds instead.",
    "That is a contradiction, so {0} is ruled out.",
    "It seems that {0} is enough. However, {1} may fail. Taken together, only {1} counts.",
    "Hmm, maybe {0} is possible after all, but it is unlikely.",
    "Let me reconsider {0}; it must hold, and {1} cannot.",
    "In general such a rule has a contrapositive; here, for example, it is about {0}.",
    "Alternatively, {0} probably comes first.",
)


def measure_reference() -> GoldReference:
    """Return the corpus as measured now; ``gold_score.SHIPPED_REFERENCE`` holds the result."""
    return GoldReference.measure("generated traces 1", ((reference_trace(index), None) for index in range(TRACES)))


def reference_trace(index: int) -> str:
    """Return a trace of the generated corpus; a third of the traces are short and easy, a third long and troubled."""
    stream = Stream("logihard.gold_reference", 1, index)
    effort = (0.1, 0.25, 0.4)[index % 3]
    length = stream.between(12, 40) * (1 + index % 3)
    sentences = []
    for _ in range(length):
        sentence = stream.choice(_EFFORT if stream.chance(effort) else _PLAIN)
        sentences.append(sentence.format(*(f"statement {stream.between(1, 9)}" for _ in range(2))))
    return " ".join(sentences)
