"""The PyArg oracle: the same states, computed by PyArg 2.0.2's own classes and algorithms.

PyArg decides the arguments, attacks, defeats and extensions; this module only translates names to numbers and back,
and keeps clear of what PyArg does not handle:

- its sets and dicts follow the hash seed, so all that leaves here is sorted;
- it takes preferences as they are listed, so they are listed closed;
- its construction has no limit and spells every argument out as a tree, so both are counted beforehand;
- its searches are exponential, so they run on the components of what the grounded labelling leaves undecided;
- its searches try to accept self-defeating arguments too, always in vain, so these come last, where it costs least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from arggym_env.engine.bits import mask_of, members, transpose, union
from arggym_env.engine.construction import ArgumentTable, CompiledTheory, compile_theory, construct
from arggym_env.engine.defeats import AttackTable
from arggym_env.engine.framework import Component, Labelling, Outcome, Part, components
from arggym_env.engine.orderings import check_ordering
from arggym_env.engine.state import State
from arggym_env.errors import ArgumentLimitExceeded
from arggym_env.theory import DefeasibleRule, Theory, negate

if TYPE_CHECKING:
    from py_arg.abstract_argumentation_classes.abstract_argumentation_framework import AbstractArgumentationFramework
    from py_arg.aspic_classes.argumentation_theory import ArgumentationTheory
    from py_arg.aspic_classes.instantiated_argument import InstantiatedArgument
    from py_arg.aspic_classes.orderings.ordering import Ordering
    from py_arg.aspic_classes.orderings.preference_preorder import PreferencePreorder

_TREE_LIMIT: Final = 50_000
"""The largest number of steps that all arguments together may have when each is written out as a tree."""


class PyArgEngine:
    """Evaluates theories with PyArg 2.0.2: the reference for the native engine, and slow.

    The cost of a state grows with the square of the number of arguments; that of semantics other than grounded doubles
    with each argument of an entangled conflict.
    """

    name: Final = "pyarg"

    def evaluate(self, theory: Theory, ordering: str, max_arguments: int) -> State:
        """Return the state of ``theory`` under ``ordering``.

        Raises:
            CoordinateError: the ordering is not one of the four.
            ArgumentLimitExceeded: the theory has more than ``max_arguments`` arguments, or they have more than 50,000
                steps when each is written out as a tree, as PyArg does.
        """
        check_ordering(ordering)
        compiled = compile_theory(theory)
        _check_size(construct(compiled, max_arguments), max_arguments)
        aspic = _translate(theory)
        arguments = _canonical_order(aspic)
        order = _ordering(aspic, ordering)
        attacks = _attack_table(aspic, order, arguments)
        return State(ordering, _argument_table(compiled, arguments), attacks, _PyArgSolver(attacks.defeaters))


def _check_size(table: ArgumentTable, max_arguments: int) -> None:
    sizes: list[int] = []
    for subarguments in table.subarguments:
        sizes.append(1 + sum(sizes[index] for index in subarguments))
    if sum(sizes) > _TREE_LIMIT:
        raise ArgumentLimitExceeded(max_arguments)


def _translate(theory: Theory) -> ArgumentationTheory:
    """Return ``theory`` in PyArg's classes, with all its arguments."""
    from py_arg.aspic_classes import argumentation_system, argumentation_theory, defeasible_rule, literal, strict_rule

    names = sorted({*theory.literals, *theory.rule_names, *(negate(name) for name in theory.rule_names)})
    language = {name: literal.Literal(name) for name in names}
    rules = {
        rule.name: (defeasible_rule.DefeasibleRule if isinstance(rule, DefeasibleRule) else strict_rule.StrictRule)(
            rule.name, {language[antecedent] for antecedent in rule.antecedents}, language[rule.consequent]
        )
        for rule in theory.rules
    }
    system = argumentation_system.ArgumentationSystem(
        language,
        {name: {language[negate(name)]} for name in names},
        [rules[rule.name] for rule in theory.strict_rules],
        [rules[rule.name] for rule in theory.defeasible_rules],
        _preorder(
            [(rules[pair.weaker], rules[pair.stronger]) for pair in theory.rule_preferences],
            [rules[rule.name] for rule in theory.defeasible_rules],
        ),
        add_defeasible_rule_literals=False,  # the language has them, and with their contraries
    )
    return argumentation_theory.ArgumentationTheory(
        system,
        [language[name] for name in theory.axioms],
        [language[name] for name in theory.premises],
        _preorder(
            [(language[pair.weaker], language[pair.stronger]) for pair in theory.premise_preferences],
            [language[name] for name in theory.premises],
        ),
    )


