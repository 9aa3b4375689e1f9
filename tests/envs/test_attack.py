"""attack: rebuts are not enough, minima are exact, and every sentence of the prompt is what the scorer does."""

from __future__ import annotations

import re
from statistics import mean

import pytest

from arggym_env.coordinates import Coordinates
from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.attack import LEVELS, TASK
from arggym_env.envs.gates import active_literals
from arggym_env.envs.instance import Instance
from arggym_env.envs.minimum import separate_cuts
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.scoring import score
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.execution import Goal
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import DefeasibleRule, StrictRule, Theory, negate
from tests.envs.samples import BANDS, sample, samples, target
from tests.envs.status_blind import cut_everything

SAMPLED = (1, 3, 7, 11, 15)
every_level = pytest.mark.parametrize("level", SAMPLED)


def run(instance: Instance, answer: str, engine: str = "native") -> Score:
    return score(instance, f"<answer>\n{answer}\n</answer>", engine=engine)


@every_level
def test_the_target_is_justified_and_the_goal_is_to_overrule_it(level: int) -> None:
    for instance in samples("attack", level):
        goal = target(instance)
        assert goal.status == "overruled"
        for engine in ("native",) if level > 3 else ("native", "pyarg"):
            state = evaluate(instance.theory, instance.ordering, engine=engine)
            assert state.status(goal.literal) == "justified"
            assert state.is_consistent
        assert f"The claim {goal.literal} is justified at present" in instance.prompt


@every_level
def test_the_minimum_is_the_levels_and_proven(level: int) -> None:
    for instance in samples("attack", level):
        assert instance.min_directives == LEVELS[level - 1].minimum
        state = evaluate(instance.theory, instance.ordering)
        assert separate_cuts(state, target(instance).literal) == instance.min_directives


def test_minima_and_decoys_grow() -> None:
    minima = [level.minimum for level in LEVELS]
    assert minima == sorted(minima)
    assert mean(minima[:5]) < mean(minima[5:10]) < mean(minima[10:])
    for level in LEVELS:
        assert level.minimum + level.decoys > 2 * level.minimum, "cutting live and dead clusters is too expensive"


@every_level
def test_some_routes_end_in_a_strict_rule_and_some_are_dead(level: int) -> None:
    for instance in samples("attack", level):
        state = evaluate(instance.theory, instance.ordering)
        routes = state.arguments_for(target(instance).literal)
        live = [route for route in routes if state.label(route) == "in"]
        assert any(isinstance(route.top_rule, StrictRule) for route in live)
        dead = sum(state.label(route) == "out" for route in routes)
        assert dead == instance.stats["dead_routes"] >= LEVELS[level - 1].decoys > LEVELS[level - 1].minimum
        assert len(routes) == instance.stats["routes"]


@every_level
def test_both_choices_of_the_ordering_bear_on_the_theory(level: int) -> None:
    for instance in samples("attack", level):
        active = active_literals(evaluate(instance.theory, instance.ordering))
        assert active.principle
        assert active.lift


@every_level
def test_a_bare_rebut_fails_from_every_literal(level: int) -> None:
    instance = sample("attack", level, ORDERINGS[SAMPLED.index(level) % 4])
    against = negate(target(instance).literal)
    starts = sorted(instance.theory.occurring - {against})
    for start in starts if level < 7 else starts[::4]:
        state = evaluate(instance.theory.add([DefeasibleRule("zz_new", (start,), against)]), instance.ordering)
        assert state.status(target(instance).literal) == "justified"


@every_level
def test_rebuts_with_any_preference_for_them_fail(level: int) -> None:
    for instance in samples("attack", level):
        literal = target(instance).literal
        start = (*instance.theory.axioms, *instance.theory.premises)[0]
        into = [rule for rule in instance.theory.defeasible_rules if rule.consequent == literal]
        lines = [f"[defeasible zz_new: {start} => {negate(literal)}]"]
        lines += [f"[prefer_rule: zz_new > {rule.name}]" for rule in into]
        theory = instance.theory.add(
            Theory.parse(str(instance.theory) + "\n" + "\n".join(lines)).directives[-len(lines) :]
        )
        assert evaluate(theory, instance.ordering).status(literal) == "justified"


