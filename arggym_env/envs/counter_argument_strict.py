"""counter_argument_strict: counter_argument with strict rules allowed (paper appendix A.3).

Theory, target and goals are those of counter_argument at the same coordinates; only the intervention language differs,
so the two tasks are a matched pair. A strict rule for -t cannot be rebutted, so the clusters whose routes all end in a
defeasible rule for t fall to it without further cost, and the minimum is lower by their number. Clusters with a route
that ends in a strict rule still need a cut below.

Hard for the same reasons as its twin, and because the cheaper way has to be seen: a strict rule where it saves
something, and cuts only where it does not. Cutting every route costs more than twice the minimum.

The answer is a list of directives, strict rules among them. It is run.
"""

from __future__ import annotations

from typing import Final

from arggym_env.envs.counter_argument import LEVELS, STRICT, CounterArgument, build
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate


class CounterArgumentStrict(CounterArgument):
    """The counter_argument_strict task."""

    name = "counter_argument_strict"
    summary = "make a justified claim overruled and its negation justified, strict rules allowed"
    legality = STRICT

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return the pair's theory with the minimum that holds with strict rules."""
        return build(LEVELS[level - 1], ordering, stream, strict=True)


TASK: Final = CounterArgumentStrict()
