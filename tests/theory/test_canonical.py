"""The canonical form is the same for theories that differ in names and order only, and differs for all others."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.errors import TheoryError
from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
    canonical_form,
    canonical_hash,
)
from tests.theory.isomorphism import are_isomorphic, content, names_of, renamed
from tests.theory.theories import directives, literals, theories


def disguised(theory: Theory, data: st.DataObject) -> Theory:
    """Return ``theory`` with other names, in another order, with antecedents in another order and lines repeated."""
    names = names_of(theory)
    pool = data.draw(st.permutations([*(f"n{index}" for index in range(len(names))), "v1", "v0", "a", "b1"]))
    mapping = dict(zip(names, pool, strict=False))
    lines = []
    for directive in data.draw(st.permutations(theory.directives)):
        line = renamed(directive, mapping)
        if isinstance(line, StrictRule | DefeasibleRule):
            line = type(line)(line.name, tuple(data.draw(st.permutations(line.antecedents))), line.consequent)
        lines.append(line)
        if not isinstance(line, StrictRule | DefeasibleRule) and data.draw(st.booleans()):
            lines.append(line)
    return Theory(tuple(lines))


@given(theories(), st.data())
def test_names_and_order_do_not_matter(theory: Theory, data: st.DataObject) -> None:
    twin = disguised(theory, data)
    assert canonical_form(twin) == canonical_form(theory)
    assert canonical_hash(twin) == canonical_hash(theory)


@given(theories(7), theories(7), st.data())
def test_parts_that_come_twice_are_told_from_their_neighbours(one: Theory, other: Theory, data: st.DataObject) -> None:
    """Two copies of each of two theories: no name is alone in its colour, so the order of the parts matters."""
    parts = [one, one, other, other]
    together = [
        renamed(directive, {name: f"{name}_{number}" for name in names_of(part)})
        for number, part in enumerate(parts)
        for directive in part.directives
    ]
    theory = Theory(tuple(together))
    assert canonical_form(disguised(theory, data)) == canonical_form(theory)


def test_names_that_look_alike_without_being_interchangeable() -> None:
    """A hexagon and two triangles, all tied: every rule sees the same around it, yet no renaming mixes the two."""
    rules = [f"r{i}" for i in range(6)] + [f"r{tag}{i}" for tag in "xy" for i in range(3)]
    text = "\n".join([_cycle(6), _cycle(3, "x"), _cycle(3, "y")]) + _tied(rules)
    theory = Theory.parse(text)
    wanted = canonical_hash(theory)
    for seed in range(12):
        names = names_of(theory)
        shuffled = Random(seed).sample(names, len(names))
        other = Theory(tuple(renamed(each, dict(zip(names, shuffled, strict=True))) for each in theory.directives))
        assert canonical_hash(other) == wanted


@settings(max_examples=60)
@given(theories(8))
def test_the_form_says_what_the_theory_says(theory: Theory) -> None:
    assume(len(names_of(theory)) <= 6)
    assert are_isomorphic(canonical_form(theory), theory)


@given(theories())
def test_the_form_is_its_own_form_and_keeps_the_size(theory: Theory) -> None:
    form = canonical_form(theory)
    assert canonical_form(form) == form
    assert len(form.directives) == len(content(theory.directives))
    assert names_of(form) == sorted(f"v{index}" for index in range(len(names_of(theory))))
    assert re.fullmatch(r"[0-9a-f]{64}", canonical_hash(theory))


@settings(max_examples=150)
@given(theories(5), theories(5))
def test_equal_forms_mean_that_a_renaming_exists(one: Theory, other: Theory) -> None:
    assume(len(names_of(one)) <= 6)
    assert (canonical_form(one) == canonical_form(other)) == are_isomorphic(one, other)


@settings(max_examples=150)
@given(theories(7), st.data())
def test_a_single_change_shows_exactly_when_no_renaming_undoes_it(theory: Theory, data: st.DataObject) -> None:
    assume(theory.directives and len(names_of(theory)) <= 5)
    index = data.draw(st.integers(0, len(theory.directives) - 1))
    replacement = data.draw(st.none() | directives())
    kept = list(theory.directives)
    kept[index : index + 1] = [] if replacement is None else [replacement]
    try:
        changed = Theory(tuple(kept))
    except TheoryError:
        assume(False)
    assume(len(names_of(changed)) <= 5)
    assert (canonical_hash(theory) == canonical_hash(changed)) == are_isomorphic(theory, changed)


def _all_pairs_differ(texts: list[str]) -> bool:
    return len({canonical_hash(Theory.parse(text)) for text in texts}) == len(texts)


def test_every_kind_of_difference_shows() -> None:
    base = "[premise: a]\n[premise: b]\n[defeasible r: a => c]\n[defeasible s: b => -c]\n"
    assert _all_pairs_differ(
        [
            base,
            base + "[prefer_rule: r > s]",
            base + "[prefer_rule: s > r]",
            base + "[prefer_rule: r > s]\n[prefer_rule: s > r]",
            base + "[prefer_premise: a > b]",
            base + "[premise: d]",
            base + "[axiom: d]",
            base + "[premise: -d]",
            base + "[premise: -r]",
            base + "[defeasible t: a => -r]",
            base + "[strict t: a -> -r]",
            base + "[defeasible t: a => -s]",
            base + "[defeasible t: a => -z]",
            base + "[defeasible t: a => z]",
            base + "[defeasible t: b => z]",
            base + "[defeasible t: a AND b => z]",
            base + "[defeasible t: a AND -b => z]",
            base.replace("[defeasible r: a =>", "[strict r: a ->"),
            base.replace("[premise: a]", "[axiom: a]"),
            base.replace("-c", "c2"),
        ]
    )


def test_the_sign_of_an_atom_is_not_a_name() -> None:
    """Turning all signs of an atom around keeps the conflicts, but it is no renaming."""
    assert _all_pairs_differ(["[premise: a]", "[premise: -a]"])
    assert _all_pairs_differ(["[premise: a]\n[defeasible r: a => b]", "[premise: -a]\n[defeasible r: -a => b]"])


def _cycle(size: int, tag: str = "") -> str:
    return "\n".join(f"[defeasible r{tag}{i}: a{tag}{i} => a{tag}{(i + 1) % size}]" for i in range(size))


def test_what_colour_refinement_alone_cannot_tell_apart() -> None:
    """Two triangles and a hexagon look alike to every name's neighbourhood; so do two squares and an octagon."""
    for size in (3, 4, 5):
        assert _all_pairs_differ([_cycle(size, "x") + "\n" + _cycle(size, "y"), _cycle(2 * size)])
        tied_two = _tied([f"rx{i}" for i in range(size)] + [f"ry{i}" for i in range(size)])
        tied_one = _tied([f"r{i}" for i in range(2 * size)])
        assert _all_pairs_differ([_cycle(size, "x") + "\n" + _cycle(size, "y") + tied_two, _cycle(2 * size) + tied_one])


