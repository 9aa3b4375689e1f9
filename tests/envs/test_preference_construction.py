"""preference_construction: exact minima, goals that interact, orderings that matter, templates that fail."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import mean

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.gates import active_literals, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.preference_construction import LEVELS, TASK
from arggym_env.envs.preference_search import find_minimum
from arggym_env.envs.question import GoalQuestion, expect
from arggym_env.envs.scoring import score
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Directive, PremisePreference, RulePreference, parse_directive
from tests.envs.exhaustive import other_candidates, succeeding
from tests.envs.samples import BANDS, sample, samples

SAMPLED = (1, 3, 7, 11, 15)
every_level = pytest.mark.parametrize("level", SAMPLED)


def run(instance: Instance, answer: str) -> Score:
    return score(instance, f"<answer>\n{answer}\n</answer>")


def goals_of(instance: Instance) -> tuple[Goal, ...]:
    return expect(GoalQuestion, instance.question).goals


def reference(instance: Instance) -> list[Directive]:
    return list(map(parse_directive, instance.reference.splitlines()))


def reaches(instance: Instance, directives: list[Directive], ordering: str) -> bool:
    state = evaluate(instance.theory.add(directives), ordering)
    return state.is_consistent and all(state.status(goal.literal) == goal.status for goal in goals_of(instance))


def instances(level: int, seeds: int = 2) -> list[Instance]:
    return samples("preference_construction", level, seeds)


def test_the_table_never_shrinks() -> None:
    for smaller, larger in pairwise(LEVELS):
        assert smaller.minimum <= larger.minimum
        assert smaller.goals <= larger.goals
        assert smaller.disputes <= larger.disputes
        assert smaller.size < larger.size
        assert smaller.depth <= larger.depth
    assert [LEVELS[0].minimum, LEVELS[14].minimum] == [1, 6]


def test_structure_grows_over_the_bands() -> None:
    for key in ("arguments", "attacks", "depth", "goals"):
        means = [
            mean(i.stats[key] for level in (band[0], band[2], band[-1]) for i in instances(level, 1)) for band in BANDS
        ]
        assert means[0] < means[1] < means[2], key


@every_level
def test_the_goals_are_as_many_as_the_level_says_and_some_do_not_hold(level: int) -> None:
    for instance in instances(level):
        goals = goals_of(instance)
        state = evaluate(instance.theory, instance.ordering)
        assert len(goals) == LEVELS[level - 1].goals == len({goal.literal for goal in goals}) == instance.stats["goals"]
        kept = sum(state.status(goal.literal) == goal.status for goal in goals)
        assert kept == instance.stats["kept_goals"] < len(goals)


def test_every_status_is_requested_and_goals_that_hold_are_among_them() -> None:
    asked: Counter[str] = Counter()
    kept = 0
    for level in SAMPLED:
        for instance in instances(level):
            asked.update(goal.status for goal in goals_of(instance))
            kept += instance.stats["kept_goals"]
    assert min(asked[status] for status in ("justified", "overruled", "undecided")) > 0.15 * sum(asked.values())
    assert kept > 0.2 * sum(asked.values())


@every_level
def test_the_reference_is_a_minimal_set_of_preferences(level: int) -> None:
    for instance in instances(level):
        directives = reference(instance)
        assert all(isinstance(directive, RulePreference | PremisePreference) for directive in directives)
        assert len(directives) == instance.min_directives == LEVELS[level - 1].minimum
        assert reaches(instance, directives, instance.ordering)
        for place in range(len(directives)):
            assert not reaches(instance, directives[:place] + directives[place + 1 :], instance.ordering)


@every_level
def test_the_recorded_minimum_is_the_one_that_the_search_proves(level: int) -> None:
    for instance in instances(level):
        found = find_minimum(evaluate(instance.theory, instance.ordering), goals_of(instance), 3)
        assert found is not None
        assert found.size == instance.min_directives


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_no_single_legal_preference_succeeds_where_the_minimum_is_larger(ordering: str) -> None:
    instance = sample("preference_construction", 3, ordering, 1)
    assert instance.min_directives == 2
    assert succeeding(instance, other_candidates(instance.theory, TASK.legality), 1) is None


@pytest.mark.slow
@pytest.mark.parametrize("level", range(3, 16))
def test_no_single_legal_preference_succeeds_at_any_level_with_a_larger_minimum(level: int) -> None:
    for ordering in ORDERINGS:
        instance = sample("preference_construction", level, ordering, 2)
        assert succeeding(instance, other_candidates(instance.theory, TASK.legality), 1) is None


@every_level
def test_both_choices_of_the_ordering_bear_on_the_theory(level: int) -> None:
    for instance in instances(level):
        active = active_literals(evaluate(instance.theory, instance.ordering))
        assert active.principle, instance.id
        assert active.lift, instance.id


@every_level
def test_under_the_other_set_ordering_the_reference_fails_or_is_too_long(level: int) -> None:
    for instance in instances(level):
        other, directives = switched(instance.ordering).lift, reference(instance)
        parts = [directives[:place] + directives[place + 1 :] for place in range(len(directives))]
        assert not reaches(instance, directives, other) or any(reaches(instance, part, other) for part in parts)


def test_goals_that_hold_interact_with_those_that_do_not() -> None:
    found = []
    for level in (8, 11, 15):
        for instance in instances(level):
            state = evaluate(instance.theory, instance.ordering)
            changing = [goal for goal in goals_of(instance) if state.status(goal.literal) != goal.status]
            alone = find_minimum(state, changing, 3)
            found.append(alone is not None and not reaches(instance, list(alone.witness), instance.ordering))
    assert mean(found) > 0.2


@every_level
def test_no_template_succeeds(level: int) -> None:
    for instance in instances(level):
        for name, answer in TASK.attacks(instance).items():
            verdict = run(instance, answer)
            assert not verdict.success, (instance.id, name)
            assert verdict.native <= instance.floor


def test_the_mean_floor_is_low() -> None:
    assert mean(instance.floor for level in range(1, 16) for instance in instances(level, 1)) <= 0.10


@every_level
def test_the_prompt_states_goals_and_forms_and_not_the_answer(level: int) -> None:
    for instance in instances(level, 1):
        lines = instance.prompt.splitlines()
        assert all(f"{goal.literal}: {goal.status}" in lines for goal in goals_of(instance))
        assert "[prefer_rule: RULE > RULE]" in lines
        assert "[prefer_premise: LITERAL > LITERAL]" in lines
        assert not any(form in instance.prompt for form in ("[defeasible NAME", "[strict NAME", "[premise: -NAME]"))
        assert not set(instance.reference.splitlines()) & set(lines)


def test_a_rule_is_dropped_and_counts() -> None:
    instance = sample("preference_construction", 3)
    literal = instance.theory.premises[0]
    verdict = run(instance, f"{instance.reference}\n[defeasible new1: {literal} => {goals_of(instance)[0].literal}]")
    assert verdict.success
    assert verdict.reason is Reason.NOT_MINIMAL
    assert verdict.native == pytest.approx(0.5 + 0.5 * 2 / 3)


def test_more_than_twice_the_minimum_is_not_run() -> None:
    instance = sample("preference_construction", 3)
    verdict = run(instance, "\n".join([instance.reference] * 3))
    assert verdict.reason is Reason.TOO_MANY_DIRECTIVES
    assert verdict.native == 0.0


def test_a_broken_goal_that_held_costs_partial_credit() -> None:
    broken = []
    for level in SAMPLED:
        for instance in instances(level):
            state = evaluate(instance.theory, instance.ordering)
            for candidate in other_candidates(instance.theory, TASK.legality)[:40]:
                after = evaluate(instance.theory.add([candidate]), instance.ordering)
                lost = [
                    goal
                    for goal in goals_of(instance)
                    if state.status(goal.literal) == goal.status != after.status(goal.literal)
                ]
                if lost and candidate not in instance.theory.directives:
                    broken.append(run(instance, str(candidate)))
    assert broken
    assert all(verdict.native < 0.25 and not verdict.success for verdict in broken)
