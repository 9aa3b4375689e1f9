"""Readers: they take procedural questions back from their text alone and decide them by other means than the generator.

Six families: sentences become conditions on a world, worlds are listed with itertools, and a set of sentences is
satisfiable if some world meets all. Categorical sentences are decided without listing models: a set of them is
satisfiable if every existence that it asserts has a region of the diagram that no universal sentence empties.
"""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

from arggym_env.errors import InstanceError
from arggym_env.logihard.atomic import AtomicMCQ

T = TypeVar("T")

World: TypeAlias = Any
Condition: TypeAlias = Callable[[World], bool]
Signed: TypeAlias = tuple[str, bool]
"""A sentence, and whether it is to be true."""


class Reading(ABC):
    """What a question's text says: its premises and options as sentences, and which of them can be true together."""

    def __init__(self, premises: Sequence[str], question: AtomicMCQ) -> None:
        self.premises = tuple(premises)
        self.options = question.options

    @abstractmethod
    def is_satisfiable(self, sentences: Iterable[Signed]) -> bool:
        """Return whether the sentences can have these truth values together."""

    def entails(self, premises: Iterable[str], claim: str) -> bool:
        """Return whether the claim is true wherever the premises are."""
        return not self.is_satisfiable([*((premise, True) for premise in premises), (claim, False)])

    def contradicts(self, claim: str) -> bool:
        """Return whether the claim is false wherever the question's premises are true."""
        return not self.is_satisfiable([*((premise, True) for premise in self.premises), (claim, True)])

    def same(self, left: str, right: str) -> bool:
        """Return whether the sentences are true in the same worlds."""
        return not self.is_satisfiable([(left, True), (right, False)]) and self.entails([right], left)


class Listed(Reading):
    """Worlds are listed, and each sentence's truth in each of them is computed once."""

    def __init__(self, premises: Sequence[str], question: AtomicMCQ, worlds: Iterable[World]) -> None:
        super().__init__(premises, question)
        self.worlds = list(worlds)
        self.true_in: dict[str, frozenset[int]] = {}

    @abstractmethod
    def condition(self, sentence: str) -> Condition:
        """Return what the sentence demands of a world."""

    def is_satisfiable(self, sentences: Iterable[Signed]) -> bool:
        left = set(range(len(self.worlds)))
        for sentence, sign in sentences:
            if sentence not in self.true_in:
                holds = self.condition(sentence)
                self.true_in[sentence] = frozenset(i for i, world in enumerate(self.worlds) if holds(world))
            left = left & self.true_in[sentence] if sign else left - self.true_in[sentence]
        return bool(left)


def _sentences(text: str) -> list[str]:
    return re.findall(r"[^.]+\.", text.replace("\n", " ").strip())


def _stripped(sentence: str) -> str:
    text = sentence.strip().removesuffix(".")
    return text[0].lower() + text[1:] if text.startswith(("If ", "It ", "Exactly ", "At ", "Neither ")) else text


def _after(text: str, opening: str) -> tuple[list[str], str]:
    """Return the names listed in the opening of the context, and the rest of it."""
    found = _required(re.match(opening, text), text)
    return re.findall(r"[A-Z][a-z]{3}\b", found["names"]), text[found.end() :]


def _required(found: T | None, text: str) -> T:
    """Return what was found in the text; raise InstanceError if it is nothing."""
    if not found:
        raise InstanceError(f"no reading of {text!r:.80}")
    return found


def _match(pattern: str, text: str) -> tuple[str, ...]:
    """Return the groups of the pattern (of which it has some), none if the text is not of this pattern."""
    found = re.fullmatch(pattern, text)
    return found.groups() if found else ()


