"""formalization: what only this task promises."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from statistics import mean

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.formalization import LEVELS, TASK, FormalizationQuestion
from arggym_env.envs.gates import switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import expect
from arggym_env.envs.scoring import score
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory, atom_of, negate
from arggym_env.theory.prose import GLOSSARY
from tests.envs.samples import sample, samples
from tests.theory.prose_reader import read_sentence, read_theory, sentences, without_rule_names

ALL_LEVELS = range(1, 16)
SOME_LEVELS = (1, 4, 8, 12, 15)
FIRST_TYPED = 3
FIRST_TEMPTING = 6

every_level = pytest.mark.parametrize("level", ALL_LEVELS)


def scored(instance: Instance, answer: str) -> Score:
    return score(instance, f"<answer>{answer}</answer>")


def question(instance: Instance) -> FormalizationQuestion:
    return expect(FormalizationQuestion, instance.question)


def one_of_each_ordering(level: int) -> Iterator[Instance]:
    for seed, ordering in enumerate(ORDERINGS):
        yield sample("formalization", level, ordering, seed)


@every_level
def test_the_text_alone_determines_the_theory(level: int) -> None:
    for instance in one_of_each_ordering(level):
        read = read_theory(question(instance).description)
        assert without_rule_names(read) == without_rule_names(instance.theory), instance.id
        verdict = scored(instance, str(read))
        assert (verdict.native, verdict.success, verdict.reason) == (1.0, True, Reason.CORRECT)


@every_level
def test_the_given_statuses_are_balanced_and_those_of_the_theory(level: int) -> None:
    for instance in one_of_each_ordering(level):
        state = evaluate(instance.theory, instance.ordering)
        goals = question(instance).statuses
        assert len({goal.literal for goal in goals}) == len(goals) == LEVELS[level - 1].queries
        assert all(state.status(goal.literal) == goal.status for goal in goals)
        assert set(Counter(goal.status for goal in goals).values()) == {len(goals) // 3}
        signs = Counter((goal.status, goal.literal.startswith("-")) for goal in goals)
        assert signs["justified", True] == signs["overruled", True]
        assert all(atom_of(goal.literal) in instance.theory.atoms for goal in goals)


@every_level
def test_both_choices_of_the_ordering_bear_on_the_statuses(level: int) -> None:
    for instance in one_of_each_ordering(level):
        statuses = evaluate(instance.theory, instance.ordering).statuses()
        principle, lift = (evaluate(instance.theory, other).statuses() for other in switched(instance.ordering))
        assert principle != statuses
        assert lift != statuses or level < FIRST_TYPED


def retyped(theory: Theory) -> Iterator[tuple[str, str]]:
    """Yield the theory with all directives of a type read as of another type, where it has some."""
    if theory.axioms:
        yield "axioms as premises", str(theory).replace("[axiom:", "[premise:")
    if theory.strict_rules:
        yield "strict rules as defeasible", str(theory).replace("[strict ", "[defeasible ").replace("->", "=>")
    lines = [line for line in str(theory).splitlines() if not line.startswith("[prefer_rule")]
    yield "defeasible rules as strict", "\n".join(lines).replace("[defeasible ", "[strict ").replace("=>", "->")


@every_level
def test_reading_a_type_as_another_one_throughout_changes_a_status(level: int) -> None:
    kinds = Counter(
        kind
        for instance in samples("formalization", level, seeds=3)
        for kind, answer in retyped(instance.theory)
        if not scored(instance, answer).success
    )
    expected = 3 if level >= FIRST_TYPED else 1
    assert list(kinds.values()) == [len(samples("formalization", level, seeds=3))] * expected, kinds


@every_level
def test_rules_are_the_work_and_axioms_are_rarer_than_strict_rules(level: int) -> None:
    for instance in one_of_each_ordering(level):
        theory = instance.theory
        assert len(theory.premises) <= 0.3 * len(theory.directives)
        if level < FIRST_TYPED:
            assert not theory.axioms
            assert not theory.strict_rules
        else:
            assert 1 <= len(theory.axioms) < len(theory.strict_rules)
        assert theory.rule_preferences or theory.premise_preferences
        assert len(set(theory.directives)) == len(theory.directives)


def test_undercuts_and_both_kinds_of_preference_occur_over_the_levels() -> None:
    theories = [instance.theory for level in (4, 8, 12) for instance in samples("formalization", level)]
    undercuts = [sum(atom_of(rule.consequent) in theory.rule_names for rule in theory.rules) for theory in theories]
    assert mean(undercuts) > 1.5
    assert mean(len(theory.rule_preferences) for theory in theories) > 2
    assert sum(bool(theory.premise_preferences) for theory in theories) > len(theories) / 2
    assert any(atom_of(rule.consequent) in theory.rule_names for theory in theories for rule in theory.strict_rules)


def test_sentences_tempt_from_a_middle_level_on() -> None:
    def tempting(level: int) -> float:
        words = ("looks", "look ", "sound", "passes for", "seem", "some ", "many hold", "called", "was once")
        told = [
            any(word in sentence.lower() for word in words)
            for instance in one_of_each_ordering(level)
            for sentence in sentences(question(instance).description)
            if read_sentence(sentence).kind in {"premise", "axiom", "strict", "defeasible"}
        ]
        return mean(told)

    assert tempting(FIRST_TEMPTING - 1) == 0.0
    assert 0.02 < tempting(FIRST_TEMPTING + 2) < tempting(15) < 0.7


def test_the_levels_are_a_ladder() -> None:
    for low, high in itertools.pairwise(LEVELS):
        assert low.size < high.size
        assert low.conflicts < high.conflicts
        assert (low.queries, low.depth, low.layers, low.tempting) <= (
            high.queries,
            high.depth,
            high.layers,
            high.tempting,
        )
        assert low.depth <= high.depth
        assert low.tempting <= high.tempting


def test_the_prompt_states_what_the_scorer_enforces() -> None:
    for level, ordering in zip((1, 5, 10, 15), ORDERINGS, strict=True):
        instance = sample("formalization", level, ordering)
        words = " ".join(instance.prompt.split())
        assert question(instance).description in instance.prompt
        assert GLOSSARY in instance.prompt
        for goal in question(instance).statuses:
            assert f"{goal.literal}: {goal.status}\n" in instance.prompt
        for rule in (
            "A line that cannot be read",
            "scores zero",
            "thousands of arguments",
            "no two rules have the same antecedents and consequent",
            "does not conclude one of its antecedents",
            "nothing is both axiom and ordinary premise",
            "no two axioms contradict each other",
            "preferences name ordinary premises or defeasible rules that are stated",
            "none that is a name of the description",
            "plain and negated",
            "what your theory does not mention is overruled",
            "whatever the names of rules",
            "axioms and strict rules",
            "stated twice lower it",
        ):
            assert rule in words, rule
        for keyword in ("premise", "axiom", "strict r", "defeasible r", "prefer_premise", "prefer_rule"):
            assert f"[{keyword}: " in instance.prompt
        assert not [name for name in instance.theory.rule_names if name in instance.prompt]


# Wrong answers


def misread(theory: Theory) -> Iterator[tuple[str, str]]:
    """Yield the theory with one directive read wrongly, by the kind of mistake."""
    text = str(theory)
    last_rule = theory.defeasible_rules[-1]
    undercut = next((rule for rule in theory.rules if atom_of(rule.consequent) in theory.rule_names), None)
    yield "a premise as an axiom", text.replace(f"[premise: {theory.premises[0]}]", f"[axiom: {theory.premises[0]}]")
    strict = str(last_rule).replace("[defeasible", "[strict").replace("=>", "->")
    if all(last_rule.name not in str(preference) for preference in theory.rule_preferences):
        yield "a defeasible rule as strict", text.replace(str(last_rule), strict)
    preference = theory.rule_preferences[0] if theory.rule_preferences else theory.premise_preferences[0]
    turned = str(preference).replace(preference.stronger, "@").replace(preference.weaker, preference.stronger)
    yield "a preference turned around", text.replace(str(preference), turned.replace("@", preference.weaker))
    consequent = last_rule.consequent
    if last_rule is not undercut:
        yield "a conclusion negated", text.replace(f"=> {consequent}]", f"=> {negate(consequent)}]")
    yield (
        "a rule turned around",
        text.replace(str(last_rule), f"[defeasible {last_rule.name}: {consequent} => {last_rule.antecedents[0]}]"),
    )
    if undercut is not None:
        other = next(rule.name for rule in theory.defeasible_rules if rule.name != atom_of(undercut.consequent))
        yield "an undercut of another rule", text.replace(f" {undercut.consequent}]", f" -{other}]")


@pytest.mark.parametrize("level", SOME_LEVELS)
def test_every_kind_of_misreading_costs(level: int) -> None:
    kinds = set()
    for instance in one_of_each_ordering(level):
        for kind, answer in misread(instance.theory):
            if answer != instance.reference:
                verdict = scored(instance, answer)
                assert verdict.native < 1.0, (instance.id, kind)
                assert verdict.reason in {Reason.WRONG, Reason.NOT_IDENTICAL, Reason.UNREADABLE}
                kinds.add(kind)
    assert len(kinds) >= 5


def test_misread_theories_mostly_behave_otherwise() -> None:
    verdicts = [
        scored(instance, answer).success
        for level in SOME_LEVELS
        for instance in samples("formalization", level)
        for kind, answer in misread(instance.theory)
        if kind in {"a conclusion negated", "a rule turned around", "a preference turned around"}
    ]
    assert mean(verdicts) < 0.5


# Attacks


def block(instance: Instance) -> str:
    """Return the premises and axioms, read correctly, without any rule."""
    knowledge = (
        *(f"[premise: {p}]" for p in instance.theory.premises),
        *(f"[axiom: {a}]" for a in instance.theory.axioms),
    )
    return "\n".join(knowledge)


def forged(instance: Instance) -> str:
    """Return a theory that has the given statuses and nothing to do with the description."""
    lines = []
    for goal in question(instance).statuses:
        if goal.status != "overruled":
            lines.append(f"[premise: {goal.literal}]")
        if goal.status == "undecided":
            lines.append(f"[premise: {negate(goal.literal)}]")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def verdicts() -> dict[str, list[Score]]:
    """Return every policy's scores over all levels and orderings."""
    found: dict[str, list[Score]] = {}
    for level in ALL_LEVELS:
        for instance in one_of_each_ordering(level):
            policies = {**TASK.attacks(instance), "block": block(instance), "forged": forged(instance)}
            for name, answer in policies.items():
                found.setdefault(name, []).append(scored(instance, answer))
    return found


