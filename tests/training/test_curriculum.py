from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.envs.registry import TASKS
from arggym_env.errors import ArgGymError, RunError
from arggym_env.training.curriculum import LAG, AdaptiveCurriculum, Clock, FixedSchedule, Results, Rule

CLOCK = Clock(prompts=4, steps=1)
RULE = Rule(promote=0.7, demote=0.2, window=32, min_samples=16, replay=0.2, start=3)


def row(index: int, draw: float = 0.999, task: str = "attack") -> dict[str, Any]:
    return {"row": index, "task": task, "level": 9, "draw": draw}


def results(task: str, level: int, solved: int, seen: int) -> Results:
    return {(task, level): (solved, seen)}


def test_rows_are_used_in_order_so_many_for_each_generation() -> None:
    clock = Clock(prompts=4, steps=2)
    assert [clock.start(index) for index in (0, 3, 4, 7, 8)] == [0, 0, 2, 2, 4]


def test_a_schedule_moves_at_its_steps_and_draws_the_whole_band() -> None:
    schedule = FixedSchedule({0: [1, 3], 5: [4, 6]}, CLOCK)
    early = Counter(schedule.level(row(index % 20, draw=index / 300)) for index in range(300))
    late = Counter(schedule.level(row(20 + index % 20, draw=index / 300)) for index in range(300))
    assert early == {1: 100, 2: 100, 3: 100}
    assert late == {4: 100, 5: 100, 6: 100}


@pytest.mark.parametrize("stages", [{}, {5: [1, 2]}, {0: [3, 2]}, {0: [0, 2]}, {0: [1, 16]}, {0: [1]}])
def test_what_is_no_schedule_is_refused(stages: dict[int, list[int]]) -> None:
    with pytest.raises(RunError, match="schedule"):
        FixedSchedule(stages, CLOCK)


def test_a_task_goes_up_when_it_is_solved_and_down_when_it_is_not() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    curriculum.advance(1, results("attack", 3, 12, 16))
    assert curriculum.current("attack") == 4
    assert curriculum.current("defence") == 3
    curriculum.advance(2, results("attack", 4, 3, 16))
    assert curriculum.current("attack") == 3


def test_nothing_moves_between_the_two_thresholds_or_on_too_few_samples() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    for step in range(1, 50):
        curriculum.advance(step, results("attack", 3, 8, 16))
    curriculum.advance(50, results("defence", 3, 15, 15))
    assert curriculum.current("attack") == curriculum.current("defence") == 3


def test_the_window_forgets() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    for step in range(1, 10):
        curriculum.advance(step, results("attack", 3, 6, 16))
    curriculum.advance(10, results("attack", 3, 16, 16))  # 22 of the latest 32: 69%
    assert curriculum.current("attack") == 3
    curriculum.advance(11, results("attack", 3, 16, 16))
    assert curriculum.current("attack") == 4


def test_results_of_other_levels_do_not_count() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    curriculum.advance(1, {("attack", 2): (16, 16), ("attack", 4): (0, 16)})
    assert curriculum.current("attack") == 3


def test_levels_stay_within_their_bounds() -> None:
    rule = Rule(min_samples=1, window=1, start=2, low=2, high=3)
    curriculum = AdaptiveCurriculum(rule, CLOCK)
    for step in range(1, 5):
        curriculum.advance(step, results("attack", curriculum.current("attack"), 1, 1))
    assert curriculum.current("attack") == 3
    for step in range(5, 10):
        curriculum.advance(step, results("attack", curriculum.current("attack"), 0, 1))
    assert curriculum.current("attack") == 2


def test_some_rows_are_asked_at_easier_levels_and_all_of_those_come_up() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    asked = Counter(curriculum.level(row(0, draw=index / 1000)) for index in range(1000))
    assert asked == {3: 800, 1: 100, 2: 100}


def test_rows_of_other_suites_keep_the_tables_level() -> None:
    assert AdaptiveCurriculum(RULE, CLOCK).level(row(0, task="logihard_base")) == 9
    assert FixedSchedule({0: [1, 2]}, CLOCK).level(row(0, task="logihard_base")) == 9


