"""All environments as one: each question is of a task drawn by weight, plug-ins' tasks among them if they are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import isfinite
from typing import Any, Final, TypeAlias

from arggym_env.coordinates import LEVELS, check_level, check_positive, check_split
from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, get_engine
from arggym_env.engine.orderings import ORDERINGS, check_ordering
from arggym_env.envs import gym_env
from arggym_env.envs.instance import Instance
from arggym_env.envs.plugins import plugin_names
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.envs.single_step import Below, RenderMode, RewardKind, SingleStepEnv, known_options
from arggym_env.envs.stream import Stream
from arggym_env.errors import CoordinateError
from arggym_env.instances import AnyInstance, score
from arggym_env.logihard import env as letters
from arggym_env.logihard.base import BASE, BaseItem
from arggym_env.logihard.hardening import COMBINATORIAL, CombinatorialItem
from arggym_env.rewards.score import Score

Weights: TypeAlias = Mapping[Any, float]

MIXTURE_TASKS: Final = (*TASKS, BASE, COMBINATORIAL)
"""What a mixture may be made of, besides the tasks of plug-ins."""
MIXTURE_OPTIONS: Final = ("task", "level", "ordering", "family", "tier", "seed", "instance")
"""What ``reset(options=...)`` may fix; all but "seed" and "instance" go with a task."""

_WORDS: Final = 1 << 53


class MixtureEnv(SingleStepEnv[AnyInstance]):
    """A question of a task drawn by weight: the twelve tasks, and LogiHard's two kinds of question.

    It keeps the contract of :class:`~arggym_env.envs.gym_env.ArgumentationEnv`, with these differences:

    * **Randomness**: ``reset`` draws task, level, ordering and the rest from ``np_random``, four raw words each time.
    * **Info**: that of the question's own environment; ``task`` says which. A key that does not apply is left out.
    * **Reward**: a task's native score is comparable within the task only, so that "success" is the one to mix.

    Args:
        weights: by task name, how much more often it comes than one of weight 1; "logihard_base" and
            "logihard_combinatorial" are LogiHard's, names with a dot those of plug-ins. None is each of the twelve
            ArgGYM tasks with the same weight.
        level: levels of the ArgGYM tasks: one, a list, a mapping from level to weight, or None for all fifteen.
        ordering: orderings of the ArgGYM tasks: one, a list, a mapping to weights, or None for all four.
        logihard: arguments of LogiHard's environments: "family", "level", "tier", "sampler", "source",
            "source_format".
        split: "train", "eval" or "frozen".
        reward: "native", "success" or "corrected".
        engine: "native" or "pyarg", for scoring; both give the same scores.
        max_arguments: a submission whose theory has more arguments scores 0 with reason ``too_many_arguments``.
        render_mode: "ansi", "human", "svg" or None.

    Raises:
        CoordinateError: an argument is not allowed.
    """

    def __init__(
        self,
        weights: Mapping[str, float] | None = None,
        level: int | Sequence[int] | Mapping[int, float] | None = None,
        ordering: str | Sequence[str] | Mapping[str, float] | None = None,
        logihard: Mapping[str, Any] | None = None,
        split: str = "train",
        reward: RewardKind = "native",
        engine: str = "native",
        max_arguments: int = DEFAULT_MAX_ARGUMENTS,
        render_mode: RenderMode | None = None,
    ) -> None:
        super().__init__(reward, render_mode)
        self.weights = _weighted("weights", dict.fromkeys(TASKS, 1.0) if weights is None else weights)
        for task in self.weights:
            check_mixture_task(task)
        self.levels = {check_level(_number(key), "mixture"): weight for key, weight in _spread("level", level, LEVELS)}
        self.orderings = {check_ordering(key): weight for key, weight in _spread("ordering", ordering, ORDERINGS)}
        self.split = check_split(split)
        self.engine = get_engine(engine).name
        self.max_arguments = check_positive("max_arguments", max_arguments)
        self._letters = _letter_environments(logihard or {}, split)

    def check_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        known_options(options, MIXTURE_OPTIONS)
        if "instance" in options:
            if not isinstance(options["instance"], Instance | BaseItem | CombinatorialItem):
                kind = type(options["instance"]).__name__
                raise CoordinateError(f"reset option 'instance' is {kind}, not an instance of a task or of LogiHard")
            return options
        own = {name: value for name, value in options.items() if name != "task"}
        if "task" in options:
            self.member(check_mixture_task(options["task"])).check_options(own)
        elif own.keys() - {"seed"}:
            raise CoordinateError(f"reset option {min(own.keys() - {'seed'})!r} goes with the option 'task'")
        else:
            self.member(TASKS[0]).check_options(own)
        return options

    def draw(self, below: Below, fixed: Mapping[str, Any]) -> AnyInstance:
        task = fixed.get("task", choose(self.weights, below))
        drawn = {"level": choose(self.levels, below), "ordering": choose(self.orderings, below)}
        rest = Stream("mixture", below(1 << 63))
        if "instance" in fixed:
            return fixed["instance"]  # type: ignore[no-any-return]
        own = {name: value for name, value in fixed.items() if name != "task"}
        member = self.member(check_mixture_task(task))
        instance: AnyInstance = member.draw(rest.below, own if task in self._letters else {**drawn, **own})
        return instance

    def judge(self, instance: AnyInstance, completion: object) -> Score:
        return score(instance, completion, engine=self.engine, max_arguments=self.max_arguments)

    def describe(self, instance: AnyInstance) -> dict[str, Any]:
        return gym_env.describe(instance) if isinstance(instance, Instance) else letters.describe(instance)

    def member(self, task: str) -> SingleStepEnv[Any]:
        """Return an environment of the task, which draws questions for this one and is never reset."""
        return self._letters[task] if task in self._letters else gym_env.ArgumentationEnv(task, split=self.split)


def check_mixture_task(task: str) -> str:
    """Return ``task`` if a mixture may hold it; raise CoordinateError otherwise, PluginError for a broken plug-in."""
    if task in (BASE, COMBINATORIAL):
        return task
    try:
        return get_task(task).name
    except CoordinateError:
        allowed = (*MIXTURE_TASKS, *plugin_names())
        raise CoordinateError(f"task {task!r} is not one of {', '.join(allowed)}") from None


def _letter_environments(arguments: Mapping[str, Any], split: str) -> dict[str, SingleStepEnv[Any]]:
    allowed = ("family", "level", "tier", "sampler", "source", "source_format")
    for name in arguments:
        if name not in allowed:
            raise CoordinateError(f"logihard argument {name!r} is not one of {', '.join(map(repr, allowed))}")
    shared = {name: value for name, value in arguments.items() if name not in ("tier", "sampler")}
    return {
        BASE: letters.BaseEnv(split=split, **shared),
        COMBINATORIAL: letters.CombinatorialEnv(split=split, **arguments),
    }


def _spread(what: str, value: Any, everything: Sequence[Any]) -> list[tuple[Any, float]]:
    """Return what may be drawn with its weights, whichever way it was given; what is listed twice weighs twice."""
    if isinstance(value, Mapping):
        return list(_weighted(what, value).items())
    found: dict[Any, float] = {}
    for item in everything if value is None else value if isinstance(value, list | tuple) else (value,):
        found[item] = found.get(item, 0.0) + 1.0
    return list(_weighted(what, found).items())


def _weighted(what: str, weights: Weights) -> dict[Any, float]:
    """Return the entries of positive weight."""
    if not isinstance(weights, Mapping):
        raise CoordinateError(f"{what} {weights!r:.80} is not a mapping to weights")
    for key, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not (isfinite(weight) and weight >= 0):
            raise CoordinateError(f"{what}: the weight of {key!r} is {weight!r}, not a number from 0")
    found = {key: float(weight) for key, weight in weights.items() if weight}
    if not found:
        raise CoordinateError(f"{what} {weights!r:.80} holds nothing of positive weight")
    return found


def _number(key: object) -> Any:
    """Return a level; the JSON form of an environment's specification makes the keys of a mapping strings."""
    return int(key) if isinstance(key, str) and key.isdecimal() else key


def choose(weights: Mapping[Any, float], below: Below) -> Any:
    """Return a key by weight, with one draw."""
    return key_at(weights, below(_WORDS) / _WORDS)


def key_at(weights: Mapping[Any, float], share: float) -> Any:
    """Return the key at ``share``, from 0 to 1, of the weights laid end to end."""
    point = share * sum(weights.values())
    inside = (key for key, end in zip(weights, accumulate(weights.values()), strict=True) if point < end)
    return next(inside, list(weights)[-1])  # rounding may leave the last end below the sum
