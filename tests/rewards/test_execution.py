"""The execution-based contract: every sentence of appendix B on constructive tasks, on theories made by hand."""

from __future__ import annotations

import json
import statistics
import time

import pytest

import arggym_env.rewards.execution as execution
from arggym_env.engine import evaluate
from arggym_env.errors import ArgumentLimitExceeded, InstanceError
from arggym_env.rewards.execution import score_construction
from arggym_env.rewards.legality import Legality
from arggym_env.rewards.progress import Goal, support_subgoals
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory

ORDERING = "last-link elitist"
ALL = Legality(defeasible_rules=True, strict_rules=True, contraries=True, preferences=True)

# t is justified through p and, by itself, through q; u is justified; v and -v hold each other undecided.
BASE = Theory.parse("""
[premise: a]
[premise: b]
[premise: c]
[defeasible r1: a => p]
[defeasible r2: p => t]
[defeasible r3: b => q]
[defeasible r4: q => t]
[defeasible r5: c => u]
[defeasible r6: a => v]
[defeasible r7: b => -v]
""")
UNDERCUT_T = "[defeasible n1: c => -r2]\n[defeasible n2: c => -r4]"
REBUT_T = "[defeasible n1: c => -t]"
OVERRULED_T = Goal("t", "overruled")


def scored(
    answer: str,
    *goals: Goal,
    theory: Theory = BASE,
    minimum: int | None = 2,
    legality: Legality = ALL,
    ordering: str = ORDERING,
    engine: str = "native",
) -> Score:
    return score_construction(theory, ordering, goals or (OVERRULED_T,), legality, minimum, answer, engine=engine)


def test_the_base_theory_is_as_the_tests_assume() -> None:
    state = evaluate(BASE, ORDERING)
    assert {literal: state.status(literal) for literal in ("t", "p", "q", "u", "v", "-v")} == {
        "t": "justified",
        "p": "justified",
        "q": "justified",
        "u": "justified",
        "v": "undecided",
        "-v": "undecided",
    }
    assert state.is_consistent


def test_an_intervention_that_reaches_the_goal_with_the_minimum_scores_one() -> None:
    score = scored(UNDERCUT_T)
    assert (score.native, score.success, score.answer_found, score.reason) == (1.0, True, True, Reason.CORRECT)


def test_fewer_directives_than_the_minimum_score_one_too() -> None:
    assert scored(UNDERCUT_T, minimum=5).native == 1.0


def test_the_state_is_recomputed_under_the_ordering_of_the_instance() -> None:
    theory = Theory.parse("[premise: a]\n[premise: b]\n[defeasible r1: a => t]\n[defeasible r2: b => -t]")
    answer, goal = "[prefer_premise: b > a]", Goal("t", "overruled")
    assert not scored(answer, goal, theory=theory, minimum=1, ordering="last-link elitist").success
    preferred = "[prefer_rule: r2 > r1]"
    assert scored(preferred, goal, theory=theory, minimum=1, ordering="last-link elitist").success
    both = f"{answer}\n{preferred}"
    assert scored(both, goal, theory=theory, minimum=2, ordering="weakest-link elitist").success
    assert not scored(preferred, goal, theory=theory, minimum=1, ordering="weakest-link elitist").success


def test_only_the_retained_directives_are_applied() -> None:
    no_rules = Legality(preferences=True)
    score = scored(UNDERCUT_T, legality=no_rules)
    assert (score.native, score.success, score.reason) == (0.0, False, Reason.GOALS_MISSED)
    assert score.detail["refused"] == [
        {"directive": line, "refusal": "kind_not_permitted"} for line in UNDERCUT_T.splitlines()
    ]


def test_success_requires_every_postcondition_at_once() -> None:
    goals = (OVERRULED_T, Goal("u", "overruled"))
    assert not scored(UNDERCUT_T, *goals, minimum=3).success
    assert not scored("[defeasible n3: a => -r5]", *goals, minimum=3).success
    assert scored(UNDERCUT_T + "\n[defeasible n3: a => -r5]", *goals, minimum=3).native == 1.0


@pytest.mark.parametrize(
    ("submitted", "minimum", "native"), [(2, 2, 1.0), (3, 2, 0.5 + 1 / 3), (4, 2, 0.75), (5, 3, 0.8)]
)
def test_success_pays_half_and_the_other_half_by_economy(submitted: int, minimum: int, native: float) -> None:
    idle = [f"[defeasible k{index}: a => w{index}]" for index in range(submitted - 2)]
    score = scored("\n".join([UNDERCUT_T, *idle]), minimum=minimum)
    assert score.native == pytest.approx(native)
    assert score.success
    assert score.reason == (Reason.CORRECT if native == 1.0 else Reason.NOT_MINIMAL)


