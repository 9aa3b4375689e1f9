"""Sets of small integers as Python integers: bit ``i`` is set when ``i`` is a member.

Union, intersection and inclusion of such sets are single operations, whatever the size, which is what makes the native
engine fast without leaving Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def members(mask: int) -> Iterator[int]:
    """Yield the members of ``mask`` in ascending order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(indices: Iterable[int]) -> int:
    """Return the set of the given members."""
    mask = 0
    for index in indices:
        mask |= 1 << index
    return mask


def union(masks: Sequence[int], mask: int) -> int:
    """Return the union of ``masks[i]`` over the members ``i`` of ``mask``."""
    result = 0
    while mask:
        low = mask & -mask
        result |= masks[low.bit_length() - 1]
        mask ^= low
    return result


def transpose(masks: Sequence[int]) -> list[int]:
    """Return the converse relation: ``j`` is in row ``i`` of the result when ``i`` is in ``masks[j]``."""
    rows = [0] * len(masks)
    for index, mask in enumerate(masks):
        bit = 1 << index
        while mask:
            low = mask & -mask
            rows[low.bit_length() - 1] |= bit
            mask ^= low
    return rows
