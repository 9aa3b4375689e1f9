"""What is evaluated: an item is a prompt, the facts that reports group by, and a function that scores completions.

The harness knows nothing else of a suite, so anything with prompts and scores can be evaluated as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.envs.stream import Stream
from arggym_env.evaluation.guesses import guess
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import Score
from arggym_env.versions import Versions


def _no_policies() -> Mapping[str, str]:
    return FrozenMap()


def _no_guess(stream: Stream) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a suite.

    Attributes:
        id: the item's name, unique in its suite.
        task: the group that tables list it under.
        level: its curriculum level, from 1.
        ordering: the condition that the ordering tables compare; empty where a suite has no such axis.
        prompt: the question as the model reads it.
        reference: an answer, without tags, that scores native 1 with success.
        floor: the best native score of an answer that does not read the question.
        versions: what it was generated, worded and scored with.
        score: the score of a whole completion, thinking included.
        policies: answers that do not read the question, by name, for the baseline agents.
        guess: a random answer of the right form, for the random agent.
    """

    id: str
    task: str
    level: int
    ordering: str
    prompt: str
    reference: str
    floor: float
    versions: Versions
    score: Callable[[str], Score]
    policies: Callable[[], Mapping[str, str]] = field(default=_no_policies)
    guess: Callable[[Stream], str] = field(default=_no_guess)


def item_of(instance: Instance) -> Item:
    """Return an ArgGYM instance as an item."""
    return Item(
        id=instance.id,
        task=instance.task,
        level=instance.level,
        ordering=instance.ordering,
        prompt=instance.prompt,
        reference=instance.reference,
        floor=instance.floor,
        versions=instance.versions,
        score=partial(score, instance),
        policies=partial(get_task(instance.task).attacks, instance),
        guess=partial(guess, instance),
    )