class Propositional(Listed):
    """A world maps each name to whether it comes (votes, sings, ...)."""

    def __init__(self, question: AtomicMCQ) -> None:
        names, rest = _after(question.context, r"The following is known about (?P<names>[^.]+)\.")
        closing = ' Here "or" leaves open that both are the case. Nothing else is known.'
        _required(rest.endswith(closing), rest)
        rest = rest.removesuffix(closing)
        worlds = (dict(zip(names, values, strict=True)) for values in itertools.product((0, 1), repeat=len(names)))
        super().__init__([s.strip() for s in _sentences(rest)], question, worlds)

    def condition(self, sentence: str) -> Condition:
        return self.clause(_stripped(sentence))

    def clause(self, text: str) -> Condition:
        """Return what a part of a sentence demands of a world."""
        if parts := _match(r"it is not the case that both (.+) and (.+)", text):
            a, b = map(self.clause, parts)
            return lambda w: not (a(w) and b(w))
        if parts := _match(r"(.+) if and only if (.+)", text):
            a, b = map(self.clause, parts)
            return lambda w: a(w) == b(w)
        if parts := _match(r"if (.+), then (.+)", text):
            a, b = map(self.clause, parts)
            return lambda w: b(w) if a(w) else True
        if parts := _match(r"(.+) only if (.+)", text):
            a, b = map(self.clause, parts)
            return lambda w: a(w) <= b(w)
        if parts := _match(r"(.+) or (.+)", text):
            a, b = map(self.clause, parts)
            return lambda w: a(w) or b(w)
        if parts := _match(r"(.+) and (.+)", text):
            a, b = map(self.clause, parts)
            return lambda w: a(w) and b(w)
        if parts := _match(r"(\w{4}) does not [a-z]+", text):
            return lambda w: not w[parts[0]]
        parts = _required(_match(r"(\w{4}) [a-z]+s", text), text)
        return lambda w: bool(w[parts[0]])


@dataclass(frozen=True)
class _Categorical:
    kind: str
    subject: frozenset[str]
    predicate: str


class Categorical(Reading):
    """No worlds: existences need regions that universal sentences leave open."""

    def __init__(self, question: AtomicMCQ) -> None:
        opening = r"In a town some people are (?P<terms>[^;]+); one person may be several of these, or none\."
        found = _required(re.match(opening, question.context), question.context)
        self.terms = re.findall(r"[a-z]{7}", found["terms"])
        rest = question.context[found.end() :]
        self.has_members = rest.startswith(" There is at least one of each kind.")
        if not self.has_members:
            _required(rest.startswith(" Somebody is there, but there may be none of a kind: "), rest)
        super().__init__([s.strip() for s in _sentences(rest)[1:]], question)

    def parsed(self, sentence: str) -> _Categorical:
        """Return the sentence's quantifier and terms."""
        pattern = r"(All|No|Some) ([a-z]+)(?: who are ([a-z]+))? are (not )?([a-z]+)\."
        parts = _required(_match(pattern, sentence.strip()), sentence)
        quantifier, first, second, negation, predicate = parts
        kind = {"All": "all", "No": "no", "Some": "some_not" if negation else "some"}[quantifier]
        return _Categorical(kind, frozenset({first, second} - {None}), predicate)

    def is_satisfiable(self, sentences: Iterable[Signed]) -> bool:
        opposite = {"all": "some_not", "some_not": "all", "no": "some", "some": "no"}
        emptied: list[_Categorical] = []
        required: list[tuple[frozenset[str], str | None, bool]] = [(frozenset(), None, True)]  # somebody is there
        if self.has_members:
            required += [(frozenset({term}), None, True) for term in self.terms]
        for sentence, sign in sentences:
            claim = self.parsed(sentence)
            kind = claim.kind if sign else opposite[claim.kind]
            if kind in ("all", "no"):
                emptied.append(_Categorical(kind, claim.subject, claim.predicate))
            else:
                required.append((claim.subject, claim.predicate, kind == "some"))
        regions = [
            frozenset(region)
            for size in range(len(self.terms) + 1)
            for region in itertools.combinations(self.terms, size)
        ]
        open_regions = [
            region
            for region in regions
            if not any(e.subject <= region and (e.predicate in region) == (e.kind == "no") for e in emptied)
        ]
        return all(
            any(subject <= region and (term is None or (term in region) == inside) for region in open_regions)
            for subject, term, inside in required
        )


