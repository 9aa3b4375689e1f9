"""What a family of atomic questions is: the part that its file fills in, and what it hands over.

A family's file reads in one order: docstring, level table, statements and their wording, build, ``FAMILY = ...``. The
bounded rejection loop is in ``atomic``; drawing of premises and options is in ``drawing``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

from arggym_env.envs.stream import Stream

QUESTION: Final = "Which of the following statements must be true?"
"""What the deductive families ask."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A worded question that has passed its family's gates."""

    context: str
    question: str
    options: tuple[str, ...]
    answer: int


@dataclass(frozen=True, slots=True)
class Disguise:
    """How the key compares with the other options in what can be counted without reasoning.

    Drawn once for each question, before any candidate, so that every way is as likely however hard one is to reach.
    """

    is_longest_spared: bool
    """The key is not among the longest options; otherwise it is not among the shortest. Unless all are as long."""
    rank: int
    """How many options, 0 to 3, are about what the context mentions less often than what the key is about."""


class Family(ABC):
    """One kind of reasoning: how its questions are built and worded."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for listings."""
    levels: ClassVar[tuple[object, ...]]
    """Frozen dataclasses, the easiest first."""

    @abstractmethod
    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level, which counts from 1, whose key is disguised so.

        Raises:
            Rejected: the candidate failed a gate.
        """
