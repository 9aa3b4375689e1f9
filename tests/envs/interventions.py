"""All single directives that a constructive answer may add, and what they do: an oracle for recorded minima.

It knows the rules of legality from the prompt and the engine, and nothing of how instances are built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from arggym_env.engine import State, evaluate
from arggym_env.envs.constructive import ConstructiveTask
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.registry import get_task
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.legality import Legality
from arggym_env.theory import (
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
)

NEW = "zz_new"


def legality_of(instance: Instance) -> Legality:
    task = get_task(instance.task)
    assert isinstance(task, ConstructiveTask)
    return task.legality


def goals_of(instance: Instance) -> tuple[Goal, ...]:
    assert isinstance(instance.question, GoalQuestion)
    return instance.question.goals


def single_directives(theory: Theory, legality: Legality, name: str = NEW) -> Iterator[Directive]:
    """Yield the legal additions of one directive: rules with one antecedent, all preferences, all contraries.

    Rules go from every literal that occurs to every literal over the theory's atoms in both signs, and to the undercut
    of every rule.
    """
    stated = set(theory.directives)
    bodies = {(rule.antecedents, rule.consequent) for rule in theory.rules}
    consequents = [f"{sign}{atom}" for atom in theory.atoms for sign in ("", "-")]
    consequents += [f"-{rule}" for rule in sorted(theory.rule_names)]
    kinds: list[type[DefeasibleRule] | type[StrictRule]] = [
        *([DefeasibleRule] if legality.defeasible_rules else []),
        *([StrictRule] if legality.strict_rules else []),
    ]
    for antecedent, consequent in product(sorted(theory.occurring), consequents):
        if antecedent != consequent and ((antecedent,), consequent) not in bodies:
            yield from (kind(name, (antecedent,), consequent) for kind in kinds)
    if legality.contraries:
        for premise in theory.premises:
            if not premise.startswith("-") and f"-{premise}" not in {*theory.premises, *theory.axioms}:
                yield Premise(f"-{premise}")
    if legality.preferences:
        rules = [rule.name for rule in theory.defeasible_rules]
        preferences: list[Directive] = [RulePreference(*pair) for pair in permutations(rules, 2)]
        preferences += [PremisePreference(*pair) for pair in permutations(theory.premises, 2)]
        yield from (preference for preference in preferences if preference not in stated)


def reaches_goals(instance: Instance, directives: Sequence[Directive]) -> bool:
    """Return whether every goal holds, and the theory is consistent, with ``directives`` added."""
    state = evaluate(instance.theory.add(directives), instance.ordering)
    return state.is_consistent and all(state.status(goal.literal) == goal.status for goal in goals_of(instance))


def signature(state: State) -> tuple[tuple[str, str], ...]:
    """Return the status of every literal."""
    return tuple(state.statuses().items())
