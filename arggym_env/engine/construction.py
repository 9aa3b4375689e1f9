"""All arguments of a theory, by rounds of increasing height (Modgil & Prakken 2014, Def. 6).

A rule is applied to arguments for its antecedents unless one of them already concludes the rule's consequent in some
sub-argument, as in PyArg 2.0.2; so no branch of an argument states a literal twice, and every theory has finitely many
arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from arggym_env.errors import ArgumentLimitExceeded
from arggym_env.theory import DefeasibleRule, Rule, Theory


class CompiledRule(NamedTuple):
    """A rule over literal ids."""

    rule: Rule
    antecedents: tuple[int, ...]
    """Sorted by literal, so that an argument's direct sub-arguments have one order."""
    consequent: int
    defeasible: bool
    undercutter: int
    """The literal that undercuts the rule; -1 when the theory does not state it or the rule is strict."""


@dataclass(frozen=True, slots=True)
class CompiledTheory:
    """A theory with numbers for names: literal ``i`` is ``theory.literals[i]``, and its negation is ``i ^ 1``."""

    theory: Theory
    ids: dict[str, int]
    rules: tuple[CompiledRule, ...]
    """Sorted by consequent, then name: the canonical order of arguments relies on it."""
    premises: tuple[tuple[int, bool], ...]
    """Premises in the order of their literals, each with whether it is an ordinary one."""
    rule_preferences: tuple[tuple[int, int], ...]
    """Stated preferences as positions in ``rules``, (stronger, weaker)."""
    premise_preferences: tuple[tuple[int, int], ...]


def compile_theory(theory: Theory) -> CompiledTheory:
    """Return ``theory`` with its literals and rules numbered in canonical order."""
    literals = theory.literals
    ids = {literal: index for index, literal in enumerate(literals)}
    rules = tuple(
        _compile_rule(rule, ids) for rule in sorted(theory.rules, key=lambda rule: (rule.consequent, rule.name))
    )
    numbers = {compiled.rule.name: number for number, compiled in enumerate(rules)}
    known = sorted([(literal, True) for literal in theory.premises] + [(literal, False) for literal in theory.axioms])
    return CompiledTheory(
        theory,
        ids,
        rules,
        tuple((ids[literal], ordinary) for literal, ordinary in known),
        tuple((numbers[pair.stronger], numbers[pair.weaker]) for pair in theory.rule_preferences),
        tuple((ids[pair.stronger], ids[pair.weaker]) for pair in theory.premise_preferences),
    )


def _compile_rule(rule: Rule, ids: dict[str, int]) -> CompiledRule:
    defeasible = isinstance(rule, DefeasibleRule)
    antecedents = tuple([ids[literal] for literal in sorted(rule.antecedents)])
    undercutter = ids.get("-" + rule.name, -1) if defeasible else -1
    return CompiledRule(rule, antecedents, ids[rule.consequent], defeasible, undercutter)


@dataclass(frozen=True, slots=True)
class ArgumentTable:
    """The arguments of a theory in canonical order, one row each, as parallel lists.

    The order is by height, then conclusion, top rule name (none before any) and direct sub-arguments; it depends on
    the theory's directives but not on their order, and a sub-argument stands before the arguments built on it.
    """

    compiled: CompiledTheory
    conclusions: list[int] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    """The top rule's number, or -1 for a premise."""
    subarguments: list[tuple[int, ...]] = field(default_factory=list)
    """The direct sub-arguments, in the order of the top rule's sorted antecedents."""
    heights: list[int] = field(default_factory=list)
    sub_conclusions: list[int] = field(default_factory=list)
    """Bitset over literals: the conclusions of all sub-arguments, the argument itself included."""
    ordinary_premises: list[int] = field(default_factory=list)
    """Bitset over literals."""
    defeasible_rules: list[int] = field(default_factory=list)
    """Bitset over rule numbers."""
    last_defeasible_rules: list[int] = field(default_factory=list)
    """Bitset over rule numbers."""
    by_conclusion: dict[int, list[int]] = field(default_factory=dict)
    """The arguments for each literal that has some, ascending."""

    def __len__(self) -> int:
        return len(self.conclusions)

    def is_ordinary_premise(self, index: int) -> bool:
        """Return whether the argument is a single ordinary premise."""
        return self.rules[index] < 0 and self.ordinary_premises[index] != 0

    def add_premise(self, literal: int, ordinary: bool) -> None:
        """Append the argument that is the premise ``literal`` alone."""
        self.by_conclusion.setdefault(literal, []).append(len(self.conclusions))
        self.conclusions.append(literal)
        self.rules.append(-1)
        self.subarguments.append(())
        self.heights.append(0)
        self.sub_conclusions.append(1 << literal)
        self.ordinary_premises.append(1 << literal if ordinary else 0)
        self.defeasible_rules.append(0)
        self.last_defeasible_rules.append(0)

    def add_applications(self, number: int, combinations: Sequence[tuple[int, ...]], height: int) -> None:
        """Append the arguments that apply rule ``number`` to each of ``combinations`` of direct sub-arguments."""
        _, _, consequent, defeasible, _ = self.compiled.rules[number]
        own = 1 << number if defeasible else 0
        all_subs, all_premises, all_rules = self.sub_conclusions, self.ordinary_premises, self.defeasible_rules
        all_last = self.last_defeasible_rules
        concluding = self.by_conclusion.setdefault(consequent, [])
        for combination in combinations:
            subs, premises, rules, last = 1 << consequent, 0, own, own
            for index in combination:
                subs |= all_subs[index]
                premises |= all_premises[index]
                rules |= all_rules[index]
                if not own:
                    last |= all_last[index]
            concluding.append(len(all_subs))
            all_subs.append(subs)
            all_premises.append(premises)
            all_rules.append(rules)
            all_last.append(last)
            self.conclusions.append(consequent)
            self.rules.append(number)
            self.subarguments.append(combination)
            self.heights.append(height)


