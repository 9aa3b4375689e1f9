"""Which level a training row is asked at: a fixed schedule over the steps, or one that follows the success rate.

A flat mixture over fifteen levels spends most of its steps on questions that the policy always or never solves, whose
groups have no variance and teach nothing. A curriculum is asked for the level of each row when its prompt is rendered.

Data loaders fetch ahead of the training loop, by one batch in accelerate, and a resumed run fetches at other moments
than the run that was interrupted. So a level never depends on when it is asked for: row ``n`` of the table is used by
the generation that starts at a step known beforehand (:class:`Clock`), and its level is decided by what was known
``LAG`` steps before that. Every process that holds the same history gives every row the same level, at any time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from arggym_env.coordinates import LEVELS, check_level
from arggym_env.envs.registry import TASKS
from arggym_env.errors import RunError
from arggym_env.rewards.score import JsonValue

if TYPE_CHECKING:
    from arggym_env.training.grpo import Recipe

LAG: Final = 1
"""Steps between a level's change and the first rows that it applies to: accelerate has fetched that far ahead."""

Results = Mapping[tuple[str, int], tuple[int, int]]
"""By task and level, how many completions solved their question, and how many there were."""


class Curriculum(Protocol):
    """Something that decides levels."""

    def level(self, row: Mapping[str, Any]) -> int:
        """Return the level of a row of the table, which has the columns "row", "task", "level" and "draw"."""

    def advance(self, step: int, results: Results) -> None:
        """Take in the results of the optimizer step that made ``step`` steps complete."""

    def current(self, task: str) -> int:
        """Return the highest level that the task is asked at by now."""

    def state(self) -> dict[str, JsonValue]:
        """Return what ``load`` needs to go on from here, as JSON."""

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on from a state.

        Raises:
            RunError: it is that of another curriculum.
        """


@dataclass(frozen=True, slots=True)
class Clock:
    """When a row of the table is used: rows are taken in order, so many for each generation.

    Attributes:
        prompts: different prompts of one generation, over all processes.
        steps: optimizer steps from one generation to the next.
    """

    prompts: int
    steps: int

    def start(self, row: int) -> int:
        """Return how many steps are complete when the completions of ``row`` are generated."""
        return row // self.prompts * self.steps


class FixedSchedule:
    """Levels drawn uniformly from a band that depends on the step alone.

    Args:
        stages: by the step from which it holds, the lowest and the highest level; one stage starts at step 0.
        clock: when rows are used.

    Raises:
        RunError: the stages are not a schedule.
    """

    def __init__(self, stages: Mapping[int, Sequence[int]], clock: Clock) -> None:
        for step, band in stages.items():
            if len(band) != 2 or not LEVELS[0] <= band[0] <= band[1] <= LEVELS[-1]:
                raise RunError(f"schedule: {list(band)} at step {step} is not [lowest, highest] within 1..15")
        if 0 not in stages or min(stages) < 0:
            raise RunError(f"schedule: its first stage starts at step {min(stages, default=None)}, not at 0")
        self._starts = sorted(stages)
        self._bands = [(stages[step][0], stages[step][1]) for step in self._starts]
        self._clock = clock
        self._step = 0

    def level(self, row: Mapping[str, Any]) -> int:
        if row["task"] not in TASKS:
            return int(row["level"])
        low, high = self._band(self._clock.start(row["row"]))
        return low + int(row["draw"] * (high - low + 1))

    def advance(self, step: int, results: Results) -> None:
        self._step = step

    def current(self, task: str) -> int:
        return self._band(self._step)[1]

    def state(self) -> dict[str, JsonValue]:
        return {"stages": [[step, *band] for step, band in zip(self._starts, self._bands, strict=True)]}

    def load(self, state: Mapping[str, Any]) -> None:
        if dict(state) != self.state():
            raise RunError(f"curriculum: the checkpoint's schedule is {dict(state)}, this run's {self.state()}")

    def _band(self, step: int) -> tuple[int, int]:
        return self._bands[bisect_right(self._starts, step) - 1]


@dataclass(frozen=True, slots=True)
class Rule:
    """When an adaptive curriculum moves.

    Attributes:
        promote: a task goes one level up when at least this share of its window is solved.
        demote: it goes one level down when at most this share is; below ``promote``, so that it does not flutter.
        window: how many of the latest completions at the task's level are looked at.
        min_samples: with fewer of them it stays.
        replay: share of the rows that are asked at an easier level, drawn uniformly from those below.
        start: first level.
        low: no task goes below.
        high: no task goes above.
    """

    promote: float = 0.7
    demote: float = 0.2
    window: int = 128
    min_samples: int = 64
    replay: float = 0.15
    start: int = 1
    low: int = 1
    high: int = 15

    def __post_init__(self) -> None:
        for name in ("start", "low", "high"):
            check_level(getattr(self, name), "curriculum")
        if not 0 <= self.demote < self.promote <= 1:
            raise RunError(f"curriculum: demote {self.demote} is not below promote {self.promote}, within 0..1")
        if not 1 <= self.min_samples <= self.window:
            raise RunError(f"curriculum: min_samples {self.min_samples} is not in 1..window ({self.window})")
        if not 0 <= self.replay < 1:
            raise RunError(f"curriculum: replay {self.replay} is not in 0..1, 1 excluded")
        if not self.low <= self.start <= self.high:
            raise RunError(f"curriculum: start {self.start} is not in low..high ({self.low}..{self.high})")


class AdaptiveCurriculum:
    """One level for each task, moved up and down by its success rate there.

    Only results at a task's level count for it: those of replayed rows, and of rows that were rendered before its last
    move, do not. A move empties the window, so that at least ``min_samples`` completions lie between two moves.

    Args:
        rule: when it moves.
        clock: when rows are used.
        tasks: the tasks it holds a level for; rows of others (LogiHard's) keep the table's level.
    """

    def __init__(self, rule: Rule, clock: Clock, tasks: Iterable[str] = TASKS) -> None:
        self.rule = rule
        self._clock = clock
        self._steps: dict[str, list[int]] = {task: [0] for task in tasks if task in TASKS}
        self._levels: dict[str, list[int]] = {task: [rule.start] for task in self._steps}
        self._windows: dict[str, deque[tuple[int, int]]] = {task: deque() for task in self._steps}

    def level(self, row: Mapping[str, Any]) -> int:
        task = row["task"]
        if task not in self._steps:
            return int(row["level"])
        known = max(0, self._clock.start(row["row"]) - LAG)
        top = self._levels[task][bisect_right(self._steps[task], known) - 1]
        draw, easier = row["draw"], top - self.rule.low
        if draw >= self.rule.replay or not easier:
            return top
        return self.rule.low + int(draw / self.rule.replay * easier)

    def advance(self, step: int, results: Results) -> None:
        for task, window in self._windows.items():
            level = self.current(task)
            solved, seen = results.get((task, level), (0, 0))
            if not seen:
                continue
            window.append((solved, seen))
            while sum(n for _, n in window) - window[0][1] >= self.rule.window:
                window.popleft()
            if move := self._move(window, level):
                self._steps[task].append(step)
                self._levels[task].append(level + move)
                window.clear()

    def _move(self, window: Iterable[tuple[int, int]], level: int) -> int:
        solved, seen = map(sum, zip(*window, strict=True))
        if seen < self.rule.min_samples:
            return 0
        if solved >= self.rule.promote * seen:
            return int(level < self.rule.high)
        return -int(solved <= self.rule.demote * seen and level > self.rule.low)

    def current(self, task: str) -> int:
        return self._levels[task][-1]

    def state(self) -> dict[str, JsonValue]:
        return {
            "rule": asdict(self.rule),
            "history": {
                task: [[step, level] for step, level in zip(self._steps[task], self._levels[task], strict=True)]
                for task in self._steps
            },
            "windows": {task: [[solved, seen] for solved, seen in window] for task, window in self._windows.items()},
        }

    def load(self, state: Mapping[str, Any]) -> None:
        if state.get("rule") != asdict(self.rule):
            raise RunError(f"curriculum: the checkpoint's rule is {state.get('rule')}, this run's {asdict(self.rule)}")
        if list(state["history"]) != list(self._steps):
            raise RunError(f"curriculum: the checkpoint's tasks are {list(state['history'])}, not {list(self._steps)}")
        for task, moves in state["history"].items():
            self._steps[task] = [step for step, _ in moves]
            self._levels[task] = [level for _, level in moves]
            self._windows[task] = deque((solved, seen) for solved, seen in state["windows"][task])


def make_curriculum(recipe: Recipe, clock: Clock) -> Curriculum | None:
    """Return what decides the levels of a recipe's rows, or None where the table does.

    Raises:
        CoordinateError: a level is not one.
        RunError: the recipe's rule or schedule is none, or success, which a curriculum counts, is not a reward.
    """
    if recipe.curriculum == "none":
        return None
    if "success" not in recipe.rewards:
        raise RunError("rewards: a curriculum counts success; name it, with weight 0 if it is not to be paid")
    if recipe.curriculum == "schedule":
        return FixedSchedule(recipe.schedule, clock)
    low, high = min(recipe.levels or [LEVELS[0]]), max(recipe.levels or [LEVELS[-1]])
    start = max(low, recipe.start_level)
    rule = Rule(
        recipe.promote, recipe.demote, recipe.window, recipe.min_samples, recipe.replay, start=start, low=low, high=high
    )
    return AdaptiveCurriculum(rule, clock, TASKS if recipe.weights is None else recipe.weights)
