"""Baseline agents: what can be had without a model, asked and recorded like one.

``reference`` gives the reference answers, ``random`` a random answer of the right form, ``floor`` for each item the
policy that earns most there without reading the theory (of a LogiHard item: the best answer that never sees the
question), and ``constant:NAME`` one such policy everywhere (no answer where an item has none of that name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from arggym_env.envs.stream import Stream
from arggym_env.errors import RunError
from arggym_env.evaluation.harness import Job
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import Reply

CONSTANT: Final = "constant"
AGENTS: Final = ("reference", "random", "floor", f"{CONSTANT}:NAME")
"""The names of the agents."""


class AgentBackend:
    """Answers as a baseline agent does.

    Attributes:
        source: the agent's name.
    """

    name = "agent"

    def __init__(self, agent: str, items: Sequence[Item], seed: int = 0) -> None:
        self.source = agent
        self._seed = seed
        self._speak = _speaker(agent, items)

    def answer(self, jobs: Sequence[Job], record: Callable[[Job, Reply], None]) -> None:
        """Answer every job; see :class:`~arggym_env.evaluation.harness.Backend`."""
        for job in jobs:
            stream = Stream("agent", self.source, job.item.id, self._seed + job.sample)
            record(job, Reply(_region(self._speak(job.item, stream)), finish_reason="stop"))


def check_agent(agent: str) -> str:
    """Return ``agent`` if it is one of ``AGENTS``, whatever the name of a policy; raise RunError otherwise."""
    kind, colon, _ = agent.partition(":")
    if agent not in AGENTS and not (kind == CONSTANT and colon):
        raise RunError(f"agent {agent!r} is not one of {', '.join(AGENTS)}")
    return agent


def _speaker(agent: str, items: Sequence[Item]) -> Callable[[Item, Stream], str | None]:
    if check_agent(agent) == "reference":
        return lambda item, stream: item.reference
    if agent == "random":
        return lambda item, stream: item.guess(stream)
    if agent == "floor":
        return lambda item, stream: item.blind(stream) if item.blind else _best(item, item.policies().values())
    policy = agent.removeprefix(f"{CONSTANT}:")
    first_of_kind = {(item.task, item.tier): item for item in reversed(items)}.values()
    known = sorted({name.partition(":")[0] for item in first_of_kind for name in item.policies()})
    if policy not in known:
        raise RunError(f"agent {agent!r}: no chosen row has a policy of that name; there are {', '.join(known)}")
    return lambda item, stream: _best(item, _named(item.policies(), policy))


def _named(policies: Mapping[str, str], policy: str) -> list[str]:
    """Return the answers of a policy, which may be aimed at each of an item's goals."""
    return [answer for name, answer in policies.items() if name.partition(":")[0] == policy]


def _best(item: Item, answers: Iterable[str]) -> str | None:
    """Return the answer with the best score; None if there is none."""
    return max(answers, key=lambda answer: _merit(item, answer), default=None)


def _merit(item: Item, answer: str) -> tuple[bool, float]:
    verdict = item.score(_region(answer))
    return verdict.success, verdict.native


def _region(answer: str | None) -> str:
    return "I do not know." if answer is None else f"<answer>\n{answer}\n</answer>"
