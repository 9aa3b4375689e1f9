"""Rings, guards and what hangs on them do what their plans say, under every ordering."""

from __future__ import annotations

import itertools

import pytest

from arggym_env.engine import ORDERINGS, SEMANTICS, State, evaluate
from arggym_env.envs.cycles import Fate, Motif, Ring, floating_conclusion, floating_defeat, guard, ring, tie
from arggym_env.envs.draft import Draft
from arggym_env.envs.motifs import Mix
from arggym_env.envs.stream import Stream
from tests.envs.text_only import odd_cycles

MIX = Mix(strict=0.2, junction=0.1)
every_ordering = pytest.mark.parametrize("ordering", ORDERINGS)
every_motif = pytest.mark.parametrize("motif", Motif)


def draft(ordering: str, *key: str | int) -> Draft:
    return Draft(Stream("cycles", ordering, *key), ordering)


def evaluated(made: Draft, ordering: str) -> State:
    return evaluate(made.theory(), ordering)


def statuses(state: State, literal: str) -> list[str]:
    return [state.status(literal, semantics) for semantics in SEMANTICS]


@every_ordering
@every_motif
@pytest.mark.parametrize("length", [1, 3, 5])
def test_an_odd_ring_is_undecided_and_leaves_no_stable_extension(ordering: str, motif: Motif, length: int) -> None:
    for seed in range(5):
        made = draft(ordering, motif.value, length, seed)
        cycle = ring(made, length, motif, 2, MIX)
        state = evaluated(made, ordering)
        for body in cycle.bodies:
            assert statuses(state, body.literal) == ["undecided"] * 3 + ["no stable extension", "undecided"]
        assert state.extensions("stable") == ()


@every_ordering
@every_motif
@pytest.mark.parametrize("length", [2, 4])
def test_an_even_ring_can_be_taken_in_two_ways(ordering: str, motif: Motif, length: int) -> None:
    for seed in range(5):
        made = draft(ordering, motif.value, length, seed)
        cycle = ring(made, length, motif, 2, MIX)
        state = evaluated(made, ordering)
        assert len(state.extensions("preferred")) == len(state.extensions("stable")) == 2
        for body in cycle.bodies:
            assert statuses(state, body.literal) == ["undecided", "justified", "undecided", "undecided", "undecided"]


@every_ordering
def test_a_tie_is_the_smallest_even_ring(ordering: str) -> None:
    for seed in range(5):
        made = draft(ordering, seed)
        sides = tie(made, 2, MIX).bodies
        state = evaluated(made, ordering)
        assert len(state.extensions("stable")) == 2
        for side in sides:
            assert statuses(state, side.literal) == ["undecided", "justified", "undecided", "undecided", "undecided"]


def guarded(
    ordering: str, fate: Fate, motif: Motif, layers: int, seed: int, *, joint: bool = False
) -> tuple[State, Ring]:
    made = draft(ordering, fate.value, motif.value, layers, seed)
    cycle = ring(made, 3, motif, 1, MIX)
    guard(made, cycle.victims[1], fate, layers, joint=joint)
    return evaluated(made, ordering), cycle


@every_ordering
@every_motif
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_guard_has_the_effect_that_its_fate_says(ordering: str, motif: Motif, layers: int) -> None:
    for seed in range(3):
        state, cycle = guarded(ordering, Fate.INTACT, motif, layers, seed)
        assert state.extensions("stable") == ()
        assert all(state.status(body.literal) == "undecided" for body in cycle.bodies)

        state, cycle = guarded(ordering, Fate.BROKEN, motif, layers, seed)
        assert len(state.extensions("preferred")) == len(state.extensions("stable")) == 1
        # What the guard attacks is out, the next line is in, and the one after it is out.
        found = [state.status(cycle.bodies[number].literal) for number in (1, 2, 0)]
        assert found == ["overruled", "justified", "overruled"]

        state, cycle = guarded(ordering, Fate.OPEN, motif, layers, seed)
        assert len(state.extensions("preferred")) == 2
        assert len(state.extensions("stable")) == 1, "only with the guard can the ring be decided"
        assert statuses(state, cycle.bodies[2].literal) == [
            "undecided",
            "justified",
            "undecided",
            "justified",
            "justified",
        ]


@every_ordering
@pytest.mark.parametrize("fate", [Fate.BROKEN, Fate.INTACT])
def test_a_joint_attack_makes_the_ring_hang_on_the_set_ordering(ordering: str, fate: Fate) -> None:
    principle, lift = ordering.split()
    other = f"{principle} {'democratic' if lift == 'elitist' else 'elitist'}"
    changed = 0
    for layers, seed in itertools.product((1, 2), range(5)):
        state, cycle = guarded(ordering, fate, Motif.UNDERCUT, layers, seed, joint=True)
        assert (state.extensions("stable") == ()) == (fate is Fate.INTACT)
        assert state.is_consistent
        switched = evaluate(state.theory, other)
        changed += any(statuses(switched, body.literal) != statuses(state, body.literal) for body in cycle.bodies)
    assert changed >= 5


@every_motif
def test_the_rules_alone_do_not_show_the_fate_of_a_ring(motif: Motif) -> None:
    for fate in Fate:
        state, _ = guarded(ORDERINGS[0], fate, motif, 2, 0)
        assert odd_cycles(state.theory), "the odd cycle stands in the text, whatever becomes of it"


@every_ordering
def test_floating_conclusions_and_defeats_divide_the_semantics(ordering: str) -> None:
    for seed in range(5):
        made = draft(ordering, seed)
        sides = ring(made, 2, Motif.UNDERCUT, 1, MIX).bodies
        conclusion = floating_conclusion(made, sides, 2, MIX)
        reinstated = floating_defeat(made, sides)
        state = evaluated(made, ordering)
        floating = ["undecided", "justified", "justified", "justified", "undecided"]
        assert statuses(state, conclusion) == statuses(state, reinstated.literal) == floating
