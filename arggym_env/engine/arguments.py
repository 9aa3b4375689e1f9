"""Arguments and attacks as objects: what a :class:`~arggym_env.engine.state.State` shows of its tables."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from arggym_env.engine.bits import members
from arggym_env.engine.construction import ArgumentTable
from arggym_env.theory import DefeasibleRule, Rule

AttackKind: TypeAlias = Literal["undermine", "rebut", "undercut"]


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """One argument (Modgil & Prakken 2014, Def. 6).

    Two arguments are equal when they are the same derivation, whichever state they come from. ``str`` is one line:
    ``A7: A1, A4 => lq4 [fy9]`` for a rule applied to arguments A1 and A4, ``A0: ko9 [premise]`` or
    ``A1: mp0 [axiom]`` for a premise.
    """

    index: int
    """Its place among the state's arguments."""
    conclusion: str
    top_rule: Rule | None
    """The rule applied last; ``None`` for a premise."""
    subarguments: tuple[Argument, ...]
    """The direct sub-arguments, in the order of the top rule's sorted antecedents."""
    premises: frozenset[str]
    """All premises used, axioms included."""
    ordinary_premises: frozenset[str]
    defeasible_rules: frozenset[str]
    """The names of all defeasible rules used."""
    last_defeasible_rules: frozenset[str]
    """The names of the defeasible rules that only strict rules follow."""
    height: int
    """0 for a premise, else one more than the highest direct sub-argument."""
    derivation: bytes = field(repr=False)
    """A digest of the derivation tree, which two arguments share when they are the same derivation."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Argument) and self.derivation == other.derivation

    def __hash__(self) -> int:
        return hash(self.derivation)

    def __str__(self) -> str:
        if self.top_rule is None:
            kind = "premise" if self.ordinary_premises else "axiom"
            return f"A{self.index}: {self.conclusion} [{kind}]"
        arrow = "=>" if isinstance(self.top_rule, DefeasibleRule) else "->"
        steps = ", ".join(f"A{argument.index}" for argument in self.subarguments)
        return f"A{self.index}: {steps} {arrow} {self.conclusion} [{self.top_rule.name}]"


@dataclass(frozen=True, slots=True)
class Attack:
    """One argument attacking another on its own premise, conclusion or top rule (Modgil & Prakken 2014, Def. 8).

    Every argument with the attacked one among its sub-arguments is attacked too, on that sub-argument.
    """

    attacker: Argument
    attacked: Argument
    kind: AttackKind
    succeeds: bool
    """Whether it is a defeat under the state's ordering."""

    def __str__(self) -> str:
        verb = {"undermine": "undermines", "rebut": "rebuts", "undercut": "undercuts"}[self.kind]
        return f"A{self.attacker.index} {verb} A{self.attacked.index}{'' if self.succeeds else ' (without success)'}"


def build_arguments(table: ArgumentTable) -> tuple[Argument, ...]:
    """Return the arguments of ``table`` as objects, in its order."""
    literals = table.compiled.theory.literals
    names = [rule.rule.name for rule in table.compiled.rules]
    built: list[Argument] = []
    for index, number in enumerate(table.rules):
        conclusion = literals[table.conclusions[index]]
        rule = table.compiled.rules[number].rule if number >= 0 else None
        subarguments = tuple([built[place] for place in table.subarguments[index]])
        ordinary = frozenset([literals[literal] for literal in members(table.ordinary_premises[index])])
        built.append(
            Argument(
                index,
                conclusion,
                rule,
                subarguments,
                frozenset().union(*[argument.premises for argument in subarguments])
                if rule
                else frozenset([conclusion]),
                ordinary,
                frozenset([names[rule_number] for rule_number in members(table.defeasible_rules[index])]),
                frozenset([names[rule_number] for rule_number in members(table.last_defeasible_rules[index])]),
                table.heights[index],
                _derivation(conclusion, rule, bool(ordinary), subarguments),
            )
        )
    return tuple(built)


def _derivation(conclusion: str, rule: Rule | None, ordinary: bool, subarguments: tuple[Argument, ...]) -> bytes:
    kind = type(rule).__name__ if rule else "Premise" if ordinary else "Axiom"
    step = f"{kind} {rule.name if rule else ''} {conclusion}"
    digest = hashlib.blake2b(step.encode(), digest_size=16)
    for argument in subarguments:
        digest.update(argument.derivation)
    return digest.digest()


def attack_kind(table: ArgumentTable, attacker: int, attacked: int) -> AttackKind:
    """Return how ``attacker`` attacks ``attacked``, which it is known to attack directly."""
    number = table.rules[attacked]
    if number < 0:
        return "undermine"
    return "undercut" if table.conclusions[attacker] == table.compiled.rules[number].undercutter else "rebut"
