"""The textbook definitions of the semantics, by going through all subsets: an oracle for small frameworks."""

from __future__ import annotations

from collections.abc import Sequence


def brute_force_extensions(attackers: Sequence[int], semantics: str) -> set[int]:
    """Return the extensions of the framework, as bitsets, each checked against its definition."""
    size = len(attackers)
    subsets = range(1 << size)
    attacked = [_attacked(attackers, subset) for subset in subsets]
    admissible = [
        subset
        for subset in subsets
        if not subset & attacked[subset]
        and all(not attackers[i] & ~attacked[subset] for i in range(size) if subset >> i & 1)
    ]
    complete = {
        subset
        for subset in admissible
        if all(subset >> i & 1 for i in range(size) if not attackers[i] & ~attacked[subset])
    }
    ranges = {subset: subset | attacked[subset] for subset in complete}
    semi_stable = {s for s in complete if not any(_inside(ranges[s], ranges[t]) for t in complete)}
    match semantics:
        case "complete":
            return complete
        case "grounded":
            return {s for s in complete if all(not s & ~t for t in complete)}
        case "preferred":
            return {s for s in admissible if not any(_inside(s, t) for t in admissible)}
        case "stable":
            return {s for s in subsets if not s & attacked[s] and s | attacked[s] == (1 << size) - 1}
        case "semi-stable":
            return semi_stable
        case _:
            inside = [s for s in admissible if all(not s & ~t for t in semi_stable)]
            return {s for s in inside if not any(_inside(s, t) for t in inside)}


def _attacked(attackers: Sequence[int], subset: int) -> int:
    return sum(1 << i for i, mask in enumerate(attackers) if mask & subset)


def _inside(smaller: int, larger: int) -> bool:
    return smaller != larger and not smaller & ~larger