def test_without_a_known_minimum_success_scores_one_and_length_is_free() -> None:
    idle = "\n".join(f"[defeasible k{index}: a => w{index}]" for index in range(40))
    score = scored(f"{UNDERCUT_T}\n{idle}", minimum=None)
    assert (score.native, score.success, score.reason) == (1.0, True, Reason.CORRECT)


@pytest.mark.parametrize(
    "filler",
    [UNDERCUT_T.splitlines()[0], "[axiom: t]", "[prefer_rule: r1 > r1]", "[defeasible k1: a => w1]"],
    ids=["duplicates", "axioms", "refused preferences", "idle rules"],
)
def test_every_readable_directive_counts(filler: str) -> None:
    assert scored(f"{UNDERCUT_T}\n{filler}").native == pytest.approx(0.5 + 0.5 * 2 / 3)
    assert scored("\n".join([UNDERCUT_T, filler, filler])).native == pytest.approx(0.75)
    assert scored("\n".join([UNDERCUT_T, filler, filler, filler])).reason == Reason.TOO_MANY_DIRECTIVES


def test_more_than_twice_the_minimum_fails_before_execution(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the theory was run")

    monkeypatch.setattr(execution, "evaluate", refuse)
    monkeypatch.setattr(execution, "judge", refuse)
    score = scored("\n".join([UNDERCUT_T] * 2 + [REBUT_T]))
    assert (score.native, score.success, score.answer_found) == (0.0, False, True)
    assert score.reason == Reason.TOO_MANY_DIRECTIVES


def test_a_goal_moved_to_undecided_earns_four_tenths_of_a_quarter() -> None:
    score = scored(REBUT_T, minimum=1)
    assert (score.success, score.reason) == (False, Reason.GOALS_MISSED)
    assert score.native == pytest.approx(0.25 * 0.4)
    justified = scored("[defeasible n1: c => -r2]\n[defeasible n2: c => t]", Goal("-t", "justified"), minimum=2)
    assert justified.native == 0.0, "-t stays overruled"
    assert scored(REBUT_T, Goal("-t", "justified"), minimum=1).native == pytest.approx(0.25 * 0.4)


def test_a_goal_that_stays_undecided_earns_nothing() -> None:
    for status in ("justified", "overruled"):
        score = scored("[defeasible n1: c => w]", Goal("v", status), minimum=1)
        assert (score.native, score.reason) == (0.0, Reason.GOALS_MISSED)


def test_a_goal_moved_to_the_opposite_status_earns_nothing() -> None:
    assert scored("[defeasible n1: c => -r6]", Goal("v", "justified"), minimum=1).native == 0.0


def test_undecided_may_be_requested_and_is_then_no_deadlock() -> None:
    assert scored(REBUT_T, Goal("t", "undecided"), minimum=1).native == 1.0
    missed = scored(REBUT_T, Goal("t", "undecided"), Goal("u", "overruled"), minimum=1)
    assert missed.native == pytest.approx(0.25 * (1 + 0) / 2)


def test_a_goal_satisfied_before_earns_nothing_by_staying_so() -> None:
    goals = (Goal("u", "justified"), OVERRULED_T)
    assert scored("[defeasible n1: c => w]", *goals, minimum=1).native == 0.0
    assert scored(REBUT_T, *goals, minimum=1).native == pytest.approx(0.25 * 0.4), "it leaves the average"


def test_a_goal_satisfied_before_counts_zero_when_broken() -> None:
    goals = (Goal("u", "justified"), OVERRULED_T)
    broken = f"{UNDERCUT_T}\n[defeasible n3: a => -r5]"
    assert scored(broken, *goals, minimum=3).native == pytest.approx(0.25 * (0 + 1) / 2)
    undecided = f"{UNDERCUT_T}\n[defeasible n3: a => -u]"
    assert scored(undecided, *goals, minimum=3).native == pytest.approx(0.25 * (0 + 1) / 2), "no deadlock credit"


def test_a_satisfied_overruled_goal_that_breaks_earns_no_support_credit() -> None:
    theory = Theory.parse(
        "[premise: a]\n[premise: b]\n[defeasible r1: a => p]\n[defeasible r2: p => t]\n[defeasible r3: b => -r2]"
    )
    answer = "[defeasible n1: a => -r1]\n[defeasible n2: a => -r3]\n[defeasible n3: b => t]"
    score = scored(answer, Goal("t", "overruled"), theory=theory, minimum=3)
    assert (score.native, score.reason) == (0.0, Reason.GOALS_MISSED)


def test_defeated_support_earns_three_tenths_of_its_share() -> None:
    assert support_subgoals("t", evaluate(BASE, ORDERING)) == {"p", "q"}
    score = scored("[defeasible n1: c => -r1]")
    assert score.native == pytest.approx(0.25 * 0.3 * 1 / 2)
    third = "[defeasible n3: c => t]"
    all_support = scored(f"[defeasible n1: c => -r1]\n[defeasible n2: c => -r3]\n{third}")
    assert all_support.native == pytest.approx(0.25 * 0.3)


def test_deadlock_and_support_do_not_add_up() -> None:
    score = scored(f"{REBUT_T}\n[defeasible n2: c => -r1]")
    assert score.native == pytest.approx(0.25 * 0.4)


def test_support_pays_for_overruled_goals_only() -> None:
    answer = "[defeasible n1: c => -r1]"
    assert scored(answer, Goal("t", "undecided")).native == 0.0


def test_support_that_is_only_put_in_doubt_earns_nothing() -> None:
    assert scored("[defeasible n1: c => -p]").native == 0.0


def test_support_is_counted_at_every_depth_but_not_the_goal_nor_premises() -> None:
    theory = Theory.parse("""
[premise: a]
[premise: b]
[strict r1: a -> p]
[defeasible r2: p => q]
[defeasible r3: q AND b => t]
[defeasible r4: t => z]
""")
    assert support_subgoals("t", evaluate(theory, ORDERING)) == {"p", "q"}
    assert support_subgoals("a", evaluate(theory, ORDERING)) == frozenset()
    assert support_subgoals("unknown", evaluate(theory, ORDERING)) == frozenset()
    score = scored("[defeasible n1: a => -r2]\n[defeasible n2: b => t]", theory=theory)
    assert score.native == pytest.approx(0.25 * 0.3 * 1 / 2), "p stands, q falls"


def test_support_that_was_not_justified_counts_only_when_it_changes() -> None:
    # t rests on p (justified), on q (overruled by an undercut) and on w (undecided against -w).
    theory = Theory.parse("""
[premise: a]
[premise: b]
[premise: c]
[defeasible r1: a => p]
[defeasible r2: p => t]
[defeasible r3: b => q]
[defeasible r4: q => t]
[defeasible r5: c => w]
[defeasible r6: w => t]
[defeasible r7: a => -r3]
[defeasible r8: b => -w]
""")
    assert support_subgoals("t", evaluate(theory, ORDERING)) == {"p", "q", "w"}
    stays = "[defeasible k1: b => t]"
    untouched = scored(f"[defeasible n1: c => -r1]\n{stays}", theory=theory)
    assert untouched.native == pytest.approx(0.25 * 0.3 * 1 / 1), "q and w did not change"
    changed = scored(f"[defeasible n1: c => -r5]\n{stays}", theory=theory)
    assert changed.native == pytest.approx(0.25 * 0.3 * 1 / 2), "w fell, p stands"
    revived = scored(f"[defeasible n1: c => -r1]\n[defeasible n2: c => -r7]\n{stays}", theory=theory)
    assert revived.native == pytest.approx(0.25 * 0.3 * 1 / 2), "p fell, q came back"


def test_progress_is_averaged_over_the_applicable_goals() -> None:
    goals = (OVERRULED_T, Goal("u", "overruled"), Goal("v", "justified"), Goal("a", "justified"))
    answer = "\n".join([UNDERCUT_T, "[defeasible n3: a => -u]"])
    assert scored(answer, *goals, minimum=3).native == pytest.approx(0.25 * (1 + 0.4 + 0) / 3)


def test_a_consistent_failure_earns_less_than_a_quarter() -> None:
    goals = (OVERRULED_T, Goal("v", "justified"))
    assert scored(UNDERCUT_T, *goals).native == pytest.approx(0.25 / 2)


@pytest.mark.parametrize("goals", [(Goal("-t", "justified"),), (Goal("-t", "justified"), Goal("t", "overruled"))])
def test_an_inconsistent_result_scores_zero_whatever_it_reaches(goals: tuple[Goal, ...]) -> None:
    theory = Theory.parse("[premise: a]\n[premise: b]\n[strict s1: a -> t]")
    score = scored("[strict n1: b -> -t]", *goals, theory=theory, minimum=1)
    assert (score.native, score.success, score.reason) == (0.0, False, Reason.INCONSISTENT)
    assert isinstance(score.detail["goals"], list)
    assert score.detail["goals"][0] == {
        "literal": "-t",
        "requested": "justified",
        "before": "overruled",
        "after": "justified",
        "progress": 1.0,
    }


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "[premise a]",
        "[defeasible n1: a -> t]",
        "[defeasible: a => t]",
        "[defeasible n1: a => -t].",
        "t: overruled",
        "[prefer_rule: r1 > r2 > r3]",
    ],
)
def test_a_line_that_cannot_be_read_zeroes_the_answer(line: str) -> None:
    for answer in (line, f"{UNDERCUT_T}\n{line}", f"{line}\n{UNDERCUT_T}"):
        score = scored(answer)
        assert (score.native, score.success, score.answer_found) == (0.0, False, True)
        assert score.reason == Reason.UNREADABLE


