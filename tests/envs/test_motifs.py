"""Motifs: what is planned in isolation is what the engine says."""

from __future__ import annotations

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.motifs import (
    Mix,
    Outcome,
    ground,
    grow,
    joint_attack,
    rebut,
    settle,
    targets,
    undercut,
    undermine,
)
from arggym_env.envs.stream import Stream
from arggym_env.theory import DefeasibleRule, StrictRule, negate

every_ordering = pytest.mark.parametrize("ordering", ORDERINGS)
every_outcome = pytest.mark.parametrize("outcome", Outcome)
MIX = Mix(strict=0.3, junction=0.3, axiom=0.0)
STATUS_OF_TARGET = {Outcome.WINS: "overruled", Outcome.TIES: "undecided", Outcome.LOSES: "justified"}


def new(ordering: str, *key: str | int) -> Draft:
    return Draft(Stream("motifs", ordering, *key), ordering)


def step(draft: Draft, height: int = 1) -> Line:
    """Return a line that ends in a defeasible step over ordinary premises."""
    return draft.defeasible([grow(draft, draft.premise(), height - 1, MIX)])


def status(draft: Draft, line: Line, ordering: str) -> str:
    return evaluate(draft.theory(), ordering).status(line.literal)


@every_ordering
@every_outcome
def test_a_rebuttal_ends_as_planned(ordering: str, outcome: Outcome) -> None:
    for seed in range(20):
        draft = new(ordering, "rebut", str(outcome), seed)
        target = step(draft, draft.stream.between(1, 3))
        attacker = rebut(draft, target, grow(draft, draft.premise(), draft.stream.between(0, 2), MIX), outcome)
        assert attacker.literal == negate(target.literal)
        assert status(draft, target, ordering) == STATUS_OF_TARGET[outcome]
        against = {Outcome.WINS: "justified", Outcome.TIES: "undecided", Outcome.LOSES: "overruled"}
        assert status(draft, attacker, ordering) == against[outcome]


@every_ordering
@every_outcome
def test_an_underminer_ends_as_planned(ordering: str, outcome: Outcome) -> None:
    draft = new(ordering, "undermine", str(outcome))
    target = draft.premise()
    above = draft.defeasible([target])
    undermine(draft, target, outcome)
    assert status(draft, target, ordering) == STATUS_OF_TARGET[outcome]
    assert status(draft, above, ordering) == STATUS_OF_TARGET[outcome]


@every_ordering
def test_an_undercut_always_succeeds_and_leaves_the_conclusion_unopposed(ordering: str) -> None:
    for seed in range(10):
        draft = new(ordering, "undercut", seed)
        target = step(draft, 2)
        attacker = undercut(draft, target, draft.premise())
        draft.rank(attacker, target)
        assert status(draft, target, ordering) == "overruled"
        assert evaluate(draft.theory(), ordering).status(negate(target.literal)) == "overruled"


def test_a_premise_cannot_be_undercut() -> None:
    draft = new(ORDERINGS[0])
    with pytest.raises(ValueError, match="is a premise and cannot be undercut"):
        undercut(draft, draft.premise(), draft.premise())


@every_ordering
@every_outcome
def test_an_unsettled_conflict_states_nothing(ordering: str, outcome: Outcome) -> None:
    for seed in range(10):
        draft = new(ordering, "settle", str(outcome), seed)
        one, other = step(draft, 2), step(draft, 2)
        assert draft.rank(one, other)
        before = set(draft.theory().directives)
        settled = settle(draft, other, one, outcome)
        if outcome is Outcome.TIES or not settled:
            assert set(draft.theory().directives) == before


@pytest.mark.parametrize("principle", ["last-link", "weakest-link"])
def test_a_joint_attack_hangs_on_the_set_ordering(principle: str) -> None:
    for lift in ("elitist", "democratic"):
        for members in (2, 3):
            for seed in range(8):
                draft = new(f"{principle} {lift}", "joint", members, seed)
                target = step(draft, draft.stream.between(1, 2))
                attacker, lines = joint_attack(draft, target, [draft.premise() for _ in range(members)])
                assert isinstance(attacker.rule, StrictRule)
                assert len(lines) == members
                theory = draft.theory()
                assert evaluate(theory, f"{principle} elitist").status(target.literal) == "justified"
                assert evaluate(theory, f"{principle} democratic").status(target.literal) == "overruled"


@every_ordering
def test_grown_lines_have_the_asked_length_and_end_in_the_asked_literal(ordering: str) -> None:
    for seed in range(20):
        draft = new(ordering, "grow", seed)
        base = ground(draft, Mix(0.3, 0.5, 0.5))
        line = grow(draft, base, 4, Mix(strict=0.3, junction=0.5), "ko9")
        assert line.height == 4
        assert line.literal == "ko9"
        assert base in set(line.steps())
        assert grow(draft, line, 0, MIX) is line
        assert evaluate(draft.theory(), ordering).depth == 4


def test_the_mix_is_kept_on_average() -> None:
    draft = new(ORDERINGS[0], "mix")
    mix = Mix(strict=0.25, junction=0.4, axiom=0.3)
    for _ in range(150):
        grow(draft, ground(draft, mix), 3, mix)
    theory = draft.theory()
    assert 0.15 < len(theory.strict_rules) / len(theory.rules) < 0.35
    assert 0.2 < len(theory.axioms) / (len(theory.axioms) + len(theory.premises)) < 0.4
    assert 0.2 < sum(len(rule.antecedents) == 2 for rule in theory.rules) / len(theory.rules) < 0.5


def test_targets_are_the_attackable_steps_each_once_top_first() -> None:
    draft = new(ORDERINGS[0], "targets")
    premise, axiom = draft.premise(), draft.axiom()
    shared = draft.defeasible([premise])
    strict = draft.strict([shared, axiom])
    top = draft.defeasible([strict, shared])
    found = targets(top)
    assert found[0] is top
    assert set(found) == {top, shared, premise}
    assert len(found) == 3
    assert all(isinstance(line.rule, DefeasibleRule) or line.rule is None for line in found)
    assert not targets(draft.strict([draft.axiom()]))
