"""semantics_query: balanced queries on which semantics differ, a gold that three methods give, no text-only rule."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from statistics import mean

import pytest

from arggym_env.engine import ORDERINGS, SEMANTICS, State, evaluate
from arggym_env.engine.bits import mask_of
from arggym_env.engine.framework import components, grounded_labelling
from arggym_env.envs.gates import switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.envs.semantics_query import LEVELS, Query, SemanticsQuestion
from arggym_env.rewards.pairs import CLAIM_STATUSES, STATUSES_UNDER_SEMANTICS
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import atom_of
from tests.engine.test_framework import clingo_complete, from_complete
from tests.envs.samples import BANDS, sample, samples
from tests.envs.text_only import odd_cycles, unguarded_odd_cycle, without_strength

TASK = "semantics_query"
SAMPLED = (1, 4, 8, 12, 15)
NONE = "no stable extension"
MOST_FOR_PYARG = 15
"""The largest entangled part that PyArg searches in reasonable time."""
every_level = pytest.mark.parametrize("level", SAMPLED)


def queries_of(instance: Instance) -> tuple[Query, ...]:
    assert isinstance(instance.question, SemanticsQuestion)
    return instance.question.queries


def gold_of(instance: Instance) -> dict[str, str]:
    return dict(line.split(": ") for line in instance.reference.splitlines())


def answers_of(instance: Instance) -> list[tuple[Query, str]]:
    return list(zip(queries_of(instance), gold_of(instance).values(), strict=True))


def has_stable_extension(instance: Instance) -> bool:
    return not instance.stats["no_stable_extension"]


def scored(instance: Instance, answer: dict[str, str] | str) -> Score:
    text = answer if isinstance(answer, str) else "\n".join(f"{key}: {status}" for key, status in answer.items())
    return score(instance, f"<answer>\n{text}\n</answer>")


# The queries


@every_level
def test_statuses_are_balanced_within_each_semantics(level: int) -> None:
    asked = LEVELS[level - 1]
    for instance in samples(TASK, level, 2):
        columns: dict[str, Counter[str]] = {}
        for query, status in answers_of(instance):
            columns.setdefault(query.semantics, Counter())[status] += 1
        assert len(columns) == asked.semantics
        for name, column in columns.items():
            if name == "stable" and not has_stable_extension(instance):
                assert column == {NONE: asked.claims}
            else:
                assert column == dict.fromkeys(CLAIM_STATUSES, asked.claims // 3)


@every_level
def test_every_instance_has_claims_on_which_the_asked_semantics_differ(level: int) -> None:
    for instance in samples(TASK, level, 2):
        statuses: dict[str, set[str]] = {}
        for query, status in answers_of(instance):
            statuses.setdefault(query.claim, set()).add(status)
        differing = sum(len(values - {NONE}) > 1 for values in statuses.values())
        assert differing == instance.stats["differing"] >= LEVELS[level - 1].differing >= 1


@every_level
def test_claims_are_literals_with_arguments_and_no_pair_is_asked_twice(level: int) -> None:
    for instance in samples(TASK, level):
        queries = queries_of(instance)
        assert len(set(queries)) == len(queries) == instance.stats["queries"]
        state = evaluate(instance.theory, instance.ordering)
        for query in queries:
            assert atom_of(query.claim) not in instance.theory.rule_names
            assert state.arguments_for(query.claim)


def test_the_choice_of_claims_does_not_give_the_absence_of_a_stable_extension_away() -> None:
    """Where stable semantics is asked, its claims are balanced by their sceptical statuses if there is no extension."""
    for instance in unstable_instances():
        state = evaluate(instance.theory, instance.ordering)
        column = Counter(
            state.status(query.claim, "sceptical preferred")
            for query in queries_of(instance)
            if query.semantics == "stable"
        )
        assert len(set(column.values())) <= 1


def unstable_instances() -> list[Instance]:
    instances = [one for level in (4, 8, 12, 15) for one in samples(TASK, level, 4)]
    return [one for one in instances if not has_stable_extension(one)]


@every_level
def test_both_choices_of_the_ordering_bear_on_the_answer(level: int) -> None:
    for instance in samples(TASK, level):
        assert evaluate(instance.theory, instance.ordering).is_consistent
        for other in switched(instance.ordering):
            state = evaluate(instance.theory, other)
            assert any(state.status(query.claim, query.semantics) != gold for query, gold in answers_of(instance))


def test_the_task_grows() -> None:
    for name in ("semantics", "claims", "differing", "even", "odd", "longest", "layers", "spacing", "reach", "size"):
        values = [getattr(level, name) for level in LEVELS]
        assert all(low <= high for low, high in itertools.pairwise(values)), name
        assert values[0] < values[-1], name


# What occurs


@pytest.mark.parametrize("band", BANDS[1:], ids=str)
def test_instances_without_stable_extension_are_a_share_of_every_band(band: range) -> None:
    shares = [not has_stable_extension(one) for level in (band[0], band[2], band[4]) for one in samples(TASK, level, 5)]
    assert 0.1 < mean(shares) < 0.45


def test_the_first_levels_have_stable_extensions() -> None:
    assert all(has_stable_extension(one) for level in (1, 2) for one in samples(TASK, level, 3))


def test_statuses_part_in_every_way_that_cycles_make_possible() -> None:
    ways = Counter(
        tuple(str(state.status(literal, name)) for name in SEMANTICS)
        for level in (8, 12, 15)
        for instance in samples(TASK, level, 2)
        for state in [evaluate(instance.theory, instance.ordering)]
        for literal in sorted(instance.theory.occurring)
    )
    und, just, over = "undecided", "justified", "overruled"
    for way in (
        (und, just, und, und, und),  # one side of an even ring
        (und, just, just, just, und),  # a floating conclusion
        (und, over, over, over, und),  # a floating defeat
        (und, und, und, NONE, und),  # on an odd ring
        (und, just, just, NONE, und),  # floating, next to an odd ring
        (und, just, und, just, just),  # the choice that decides an odd ring
        (und, just, und, over, over),  # the choice against it
    ):
        assert ways[way] >= 3, way


# Three methods


def attackers_of(state: State) -> list[int]:
    """Return the defeaters of each argument, read off the list of defeats."""
    sources: list[list[int]] = [[] for _ in state.arguments]
    for attacker, attacked in state.defeats:
        sources[attacked.index].append(attacker.index)
    return [mask_of(indices) for indices in sources]


def by_definition(extensions: Iterable[int], attackers: list[int], arguments: int, *, credulous: bool) -> str:
    """Return the status of a claim with these ``arguments``, from the words of the prompt."""
    extensions = list(extensions)
    if not extensions:
        return NONE
    holds = [bool(extension & arguments) for extension in extensions]
    if any(holds) if credulous else all(holds):
        return "justified"
    defeated = [mask_of(i for i, mask in enumerate(attackers) if mask & extension) for extension in extensions]
    return "overruled" if all(not arguments & ~out for out in defeated) else "undecided"


@every_level
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_clingo_and_the_definitions_give_the_gold(level: int, ordering: str) -> None:
    instance = sample(TASK, level, ordering)
    state = evaluate(instance.theory, ordering)
    attackers = attackers_of(state)
    complete = clingo_complete(attackers)
    for query, gold in answers_of(instance):
        words = query.semantics.split()
        status = by_definition(
            from_complete(attackers, complete, words[-1]),
            attackers,
            mask_of(argument.index for argument in state.arguments_for(query.claim)),
            credulous=words[0] == "credulous",
        )
        assert status == gold, (instance.id, str(query))


def feasible_for_pyarg(instance: Instance) -> bool:
    attackers = attackers_of(evaluate(instance.theory, instance.ordering))
    parts = components(attackers, grounded_labelling(attackers))
    return max(len(part.indices) for part in parts) <= MOST_FOR_PYARG


def check_with_pyarg(level: int, ordering: str, count: int) -> None:
    chosen = [one for one in (sample(TASK, level, ordering, seed) for seed in range(40)) if feasible_for_pyarg(one)]
    assert len(chosen) >= count, "no instance is small enough"
    for instance in chosen[:count]:
        oracle = evaluate(instance.theory, ordering, engine="pyarg")
        for query, gold in answers_of(instance):
            assert oracle.status(query.claim, query.semantics) == gold, (instance.id, str(query))


@pytest.mark.parametrize("level", [1, 4, 8])
def test_pyarg_gives_the_gold(level: int) -> None:
    check_with_pyarg(level, ORDERINGS[level % 4], 1)


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("level", range(1, 9))
def test_pyarg_gives_the_gold_at_every_level_that_it_can_search(level: int, ordering: str) -> None:
    check_with_pyarg(level, ordering, 2 if level < 6 else 1)


# What can be said without thinking


@every_level
def test_no_constant_answer_is_worth_much_in_any_column(level: int) -> None:
    for instance in samples(TASK, level):
        answers = get_task(TASK).attacks(instance)
        share = 1 / instance.stats["semantics"] if "stable" in {q.semantics for q in queries_of(instance)} else 0.0
        alone = 0.0 if has_stable_extension(instance) else share
        for label in CLAIM_STATUSES:
            constant = scored(instance, answers[f"all_{label}"])
            assert constant.native == pytest.approx((1 - alone) / 3)
            best = scored(instance, answers[f"unstable_else_{label}"])
            expected = (1 + 2 * alone) / 3 if alone else (1 - share) / 3
            assert best.native == pytest.approx(expected)
        assert instance.floor <= (1 + 2 * alone) / 3 + 1e-9
        assert not any(scored(instance, answer).success for answer in answers.values())


@pytest.mark.parametrize("band", BANDS, ids=str)
def test_floors_are_low_on_average(band: range) -> None:
    assert mean(one.floor for level in (band[0], band[2], band[4]) for one in samples(TASK, level, 5)) <= 0.40


def test_every_text_has_an_odd_cycle_whether_there_is_a_stable_extension_or_not() -> None:
    for level in (4, 8, 12, 15):
        for instance in samples(TASK, level, 2):
            assert odd_cycles(instance.theory)


def test_no_rule_about_cycles_in_the_text_answers_the_questions_about_stable_semantics() -> None:
    """Two such rules, and one that never expects the absence; claims get the status that they have without strength."""
    right: dict[str, list[bool]] = {"odd cycle": [], "unguarded odd cycle": [], "always stable": []}
    for level in (4, 6, 8, 10, 12, 14, 15):
        for instance in samples(TASK, level, 3):
            theory = instance.theory
            absent = {
                "odd cycle": bool(odd_cycles(theory)),
                "unguarded odd cycle": unguarded_odd_cycle(theory),
                "always stable": False,
            }
            guess = without_strength(theory, instance.ordering)
            for query, gold in answers_of(instance):
                if query.semantics == "stable":
                    status = guess.status(query.claim, "sceptical preferred")
                    for rule, expected in absent.items():
                        right[rule].append(gold == (NONE if expected else status))
    assert len(right["odd cycle"]) > 200
    for rule, hits in right.items():
        assert mean(hits) < 0.55, rule


# The prompt's sentences against the scorer


DEFINITIONS = {
    "grounded": "- grounded: the one extension",
    "credulous preferred": "some extension contains one",
    "sceptical preferred": "- preferred (credulous or sceptical)",
    "stable": "- stable: the extensions",
    "eager": "- eager: the range",
}


@pytest.mark.parametrize("level", range(1, 16))
def test_the_prompt_defines_the_semantics_that_it_asks_about_and_no_other(level: int) -> None:
    for ordering in ORDERINGS[:2]:
        instance = sample(TASK, level, ordering)
        prompt = " ".join(instance.prompt.split())
        asked = {query.semantics for query in queries_of(instance)}
        preferred = any("preferred" in name for name in asked)
        for name, sentence in DEFINITIONS.items():
            wanted = name in asked or name == "grounded" or (name == "sceptical preferred" and preferred)
            assert (sentence in prompt) == wanted, name
        assert (NONE in prompt) == ("stable" in asked)
        for query in queries_of(instance):
            assert f"\n{query}\n" in instance.prompt


def test_no_label_passes_for_another_and_no_semantics_for_another() -> None:
    for level in (4, 12):
        for instance in samples(TASK, level):
            gold = gold_of(instance)
            for (key, right), status in itertools.product(gold.items(), STATUSES_UNDER_SEMANTICS):
                verdict = scored(instance, {**gold, key: status})
                assert verdict.success == (status == right) == (verdict.native == 1.0)
            key, *rest = gold
            for name in SEMANTICS:
                moved = f"{key.split()[0]} under {name}"
                verdict = scored(instance, {moved: gold[key], **{kept: gold[kept] for kept in rest}})
                assert verdict.success == (moved == key)
            contradicted = scored(instance, "\n".join([instance.reference, *(f"{key}: {s}" for s in CLAIM_STATUSES)]))
            assert contradicted.reason is Reason.WRONG


def test_names_of_semantics_may_be_written_in_any_case() -> None:
    instance = sample(TASK, 12)
    text = (
        instance.reference.replace(" under ", "  UNDER ").replace("preferred", "Preferred").replace("stable", "STABLE")
    )
    assert scored(instance, text).success