def _preorder(pairs: Iterable[tuple[object, object]], items: Iterable[object]) -> PreferencePreorder:
    """Return the reflexive-transitive closure of ``pairs``, each (weaker, stronger), over ``items``."""
    from py_arg.aspic_classes.orderings.preference_preorder import PreferencePreorder

    closed = dict.fromkeys([*((item, item) for item in items), *pairs])
    while True:
        implied = [(low, high) for low, middle in closed for other, high in closed if middle == other]
        if all(pair in closed for pair in implied):
            return PreferencePreorder(list(closed))
        closed.update(dict.fromkeys(implied))


def _ordering(aspic: ArgumentationTheory, ordering: str) -> Ordering:
    from py_arg.aspic_classes.orderings.argument_orderings import last_link_ordering, weakest_link_ordering

    make = {
        "last-link elitist": last_link_ordering.LastLinkElitistOrdering,
        "last-link democratic": last_link_ordering.LastLinkDemocraticOrdering,
        "weakest-link elitist": weakest_link_ordering.WeakestLinkElitistOrdering,
        "weakest-link democratic": weakest_link_ordering.WeakestLinkDemocraticOrdering,
    }[ordering]
    return make(aspic.argumentation_system.rule_preferences, aspic.ordinary_premise_preferences)


def _canonical_order(aspic: ArgumentationTheory) -> list[InstantiatedArgument]:
    """Return PyArg's arguments in the order that all engines use (``ArgumentTable``)."""
    waiting = list(aspic.all_arguments)
    places: dict[int, int] = {}
    ordered: list[InstantiatedArgument] = []
    while waiting:
        # What rests on arguments that have a place is exactly of the next height.
        ready = [argument for argument in waiting if all(id(sub) in places for sub in argument.direct_sub_arguments)]
        keyed = sorted(
            ((str(a.conclusion), a.top_rule.id if a.top_rule else "", _direct(a, places)), number)
            for number, a in enumerate(ready)
        )
        for _, number in keyed:
            places[id(ready[number])] = len(ordered)
            ordered.append(ready[number])
        waiting = [argument for argument in waiting if id(argument) not in places]
    return ordered


def _direct(argument: InstantiatedArgument, places: dict[int, int]) -> tuple[int, ...]:
    by_conclusion = sorted(argument.direct_sub_arguments, key=lambda sub: str(sub.conclusion))
    return tuple(places[id(sub)] for sub in by_conclusion)


def _argument_table(compiled: CompiledTheory, arguments: Sequence[InstantiatedArgument]) -> ArgumentTable:
    table = ArgumentTable(compiled)
    ids = compiled.ids
    numbers = {rule.rule.name: number for number, rule in enumerate(compiled.rules)}
    places = {id(argument): index for index, argument in enumerate(arguments)}
    for index, argument in enumerate(arguments):
        direct = _direct(argument, places)
        table.conclusions.append(ids[str(argument.conclusion)])
        table.rules.append(numbers[argument.top_rule.id] if argument.top_rule else -1)
        table.subarguments.append(direct)
        table.heights.append(1 + max((table.heights[place] for place in direct), default=-1))
        table.sub_conclusions.append(mask_of(ids[str(literal)] for literal in argument.sub_conclusions))
        table.ordinary_premises.append(mask_of(ids[str(literal)] for literal in argument.ordinary_premises))
        table.defeasible_rules.append(mask_of(numbers[rule.id] for rule in argument.defeasible_rules))
        table.last_defeasible_rules.append(mask_of(numbers[rule.id] for rule in argument.last_defeasible_rules))
        table.by_conclusion.setdefault(table.conclusions[index], []).append(index)
    return table


