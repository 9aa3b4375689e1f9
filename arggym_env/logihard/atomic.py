"""Atomic questions: a context, a question and four options, exactly one of which is right (LogiHard, section 3.1).

Two sources stand behind the one dataclass: the procedural families, which need no download and whose keys are verified
by enumeration or by the engine, and local files (``files``).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Final

from arggym_env.coordinates import check_seed, check_split
from arggym_env.envs import codec
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Rejected
from arggym_env.errors import CoordinateError, GenerationError, InstanceError
from arggym_env.logihard.families import get_family
from arggym_env.logihard.families.family import Disguise, Family
from arggym_env.logihard.twins import is_frozen_twin
from arggym_env.versions import LOGIHARD_GENERATOR_VERSION

OPTION_COUNT: Final = 4
"""Options of an atomic question; the hardening protocol is defined for exactly this many."""
MAX_CANDIDATES: Final = 1000
"""How many candidates one generation may try; the slowest cells accept within a tenth of it."""


@dataclass(frozen=True, slots=True)
class AtomicMCQ:
    """One multiple-choice question with its key; checked when made.

    Attributes:
        id: names the question among all of its source.
        source: "procedural", or the format of the file that it was read from.
        language: the language of its text, "en" or "zh" ("art" for invented words in English grammar).
        context: what is given; may be empty.
        question: what is asked of the context.
        options: four different texts.
        answer: index of the right option, 0 to 3: the key, and the only place where it stands.
        family: the kind of reasoning: a procedural family, or the file's own label.
        level: the family's level, from 1; 0 for questions that have none.

    Raises:
        InstanceError: a value is not allowed.
    """

    id: str
    source: str
    language: str
    context: str
    question: str
    options: tuple[str, ...]
    answer: int
    family: str
    level: int

    def __post_init__(self) -> None:
        if len(self.options) != OPTION_COUNT:
            raise InstanceError(f"atomic question {self.id!r:.80} has {len(self.options)} options, not {OPTION_COUNT}")
        if len(set(self.options)) != OPTION_COUNT or not all(option.strip() for option in self.options):
            raise InstanceError(f"atomic question {self.id!r:.80} has an empty option or two equal ones")
        if type(self.answer) is not int or self.answer not in range(OPTION_COUNT):
            raise InstanceError(f"atomic question {self.id!r:.80}: answer {self.answer!r} is not in 0..3")
        if type(self.level) is not int or self.level < 0:
            raise InstanceError(f"atomic question {self.id!r:.80}: level {self.level!r} is not a number from 0")

    def to_json(self) -> str:
        """Return the question as one line of JSON; ``from_json`` is the inverse."""
        return json.dumps(codec.encode(self), ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> AtomicMCQ:
        """Return the question that ``to_json`` wrote.

        Raises:
            InstanceError: the text is not such a line.
        """
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InstanceError(f"atomic question: not JSON ({error})") from None
        return codec.decode(cls, row, "atomic question")


def generate_atomic(family: str, level: int, seed: int, split: str = "train") -> AtomicMCQ:
    """Return the procedural question at these coordinates: a pure function, on any machine, Python and hash seed.

    Args:
        family: one of ``FAMILIES``.
        level: from 1 to the number of the family's levels.
        seed: 0 to 2**63 - 1.
        split: "train", "eval" or "frozen"; the splits' random streams are disjoint, and "train" and "eval" have no
            question of the frozen suite, nor one that differs from it in names and order alone.

    Raises:
        CoordinateError: a coordinate is not allowed.
        GenerationError: no candidate passed the gates within the bound (names the coordinates and the reasons).
    """
    maker = get_family(family)
    _check_level(maker, level)
    name = f"{family}/L{level:02d}/{check_split(split)}/{check_seed(seed)}"
    stream = Stream("logihard", LOGIHARD_GENERATOR_VERSION, split, family, level, seed)
    disguise = Disguise(is_longest_spared=stream.chance(0.5), rank=stream.below(OPTION_COUNT))
    rejections: Counter[str] = Counter()
    for _ in range(MAX_CANDIDATES):
        try:
            puzzle = maker.build(level, disguise, stream)
        except Rejected as rejected:
            rejections[rejected.reason] += 1
            continue
        if split != "frozen" and is_frozen_twin(family, puzzle.context, puzzle.question, puzzle.options):
            rejections["frozen_twin"] += 1
            continue
        return AtomicMCQ(
            name, "procedural", "en", puzzle.context, puzzle.question, puzzle.options, puzzle.answer, family, level
        )
    raise GenerationError(f"{name}: no acceptable candidate among {MAX_CANDIDATES} ({dict(rejections)})")


def _check_level(family: Family, level: int) -> None:
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= len(family.levels):
        raise CoordinateError(f"level {level!r} is not in 1..{len(family.levels)} (family {family.name})")
