"""Finite models and bitsets: entailment that is decided by looking at every model (LogiHard, section 3.1).

A space is a finite list of models. A statement is the set of models in which it is true, a Python integer with one bit
per model; premises C are the intersection of theirs, and C entails o exactly when ``C & ~o`` is empty. Nothing here
knows what a model is: a valuation, a seating, a choice of people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Space:
    """All models of a kind, and the basic facts from which statements about them are composed.

    Attributes:
        everything: the set of all models.
        atoms: for each basic fact, the models in which it is true.
    """

    everything: int
    atoms: tuple[int, ...]

    def negation(self, bits: int) -> int:
        """Return the models in which the statement is false."""
        return self.everything & ~bits

    def implication(self, condition: int, consequence: int) -> int:
        """Return the models in which the condition is false or the consequence true."""
        return self.negation(condition) | consequence

    def equivalence(self, left: int, right: int) -> int:
        """Return the models in which both are true or both are false."""
        return self.negation(left ^ right)

    def restricted(self, bits: int) -> Space:
        """Return the space of those models only that are in ``bits``."""
        return Space(self.everything & bits, tuple(atom & bits for atom in self.atoms))

    def is_contingent(self, bits: int) -> bool:
        """Return whether the statement is true in some model and false in another."""
        return bits not in (0, self.everything)


def valuations(count: int) -> Space:
    """Return the space of all 2**count truth assignments to ``count`` basic facts."""
    size = 1 << count
    atoms = []
    for atom in range(count):
        width = 2 << atom
        bits = ((1 << (1 << atom)) - 1) << (1 << atom)
        while width < size:
            bits |= bits << width
            width *= 2
        atoms.append(bits)
    return Space((1 << size) - 1, tuple(atoms))


def space_of(models: Sequence[Iterable[int]], atom_count: int) -> Space:
    """Return the space of ``models``, each given by the numbers (below ``atom_count``) of the facts true in it."""
    columns = [bytearray(b"0" * len(models)) for _ in range(atom_count)]
    for index, model in enumerate(models):
        for atom in model:
            columns[atom][index] = ord("1")
    return Space((1 << len(models)) - 1, tuple(int(column, 2) for column in columns))


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause, the models in which it is true, and the template that it was worded by."""

    text: str
    """The clause, without capital letter and full stop."""
    bits: int
    form: str
    """The template and the signs in it: statements of one form differ in names only."""

    @property
    def sentence(self) -> str:
        """The clause with a capital letter and a full stop."""
        return f"{self.text[0].upper()}{self.text[1:]}."


class Verdict(Enum):
    """What premises say about a claim."""

    ENTAILED = "entailed"
    """True in every model of the premises."""
    UNDETERMINED = "undetermined"
    """True in some of them."""
    CONTRADICTED = "contradicted"
    """True in none of them."""


def conjunction(space: Space, premises: Iterable[Statement]) -> int:
    """Return the models in which all premises are true."""
    bits = space.everything
    for premise in premises:
        bits &= premise.bits
    return bits


def verdict(premises: int, claim: int) -> Verdict:
    """Return what the premises (their models, not empty) say about the claim."""
    if not premises & claim:
        return Verdict.CONTRADICTED
    return Verdict.UNDETERMINED if premises & ~claim else Verdict.ENTAILED


def is_irredundant(space: Space, premises: Sequence[Statement]) -> bool:
    """Return whether no premise follows from the others."""
    others = [conjunction(space, (*premises[:index], *premises[index + 1 :])) for index in range(len(premises))]
    return all(rest & ~premise.bits for rest, premise in zip(others, premises, strict=True))


def needs(space: Space, premises: Sequence[Statement], claim: int, depth: int) -> bool:
    """Return whether no fewer than ``depth`` premises together entail the claim."""
    if depth > len(premises):
        return True
    # Entailment is monotone: if a smaller set entailed the claim, so would each of this size that contains it.
    return all(conjunction(space, subset) & ~claim for subset in combinations(premises, depth - 1))


def are_independent(space: Space, claims: Sequence[int]) -> bool:
    """Return whether no claim entails another one, and none is the negation of another one."""
    return all(
        left & ~right and right & ~left and left ^ right != space.everything for left, right in combinations(claims, 2)
    )