class Ordering(Listed):
    """A world is the list of people from left to right."""

    def __init__(self, question: AtomicMCQ) -> None:
        names, rest = _after(question.context, r"(?P<names>[^.]+) sit in a row of \d seats, [^.]*\.")
        super().__init__([s.strip() for s in _sentences(rest)], question, itertools.permutations(names))

    def condition(self, sentence: str) -> Condition:
        text = _stripped(sentence)
        if parts := _match(r"(\w+) sits somewhere to the left of (\w+)", text):
            return lambda w: w.index(parts[0]) < w.index(parts[1])
        if parts := _match(r"(\w+) sits immediately to the left of (\w+)", text):
            return lambda w: list(parts) in [list(pair) for pair in itertools.pairwise(w)]
        if parts := _match(r"(\w+) and (\w+) sit next to each other", text):
            return lambda w: set(parts) in [set(pair) for pair in itertools.pairwise(w)]
        if parts := _match(r"(\w+) and (\w+) do not sit next to each other", text):
            return lambda w: set(parts) not in [set(pair) for pair in itertools.pairwise(w)]
        if parts := _match(r"exactly one person sits between (\w+) and (\w+)", text):
            return lambda w: any({w[i], w[i + 2]} == set(parts) for i in range(len(w) - 2))
        if parts := _match(r"(\w+) sits somewhere between (\w+) and (\w+)", text):
            return lambda w: [p for p in w if p in parts][1] == parts[0]
        if parts := _match(r"(\w+) sits in seat (\d)", text):
            return lambda w: bool(w[int(parts[1]) - 1] == parts[0])
        if parts := _match(r"(\w+) does not sit in seat (\d)", text):
            return lambda w: bool(w[int(parts[1]) - 1] != parts[0])
        if parts := _match(r"(\w+) sits at one of the two ends", text):
            return lambda w: parts[0] in (w[0], w[-1])
        parts = _required(_match(r"(\w+) does not sit at either end", text), text)
        return lambda w: parts[0] in w[1:-1]


class Knights(Listed):
    """A world is the set of knights."""

    def __init__(self, question: AtomicMCQ) -> None:
        opening = (
            r"On an island everybody is either a knight, who says only what is true, or a knave, who says only what is "
            r"false\. (?P<names>[^.]+) live there\. "
        )
        names, rest = _after(question.context, opening)
        worlds = (set(knights) for size in range(len(names) + 1) for knights in itertools.combinations(names, size))
        super().__init__(re.findall(r'\w+ says: "[^"]+"', rest), question, worlds)

    def condition(self, sentence: str) -> Condition:
        if parts := _match(r'(\w+) says: "([^"]+)"', sentence):
            said = self.condition(parts[1])
            return lambda w: said(w) if parts[0] in w else not said(w)
        text = _stripped(sentence)
        if parts := _match(r"if (\w+) is a (\w+), then (\w+) is a (\w+)", text):
            first, second = (self.is_a(parts[0], parts[1]), self.is_a(parts[2], parts[3]))
            return lambda w: second(w) or not first(w)
        if parts := _match(r"at least one of (\w+) and (\w+) is a (\w+)", text):
            return lambda w: any(self.is_a(name, parts[2])(w) for name in parts[:2])
        if parts := _match(r"(\w+) and (\w+) are both (\w+)s", text):
            return lambda w: all(self.is_a(name, parts[2])(w) for name in parts[:2])
        if parts := _match(r"(\w+) and (\w+) are of (the same kind|different kinds)", text):
            return lambda w: (len(w & set(parts[:2])) == 1) == (parts[2] == "different kinds")
        parts = _required(_match(r"(\w+) is a (\w+)", text), text)
        return self.is_a(parts[0], parts[1])

    @staticmethod
    def is_a(name: str, kind: str) -> Condition:
        """Return that the person is a knight, or a knave."""
        _required(kind in ("knight", "knave"), kind)
        return lambda w: (name in w) == (kind == "knight")