def _tied(rules: list[str]) -> str:
    """Return preferences that connect every rule with every other."""
    return "".join(f"\n[prefer_rule: {one} > {other}]" for one in rules for other in rules if one != other)


def _star(size: int) -> str:
    return "\n".join(f"[premise: p{i}]\n[defeasible r{i}: p{i} => t]" for i in range(size))


def _bristles(size: int) -> str:
    rules = "\n".join(f"[defeasible r{i}: s => a{i}]\n[defeasible q{i}: a{i} => -r{i}]" for i in range(size))
    return "[axiom: s]\n" + rules


def _clique(size: int) -> str:
    names = [f"p{i}" for i in range(size)]
    pairs = "".join(f"\n[prefer_premise: {one} > {other}]" for one in names for other in names if one != other)
    return "\n".join(f"[premise: {name}]" for name in names) + pairs


def _grid(size: int) -> str:
    cells = [(i, j) for i in range(size) for j in range(size)]
    return "\n".join(f"[defeasible r{i}x{j}: a{i} AND b{j} => t]" for i, j in cells)


def _binary_tree(depth: int) -> str:
    return "\n".join(f"[defeasible r{i}: a{i} => a{i // 2}]" for i in range(2, 2**depth))


def _two_level_star(size: int) -> str:
    lines = [f"[strict m{i}: c{i} -> t]" for i in range(size)]
    lines += [f"[premise: p{i}x{j}]\n[defeasible r{i}x{j}: p{i}x{j} => c{i}]" for i in range(size) for j in range(size)]
    return "\n".join(lines)


SYMMETRIC: dict[str, tuple[Callable[[int], str], int]] = {
    "premises": (lambda size: "\n".join(f"[premise: p{i}]" for i in range(size)), 2000),
    "star": (_star, 60),
    "bristles": (_bristles, 30),
    "cycle": (_cycle, 30),
    "clique": (_clique, 10),
    "grid": (_grid, 6),
    "binary tree": (_binary_tree, 6),
    "two levels of stars": (_two_level_star, 7),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_theories_take_no_longer_than_a_moment(name: str) -> None:
    make, size = SYMMETRIC[name]
    text = make(size)
    theory = Theory.parse(text)
    start = time.perf_counter()
    found = canonical_hash(theory)
    assert time.perf_counter() - start < 5
    turned = "\n".join(reversed(text.splitlines()))
    assert canonical_hash(Theory.parse(turned)) == found
    assert canonical_hash(Theory.parse(make(size - 1))) != found


def test_statuses_are_those_of_the_theory_up_to_names() -> None:
    theory = Theory.parse(
        "[premise: a]\n[premise: -a]\n[axiom: b]\n[defeasible r: a => c]\n[defeasible s: b => -c]\n"
        "[defeasible u: b => -r]\n[prefer_premise: a > -a]\n[prefer_rule: r > s]"
    )
    for ordering in ORDERINGS:
        ours, forms = (evaluate(each, ordering).statuses() for each in (theory, canonical_form(theory)))
        assert sorted(ours.values()) == sorted(forms.values())


def test_the_form_is_pinned() -> None:
    """Stored hashes of the frozen suite depend on it; another form would let the suite's twins pass as fresh."""
    theory = Theory.parse(
        "[premise: ko9]\n[axiom: mp0]\n[defeasible vo8: ko9 AND mp0 => ls2]\n[strict hu2: ls2 -> -ik2]\n"
        "[defeasible u: ik2 => -vo8]\n[prefer_rule: vo8 > u]"
    )
    assert canonical_hash(theory) == PINNED


PINNED = "04a9d3f3ccc6875b2df9be64a571d64fe097c69c1968b5b62b3315e499d3b357"


@given(literals())
def test_one_line_theories(literal: str) -> None:
    sign = "-" if literal.startswith("-") else ""
    assert str(canonical_form(Theory((Premise(literal),)))) == f"[premise: {sign}v0]"
    assert str(canonical_form(Theory((Axiom(literal),)))) == f"[axiom: {sign}v0]"


def test_the_empty_theory_has_a_form() -> None:
    assert canonical_form(Theory(())) == Theory(())


def test_self_preferences_have_a_form() -> None:
    theory = Theory(
        (Premise("x"), PremisePreference("x", "x"), DefeasibleRule("r", ("x",), "y"), RulePreference("r", "r"))
    )
    assert len(canonical_form(theory).directives) == 4
