"""The tasks as Gymnasium environments: one question is one episode of one step."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypeVar

import gymnasium as gym
from gymnasium.error import ResetNeeded

from arggym_env.coordinates import LEVELS, SEED_LIMIT, check_level, check_seed, check_split
from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, get_engine
from arggym_env.engine.orderings import ORDERINGS, check_ordering
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import corrected, score
from arggym_env.envs.spaces import TextSpace
from arggym_env.envs.transcript import transcript, verdict
from arggym_env.errors import CoordinateError
from arggym_env.rewards.score import Score

RewardKind: TypeAlias = Literal["native", "success", "corrected"]
RenderMode: TypeAlias = Literal["ansi", "human"]

REWARDS: Final[tuple[RewardKind, ...]] = ("native", "success", "corrected")
"""What ``step`` may pay: the task-native score, 1.0 for complete success alone, or the native score above the floor."""
RENDER_MODES: Final[tuple[RenderMode, ...]] = ("human", "ansi")
OPTIONS: Final = ("level", "ordering", "seed", "instance")
"""What ``reset(options=...)`` may fix."""

T = TypeVar("T")


class ArgumentationEnv(gym.Env[str, str]):
    """A question about a fresh ASPIC+ theory; the action is the model's whole completion.

    * **Observation**: the prompt, a string. ``step`` returns the same prompt again.
    * **Action**: the completion, a string (thinking included, the prompt not). Anything else scores 0 with reason
      ``not_text``; text without an answer region scores 0 with its reason. No completion raises.
    * **Episode**: ``step`` scores the completion and always terminates. Another step without a reset raises
      ``gymnasium.error.ResetNeeded``.
    * **Randomness**: ``reset`` draws level, ordering and instance seed from ``np_random``, three raw words each time,
      also when options fix some of them.
    * **Info of reset**: ``instance_id``, ``task``, ``level``, ``ordering``, ``split``, ``seed``, ``floor``,
      ``prompt_characters``; never the gold. **Info of step**: the same, and ``native``, ``success``, ``corrected``,
      ``answer_found``, ``reason``, and the whole ``score``.

    Args:
        task: one of ``TASKS``.
        level: a level from 1 to 15, a list of levels to draw from, or None for all fifteen.
        ordering: one of ``ORDERINGS``, a list of them to draw from, or None for all four.
        split: "train", "eval" or "frozen".
        reward: "native", "success" or "corrected" (``corrected`` in this package says what that is).
        engine: "native" or "pyarg", for scoring; both give the same scores.
        max_arguments: a submission whose theory has more arguments scores 0 with reason ``too_many_arguments``.
        render_mode: "ansi" (``render`` returns the episode as text), "human" (it is printed as it happens) or None.

    Raises:
        CoordinateError: an argument is not allowed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - Gymnasium's own declaration

    def __init__(
        self,
        task: str,
        level: int | Sequence[int] | None = None,
        ordering: str | Sequence[str] | None = None,
        split: str = "train",
        reward: RewardKind = "native",
        engine: str = "native",
        max_arguments: int = DEFAULT_MAX_ARGUMENTS,
        render_mode: RenderMode | None = None,
    ) -> None:
        self.task = get_task(task).name
        self.levels = _levels(level, task)
        self.orderings = _orderings(ordering)
        self.split = check_split(split)
        self.reward_kind = _one_of("reward", reward, REWARDS)
        self.engine = get_engine(engine).name
        self.max_arguments = _positive("max_arguments", max_arguments)
        self.render_mode = None if render_mode is None else _one_of("render_mode", render_mode, RENDER_MODES)
        self.observation_space = TextSpace()
        self.action_space = TextSpace()
        self._instance: Instance | None = None
        self._completion: object = None
        self._score: Score | None = None

    @property
    def instance(self) -> Instance:
        """The instance in play, gold included.

        Raises:
            ResetNeeded: there is none before the first reset.
        """
        if self._instance is None:
            raise ResetNeeded("there is no instance before the first reset()")
        return self._instance

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode with a fresh instance; return its prompt and what may be known about it.

        Args:
            seed: a non-negative Python integer that seeds the draws of this reset and of the unseeded ones after it.
            options: may fix ``level``, ``ordering`` and ``seed`` (of the instance), also to values outside those that
                the environment draws from; or ``instance``, a stored one of the same task.

        Raises:
            CoordinateError: an option is unknown or its value is not allowed.
        """
        fixed = _check_options(options or {}, self.task)
        super().reset(seed=seed)
        level = self._draw(self.levels)
        ordering = self._draw(self.orderings)
        instance_seed = self._below(SEED_LIMIT)
        instance = fixed.get("instance") or generate(
            self.task,
            fixed.get("level", level),
            fixed.get("ordering", ordering),
            fixed.get("seed", instance_seed),
            self.split,
        )
        self._instance, self._completion, self._score = instance, None, None
        if self.render_mode == "human":
            _show(instance.prompt)
        return instance.prompt, _describe(instance)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Score the completion ``action`` and end the episode; return the prompt, reward, True, False and the info.

        Raises:
            ResetNeeded: the episode has ended, or none was started.
        """
        instance = self.instance
        if self._score is not None:
            raise ResetNeeded("the episode ended with its only step; call reset() for the next question")
        result = score(instance, action, engine=self.engine, max_arguments=self.max_arguments)
        self._completion, self._score = action, result
        above_floor = corrected(result.native, instance.floor)
        rewards: dict[RewardKind, float] = {
            "native": result.native,
            "success": float(result.success),
            "corrected": above_floor,
        }
        info = {
            **_describe(instance),
            "native": result.native,
            "success": result.success,
            "corrected": above_floor,
            "answer_found": result.answer_found,
            "reason": result.reason.value,
            "score": result,
        }
        if self.render_mode == "human":
            _show(verdict(instance, action, result))
        return instance.prompt, float(rewards[self.reward_kind]), True, False, info

    def render(self) -> str | None:
        """Return the episode so far as text (mode "ansi"), or print it and return None (mode "human").

        Raises:
            ResetNeeded: there is no episode before the first reset.
        """
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode, given when the environment is made: 'ansi' or 'human'")
            return None
        text = transcript(self.instance, self._completion, self._score)
        if self.render_mode == "ansi":
            return text
        _show(text)
        return None

    def _draw(self, items: Sequence[T]) -> T:
        return items[self._below(len(items))]

    def _below(self, bound: int) -> int:
        """Return an integer below ``bound`` from exactly one raw word, so that every reset uses as many words.

        The high bits of word times bound; the bias is at most bound / 2**64. Raw words are the part of NumPy's
        randomness that no version changes.
        """
        return int(self.np_random.bit_generator.random_raw()) * bound >> 64


