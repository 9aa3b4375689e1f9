"""The constructive tasks built from clusters: matched pair, minima, templates, interacting goals."""

from __future__ import annotations

from collections import Counter

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs import attack, attack_defense, counter_argument, defence
from arggym_env.envs.constructive import cuts_from
from arggym_env.envs.generation import generate
from arggym_env.envs.minimum import Dependencies, largest_packing, live_arguments
from arggym_env.envs.question import GoalQuestion, expect
from arggym_env.envs.scoring import score
from arggym_env.theory import Axiom, DefeasibleRule, Premise, StrictRule, negate
from tests.envs.exhaustive import other_candidates, rule_candidates, succeeding, undisputed_start
from tests.envs.samples import sample, samples
from tests.envs.status_blind import cut_what_looks_alive, cut_within_budget, greedy_cut

LEVELS = (1, 4, 8, 11, 15)
CLUSTER_TASKS = ("attack", "counter_argument", "counter_argument_strict", "defence", "attack_defense")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_pair_shares_theory_and_goals_seed_for_seed(level: int, ordering: str) -> None:
    for seed in range(2):
        ordinary = sample("counter_argument", level, ordering, seed)
        strict = sample("counter_argument_strict", level, ordering, seed)
        assert ordinary.theory == strict.theory
        assert ordinary.question == strict.question
        assert ordinary.rejections == strict.rejections
        assert ordinary.prompt != strict.prompt


def test_the_pairs_minima_over_the_levels_are_those_of_the_frozen_suite() -> None:
    per_level = 8  # four orderings, two seeds
    ordinary = Counter(level.minimum for level in counter_argument.LEVELS)
    strict = Counter(level.strict_minimum for level in counter_argument.LEVELS)
    assert {minimum: per_level * count for minimum, count in ordinary.items()} == {3: 40, 4: 48, 5: 24, 6: 8}
    assert {minimum: per_level * count for minimum, count in strict.items()} == {2: 48, 3: 40, 4: 24, 5: 8}
    savings = Counter(level.minimum - level.strict_minimum for level in counter_argument.LEVELS)
    assert savings == {1: 14, 2: 1}


@pytest.mark.parametrize("task", CLUSTER_TASKS)
def test_minima_never_shrink_over_the_levels(task: str) -> None:
    tables = {
        "attack": [level.minimum for level in attack.LEVELS],
        "counter_argument": [level.minimum for level in counter_argument.LEVELS],
        "counter_argument_strict": [level.strict_minimum for level in counter_argument.LEVELS if level.minimum != 4],
        "defence": [level.minimum for level in defence.LEVELS],
        "attack_defense": [level.minimum for level in attack_defense.LEVELS],
    }
    minima = tables[task]
    assert minima == sorted(minima)
    assert minima[0] < minima[-1]


@pytest.mark.parametrize("task", CLUSTER_TASKS)
def test_recorded_minimum_is_the_size_of_the_reference(task: str) -> None:
    for level in LEVELS:
        for instance in samples(task, level):
            assert instance.min_directives == len(instance.reference.splitlines())


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_a_strict_last_step_makes_a_bare_rebuttal_useless(ordering: str) -> None:
    for level in (1, 8):
        instance = sample("counter_argument", level, ordering)
        target = expect(GoalQuestion, instance.question).goals[1].literal
        start = undisputed_start(instance)
        verdict = score(instance, f"<answer>[defeasible zz: {start} => {negate(target)}]</answer>")
        assert not verdict.success
        assert verdict.native <= 0.25


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_strict_template_fails(ordering: str) -> None:
    """First premise strictly to -target, and strictly undercut the first rule of each chain."""
    for level in range(1, 16, 2):
        instance = sample("counter_argument_strict", level, ordering)
        theory, target = instance.theory, expect(GoalQuestion, instance.question).goals[1].literal
        first_rules = {}
        for rule in (rule for rule in theory.rules if rule.consequent == target):
            bottom: StrictRule | DefeasibleRule = rule
            while above := [other for other in theory.rules if other.consequent in bottom.antecedents]:
                bottom = above[0]
            first_rules[bottom.name] = bottom
        for start in (theory.premises[0], *theory.axioms[:1], undisputed_start(instance)):
            lines = [str(StrictRule("t0", (start,), negate(target)))]
            lines += [
                str(StrictRule(f"t{number}", (start,), f"-{name}")) for number, name in enumerate(first_rules, start=1)
            ]
            assert not score(instance, "<answer>" + "\n".join(lines) + "</answer>").success