class Selection(Listed):
    """A world is the set of those chosen."""

    def __init__(self, question: AtomicMCQ) -> None:
        opening = r"Of the (?P<all>\w+) applicants (?P<names>[^.]+), exactly (?P<places>\w+) are chosen\."
        names, rest = _after(question.context, opening)
        found = _required(re.match(opening, question.context), question.context)
        numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        _required(numbers.index(found["all"]) == len(names), question.context)
        worlds = map(set, itertools.combinations(names, numbers.index(found["places"])))
        super().__init__([s.strip() for s in _sentences(rest)], question, worlds)

    def condition(self, sentence: str) -> Condition:
        text = _stripped(sentence)
        if parts := _match(r"if (.+), then (.+)", text):
            a, b = map(self.condition, parts)
            return lambda w: not (a(w) and not b(w))
        if parts := _match(r"(.+) if and only if (.+)", text):
            a, b = map(self.condition, parts)
            return lambda w: a(w) is b(w)
        counts: dict[str, Callable[[int], bool]] = {
            r"(\w+) and (\w+) are not both chosen": lambda n: n < 2,
            r"at least one of (\w+) and (\w+) is chosen": lambda n: n > 0,
            r"exactly one of (\w+) and (\w+) is chosen": lambda n: n == 1,
            r"(\w+) and (\w+) are both chosen": lambda n: n == 2,
            r"neither (\w+) nor (\w+) is chosen": lambda n: n == 0,
            r"(\w+) is chosen": lambda n: n == 1,
            r"(\w+) is not chosen": lambda n: n == 0,
        }
        for pattern, fits in counts.items():
            if parts := _match(pattern, text):
                return lambda w, fits=fits, parts=parts: fits(len(w.intersection(parts)))  # type: ignore[misc]
        raise InstanceError(f"no reading of {text!r:.80}")


class Individuals(Listed):
    """A world maps each name to the set of that person's qualities."""

    def __init__(self, question: AtomicMCQ) -> None:
        opening = r"Each of (?P<names>.+?) may or may not be (?P<qualities>[^;]+); [^.]+\."
        names, rest = _after(question.context, opening)
        found = _required(re.match(opening, question.context), question.context)
        self.qualities = re.findall(r"\b(?!or\b)[a-z]{5}", found["qualities"])
        sets = [
            frozenset(chosen)
            for size in range(len(self.qualities) + 1)
            for chosen in itertools.combinations(self.qualities, size)
        ]
        worlds = (dict(zip(names, chosen, strict=True)) for chosen in itertools.product(sets, repeat=len(names)))
        super().__init__([s.strip() for s in _sentences(rest)], question, worlds)

    def condition(self, sentence: str) -> Condition:
        text = sentence.strip().removesuffix(".")
        if parts := _match(r"If (\w+) is (\w+), then (\w+) is (not )?(\w+)", text):
            name, first, other, negation, second = parts
            return lambda w: first not in w[name] or (second in w[other]) != bool(negation)
        if parts := _match(r"([A-Z]\w{3}) is (not )?(\w+)", text):
            return lambda w: (parts[2] in w[parts[0]]) != bool(parts[1])
        holds = self.of_a_person(text)
        return lambda w: all(holds(has) for has in w.values())

    @staticmethod
    def of_a_person(text: str) -> Condition:
        """Return what a general sentence demands of each person's qualities."""
        if parts := _match(r"No one who is both (\w+) and (\w+) is (\w+)", text):
            return lambda has: not has.issuperset(parts)
        if parts := _match(r"Everyone who is both (\w+) and (\w+) is (\w+)", text):
            return lambda has: parts[2] in has or not has.issuperset(parts[:2])
        if parts := _match(r"Everyone who is not (\w+) is (\w+)", text):
            return lambda has: bool(has.intersection(parts))
        if parts := _match(r"Everyone who is (\w+) is (\w+) or (\w+)", text):
            return lambda has: parts[0] not in has or bool(has.intersection(parts[1:]))
        if parts := _match(r"Everyone who is (\w+) is (\w+)", text):
            return lambda has: parts[0] not in has or parts[1] in has
        if parts := _match(r"Only those who are (\w+) are (\w+)", text):
            return lambda has: parts[0] in has or parts[1] not in has
        parts = _required(_match(r"No one who is (\w+) is (\w+)", text), text)
        return lambda has: not has.issuperset(parts)


READERS: Final[Mapping[str, Callable[[AtomicMCQ], Reading]]] = MappingProxyType(
    {
        "propositional": Propositional,
        "categorical": Categorical,
        "ordering": Ordering,
        "knights": Knights,
        "selection": Selection,
        "individuals": Individuals,
    }
)
"""The reader of each deductive family; argumentation is left to the engines."""
