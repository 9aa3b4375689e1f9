"""What carries results to a curriculum: a reward function that counts, and a callback that adds up over processes.

A group's completions may be spread over processes, so no process sees the results of a question whole. Each counts what
it scores; at the end of an optimizer step the counts are added up over all processes, and every curriculum takes in the
same sums. They stay identical without being sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, Final

import torch
from accelerate import PartialState
from accelerate.utils import reduce
from transformers import TrainerCallback

from arggym_env.coordinates import LEVELS
from arggym_env.envs.registry import TASKS
from arggym_env.errors import RunError
from arggym_env.training.curriculum import Curriculum

SOLVED: Final = 1.0
"""The success reward of a completion that solves its question."""


class Watch:
    """A success reward that counts what it returns, by task and level; give it to the trainer in the reward's place.

    A completion without a reward (None: truncated and masked) did not solve its question.

    Args:
        reward: ``success_reward`` or one made like it.
        curriculum: whose levels are logged beside the rewards.
    """

    def __init__(self, reward: Callable[..., Sequence[float | None]], curriculum: Curriculum) -> None:
        self.__name__: str = getattr(reward, "__name__", "success_reward")
        self._reward = reward
        self._curriculum = curriculum
        self._counts = torch.zeros(len(TASKS), len(LEVELS), 2, dtype=torch.int64)

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the rewards, as the reward function that is watched gives them."""
        rewards = list(self._reward(completions=completions, **columns))
        for task, level, reward in zip(columns["task"], columns["level"], rewards, strict=True):
            if task in TASKS:
                cell = self._counts[TASKS.index(task), LEVELS.index(level)]
                cell += torch.tensor([reward == SOLVED, True])
        if log := columns.get("log_metric"):
            asked = [task for task in TASKS if task in columns["task"]]
            for task in asked:
                log(f"curriculum/{task}", float(self._curriculum.current(task)))
            if asked:
                log("curriculum/level", fmean(level for level in columns["level"]))
        return rewards

    def take(self) -> dict[tuple[str, int], tuple[int, int]]:
        """Return what all processes have counted since the last call; every process calls it at the same time."""
        total = reduce(self._counts.to(PartialState().device), reduction="sum").cpu()
        self._counts.zero_()
        return {
            (TASKS[task], LEVELS[level]): (int(total[task, level, 0]), int(total[task, level, 1]))
            for task, level in torch.nonzero(total[:, :, 1]).tolist()
        }


class CurriculumCallback(TrainerCallback):  # type: ignore[misc, unused-ignore] # Any without transformers
    """Lets a curriculum take in the results of each optimizer step."""

    def __init__(self, curriculum: Curriculum, watch: Watch) -> None:
        self._curriculum = curriculum
        self._watch = watch

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if args.dataloader_num_workers:
            raise RunError(
                f"dataloader_num_workers {args.dataloader_num_workers} does not go with a curriculum: workers hold "
                "copies of it that never move; set 0"
            )

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._curriculum.advance(state.global_step, self._watch.take())