@pytest.mark.parametrize("task", ["attack", "counter_argument", "counter_argument_strict", "defence"])
def test_cutting_every_cluster_without_looking_at_its_status_is_too_expensive(task: str) -> None:
    """A status-blind solver: undercut a smallest greedy set of rules that hits every argument, dead or alive."""
    solved = 0
    instances = [instance for level in (4, 9, 14) for instance in samples(task, level, seeds=2)]
    for instance in instances:
        goals = expect(GoalQuestion, instance.question).goals
        against = goals[-1].literal if task != "defence" else negate(goals[0].literal)
        state = evaluate(instance.theory, instance.ordering)
        open_ = [argument.defeasible_rules for argument in state.arguments_for(against)]
        chosen: list[str] = []
        while open_:
            best = max(sorted({name for rules in open_ for name in rules}), key=lambda n: sum(n in r for r in open_))
            chosen.append(best)
            open_ = [rules for rules in open_ if best not in rules]
        start = undisputed_start(instance)
        lines = [str(DefeasibleRule(f"c{number}", (start,), f"-{name}")) for number, name in enumerate(chosen)]
        if task != "attack":
            goal = goals[0].literal
            kind = StrictRule if task == "counter_argument_strict" else DefeasibleRule
            lines.append(str(kind("c", (start,), goal)))
        solved += score(instance, "<answer>" + "\n".join(lines) + "</answer>").success
    assert solved <= 0.05 * len(instances)


def test_guessing_which_clusters_to_cut_seldom_overrules_the_target_of_attack() -> None:
    """The same solver with its cuts thinned at random to what earns anything; it is told the minimum."""
    instances = [instance for level in range(6, 16) for instance in samples("attack", level)]
    solved = 0
    for instance in instances:
        (goal,) = expect(GoalQuestion, instance.question).goals
        state = evaluate(instance.theory, instance.ordering)
        answer = cut_within_budget(instance, state, goal.literal)
        solved += score(instance, f"<answer>{answer}</answer>").success
    assert solved <= 0.25 * len(instances)


def _solved_by_reading(levels: range, seeds: int, steps: int, *, by_strength: bool) -> float:
    """Return the share of attack instances that following attacks for so many steps solves, told the minimum."""
    instances = [instance for level in levels for instance in samples("attack", level, seeds)]
    solved = 0
    for instance in instances:
        (goal,) = expect(GoalQuestion, instance.question).goals
        state = evaluate(instance.theory, instance.ordering)
        answer = cut_what_looks_alive(instance, state, goal.literal, steps, by_strength)
        solved += score(instance, f"<answer>{answer}</answer>").success
    return solved / len(instances)


READINGS = [(1, False), (2, False), (3, False), (12, False), (2, True)]
every_reading = pytest.mark.parametrize(("steps", "by_strength"), READINGS)


@every_reading
def test_attacks_followed_without_regard_to_strength_seldom_tell_which_clusters_live(
    steps: int, by_strength: bool
) -> None:
    """At the most, strength is seen where a route itself is attacked, but not further up."""
    assert _solved_by_reading(range(11, 16), 1, steps, by_strength=by_strength) <= 0.3


@pytest.mark.slow
@every_reading
@pytest.mark.parametrize(("levels", "most"), [(range(6, 11), 0.3), (range(11, 16), 0.15)], ids=["L6-10", "L11-15"])
def test_shallow_readings_seldom_solve_attack_on_many_instances(
    levels: range, most: float, steps: int, by_strength: bool
) -> None:
    assert _solved_by_reading(levels, 4, steps, by_strength=by_strength) <= most