@every_level
def test_the_reference_succeeds_under_the_other_engine_too(level: int) -> None:
    instance = sample("attack", level, ORDERINGS[1])
    verdict = run(instance, instance.reference, engine="pyarg")
    assert (verdict.native, verdict.success) == (1.0, True)


def _blind_success(levels: range, seeds: int) -> float:
    successes = []
    for level in levels:
        if level >= 3:
            for instance in samples("attack", level, seeds):
                state = evaluate(instance.theory, instance.ordering)
                successes.append(run(instance, cut_everything(instance, state, target(instance).literal)).success)
    return mean(successes)


@pytest.mark.parametrize("band", BANDS, ids=["L3-5", "L6-10", "L11-15"])
def test_cutting_all_arguments_whatever_their_status_hardly_ever_succeeds(band: range) -> None:
    """The smallest set of undercuts (greedily) that severs every argument for the target, dead ones included."""
    assert _blind_success(band, seeds=1) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("band", BANDS, ids=["L3-5", "L6-10", "L11-15"])
def test_cutting_all_arguments_hardly_ever_succeeds_on_many_instances(band: range) -> None:
    assert _blind_success(band, seeds=8) < 0.05


# The prompt's sentences against the scorer, on a theory made by hand

HAND = Theory.parse("""
[premise: a]
[premise: b]
[premise: -b]
[premise: -e]
[axiom: s]
[axiom: -d]
[premise: d]
[defeasible r1: a => p]
[defeasible r2: p => t]
[strict r3: p -> q]
[defeasible r4: s => u]
[defeasible r5: a => -u]
[prefer_rule: r4 > r5]
""")


def by_hand(minimum: int | None = 3) -> Instance:
    """Return an instance that asks to overrule t in HAND."""
    question = GoalQuestion((Goal("t", "overruled"),))
    return Instance(
        coordinates=Coordinates("attack", 1, ORDERINGS[0], "train", 0),
        prompt=TASK.prompt(HAND, question, ORDERINGS[0]),
        theory=HAND,
        question=question,
        reference="[defeasible n1: s => -r2]",
        min_directives=minimum,
        floor=0.0,
        stats=FrozenMap(),
        rejections=FrozenMap(),
    )


CUT = "[defeasible n1: s => -r2]"

DROPPED: dict[str, tuple[str, str]] = {
    "no others: axioms": ("[axiom: -t]", "of these forms and no others"),
    "no others: strict rules": ("[strict n: s -> -t]", "of these forms and no others"),
    "no others: new premises": ("[premise: zz]", "of these forms and no others"),
    "antecedent that does not occur": ("[defeasible n: zz => -t]", "must be a literal that occurs in the theory above"),
    "antecedent in the other sign": ("[defeasible n: -a => -t]", "in that sign"),
    "antecedent of the answer's own": ("[defeasible n: n0 AND a => -t]", "must be a literal that occurs"),
    "consequent among antecedents": ("[defeasible n: a AND s => a]", "any literal that is not among the antecedents"),
    "a rule's name as consequent": ("[defeasible n: a => r1]", "a rule's name by itself is no literal"),
    "a rule's name as antecedent": ("[defeasible n: r1 => -t]", "must be a literal that occurs in the theory above"),
    "undercut of itself": ("[defeasible n: a => -n]", "a rule of your own cannot be undercut"),
    "a name of the theory": ("[defeasible r1: s => -t]", "The rule's NAME must be new"),
    "an atom of the theory": ("[defeasible a: s => -t]", "used neither in the theory"),
    "an atom of the answer": ("[defeasible n: s => n]", "nor as a literal of your answer"),
    "a twin": ("[defeasible n: a => p]", "same antecedents and consequent as another"),
    "a twin of a strict rule": ("[defeasible n: p => q]", "same antecedents and consequent as another"),
    "contrary of a derived literal": ("[premise: -p]", "only where [premise: p] stands in the theory above"),
    "contrary of an axiom": ("[premise: -s]", "only where [premise: p] stands in the theory above"),
    "contrary of a negative premise": ("[premise: e]", "(p without -)"),
    "a premise again": ("[premise: -b]", "and -p does not"),
    "a premise that is an axiom": ("[premise: -d]", "and -p does not"),
    "a rule against itself": ("[prefer_rule: r1 > r1]", "two different defeasible rules"),
    "a strict rule": ("[prefer_rule: r3 > r1]", "two different defeasible rules"),
    "an unknown rule": ("[prefer_rule: zz > r1]", "of the theory or added by an earlier line"),
    "a premise against itself": ("[prefer_premise: a > a]", "two different ordinary premises"),
    "an axiom": ("[prefer_premise: s > a]", "two different ordinary premises"),
    "a derived literal": ("[prefer_premise: p > a]", "two different ordinary premises"),
    "the theory's preference again": ("[prefer_rule: r4 > r5]", "Repeating a directive is not allowed"),
}


