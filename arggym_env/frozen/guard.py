"""The guard: fresh instances are never twins of frozen ones, and frozen rows never end up in training data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from arggym_env.envs.instance import Instance
from arggym_env.errors import InstanceError
from arggym_env.frozen.suite import load_manifest
from arggym_env.theory import Theory, canonical_hash, shape_key

if TYPE_CHECKING:
    from arggym_env.instances import AnyInstance

Q = TypeVar("Q", bound="AnyInstance")


def is_frozen_twin(theory: Theory) -> bool:
    """Return whether the frozen suite has ``theory`` up to renaming and reordering."""
    shapes = _frozen_shapes()
    found = shapes.get(shape_key(theory))
    return found is not None and canonical_hash(theory) in found


def refuse_frozen(instance: Q, purpose: str) -> Q:
    """Return ``instance`` unless it is a frozen row or a twin of one.

    Args:
        instance: what is about to be used, of either benchmark; a LogiHard item is a twin when its atomic question is
            that of a frozen row but for names and order, whatever its family, tier and seed are called.
        purpose: what for, for the message ("training data").

    Raises:
        InstanceError: a frozen suite has it.
    """
    if instance.split == "frozen" or _is_twin(instance):
        raise InstanceError(f"{instance.id} belongs to the frozen suite and must not be used as {purpose}")
    return instance


def _is_twin(instance: AnyInstance) -> bool:
    if isinstance(instance, Instance):
        return is_frozen_twin(instance.theory)
    from arggym_env.logihard.twins import is_frozen_question  # LogiHard imports the tasks, which import this module

    mcq = instance.atomic
    return is_frozen_question(mcq.context, mcq.question, mcq.options)


@cache
def _frozen_shapes() -> dict[str, frozenset[str]]:
    """Return the canonical hashes of the frozen theories by their shape keys."""
    shapes: dict[str, set[str]] = {}
    for entry in load_manifest().rows:
        shapes.setdefault(entry.shape, set()).add(entry.canonical)
    return {shape: frozenset(hashes) for shape, hashes in shapes.items()}