def test_the_first_reason_to_stop_reading_is_the_one_named() -> None:
    many = "\n".join([REBUT_T] * 5)
    assert scored(f"junk\n{many}").reason == Reason.UNREADABLE
    assert scored(f"{many}\njunk").reason == Reason.TOO_MANY_DIRECTIVES
    unreadable = scored(f"{REBUT_T}\n\n  junk").detail["unreadable"]
    assert isinstance(unreadable, dict)
    assert (unreadable["line"], unreadable["text"]) == (3, "junk")


def test_typography_is_forgiven() -> None:
    answer = "```\r\n1. [DEFEASIBLE n1: c \u21d2 \u2212r2]\r\n\r\n - [Defeasible n2 : c=>-r4]\r\n```"
    assert scored(answer).native == 1.0


@pytest.mark.parametrize("answer", ["", " \n\t", "```\n```"])
def test_an_answer_without_content_is_not_found(answer: str) -> None:
    assert scored(answer) == Score(0.0, False, False, Reason.EMPTY_ANSWER)


def test_a_submission_with_too_many_arguments_scores_zero() -> None:
    arguments = len(evaluate(BASE, ORDERING).arguments)
    answer = "[defeasible n1: t => w]"

    def run(limit: int) -> Score:
        return score_construction(BASE, ORDERING, (OVERRULED_T,), ALL, 1, answer, max_arguments=limit)

    assert run(arguments).reason == Reason.TOO_MANY_ARGUMENTS
    assert run(arguments).native == 0.0
    assert run(arguments + 2).reason == Reason.GOALS_MISSED