@pytest.mark.parametrize("case", DROPPED)
def test_a_directive_that_breaks_a_stated_rule_is_dropped_and_counts(case: str) -> None:
    line, sentence = DROPPED[case]
    instance = by_hand(minimum=2)
    assert sentence in " ".join(instance.prompt.split())
    verdict = run(instance, f"{line}\n{CUT}")
    assert len(verdict.detail["refused"]) == 1  # type: ignore[arg-type]
    assert verdict.detail["retained"] == [CUT]
    assert verdict.detail["directives"] == 2
    assert (verdict.native, verdict.success) == (1.0, True)
    alone = run(by_hand(), line)
    assert (alone.native, alone.success, alone.reason) == (0.0, False, Reason.GOALS_MISSED)
    dear = run(by_hand(minimum=1), f"{line}\n{CUT}")
    assert (dear.native, dear.success, dear.reason) == (0.75, True, Reason.NOT_MINIMAL)


ALLOWED: dict[str, tuple[str, str]] = {
    "several antecedents": ("[defeasible n: a AND s => zz]", "several antecedents joined with AND"),
    "a literal of the theory": ("[defeasible n: a => -q]", "the consequent may be any literal"),
    "a new literal": ("[defeasible n: a => zz]", "the consequent may be any literal"),
    "an undercut": ("[defeasible n: a => -r4]", "-r to undercut a rule r of the theory above"),
    "an undercut of a strict rule": ("[defeasible n: a => -r3]", "undercutting a strict rule has no effect"),
    "an undercut literal as antecedent's consequent": ("[defeasible n: -u => zz]", "occurs in the theory above"),
    "a contrary": ("[premise: -a]", "[premise: -p] is allowed only where"),
    "a preference": ("[prefer_rule: r1 > r2]", "A preference compares two different defeasible rules"),
    "a reversed preference": ("[prefer_rule: r5 > r4]", "Stating the opposite of a preference"),
    "a preference of premises": ("[prefer_premise: a > b]", "two different ordinary premises"),
    "a long name": ("[defeasible N_1_new: a => zz]", "a letter followed by letters, digits or underscores"),
}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_the_prompt_allows_is_retained(case: str) -> None:
    line, sentence = ALLOWED[case]
    instance = by_hand(minimum=2)
    assert sentence in " ".join(instance.prompt.split())
    verdict = run(instance, f"{line}\n{CUT}")
    assert verdict.detail["refused"] == []
    assert verdict.success


def test_undercutting_a_strict_rule_has_no_effect() -> None:
    state = evaluate(HAND.add([DefeasibleRule("n", ("s",), "-r3")]), ORDERINGS[0])
    assert state.status("q") == "justified"


def test_stating_the_opposite_makes_a_tie() -> None:
    assert evaluate(HAND, ORDERINGS[0]).status("u") == "justified"
    tied = Theory.parse(f"{HAND}\n[prefer_rule: r5 > r4]")
    assert evaluate(tied, ORDERINGS[0]).status("u") == "undecided"


def test_preferences_may_name_what_an_earlier_line_added_but_not_a_later_one() -> None:
    first, second = "[defeasible n: s => -t]", "[prefer_rule: n > r2]"
    assert run(by_hand(), f"{first}\n{second}").detail["refused"] == []
    assert len(run(by_hand(), f"{second}\n{first}").detail["refused"]) == 1  # type: ignore[arg-type]
    contrary, preferred = "[premise: -a]", "[prefer_premise: -a > a]"
    assert run(by_hand(), f"{contrary}\n{preferred}").success
    assert not run(by_hand(), f"{preferred}\n{contrary}").success


def test_repeated_directives_count_and_do_nothing_else() -> None:
    verdict = run(by_hand(minimum=1), f"{CUT}\n{CUT}")
    assert (verdict.native, verdict.success) == (0.75, True)


