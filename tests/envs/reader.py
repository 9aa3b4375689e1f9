"""A reader who knows nothing but a prompt: its sentences, one by one, as plain code over sets and trees.

Nothing of the engine is used, so that a sentence that says something else than the engine computes shows as a
difference in some status.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import product

from arggym_env.theory import DefeasibleRule, Rule, Theory

Pairs = Set[tuple[str, str]]


class TooMany(Exception):
    """More arguments than a reader would write down."""


@dataclass(frozen=True)
class Tree:
    """A premise or axiom, or a rule applied to arguments for all its antecedents."""

    conclusion: str
    rule: Rule | None
    is_ordinary_premise: bool
    below: tuple[Tree, ...]

    def parts(self) -> Iterator[Tree]:
        """A itself or an argument it is built from."""
        yield self
        for part in self.below:
            yield from part.parts()


def opposite(literal: str) -> str:
    """x and -x are each other's negation."""
    return literal[1:] if literal[0] == "-" else "-" + literal


def read_statuses(theory: Theory, ordering: str, limit: int = 250) -> dict[str, str]:
    """Return the status of every literal as someone works it out from the prompt.

    Raises:
        TooMany: there are more than ``limit`` arguments.
    """
    arguments = _arguments(theory, limit)
    strength = _Strength(theory, ordering)
    defeaters = {
        index: {other for other, attacker in enumerate(arguments) if _defeats(attacker, argument, strength)}
        for index, argument in enumerate(arguments)
    }
    accepted: set[int] = set()
    rejected: set[int] = set()
    while True:
        new = {index for index in defeaters if index not in accepted and defeaters[index] <= rejected}
        if not new:
            break
        accepted |= new
        rejected |= {index for index in defeaters if defeaters[index] & accepted}
    statuses = {}
    for literal in theory.literals:
        own = {index for index, argument in enumerate(arguments) if argument.conclusion == literal}
        statuses[literal] = "justified" if own & accepted else "overruled" if own <= rejected else "undecided"
    return statuses


def _arguments(theory: Theory, limit: int) -> list[Tree]:
    found = [Tree(literal, None, True, ()) for literal in theory.premises]
    found += [Tree(literal, None, False, ()) for literal in theory.axioms]
    known = set(found)
    while True:
        new = []
        for rule in theory.rules:
            choices = [[tree for tree in found if tree.conclusion == literal] for literal in rule.antecedents]
            for below in product(*choices):
                tree = Tree(rule.consequent, rule, False, below)
                derives_itself = any(part.conclusion == rule.consequent for sub in below for part in sub.parts())
                if tree not in known and not derives_itself:
                    known.add(tree)
                    new.append(tree)
                if len(known) > limit:
                    raise TooMany
        if not new:
            return found
        found += new


def _defeats(attacker: Tree, argument: Tree, strength: _Strength) -> bool:
    for part in argument.parts():
        if isinstance(part.rule, DefeasibleRule) and attacker.conclusion == "-" + part.rule.name:
            return True
        open_to_attack = part.is_ordinary_premise or isinstance(part.rule, DefeasibleRule)
        against = attacker.conclusion == opposite(part.conclusion)
        if open_to_attack and against and not strength.is_weaker(attacker, part):
            return True
    return False


class _Strength:
    def __init__(self, theory: Theory, ordering: str) -> None:
        self.ordering = ordering
        self.rules = _composed((each.stronger, each.weaker) for each in theory.rule_preferences)
        self.premises = _composed((each.stronger, each.weaker) for each in theory.premise_preferences)

    def is_weaker(self, one: Tree, other: Tree) -> bool:
        premises, other_premises = _premises(one), _premises(other)
        if self.ordering.startswith("last-link"):
            last, other_last = _last_rules(one), _last_rules(other)
            if not last and not other_last:
                return self._is_weaker_set(premises, other_premises, self.premises)
            return self._is_weaker_set(last, other_last, self.rules)
        rules, other_rules = _rules(one), _rules(other)
        by_premises = self._is_weaker_set(premises, other_premises, self.premises)
        by_rules = self._is_weaker_set(rules, other_rules, self.rules)
        if not rules and not other_rules:
            return by_premises
        if not premises and not other_premises:
            return by_rules
        return by_premises and by_rules

    def _is_weaker_set(self, s: Set[str], t: Set[str], preferred: Pairs) -> bool:
        if not s:
            return False
        if not t:
            return True

        def less(x: str, y: str) -> bool:
            return (y, x) in preferred and (x, y) not in preferred

        if self.ordering.endswith("elitist"):
            return any(all(less(x, y) for y in t) for x in s)
        return all(any(less(x, y) for y in t) for x in s)


def _composed(stated: Iterable[tuple[str, str]]) -> Pairs:
    pairs = set(stated)
    while True:
        wider = pairs | {(one, last) for one, middle in pairs for start, last in pairs if middle == start}
        if wider == pairs:
            return pairs
        pairs = wider


def _premises(tree: Tree) -> set[str]:
    return {part.conclusion for part in tree.parts() if part.is_ordinary_premise}


def _rules(tree: Tree) -> set[str]:
    return {part.rule.name for part in tree.parts() if isinstance(part.rule, DefeasibleRule)}


def _last_rules(tree: Tree) -> set[str]:
    if isinstance(tree.rule, DefeasibleRule):
        return {tree.rule.name}
    return set().union(*map(_last_rules, tree.below))
