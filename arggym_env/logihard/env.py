"""LogiHard as Gymnasium environments: a question with four options, or with claims about which of them is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from arggym_env.coordinates import SEED_LIMIT, check_seed, check_split
from arggym_env.envs.single_step import Below, RenderMode, SingleStepEnv, known_options, one_of, pick
from arggym_env.errors import CoordinateError
from arggym_env.instances import LogiHardItem, score_item
from arggym_env.logihard.answers import LetterReward, check_letter_reward
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.blind import best_blind
from arggym_env.logihard.coordinates import LOGIHARD_LEVELS, check_logihard_level
from arggym_env.logihard.families import FAMILIES, get_family
from arggym_env.logihard.files import read_file
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.samplers import check_sampler
from arggym_env.logihard.tiers import OPERATOR_TIERS, Tier, check_tier
from arggym_env.rewards.score import Score

L = TypeVar("L", BaseItem, CombinatorialItem)


class LetterEnv(SingleStepEnv[L]):
    """Base of the two environments: where their atomic questions come from.

    Args:
        family: a family, a list to draw from (one that is listed twice comes twice as often), or None for all.
        level: a level, a list, or None for all.
        split: "train", "eval" or "frozen".
        source: a file of questions to draw from instead of the procedural families; ``family`` and ``level`` then
            select among its questions. A file's questions are the same in every split: keep files for training apart.
        source_format: one of ``logihard.FORMATS``.
        reward: "exact" or "youden".
        render_mode: "ansi", "human", "svg" or None.
    """

    def __init__(
        self,
        family: str | Sequence[str] | None,
        level: int | Sequence[int] | None,
        split: str,
        source: str | None,
        source_format: str,
        reward: LetterReward,
        render_mode: RenderMode | None,
    ) -> None:
        super().__init__("native", render_mode)
        self.split = check_split(split)
        self.reward = check_letter_reward(reward)
        families, levels = _listed("family", family), _listed("level", level)
        self.questions: tuple[AtomicMCQ, ...] = ()
        if source is not None:
            self.questions = _selected(source, source_format, families, levels)
        self.families = tuple(FAMILIES) if families is None or source else tuple(get_family(f).name for f in families)
        self.levels = LOGIHARD_LEVELS if levels is None or source else tuple(map(check_logihard_level, levels))

    def kind(self, below: Below, fixed: Mapping[str, Any]) -> tuple[str, int]:
        """Return the family and the level of a question: two draws."""
        family, level = pick(self.families, below), pick(self.levels, below)
        return fixed.get("family", family), fixed.get("level", level)

    def atomic(self, family: str, level: int, seed: int) -> AtomicMCQ:
        """Return an atomic question: of the file if there is one, else a fresh one."""
        if self.questions:
            return self.questions[seed % len(self.questions)]
        return generate_atomic(family, level, seed, self.split)

    def judge(self, instance: L, completion: object) -> Score:
        return score_item(instance, completion, self.reward)

    def describe(self, instance: L) -> dict[str, Any]:
        return describe(instance)


class BaseEnv(LetterEnv[BaseItem]):
    """An atomic question with four options, one of which is right; the action is the model's whole completion.

    It keeps the contract of :class:`~arggym_env.envs.gym_env.ArgumentationEnv`, with these differences:

    * **Answer**: the last line after the thinking holds one letter; ``logihard.answers`` says what it may look like.
    * **Randomness**: ``reset`` draws seed, family and level from ``np_random``, one raw word each.
    * **Info of reset**: ``instance_id``, ``task`` ("logihard_base"), ``family``, ``level``, ``source``, ``language``,
      ``split``, ``seed``, ``floor``, ``prompt_characters``.
    * **Reward**: 1 for the right letter, 0 otherwise; the floor is what guessing earns on average.

    Args:
        family: one of ``logihard.FAMILIES``, a list to draw from, or None for all.
        level: a level from 1 to 5, a list to draw from, or None for all.
        split: "train", "eval" or "frozen".
        source: a local file of questions (JSON, JSON lines, CSV, Parquet) in place of the procedural families; then
            ``family`` and ``level`` select among its questions. Every split has all of a file's questions.
        source_format: how the file is read, one of ``logihard.FORMATS``.
        reward: "exact".
        render_mode: "ansi", "human", "svg" or None.

    Raises:
        CoordinateError: an argument is not allowed.
        InstanceError: the file cannot be read as questions, or holds none that is wanted.
    """

    def __init__(
        self,
        family: str | Sequence[str] | None = None,
        level: int | Sequence[int] | None = None,
        split: str = "train",
        source: str | None = None,
        source_format: str = "plain",
        reward: LetterReward = "exact",
        render_mode: RenderMode | None = None,
    ) -> None:
        super().__init__(family, level, split, source, source_format, one_of("reward", reward, ("exact",)), render_mode)

    def check_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        return _checked(options, ("family", "level", "seed", "instance"), BaseItem, bool(self.questions))

    def draw(self, below: Below, fixed: Mapping[str, Any]) -> BaseItem:
        drawn, kind = below(SEED_LIMIT), self.kind(below, fixed)
        if "instance" in fixed:
            return fixed["instance"]  # type: ignore[no-any-return]
        seed = fixed.get("seed", drawn)
        return ask(self.atomic(*kind, seed), seed, self.split)


class CombinatorialEnv(LetterEnv[CombinatorialItem]):
    """An atomic question whose options have become claims about which option is right; every true one is to be named.

    It keeps the contract of :class:`BaseEnv`, with these differences:

    * **Answer**: the letters of all claims that hold and of no other.
    * **Randomness**: ``reset`` draws seed, family, level and tier, one raw word each.
    * **Info of reset**: also ``tier`` and ``sampler``.
    * **Reward**: by default 1 for an exact match, 0 otherwise. The floor is what the best answer that never sees the
      question earns on average: 0.25 for exact matches under the balanced sampler.

    Args:
        family: as in :class:`BaseEnv`.
        level: as in :class:`BaseEnv`.
        tier: "easy", "medium", "hard", "expert", a list to draw from, or None for all.
        sampler: "balanced", or "paper" (Algorithm 1, whose claims betray the key).
        split: "train", "eval" or "frozen".
        source: as in :class:`BaseEnv`.
        source_format: as in :class:`BaseEnv`.
        reward: "exact", or "youden" (share of true claims found minus share of false ones chosen, not below 0).
        render_mode: "ansi", "human", "svg" or None.

    Raises:
        CoordinateError: an argument is not allowed.
        InstanceError: the file cannot be read as questions, or holds none that is wanted.
    """

    def __init__(
        self,
        family: str | Sequence[str] | None = None,
        level: int | Sequence[int] | None = None,
        tier: str | Sequence[str] | None = None,
        sampler: str = "balanced",
        split: str = "train",
        source: str | None = None,
        source_format: str = "plain",
        reward: LetterReward = "exact",
        render_mode: RenderMode | None = None,
    ) -> None:
        super().__init__(family, level, split, source, source_format, reward, render_mode)
        tiers = _listed("tier", tier)
        self.tiers: tuple[Tier, ...] = OPERATOR_TIERS if tiers is None else tuple(map(check_tier, tiers))
        self.sampler = check_sampler(sampler)

    def check_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        allowed = ("family", "level", "tier", "seed", "instance")
        return _checked(options, allowed, CombinatorialItem, bool(self.questions))

    def draw(self, below: Below, fixed: Mapping[str, Any]) -> CombinatorialItem:
        drawn, tier, kind = below(SEED_LIMIT), pick(self.tiers, below), self.kind(below, fixed)
        if "instance" in fixed:
            return fixed["instance"]  # type: ignore[no-any-return]
        seed = fixed.get("seed", drawn)
        return harden(self.atomic(*kind, seed), fixed.get("tier", tier), seed, self.sampler, self.split)

    def floor(self, instance: CombinatorialItem) -> float:
        return best_blind(instance.formulas, instance.tier, instance.sampler, self.reward)


def describe(item: LogiHardItem) -> dict[str, Any]:
    """Return the coordinates of ``item``, as infos show them."""
    found = {
        "instance_id": item.id,
        "task": item.task,
        "family": item.atomic.family,
        "level": item.level,
        "source": item.atomic.source,
        "language": item.atomic.language,
        "split": item.split,
        "seed": item.seed,
    }
    if isinstance(item, CombinatorialItem):
        found |= {"tier": item.tier, "sampler": item.sampler}
    return found


def _listed(what: str, value: Any) -> tuple[Any, ...] | None:
    """Return what may be drawn as a tuple, None for everything."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        if not value:
            raise CoordinateError(f"{what} {value!r} holds nothing; give one, a list of them, or None for all")
        return tuple(value)
    return (value,)


