"""status_query: balanced claims on which the ordering bears, and a scorer that keeps to the prompt."""

from __future__ import annotations

import itertools
from collections import Counter
from statistics import mean

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.gates import active_literals, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import StatusQuestion
from arggym_env.envs.scoring import score
from arggym_env.envs.status_query import LEVELS
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import atom_of
from tests.envs.samples import sample, samples

SAMPLED = (1, 4, 8, 12, 15)
every_level = pytest.mark.parametrize("level", SAMPLED)


def claims_of(instance: Instance) -> tuple[str, ...]:
    assert isinstance(instance.question, StatusQuestion)
    return instance.question.claims


def gold_of(instance: Instance) -> dict[str, str]:
    return dict(line.split(": ") for line in instance.reference.splitlines())


def scored(instance: Instance, answer: dict[str, str] | str) -> Score:
    text = answer if isinstance(answer, str) else "\n".join(f"{claim}: {status}" for claim, status in answer.items())
    return score(instance, f"<answer>\n{text}\n</answer>")


@every_level
def test_labels_are_balanced_and_all_occur(level: int) -> None:
    for instance in samples("status_query", level):
        counts = Counter(gold_of(instance).values())
        assert set(counts) == set(CLAIM_STATUSES)
        assert max(counts.values()) - min(counts.values()) <= 1
        assert len(claims_of(instance)) == instance.stats["queries"] == LEVELS[level - 1].queries >= 3


def test_the_number_of_claims_grows() -> None:
    queries = [level.queries for level in LEVELS]
    assert all(low <= high for low, high in itertools.pairwise(queries))
    assert queries[0] < queries[5] < queries[10]


@every_level
def test_claims_are_different_literals_of_the_theory_and_no_rule_names(level: int) -> None:
    for instance in samples("status_query", level):
        claims = claims_of(instance)
        assert len(set(claims)) == len(claims)
        assert set(claims) <= instance.theory.occurring
        assert not {atom_of(claim) for claim in claims} & instance.theory.rule_names


@every_level
@pytest.mark.parametrize("engine", ["native", "pyarg"])
def test_the_gold_is_what_the_engines_compute(level: int, engine: str) -> None:
    instance = sample("status_query", level, ORDERINGS[SAMPLED.index(level) % 4])
    state = evaluate(instance.theory, instance.ordering, engine=engine)
    assert gold_of(instance) == {claim: state.status(claim) for claim in claims_of(instance)}
    assert list(gold_of(instance)) == list(claims_of(instance))


@every_level
def test_both_choices_of_the_ordering_bear_on_the_theory(level: int) -> None:
    for instance in samples("status_query", level):
        state = evaluate(instance.theory, instance.ordering)
        active = active_literals(state)
        assert active.principle
        assert active.lift
        assert state.is_consistent
        for other in switched(instance.ordering):
            assert evaluate(instance.theory, other).statuses() != state.statuses()


def test_the_ordering_bears_on_the_asked_claims_of_most_instances() -> None:
    changed = [
        any(evaluate(instance.theory, other).status(claim) != status for claim, status in gold_of(instance).items())
        for level in SAMPLED
        for instance in samples("status_query", level)
        for other in switched(instance.ordering)
    ]
    assert mean(changed) > 0.7


@every_level
def test_theories_have_the_size_and_depth_of_their_level(level: int) -> None:
    low, high = LEVELS[level - 1].arguments
    for instance in samples("status_query", level):
        assert low <= instance.stats["arguments"] <= high
        assert instance.stats["depth"] == LEVELS[level - 1].depth


def test_the_place_of_a_claim_says_nothing_about_its_status() -> None:
    first = Counter(
        next(iter(gold_of(sample("status_query", 4, o, seed)).values())) for o in ORDERINGS for seed in range(30)
    )
    assert min(first[status] for status in CLAIM_STATUSES) > 20


def test_the_sign_and_the_name_of_a_claim_say_little_about_its_status() -> None:
    labels: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    early: Counter[str] = Counter()
    for ordering in ORDERINGS:
        for seed in range(30):
            for claim, status in gold_of(sample("status_query", 4, ordering, seed)).items():
                labels[claim.startswith("-")][status] += 1
                early[status] += atom_of(claim) < "n"
    for counts in labels.values():
        assert max(counts.values()) < 0.5 * counts.total()
    assert max(early.values()) < 0.45 * early.total()


