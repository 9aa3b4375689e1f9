"""What a task is: the methods that its file fills in, and what they hand to each other.

A task's file reads in one order: docstring, level table, build, prompt, score, attacks, ``TASK = ...``. Everything
that is the same for all tasks (the bounded rejection loop, extraction of the answer region, the floor) is not there
but in ``generation`` and ``scoring``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import Question
from arggym_env.envs.stream import Stream
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory
from arggym_env.versions import Versions


class Rejected(Exception):
    """A candidate fails a gate.

    Attributes:
        reason: short code of the gate, counted in ``Instance.rejections``.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a generator proposes and has put through its gates."""

    theory: Theory
    question: Question
    reference: str
    min_directives: int | None = None
    stats: Mapping[str, int] = field(default_factory=dict)
    """The task's own structural numbers (queries, distractors, ...)."""


class Task(ABC):
    """One of the tasks: how its instances are built, worded and scored."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for listings."""
    question_type: ClassVar[type[Question]]
    levels: ClassVar[tuple[object, ...]]
    """Fifteen frozen dataclasses: the curriculum."""
    stream_name: ClassVar[str | None] = None
    """The name that keys the random stream; two tasks that share it share their theories, seed for seed."""
    versions: ClassVar[Versions] = Versions()
    """What the task's instances are generated, worded and scored with: the package's, or a plug-in's own."""

    @abstractmethod
    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a candidate that passes the task's gates.

        Raises:
            Rejected: the candidate failed a gate.
        """

    @abstractmethod
    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it: it states every rule that the scorer enforces."""

    @abstractmethod
    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the score of ``answer``, the text of a non-empty answer region. Total: any text has a score."""

    @abstractmethod
    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the answers of this task's attack policies by name: what can be said without reading the theory."""