@pytest.mark.parametrize(
    ("minimum", "directives", "native"),
    [(1, 1, 1.0), (1, 2, 0.75), (2, 1, 1.0), (2, 2, 1.0), (2, 3, 5 / 6), (2, 4, 0.75)],
)
def test_n_up_to_m_earns_full_marks_and_more_earns_less(minimum: int, directives: int, native: float) -> None:
    instance = by_hand(minimum)
    assert "n up to m earns full marks, more earns less, and more than 2m earns nothing" in instance.prompt
    padding = [f"[defeasible n{index}: s => zz{index}]" for index in range(2, directives + 1)]
    verdict = run(instance, "\n".join([CUT, *padding]))
    assert verdict.success
    assert verdict.native == pytest.approx(native)


@pytest.mark.parametrize("minimum", [1, 2, 3])
def test_more_than_twice_the_minimum_earns_nothing(minimum: int) -> None:
    padding = [f"[defeasible n{index}: s => zz{index}]" for index in range(2, 2 * minimum + 2)]
    verdict = run(by_hand(minimum), "\n".join([CUT, *padding]))
    assert (verdict.native, verdict.success, verdict.reason) == (0.0, False, Reason.TOO_MANY_DIRECTIVES)


@pytest.mark.parametrize(
    "line", ["so t is overruled", "[defeasible: s => -t]", "[premise: x y]", "n1: s => -r2", "[undercut: r2]"]
)
def test_one_unreadable_line_makes_the_answer_worth_nothing(line: str) -> None:
    for text in (f"{CUT}\n{line}", f"{line}\n{CUT}"):
        verdict = run(by_hand(), text)
        assert (verdict.native, verdict.success, verdict.reason) == (0.0, False, Reason.UNREADABLE)


def test_an_inconsistent_theory_earns_nothing() -> None:
    assert "no literal is justified together with its negation" in " ".join(by_hand().prompt.split())
    theory = Theory.parse(
        "[axiom: s]\n[premise: a]\n[defeasible r1: a => p]\n[strict r2: p -> q]\n[defeasible r3: s => t]"
    )
    question = GoalQuestion((Goal("t", "overruled"),))
    instance = by_hand()
    contradictory = Instance(instance.coordinates, "", theory, question, CUT, 2, 0.0, FrozenMap(), FrozenMap())
    # q cannot be rebutted, because its last rule is strict, and is too weak to rebut -q.
    added = "[defeasible n1: s => -r3]\n[defeasible n2: s => -q]\n[prefer_rule: n2 > r1]"
    verdict = run(contradictory, added)
    assert (verdict.native, verdict.success, verdict.reason) == (0.0, False, Reason.INCONSISTENT)


def test_missing_the_goal_earns_at_most_a_quarter() -> None:
    verdict = run(by_hand(), "[defeasible n1: s => -t]")
    assert (verdict.success, verdict.reason) == (False, Reason.GOALS_MISSED)
    assert verdict.native == pytest.approx(0.25 * 0.4), "t and -t hold each other undecided"


def test_every_reason_a_construction_may_have_is_in_the_prompt() -> None:
    """The guard on the number of arguments is not a rule of the game: no useful answer comes near it."""
    text = " ".join(by_hand().prompt.split())
    stated = {
        Reason.UNREADABLE: "not a readable directive makes the whole answer worth nothing",
        Reason.NOT_MINIMAL: "more earns less",
        Reason.TOO_MANY_DIRECTIVES: "more than 2m earns nothing",
        Reason.GOALS_MISSED: "The answer is right when the requested status holds",
        Reason.INCONSISTENT: "no literal is justified together with its negation",
        Reason.NO_ANSWER: "between <answer> and </answer>",
        Reason.ANSWER_IN_THOUGHTS: "that follows your thinking counts",
        Reason.EMPTY_ANSWER: "Answer with the directives to add",
    }
    for sentence in stated.values():
        assert sentence in text
    others = {Reason.CORRECT, Reason.NOT_TEXT, Reason.TOO_MANY_ARGUMENTS}
    pairs = {Reason.WRONG}
    assert set(Reason) >= set(stated) | others | pairs


def test_the_opening_names_the_target_and_what_is_asked() -> None:
    assert re.search(r"The claim t is justified at present\. .* make t overruled when they are added", by_hand().prompt)