def test_a_level_applies_to_the_first_generation_that_cannot_have_been_fetched_before() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    curriculum.advance(1, results("attack", 3, 16, 16))
    starts = [curriculum.level(row(4 * step)) for step in range(4)]
    assert starts == [3, 3, 4, 4]
    assert LAG == 1


def test_what_is_no_rule_is_refused() -> None:
    for wrong in (
        {"promote": 0.2, "demote": 0.2},
        {"promote": 1.2},
        {"demote": -0.1},
        {"min_samples": 0},
        {"min_samples": 200},
        {"replay": 1.0},
        {"start": 16},
        {"start": 3, "low": 4},
    ):
        with pytest.raises(ArgGymError):
            Rule(**wrong)


def test_the_state_of_another_curriculum_is_refused() -> None:
    curriculum = AdaptiveCurriculum(RULE, CLOCK)
    with pytest.raises(RunError, match="rule"):
        AdaptiveCurriculum(Rule(), CLOCK).load(curriculum.state())
    with pytest.raises(RunError, match="tasks"):
        AdaptiveCurriculum(RULE, CLOCK, ["attack"]).load(curriculum.state())
    with pytest.raises(RunError, match="schedule"):
        FixedSchedule({0: [1, 2]}, CLOCK).load(FixedSchedule({0: [1, 3]}, CLOCK).state())


OUTCOMES = st.lists(
    st.lists(st.tuples(st.sampled_from(TASKS[:3]), st.integers(1, 15), st.integers(0, 8)), max_size=4), max_size=60
)


def played(outcomes: list[list[tuple[str, int, int]]], rule: Rule) -> AdaptiveCurriculum:
    curriculum = AdaptiveCurriculum(rule, CLOCK)
    for step, found in enumerate(outcomes, start=1):
        curriculum.advance(step, {(task, level): (solved, 8) for task, level, solved in found})
    return curriculum


@given(OUTCOMES, st.integers(0, 60))
def test_a_saved_and_loaded_curriculum_goes_on_as_if_it_had_not_been(
    outcomes: list[list[tuple[str, int, int]]], cut: int
) -> None:
    rule = Rule(window=16, min_samples=8, start=5)
    whole = played(outcomes, rule)
    first = played(outcomes[:cut], rule)
    resumed = AdaptiveCurriculum(rule, CLOCK)
    resumed.load(json.loads(json.dumps(first.state())))
    for step, found in enumerate(outcomes[cut:], start=cut + 1):
        resumed.advance(step, {(task, level): (solved, 8) for task, level, solved in found})
    assert resumed.state() == whole.state()


@given(OUTCOMES, st.floats(0, 1, exclude_max=True))
def test_a_rows_level_is_the_same_whenever_it_is_asked_for(
    outcomes: list[list[tuple[str, int, int]]], draw: float
) -> None:
    rule = Rule(window=16, min_samples=8, start=5, replay=0.3)
    curriculum = AdaptiveCurriculum(rule, CLOCK)
    ahead = {}
    for step, found in enumerate(outcomes, start=1):
        # Just before step ``step`` ends, the loader fetches the rows of the step after it.
        ahead[step] = [curriculum.level(row(4 * step, draw, task)) for task in TASKS[:3]]
        curriculum.advance(step, {(task, level): (solved, 8) for task, level, solved in found})
    for step, levels in ahead.items():
        assert [curriculum.level(row(4 * step, draw, task)) for task in TASKS[:3]] == levels


@given(OUTCOMES)
def test_levels_move_by_one_and_only_with_enough_samples_between(outcomes: list[list[tuple[str, int, int]]]) -> None:
    rule = Rule(window=16, min_samples=16, start=5)
    history: Any = played(outcomes, rule).state()["history"]
    for moves in history.values():
        for before, after in pairwise(moves):
            assert abs(after[1] - before[1]) == 1
            assert after[0] - before[0] >= 2  # a step brings at most 8 completions at a level
            assert 1 <= after[1] <= 15
