"""claim_chain: one accepted derivation among defeated ones, asked for whole and in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from statistics import mean

import pytest

from arggym_env.coordinates import Coordinates
from arggym_env.engine import ORDERINGS, Argument, State, evaluate
from arggym_env.envs.claim_chain import (
    LEVELS,
    TASK,
    ChainQuestion,
    accepted_derivations,
    derivation_directives,
    in_order,
)
from arggym_env.envs.gates import switched
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import expect
from arggym_env.envs.scoring import score
from arggym_env.rewards.chain import read_chain, rules_out_of_order
from arggym_env.theory import Axiom, DefeasibleRule, Directive, Premise, StrictRule, Theory, negate

CELLS = [(level, ordering) for level in range(1, 16) for ordering in ORDERINGS]
IDS = [Coordinates("claim_chain", level, ordering, "train", 0).id for level, ordering in CELLS]
each_cell = pytest.mark.parametrize(("level", "ordering"), CELLS, ids=IDS)


@cache
def instance_of(level: int, ordering: str, seed: int = 0) -> Instance:
    return generate("claim_chain", level, ordering, seed)


def target_of(instance: Instance) -> str:
    return expect(ChainQuestion, instance.question).target


def state_of(instance: Instance) -> State:
    return evaluate(instance.theory, instance.ordering)


def native(instance: Instance, lines: Iterable[object]) -> float:
    return score(instance, f"<answer>{chr(10).join(map(str, lines))}</answer>").native


def success(instance: Instance, lines: Iterable[object]) -> bool:
    return score(instance, f"<answer>{chr(10).join(map(str, lines))}</answer>").success


# Which directives a derivation is made of

BRANCHING = """\
[premise: p]
[axiom: a]
[premise: q]
[defeasible r1: p => x]
[strict r2: a AND x -> y]
[defeasible r3: x AND q => z]
[defeasible r4: y AND z => t]
[premise: c]
[defeasible d1: c => t]
[defeasible k1: q => -d1]
[prefer_rule: r1 > d1]
"""


def test_a_derivation_is_its_premises_axioms_and_rules_each_once_after_what_it_rests_on() -> None:
    state = evaluate(Theory.parse(BRANCHING), "last-link elitist")
    (accepted,) = accepted_derivations(state, "t")
    directives = derivation_directives(accepted)
    assert sorted(map(str, directives)) == sorted(
        [
            "[premise: p]",
            "[axiom: a]",
            "[premise: q]",
            "[defeasible r1: p => x]",
            "[strict r2: a AND x -> y]",
            "[defeasible r3: x AND q => z]",
            "[defeasible r4: y AND z => t]",
        ]
    )
    assert rules_out_of_order(directives) == []


def test_a_defeated_and_an_undecided_derivation_are_not_accepted() -> None:
    theory = Theory.parse(BRANCHING + "[premise: -q]")
    assert accepted_derivations(evaluate(theory, "last-link elitist"), "t") == []


def test_rules_are_ordered_after_what_they_use_even_where_some_cannot_be() -> None:
    theory = Theory.parse("[premise: p]\n[defeasible r1: x => y]\n[defeasible r2: p => x]\n[defeasible r3: no => z]")
    assert [str(rule)[12:14] for rule in in_order(theory)] == ["r2", "r1", "r3"]


# What every instance is


@each_cell
def test_exactly_one_derivation_is_accepted_and_all_others_are_defeated(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    state = state_of(instance)
    labels = [state.label(argument) for argument in state.arguments_for(target_of(instance))]
    assert labels.count("in") == 1
    assert labels.count("out") == len(labels) - 1 >= LEVELS[level - 1].decoys + LEVELS[level - 1].inner
    assert state.status(target_of(instance)) == "justified"
    assert state.is_consistent


@each_cell
def test_the_reference_is_the_accepted_derivation_and_scores_one(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    (accepted,) = accepted_derivations(state_of(instance), target_of(instance))
    lines = instance.reference.splitlines()
    assert lines == list(map(str, derivation_directives(accepted)))
    assert set(lines) <= set(map(str, instance.theory.directives))
    assert success(instance, lines)


@each_cell
def test_the_accepted_derivation_depends_on_the_link_principle(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    state, other = state_of(instance), evaluate(instance.theory, switched(ordering).principle)
    target = target_of(instance)
    assert accepted_derivations(state, target) != accepted_derivations(other, target)
    assert state.statuses() != other.statuses()
    assert state.statuses() != evaluate(instance.theory, switched(ordering).lift).statuses()


def test_under_the_other_principle_another_derivation_is_accepted_on_most_instances() -> None:
    instances = [instance_of(level, ordering) for level, ordering in CELLS]
    assert mean(instance.stats["principle_gives_other_derivation"] for instance in instances) > 0.55
    assert mean(instance.stats["lift_changes_derivation"] for instance in instances) > 0.9


def parts(argument: Argument) -> set[Argument]:
    return {argument}.union(*(parts(sub) for sub in argument.subarguments))


@each_cell
def test_the_derivation_branches_is_attacked_and_shares_parts_with_a_decoy(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    state, target = state_of(instance), target_of(instance)
    (accepted,) = accepted_derivations(state, target)
    own = parts(accepted)
    assert any(len(part.subarguments) > 1 for part in own)
    attacks = [attack for attack in state.attacks if attack.attacked in own]
    assert len(attacks) > LEVELS[level - 1].reinstated
    assert all(state.label(attack.attacker) == "out" for attack in attacks)
    reinstated = sum(attack.succeeds for attack in attacks)
    assert reinstated >= LEVELS[level - 1].reinstated
    decoys = [argument for argument in state.arguments_for(target) if argument != accepted]
    assert any(own & parts(decoy) for decoy in decoys)


@pytest.mark.parametrize("level", [1, 3, 5])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_oracle_accepts_the_same_derivation(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    state = evaluate(instance.theory, ordering, engine="pyarg")
    (accepted,) = accepted_derivations(state, target_of(instance))
    assert list(map(str, derivation_directives(accepted))) == instance.reference.splitlines()


@pytest.mark.slow
@each_cell
def test_the_oracle_accepts_the_same_derivation_at_every_level(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering, 1)
    state = evaluate(instance.theory, ordering, engine="pyarg")
    (accepted,) = accepted_derivations(state, target_of(instance))
    assert list(map(str, derivation_directives(accepted))) == instance.reference.splitlines()


def test_decoys_die_in_every_way_and_some_by_preference() -> None:
    kinds: set[tuple[str, bool]] = set()
    for level, ordering in CELLS:
        instance = instance_of(level, ordering)
        state, target = state_of(instance), target_of(instance)
        (accepted,) = accepted_derivations(state, target)
        dead = {part for decoy in state.arguments_for(target) for part in parts(decoy)} - parts(accepted)
        for attack in state.attacks:
            if attack.attacked in dead and attack.succeeds and state.label(attack.attacker) == "in":
                back = any(a.attacker == attack.attacked and a.attacked == attack.attacker for a in state.attacks)
                kinds.add((attack.kind, back))
    assert {("undercut", False), ("rebut", False), ("rebut", True), ("undermine", True)} <= kinds


# The curriculum


def test_structure_grows_over_the_levels() -> None:
    numbers = defaultdict(list)
    for level, ordering in CELLS:
        for name in ("arguments", "attacks", "depth", "chain", "decoys"):
            numbers[name, (level - 1) // 5].append(instance_of(level, ordering).stats[name])
    for name in ("arguments", "attacks", "depth", "chain", "decoys"):
        low, middle, high = (mean(numbers[name, band]) for band in range(3))
        assert low < middle < high, name


def test_the_level_table_never_shrinks() -> None:
    for name in ("depth", "junctions", "decoys", "inner", "contests", "reinstated", "size"):
        column = [getattr(level, name) for level in LEVELS]
        assert column == sorted(column), name
    assert len(LEVELS) == 15
    assert 60 <= LEVELS[-1].arguments[0] <= LEVELS[-1].arguments[1] <= 150


# Answers


@each_cell
def test_wrong_answers_of_every_class_score_less_than_one(level: int, ordering: str) -> None:
    instance = instance_of(level, ordering)
    lines = instance.reference.splitlines()
    foreign = next(str(rule) for rule in instance.theory.rules if str(rule) not in lines)
    others = [
        [str(part) for part in derivation_directives(argument)]
        for argument in state_of(instance).arguments_for(target_of(instance))
        if [str(part) for part in derivation_directives(argument)] != lines
    ]
    for wrong in (lines[1:], lines[:-1], lines[::-1], [*lines, foreign], [*lines, lines[0]], [*lines, "done"], *others):
        assert not success(instance, wrong)
        assert native(instance, wrong) < 1
    assert native(instance, [foreign]) == 0


def test_the_prompt_states_target_ordering_and_theory() -> None:
    for level, ordering in CELLS[::7]:
        instance = instance_of(level, ordering)
        assert f"The claim {target_of(instance)} is justified" in instance.prompt
        assert ordering in instance.prompt
        assert str(instance.theory) in instance.prompt
        assert instance.reference not in instance.prompt


def with_antecedents_turned_round(lines: list[str]) -> list[str]:
    theory = read_chain("\n".join(lines)).directives
    turned = [replace(rule, antecedents=rule.antecedents[::-1]) if isinstance(rule, RULES) else rule for rule in theory]
    return list(map(str, turned))


RULES = (StrictRule, DefeasibleRule)
PROMISES: dict[str, tuple[Callable[[list[str]], list[str]], bool]] = {
    # what the prompt says: (what is done to the reference, whether it stays right)
    "Each directive stands there once": (lambda lines: [*lines, lines[0]], False),
    "any such order will do": (lambda lines: sorted(lines, key=lambda line: not line.startswith(("[p", "[a"))), True),
    "the order of a rule's antecedents does not matter": (with_antecedents_turned_round, True),
    "the rule's name included": (lambda lines: [*lines[:-1], lines[-1].replace(":", "x:", 1)], False),
    "a missing directive": (lambda lines: lines[:-1], False),
    "one that does not belong there": (lambda lines: [*lines, "[premise: zz99]"], False),
    "a line that cannot be read": (lambda lines: [*lines, "well"], False),
    "a rule that stands too early": (lambda lines: [lines[-1], *lines[:-1]], False),
}


@pytest.mark.parametrize("promise", PROMISES)
def test_the_prompt_states_what_the_score_does(promise: str) -> None:
    change, right = PROMISES[promise]
    for level in (1, 8, 15):
        instance = instance_of(level, ORDERINGS[0])
        assert promise in instance.prompt
        assert success(instance, change(instance.reference.splitlines())) == right


def test_the_question_survives_json() -> None:
    instance = instance_of(2, ORDERINGS[1])
    assert Instance.from_json(instance.to_json()) == instance


# Policies that do not read statuses

Solver = Callable[[Instance], list[str]]


def first_rule_upwards(instance: Instance) -> list[str]:
    """The derivation that follows, for each literal, the premise or else the first rule of the text that gives it."""
    theory = instance.theory
    rules = {rule.consequent: rule for rule in reversed(theory.rules)}

    def support(literal: str, path: frozenset[str]) -> list[str]:
        if literal in theory.premises:
            return [f"[premise: {literal}]"]
        if literal in theory.axioms:
            return [f"[axiom: {literal}]"]
        if literal in path or literal not in rules:
            return []
        rule = rules[literal]
        below = [line for part in rule.antecedents for line in support(part, path | {literal})]
        return [*below, str(rule)]

    return list(dict.fromkeys(support(target_of(instance), frozenset())))


def choosing(key: Callable[[State, Argument], float]) -> Solver:
    """The derivation that is least by ``key``, by the order of their last rules in the text among equals."""

    def solve(instance: Instance) -> list[str]:
        state = state_of(instance)
        places = {str(directive): place for place, directive in enumerate(instance.theory.directives)}
        candidates = sorted(
            state.arguments_for(target_of(instance)),
            key=lambda argument: (key(state, argument), places[str(argument.top_rule)]),
        )
        return list(map(str, derivation_directives(candidates[0])))

    return solve


def attackers(state: State, argument: Argument) -> int:
    own = parts(argument)
    return sum(attack.attacked in own for attack in state.attacks)


def defeaters(state: State, argument: Argument) -> int:
    own = parts(argument)
    return sum(attack.attacked in own and attack.succeeds for attack in state.attacks)


def text_attacks(state: State, argument: Argument) -> list[tuple[Directive, Directive]]:
    """The directives that the text shows to attack one of the derivation, whatever becomes of them, each with it."""
    theory = state.theory
    stated: list[tuple[str, Directive]] = [(rule.consequent, rule) for rule in theory.rules]
    stated += [(known.literal, known) for known in theory.directives if isinstance(known, Premise | Axiom)]
    attacked: dict[Directive, set[str]] = {}
    for directive in derivation_directives(argument):
        if isinstance(directive, Premise):
            attacked[directive] = {negate(directive.literal)}
        elif isinstance(directive, DefeasibleRule):
            attacked[directive] = {negate(directive.consequent), negate(directive.name)}
    return [(own, other) for own, literals in attacked.items() for literal, other in stated if literal in literals]


def preferred(state: State, argument: Argument, *, stronger: bool) -> int:
    """How often the text prefers a directive of the derivation to another, or another to it."""
    theory = state.theory
    names = [pair.stronger if stronger else pair.weaker for pair in theory.premise_preferences]
    names += [pair.stronger if stronger else pair.weaker for pair in theory.rule_preferences]
    own = {part.name if isinstance(part, RULES) else str(part) for part in derivation_directives(argument)}
    return sum(name in own or f"[premise: {name}]" in own for name in names)


def shared(state: State, argument: Argument) -> float:
    """How many other derivations of the target a directive of the derivation serves on average."""
    own = set(derivation_directives(argument))
    others = [set(derivation_directives(other)) for other in state.arguments_for(argument.conclusion)]
    return sum(len(own & other) for other in others) / len(own)


MEASURES: dict[str, Callable[[State, Argument], float]] = {
    "tall": lambda _, argument: argument.height,
    "large": lambda _, argument: len(parts(argument)),
    "long": lambda _, argument: len(derivation_directives(argument)),
    "attacked": attackers,
    "attacked by text": lambda state, argument: len(text_attacks(state, argument)),
    "attacked at many rules": lambda state, argument: len(
        {own for own, _ in text_attacks(state, argument) if isinstance(own, DefeasibleRule)}
    ),
    "attacked by strict rules": lambda state, argument: sum(
        isinstance(other, StrictRule) for _, other in text_attacks(state, argument)
    ),
    "preferred": lambda state, argument: preferred(state, argument, stronger=True),
    "dispreferred": lambda state, argument: preferred(state, argument, stronger=False),
    "shared": shared,
}


def shares_right(instance: Instance) -> dict[tuple[int, str], float]:
    """The chance to be right of whoever picks among the derivations that are first or last by a measure."""
    state = state_of(instance)
    derivations = state.arguments_for(target_of(instance))
    shares = {}
    for name, measure in MEASURES.items():
        values = [measure(state, argument) for argument in derivations]
        for sign, best in ((1, max(values)), (-1, min(values))):
            top = [argument for argument, value in zip(derivations, values, strict=True) if value == best]
            shares[sign, name] = mean(state.label(argument) == "in" for argument in top)
    return shares


def instances_of(levels: Iterable[int], seeds: int) -> list[Instance]:
    return [instance_of(level, ordering, seed) for level in levels for ordering in ORDERINGS for seed in range(seeds)]


@cache
def instances_of_band(band: int) -> list[Instance]:
    return instances_of(range(5 * band + 1, 5 * band + 6), 4)


@pytest.mark.parametrize("band", range(3))
def test_no_look_of_a_derivation_tells_which_one_is_accepted(band: int) -> None:
    """All derivations of the target are laid out for these policies; chance is to pick one of them blindly."""
    instances = instances_of_band(band)
    chance = mean(1 / (1 + instance.stats["decoys"]) for instance in instances)
    shares = [shares_right(instance) for instance in instances]
    rates = {policy: mean(share[policy] for share in shares) for policy in shares[0]}
    rates[1, "first"] = mean(success(instance, first_rule_upwards(instance)) for instance in instances)
    assert {policy: rate for policy, rate in rates.items() if rate > chance + 0.15} == {}
    assert mean(rates.values()) < chance + 0.03


def test_counting_defeaters_without_asking_what_becomes_of_them_fails_at_the_higher_levels() -> None:
    solve = choosing(defeaters)
    rates = [mean(success(i, solve(i)) for i in instances_of_band(band)) for band in (1, 2)]
    assert rates[0] < 0.35
    assert rates[1] < 0.2


def test_no_attack_succeeds_and_the_mean_floor_is_at_most_a_quarter() -> None:
    floors = []
    for level, ordering in CELLS:
        instance = instance_of(level, ordering)
        scores = [score(instance, f"<answer>{answer}</answer>") for answer in TASK.attacks(instance).values()]
        assert not any(verdict.success for verdict in scores)
        assert max(verdict.native for verdict in scores) == instance.floor
        floors.append(instance.floor)
    assert mean(floors) <= 0.25


@pytest.mark.parametrize("position", ["first", "last"])
def test_the_derivation_is_not_told_by_its_place_in_the_text(position: str) -> None:
    shares = []
    for level, ordering in CELLS:
        instance = instance_of(level, ordering)
        own = set(read_chain(instance.reference).directives)
        rules = read_chain("\n".join(map(str, instance.theory.rules))).directives
        half = rules[: len(rules) // 2] if position == "first" else rules[len(rules) // 2 :]
        shares.append(len(own.intersection(half)) / len(own.intersection(rules)))
    assert 0.4 < mean(shares) < 0.6
