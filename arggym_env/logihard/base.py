"""The atomic question as it is asked: four options, one of which is right, answered by its letter.

It is the control of the combinatorial form: the same question, read without claims about its options. The options are
shuffled by the item's seed, so that a file whose right options crowd in one place has no such habit here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arggym_env.coordinates import check_seed, check_split
from arggym_env.envs.stream import Stream
from arggym_env.errors import InstanceError
from arggym_env.logihard import rows
from arggym_env.logihard.answers import LETTERS, join_letters
from arggym_env.logihard.atomic import AtomicMCQ
from arggym_env.logihard.formulas import KEYS
from arggym_env.logihard.wording import wording_of
from arggym_env.versions import LOGIHARD_GENERATOR_VERSION, LOGIHARD_VERSIONS, Versions

BASE: Final = "logihard_base"
"""The task name of atomic questions."""


@dataclass(frozen=True, slots=True)
class BaseItem:
    """One atomic question as asked; checked when made.

    Attributes:
        atomic: the question, with its key.
        split: the split whose stream the order was drawn from.
        seed: the seed within the split.
        order: for each of the letters A to D, the index of the atomic option that it is.
        prompt: the whole question as the model reads it.
        reference: the letter of the right option: the gold.
        versions: what the item was generated, worded and scored with.

    Raises:
        InstanceError: the reference is not the right option's letter, or the prompt shows something else.
    """

    atomic: AtomicMCQ
    split: str
    seed: int
    order: tuple[int, ...]
    prompt: str
    reference: str
    versions: Versions = LOGIHARD_VERSIONS

    def __post_init__(self) -> None:
        if sorted(self.order) != list(KEYS):
            raise InstanceError(f"{self.id}: order {self.order} does not name each option once")
        right = join_letters([self.order.index(self.atomic.answer)])
        if self.reference != right:
            raise InstanceError(f"{self.id}: the reference {self.reference!r:.80} is not {right!r}")
        if self.prompt != prompt(self.atomic, self.order):
            raise InstanceError(f"{self.id}: the prompt is not that of the question")

    @property
    def id(self) -> str:
        """The atomic question's id and the coordinates of the order, as one word."""
        return f"{self.atomic.id}/base/{self.split}/{self.seed}"

    @property
    def task(self) -> str:
        """What kind of question it is: "logihard_base"."""
        return BASE

    @property
    def level(self) -> int:
        """The atomic question's level."""
        return self.atomic.level

    @property
    def floor(self) -> float:
        """How often a guess is right."""
        return 1 / len(KEYS)

    @property
    def options(self) -> tuple[str, ...]:
        """The texts of the options A to D."""
        return tuple(self.atomic.options[index] for index in self.order)

    def to_json(self) -> str:
        """Return the item as one line of JSON; ``from_json`` is the inverse."""
        return rows.to_line(self)

    @classmethod
    def from_json(cls, text: str) -> BaseItem:
        """Return the item that ``to_json`` wrote.

        Raises:
            InstanceError: the text is not such a line, or its prompt or scoring version is not this package's.
        """
        return rows.from_line(cls, text, "base item")


def ask(mcq: AtomicMCQ, seed: int, split: str = "train") -> BaseItem:
    """Return ``mcq`` as a question with its options in an order of the seed: a pure function of the arguments.

    Args:
        mcq: the atomic question.
        seed: 0 to 2**63 - 1.
        split: "train", "eval" or "frozen".

    Raises:
        CoordinateError: a coordinate is not allowed.
    """
    check_split(split)
    check_seed(seed)
    stream = Stream("logihard.base", LOGIHARD_GENERATOR_VERSION, split, mcq.id, seed)
    order = tuple(stream.shuffled(KEYS))
    return BaseItem(
        atomic=mcq,
        split=split,
        seed=seed,
        order=order,
        prompt=prompt(mcq, order),
        reference=join_letters([order.index(mcq.answer)]),
    )


def prompt(mcq: AtomicMCQ, order: tuple[int, ...]) -> str:
    """Return the question as the model reads it: letter i is option ``order[i]``; the context may be empty."""
    wording = wording_of(mcq.language)
    options = (f"{LETTERS[place]}. {mcq.options[index]}" for place, index in enumerate(order))
    parts = (
        mcq.context,
        wording.question.format(mcq.question),
        "\n".join((wording.options, *options)),
        wording.base_answer,
    )
    return "\n\n".join(part for part in parts if part)
