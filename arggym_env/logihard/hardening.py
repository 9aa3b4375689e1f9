"""Combinatorial hardening: from a question with one right option to claims about which option is right.

The four options of an atomic question become statements I to IV, and the model selects every claim that holds: "II or
IV", "neither I nor III". The operators, the number of claims and what an item must show depend on the tier (``tiers``);
which claims are offered is drawn without looking at the key (``samplers``), and so are their order, their wording and
the order of the statements. Hard because a claim about a statement is not that statement's negation, and because all
true claims have to be found: an exact match is asked for.

The answer is a line of letters; ``answers`` reads and scores it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arggym_env.coordinates import check_seed, check_split
from arggym_env.envs.stream import Stream
from arggym_env.errors import InstanceError
from arggym_env.logihard import claims, rows
from arggym_env.logihard.answers import LETTERS, join_letters
from arggym_env.logihard.atomic import AtomicMCQ
from arggym_env.logihard.blind import best_blind
from arggym_env.logihard.formulas import KEYS, STATEMENTS, Formula, true_indices
from arggym_env.logihard.samplers import Sampler, check_sampler, draw_formulas
from arggym_env.logihard.tiers import TIER_RULES, Tier, check_tier
from arggym_env.logihard.wording import wording_of
from arggym_env.versions import LOGIHARD_GENERATOR_VERSION, LOGIHARD_VERSIONS, Versions

COMBINATORIAL: Final = "logihard_combinatorial"
"""The task name of hardened questions."""


@dataclass(frozen=True, slots=True)
class CombinatorialItem:
    """One hardened question; checked when made.

    Attributes:
        atomic: the question that it was made from, with its key.
        tier: the operator tier.
        sampler: how its formulas were drawn.
        split: the split whose stream they were drawn from.
        seed: the seed within the split.
        order: for each of the statements I to IV, the index of the atomic option that it is.
        formulas: what the claims mean, in the order of their letters; indices are those of the statements.
        claims: the claims as worded.
        prompt: the whole question as the model reads it.
        reference: the letters of the claims that hold, as an answer: the gold.
        versions: what the item was generated, worded and scored with.

    Raises:
        InstanceError: a claim does not say what its formula means, the reference names other claims than those that
            hold, the item breaks its tier's rule, or the prompt shows something else.
    """

    atomic: AtomicMCQ
    tier: Tier
    sampler: Sampler
    split: str
    seed: int
    order: tuple[int, ...]
    formulas: tuple[Formula, ...]
    claims: tuple[str, ...]
    prompt: str
    reference: str
    versions: Versions = LOGIHARD_VERSIONS

    def __post_init__(self) -> None:
        if sorted(self.order) != list(KEYS):
            raise InstanceError(f"{self.id}: order {self.order} does not name each option once")
        if not len(self.claims) == len(self.formulas) == TIER_RULES[self.tier].options:
            raise InstanceError(f"{self.id}: {len(self.claims)} claims for {len(self.formulas)} formulas")
        held = []
        for index, (claim, formula) in enumerate(zip(self.claims, self.formulas, strict=True)):
            meant = claims.read(claim)
            if meant != formula:
                raise InstanceError(f"{self.id}: claim {claim!r:.80} does not say {formula}")
            if meant.holds(self.key):
                held.append(index)
        if join_letters(held) != self.reference:
            raise InstanceError(f"{self.id}: the reference {self.reference!r:.80} is not {join_letters(held)!r}")
        if self.sampler == "balanced" and not TIER_RULES[self.tier].admits_any_key(self.formulas):
            raise InstanceError(f"{self.id}: the formulas break the rule of tier {self.tier}")
        if self.prompt != prompt(self.atomic, self.order, self.claims):
            raise InstanceError(f"{self.id}: the prompt is not that of the question and the claims")

    @property
    def id(self) -> str:
        """The atomic question's id and the coordinates of the hardening, as one word."""
        return f"{self.atomic.id}/{self.tier}/{self.sampler}/{self.split}/{self.seed}"

    @property
    def task(self) -> str:
        """What kind of question it is: "logihard_combinatorial"."""
        return COMBINATORIAL

    @property
    def level(self) -> int:
        """The atomic question's level."""
        return self.atomic.level

    @property
    def floor(self) -> float:
        """How often the best answer that never sees the question is exactly right, given these claims."""
        return best_blind(self.formulas, self.tier, self.sampler)

    @property
    def key(self) -> int:
        """The index of the correct statement."""
        return self.order.index(self.atomic.answer)

    @property
    def statements(self) -> tuple[str, ...]:
        """The texts of the statements I to IV."""
        return tuple(self.atomic.options[index] for index in self.order)

    @property
    def correct(self) -> tuple[str, ...]:
        """The letters of the claims that hold."""
        return tuple(self.reference.split(", "))

    def to_json(self) -> str:
        """Return the item as one line of JSON; ``from_json`` is the inverse."""
        return rows.to_line(self)

    @classmethod
    def from_json(cls, text: str) -> CombinatorialItem:
        """Return the item that ``to_json`` wrote; its claims are read and evaluated again.

        Raises:
            InstanceError: the text is not such a line, or its prompt or scoring version is not this package's.
        """
        return rows.from_line(cls, text, "combinatorial item")


def harden(mcq: AtomicMCQ, tier: str, seed: int, sampler: str = "balanced", split: str = "train") -> CombinatorialItem:
    """Return ``mcq`` with claims about its options in place of the options: a pure function of the arguments.

    Args:
        mcq: the atomic question.
        tier: one of ``OPERATOR_TIERS``.
        seed: 0 to 2**63 - 1.
        sampler: "balanced" (whatever ignores the question is right on one item in four), or "paper" (Algorithm 1,
            whose options betray the key).
        split: "train", "eval" or "frozen".

    Raises:
        CoordinateError: a coordinate is not allowed.
    """
    tier, sampler = check_tier(tier), check_sampler(sampler)
    check_split(split)
    check_seed(seed)
    stream = Stream("logihard.harden", LOGIHARD_GENERATOR_VERSION, split, tier, sampler, mcq.id, seed)
    order = tuple(stream.shuffled(KEYS))
    key = order.index(mcq.answer)
    formulas = tuple(draw_formulas(tier, sampler, key, stream))
    wording = wording_of(mcq.language)
    worded = tuple(claims.word(formula, wording, stream) for formula in formulas)
    return CombinatorialItem(
        atomic=mcq,
        tier=tier,
        sampler=sampler,
        split=split,
        seed=seed,
        order=order,
        formulas=formulas,
        claims=worded,
        prompt=prompt(mcq, order, worded),
        reference=join_letters(true_indices(formulas, key)),
    )


def prompt(mcq: AtomicMCQ, order: tuple[int, ...], worded: tuple[str, ...]) -> str:
    """Return the question as the model reads it: statement i is option ``order[i]``; the context may be empty."""
    wording = wording_of(mcq.language)
    statements = (f"{STATEMENTS[place]}. {mcq.options[index]}" for place, index in enumerate(order))
    options = (f"{letter}. {text}" for letter, text in zip(LETTERS, worded, strict=False))
    parts = (
        mcq.context,
        wording.question.format(mcq.question),
        "\n".join((wording.statements, *statements)),
        wording.one_statement,
        wording.reading,
        "\n".join((wording.options, *options)),
        wording.answer,
    )
    return "\n\n".join(part for part in parts if part)
