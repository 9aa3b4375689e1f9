"""Examples from the literature, with arguments, attacks, defeats and statuses worked out by hand.

Sources: Modgil & Prakken 2013 (A general account of argumentation with preferences) and 2014 (The ASPIC+ framework for
structured argumentation: a tutorial); Caminada & Amgoud 2007 (On the evaluation of argumentation formalisms) for the
married bachelor. Every example is run on both engines.
"""

from __future__ import annotations

import pytest

from arggym_env.engine import ENGINES, ORDERINGS, State, evaluate
from arggym_env.theory import Theory

LAST_LINK = ("last-link elitist", "last-link democratic")

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def argument_names(state: State) -> dict[str, str]:
    """Map every argument, as ``str`` prints it, to its conclusion and top rule; the examples have one of each."""
    return {
        f"A{argument.index}": argument.conclusion + (f"/{argument.top_rule.name}" if argument.top_rule else "")
        for argument in state.arguments
    }


def attacks(state: State) -> set[str]:
    names = argument_names(state)
    verbs = {"undermine": "undermines", "rebut": "rebuts", "undercut": "undercuts"}
    return {
        f"{names[f'A{attack.attacker.index}']} {verbs[attack.kind]} {names[f'A{attack.attacked.index}']}"
        for attack in state.attacks
    }


def defeats(state: State) -> set[tuple[str, str]]:
    names = argument_names(state)
    return {(names[f"A{source.index}"], names[f"A{target.index}"]) for source, target in state.defeats}


SNORES = Theory.parse(
    """
    [premise: snores]
    [premise: professor]
    [defeasible d1: snores => misbehaves]
    [defeasible d2: misbehaves => denied]
    [defeasible d3: professor => -denied]
    [prefer_rule: d2 > d3]
    [prefer_rule: d3 > d1]
    """
)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_snoring_professor_turns_on_the_link_principle(engine: str, ordering: str) -> None:
    """Modgil & Prakken 2014, section 3.5: d1 < d3 < d2, so last link denies access and weakest link grants it."""
    state = evaluate(SNORES, ordering, engine=engine)
    assert list(map(str, state.arguments)) == [
        "A0: professor [premise]",
        "A1: snores [premise]",
        "A2: A0 => -denied [d3]",
        "A3: A1 => misbehaves [d1]",
        "A4: A3 => denied [d2]",
    ]
    assert attacks(state) == {"denied/d2 rebuts -denied/d3", "-denied/d3 rebuts denied/d2"}
    by_last_link = ordering in LAST_LINK
    # Weakest link: {d1, d2} against {d3} is weaker as a set only for the elitist, who looks at d1 < d3; but neither
    # argument is firm, so the premises must be weaker too, and without preferences between them they are not.
    assert defeats(state) == (
        {("denied/d2", "-denied/d3")} if by_last_link else {("denied/d2", "-denied/d3"), ("-denied/d3", "denied/d2")}
    )
    assert state.status("denied") == ("justified" if by_last_link else "undecided")
    assert state.status("-denied") == ("overruled" if by_last_link else "undecided")


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_snoring_professor_with_facts_for_certain(engine: str, ordering: str) -> None:
    """With necessary premises both arguments are firm, and weakest link compares all their rules."""
    theory = Theory.parse(str(SNORES).replace("[premise:", "[axiom:"))
    state = evaluate(theory, ordering, engine=engine)
    expected = {
        "last-link elitist": {("denied/d2", "-denied/d3")},
        "last-link democratic": {("denied/d2", "-denied/d3")},
        # {d1, d2} < {d3}: elitist through d1 < d3. {d3} < {d1, d2} would need d3 < d1 as well.
        "weakest-link elitist": {("-denied/d3", "denied/d2")},
        # {d3} < {d1, d2}: democratic through d3 < d2. {d1, d2} < {d3} would need d2 < d3 as well.
        "weakest-link democratic": {("denied/d2", "-denied/d3")},
    }
    assert defeats(state) == expected[ordering]
    assert state.status("denied") == ("overruled" if ordering == "weakest-link elitist" else "justified")


