"""Floors: what the attack policies earn over a suite, by task and band of levels (spec section 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

from arggym_env.envs import checked
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.parallel import in_order

BANDS: Final = (("L1-5", range(1, 6)), ("L6-10", range(6, 11)), ("L11-15", range(11, 16)))
"""The thirds of the curriculum."""

FLOOR_TARGETS: Final = {
    "formalization": 0.15,
    "claim_chain": 0.25,
    "defeat_diagnosis": 0.15,
    "status_query": 0.40,
    "semantics_query": 0.40,
    "perturbation": 0.40,
    "preference_construction": 0.10,
    "counter_argument": 0.10,
    "counter_argument_strict": 0.10,
    "attack": 0.10,
    "defence": 0.10,
    "attack_defense": 0.10,
}
"""The largest mean floor that a task may have over the suite."""
SUCCESS_TARGET: Final = 0.03
"""The largest share of a task's rows that one attack may solve."""


class AttackScore(NamedTuple):
    """What one policy earns on one row."""

    attack: str
    native: float
    success: bool


@dataclass(frozen=True, slots=True)
class RowFloor:
    """What all policies earn on one row."""

    task: str
    level: int
    recorded: float
    """The floor that the row records."""
    attacks: tuple[AttackScore, ...]

    @property
    def floor(self) -> float:
        """The best native score of a policy."""
        return max(attack.native for attack in self.attacks)


@dataclass(frozen=True, slots=True)
class TaskFloor:
    """What the policies earn on a task.

    Attributes:
        task: the task.
        mean_floor: the mean of the rows' floors.
        by_band: the mean floor of each band of levels.
        best_success: the largest share of rows that one policy solves.
        attacks: for each policy its mean native score and the share of rows that it solves.
        wrongly_recorded: rows whose recorded floor is not what the policies earn.
    """

    task: str
    mean_floor: float
    by_band: tuple[float, ...]
    best_success: float
    attacks: tuple[AttackMean, ...]
    wrongly_recorded: int

    @property
    def meets_targets(self) -> bool:
        """Whether mean floor and success of every policy are within the targets, and floors are recorded rightly."""
        limit = FLOOR_TARGETS.get(self.task, 1.0)
        return self.mean_floor <= limit and self.best_success <= SUCCESS_TARGET and not self.wrongly_recorded


class AttackMean(NamedTuple):
    """What one policy earns over a task's rows."""

    attack: str
    native: float
    success: float


def row_floor(instance: Instance) -> RowFloor:
    """Return what every attack policy of the instance's task earns on it."""
    attacks = []
    for name, answer in checked.attacks(get_task(instance.task), instance).items():
        verdict = score(instance, f"<answer>{answer}</answer>")
        attacks.append(AttackScore(name.partition(":")[0], verdict.native, verdict.success))
    return RowFloor(instance.task, instance.level, instance.floor, tuple(attacks))


def measure(
    lines: Iterable[str], *, workers: int = 1, progress: Callable[[int], None] = lambda done: None
) -> list[TaskFloor]:
    """Return what the attack policies earn over rows given as JSON lines, by task in order of appearance."""
    rows: dict[str, list[RowFloor]] = {}
    for done, found in enumerate(in_order(_line_floor, lines, workers, chunk=8), start=1):
        rows.setdefault(found.task, []).append(found)
        progress(done)
    return [_task_floor(task, found) for task, found in rows.items()]


def _line_floor(line: str) -> RowFloor:
    return row_floor(Instance.from_json(line))


def _task_floor(task: str, rows: list[RowFloor]) -> TaskFloor:
    attacks: dict[str, list[AttackScore]] = {}
    for row in rows:
        best: dict[str, AttackScore] = {}
        for attack in row.attacks:  # a policy that is aimed at several goals counts with its best shot
            if attack.attack not in best or attack > best[attack.attack]:
                best[attack.attack] = attack
        for name, attack in best.items():
            attacks.setdefault(name, []).append(attack)
    means = [
        AttackMean(name, sum(a.native for a in found) / len(rows), sum(a.success for a in found) / len(rows))
        for name, found in attacks.items()
    ]
    means.sort(key=lambda mean: (-mean.native, mean.attack))
    by_band = tuple(
        fmean(band) if (band := [row.floor for row in rows if row.level in levels]) else 0.0 for _, levels in BANDS
    )
    return TaskFloor(
        task=task,
        mean_floor=fmean(row.floor for row in rows),
        by_band=by_band,
        best_success=max(mean.success for mean in means),
        attacks=tuple(means),
        wrongly_recorded=sum(row.floor != row.recorded for row in rows),
    )
