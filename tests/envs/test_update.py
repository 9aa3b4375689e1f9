"""Updates: what retracting takes along, which literals are claims, what changes, and what an update can reach."""

from __future__ import annotations

from random import Random

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.update import (
    Preference,
    UpdateQuestion,
    changes,
    claims_of,
    mentioned,
    preferences_naming,
    reached,
    updated,
)
from arggym_env.errors import TheoryError
from arggym_env.theory import Theory
from tests.engine.random_theories import random_theory

BASE = """\
[premise: p]
[premise: -q]
[axiom: a]
[defeasible r1: p => x]
[defeasible r2: x => y]
[defeasible r3: -q => -x]
[strict r4: a AND y -> z]
[defeasible r5: g => -r2]
[prefer_rule: r1 > r3]
[prefer_rule: r2 > r1]
[prefer_premise: p > -q]
"""
THEORY = Theory.parse(BASE)
ORDERING = "last-link elitist"


def update(added: str = "", retracted: str = "") -> UpdateQuestion:
    return UpdateQuestion(tuple(added.splitlines()), tuple(retracted.splitlines()))


def changed(question: UpdateQuestion, theory: Theory = THEORY) -> dict[str, str]:
    return changes(evaluate(theory, ORDERING), evaluate(updated(theory, question), ORDERING))


def test_additions_are_stated_and_retractions_are_gone() -> None:
    after = updated(THEORY, update("[premise: g]", "[defeasible r2: x => y]"))
    assert "[premise: g]" in str(after)
    assert "r2: x" not in str(after)


def test_preferences_that_name_a_retracted_rule_go_with_it() -> None:
    after = updated(THEORY, update(retracted="[defeasible r1: p => x]"))
    assert after.rule_preferences == ()
    assert len(after.premise_preferences) == 1


def test_preferences_that_name_a_retracted_premise_go_with_it() -> None:
    after = updated(THEORY, update(retracted="[premise: -q]"))
    assert after.premise_preferences == ()
    assert len(after.rule_preferences) == 2


def test_retracting_an_axiom_takes_nothing_along() -> None:
    assert len(updated(THEORY, update(retracted="[axiom: a]")).directives) == len(THEORY.directives) - 1


def test_what_is_not_stated_cannot_be_retracted() -> None:
    with pytest.raises(TheoryError, match="does not state it"):
        updated(THEORY, update(retracted="[premise: g]"))


def test_claims_are_the_literals_over_atoms_in_the_sign_in_which_they_occur() -> None:
    assert claims_of(THEORY) == ("-q", "-x", "a", "g", "p", "x", "y", "z")


EFFECTS = {
    "nothing": (update(), {}),
    "a premise that a rule lacked, and the undercut it fires": (
        update("[premise: g]"),
        {"g": "justified", "y": "overruled", "z": "overruled"},
    ),
    "a withdrawn premise, and what its rule held down": (
        update(retracted="[premise: p]"),
        {"p": "overruled", "x": "overruled", "y": "overruled", "z": "overruled", "-x": "justified"},
    ),
    "a withdrawn preference leaves a tie": (
        update(retracted="[prefer_rule: r1 > r3]"),
        {"x": "undecided", "-x": "undecided", "y": "undecided", "z": "undecided"},
    ),
    "the reverse preference leaves a tie too": (
        update("[prefer_rule: r3 > r1]"),
        {"x": "undecided", "-x": "undecided", "y": "undecided", "z": "undecided"},
    ),
    "a new contrary is no claim of the theory": (
        update("[premise: -p]"),
        {"p": "undecided", "x": "undecided", "y": "undecided", "z": "undecided", "-x": "undecided"},
    ),
    "an undercut of a strict rule": (update("[defeasible n: a => -r4]"), {}),
    "a retraction and an addition that meet": (
        update("[premise: g]\n[defeasible n: a => -r5]", "[defeasible r3: -q => -x]"),
        {"g": "justified"},
    ),
}


@pytest.mark.parametrize(("question", "expected"), EFFECTS.values(), ids=EFFECTS.keys())
def test_changes_are_the_claims_with_another_status_and_their_new_one(
    question: UpdateQuestion, expected: dict[str, str]
) -> None:
    assert changed(question) == expected


def test_a_claim_that_no_longer_occurs_is_still_a_claim_of_the_original_theory() -> None:
    assert changed(update(retracted="[defeasible r3: -q => -x]")) == {}
    assert changed(update(retracted="[premise: -q]")) == {"-q": "overruled"}


