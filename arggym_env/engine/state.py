"""An argumentation state: a theory evaluated under an ordering, by either engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from arggym_env.engine.arguments import Argument, Attack, attack_kind, build_arguments
from arggym_env.engine.bits import mask_of, members, transpose
from arggym_env.engine.construction import ArgumentTable
from arggym_env.engine.defeats import AttackTable, find_attacks, spread
from arggym_env.engine.framework import Framework, Labelling, Outcome, Solver
from arggym_env.engine.semantics import (
    EXTENSIONS_OF,
    Label,
    Status,
    check_extension_semantics,
    check_semantics,
)
from arggym_env.errors import CoordinateError
from arggym_env.theory import Theory
from arggym_env.theory.literals import is_literal


class State:
    """What a theory says under an ordering: its arguments, their attacks and defeats, extensions and claim statuses.

    Engines make states (:func:`~arggym_env.engine.evaluate`). Statuses are read off bitsets; arguments, attacks and
    defeats become objects when they are asked for.
    """

    def __init__(self, ordering: str, table: ArgumentTable, attacks: AttackTable, solver: Solver) -> None:
        self._ordering = ordering
        self._table = table
        self._attacks = attacks
        self._solver = solver
        self._grounded: Labelling = solver.grounded

    def __repr__(self) -> str:
        return f"<State: {self.argument_count} arguments, {self.defeat_count} defeats, {self._ordering}>"

    @property
    def theory(self) -> Theory:
        """The theory that was evaluated."""
        return self._table.compiled.theory

    @property
    def ordering(self) -> str:
        """The preference ordering, one of :data:`~arggym_env.engine.ORDERINGS`."""
        return self._ordering

    # Claims

    def status(self, literal: str, semantics: str = "grounded") -> Status:
        """Return the status of the claim ``literal``.

        ``justified`` if each extension holds an argument for it, not necessarily the same (credulous preferred: some
        extension); ``overruled`` if it is not justified and each extension defeats all arguments for it, which counts
        a literal without arguments; ``undecided`` otherwise; ``no stable extension`` for every claim if the semantics
        is stable and there is none.

        Raises:
            CoordinateError: the semantics is not one of :data:`~arggym_env.engine.SEMANTICS`, or the text no literal.
            ExtensionLimitExceeded: one entangled conflict alone has too many extensions.
        """
        if semantics == "grounded":
            return self._grounded_status(self._arguments_mask(literal))
        outcome = self._outcome(check_semantics(semantics))
        return _status(outcome, self._arguments_mask(literal), semantics == "credulous preferred")

    def statuses(self, semantics: str = "grounded") -> dict[str, Status]:
        """Return the status of every literal of the theory, in both signs, in the order of ``theory.literals``.

        Raises:
            CoordinateError: the semantics is not one of :data:`~arggym_env.engine.SEMANTICS`.
            ExtensionLimitExceeded: one entangled conflict alone has too many extensions.
        """
        check_semantics(semantics)
        if semantics == "grounded":
            masks, status = self._masks, self._grounded_status
            return {literal: status(masks.get(number, 0)) for literal, number in self._table.compiled.ids.items()}
        return {literal: self.status(literal, semantics) for literal in self.theory.literals}

    def under(self, ordering: str) -> State:
        """Return what the theory says under another ordering, by the native engine; its arguments are the same.

        Raises:
            CoordinateError: the ordering is not one of :data:`~arggym_env.engine.ORDERINGS`.
        """
        attacks = find_attacks(self._table, ordering)
        return State(ordering, self._table, attacks, Framework(attacks.defeaters))

    @property
    def is_consistent(self) -> bool:
        """Whether no literal is justified together with its negation, under grounded semantics."""
        accepted = self._grounded.accepted
        justified = {literal for literal, mask in self._masks.items() if mask & accepted}
        return not any(literal ^ 1 in justified for literal in justified)

    def _arguments_mask(self, literal: str) -> int:
        number = self._table.compiled.ids.get(literal)
        if number is not None:
            return self._masks.get(number, 0)
        if not is_literal(literal):
            raise CoordinateError(f"{literal!r} is not a literal (an identifier, or - and an identifier)")
        return 0

    def _grounded_status(self, mask: int) -> Status:
        if mask & self._grounded.accepted:
            return "justified"
        return "undecided" if mask & ~self._grounded.defeated else "overruled"

    def _outcome(self, semantics: str) -> Outcome:
        return self._solver.solve(EXTENSIONS_OF[semantics])

    @cached_property
    def _masks(self) -> dict[int, int]:
        """The arguments for each literal that has some."""
        return {literal: mask_of(indices) for literal, indices in self._table.by_conclusion.items()}

    # Arguments

    @property
    def argument_count(self) -> int:
        """The number of arguments."""
        return len(self._table)

    @property
    def depth(self) -> int:
        """The greatest height of an argument; 0 without arguments."""
        return max(self._table.heights, default=0)

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments: by height, then conclusion, top rule name and direct sub-arguments."""
        return build_arguments(self._table)

    def arguments_for(self, literal: str) -> tuple[Argument, ...]:
        """Return the arguments whose conclusion is ``literal``.

        Raises:
            CoordinateError: the text is no literal.
        """
        return tuple(self.arguments[index] for index in members(self._arguments_mask(literal)))

    def label(self, argument: Argument) -> Label:
        """Return the grounded label of one of the state's arguments.

        Raises:
            CoordinateError: it is not an argument of this state.
        """
        if not (argument.index < self.argument_count and self.arguments[argument.index] == argument):
            raise CoordinateError(f"argument {argument} does not belong to this state")
        if self._grounded.accepted >> argument.index & 1:
            return "in"
        return "out" if self._grounded.defeated >> argument.index & 1 else "undecided"

    # Attacks

    @property
    def attack_count(self) -> int:
        """The number of direct attacks."""
        return sum(mask.bit_count() for mask in self._attacks.direct)

    @property
    def defeat_count(self) -> int:
        """The number of pairs of arguments of which the first defeats the second."""
        return sum(mask.bit_count() for mask in self._attacks.defeaters)

    @cached_property
    def attacks(self) -> tuple[Attack, ...]:
        """The direct attacks, by attacker and then attacked argument."""
        return tuple(
            Attack(
                attacker,
                attacked,
                attack_kind(self._table, attacker.index, attacked.index),
                bool(self._attacks.direct_defeats[attacked.index] >> attacker.index & 1),
            )
            for attacker, attacked in self._pairs(self._attacks.direct)
        )

    @cached_property
    def attack_pairs(self) -> tuple[tuple[Argument, Argument], ...]:
        """Each attacker with each argument that it attacks, on itself or on a sub-argument, successfully or not."""
        return self._pairs(spread(self._table, self._attacks.direct))

    @cached_property
    def defeats(self) -> tuple[tuple[Argument, Argument], ...]:
        """Each defeating argument with each argument that it defeats, on itself or on a sub-argument."""
        return self._pairs(self._attacks.defeaters)

    def _pairs(self, attackers: Sequence[int]) -> tuple[tuple[Argument, Argument], ...]:
        arguments = self.arguments
        return tuple(
            (arguments[source], arguments[target])
            for source, targets in enumerate(transpose(attackers))
            for target in members(targets)
        )

    # Extensions

    def extensions(self, semantics: str) -> tuple[frozenset[Argument], ...]:
        """Return the extensions, in an order that depends on the theory's arguments alone.

        Args:
            semantics: one of :data:`~arggym_env.engine.EXTENSION_SEMANTICS`.

        Raises:
            CoordinateError: the semantics is not one of them.
            ExtensionLimitExceeded: there are more than 100,000.
        """
        masks = self._solver.solve(check_extension_semantics(semantics)).extensions()
        return tuple(frozenset(self.arguments[index] for index in members(mask)) for mask in masks)


def _status(outcome: Outcome, mask: int, credulous: bool) -> Status:
    if not outcome.exists:
        return "no stable extension"
    if outcome.some_meets(mask) if credulous else outcome.every_meets(mask):
        return "justified"
    return "overruled" if outcome.every_defeats(mask) else "undecided"
