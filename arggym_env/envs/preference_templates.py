"""Template answers to preference_construction: what can be preferred by reading directives, with no status worked out.

They are attack policies: generation rejects an instance that one of them solves, and chooses goals that they miss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from arggym_env.envs.preference_search import Preference
from arggym_env.rewards.execution import Goal
from arggym_env.theory import DefeasibleRule, PremisePreference, RulePreference, Theory, negate


def by_position(theory: Theory) -> dict[str, list[Preference]]:
    """Return template answers that do not look at the goals."""
    rules, premises = theory.defeasible_rules, theory.premises
    return {
        "first_over_others": [
            *(RulePreference(rules[0].name, rule.name) for rule in rules[1:]),
            *(PremisePreference(premises[0], premise) for premise in premises[1:]),
        ],
        "reverse_stated": [
            *(RulePreference(pair.weaker, pair.stronger) for pair in theory.rule_preferences),
            *(PremisePreference(pair.weaker, pair.stronger) for pair in theory.premise_preferences),
        ],
    }


def by_goals(theory: Theory, goals: Sequence[Goal]) -> dict[str, list[Preference]]:
    """Return template answers that compare what derives the goals with what contradicts it, statuses unseen."""
    return {
        "prefer_goal_rules": [pair for goal in goals for pair in _sides(theory, {goal.literal}, goal)],
        "prefer_support": [pair for goal in goals for pair in _sides(theory, _below(theory, goal.literal), goal)],
        "prefer_whole_lines": [pair for goal in goals for pair in _whole_lines(theory, goal)],
    }


def _sides(theory: Theory, literals: Iterable[str], goal: Goal) -> Iterator[Preference]:
    """Yield preferences of what concludes one of ``literals`` over what contradicts it, or the reverse to overrule."""
    for literal in sorted(literals):
        here, there = _sources(theory, literal), _sources(theory, negate(literal))
        stronger, weaker = (there, here) if goal.status == "overruled" else (here, there)
        yield from _compared(theory, stronger, weaker)


def _compared(theory: Theory, stronger: Sequence[str], weaker: Sequence[str]) -> Iterator[Preference]:
    """Yield each of ``stronger`` over each of ``weaker``, rules over rules and premises over premises."""
    for high, low in product(stronger, weaker):
        if high != low and (high in theory.rule_names) == (low in theory.rule_names):
            yield RulePreference(high, low) if high in theory.rule_names else PremisePreference(high, low)


def _whole_lines(theory: Theory, goal: Goal) -> Iterator[Preference]:
    """Yield, where something below the goal is contradicted, all rules and premises of one side over the other's."""
    for literal in sorted(_below(theory, goal.literal)):
        if _sources(theory, literal) and _sources(theory, negate(literal)):
            here, there = (
                [source for part in sorted(_below(theory, side)) for source in _sources(theory, part)]
                for side in (literal, negate(literal))
            )
            stronger, weaker = (there, here) if goal.status == "overruled" else (here, there)
            yield from _compared(theory, stronger, weaker)


def _sources(theory: Theory, literal: str) -> list[str]:
    """Return what states ``literal``: the names of the defeasible rules for it, and itself if it is a premise."""
    names = [rule.name for rule in theory.rules_for(literal) if isinstance(rule, DefeasibleRule)]
    return [*names, literal] if literal in theory.premises else names


def _below(theory: Theory, literal: str) -> set[str]:
    """Return ``literal`` and everything from which rules derive it."""
    seen, frontier = {literal}, [literal]
    while frontier:
        for rule in theory.rules_for(frontier.pop()):
            frontier += [antecedent for antecedent in rule.antecedents if antecedent not in seen]
            seen.update(rule.antecedents)
    return seen
