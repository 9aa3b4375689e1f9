"""One form for all theories that differ only in names and in the order of their directives.

Two theories have the same canonical form exactly when one becomes the other by renaming atoms and rules and
reordering directives, so its hash tells twins apart from fresh theories. The method is colour refinement with
individualisation (McKay & Piperno 2014, Practical graph isomorphism II). Names whose colour is unique get their
places; what the placed names leave unconnected is then arranged part by part, so that many like parts cost no more
than as many different ones. Branches that an automorphism maps onto an explored branch are cut.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from arggym_env.theory.directives import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
)
from arggym_env.theory.literals import atom_of
from arggym_env.theory.theory import Theory

_Numbers = Mapping[str, int]


def canonical_form(theory: Theory) -> Theory:
    """Return the representative of ``theory``'s class under renaming and reordering.

    Names become ``v0``, ``v1``, ...; directives are sorted, repeated ones are dropped. Cost is near linear for theories
    with little symmetry or with many like parts; a highly regular theory made to be hard can take exponential time.
    """
    directives = sorted(set(theory.directives), key=str)
    order = _arrange(directives, {}, dict.fromkeys(chain.from_iterable(map(_names, directives)), 0)).order
    names = {name: f"v{index}" for index, name in enumerate(order)}
    return Theory(tuple(sorted((_rename(directive, names) for directive in directives), key=str)))


def canonical_hash(theory: Theory) -> str:
    """Return the SHA-256 of the canonical form's text, as 64 hexadecimal digits."""
    return hashlib.sha256(str(canonical_form(theory)).encode()).hexdigest()


def shape_key(theory: Theory) -> str:
    """Return a quick invariant under renaming and reordering, 16 hexadecimal digits: twins have the same key.

    Theories with different keys are no twins; equal keys say little, and the canonical form decides.
    """
    directives = set(theory.directives)
    colours = dict.fromkeys(chain.from_iterable(map(_names, directives)), 0)
    views: dict[str, list[str]] = {name: [] for name in colours}
    for directive in directives:
        for name, view in _views(directive, colours):
            views[name].append(repr(view))
    seen = sorted(sorted(view) for view in views.values())
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Arrangement:
    """An order of the names of a part, and what the part says in terms of it."""

    text: str
    """The same for two parts exactly when their orders make one of them the other."""
    order: tuple[str, ...]


def _names(directive: Directive) -> list[str]:
    match directive:
        case Premise(literal) | Axiom(literal):
            return [atom_of(literal)]
        case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
            return [name, *map(atom_of, antecedents), atom_of(consequent)]
        case PremisePreference(stronger, weaker) | RulePreference(stronger, weaker):
            return [atom_of(stronger), atom_of(weaker)]


def _arrange(part: Sequence[Directive], places: _Numbers, colours: _Numbers, *, glance: bool = False) -> _Arrangement:
    """Return the arrangement of ``part`` with the least text, or just one of its arrangements when only glancing.

    Args:
        part: directives.
        places: the names that have their places.
        colours: what is known about the other names of the part.
        glance: whether to follow a single branch.
    """
    colours = _refine(part, places, colours)
    sizes = Counter(colours.values())
    alone = sorted((name for name in colours if sizes[colours[name]] == 1), key=colours.__getitem__)
    places = {**places, **{name: len(places) + index for index, name in enumerate(alone)}}
    settled, parts = _split(part, places)
    if len(parts) == 1:
        found = [_branch(parts[0], places, _restricted(colours, parts[0], places), glance=glance)]
    else:
        found = [_arrange(each, places, _restricted(colours, each, places), glance=glance) for each in parts]
    found.sort(key=lambda arrangement: arrangement.text)
    names = {name: str(place) for name, place in places.items()}
    lines = sorted(str(_rename(directive, names)) for directive in settled)
    text = "\n".join([*lines, *(f"{{{arrangement.text}}}" for arrangement in found)])
    return _Arrangement(text, (*alone, *chain.from_iterable(arrangement.order for arrangement in found)))