def _selected(
    source: str, form: str, families: Iterable[str] | None, levels: Iterable[int] | None
) -> tuple[AtomicMCQ, ...]:
    """Return the questions of the file that are of these families and levels."""
    try:
        questions = read_file(source, form).questions
    except OSError as error:
        raise CoordinateError(f"source {source!r} cannot be read: {error.strerror or error}") from None
    wanted = tuple(
        question
        for question in questions
        if (families is None or question.family in families) and (levels is None or question.level in levels)
    )
    if not wanted:
        raise CoordinateError(f"source {source!r} has {len(questions)} questions, none of this family and level")
    return wanted


def _checked(options: Mapping[str, Any], allowed: Sequence[str], kind: type[L], from_file: bool) -> Mapping[str, Any]:
    known_options(options, allowed)
    for name in ("family", "level"):
        if name in options and from_file:
            raise CoordinateError(
                f"reset option {name!r} does not go with a source file; its questions are chosen by seed"
            )
    if "instance" in options and not isinstance(options["instance"], kind):
        raise CoordinateError(f"reset option 'instance' is {type(options['instance']).__name__}, not a {kind.__name__}")
    if "family" in options:
        get_family(options["family"])
    if "level" in options:
        check_logihard_level(options["level"])
    if "tier" in options:
        check_tier(options["tier"])
    if "seed" in options:
        check_seed(options["seed"])
    return options