def _attack_table(
    aspic: ArgumentationTheory, order: Ordering, arguments: Sequence[InstantiatedArgument]
) -> AttackTable:
    direct: list[int] = []
    succeeding: list[int] = []
    for target in arguments:
        attackers = defeaters = 0
        for index, source in enumerate(arguments):
            undercut = aspic.undercuts_on_top_rule(source, target)
            other = aspic.rebuts_on_conclusion(source, target) or (
                target.is_observation_based and aspic.undermines(source, target)
            )
            if undercut or other:
                attackers |= 1 << index
            if undercut or (other and not order.argument_is_strictly_weaker_than(source, target)):
                defeaters |= 1 << index
        direct.append(attackers)
        succeeding.append(defeaters)
    places = {id(argument): index for index, argument in enumerate(arguments)}
    whole = [0] * len(arguments)
    for defeat in aspic.recompute_all_defeats(order):
        whole[places[id(defeat.to_argument)]] |= 1 << places[id(defeat.from_argument)]
    return AttackTable(direct, succeeding, whole)


class _PyArgSolver:
    """PyArg's semantics of one framework, argument ``i`` under the name ``str(i)``.

    Args:
        attackers: the attackers of each argument, as bitsets.
    """

    def __init__(self, attackers: Sequence[int]) -> None:
        from py_arg.algorithms.semantics.get_grounded_extension import get_grounded_extension

        self._attackers = attackers
        self._targets = transpose(attackers)
        accepted = mask_of(int(a.name) for a in get_grounded_extension(_framework(attackers)))
        self.grounded = Labelling(accepted, union(self._targets, accepted))
        self._solved: dict[str, Outcome] = {}

    def solve(self, semantics: str) -> Outcome:
        """Return the extensions under ``semantics``, computed once."""
        if semantics not in self._solved:
            parts: list[Part] = []
            if semantics != "grounded":
                parts = [self._part(part, semantics) for part in components(self._attackers, self.grounded)]
            self._solved[semantics] = Outcome(self.grounded, tuple(parts))
        return self._solved[semantics]

    def _part(self, component: Component, semantics: str) -> Part:
        found = sorted(component.globally(mask) for mask in solve_with_pyarg(component.attackers, semantics))
        return Part(tuple(found), tuple(union(self._targets, extension) for extension in found))


def solve_with_pyarg(attackers: Sequence[int], semantics: str) -> set[int]:
    """Return what PyArg finds to be the extensions of a framework, as bitsets; exponential in its size.

    Args:
        attackers: the attackers of each argument, as bitsets.
        semantics: an extension semantics other than grounded.
    """
    from py_arg.algorithms.semantics import (
        get_complete_extensions,
        get_preferred_extensions,
        get_semistable_extensions,
        get_stable_extensions,
    )

    framework = _framework(attackers)
    if semantics == "eager":
        # PyArg's own eager search is quadratic in the number of all admissible sets; this is its definition.
        common = -1
        for mask in solve_with_pyarg(attackers, "semi-stable"):
            common &= mask
        inside = [mask for mask in solve_with_pyarg(attackers, "complete") if mask & ~common == 0]
        return {max(inside, key=int.bit_count)}
    find = {
        "complete": get_complete_extensions.get_complete_extensions,
        "preferred": get_preferred_extensions.get_preferred_extensions,
        "stable": get_stable_extensions.get_stable_extensions,
        "semi-stable": get_semistable_extensions.get_semistable_extensions,
    }[semantics]
    return {mask_of(int(argument.name) for argument in extension) for extension in find(framework)}


def _framework(attackers: Sequence[int]) -> AbstractArgumentationFramework:
    """Return PyArg's framework, with self-defeating arguments last and its two look-ups answered from an index."""
    from py_arg.abstract_argumentation_classes.abstract_argumentation_framework import AbstractArgumentationFramework
    from py_arg.abstract_argumentation_classes.argument import Argument
    from py_arg.abstract_argumentation_classes.defeat import Defeat

    arguments = [Argument(str(index)) for index in range(len(attackers))]
    ordered = sorted(arguments, key=lambda argument: attackers[int(argument.name)] >> int(argument.name) & 1)
    defeats = [Defeat(arguments[source], arguments[i]) for i, mask in enumerate(attackers) for source in members(mask)]
    framework = AbstractArgumentationFramework("", ordered, defeats)
    # The look-ups scan all defeats at each call, which makes up nearly all of the cost; the answers are the same.
    incoming = {argument: argument.get_ingoing_defeat_arguments for argument in arguments}
    outgoing = {argument: argument.get_outgoing_defeat_arguments for argument in arguments}
    framework.get_incoming_defeat_arguments = incoming.__getitem__
    framework.get_outgoing_defeat_arguments = outgoing.__getitem__
    return framework
