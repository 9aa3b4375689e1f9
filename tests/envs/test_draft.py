"""Drafts: intended lines are arguments, stated preferences decide as planned, names say nothing."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from arggym_env.engine import ORDERINGS, Argument, State, evaluate
from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.motifs import Mix, ground, grow
from arggym_env.envs.stream import Stream
from arggym_env.theory import Premise, RulePreference, negate

every_ordering = pytest.mark.parametrize("ordering", ORDERINGS)
MIX = Mix(strict=0.3, junction=0.4, axiom=0.3)


def drafted(ordering: str, seed: int) -> tuple[Draft, list[Line]]:
    """Return a draft with a few random lines, some built on others."""
    draft = Draft(Stream("draft", ordering, seed), ordering)
    lines = [grow(draft, ground(draft, MIX), draft.stream.between(0, 3), MIX) for _ in range(3)]
    lines.append(grow(draft, draft.stream.choice(lines), 2, MIX))
    return draft, lines


def argument_of(state: State, line: Line) -> Argument:
    """Return the argument that the line intends."""
    subs = [argument_of(state, sub) for sub in line.subs]
    (found,) = [
        argument
        for argument in state.arguments_for(line.literal)
        if argument.top_rule == line.rule and sorted(map(str, argument.subarguments)) == sorted(map(str, subs))
    ]
    return found


@every_ordering
def test_every_line_is_an_argument_with_the_parts_it_claims(ordering: str) -> None:
    for seed in range(12):
        draft, lines = drafted(ordering, seed)
        state = evaluate(draft.theory(), ordering)
        for line in {step for top in lines for step in top.steps()}:
            argument = argument_of(state, line)
            assert tuple(sorted(argument.ordinary_premises)) == line.premises
            assert tuple(sorted(argument.defeasible_rules)) == line.rules
            assert tuple(sorted(argument.last_defeasible_rules)) == line.last
            assert argument.height == line.height
            assert line.is_attackable == (
                "=>" in str(argument.top_rule) or (argument.top_rule is None and bool(argument.ordinary_premises))
            )


@every_ordering
def test_the_size_is_a_lower_bound_on_the_arguments(ordering: str) -> None:
    for seed in range(12):
        draft, _ = drafted(ordering, seed)
        assert 0 < draft.size <= evaluate(draft.theory(), ordering).argument_count


def test_names_are_fresh_and_carry_no_role() -> None:
    draft, _ = drafted(ORDERINGS[0], 0)
    names = [draft.fresh_name() for _ in range(1500)]
    assert len(set(names)) == 1500
    theory = draft.theory()
    assert not set(names) & {*theory.atoms, *theory.rule_names}
    assert all(re.fullmatch("[a-z][a-z][0-9]", name) for name in names)
    for place in range(3):
        counts = Counter(name[place] for name in names)
        expected = 1500 / (26 if place < 2 else 10)
        assert max(abs(count - expected) for count in counts.values()) < 6 * expected**0.5


def test_one_fresh_literal_in_five_is_negative() -> None:
    draft = Draft(Stream("literals"), ORDERINGS[0])
    negative = sum(draft.fresh_literal().startswith("-") for _ in range(1000))
    assert 130 < negative < 270


@every_ordering
def test_the_order_of_directives_is_random(ordering: str) -> None:
    """The first premise stated is not more often first than any other."""
    first = 0
    for seed in range(200):
        draft = Draft(Stream("order", ordering, seed), ordering)
        premises = [draft.premise() for _ in range(4)]
        first += draft.theory().premises[0] == premises[0].literal
    assert 25 < first < 80


def conflict(ordering: str, seed: int) -> tuple[Draft, Line, Line]:
    """Return two lines that rebut each other by their last, defeasible steps."""
    draft = Draft(Stream("conflict", ordering, seed), ordering)
    mix = Mix(strict=0.3, junction=0.4, axiom=0.0)
    one = draft.defeasible([grow(draft, draft.premise(), draft.stream.between(0, 2), mix)])
    other = draft.defeasible([grow(draft, draft.premise(), draft.stream.between(0, 2), mix)], contrary(one))
    return draft, one, other


@every_ordering
def test_ranking_decides_a_conflict(ordering: str) -> None:
    for seed in range(25):
        draft, weaker, stronger = conflict(ordering, seed)
        assert evaluate(draft.theory(), ordering).status(weaker.literal) == "undecided"
        assert draft.rank(weaker, stronger)
        state = evaluate(draft.theory(), ordering)
        assert state.status(stronger.literal) == "justified"
        assert state.status(weaker.literal) == "overruled"


@every_ordering
def test_ranking_does_not_turn_earlier_preferences_around(ordering: str) -> None:
    for seed in range(25):
        draft, weaker, stronger = conflict(ordering, seed)
        assert draft.rank(weaker, stronger)
        before = draft.theory().directives
        assert not draft.rank(stronger, weaker)
        assert set(draft.theory().directives) == set(before), "a refused ranking states nothing"
        assert draft.rank(weaker, stronger)
        assert set(draft.theory().directives) == set(before), "a ranking that holds is not stated twice"


@every_ordering
def test_premises_against_each_other_are_ranked_by_premises(ordering: str) -> None:
    draft = Draft(Stream("premises"), ordering)
    one = draft.premise()
    other = draft.premise(negate(one.literal))
    assert draft.rank(one, other)
    theory = draft.theory()
    assert len(theory.premise_preferences) == 1
    assert not theory.rule_preferences
    assert evaluate(theory, ordering).status(other.literal) == "justified"


def test_ranking_sees_preferences_through_others() -> None:
    draft = Draft(Stream("chain of preferences"), "last-link elitist")
    one, two, three = (draft.defeasible([draft.premise()]) for _ in range(3))
    assert draft.rank(one, two)
    assert draft.rank(two, three)
    assert not draft.rank(three, one)


def test_an_argument_without_last_rules_cannot_be_made_weaker_than_one_with() -> None:
    draft = Draft(Stream("empty sets"), "last-link democratic")
    premise, rule = draft.premise(), draft.defeasible([draft.premise()])
    assert not draft.rank(premise, rule)
    assert draft.rank(rule, premise), "it is weaker already"
    assert not [line for line in draft.theory().directives if isinstance(line, RulePreference)]


def test_undercuts_are_recognised() -> None:
    draft = Draft(Stream("undercut"), ORDERINGS[0])
    line = draft.defeasible([draft.premise()])
    assert line.rule is not None
    assert draft.is_undercut(draft.defeasible([draft.premise()], "-" + line.rule.name))
    assert not draft.is_undercut(line)


def test_drafting_is_a_pure_function_of_the_stream() -> None:
    assert drafted(ORDERINGS[1], 7)[0].theory() == drafted(ORDERINGS[1], 7)[0].theory()
    assert drafted(ORDERINGS[1], 7)[0].theory() != drafted(ORDERINGS[1], 8)[0].theory()


def test_a_premise_can_be_stated_for_a_given_literal() -> None:
    draft = Draft(Stream("given"), ORDERINGS[0])
    assert draft.premise("-ko9").literal == "-ko9"
    assert draft.theory().directives == (Premise("-ko9"),)
