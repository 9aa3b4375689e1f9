"""What is evaluated: an item is a prompt, the facts that reports group by, and a function that scores completions.

The harness knows nothing else of a suite, so anything with prompts and scores can be evaluated as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.envs.stream import Stream
from arggym_env.evaluation.guesses import guess
from arggym_env.frozenmap import FrozenMap
from arggym_env.instances import AnyInstance, LogiHardItem, score_item
from arggym_env.logihard import policies as letters
from arggym_env.logihard.coordinates import form_of
from arggym_env.rewards.score import Score
from arggym_env.versions import Versions

ARGGYM: Final = "arggym"
LOGIHARD: Final = "logihard"
"""The benchmarks that items belong to."""


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
        level: its curriculum level, from 1; 0 for questions that have none.
        ordering: the condition that the ordering tables compare; empty where a suite has no such axis.
        prompt: the question as the model reads it.
        reference: an answer, without tags, that scores native 1 with success.
        floor: the best native score of an answer that does not read the question.
        versions: what it was generated, worded and scored with.
        score: the score of a whole completion, thinking included.
        policies: answers that do not read the question, by name, for the baseline agents.
        guess: a random answer of the right form, for the random agent.
        blind: an answer that earns the floor on average; None where the best of the policies earns it on each item.
        score_cut_off: the score of a completion that was cut off at its token limit; None where it is no other one.
        benchmark: whose versions and levels the item has.
        tier: the form in which the question is asked; empty where a benchmark has no such axis.
        family: the kind of reasoning; empty where a benchmark has no such axis.
        question: what items that ask the same in other forms have in common; empty where there are no such items.
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
    blind: Callable[[Stream], str] | None = None
    score_cut_off: Callable[[str], Score] | None = None
    benchmark: str = ARGGYM
    tier: str = ""
    family: str = ""
    question: str = ""


def item_of(instance: AnyInstance) -> Item:
    """Return an ArgGYM instance or a LogiHard item as an item of a suite."""
    return _argumentation(instance) if isinstance(instance, Instance) else _letters(instance)


def _argumentation(instance: Instance) -> Item:
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


def _letters(item: LogiHardItem) -> Item:
    return Item(
        id=item.id,
        task=item.task,
        level=item.level,
        ordering="",
        prompt=item.prompt,
        reference=item.reference,
        floor=item.floor,
        versions=item.versions,
        score=partial(score_item, item),
        policies=partial(letters.policies, item),
        guess=partial(letters.guess, item),
        blind=partial(letters.blind_answer, item),
        score_cut_off=partial(score_item, item, cut_off=True),
        benchmark=LOGIHARD,
        tier=form_of(item),
        family=item.atomic.family,
        question=item.atomic.id,
    )