def _branch(part: Sequence[Directive], places: _Numbers, colours: _Numbers, *, glance: bool) -> _Arrangement:
    """Return the arrangement that gives the next place to one of the names of the smallest colour class."""
    sizes = Counter(colours.values())
    smallest = min((size, colour) for colour, size in sizes.items())[1]
    explored: list[_Arrangement] = []
    seen: set[str] = set()
    for name in [name for name in colours if colours[name] == smallest]:
        placed = {**places, name: len(places)}
        others = {other: colour for other, colour in colours.items() if other != name}
        if explored and _arrange(part, placed, others, glance=True).text in seen:
            continue  # an automorphism maps this branch onto one that was explored
        found = _arrange(part, placed, others, glance=glance)
        explored.append(_Arrangement(found.text, (name, *found.order)))
        seen.add(found.text)
        if glance:
            break
    return min(explored, key=lambda arrangement: arrangement.text)


def _split(part: Iterable[Directive], places: _Numbers) -> tuple[list[Directive], list[list[Directive]]]:
    """Return the directives all of whose names have places, and the others, by what connects them besides places."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    settled: list[Directive] = []
    loose: list[tuple[str, Directive]] = []
    for directive in part:
        names = [name for name in _names(directive) if name not in places]
        if not names:
            settled.append(directive)
            continue
        loose.append((names[0], directive))
        for other in names[1:]:
            leader[find(other)] = find(names[0])
    parts: dict[str, list[Directive]] = {}
    for name, directive in loose:
        parts.setdefault(find(name), []).append(directive)
    return settled, list(parts.values())


def _restricted(colours: _Numbers, part: Iterable[Directive], places: _Numbers) -> dict[str, int]:
    names = dict.fromkeys(chain.from_iterable(map(_names, part)))
    return {name: colours[name] for name in names if name not in places}


def _refine(part: Sequence[Directive], places: _Numbers, colours: _Numbers) -> _Numbers:
    """Return the coarsest stable refinement of ``colours``, as ranks that do not depend on the names."""
    fixed = {name: -1 - place for name, place in places.items()}
    classes = len(set(colours.values()))
    while True:
        known = {**fixed, **colours}
        views: dict[str, list[str]] = {name: [] for name in colours}
        for directive in part:
            for name, view in _views(directive, known):
                if name in views:
                    views[name].append(repr(view))
        keys = {name: (colours[name], tuple(sorted(views[name]))) for name in colours}
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
        colours = {name: ranks[key] for name, key in keys.items()}
        if len(ranks) == classes:
            return colours
        classes = len(ranks)


def _views(directive: Directive, colours: _Numbers) -> list[tuple[str, tuple[object, ...]]]:
    """Return what each name of ``directive`` sees of it: its own role, and the colours in the other roles."""

    def seen(literal: str) -> tuple[bool, int]:
        return literal.startswith("-"), colours[atom_of(literal)]

    kind = type(directive).__name__
    match directive:
        case Premise(literal) | Axiom(literal):
            return [(atom_of(literal), (kind, seen(literal)))]
        case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
            shape = (kind, colours[name], sorted(map(seen, antecedents)), seen(consequent))
            return [
                (name, (*shape, "name")),
                (atom_of(consequent), (*shape, "consequent")),
                *((atom_of(antecedent), (*shape, "antecedent", seen(antecedent))) for antecedent in antecedents),
            ]
        case PremisePreference(stronger, weaker) | RulePreference(stronger, weaker):
            pair = (kind, seen(stronger), seen(weaker))
            return [(atom_of(stronger), (*pair, "stronger")), (atom_of(weaker), (*pair, "weaker"))]


def _rename(directive: Directive, names: Mapping[str, str]) -> Directive:
    def renamed(literal: str) -> str:
        return ("-" if literal.startswith("-") else "") + names[atom_of(literal)]

    match directive:
        case Premise(literal) | Axiom(literal):
            return replace(directive, literal=renamed(literal))
        case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
            return replace(
                directive,
                name=names[name],
                antecedents=tuple(sorted(map(renamed, antecedents))),
                consequent=renamed(consequent),
            )
        case PremisePreference(stronger, weaker) | RulePreference(stronger, weaker):
            return replace(directive, stronger=renamed(stronger), weaker=renamed(weaker))
