"""Every family and level: keys and gates re-derived from the text by other means, and what wording gives away."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import astuple
from functools import cache
from statistics import mean

import pytest

from arggym_env.engine import ORDERINGS, State, evaluate
from arggym_env.engine.arguments import Argument
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.readers import READERS, Reading
from arggym_env.logihard.shortcuts import SHORTCUTS, success
from arggym_env.theory import PremisePreference, RulePreference, Theory, atom_of

CHECKED = 8
"""Questions of each cell that are read back."""
MEASURED = 300
"""Questions of each cell on which shortcuts are measured."""
LIMIT = 0.35

CELLS = [(family, level) for family, maker in FAMILIES.items() for level in range(1, len(maker.levels) + 1)]
DEDUCTIVE = [cell for cell in CELLS if cell[0] in READERS]
ARGUMENTATION = [cell for cell in CELLS if cell[0] not in READERS]


def cells(chosen: list[tuple[str, int]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("family", "level"), chosen, ids=[f"{family}-L{level}" for family, level in chosen])


@cache
def question(family: str, level: int, seed: int) -> AtomicMCQ:
    return generate_atomic(family, level, seed)


def questions(family: str, level: int, count: int) -> list[AtomicMCQ]:
    return [question(family, level, seed) for seed in range(count)]


def readings(family: str, level: int) -> list[tuple[AtomicMCQ, Reading]]:
    return [(each, READERS[family](each)) for each in questions(family, level, CHECKED)]


@cache
def depth_of(family: str, level: int) -> int:
    depth = getattr(FAMILIES[family].levels[level - 1], "depth")  # noqa: B009 - each family has its own level class
    assert isinstance(depth, int)
    return depth


def test_every_family_has_a_reader_except_the_engine_s() -> None:
    assert [family for family in FAMILIES if family not in READERS] == ["argumentation"]


@cells(DEDUCTIVE)
def test_the_key_alone_is_entailed_and_one_to_three_others_are_left_open(family: str, level: int) -> None:
    for each, reading in readings(family, level):
        entailed = [reading.entails(reading.premises, option) for option in each.options]
        assert [index for index, is_entailed in enumerate(entailed) if is_entailed] == [each.answer]
        assert 1 <= sum(not reading.contradicts(option) for option in each.options) - 1 <= 3


@cells(DEDUCTIVE)
def test_premises_can_be_true_together_and_none_follows_from_the_others(family: str, level: int) -> None:
    for _, reading in readings(family, level):
        assert reading.is_satisfiable((premise, True) for premise in reading.premises)
        for premise in reading.premises:
            assert not reading.entails([other for other in reading.premises if other != premise], premise)


@cells(DEDUCTIVE)
def test_the_key_is_contingent_and_not_given_and_takes_as_many_premises_as_the_level_says(
    family: str, level: int
) -> None:
    for each, reading in readings(family, level):
        key = each.options[each.answer]
        assert reading.is_satisfiable([(key, True)])
        assert reading.is_satisfiable([(key, False)])
        assert not any(reading.same(premise, key) for premise in reading.premises)
        for subset in itertools.combinations(reading.premises, depth_of(family, level) - 1):
            assert not reading.entails(subset, key)


@cells(DEDUCTIVE)
def test_no_option_follows_from_another_one_or_is_given(family: str, level: int) -> None:
    for each, reading in readings(family, level):
        for left, right in itertools.permutations(each.options, 2):
            assert not reading.entails([left], right)
        assert not set(reading.premises) & set(each.options)
        assert not any(f'"{option}"' in each.context for option in each.options)


@cells(DEDUCTIVE)
def test_as_many_premises_are_given_as_the_level_says_and_every_name_is_used(family: str, level: int) -> None:
    for _, reading in readings(family, level):
        row = FAMILIES[family].levels[level - 1]
        assert len(reading.premises) == getattr(row, "premises", getattr(row, "sayings", None))


def theory_of(each: AtomicMCQ) -> tuple[Theory, str]:
    found = re.search(r"evaluated under grounded semantics with the (.+) preference ordering\.", each.context)
    assert found
    return Theory.parse("\n".join(re.findall(r"^\[.+\]$", each.context, re.MULTILINE))), found[1]


def claims_of(each: AtomicMCQ) -> list[str]:
    claims = [option.removesuffix(" is justified.") for option in each.options]
    assert all(re.fullmatch(r"-?[a-z]{2}\d", claim) for claim in claims)
    return claims


@cells(ARGUMENTATION)
def test_the_other_engine_justifies_the_key_alone_and_leaves_some_claim_undecided(family: str, level: int) -> None:
    for each in questions(family, level, CHECKED):
        theory, ordering = theory_of(each)
        state = evaluate(theory, ordering, engine="pyarg")
        statuses = [state.status(claim) for claim in claims_of(each)]
        assert [index for index, status in enumerate(statuses) if status == "justified"] == [each.answer]
        assert "undecided" in statuses
        assert state.is_consistent


@cells(ARGUMENTATION)
def test_every_claim_is_derived_and_contested_and_the_key_hangs_on_the_preferences(family: str, level: int) -> None:
    for each in questions(family, level, CHECKED):
        theory, ordering = theory_of(each)
        claims = claims_of(each)
        assert len(set(map(atom_of, claims))) == 4
        assert {rule.consequent for rule in theory.rules} >= set(claims)
        assert not {*theory.premises, *theory.axioms} & set(claims)
        preferences = (PremisePreference, RulePreference)
        plain = evaluate(
            Theory(tuple(line for line in theory.directives if not isinstance(line, preferences))), ordering
        )
        justified = [index for index, claim in enumerate(claims) if plain.status(claim) == "justified"]
        assert justified != [each.answer]


@cells(ARGUMENTATION)
def test_every_premise_and_rule_bears_on_a_claim_and_the_key_takes_its_depth(family: str, level: int) -> None:
    for each in questions(family, level, CHECKED):
        theory, ordering = theory_of(each)
        state = evaluate(theory, ordering)
        claims = claims_of(each)
        bearing = bearing_on(state, claims)
        used = {argument.top_rule.name if argument.top_rule else argument.conclusion for argument in bearing}
        assert {*theory.premises, *theory.axioms, *theory.rule_names} == used
        key = claims[each.answer]
        assert min(argument.height for argument in state.arguments if argument.conclusion == key) >= depth_of(
            family, level
        )


def bearing_on(state: State, claims: list[str]) -> set[Argument]:
    """Return the arguments for the claims, their parts, the attackers of any of these, and so on."""
    attackers: dict[Argument, list[Argument]] = {}
    for attack in state.attacks:
        attackers.setdefault(attack.attacked, []).append(attack.attacker)
    found: set[Argument] = set()
    frontier = [argument for argument in state.arguments if argument.conclusion in claims]
    while frontier:
        argument = frontier.pop()
        if argument not in found:
            found.add(argument)
            frontier += [*argument.subarguments, *attackers.get(argument, ())]
    return found


def test_argumentation_uses_every_ordering() -> None:
    found = {theory_of(each)[1] for each in questions("argumentation", 1, 30)}
    assert found == set(ORDERINGS)


def measured(family: str, level: int) -> dict[str, float]:
    sample = questions(family, level, MEASURED)
    return {name: mean(success(shortcut, each) for each in sample) for name, shortcut in SHORTCUTS.items()}


def assert_no_shortcut_pays(family: str, level: int) -> None:
    shares = measured(family, level)
    assert max(shares.values()) <= LIMIT, shares


@cells([*DEDUCTIVE, *ARGUMENTATION[:1]])
def test_no_shortcut_finds_the_key_more_often_than_the_limit(family: str, level: int) -> None:
    assert_no_shortcut_pays(family, level)


@pytest.mark.slow
@cells(ARGUMENTATION[1:])
def test_no_shortcut_finds_the_key_of_a_larger_theory_more_often_than_the_limit(family: str, level: int) -> None:
    assert_no_shortcut_pays(family, level)


@cells(DEDUCTIVE)
def test_the_forms_of_the_options_do_not_tell_the_key(family: str, level: int) -> None:
    """A solver that has learnt how often each form is the key, from half of the questions, does no better either."""
    sample = questions(family, level, MEASURED)
    shown, keys = Counter[str](), Counter[str]()
    for each in sample[: MEASURED // 2]:
        shown.update(map(form, each.options))
        keys[form(each.options[each.answer])] += 1

    def learnt(each: AtomicMCQ) -> list[int]:
        rates = [(keys[form(option)] + 1) / (shown[form(option)] + 4) for option in each.options]
        return [index for index, rate in enumerate(rates) if rate == max(rates)]

    # Three standard errors above the limit: the half that is judged has 150 questions.
    assert mean(success(learnt, each) for each in sample[MEASURED // 2 :]) <= LIMIT + 0.06


def form(option: str) -> str:
    """Return the option without what it is about."""
    return re.sub(r"\b[A-Z][a-z]{3}\b(?! one)|\b[a-z]{7}\b|\b[a-z]{5}\b|\d", "_", option)


@pytest.mark.parametrize("family", FAMILIES)
def test_higher_levels_are_larger_and_deeper(family: str) -> None:
    sizes = [
        mean(len(each.context) for each in questions(family, level, CHECKED))
        for level in range(1, len(FAMILIES[family].levels) + 1)
    ]
    depths = [depth_of(family, level) for level in range(1, len(sizes) + 1)]
    assert depths == sorted(depths)
    assert depths[0] < depths[-1]
    assert sizes[-1] > sizes[0]
    assert len({astuple(row) for row in FAMILIES[family].levels}) == len(sizes)  # type: ignore[call-overload]
