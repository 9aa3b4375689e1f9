"""Argumentation states: what a theory says under an ordering, by the native engine or by the PyArg oracle."""

from arggym_env.engine.arguments import Argument, Attack, AttackKind
from arggym_env.engine.engines import DEFAULT_MAX_ARGUMENTS, ENGINES, Engine, evaluate, evaluate_once, get_engine
from arggym_env.engine.native import NativeEngine
from arggym_env.engine.orderings import ORDERINGS, check_ordering
from arggym_env.engine.pyarg import PyArgEngine
from arggym_env.engine.semantics import EXTENSION_SEMANTICS, SEMANTICS, Label, Status
from arggym_env.engine.state import State

__all__ = [
    "DEFAULT_MAX_ARGUMENTS",
    "ENGINES",
    "EXTENSION_SEMANTICS",
    "ORDERINGS",
    "SEMANTICS",
    "Argument",
    "Attack",
    "AttackKind",
    "Engine",
    "Label",
    "NativeEngine",
    "PyArgEngine",
    "State",
    "Status",
    "check_ordering",
    "evaluate",
    "evaluate_once",
    "get_engine",
]
