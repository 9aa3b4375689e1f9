"""Training data as a table of seeds: a row says which question to ask, and a transform asks it when the row is read.

Nothing is generated before it is needed, a resumed run skips rows without making them, and any row can be made again
on any machine. The table is an ordinary map-style data set:

    table = seed_table(100_000, seed=0, weights={"attack": 2, "status_query": 1}, level=range(1, 6))
    dataset = table.with_transform(Render())            # adds the column "prompt"
    GRPOTrainer(..., train_dataset=dataset, reward_funcs=[arggym_env.rewards.trl.success_reward])

The frozen suite has a split of its own, whose random stream no row of a table can reach, and generation rejects what is
a frozen row up to renaming and reordering; ``seed_table`` refuses that split.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from arggym_env.coordinates import SEED_LIMIT, check_positive, check_seed
from arggym_env.envs.gym_env import ArgumentationEnv
from arggym_env.envs.mixture import MixtureEnv, choose, key_at
from arggym_env.envs.plugins import declared
from arggym_env.envs.registration import ENV_IDS, LOGIHARD_ENV_IDS
from arggym_env.envs.registry import TASKS
from arggym_env.envs.stream import Stream
from arggym_env.errors import CoordinateError
from arggym_env.export import FRESH_SPLITS
from arggym_env.logihard.base import BASE
from arggym_env.logihard.env import CombinatorialEnv
from arggym_env.logihard.hardening import COMBINATORIAL
from arggym_env.rewards.asking import Address, ask, check_columns, check_versions, read_object, versions_of

if TYPE_CHECKING:
    from datasets import Dataset

COLUMNS: Final = ("row", "env_id", "task", "level", "split", "options", "arguments", "draw", "versions")
"""The columns of a seed table; ``Render`` adds "prompt"."""

_ENV_IDS: Final = dict(zip((*TASKS, BASE, COMBINATORIAL), (*ENV_IDS, *LOGIHARD_ENV_IDS), strict=True))
_DRAWS: Final = 1 << 53


class Resolve(Protocol):
    """Who chooses the level of a row when it is read: a curriculum. It must be picklable.

    The completions of one question may be spread over several processes, so that ``level`` must give the same answer in
    all of them: a function of the row and of a state that all processes share. A state that changes during training is
    seen only by transforms of the same process (``dataloader_num_workers=0``, TRL's default).
    """

    def level(self, row: Mapping[str, Any]) -> int:
        """Return the level to ask at; ``row`` has the columns of a seed table, ``row["draw"]`` a number to choose by.

        ``envs.mixture.key_at(weights, row["draw"])`` chooses by weights, as the table itself does.
        """


def seed_table(
    rows: int,
    *,
    seed: int,
    split: str = "train",
    weights: Mapping[str, float] | None = None,
    level: int | Sequence[int] | Mapping[int, float] | None = None,
    ordering: str | Sequence[str] | Mapping[str, float] | None = None,
    logihard: Mapping[str, Any] | None = None,
) -> Dataset:
    """Return a table of ``rows`` questions, drawn by weight as ``ArgGYM/mixture-v0`` draws them.

    Each row is drawn from a stream of its own, so that a longer table begins with the shorter one. Columns:

    * ``row``: the number of the row, from 0.
    * ``env_id``, ``task``: the registered environment ("ArgGYM/attack-v0") and the task's name ("attack").
    * ``level``: 1 to 15, for LogiHard's questions 1 to 5, or 0 where questions of a file have no chosen level.
    * ``split``: as given.
    * ``options``: JSON of ``reset(options=...)``; it fixes everything that the environment would draw.
    * ``arguments``: JSON of the environment's arguments besides the split; "{}" for the argumentation tasks.
    * ``draw``: a number in [0, 1), uniform and independent of the rest of the row, but for the level: it is the one at
      ``draw`` of the level weights laid end to end, and a curriculum chooses another by the same number.
    * ``versions``: JSON of the versions of generator, prompt and scoring, which rendering and rewards check.

    Args:
        rows: how many.
        seed: a non-negative integer; another seed, another table.
        split: "train" or "eval".
        weights: by task name, as for ``ArgGYM/mixture-v0``; None is the twelve argumentation tasks alike.
        level: levels of the argumentation tasks: one, several, a mapping from level to weight, or None for all fifteen.
        ordering: orderings of the argumentation tasks: one, several, a mapping to weights, or None for all four.
        logihard: arguments of LogiHard's environments: "family", "level", "tier", "sampler", "source", "source_format".

    Raises:
        CoordinateError: an argument is not allowed.
    """
    from datasets import Dataset

    drawn = seed_rows(rows, seed=seed, split=split, weights=weights, level=level, ordering=ordering, logihard=logihard)
    return Dataset.from_dict({column: [row[column] for row in drawn] for column in COLUMNS})


def seed_rows(
    rows: int,
    *,
    seed: int,
    split: str = "train",
    weights: Mapping[str, float] | None = None,
    level: int | Sequence[int] | Mapping[int, float] | None = None,
    ordering: str | Sequence[str] | Mapping[str, float] | None = None,
    logihard: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of ``seed_table`` as they are, for trainers without ``datasets``; arguments and errors alike."""
    if split not in FRESH_SPLITS:
        raise CoordinateError(f"split {split!r} is not one of {', '.join(map(repr, FRESH_SPLITS))} (data for training)")
    check_positive("rows", rows)
    check_seed(seed)
    mixture = MixtureEnv(weights, _listed(level), _listed(ordering), logihard, split)
    members = {task: mixture.member(task) for task in mixture.weights}
    return [
        _row(index, mixture, members, logihard or {}, Stream("seed table", seed, split, index)) for index in range(rows)
    ]


class Render:
    """A transform for ``Dataset.with_transform`` that adds ``prompt``: chat messages that ask each row's question.

    The prompt comes from ``reset`` of the row's environment. Where ``resolve`` chooses another level than the row's,
    the columns ``level`` and ``options`` say what was asked, so that rewards score that. Questions are kept in the
    process (``rewards.asking``), because a trainer reads a row once for each completion of its group.

    Args:
        resolve: chooses the level of rows whose options have one; None leaves all as they are.
        system: the content of a system message before the question, or None for none.
        suffix: text after the question, in the same message.

    Raises:
        InstanceError: a row lacks a column, or was made by other versions.
    """

    def __init__(self, resolve: Resolve | None = None, *, system: str | None = None, suffix: str = "") -> None:
        self.resolve = resolve
        self.system = system
        self.suffix = suffix

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        check_columns(batch, COLUMNS)
        rows = [dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True)]
        rendered = [self.render(row) for row in rows]
        return {column: [row[column] for row in rendered] for column in (*batch, "prompt")}

    def render(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return one row with its prompt."""
        check_versions(row["task"], row["versions"])
        options = read_object("options", row["options"])
        asked = dict(row)
        if self.resolve is not None and "level" in options:
            asked |= at_level(row, self.resolve.level(row))
        system = [] if self.system is None else [{"role": "system", "content": self.system}]
        return {**asked, "prompt": [*system, {"role": "user", "content": ask(Address.of(asked)).prompt + self.suffix}]}


def at_level(row: Mapping[str, Any], level: int) -> dict[str, Any]:
    """Return the columns of ``row`` that say its level, for another level."""
    return {"level": level, "options": json.dumps({**read_object("options", row["options"]), "level": level})}


def check_table(table: Dataset) -> None:
    """Accept a table whose columns and versions are this package's: what a recipe calls before it starts.

    Raises:
        InstanceError: a column is missing, or rows were made by other versions.
    """
    check_columns(table.column_names, COLUMNS)
    rows = table.with_format(None).select_columns(["task", "versions"])
    for task, versions in dict.fromkeys(zip(rows["task"], rows["versions"], strict=True)):
        check_versions(task, versions)


def _row(
    index: int, mixture: MixtureEnv, members: Mapping[str, Any], logihard: Mapping[str, Any], stream: Stream
) -> dict[str, Any]:
    """Return one row; the number of draws does not depend on the task."""
    task = choose(mixture.weights, stream.below)
    draw = stream.below(_DRAWS) / _DRAWS
    ordering = choose(mixture.orderings, stream.below)
    seed = stream.below(SEED_LIMIT)
    options: dict[str, Any] = {"seed": seed}
    arguments: dict[str, Any] = {}
    member = members[task]
    if isinstance(member, ArgumentationEnv):
        options |= {"level": key_at(mixture.levels, draw), "ordering": ordering}
    else:
        options |= _letter_options(member, draw, stream)
        foreign = ("tier", "sampler") if task == BASE else ()
        arguments = {name: value for name, value in logihard.items() if name not in (*options, *foreign)}
    return {
        "row": index,
        "env_id": _ENV_IDS.get(task) or declared()[task].env_id,
        "task": task,
        "level": options.get("level", 0),
        "split": mixture.split,
        "options": json.dumps(options),
        "arguments": json.dumps(arguments),
        "draw": draw,
        "versions": versions_of(task),
    }


def _letter_options(env: Any, draw: float, stream: Stream) -> dict[str, Any]:
    """Return what is to be fixed of a LogiHard question besides its seed; a file's questions are chosen by the seed."""
    family, tier = stream.word(), stream.word()
    fixed: dict[str, Any] = {}
    if not env.questions:
        fixed |= {"family": env.families[family % len(env.families)], "level": env.levels[int(draw * len(env.levels))]}
    if isinstance(env, CombinatorialEnv):
        fixed["tier"] = env.tiers[tier % len(env.tiers)]
    return fixed


def _listed(values: Any) -> Any:
    """Return a range or another sequence as the list that environments take."""
    return list(values) if isinstance(values, Sequence) and not isinstance(values, str) else values
