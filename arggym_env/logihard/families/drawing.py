"""Drawing premises and options so that wording does not give the key away.

All four options are of one form, or two forms occur twice each: the key then has a twin in length and vocabulary, and
no rule about forms finds it more often than its share. No option entails another one, for the stronger of two such
options could be ruled out unread. Nor does it help to count how often the premises mention what an option is about:
the links of a chain are mentioned more often than its ends, which the conclusion joins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.envs.gates import require
from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.family import QUESTION, Disguise, Puzzle
from arggym_env.logihard.kernel import (
    Space,
    Statement,
    Verdict,
    are_independent,
    conjunction,
    is_irredundant,
    needs,
    verdict,
)

_TRIES_PER_PREMISE: Final = 30
_TRIES_PER_LAYOUT: Final = 10
_ONE_FORM_SHARE: Final = 0.9


def draw_premises(
    space: Space, draw: Callable[[], Statement], names: Sequence[str], count: int, stream: Stream
) -> tuple[Statement, ...]:
    """Return ``count`` premises that are satisfiable together, none of them redundant, and mention every name.

    Premises hang together as far as their number allows: one that brings in a new name mentions a known one too.

    Args:
        space: the models.
        draw: makes a random statement.
        names: what the statements are about.
        count: how many premises there are to be.
        stream: for the order of the premises.

    Raises:
        Rejected: no such premises were found.
    """
    premises: list[Statement] = []
    unknown = set(names)
    for _ in range(_TRIES_PER_PREMISE * count):
        statement = draw()
        mentioned = {name for name in names if name in statement.text}
        is_connected = not premises or bool(mentioned - unknown) or len(unknown) >= count - len(premises)
        if unknown and not (mentioned & unknown and is_connected):
            continue
        before = conjunction(space, premises)
        after = before & statement.bits
        # Two models must be left, or no claim would be undetermined.
        if after == before or after.bit_count() < 2 or not is_irredundant(space, [*premises, statement]):
            continue
        premises.append(statement)
        unknown -= mentioned
        if len(premises) == count:
            break
    require(len(premises) == count, "too_few_premises")
    require(not unknown, "name_not_mentioned")
    return tuple(stream.shuffled(premises))


@dataclass(frozen=True, slots=True)
class _Pool:
    """The claims that may become options, by form and verdict, and how often each name is mentioned."""

    space: Space
    mentions: Mapping[str, int]
    keys: dict[str, list[Statement]]
    others: dict[tuple[str, Verdict], list[Statement]]
    forms: list[str]

    def prominence(self, claim: Statement) -> int:
        """Return how often the premises mention what the claim is about."""
        return sum(count for name, count in self.mentions.items() if name in claim.text)

    def distractors(self, form: str) -> int:
        return sum(len(self.others.get((form, kind), ())) for kind in (Verdict.UNDETERMINED, Verdict.CONTRADICTED))


def draw_options(
    space: Space,
    premises: Sequence[Statement],
    claims: Sequence[Statement],
    names: Sequence[str],
    depth: int,
    disguise: Disguise,
    stream: Stream,
) -> tuple[Statement, ...]:
    """Return four options, the key first: the key is entailed, 1-3 others undetermined, the rest contradicted.

    Args:
        space: the models.
        premises: what is given.
        claims: what may be an option.
        names: what the claims are about.
        depth: the fewest premises that may entail the key together.
        disguise: how the key compares with the others in length and mentions.
        stream: for every choice.

    Raises:
        Rejected: the claims offer no such options.
    """
    pool = _sorted_claims(space, premises, claims, names)
    keys = [form for form in pool.forms if pool.keys.get(form) and pool.distractors(form)]
    require(bool(keys), "no_form_for_key")
    for form in stream.shuffled(keys):
        deep = [key for key in stream.shuffled(pool.keys[form]) if needs(space, premises, key.bits, depth)]
        if not deep:
            continue
        for layout in _layouts(form, pool, stream):
            options = _filled(deep[0], layout, pool, disguise, stream)
            if options:
                return options
    require(False, "no_options")
    return ()


def puzzle(context: str, options: Sequence[Statement], stream: Stream) -> Puzzle:
    """Return the question with its options in random order; the key comes first in ``options``."""
    shuffled = stream.shuffled(options)
    return Puzzle(context, QUESTION, tuple(option.sentence for option in shuffled), shuffled.index(options[0]))


def _sorted_claims(
    space: Space, premises: Sequence[Statement], claims: Sequence[Statement], names: Sequence[str]
) -> _Pool:
    given = conjunction(space, premises)
    stated = {premise.bits for premise in premises}
    keys: dict[str, list[Statement]] = {}
    others: dict[tuple[str, Verdict], list[Statement]] = {}
    for claim in claims:
        if not space.is_contingent(claim.bits) or claim.bits in stated:
            continue
        found = verdict(given, claim.bits)
        if found is Verdict.ENTAILED:
            keys.setdefault(claim.form, []).append(claim)
        else:
            others.setdefault((claim.form, found), []).append(claim)
    mentions = {name: sum(premise.text.count(name) for premise in premises) for name in names}
    return _Pool(space, mentions, keys, others, sorted({claim.form for claim in claims}))


def _layouts(form: str, pool: _Pool, stream: Stream) -> Iterator[tuple[str, str, str]]:
    """Yield the forms that the three others may have: all the key's, or one the key's and two of another form."""
    one_form = (form, form, form)
    pairs = [(form, other, other) for other in stream.shuffled(pool.forms) if other != form]
    has_one_form = pool.distractors(form) >= 3
    is_one_form_first = stream.chance(_ONE_FORM_SHARE)
    if has_one_form and is_one_form_first:
        yield one_form
    yield from (pair for pair in pairs if pool.distractors(pair[1]) >= 2)
    if has_one_form and not is_one_form_first:
        yield one_form


def _filled(
    key: Statement, layout: tuple[str, str, str], pool: _Pool, disguise: Disguise, stream: Stream
) -> tuple[Statement, ...] | None:
    """Return the key and three others of the layout's forms, None if none were found."""
    for undetermined in stream.shuffled((1, 2, 3)):
        kinds = [Verdict.UNDETERMINED] * undetermined + [Verdict.CONTRADICTED] * (3 - undetermined)
        for _ in range(_TRIES_PER_LAYOUT):
            options = [key]
            for form, kind in zip(layout, stream.shuffled(kinds), strict=True):
                fitting = pool.others.get((form, kind))
                if not fitting:
                    break
                options.append(stream.choice(fitting))
            if (
                len(options) == 4
                and is_inconspicuous([len(option.text) for option in options], disguise.is_longest_spared)
                and has_rank([pool.prominence(option) for option in options], disguise.rank, stream)
                and are_independent(pool.space, [option.bits for option in options])
            ):
                return tuple(options)
    return None


def is_inconspicuous(values: Sequence[int], is_highest_spared: bool) -> bool:
    """Return whether a measure of the options, of which the key's comes first, does not single the key out.

    The key alone must not have the highest or lowest value; and it does not have the highest (or, if
    ``is_highest_spared`` is false, the lowest) unless all have the same.
    """
    key, *others = values
    low, high = min(others), max(others)
    return low <= key <= high and (low == high or (key < high if is_highest_spared else low < key))


def has_rank(values: Sequence[int], rank: int, stream: Stream) -> bool:
    """Return whether exactly ``rank`` others have a lower value than the key, which comes first.

    Ties are broken at random, so that a rank drawn uniformly puts the key first, last or in the middle as often as any
    other option. If all values are the same there is nothing to go by, and any rank will do.
    """
    key, *others = values
    lower, same = sum(value < key for value in others), others.count(key)
    return same == len(others) or rank == lower + stream.below(same + 1)
