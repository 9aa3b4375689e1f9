"""The minimum of preference interventions: against exhaustive search, against the engine, and on theories by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from arggym_env.engine import ORDERINGS, State, evaluate
from arggym_env.envs.preference_search import Minimum, Preference, components, find_minimum
from arggym_env.errors import ArgumentLimitExceeded
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.legality import Legality
from arggym_env.theory import PremisePreference, RulePreference, Theory
from tests.engine.random_theories import random_theory
from tests.envs.exhaustive import other_candidates

LAST_ELITIST, LAST_DEMOCRATIC, WEAKEST_ELITIST, WEAKEST_DEMOCRATIC = ORDERINGS
LIMIT = 3


def legal(theory: Theory) -> list[Preference]:
    found = other_candidates(theory, Legality(preferences=True))
    return [
        pair for pair in found if pair not in theory.directives and isinstance(pair, PremisePreference | RulePreference)
    ]


def holds(state: State, goals: Sequence[Goal]) -> bool:
    return state.is_consistent and all(state.status(goal.literal) == goal.status for goal in goals)


def exhaustive(theory: Theory, ordering: str, goals: Sequence[Goal], limit: int) -> int | None:
    """Return the size of a smallest set of legal preferences that reaches the goals, by trying all sets."""
    for size in range(limit + 1):
        for chosen in combinations(legal(theory), size):
            if holds(evaluate(theory.add(chosen), ordering), goals):
                return size
    return None


def minimum(theory: Theory, ordering: str, *goals: str) -> Minimum | None:
    wanted = [Goal(literal, status) for literal, status in (goal.split() for goal in goals)]
    found = find_minimum(evaluate(theory, ordering), wanted, LIMIT)
    if found is not None:
        assert holds(evaluate(theory.add(found.witness), ordering), wanted)
        assert len(found.witness) == found.size
    return found


def size(theory: Theory, ordering: str, *goals: str) -> int | None:
    found = minimum(theory, ordering, *goals)
    return None if found is None else found.size


def random_case(seed: int, ordering: str, most: int, added: int) -> tuple[Theory, list[Goal]] | None:
    """Return a small random theory with goals that some random preferences reach, None where nothing changes."""
    random, theory = Random(seed), random_theory(seed)
    candidates = legal(theory)
    if not 3 <= len(candidates) <= most:
        return None
    try:
        base = evaluate(theory, ordering, max_arguments=60)
    except ArgumentLimitExceeded:
        return None
    for _ in range(6):
        chosen = random.sample(candidates, random.randint(1, added))
        state = evaluate(theory.add(chosen), ordering)
        changed = [literal for literal in theory.literals if state.status(literal) != base.status(literal)]
        if state.is_consistent and changed:
            others = random.sample(theory.literals, min(3, len(theory.literals)))
            asked = dict.fromkeys([*random.sample(changed, min(2, len(changed))), *others])
            return theory, [Goal(literal, state.status(literal)) for literal in asked]
    return None


def compare_with_exhaustive_search(seeds: range, most: int, limit: int) -> tuple[int, int]:
    """Return how many minima were established and compared, and how many were not established."""
    compared = unknown = 0
    for seed in seeds:
        for ordering in ORDERINGS:
            case = random_case(seed, ordering, most, limit)
            if case is None:
                continue
            theory, goals = case
            found = find_minimum(evaluate(theory, ordering), goals, limit)
            if found is None:
                unknown += 1
                continue
            assert found.size == exhaustive(theory, ordering, goals, limit), (seed, ordering, goals)
            assert holds(evaluate(theory.add(found.witness), ordering), goals), (seed, ordering, goals)
            assert set(found.witness) <= set(legal(theory))
            compared += 1
    return compared, unknown


def test_minima_are_those_of_an_exhaustive_search_on_random_theories() -> None:
    compared, unknown = compare_with_exhaustive_search(range(250), 90, 2)
    assert compared > 150
    assert unknown < compared / 10


@pytest.mark.slow
def test_minima_are_those_of_an_exhaustive_search_on_many_random_theories() -> None:
    compared, unknown = compare_with_exhaustive_search(range(250, 2500), 90, 2)
    assert compared > 1500
    assert unknown < compared / 10
    compared, _ = compare_with_exhaustive_search(range(2500, 4500), 26, 3)
    assert compared > 700


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_a_component_foresees_what_the_engine_computes(ordering: str) -> None:
    checked = 0
    for seed in range(120):
        random, theory = Random(seed), random_theory(seed)
        try:
            state = evaluate(theory, ordering, max_arguments=60)
        except ArgumentLimitExceeded:
            continue
        for component in components(state):
            inside = [
                pair for pair in legal(theory) if {pair.stronger.strip("-"), pair.weaker.strip("-")} <= component.names
            ]
            chosen = random.sample(inside, min(len(inside), random.randint(0, 4)))
            after, row = evaluate(theory.add(chosen), ordering), component.after(chosen)
            for claim in component.claims:
                assert component.status(row, claim) == after.status(claim), (seed, claim, chosen)
                checked += 1
    assert checked > 500


JOINT = Theory.parse(
    """
    [premise: p1]
    [premise: p2]
    [axiom: q]
    [defeasible m1: p1 => a]
    [defeasible m2: p2 => b]
    [strict s: a AND b -> -t]
    [defeasible r: q => t]
    [defeasible u: t => -m1]
    """
)
"""t is attacked by two joined lines; where it stands it undercuts one of them."""


def test_the_set_ordering_decides_how_many_preferences_an_attack_by_joined_lines_takes() -> None:
    assert size(JOINT, LAST_ELITIST, "t justified") == 1
    assert size(JOINT, LAST_DEMOCRATIC, "t justified") == 2
    half = Theory.parse(f"{JOINT}\n[prefer_rule: r > m1]")
    assert size(half, LAST_ELITIST, "t justified") == 0
    assert size(half, LAST_DEMOCRATIC, "t justified") == 1
    assert evaluate(half.add([RulePreference("r", "m2")]), LAST_DEMOCRATIC).status("t") == "justified"


CHAINS = Theory.parse(
    """
    [premise: p]
    [premise: q]
    [defeasible a1: p => a]
    [defeasible a2: a => t]
    [defeasible b1: q => b]
    [defeasible b2: b => -t]
    """
)


def test_weakest_link_ranks_rules_and_premises_both() -> None:
    assert minimum(CHAINS, LAST_ELITIST, "t justified") == Minimum(1, (RulePreference("a2", "b2"),))
    assert size(CHAINS, WEAKEST_ELITIST, "t justified") == 3  # one of b's rules below both of a's, and q below p
    assert size(CHAINS, WEAKEST_DEMOCRATIC, "t justified") == 3  # both of b's rules below one of a's, and q below p
    half = Theory.parse(f"{CHAINS}\n[prefer_premise: p > q]\n[prefer_rule: a1 > b2]")
    for ordering in (WEAKEST_ELITIST, WEAKEST_DEMOCRATIC):
        assert size(half, ordering, "t justified") == 1 == exhaustive(half, ordering, [Goal("t", "justified")], 1)
    alone = [evaluate(half.add([RulePreference("a2", "b2")]), ordering).status("t") for ordering in ORDERINGS]
    assert alone == ["justified", "justified", "justified", "undecided"]


def test_stated_preferences_save_new_ones_by_transitivity() -> None:
    ranked = Theory.parse(f"{CHAINS}\n[prefer_premise: p > q]\n[prefer_rule: a2 > a1]")
    found = minimum(ranked, WEAKEST_ELITIST, "t justified")
    assert found is not None
    assert found.size == 1
    assert isinstance(found.witness[0], RulePreference)
    assert found.witness[0].stronger == "a1"


def test_turning_a_preference_around_makes_a_tie() -> None:
    won = Theory.parse(f"{CHAINS}\n[prefer_rule: a2 > b2]")
    assert size(won, LAST_ELITIST, "t justified") == 0
    assert minimum(won, LAST_ELITIST, "t undecided") == Minimum(1, (RulePreference("b2", "a2"),))
    assert minimum(won, LAST_ELITIST, "t overruled") is None  # a tie is the most that preferences can still do


def test_an_elitist_attack_that_fails_for_two_reasons_takes_two_preferences_to_revive() -> None:
    text = f"{JOINT}\n[prefer_rule: r > m1]\n[prefer_rule: r > m2]"
    assert size(Theory.parse(text), LAST_ELITIST, "t undecided") == 2
    assert size(Theory.parse(text), LAST_DEMOCRATIC, "t undecided") == 1


def test_what_no_preference_bears_on_has_no_minimum() -> None:
    theory = Theory.parse("[premise: p]\n[premise: q]\n[defeasible r: p => a]\n[defeasible s: q => -r]")
    for ordering in ORDERINGS:
        assert minimum(theory, ordering, "a justified") is None
        assert size(theory, ordering, "a overruled") == 0


def test_a_goal_that_holds_can_make_the_others_dearer() -> None:
    theory = Theory.parse(
        """
        [axiom: x]
        [axiom: y]
        [axiom: z]
        [defeasible a: x => t]
        [defeasible b: y => k]
        [defeasible c1: k => -t]
        [defeasible c2: k AND y => -t]
        [defeasible d: z => -k]
        """
    )
    assert minimum(theory, LAST_DEMOCRATIC, "t justified") == Minimum(1, (RulePreference("d", "b"),))
    assert size(theory, LAST_DEMOCRATIC, "k undecided") == 0
    assert size(theory, LAST_DEMOCRATIC, "t justified", "k undecided") == 2
    kept = [Goal("t", "justified"), Goal("k", "undecided")]
    assert exhaustive(theory, LAST_DEMOCRATIC, kept, 2) == 2


def test_a_minimum_above_the_bound_counts_as_not_established() -> None:
    # Two attackers of one step take two preferences that end in the same rule, and ends are what is counted here.
    theory = Theory.parse(
        "[axiom: x]\n[axiom: y]\n[axiom: z]\n[defeasible a: x => t]\n[defeasible b: y => -t]\n[defeasible c: z => -t]"
    )
    goals = [Goal("t", "justified")]
    assert exhaustive(theory, LAST_ELITIST, goals, 2) == 2
    assert minimum(theory, LAST_ELITIST, "t justified") is None
    assert size(theory, LAST_DEMOCRATIC, "t justified") == 2


def test_minima_of_separate_disputes_add_up_although_a_preference_may_name_two() -> None:
    def dispute(number: int) -> str:
        return (
            f"[axiom: x{number}]\n[axiom: y{number}]\n[defeasible a{number}: x{number} => t{number}]\n"
            f"[defeasible b{number}: y{number} => -t{number}]\n[prefer_rule: a{number} > b{number}]"
        )

    pair = Theory.parse("\n".join(map(dispute, range(2))))
    goals = [Goal(f"t{number}", "undecided") for number in range(2)]
    for ordering in ORDERINGS:
        found = find_minimum(evaluate(pair, ordering), goals, LIMIT)
        assert found is not None
        assert found.size == 2 == exhaustive(pair, ordering, goals, 2)
    assert len(components(evaluate(pair, LAST_ELITIST))) == 2


def test_a_minimum_beyond_the_limit_is_not_reported() -> None:
    state = evaluate(CHAINS, WEAKEST_ELITIST)
    assert find_minimum(state, [Goal("t", "justified")], 2) is None
