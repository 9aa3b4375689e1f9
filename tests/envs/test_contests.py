"""Exchanges: what is planned is what the engine says, and their look says nothing about it."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.engine.semantics import Label
from arggym_env.envs.contests import (
    Length,
    Move,
    draw_moves,
    exchange,
    foot_label,
    plans,
    set_ordering_exchange,
)
from arggym_env.envs.draft import Draft
from arggym_env.envs.gates import switched
from arggym_env.envs.motifs import Outcome
from arggym_env.envs.stream import Stream

every_ordering = pytest.mark.parametrize("ordering", ORDERINGS)
LABELS: tuple[Label, ...] = ("in", "out", "undecided")
STATUS: dict[Label, str] = {"in": "justified", "out": "overruled", "undecided": "undecided"}
LENGTHS = (Length(1, 1), Length(1, 2), Length(2, 3), Length(2, 4), Length(5, 5))


@every_ordering
@pytest.mark.parametrize("label", LABELS)
def test_an_exchange_ends_as_planned(ordering: str, label: Label) -> None:
    for number, length in product(range(12), LENGTHS):
        draft = Draft(Stream("exchange", number, length.most), ordering)
        foot = draft.chain(draft.premise(), 1 + number % 3, 0.0)
        sealed, top = number % 4 == 1 and length.most > 1, number % 3 == 1
        exchange(draft, foot, label, length, victims=[foot] if top else (), sealed=sealed)
        state = evaluate(draft.theory(), ordering)
        assert state.status(foot.literal) == STATUS[label], (number, length)
        assert state.is_consistent
        if sealed:
            weaker = {pair.weaker for pair in draft.preferences}
            assert weaker.isdisjoint((*foot.premises, *foot.rules))


@every_ordering
@pytest.mark.parametrize("label", ["in", "out"])
def test_the_set_ordering_decides_where_it_is_to(ordering: str, label: Label) -> None:
    for number in range(8):
        draft = Draft(Stream("sets", number), ordering)
        foot = draft.defeasible([draft.premise()])
        set_ordering_exchange(draft, foot, label)
        state = evaluate(draft.theory(), ordering)
        assert state.status(foot.literal) == STATUS[label]
        assert state.under(switched(ordering).lift).status(foot.literal) != STATUS[label]
        assert state.is_consistent


def test_looks_leave_every_label_open_and_undermining_to_the_end() -> None:
    stream = Stream("looks")
    for length in LENGTHS:
        for sealed in (False, True) if length.most > 1 else (False,):
            for _ in range(60):
                moves = draw_moves(stream, length, sealed=sealed)
                assert length.least <= len(moves) <= length.most
                assert all(plans(moves, label) for label in LABELS)
                assert Move.UNDERMINE not in moves[:-1]
                assert not sealed or moves[0] is Move.UNDERCUT


def test_the_look_of_an_exchange_does_not_depend_on_its_label() -> None:
    """The same stream gives the same attacks, whatever is to become of the foot; only preferences differ."""
    for number in range(40):
        kinds = []
        for label in LABELS:
            draft = Draft(Stream("look", number), ORDERINGS[number % 4])
            moves = draw_moves(draft.stream, Length(2, 4))
            kinds.append(moves)
            assert {foot_label(outcomes) for group in plans(moves, label) for outcomes in group} == {label}
        assert len(set(kinds)) == 1


def test_attacks_that_fail_make_idle_what_follows() -> None:
    wins, ties, loses = Outcome.WINS, Outcome.TIES, Outcome.LOSES
    assert [foot_label(outcomes) for outcomes in ([], [wins], [loses], [ties])] == ["in", "out", "in", "undecided"]
    assert foot_label([wins, wins]) == "in"
    assert foot_label([wins, loses]) == "out"
    assert foot_label([wins, ties]) == "undecided"
    assert foot_label([ties, wins]) == "in"
    assert foot_label([loses, ties]) == "in"
    assert foot_label([wins, wins, loses, wins]) == "in"


def test_most_looks_take_more_than_one_step_to_decide() -> None:
    stream = Stream("steps")
    bearing: Counter[int] = Counter()
    for _ in range(400):
        moves = draw_moves(stream, Length(2, 4))
        outcomes = stream.choice(stream.choice(plans(moves, "in")))
        bearing[outcomes.index(Outcome.LOSES) if Outcome.LOSES in outcomes else len(outcomes)] += 1
    assert bearing[0] < 0.3 * bearing.total()
