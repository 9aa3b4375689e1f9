"""The search for complete, preferred and stable extensions of a small framework, by labelling its arguments.

After Nofal, Atkinson & Dunne 2014 (Algorithms for decision problems in argument systems under preferred semantics):
an argument is IN, OUT (attacked by an IN argument), MUST_OUT (attacks an IN argument and still needs an IN attacker),
BLANK (open) or BLOCKED (cannot be IN). Labels are bitsets, and all consequences of a choice are drawn before the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from arggym_env.engine.bits import mask_of, members, union
from arggym_env.errors import SearchLimitExceeded

STEP_LIMIT: Final = 200_000
"""How many partial labellings one search may look at; the hardest random frameworks of 200 arguments take a third."""

Kind: TypeAlias = Literal["complete", "preferred", "stable"]


class Labels(NamedTuple):
    """A partial labelling; what is in none of the four sets is BLOCKED."""

    accepted: int
    out: int
    must_out: int
    blank: int


class LabellingSearch:
    """Extensions of the part ``nodes`` of a framework, with only ``allowed`` arguments in them.

    Arguments of ``nodes`` outside ``allowed`` attack and can be defeated but are never accepted: an attacker from
    outside ``nodes``, neither accepted nor defeated, keeps them out.

    Args:
        kind: which extensions.
        attackers: the attackers of each argument, as bitsets.
        targets: the arguments that each attacks, as bitsets.
        nodes: the arguments of the part.
        allowed: those of them that may be accepted.
    """

    def __init__(self, kind: Kind, attackers: Sequence[int], targets: Sequence[int], nodes: int, allowed: int) -> None:
        self._kind = kind
        self._attackers = attackers
        self._targets = targets
        self._nodes = nodes
        self._allowed = allowed

    def extensions(self) -> Iterator[int]:
        """Yield the extensions as bitsets, never one twice.

        Raises:
            SearchLimitExceeded: the search would look at more than :data:`STEP_LIMIT` partial labellings.
        """
        found = _FoundSets()
        preferred = self._kind == "preferred"
        stack = [self._start()]
        steps = 0
        while stack:
            steps += 1
            if steps > STEP_LIMIT:
                raise SearchLimitExceeded(STEP_LIMIT)
            labels = self._propagate(stack.pop())
            if labels is None or (preferred and self._is_covered(labels, found)):
                continue
            if not labels.blank:
                if preferred:
                    found.add(labels.accepted)
                yield labels.accepted
                continue
            choice = self._choose(labels)
            # The branch that accepts is popped first, so that a set is found before its subsets.
            stack.append(self._refuse(labels, 1 << choice))
            stack.append(self._accept(labels, choice))

    def _is_covered(self, labels: Labels, found: _FoundSets) -> bool:
        """Return whether all that ``labels`` can still become lies inside an extension found before."""
        if not self._nodes & ~(labels.accepted | labels.out):
            return False  # stable, and so maximal
        return found.cover(labels.accepted | labels.blank)

    def _start(self) -> Labels:
        blank = mask_of(index for index in members(self._allowed) if not self._attackers[index] >> index & 1)
        return Labels(0, 0, self._nodes & ~blank if self._kind == "stable" else 0, blank)

    def _accept(self, labels: Labels, index: int) -> Labels:
        targets, attackers = self._targets[index], self._attackers[index] & self._nodes
        out = labels.out | targets
        return Labels(
            labels.accepted | 1 << index,
            out,
            (labels.must_out | attackers) & ~out,
            labels.blank & ~(targets | attackers | 1 << index),
        )

    def _refuse(self, labels: Labels, mask: int) -> Labels:
        must_out = labels.must_out | mask if self._kind == "stable" else labels.must_out
        return Labels(labels.accepted, labels.out, must_out, labels.blank & ~mask)

    def _choose(self, labels: Labels) -> int:
        """Return the open argument to decide next: a defence against the attacker with the fewest, if there is any."""
        attackers, targets, blank = self._attackers, self._targets, labels.blank
        pool = blank
        if labels.must_out:
            pool = min((attackers[index] & blank for index in members(labels.must_out)), key=int.bit_count)
        open_arguments = blank | labels.must_out
        return max(members(pool), key=lambda index: ((targets[index] | attackers[index]) & open_arguments).bit_count())

    def _propagate(self, labels: Labels) -> Labels | None:
        """Return ``labels`` with all that follows from them, or ``None`` if no extension agrees with them."""
        while (defended := self._defend(labels)) is not None:
            stuck, free = self._closed(defended)
            free &= self._allowed
            if stuck & defended.must_out or free & ~defended.blank:
                return None
            lost = defended.blank & union(self._targets, stuck)
            if not lost and not free:
                return defended
            labels = self._refuse(defended, lost)
            for index in members(free):
                labels = self._accept(labels, index)
        return None

    def _defend(self, labels: Labels) -> Labels | None:
        """Return ``labels`` with each last defence against a MUST_OUT argument accepted, ``None`` if one has none."""
        attackers = self._attackers
        rest = labels.must_out
        while rest:
            low = rest & -rest
            rest ^= low
            defences = attackers[low.bit_length() - 1] & labels.blank
            if not defences:
                return None
            if not defences & (defences - 1):
                labels = self._accept(labels, defences.bit_length() - 1)
                rest = labels.must_out
        return labels

    def _closed(self, labels: Labels) -> tuple[int, int]:
        """Return the undecided arguments that nothing can put OUT any more, and those with all attackers OUT.

        The first keep what they attack from being accepted; the second must be accepted themselves.
        """
        attackers, blank = self._attackers, labels.blank
        live = self._nodes & ~labels.out
        stuck = free = 0
        rest = live & ~labels.accepted
        while rest:
            low = rest & -rest
            sources = attackers[low.bit_length() - 1]
            if not sources & blank:
                stuck |= low
                if not sources & live:
                    free |= low
            rest ^= low
        return stuck, free


class _FoundSets:
    """The extensions found so far, by member, so that asking for a superset does not look at them one by one."""

    def __init__(self) -> None:
        self._all = 0
        self._holders: dict[int, int] = {}

    def add(self, mask: int) -> None:
        """Add the set ``mask``."""
        number = self._all + 1
        self._all |= number
        for index in members(mask):
            self._holders[index] = self._holders.get(index, 0) | number

    def cover(self, mask: int) -> bool:
        """Return whether some set found includes ``mask``."""
        holders = self._all
        for index in members(mask):
            holders &= self._holders.get(index, 0)
            if not holders:
                return False
        return holders != 0
