"""What all environments share: one question is one episode of one step.

An environment fills in how a question is drawn, judged and described; resetting, stepping, paying and rendering are
here.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

import gymnasium as gym
from gymnasium.error import ResetNeeded

from arggym_env.envs.scoring import corrected
from arggym_env.envs.spaces import TextSpace
from arggym_env.envs.transcript import picture, transcript, verdict
from arggym_env.errors import CoordinateError
from arggym_env.rewards.score import Score

RewardKind: TypeAlias = Literal["native", "success", "corrected"]
RenderMode: TypeAlias = Literal["ansi", "human", "svg"]
Below: TypeAlias = Callable[[int], int]
"""Where draws come from: given a bound, an integer from 0 to the bound, exclusive."""

REWARDS: Final[tuple[RewardKind, ...]] = ("native", "success", "corrected")
"""What ``step`` may pay: the task-native score, 1.0 for complete success alone, or the native score above the floor."""
RENDER_MODES: Final[tuple[RenderMode, ...]] = ("human", "ansi", "svg")

T = TypeVar("T")


class Asked(Protocol):
    """A question with its gold, as far as an environment has to know it."""

    @property
    def id(self) -> str:
        """What the question is called in logs and files."""

    @property
    def task(self) -> str:
        """What kind of question it is."""

    @property
    def split(self) -> str:
        """The split whose stream it came from."""

    @property
    def seed(self) -> int:
        """The seed within the split."""

    @property
    def prompt(self) -> str:
        """The whole question as the model reads it."""

    @property
    def floor(self) -> float:
        """What an answer can get here without reading the question."""


I = TypeVar("I", bound=Asked)  # noqa: E741 - an instance


class SingleStepEnv(gym.Env[str, str], ABC, Generic[I]):
    """Base of the environments; ``ArgumentationEnv`` says what they all do.

    Args:
        reward: one of ``REWARDS``.
        render_mode: "ansi", "human", "svg" or None.

    Raises:
        CoordinateError: an argument is not allowed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - Gymnasium's own declaration

    def __init__(self, reward: RewardKind, render_mode: RenderMode | None) -> None:
        self.reward_kind = one_of("reward", reward, REWARDS)
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        self.observation_space = TextSpace()
        self.action_space = TextSpace()
        self._instance: I | None = None
        self._completion: object = None
        self._score: Score | None = None

    @abstractmethod
    def check_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what ``reset(options=...)`` fixes; raise CoordinateError for what is not allowed."""

    @abstractmethod
    def draw(self, below: Below, fixed: Mapping[str, Any]) -> I:
        """Return the question that ``fixed`` says, drawing what it leaves open.

        The number of draws does not depend on what is fixed.
        """

    @abstractmethod
    def judge(self, instance: I, completion: object) -> Score:
        """Return the score of ``completion``; total."""

    @abstractmethod
    def describe(self, instance: I) -> dict[str, Any]:
        """Return what may be known about a question before it is answered."""

    def floor(self, instance: I) -> float:
        """Return the floor that ``corrected`` is measured from."""
        return instance.floor

    @property
    def instance(self) -> I:
        """The question in play, gold included.

        Raises:
            ResetNeeded: there is none before the first reset.
        """
        if self._instance is None:
            raise ResetNeeded("there is no instance before the first reset()")
        return self._instance

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode with a fresh question; return its prompt and what may be known about it.

        Args:
            seed: a non-negative Python integer that seeds the draws of this reset and of the unseeded ones after it.
            options: may fix what the class says, also to values outside those that the environment draws from; or
                ``instance``, a stored question of the same kind.

        Raises:
            CoordinateError: an option is unknown or its value is not allowed.
        """
        fixed = self.check_options(options or {})
        super().reset(seed=seed)
        instance = self.draw(self._below, fixed)
        self._instance, self._completion, self._score = instance, None, None
        if self.render_mode == "human":
            _show(instance.prompt)
        return instance.prompt, self._info(instance)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Score the completion ``action`` and end the episode; return the prompt, reward, True, False and the info.

        Raises:
            ResetNeeded: the episode has ended, or none was started.
        """
        instance = self.instance
        if self._score is not None:
            raise ResetNeeded("the episode ended with its only step; call reset() for the next question")
        result = self.judge(instance, action)
        self._completion, self._score = action, result
        above_floor = corrected(result.native, self.floor(instance))
        rewards: dict[RewardKind, float] = {
            "native": result.native,
            "success": float(result.success),
            "corrected": above_floor,
        }
        info = {
            **self._info(instance),
            "native": result.native,
            "success": result.success,
            "corrected": above_floor,
            "answer_found": result.answer_found,
            "reason": result.reason.value,
            "score": result,
        }
        if self.render_mode == "human":
            _show(verdict(instance.id, self.floor(instance), action, result))
        return instance.prompt, float(rewards[self.reward_kind]), True, False, info

    def render(self) -> str | None:
        """Return the episode so far as text ("ansi") or as an SVG image ("svg"), or print it and return None ("human").

        The image is made for people: it shows the statuses that many questions ask for. A question without a theory
        is shown as text.

        Raises:
            ResetNeeded: there is no episode before the first reset.
        """
        if self.render_mode is None:
            gym.logger.warn(f"render() needs a render_mode, given when the environment is made: {RENDER_MODES}")
            return None
        instance = self.instance
        text = transcript(instance.prompt, instance.id, self.floor(instance), self._completion, self._score)
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "svg":
            return picture(instance, instance.id, self._completion, self._score, text)
        _show(text)
        return None

    def _info(self, instance: I) -> dict[str, Any]:
        return {
            **self.describe(instance),
            "floor": self.floor(instance),
            "prompt_characters": len(instance.prompt),
        }

    def _below(self, bound: int) -> int:
        """Return an integer below ``bound`` from exactly one raw word, so that every reset uses as many words.

        The high bits of word times bound; the bias is at most bound / 2**64. Raw words are the part of NumPy's
        randomness that no version changes.
        """
        return int(self.np_random.bit_generator.random_raw()) * bound >> 64


def pick(items: Sequence[T], below: Below) -> T:
    """Return one of ``items``, uniformly."""
    return items[below(len(items))]


def one_of(what: str, value: T, allowed: Sequence[T]) -> T:
    """Return ``value`` if it is allowed; raise CoordinateError otherwise."""
    if value not in allowed:
        raise CoordinateError(f"{what} {value!r} is not one of {', '.join(map(repr, allowed))}")
    return value


def known_options(options: Mapping[str, Any], allowed: Sequence[str]) -> Mapping[str, Any]:
    """Return ``options`` if their keys are allowed, and an instance stands alone; raise CoordinateError otherwise."""
    for key in options:
        if key not in allowed:
            raise CoordinateError(f"reset option {key!r} is not one of {', '.join(map(repr, allowed))}")
    if "instance" in options and len(options) > 1:
        raise CoordinateError("reset option 'instance' fixes everything; it goes with no other option")
    return options


def _show(text: str) -> None:
    """Print ``text``; what the terminal's encoding lacks is shown escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)  # noqa: T201 - human mode prints