def test_whoever_follows_attacks_and_strength_to_the_end_solves_attack() -> None:
    """Control: the reading works, and what it lacks above is strength and depth."""
    solved = 0
    instances = [instance for level in (7, 12) for instance in samples("attack", level)]
    for instance in instances:
        (goal,) = expect(GoalQuestion, instance.question).goals
        state = evaluate(instance.theory, instance.ordering)
        live = [route.defeasible_rules for route in live_arguments(state, goal.literal)]
        lines = cuts_from(instance.theory, undisputed_start(instance), greedy_cut(live))
        solved += score(instance, "<answer>" + "\n".join(map(str, lines)) + "</answer>").success
    assert solved == len(instances)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_goals_of_attack_defense_share_a_cut(ordering: str) -> None:
    """Control: each goal alone needs so much that both together need less than the sum."""
    for level in (1, 6, 13):
        instance = sample("attack_defense", level, ordering)
        overrule, justify = (goal.literal for goal in expect(GoalQuestion, instance.question).goals)
        state = evaluate(instance.theory, ordering)
        dependencies = Dependencies(state)
        first = largest_packing(map(dependencies.footprint, live_arguments(state, overrule)))
        second = largest_packing(defence.against_footprints(state, dependencies, justify))
        assert instance.min_directives is not None
        assert first + second == instance.stats["minima_apart"]
        assert first + second > instance.min_directives


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_some_cuts_that_reach_the_first_goal_of_attack_defense_undo_the_second(ordering: str) -> None:
    """Where the second claim is not broken: replacing one cut by another that overrules as well loses the defence."""
    for level in (2, 8):
        instance = sample("attack_defense", level, ordering)
        overrule, justify = (goal.literal for goal in expect(GoalQuestion, instance.question).goals)
        start = undisputed_start(instance)
        lines = instance.reference.splitlines()
        trapped = 0
        for position in range(len(lines)):
            for rule in instance.theory.defeasible_rules:
                changed = [*lines]
                changed[position] = str(DefeasibleRule("trap", (start,), f"-{rule.name}"))
                verdict = score(instance, "<answer>" + "\n".join(changed) + "</answer>")
                goals = verdict.detail.get("goals")
                assert isinstance(goals, list)
                after = {goal["literal"]: goal["after"] for goal in goals if isinstance(goal, dict)}
                trapped += after[overrule] == "overruled" and after[justify] != "justified"
        assert trapped


def test_defence_has_several_attackers_from_level_four_on() -> None:
    for level in range(4, 16):
        for instance in samples("defence", level):
            assert instance.stats["attackers"] > 1


def test_a_new_argument_alone_does_not_defend() -> None:
    for level in LEVELS:
        for instance in samples("defence", level):
            (goal,) = expect(GoalQuestion, instance.question).goals
            for start in [d.literal for d in instance.theory.directives if isinstance(d, Premise | Axiom)]:
                if start != goal.literal:
                    line = DefeasibleRule("zz", (start,), goal.literal)
                    assert not score(instance, f"<answer>{line}</answer>").success


SMALL = [("counter_argument_strict", 1), ("defence", 3), ("attack_defense", 2), ("attack", 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "level"), SMALL, ids=[f"{task}-L{level}" for task, level in SMALL])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_no_single_legal_directive_does_what_takes_two(task: str, level: int, ordering: str) -> None:
    instance = generate(task, level, ordering, seed=3)
    assert instance.min_directives == 2
    legality = getattr(instance_task(task), "legality")  # noqa: B009
    candidates = rule_candidates(instance.theory, legality, sorted(instance.theory.occurring))
    assert succeeding(instance, candidates + other_candidates(instance.theory, legality), 1) is None


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_no_two_directives_from_an_undisputed_start_do_what_takes_three(ordering: str) -> None:
    instance = generate("counter_argument", 1, ordering, seed=3)
    assert instance.min_directives == 3
    legality = counter_argument.ORDINARY
    candidates = rule_candidates(instance.theory, legality, [undisputed_start(instance)])
    assert succeeding(instance, candidates, 1) is None
    assert succeeding(instance, candidates, 2) is None


def instance_task(name: str) -> object:
    """Return the task called ``name``."""
    from arggym_env.envs.registry import get_task

    return get_task(name)
