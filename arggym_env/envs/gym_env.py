"""The tasks as Gymnasium environments: one question is one episode of one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arggym_env.coordinates import LEVELS, SEED_LIMIT, check_level, check_positive, check_seed, check_split
from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, get_engine
from arggym_env.engine.orderings import ORDERINGS, check_ordering
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.envs.single_step import REWARDS, Below, RenderMode, RewardKind, SingleStepEnv, known_options, pick
from arggym_env.errors import CoordinateError
from arggym_env.rewards.score import Score

__all__ = ["OPTIONS", "REWARDS", "ArgumentationEnv", "describe"]

OPTIONS: Final = ("level", "ordering", "seed", "instance")
"""What ``reset(options=...)`` may fix."""


class ArgumentationEnv(SingleStepEnv[Instance]):
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
        task: one of ``TASKS``, or a plug-in's task.
        level: a level from 1 to 15, a list of levels to draw from, or None for all fifteen.
        ordering: one of ``ORDERINGS``, a list of them to draw from, or None for all four.
        split: "train", "eval" or "frozen".
        reward: "native", "success" or "corrected" (``corrected`` in this package says what that is).
        engine: "native" or "pyarg", for scoring; both give the same scores.
        max_arguments: a submission whose theory has more arguments scores 0 with reason ``too_many_arguments``.
        render_mode: "ansi" (``render`` returns the episode as text), "human" (it is printed as it happens), "svg"
            (``render`` returns a picture of the theory) or None.

    Raises:
        CoordinateError: an argument is not allowed.
    """

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
        super().__init__(reward, render_mode)
        self.task = get_task(task).name
        self.levels = _levels(level, task)
        self.orderings = _orderings(ordering)
        self.split = check_split(split)
        self.engine = get_engine(engine).name
        self.max_arguments = check_positive("max_arguments", max_arguments)

    def check_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        known_options(options, OPTIONS)
        if "instance" in options:
            instance = options["instance"]
            if not isinstance(instance, Instance):
                raise CoordinateError(f"reset option 'instance' is {type(instance).__name__}, not an Instance")
            if instance.task != self.task:
                raise CoordinateError(
                    f"reset option 'instance' is of task {instance.task!r}; this environment's is {self.task!r}"
                )
        if "level" in options:
            check_level(options["level"], self.task)
        if "ordering" in options:
            check_ordering(options["ordering"])
        if "seed" in options:
            check_seed(options["seed"])
        return options

    def draw(self, below: Below, fixed: Mapping[str, Any]) -> Instance:
        drawn = {"level": pick(self.levels, below), "ordering": pick(self.orderings, below), "seed": below(SEED_LIMIT)}
        if "instance" in fixed:
            return fixed["instance"]  # type: ignore[no-any-return]
        return generate(self.task, split=self.split, **{**drawn, **fixed})

    def judge(self, instance: Instance, completion: object) -> Score:
        return score(instance, completion, engine=self.engine, max_arguments=self.max_arguments)

    def describe(self, instance: Instance) -> dict[str, Any]:
        return describe(instance)


def describe(instance: Instance) -> dict[str, Any]:
    """Return the coordinates of ``instance``, as infos show them."""
    return {
        "instance_id": instance.id,
        "task": instance.task,
        "level": instance.level,
        "ordering": instance.ordering,
        "split": instance.split,
        "seed": instance.seed,
    }


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