def _describe(instance: Instance) -> dict[str, Any]:
    return {
        "instance_id": instance.id,
        "task": instance.task,
        "level": instance.level,
        "ordering": instance.ordering,
        "split": instance.split,
        "seed": instance.seed,
        "floor": instance.floor,
        "prompt_characters": len(instance.prompt),
    }


def _show(text: str) -> None:
    """Print ``text``; what the terminal's encoding lacks is shown escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)  # noqa: T201 - human mode prints


def _levels(level: int | Sequence[int] | None, task: str) -> tuple[int, ...]:
    if level is None:
        return LEVELS
    if isinstance(level, Sequence) and not isinstance(level, str):
        if not level:
            raise CoordinateError(f"level {level!r} holds no level (task {task}); give 1..15, a list of them, or None")
        return tuple(check_level(item, task) for item in level)
    return (check_level(level, task),)


def _orderings(ordering: str | Sequence[str] | None) -> tuple[str, ...]:
    if ordering is None:
        return ORDERINGS
    if isinstance(ordering, list | tuple):
        if not ordering:
            raise CoordinateError(f"ordering {ordering!r} holds no ordering; give one, a list of them, or None for all")
        return tuple(check_ordering(item) for item in ordering)
    return (check_ordering(ordering),)  # type: ignore[arg-type]


def _one_of(what: str, value: T, allowed: Sequence[T]) -> T:
    if value not in allowed:
        raise CoordinateError(f"{what} {value!r} is not one of {', '.join(map(repr, allowed))}")
    return value


def _positive(what: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CoordinateError(f"{what} {value!r} is not a positive integer")
    return value


def _check_options(options: dict[str, Any], task: str) -> dict[str, Any]:
    for key in options:
        if key not in OPTIONS:
            raise CoordinateError(f"reset option {key!r} is not one of {', '.join(map(repr, OPTIONS))}")
    if "instance" in options:
        if len(options) > 1:
            raise CoordinateError("reset option 'instance' fixes everything; it goes with no other option")
        instance = options["instance"]
        if not isinstance(instance, Instance):
            raise CoordinateError(f"reset option 'instance' is {type(instance).__name__}, not an Instance")
        if instance.task != task:
            raise CoordinateError(
                f"reset option 'instance' is of task {instance.task!r}; this environment's is {task!r}"
            )
    if "level" in options:
        check_level(options["level"], task)
    if "ordering" in options:
        check_ordering(options["ordering"])
    if "seed" in options:
        check_seed(options["seed"])
    return options