def construct(compiled: CompiledTheory, max_arguments: int) -> ArgumentTable:
    """Return all arguments of the theory.

    Raises:
        ArgumentLimitExceeded: there are more than ``max_arguments``. Combinations are counted before they are formed,
            so that a theory whose arguments explode is refused at once.
    """
    table = ArgumentTable(compiled)
    if len(compiled.premises) > max_arguments:
        raise ArgumentLimitExceeded(max_arguments)
    for literal, ordinary in compiled.premises:
        table.add_premise(literal, ordinary)
    users: dict[int, list[int]] = {}
    for number, rule in enumerate(compiled.rules):
        for antecedent in rule.antecedents:
            users.setdefault(antecedent, []).append(number)
    start, height = 0, 0
    while start < len(table):
        fresh = start
        start, height = len(table), height + 1
        ready = {number for literal in set(table.conclusions[fresh:]) for number in users.get(literal, ())}
        for number in sorted(ready):
            combinations = _combinations(table, compiled.rules[number], fresh, start, max_arguments - len(table))
            if combinations is None:
                raise ArgumentLimitExceeded(max_arguments)
            if combinations:
                table.add_applications(number, combinations, height)
    return table


def _combinations(
    table: ArgumentTable, rule: CompiledRule, fresh: int, end: int, room: int
) -> list[tuple[int, ...]] | None:
    """Return the combinations of direct sub-arguments that make arguments of the current height, sorted.

    Args:
        table: the arguments so far.
        rule: the rule to apply.
        fresh: the first argument of the round before; a combination holds at least one from there on.
        end: one past the last argument of that round.
        room: the largest number of combinations that may be formed; ``None`` is returned if there are more.
    """
    by_conclusion, sub_conclusions, consequent = table.by_conclusion, table.sub_conclusions, rule.consequent
    if len(rule.antecedents) == 1:
        found = by_conclusion.get(rule.antecedents[0], ())
        single: list[tuple[int, ...]] = [
            (index,) for index in found if fresh <= index < end and not sub_conclusions[index] >> consequent & 1
        ]
        return single if len(single) <= room else None
    olds: list[list[int]] = []
    news: list[list[int]] = []
    for antecedent in rule.antecedents:
        old: list[int] = []
        new: list[int] = []
        for index in by_conclusion.get(antecedent, ()):
            if index < end and not sub_conclusions[index] >> consequent & 1:
                (new if index >= fresh else old).append(index)
        if not old and not new:
            return []
        olds.append(old)
        news.append(new)
    alls = [old + new for old, new in zip(olds, news, strict=True)]
    if _count(alls) - _count(olds) > room:
        return None
    combinations = [
        combination
        for position, new in enumerate(news)
        if new
        for combination in product(*olds[:position], new, *alls[position + 1 :])
    ]
    combinations.sort()
    return combinations


def _count(choices: Sequence[Sequence[int]]) -> int:
    total = 1
    for choice in choices:
        total *= len(choice)
    return total
