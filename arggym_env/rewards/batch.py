"""Scoring many completions at once, each through the registered environment that asked its question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from arggym_env.rewards import workers as processes
from arggym_env.rewards.asking import Address, ask, environment, find
from arggym_env.rewards.score import Reason

_LARGEST: Final = 16
"""Completions of one question that a process scores at a time."""


class Verdict(NamedTuple):
    """What the environment said of one completion."""

    task: str
    level: int
    """0 where the question has none."""
    native: float
    success: bool
    corrected: float
    answer_found: bool
    reason: Reason


class _Job(NamedTuple):
    address: Address
    instance: Any
    """The question, or None where this process has not got it."""
    completions: Sequence[object]


def score_batch(addresses: Sequence[Address], completions: Sequence[object], workers: int = 0) -> list[Verdict]:
    """Return the verdict on each completion, in order; it does not depend on the number of workers.

    Args:
        addresses: the question of each completion.
        completions: what a model wrote after the prompts.
        workers: processes to use; 0 scores in this one.

    Raises:
        CoordinateError: an environment refuses its options; other errors as ``asking.ask``.
        RunError: a process died.
    """
    places: dict[Address, list[int]] = {}
    for place, address in enumerate(addresses):
        places.setdefault(address, []).append(place)
    parts = [
        (address, found[start : start + _LARGEST])
        for address, found in places.items()
        for start in range(0, len(found), _LARGEST)
    ]
    jobs = [_job(address, [completions[place] for place in part], workers) for address, part in parts]
    scored = processes.run(_score, jobs, workers)
    verdicts = {
        place: verdict
        for (_, part), found in zip(parts, scored, strict=True)
        for place, verdict in zip(part, found, strict=True)
    }
    return [verdicts[place] for place in range(len(completions))]


def _job(address: Address, completions: Sequence[object], workers: int) -> _Job:
    """Return a job; a question that this process has still goes along, another is generated where it is scored."""
    asked = find(address) if workers else None
    return _Job(address, None if asked is None else asked.instance, completions)


def _score(job: _Job) -> list[Verdict]:
    instance = ask(job.address).instance if job.instance is None else job.instance
    env = environment(job.address)
    return [_verdict(env, instance, completion) for completion in job.completions]


def _verdict(env: Any, instance: Any, completion: object) -> Verdict:
    env.reset(options={"instance": instance})
    *_, info = env.step(completion)
    return Verdict(
        info["task"],
        info.get("level", 0),
        info["native"],
        info["success"],
        info["corrected"],
        info["answer_found"],
        Reason(info["reason"]),
    )
