"""defeat_diagnosis: records that the engine's defeats give and the builder planned, on which the ordering bears."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import mean

import pytest

import arggym_env.envs.defeat_diagnosis as task_file
from arggym_env.engine import ORDERINGS, Attack, State, evaluate
from arggym_env.envs.defeat_diagnosis import LEVELS, DiagnosisQuestion, build
from arggym_env.envs.draft import Draft
from arggym_env.envs.failure_points import failure_points
from arggym_env.envs.gates import active_literals, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.scoring import score
from arggym_env.envs.strands import FailingSupport, Shape, failing_support
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Rejected
from arggym_env.rewards.diagnosis import KINDS, Diagnosis, FailurePoint, read_diagnosis
from arggym_env.rewards.score import Score
from arggym_env.theory import negate
from tests.envs.samples import BANDS, sample, samples
from tests.envs.text_only import conflicts

TASK = "defeat_diagnosis"
SAMPLED = (1, 4, 8, 12, 15)
every_level = pytest.mark.parametrize("level", SAMPLED)


def target_of(instance: Instance) -> str:
    assert isinstance(instance.question, DiagnosisQuestion)
    return instance.question.target


def gold_of(instance: Instance) -> Diagnosis:
    return read_diagnosis(instance.reference)


def scored(instance: Instance, answer: object) -> Score:
    return score(instance, f"<answer>\n{answer}\n</answer>")


def attacks_on_the_support(state: State, target: str) -> Iterator[Attack]:
    pending = list(state.arguments_for(target))
    parts = set()
    while pending:
        argument = pending.pop()
        if argument not in parts:
            parts.add(argument)
            pending += argument.subarguments
    return (attack for attack in state.attacks if attack.attacked in parts)


# The gold


@every_level
@pytest.mark.parametrize("engine", ["native", "pyarg"])
def test_the_gold_is_what_the_engines_defeats_give(level: int, engine: str) -> None:
    instance = sample(TASK, level, ORDERINGS[SAMPLED.index(level) % 4])
    state = evaluate(instance.theory, instance.ordering, engine=engine)
    gold, target = gold_of(instance), target_of(instance)
    assert tuple(sorted(gold.points)) == failure_points(state, target)
    assert gold.statuses == (state.status(target),)
    assert not gold.unreadable


def test_a_builder_that_plans_other_records_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(draft: Draft, shape: Shape, *, undecided: bool) -> FailingSupport:
        plan = failing_support(draft, shape, undecided=undecided)
        plan.points[0] = replace(plan.points[0], defeater="zz0")
        return plan

    monkeypatch.setattr(task_file, "failing_support", forgetful)
    with pytest.raises(Rejected, match="records_unplanned"):
        build(LEVELS[0], ORDERINGS[0], Stream("forgetful"))


@every_level
def test_records_are_unique_and_of_the_form_that_the_prompt_says(level: int) -> None:
    for instance in samples(TASK, level):
        theory, points = instance.theory, gold_of(instance).points
        assert len({point.defeated_at for point in points}) == len(points) == instance.stats["points"] >= 2
        for point in points:
            if point.kind == "undermine":
                assert point.defeated_at in theory.premises
                assert point.defeater == negate(point.defeated_at)
            else:
                assert point.defeater in theory.rule_names
                assert (point.defeated_at in theory.rule_names) == (point.kind == "undercut")
            assert not point.survives_because or point.survives_because in theory.rule_names


@every_level
def test_every_argument_for_the_target_fails_somewhere_and_there_are_several(level: int) -> None:
    for instance in samples(TASK, level):
        state, points = evaluate(instance.theory, instance.ordering), gold_of(instance).points
        routes = state.arguments_for(target_of(instance))
        assert len(routes) == instance.stats["routes"] >= 2
        failed = {point.defeated_at for point in points}
        for route in routes:
            parts = [route]
            for part in parts:
                parts += part.subarguments
            names = {part.conclusion for part in parts} | {part.top_rule.name for part in parts if part.top_rule}
            assert names & failed, "the route fails at one of the points"


def test_kinds_and_statuses_and_shared_points_all_occur() -> None:
    for band in BANDS:
        instances = [
            sample(TASK, level, o, seed) for level in (band[0], band[2]) for o in ORDERINGS for seed in range(8)
        ]
        kinds = Counter(point.kind for instance in instances for point in gold_of(instance).points)
        assert all(0.2 < kinds[kind] / kinds.total() < 0.5 for kind in KINDS)
        assert 0.3 < mean(gold_of(instance).statuses == ("undecided",) for instance in instances) < 0.7
    assert all(len({point.kind for point in gold_of(one).points}) == 3 for one in samples(TASK, 12))


def test_survival_explanations_occur_from_the_fourth_level_on_a_share_of_instances() -> None:
    for level in (1, 2, 3):
        assert not any(instance.stats["survivals"] for instance in samples(TASK, level, 5))
    for level in (4, 8, 12, 15):
        shares = [instance.stats["survivals"] > 0 for instance in samples(TASK, level, 8)]
        assert 0.2 < mean(shares) < 0.9


@every_level
def test_attacks_on_the_support_fail_next_to_those_that_count(level: int) -> None:
    for instance in samples(TASK, level):
        state = evaluate(instance.theory, instance.ordering)
        on_support = list(attacks_on_the_support(state, target_of(instance)))
        vain = [one for one in on_support if not one.succeeds or state.label(one.attacker) == "out"]
        assert vain
        assert len(vain) < len(on_support)


@every_level
def test_both_choices_of_the_ordering_bear_on_the_diagnosis(level: int) -> None:
    for instance in samples(TASK, level):
        target, gold = target_of(instance), gold_of(instance)
        state = evaluate(instance.theory, instance.ordering)
        assert state.is_consistent
        assert active_literals(state).principle
        for other in switched(instance.ordering):
            there = evaluate(instance.theory, other)
            assert (there.status(target), failure_points(there, target)) != (
                gold.statuses[0],
                tuple(sorted(gold.points)),
            )


def test_the_number_of_points_grows() -> None:
    points = [mean(instance.stats["points"] for instance in samples(TASK, level, 5)) for level in range(1, 16, 2)]
    assert all(low <= high + 0.3 for low, high in itertools.pairwise(points))
    assert points[0] < 4 < 6 < points[-1]


# What can be said without thinking


def test_a_status_by_itself_is_worth_15_on_the_instances_that_have_it() -> None:
    for instance in samples(TASK, 8):
        (status,) = gold_of(instance).statuses
        assert scored(instance, f"status: {status}").native == pytest.approx(0.15)
        assert scored(instance, "status: overruled\nstatus: undecided").native == 0.0
        assert instance.floor == pytest.approx(0.15)


def every_conflict(instance: Instance) -> list[FailurePoint]:
    """Return all conflicts in the rules that the target can rest on, as far as the text shows."""
    theory = instance.theory
    cone, grown = {target_of(instance)}, True
    while grown:
        below = {literal for rule in theory.rules if rule.consequent in cone for literal in rule.antecedents}
        grown = not below <= cone
        cone |= below
    conclusions = {rule.name: rule.consequent for rule in theory.rules}
    points = []
    for unit, targets in conflicts(theory).items():
        for other in targets:
            premise = other.removeprefix("premise ")
            if other != premise and premise in cone:
                points.append(FailurePoint(premise, negate(premise), "undermine"))
            elif other in conclusions and conclusions[other] in cone and unit in conclusions:
                undercut = conclusions[unit] == negate(other)
                at = other if undercut else conclusions[other]
                points.append(FailurePoint(at, unit, "undercut" if undercut else "rebut"))
    return points


def test_listing_every_conflict_below_the_target_is_never_right() -> None:
    natives = []
    for level in SAMPLED:
        for instance in samples(TASK, level, 2):
            points = tuple(every_conflict(instance))
            assert {point.key for point in gold_of(instance).points} <= {point.key for point in points}
            verdicts = [scored(instance, Diagnosis((status,), points)) for status in ("overruled", "undecided")]
            assert not any(verdict.success for verdict in verdicts)
            natives.append(mean(verdict.native for verdict in verdicts))
    assert mean(natives) < 0.65


# The prompt's sentences against the scorer


@pytest.mark.parametrize("level", range(1, 16))
def test_the_prompt_states_the_rule_of_survival_on_every_instance(level: int) -> None:
    prompt = " ".join(sample(TASK, level).prompt.split())
    assert "survives_because: only when B survives a counterattack" in prompt
    assert "If no line needs survives_because, an answer that gives one scores zero." in prompt
    assert f"The claim {target_of(sample(TASK, level))} is not justified." in prompt


def test_each_kind_of_mistake_costs_and_none_passes() -> None:
    for instance in samples(TASK, 12, 2):
        gold = gold_of(instance)
        (status,) = gold.statuses
        assert scored(instance, gold).success
        other = "overruled" if status == "undecided" else "undecided"
        assert scored(instance, replace(gold, statuses=(other,))).native == pytest.approx(0.85)
        assert not scored(instance, replace(gold, statuses=("justified",))).success
        for number, point in enumerate(gold.points):
            rest = (*gold.points[:number], *gold.points[number + 1 :])
            for kind in KINDS:
                changed = scored(instance, replace(gold, points=(*rest, replace(point, kind=kind))))
                assert changed.success == (kind == point.kind) == (changed.native == 1.0)
            for wrong in (rest, (*rest, replace(point, defeater="zz0")), (*rest, replace(point, defeated_at="zz0"))):
                verdict = scored(instance, replace(gold, points=wrong))
                assert verdict.native < 1.0
                assert not verdict.success
            explained = replace(point, survives_because="" if point.survives_because else "zz0")
            verdict = scored(instance, replace(gold, points=(*rest, explained)))
            assert not verdict.success
            assert (verdict.native == 0.0) == (not gold.survivals)
