"""Tasks of plug-ins, checked at every call: what they raise or return wrongly is told as theirs.

A reward that is no number, or an error that names nobody, is found hours later in somebody else's training run. The
suite's own tasks are held to the same by its tests and are not checked again here.
"""

from __future__ import annotations

import copy
import json
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Final, cast

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
from arggym_env.envs import codec
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import Question
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Rejected, Task
from arggym_env.errors import (
    ArgumentLimitExceeded,
    CoordinateError,
    ExtensionLimitExceeded,
    GenerationError,
    PluginError,
    SearchLimitExceeded,
)
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory

_PASSED_ON: Final[tuple[type[Exception], ...]] = (
    ArgumentLimitExceeded,
    CoordinateError,
    ExtensionLimitExceeded,
    GenerationError,
    PluginError,
    SearchLimitExceeded,
)
"""Errors of the engine and of bounded searches: they are the caller's, whatever task they come through."""


class Checked(Task):
    """The checks, as the first base of a plug-in's own class; ``check`` makes the object."""

    _declared: ClassVar[str]
    """The task and its distribution, as errors name them."""

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return the plug-in's candidate, if it is one."""
        with self._blamed(f"build at level {level} with {ordering}", Rejected):
            candidate = super().build(level, ordering, stream)  # type: ignore[safe-super]
            self._refuse("build", candidate_problems(candidate, self.question_type))
        return candidate

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the plug-in's prompt, if it is text."""
        with self._blamed(f"prompt of {type(question).__name__}"):
            prompt = super().prompt(theory, question, ordering)  # type: ignore[safe-super]
            self._refuse("prompt", _other_than(str, prompt))
        return prompt

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the plug-in's score, if it is one: rewards and floors are made of it."""
        with self._blamed(f"score of an answer to {instance.id}"):
            verdict = super().score(  # type: ignore[safe-super]
                instance, answer, engine=engine, max_arguments=max_arguments
            )
            self._refuse("score", score_problems(verdict))
        return verdict

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the plug-in's attack policies, if they are answers by name and at least one."""
        with self._blamed(f"attacks on {instance.id}"):
            policies = super().attacks(instance)  # type: ignore[safe-super]
            self._refuse("attacks", attack_problems(policies))
        return policies

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name: the class is made here, and each process imports the plug-in itself."""
        from arggym_env.envs.registry import get_task  # the registry imports the plug-ins' loader

        return get_task, (self.name,)

    @contextmanager
    def _blamed(self, what: str, *passed_on: type[Exception]) -> Iterator[None]:
        """Tell whatever the plug-in's code raises as the plug-in's fault, but for what is meant to pass through it."""
        meant: tuple[type[Exception], ...] = (*_PASSED_ON, *passed_on)
        try:
            yield
        except meant:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(f"{self._declared}: {what} raises {one_line(error)}") from error

    def _refuse(self, method: str, problems: Iterator[str]) -> None:
        for problem in problems:
            raise PluginError(f"{self._declared}: {method} returns {problem}")


def check(task: Task, declared: str) -> Task:
    """Return a copy of ``task`` whose methods are checked; everything else about it, its class included, is the same.

    Args:
        task: a plug-in's task.
        declared: what errors call it, its distribution included.
    """
    kind = type(task)
    told = {"_declared": declared, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    checked = copy.copy(task)
    checked.__class__ = cast(
        type[Task],
        types.new_class(kind.__name__, (Checked, kind), exec_body=lambda body: body.update(told, __doc__=kind.__doc__)),
    )
    return checked


def candidate_problems(candidate: object, question_type: type[Question]) -> Iterator[str]:
    """Yield what keeps an object from being a candidate that asks a ``question_type``."""
    if not isinstance(candidate, Candidate):
        yield from _other_than(Candidate, candidate)
        return
    if not isinstance(candidate.theory, Theory):
        yield f"a theory that is {type(candidate.theory).__name__}, not a Theory"
    if not isinstance(candidate.question, question_type):
        yield f"a question that is {type(candidate.question).__name__}, not {question_type.__name__}"
    try:
        json.dumps(codec.encode(candidate.question), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"a question that cannot be stored ({error}); its fields are scalars, tuples and dataclasses"
    if not isinstance(candidate.reference, str):
        yield f"a reference that is {type(candidate.reference).__name__}, not a string"
    elif not candidate.reference.strip():
        yield f"an empty reference, {candidate.reference!r:.80}"
    least = candidate.min_directives
    if least is not None and (type(least) is not int or least < 1):
        yield f"min_directives {least!r:.80}, not a positive integer or None"
    if not isinstance(candidate.stats, Mapping):
        yield f"stats that are {type(candidate.stats).__name__}, not a mapping"
        return
    for name, count in candidate.stats.items():
        if not isinstance(name, str) or type(count) is not int:
            yield f"stats with {name!r:.80}: {count!r:.80}, not integers by name"


def score_problems(verdict: object) -> Iterator[str]:
    """Yield what keeps an object from being a score: the types of its parts, the range of ``native``, its JSON form."""
    if not isinstance(verdict, Score):
        yield from _other_than(Score, verdict)
        return
    if type(verdict.native) is not float or not 0 <= verdict.native <= 1:  # NaN is in no range
        yield f"native {verdict.native!r:.80}, which is not a float from 0 to 1"
    for name in ("success", "answer_found"):
        if type(getattr(verdict, name)) is not bool:
            yield f"{name} {getattr(verdict, name)!r:.80}, which is not a bool"
    if not isinstance(verdict.reason, Reason):
        yield f"reason {verdict.reason!r:.80}, which is not a Reason"
    if not isinstance(verdict.detail, Mapping):
        yield f"a detail that is {type(verdict.detail).__name__}, not a mapping"
        return
    try:
        json.dumps(dict(verdict.detail), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"a detail that has no JSON form ({error})"


def attack_problems(policies: object) -> Iterator[str]:
    """Yield what keeps an object from being attack policies."""
    if not isinstance(policies, Mapping):
        yield f"{type(policies).__name__}, not a mapping"
        return
    if not policies:
        yield "no attack: the floor is the best of them, and without one nothing is known of it (battery.theory_blind)"
    for name, answer in policies.items():
        if not isinstance(name, str) or not isinstance(answer, str):
            yield f"{type(answer).__name__} under {name!r:.80}, not texts by name"


def one_line(error: BaseException) -> str:
    """Return class and message of an error of other people's code, on one line of bounded length."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # a message that cannot be written is as much theirs as the error
        message = "(without a readable message)"
    return f"{type(error).__name__}: {message}"[:300]


def _other_than(kind: type, value: object) -> Iterator[str]:
    if not isinstance(value, kind):
        yield f"{type(value).__name__}, not a {kind.__name__}"