MARRIED = """
    [axiom: wears_ring]
    [axiom: party_animal]
    [defeasible d1: wears_ring => married]
    [defeasible d2: party_animal => bachelor]
    [strict s1: bachelor -> -married]
"""


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_married_bachelor_shows_restricted_rebut(engine: str, ordering: str) -> None:
    """Caminada & Amgoud 2007: -married is drawn strictly, so the argument for it rebuts and is not rebutted."""
    state = evaluate(Theory.parse(MARRIED), ordering, engine=engine)
    assert attacks(state) == {"-married/s1 rebuts married/d1"}
    assert defeats(state) == {("-married/s1", "married/d1")}
    assert state.status("bachelor") == state.status("-married") == "justified"
    assert state.status("married") == "overruled"


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_married_bachelor_closed_under_transposition(engine: str, ordering: str) -> None:
    """With the transposed rule both conclusions are attacked, and nothing is decided."""
    state = evaluate(Theory.parse(MARRIED + "[strict s2: married -> -bachelor]"), ordering, engine=engine)
    assert attacks(state) == {"-married/s1 rebuts married/d1", "-bachelor/s2 rebuts bachelor/d2"}
    # Each also defeats the strict argument built on what it rebuts.
    assert defeats(state) == {
        ("-married/s1", "married/d1"),
        ("-married/s1", "-bachelor/s2"),
        ("-bachelor/s2", "bachelor/d2"),
        ("-bachelor/s2", "-married/s1"),
    }
    assert {state.status(claim) for claim in ("married", "bachelor", "-married", "-bachelor")} == {"undecided"}
    assert [len(extension) for extension in state.extensions("preferred")] == [4, 4]
    assert state.status("married", "credulous preferred") == "justified"
    assert state.status("married", "sceptical preferred") == "undecided"


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_contradictory_strict_consequences_make_a_state_inconsistent(engine: str, ordering: str) -> None:
    """Caminada & Amgoud 2007: without transposition, hw and -hw are both drawn strictly and both stand."""
    theory = Theory.parse(MARRIED.replace("-> -married", "-> -hw") + "[strict s2: married -> hw]")
    state = evaluate(theory, ordering, engine=engine)
    assert state.attacks == ()
    assert state.status("hw") == state.status("-hw") == "justified"
    assert not state.is_consistent


TUTORIAL = Theory.parse(
    """
    [axiom: q]
    [premise: p]
    [premise: u]
    [premise: r]
    [strict s1: p AND q -> s]
    [strict s2: u AND v -> w]
    [defeasible d1: p => t]
    [defeasible d2: s AND r AND t => v]
    """
)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_running_example_of_the_tutorial_has_its_eight_arguments(engine: str, ordering: str) -> None:
    """Modgil & Prakken 2014, section 3.1: Kn = {q}, Kp = {p, u, r}, and the last argument uses everything."""
    state = evaluate(TUTORIAL, ordering, engine=engine)
    assert list(map(str, state.arguments)) == [
        "A0: p [premise]",
        "A1: q [axiom]",
        "A2: r [premise]",
        "A3: u [premise]",
        "A4: A0, A1 -> s [s1]",
        "A5: A0 => t [d1]",
        "A6: A2, A4, A5 => v [d2]",
        "A7: A3, A6 -> w [s2]",
    ]
    last = state.arguments[7]
    assert last.premises == {"p", "q", "r", "u"}
    assert last.ordinary_premises == {"p", "r", "u"}
    assert last.defeasible_rules == {"d1", "d2"}
    assert last.last_defeasible_rules == {"d2"}
    assert last.top_rule in TUTORIAL.strict_rules
    assert last.height == state.depth == 3
    assert state.attacks == ()
    assert state.defeats == ()
    assert set(state.extensions("grounded")) == {frozenset(state.arguments)}