# The prompt's sentences against the scorer


@pytest.fixture
def instance() -> Instance:
    return sample("status_query", 4)


@pytest.mark.parametrize("status", CLAIM_STATUSES)
def test_no_label_passes_for_another(instance: Instance, status: str) -> None:
    gold = gold_of(instance)
    for claim, right in gold.items():
        verdict = scored(instance, {**gold, claim: status})
        assert verdict.success == (status == right)
        assert (verdict.native == 1.0) == (status == right)
    constant = scored(instance, dict.fromkeys(gold, status))
    assert constant.native == pytest.approx(1 / 3)
    assert constant.reason is Reason.WRONG


def test_a_missing_claim_lowers_the_score(instance: Instance) -> None:
    gold = gold_of(instance)
    assert "a missing claim, a claim that was not asked" in " ".join(instance.prompt.split())
    for claim in gold:
        verdict = scored(instance, {each: status for each, status in gold.items() if each != claim})
        assert verdict.native == pytest.approx(2 * 5 / (5 + 6))
        assert not verdict.success


def test_a_claim_that_was_not_asked_lowers_the_score(instance: Instance) -> None:
    gold = gold_of(instance)
    state = evaluate(instance.theory, instance.ordering)
    extra = next(literal for literal in instance.theory.literals if literal not in gold)
    verdict = scored(instance, {**gold, extra: state.status(extra)})
    assert verdict.native == pytest.approx(2 * 6 / (7 + 6))
    assert not verdict.success


def test_a_claim_with_two_statuses_lowers_the_score(instance: Instance) -> None:
    assert "a claim with two different statuses" in " ".join(instance.prompt.split())
    claim, right = next(iter(gold_of(instance).items()))
    other = next(status for status in CLAIM_STATUSES if status != right)
    for text in (f"{instance.reference}\n{claim}: {other}", f"{claim}: {other}\n{instance.reference}"):
        verdict = scored(instance, text)
        assert verdict.native == pytest.approx(2 * 5 / (6 + 6))
        assert not verdict.success


def test_a_line_that_cannot_be_read_lowers_the_score(instance: Instance) -> None:
    assert "a line that cannot be read each lower it" in " ".join(instance.prompt.split())
    for line in ("so the answer is clear", "ab1 justified", "ab1:", ": justified", "ab1: justifed", "ab1: justifiedX"):
        verdict = scored(instance, f"{instance.reference}\n{line}")
        assert verdict.native == pytest.approx(2 * 6 / (7 + 6)), line
        assert not verdict.success


def test_what_the_prompt_does_not_forbid_costs_nothing(instance: Instance) -> None:
    gold = gold_of(instance)
    claim, status = next(iter(gold.items()))
    for text in (
        "\n".join(reversed(instance.reference.splitlines())),
        f"{instance.reference}\n{claim}: {status}",
        instance.reference.replace(": ", ":"),
        instance.reference.replace(": ", "  :   "),
        "\n".join(f"{each}: {label.capitalize()}" for each, label in gold.items()),
    ):
        assert scored(instance, text).success, text


def test_right_labels_for_other_names_earn_nothing(instance: Instance) -> None:
    other = sample("status_query", 4, seed=1)
    assert scored(instance, gold_of(other)).native < 0.5
    near = {claim[:-1] + str((int(claim[-1]) + 1) % 10): status for claim, status in gold_of(instance).items()}
    assert scored(instance, near).native == 0.0


def test_labels_on_one_line_earn_nothing(instance: Instance) -> None:
    gold = gold_of(instance)
    for text in (
        ", ".join(f"{claim}: {status}" for claim, status in gold.items()),
        "; ".join(gold),
        "\n".join(f"{claim}: justified overruled undecided" for claim in gold),
        "\n".join(f"{claim}: justified or overruled" for claim in gold),
    ):
        assert scored(instance, text).native == 0.0, text