def test_a_base_theory_with_too_many_arguments_is_the_callers_error() -> None:
    with pytest.raises(ArgumentLimitExceeded):
        score_construction(BASE, ORDERING, (OVERRULED_T,), ALL, 1, REBUT_T, max_arguments=3)


def test_a_failing_engine_is_the_callers_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("engine")

    scored(REBUT_T)
    monkeypatch.setattr(execution, "evaluate", fail)
    with pytest.raises(RuntimeError, match="engine"):
        scored(REBUT_T)


def test_a_goal_names_one_of_the_three_statuses() -> None:
    with pytest.raises(InstanceError, match="'OVERRULED' of t is not one of justified, overruled, undecided"):
        Goal("t", "OVERRULED")


@pytest.mark.parametrize("answer", [UNDERCUT_T, REBUT_T, "[defeasible n1: c => -r1]", "[strict n1: c -> -t]"])
def test_both_engines_give_the_same_score(answer: str) -> None:
    assert scored(answer, engine="native") == scored(answer, engine="pyarg")


def test_the_detail_is_small_json() -> None:
    flood = "\n".join(f"[defeasible k{index}: {'x' * 500} => w]" for index in range(1000))
    score = scored(flood, minimum=None)
    assert score.reason == Reason.GOALS_MISSED
    assert len(json.dumps(dict(score.detail))) < 10_000
    assert (score.detail["directives"], score.detail["minimum"]) == (1000, None)


def test_scoring_a_theory_of_sixty_arguments_takes_milliseconds() -> None:
    chains = [
        line
        for chain in range(10)
        for line in (
            f"[premise: a{chain}]",
            *(
                f"[defeasible r{chain}_{step}: {f'x{chain}_{step - 1}' if step else f'a{chain}'} => x{chain}_{step}]"
                for step in range(4)
            ),
            f"[defeasible g{chain}: x{chain}_3 => {'-' if chain % 2 else ''}goal]",
        )
    ]
    theory = Theory.parse("\n".join(chains))
    assert len(evaluate(theory, ORDERING).arguments) == 60
    seconds = []
    for attempt in range(50):
        answer = f"[defeasible n{attempt}: a0 => -g1]\n[prefer_rule: g0 > g1]"
        start = time.process_time()
        scored(answer, Goal("goal", "justified"), theory=theory)
        seconds.append(time.process_time() - start)
    assert statistics.median(seconds) < 0.02