def test_no_attack_succeeds(verdicts: dict[str, list[Score]]) -> None:
    assert not [name for name, scores in verdicts.items() if any(score.success for score in scores)]


def test_listing_names_and_claims_earns_little(verdicts: dict[str, list[Score]]) -> None:
    for name, scores in verdicts.items():
        if name not in {"block", "forged"}:
            assert mean(score.native for score in scores) <= 0.15, name


def test_the_floor_is_low_on_average() -> None:
    floors = [instance.floor for level in ALL_LEVELS for instance in one_of_each_ordering(level)]
    assert mean(floors) <= 0.155


def test_premises_and_axioms_without_rules_are_worth_less_than_the_rules(verdicts: dict[str, list[Score]]) -> None:
    assert mean(score.native for score in verdicts["block"]) < 0.40
    assert max(mean(score.native for score in verdicts["block"][at : at + 12]) for at in range(0, 60, 12)) < 0.40


def test_forged_statuses_earn_their_weight_and_no_more(verdicts: dict[str, list[Score]]) -> None:
    untyped, typed = verdicts["forged"][: 4 * (FIRST_TYPED - 1)], verdicts["forged"][4 * (FIRST_TYPED - 1) :]
    assert mean(score.native for score in untyped) < 0.45
    assert mean(score.native for score in typed) < 0.27


def test_the_policies_name_no_rule_and_state_no_strict_rule() -> None:
    """They see names and claims; what they say of them comes from the policy."""
    for instance in samples("formalization", 8):
        for answer in TASK.attacks(instance).values():
            assert "strict" not in answer or answer == instance.prompt


@pytest.mark.slow
def test_each_status_is_asked_of_each_sign() -> None:
    asked = Counter(
        (goal.status, goal.literal.startswith("-"))
        for level in ALL_LEVELS
        for instance in samples("formalization", level, seeds=3)
        for goal in question(instance).statuses
    )
    for status in CLAIM_STATUSES:
        share = asked[status, True] / (asked[status, True] + asked[status, False])
        assert 0.3 < share < 0.7, status
