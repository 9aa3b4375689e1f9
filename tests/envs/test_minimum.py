"""Recorded minima are right: no smaller intervention works, whichever legal directives it uses.

The proof in ``envs.minimum`` reasons about footprints. Here nothing is reasoned about: candidates are run.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs.constructive import ConstructiveTask, cuts_from
from arggym_env.envs.instance import Instance
from arggym_env.envs.minimum import separate_cuts
from arggym_env.envs.registry import REGISTRY
from arggym_env.envs.stream import Stream
from arggym_env.rewards.legality import Legality, judge
from arggym_env.theory import DefeasibleRule, Directive, Theory, parse_directive
from tests.engine.random_theories import random_theory
from tests.envs.interventions import goals_of, legality_of, reaches_goals, signature, single_directives
from tests.envs.samples import sample

CONSTRUCTIVE = [name for name, task in REGISTRY.items() if isinstance(task, ConstructiveTask)]
every_constructive_task = pytest.mark.parametrize("task", CONSTRUCTIVE)


def with_minimum(task: str, minimum: int, ordering: str, levels: range = range(1, 16)) -> Instance | None:
    """Return the first instance of ``task`` whose minimum is ``minimum``, by level; None when there is none."""
    found = (sample(task, level, ordering, seed=2) for level in levels)
    return next((instance for instance in found if instance.min_directives == minimum), None)


def candidates(instance: Instance, count: int | None = None) -> list[Directive]:
    """Return all legal single directives, or at most ``count`` of them, at random."""
    everything = Stream("candidates", instance.id).shuffled(
        list(single_directives(instance.theory, legality_of(instance)))
    )
    return everything[:count]


def test_the_oracle_lists_legal_directives_only_and_finds_what_works() -> None:
    instance = sample("attack", 1)
    singles = candidates(instance)
    assert len(singles) > 1000
    legality = legality_of(instance)
    for directive in singles[:: len(singles) // 200]:
        assert judge(instance.theory, legality, [directive]).retained == (directive,)
    (reference,) = (parse_directive(line) for line in instance.reference.splitlines())
    assert isinstance(reference, DefeasibleRule)
    same = [
        directive
        for directive in singles
        if isinstance(directive, DefeasibleRule)
        and (directive.antecedents, directive.consequent) == (reference.antecedents, reference.consequent)
    ]
    assert len(same) == 1
    assert reaches_goals(instance, same)


@every_constructive_task
def test_no_sampled_directive_does_the_work_of_two(task: str) -> None:
    for ordering in ORDERINGS[::3]:
        instance = with_minimum(task, 2, ordering, range(1, 9)) or with_minimum(task, 3, ordering, range(1, 9))
        if instance is not None:
            assert not reaches_goals(instance, ())
            for directive in candidates(instance, 150):
                assert not reaches_goals(instance, [directive]), directive


@pytest.mark.slow
@every_constructive_task
def test_no_directive_does_the_work_of_two(task: str) -> None:
    """Exhaustive over rules with one antecedent, preferences and contraries."""
    found = [with_minimum(task, 2, ordering) for ordering in (ORDERINGS[0], ORDERINGS[3])]
    if found == [None, None]:
        pytest.skip("no minimum is 2")
    for instance in found:
        if instance is not None:
            for directive in candidates(instance):
                assert not reaches_goals(instance, [directive]), (instance.id, directive)


@pytest.mark.slow
@every_constructive_task
def test_no_pair_of_directives_does_the_work_of_three(task: str) -> None:
    """Random pairs, and pairs of single directives that change different statuses, one for each way to change them."""
    instance = with_minimum(task, 3, ORDERINGS[CONSTRUCTIVE.index(task) % 4])
    if instance is None:
        pytest.skip("no minimum is 3")
    singles = candidates(instance)
    effects: dict[object, Directive] = {}
    for directive in singles:
        effects.setdefault(signature(evaluate(instance.theory.add([directive]), instance.ordering)), directive)
    stream = Stream("pairs", instance.id)
    pairs = stream.sample(list(combinations(effects.values(), 2)), min(1500, len(effects) * (len(effects) - 1) // 2))
    pairs += [(stream.choice(singles), stream.choice(singles)) for _ in range(1000)]
    for one, other in pairs:
        both = [one, _under_another_name(other)]
        if judge(instance.theory, legality_of(instance), both).refused:
            continue
        assert not reaches_goals(instance, both), both


def _under_another_name(directive: Directive) -> Directive:
    text = str(directive).replace("zz_new:", "zz_newer:")
    return parse_directive(text)


@every_constructive_task
@pytest.mark.parametrize("level", [3, 9])
def test_the_reference_reaches_the_goals_and_no_part_of_it_does(task: str, level: int) -> None:
    for ordering in ORDERINGS:
        instance = sample(task, level, ordering)
        lines = [parse_directive(line) for line in instance.reference.splitlines()]
        assert reaches_goals(instance, lines)
        assert not judge(instance.theory, legality_of(instance), lines).refused
        for size in range(len(lines)):
            for part in combinations(lines, size):
                assert not reaches_goals(instance, part)


# separate_cuts on theories made by hand

CHAIN = "[premise: a]\n[defeasible r: a => b]\n[defeasible s: b => t]\n"
STRICT_CHAIN = CHAIN.replace("[defeasible s: b =>", "[strict s: b ->")


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        (CHAIN, 1),
        ("[premise: t]", 1),
        ("[axiom: t]", 1),
        ("[premise: a]", 0),
        ("", 0),
        # two independent lines, and nothing that rebuts both at once
        (STRICT_CHAIN + "[premise: c]\n[defeasible q: c => d]\n[strict x: d -> t]", 2),
        # two independent lines whose last steps fall to one rebuttal
        (CHAIN + "[premise: c]\n[defeasible q: c => t]", 1),
        # two lines from one premise: its contrary, or an undercut of what they share, is one cut
        (CHAIN + "[defeasible q: a => t]", 1),
        (CHAIN + "[defeasible q: b => c]\n[defeasible u: c => t]", 1),
        # a third line that is dead already
        (CHAIN + "[premise: c]\n[defeasible q: c => t]\n[premise: d]\n[defeasible z: d => -q]", 1),
        # a common enemy that is dead at present: bringing it back is one cut
        (
            CHAIN
            + "[premise: c]\n[defeasible q: c => t]\n[premise: e]\n[defeasible e1: e => -q]\n[defeasible e2: e => -s]\n"
            "[premise: k]\n[defeasible k1: k => -e1]\n[defeasible k2: k => -e2]",
            1,
        ),
        # preferences that connect the two lines may carry one addition into both
        (STRICT_CHAIN + "[premise: c]\n[defeasible q: c => d]\n[strict x: d -> t]\n[prefer_rule: r > q]", 1),
        # nothing defeats an axiom: one cut is a lower bound still
        ("[axiom: t]\n[axiom: a]\n[strict r: a -> t]", 1),
    ],
)
def test_separate_cuts_counts_independent_lines(text: str, bound: int) -> None:
    assert separate_cuts(evaluate(Theory.parse(text), ORDERINGS[0]), "t") == bound


@pytest.mark.parametrize("lines", [1, 2, 3, 6, 10])
def test_the_bound_is_sharp_for_parallel_chains(lines: int) -> None:
    text = "[axiom: s]\n" + "\n".join(
        f"[premise: a{i}]\n[defeasible r{i}: a{i} => b{i}]\n[strict u{i}: b{i} -> t]" for i in range(lines)
    )
    theory = Theory.parse(text)
    state = evaluate(theory, ORDERINGS[2])
    assert separate_cuts(state, "t") == lines
    cuts = cuts_from(theory, "s", [f"r{i}" for i in range(lines)])
    assert evaluate(theory.add(cuts), ORDERINGS[2]).status("t") == "overruled"
    assert evaluate(theory.add(cuts[:-1]), ORDERINGS[2]).status("t") == "justified"


def test_the_bound_does_not_depend_on_the_order_of_directives() -> None:
    instance = sample("attack", 7)
    (goal,) = goals_of(instance)
    turned = Theory(instance.theory.directives[::-1])
    assert separate_cuts(evaluate(turned, instance.ordering), goal.literal) == instance.min_directives


def test_the_bound_never_exceeds_what_suffices_on_small_theories() -> None:
    """Random theories of a few lines: whatever single directive works, the bound is at most one."""
    everything = Legality(defeasible_rules=True, strict_rules=True, contraries=True, preferences=True)
    checked = 0
    for seed in range(800):
        theory = random_theory(seed)
        ordering = ORDERINGS[seed % 4]
        state = evaluate(theory, ordering)
        if not 3 <= state.argument_count <= 12:
            continue
        literal = next((each for each in theory.literals if state.status(each) != "overruled"), None)
        if literal is None or separate_cuts(state, literal) < 2:
            continue
        checked += 1
        for directive in single_directives(theory, everything):
            status = evaluate(theory.add([directive]), ordering).status(literal)
            assert status != "overruled", (seed, literal, directive)
        if checked == 12:
            break
    assert checked == 12
