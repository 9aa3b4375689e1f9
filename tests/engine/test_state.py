"""What a state shows: counts, labels, look-ups, equality, text and pickles, the same on both engines."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import pytest

from arggym_env.engine import ENGINES, EXTENSION_SEMANTICS, ORDERINGS, SEMANTICS, Attack, evaluate
from arggym_env.errors import CoordinateError
from arggym_env.theory import Theory

THEORY = Theory.parse(
    """
    [premise: p]
    [axiom: a]
    [premise: u]
    [premise: -u]
    [defeasible d1: p => s]
    [defeasible d2: a => -s]
    [strict s1: s AND a -> t]
    [defeasible d3: u => -d2]
    """
)
ORDERING = "weakest-link elitist"

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def test_statuses_cover_every_literal_in_order(engine: str) -> None:
    state = evaluate(THEORY, ORDERING, engine=engine)
    statuses = state.statuses()
    assert list(statuses) == list(THEORY.literals)
    assert statuses["a"] == "justified"
    assert statuses["-a"] == statuses["-t"] == "overruled"
    assert {statuses[claim] for claim in ("u", "-u", "-d2", "s", "-s", "t")} == {"undecided"}
    assert state.theory is THEORY
    assert state.ordering == ORDERING


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_a_literal_without_arguments_is_overruled(engine: str, semantics: str) -> None:
    state = evaluate(THEORY, ORDERING, engine=engine)
    assert state.status("-a", semantics) == "overruled"  # in the theory's language, by its atom
    assert state.status("elsewhere", semantics) == "overruled"
    assert state.arguments_for("elsewhere") == ()


def test_counts_are_those_of_the_listed_things(engine: str) -> None:
    state = evaluate(THEORY, ORDERING, engine=engine)
    assert state.argument_count == len(state.arguments) == 8
    assert state.attack_count == len(state.attacks) == 5
    assert state.defeat_count == len(state.defeats)
    assert state.depth == max(argument.height for argument in state.arguments) == 2
    assert repr(state) == f"<State: 8 arguments, {state.defeat_count} defeats, weakest-link elitist>"


def test_attacks_name_the_sub_argument_and_defeats_the_whole(engine: str) -> None:
    state = evaluate(THEORY, "last-link elitist", engine=engine)
    (s,), (not_s,), (t,), (undercutter,) = map(state.arguments_for, ("s", "-s", "t", "-d2"))
    assert Attack(not_s, s, "rebut", True) in state.attacks
    assert all(attack.attacked != t for attack in state.attacks)
    assert (not_s, t) in state.defeats
    assert (not_s, t) in state.attack_pairs
    assert Attack(undercutter, not_s, "undercut", True) in state.attacks
    assert {str(attack) for attack in state.attacks if attack.kind == "undermine"} == {
        "A0 undermines A3",
        "A3 undermines A0",
    }


def test_labels_follow_the_grounded_extension(engine: str) -> None:
    state = evaluate(Theory.parse("[axiom: a]\n[premise: -a]\n[premise: b]\n[premise: -b]"), ORDERING, engine=engine)
    labels = {argument.conclusion: state.label(argument) for argument in state.arguments}
    assert labels == {"a": "in", "-a": "out", "b": "undecided", "-b": "undecided"}
    (grounded,) = state.extensions("grounded")
    assert {argument.conclusion for argument in grounded} == {"a"}


def test_an_argument_of_another_state_has_no_label(engine: str) -> None:
    state = evaluate(THEORY, ORDERING, engine=engine)
    other = evaluate(Theory.parse("[axiom: z]"), ORDERING, engine=engine)
    with pytest.raises(CoordinateError, match=r"argument A0: z \[axiom\] does not belong to this state"):
        state.label(other.arguments[0])
    with pytest.raises(CoordinateError, match="does not belong"):
        other.label(state.arguments[5])


def test_arguments_are_equal_when_they_are_the_same_derivation(engine: str) -> None:
    state = evaluate(THEORY, ORDERING, engine=engine)
    smaller = evaluate(THEORY.retract(THEORY.directives[2:4] + THEORY.directives[-1:]), ORDERING, engine=engine)
    (here,), (there,) = state.arguments_for("t"), smaller.arguments_for("t")
    assert here.index != there.index
    assert here == there
    assert hash(here) == hash(there)
    strict = evaluate(Theory.parse(str(THEORY).replace("[premise: p]", "[axiom: p]")), ORDERING, engine=engine)
    assert strict.arguments_for("t")[0] != here
    assert here != "t"


def test_arguments_and_attacks_cannot_be_changed(engine: str) -> None:
    state = evaluate(THEORY, ORDERING, engine=engine)
    with pytest.raises(FrozenInstanceError):
        state.arguments[0].conclusion = "x"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        state.attacks[0].succeeds = False  # type: ignore[misc]


def test_states_survive_pickling(engine: str) -> None:
    for ordering in ORDERINGS:
        state = evaluate(THEORY, ordering, engine=engine)
        for copy in (pickle.loads(pickle.dumps(state)), pickle.loads(pickle.dumps((state.arguments, state))[0:])[1]):
            assert copy.arguments == state.arguments
            assert copy.defeats == state.defeats
            assert [copy.extensions(name) for name in EXTENSION_SEMANTICS] == [
                state.extensions(name) for name in EXTENSION_SEMANTICS
            ]


@pytest.mark.parametrize("semantics", EXTENSION_SEMANTICS)
def test_the_empty_theory_has_one_empty_extension(engine: str, semantics: str) -> None:
    state = evaluate(Theory(()), ORDERING, engine=engine)
    assert state.extensions(semantics) == (frozenset(),)
    assert state.statuses() == {}
    assert state.depth == state.argument_count == state.attack_count == state.defeat_count == 0
    assert state.is_consistent


def test_no_branch_of_an_argument_states_a_literal_twice(engine: str) -> None:
    theory = Theory.parse("[premise: a]\n[defeasible r1: a => b]\n[defeasible r2: b => c]\n[defeasible r3: c => a]")
    state = evaluate(theory, ORDERING, engine=engine)
    assert [argument.conclusion for argument in state.arguments] == ["a", "b", "c"]


def test_a_premise_that_a_rule_also_concludes_has_two_arguments(engine: str) -> None:
    state = evaluate(Theory.parse("[premise: a]\n[axiom: b]\n[defeasible r1: b => a]"), ORDERING, engine=engine)
    assert list(map(str, state.arguments_for("a"))) == ["A0: a [premise]", "A2: A1 => a [r1]"]