def test_mentioned_claims_are_those_whose_atoms_the_update_names() -> None:
    assert mentioned(THEORY, update("[defeasible n: a => q]", "[prefer_rule: r1 > r3]")) == ("-q", "a")
    assert mentioned(THEORY, update("[defeasible n: g => -r1]")) == ("g",)
    assert mentioned(THEORY, update("[prefer_premise: -q > p]")) == ("-q", "p")


REACH = {
    "along rules": (update(retracted="[defeasible r2: x => y]"), {"y", "z"}),
    "through an undercut": (update("[premise: g]"), {"g", "y", "z"}),
    "through a conflict": (update(retracted="[premise: -q]"), {"-q", "-x", "x", "y", "z"}),
    "from a preference": (update(retracted="[prefer_rule: r1 > r3]"), {"-x", "x", "y", "z"}),
    "an isolated premise": (update("[premise: new]"), set()),
}


@pytest.mark.parametrize(("question", "expected"), REACH.values(), ids=REACH.keys())
def test_an_update_reaches_what_rules_conflicts_and_undercuts_carry(
    question: UpdateQuestion, expected: set[str]
) -> None:
    assert reached(THEORY, question) == expected


def test_a_preference_that_followed_from_retracted_ones_is_reached() -> None:
    """Only r2 goes, but with it goes what made r3 weaker than r1."""
    theory = Theory.parse(
        "[premise: p]\n[premise: q]\n[premise: s]\n[defeasible r1: p => x]\n[defeasible r2: s => u]\n"
        "[defeasible r3: q => -x]\n[prefer_rule: r1 > r2]\n[prefer_rule: r2 > r3]"
    )
    question = update(retracted="[defeasible r2: s => u]")
    assert changed(question, theory) == {"u": "overruled", "x": "undecided", "-x": "undecided"}
    assert reached(theory, question) == {"u", "x", "-x"}


def test_a_longer_chain_of_preferences_is_followed_too() -> None:
    theory = Theory.parse(
        "[premise: p]\n[premise: q]\n[premise: s]\n[defeasible r1: p => x]\n[defeasible r2: s => u]\n"
        "[defeasible b: s => v]\n[defeasible c: s => w]\n[defeasible r3: q => -x]\n"
        "[prefer_rule: r1 > b]\n[prefer_rule: b > r2]\n[prefer_rule: r2 > c]\n[prefer_rule: c > r3]"
    )
    question = update(retracted="[defeasible r2: s => u]")
    assert set(changed(question, theory)) == {"u", "x", "-x"}
    assert {"x", "-x"} <= reached(theory, question)


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize(("question", "expected"), EFFECTS.values(), ids=EFFECTS.keys())
def test_nothing_changes_beyond_what_the_update_reaches(
    question: UpdateQuestion, expected: dict[str, str], ordering: str
) -> None:
    gold = changes(evaluate(THEORY, ordering), evaluate(updated(THEORY, question), ordering))
    assert gold.keys() <= reached(THEORY, question)


def random_update(seed: int) -> tuple[Theory, UpdateQuestion]:
    """A random theory without some of its directives, and the update that states them and retracts others."""
    random = Random(f"random update {seed}")
    whole = random_theory(seed)
    preferences: tuple[Preference, ...] = (*whole.rule_preferences, *whole.premise_preferences)
    sample = random.sample(whole.directives, min(len(whole.directives), random.randint(1, 6)))
    place = random.randint(0, len(sample))
    retracted = set(sample[:place])
    late = {*sample[place:], *preferences_naming(preferences, sample[place:])}
    theory = Theory(tuple(directive for directive in whole.directives if directive not in late))
    added = late - retracted - set(preferences_naming(preferences, retracted))
    return theory, UpdateQuestion(
        tuple(sorted(map(str, added))), tuple(sorted(map(str, retracted.intersection(theory.directives))))
    )


def test_nothing_changes_beyond_what_random_updates_reach() -> None:
    effective = 0
    for seed in range(400):
        theory, question = random_update(seed)
        ordering = ORDERINGS[seed % 4]
        gold = changes(evaluate(theory, ordering), evaluate(updated(theory, question), ordering))
        assert gold.keys() <= reached(theory, question), f"seed {seed}"
        effective += bool(gold)
    assert effective > 150
