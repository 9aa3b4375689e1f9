"""Which arguments attack and defeat which (Modgil & Prakken 2014, Defs. 8-9, with signed negation as only conflict).

Arguments are attacked on an ordinary premise (undermined), on a conclusion that a defeasible rule draws (rebutted) or
on a defeasible rule (undercut). An undercut always succeeds; the others succeed unless the attacker is strictly weaker
than the sub-argument that it attacks directly.
"""

from __future__ import annotations

from dataclasses import dataclass

from arggym_env.engine.bits import mask_of
from arggym_env.engine.construction import ArgumentTable
from arggym_env.engine.orderings import ArgumentOrder, Strength, Strengths


@dataclass(frozen=True, slots=True)
class AttackTable:
    """The attacks on each argument, as bitsets of attackers; position ``i`` is about argument ``i``."""

    direct: list[int]
    """The attackers on the argument's own premise, conclusion or top rule."""
    direct_defeats: list[int]
    """Those whose attack succeeds."""
    defeaters: list[int]
    """All that defeat the argument, on itself or on a sub-argument."""


def find_attacks(table: ArgumentTable, ordering: str) -> AttackTable:
    """Return the attacks between the arguments of ``table``, and which succeed under ``ordering``."""
    search = _AttackSearch(table, ordering)
    direct, succeeding = search.run()
    return AttackTable(direct, succeeding, spread(table, succeeding))


def spread(table: ArgumentTable, direct: list[int]) -> list[int]:
    """Return the attackers of whole arguments: those of the argument itself and those of its sub-arguments."""
    whole: list[int] = []
    append = whole.append
    for own, subarguments in zip(direct, table.subarguments, strict=True):
        for index in subarguments:
            own |= whole[index]
        append(own)
    return whole


class _AttackSearch:
    """Finds attacks by conclusion, and compares all arguments for a literal with an attacked one at once."""

    def __init__(self, table: ArgumentTable, ordering: str) -> None:
        compiled = table.compiled
        self._table = table
        self._order = ArgumentOrder(ordering, compiled.rule_preferences, compiled.premise_preferences)
        self._masks = {literal: mask_of(indices) for literal, indices in table.by_conclusion.items()}
        self._strengths: dict[int, Strengths] = {}
        self._decided: dict[tuple[int, Strength], int] = {}

    def run(self) -> tuple[list[int], list[int]]:
        """Return the direct attackers of each argument, and those whose attack succeeds."""
        table, masks, succeed = self._table, self._masks, self._succeed
        # By rule: the arguments that rebut its applications, and those that undercut them.
        rebutters = [masks.get(rule.consequent ^ 1, 0) if rule.defeasible else 0 for rule in table.compiled.rules]
        undercutters = [masks.get(rule.undercutter, 0) for rule in table.compiled.rules]
        direct: list[int] = []
        succeeding: list[int] = []
        for index, (number, conclusion) in enumerate(zip(table.rules, table.conclusions, strict=True)):
            undercut = 0
            if number >= 0:
                attack, undercut = rebutters[number], undercutters[number]
            else:
                attack = masks.get(conclusion ^ 1, 0) if table.ordinary_premises[index] else 0
            direct.append(attack | undercut)
            succeeding.append(undercut | succeed(conclusion ^ 1, index) if attack else undercut)
        return direct, succeeding

    def _succeed(self, literal: int, target: int) -> int:
        """Return the arguments for ``literal`` that are not strictly weaker than the argument ``target``."""
        key = literal, self._strength(target)
        mask = self._decided.get(key)
        if mask is None:
            attackers = self._strengths.get(literal)
            if attackers is None:
                indices = self._table.by_conclusion[literal]
                attackers = self._strengths[literal] = Strengths({index: self._strength(index) for index in indices})
            mask = self._decided[key] = self._masks[literal] & ~self._order.strictly_weaker(attackers, key[1])
        return mask

    def _strength(self, index: int) -> Strength:
        table = self._table
        return self._order.strength(
            table.ordinary_premises[index], table.defeasible_rules[index], table.last_defeasible_rules[index]
        )