ALL_ATTACKS = Theory.parse(
    """
    [axiom: p]
    [premise: s]
    [premise: u]
    [premise: x]
    [defeasible d1: p => q]
    [defeasible d2: s => t]
    [defeasible d3: t => -d1]
    [defeasible d4: u => v]
    [defeasible d5: v AND x => -t]
    [defeasible d6: s => -p]
    [strict s1: p AND q -> r]
    [strict s2: v -> -s]
    """
)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_all_kinds_of_attack_in_one_theory(engine: str, ordering: str) -> None:
    """An axiom and a strict conclusion attack without being attacked back; the undermining turns on the ordering."""
    state = evaluate(ALL_ATTACKS, ordering, engine=engine)
    assert attacks(state) == {
        "-s/s2 undermines s",
        "-d1/d3 undercuts q/d1",
        "-t/d5 rebuts t/d2",
        "t/d2 rebuts -t/d5",
        "p rebuts -p/d6",
    }
    # Last link: the argument for -s has a last defeasible rule, d4, and the bare premise s has none, so it is weaker.
    # Weakest link: its premises would have to be weaker as well, and without preferences they are not.
    by_last_link = ordering in LAST_LINK
    unsuccessful = [attack for attack in state.attacks if not attack.succeeds]
    assert [str(attack) for attack in unsuccessful] == (["A9 undermines A1 (without success)"] if by_last_link else [])
    assert str(state.arguments[9]) == "A9: A7 -> -s [s2]"
    assert str(state.arguments[1]) == "A1: s [premise]"
    assert state.status("s") == ("justified" if by_last_link else "overruled")
    assert state.status("q") == state.status("r") == ("undecided" if by_last_link else "justified")


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_an_undercut_needs_no_strength(engine: str, ordering: str) -> None:
    """Modgil & Prakken 2013, Def. 14: undercuts succeed whatever the preferences."""
    theory = Theory.parse(
        """
        [axiom: looks_red]
        [premise: red_light]
        [defeasible d1: looks_red => is_red]
        [defeasible d2: red_light => -d1]
        [prefer_rule: d1 > d2]
        """
    )
    state = evaluate(theory, ordering, engine=engine)
    assert attacks(state) == {"-d1/d2 undercuts is_red/d1"}
    assert state.status("is_red") == "overruled"


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_undercutting_a_strict_rule_does_nothing(engine: str, ordering: str) -> None:
    theory = Theory.parse("[axiom: a]\n[premise: b]\n[strict s1: a -> c]\n[defeasible d1: b => -s1]")
    state = evaluate(theory, ordering, engine=engine)
    assert state.attacks == ()
    assert state.status("c") == state.status("-s1") == "justified"


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_nixon_is_undecided_and_his_ancestors_conclusion_floats(engine: str, ordering: str) -> None:
    """Two mutually rebutting arguments, and a conclusion that either side supports."""
    theory = Theory.parse(
        """
        [axiom: quaker]
        [axiom: republican]
        [defeasible d1: quaker => pacifist]
        [defeasible d2: republican => -pacifist]
        [defeasible d3: pacifist => political]
        [defeasible d4: -pacifist => political]
        """
    )
    state = evaluate(theory, ordering, engine=engine)
    assert state.status("political") == "undecided"
    assert state.status("political", "sceptical preferred") == "justified"
    assert state.status("political", "stable") == "justified"
    assert state.status("political", "eager") == "undecided"
    assert state.status("pacifist", "sceptical preferred") == "undecided"
    assert state.status("pacifist", "credulous preferred") == "justified"


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_three_undercuts_in_a_ring_have_no_stable_extension(engine: str, ordering: str) -> None:
    """Three rules that undercut one another in a ring, an odd cycle (after Pollock's unreliable witness)."""
    theory = Theory.parse(
        """
        [premise: a]
        [premise: b]
        [premise: c]
        [premise: d]
        [defeasible r1: a => -r2]
        [defeasible r2: b => -r3]
        [defeasible r3: c => -r1]
        """
    )
    state = evaluate(theory, ordering, engine=engine)
    assert state.extensions("stable") == ()
    assert set(state.statuses("stable").values()) == {"no stable extension"}
    assert state.status("unheard_of", "stable") == "no stable extension"
    assert [len(extension) for extension in state.extensions("semi-stable")] == [4]
    assert state.status("-r1", "credulous preferred") == "undecided"
    assert state.status("d", "eager") == "justified"
