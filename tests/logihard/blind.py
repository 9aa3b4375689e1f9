"""A question whose text says nothing, for tests of what an item's claims give away."""

from __future__ import annotations

from arggym_env.logihard.atomic import AtomicMCQ


def atomic(number: int = 0, answer: int = 2) -> AtomicMCQ:
    """Return such a question; by default the right option always stands in the same place."""
    return AtomicMCQ(
        id=f"blind/{number}",
        source="procedural",
        language="en",
        context="Some things are told.",
        question="Which statement must be true?",
        options=("Alpha holds.", "Beta holds.", "Gamma holds.", "Delta holds."),
        answer=answer,
        family="none",
        level=1,
    )
