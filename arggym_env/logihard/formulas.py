"""Formulas over four statements, of which exactly one is the correct answer (LogiHard, section 3.1).

The variable p_i means "statement i is the correct answer". Exactly one p_i holds, so a formula is the set of keys under
which it is true, and a set of formulas is judged by looking at the four keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, TypeAlias

from arggym_env.errors import InstanceError

Operator: TypeAlias = Literal["EXACT", "OR", "NOT", "NOT_AND_NOT", "NONE"]

STATEMENTS: Final = ("I", "II", "III", "IV")
"""The numerals of the four statements."""
KEYS: Final = (0, 1, 2, 3)
"""The statements by index; a key is the index of the correct one."""
ARITY: Final[dict[Operator, int]] = {"EXACT": 1, "OR": 2, "NOT": 1, "NOT_AND_NOT": 2, "NONE": 0}
"""How many statements each operator takes."""


@dataclass(frozen=True, slots=True)
class Formula:
    """One claim about which statement is the correct answer.

    Attributes:
        operator: EXACT (this one and no other), OR, NOT, NOT_AND_NOT, or NONE (no statement is correct).
        statements: indices of the statements it speaks of, ascending; a wording may name them in another order.

    Raises:
        InstanceError: the statements do not fit the operator.
    """

    operator: Operator
    statements: tuple[int, ...]

    def __post_init__(self) -> None:
        named = self.statements
        if len(named) != ARITY[self.operator] or list(named) != sorted(set(named) & set(KEYS)):
            raise InstanceError(f"formula {self.operator} does not take the statements {named}")

    def __str__(self) -> str:
        return f"{self.operator}({', '.join(STATEMENTS[index] for index in self.statements)})"

    def holds(self, key: int) -> bool:
        """Return the formula's truth when ``key`` is the index of the correct statement."""
        correct = [index == key for index in KEYS]
        match self.operator:
            case "EXACT":
                (named,) = self.statements
                return correct[named] and not any(correct[other] for other in KEYS if other != named)
            case "OR":
                return any(correct[index] for index in self.statements)
            case "NOT" | "NOT_AND_NOT":
                return not any(correct[index] for index in self.statements)
            case "NONE":
                return not any(correct)

    @property
    def mask(self) -> int:
        """The keys under which the formula holds, as a bitset; equal masks mean equivalent formulas."""
        return sum(1 << key for key in KEYS if self.holds(key))


def formulas(operators: Iterable[Operator]) -> tuple[Formula, ...]:
    """Return every formula of ``operators``, each unordered set of statements once, in a fixed order."""
    return tuple(Formula(operator, named) for operator in operators for named in combinations(KEYS, ARITY[operator]))


def true_indices(claims: Iterable[Formula], key: int) -> tuple[int, ...]:
    """Return the indices of the ``claims`` that hold when ``key`` is the correct statement."""
    return tuple(index for index, formula in enumerate(claims) if formula.holds(key))
