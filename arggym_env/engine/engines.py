"""The two engines behind one interface, and the function that most callers want."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

from arggym_env.engine.native import NativeEngine
from arggym_env.engine.orderings import check_ordering
from arggym_env.engine.pyarg import PyArgEngine
from arggym_env.engine.state import State
from arggym_env.errors import CoordinateError
from arggym_env.theory import Theory

DEFAULT_MAX_ARGUMENTS: Final = 5000
"""The largest number of arguments that is evaluated unless the caller says otherwise; a tenth of a second natively."""


class Engine(Protocol):
    """What evaluates theories; all engines give the same states."""

    @property
    def name(self) -> str:
        """The name under which :func:`get_engine` finds it."""

    def evaluate(self, theory: Theory, ordering: str, max_arguments: int) -> State:
        """Return the state of ``theory`` under ``ordering``.

        Raises:
            CoordinateError: the ordering is not one of the four.
            ArgumentLimitExceeded: the theory has more than ``max_arguments`` arguments.
        """


_ENGINES: Final[dict[str, Engine]] = {"native": NativeEngine(), "pyarg": PyArgEngine()}

ENGINES: Final = ("native", "pyarg")
"""The names of the engines, the default first."""


def get_engine(name: str) -> Engine:
    """Return the engine called ``name``.

    Raises:
        CoordinateError: there is none; the message lists the engines.
    """
    if not isinstance(name, str) or name not in _ENGINES:
        raise CoordinateError(f"engine {name!r} is not one of {', '.join(map(repr, ENGINES))}")
    return _ENGINES[name]


def evaluate(
    theory: Theory, ordering: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
) -> State:
    """Return what ``theory`` says under ``ordering``.

    Args:
        theory: a well-formed theory.
        ordering: one of :data:`~arggym_env.engine.ORDERINGS`.
        engine: one of :data:`ENGINES`; they give the same state at very different speeds.
        max_arguments: the largest number of arguments that is accepted.

    Raises:
        CoordinateError: the ordering, the engine or ``max_arguments`` is not allowed.
        ArgumentLimitExceeded: the theory has more than ``max_arguments`` arguments.
    """
    chosen = get_engine(engine)
    check_ordering(ordering)
    if isinstance(max_arguments, bool) or not isinstance(max_arguments, int) or max_arguments < 1:
        raise CoordinateError(f"max_arguments {max_arguments!r} is not a positive integer")
    return chosen.evaluate(theory, ordering, max_arguments)


@lru_cache(maxsize=64)
def evaluate_once(
    theory: Theory, ordering: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
) -> State:
    """Return what :func:`evaluate` does, computed once for as long as few other theories are asked for.

    What builds an instance, checks it and scores a group of answers to it shares the state of its theory.
    """
    return evaluate(theory, ordering, engine=engine, max_arguments=max_arguments)
