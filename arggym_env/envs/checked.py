"""The methods of tasks, as the package calls them: what a plug-in's raise or return wrongly is told as theirs.

A reward that is no number, or an error that names nobody, is found hours later in somebody else's training run. The
suite's own tasks are held to the same by its tests and are not checked again here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
from arggym_env.envs import codec
from arggym_env.envs.instance import Instance
from arggym_env.envs.plugins import name_of, one_line
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


def build(task: Task, level: int, ordering: str, stream: Stream) -> Candidate:
    """Return the task's candidate; of a plug-in's task, if it is one."""
    if not _is_foreign(task):
        return task.build(level, ordering, stream)
    with _blamed(task, f"build at level {level} with {ordering}", Rejected):
        candidate = task.build(level, ordering, stream)
        _refuse(task, "build", candidate_problems(candidate, task.question_type))
    return candidate


def prompt(task: Task, theory: Theory, question: Question, ordering: str) -> str:
    """Return the task's prompt; of a plug-in's task, if it is text."""
    if not _is_foreign(task):
        return task.prompt(theory, question, ordering)
    with _blamed(task, f"prompt of {type(question).__name__}"):
        text = task.prompt(theory, question, ordering)
        _refuse(task, "prompt", _other_than(str, text))
    return text


def score(
    task: Task, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
) -> Score:
    """Return the task's score of an answer; of a plug-in's task, if it is one: rewards and floors are made of it."""
    if not _is_foreign(task):
        return task.score(instance, answer, engine=engine, max_arguments=max_arguments)
    with _blamed(task, f"score of an answer to {instance.id}"):
        verdict = task.score(instance, answer, engine=engine, max_arguments=max_arguments)
        _refuse(task, "score", score_problems(verdict))
    return verdict


def attacks(task: Task, instance: Instance) -> Mapping[str, str]:
    """Return the task's attack policies; of a plug-in's task, if they are answers by name and at least one."""
    if not _is_foreign(task):
        return task.attacks(instance)
    with _blamed(task, f"attacks on {instance.id}"):
        policies = task.attacks(instance)
        _refuse(task, "attacks", attack_problems(policies))
    return policies


def _is_foreign(task: Task) -> bool:
    """Return whether a plug-in declares the task: its name has a namespace."""
    return "." in task.name


@contextmanager
def _blamed(task: Task, what: str, *passed_on: type[Exception]) -> Iterator[None]:
    """Tell whatever the plug-in's code raises as the plug-in's fault, but for what is meant to pass through it."""
    meant: tuple[type[Exception], ...] = (*_PASSED_ON, *passed_on)
    try:
        yield
    except meant:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{name_of(task.name)}: {what} raises {one_line(error)}") from error


def _refuse(task: Task, method: str, problems: Iterator[str]) -> None:
    for problem in problems:
        raise PluginError(f"{name_of(task.name)}: {method} returns {problem}")


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


def _other_than(kind: type, value: object) -> Iterator[str]:
    if not isinstance(value, kind):
        yield f"{type(value).__name__}, not a {kind.__name__}"
