"""From a theory to a description in controlled English, one sentence a directive.

The description determines the theory up to the names of rules: atoms appear under their names, and a rule is referred
to by what it says ("the step from ko9 to mp0"), an undercutting rule by what it undercuts ("the objection from hu0
against the step from ko9 to mp0"). No two rules of a theory share antecedents and consequent, so a reference is never
ambiguous and may stand before or after the sentence that states the rule. The order of the sentences follows shared
names, not kinds: a paragraph stays with what it has mentioned as long as there is more to say about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from arggym_env.theory.directives import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    Rule,
    RulePreference,
    StrictRule,
)
from arggym_env.theory.literals import atom_of
from arggym_env.theory.prose import pools
from arggym_env.theory.theory import Theory

T = TypeVar("T")

_PARAGRAPH: Final = (4, 7)
"""Fewest and most sentences of a paragraph."""
_CONNECTED: Final = 0.12
"""Share of the sentences within a paragraph that open with a connective."""
_PLAIN_NEGATION: Final = 0.4
"""Share of negated names that are simply preceded by "not"."""


class Draws(Protocol):
    """The random choices that a description needs."""

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""

    def between(self, low: int, high: int) -> int:
        """Return a uniform integer from ``low`` to ``high``, both included."""

    def choice(self, items: Sequence[T]) -> T:
        """Return one of ``items``, uniformly."""

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all ``items`` in random order."""


def describe(theory: Theory, draws: Draws, tempting: float = 0.0) -> str:
    """Return ``theory`` in words, in short paragraphs.

    Args:
        theory: what to describe; repeated directives are told once.
        draws: where the choices of wording and order come from.
        tempting: share of premises, axioms and rules that are first given the look of their opposite kind.

    Raises:
        ValueError: rules of the theory undercut each other in a circle, so that a reference would have no end.
    """
    teller = _Teller(theory, draws, tempting)
    paragraphs = []
    for number, paragraph in enumerate(_paragraphs(theory, draws)):
        sentences = []
        for place, directive in enumerate(paragraph):
            sentence = teller.sentence(directive)
            if place == 0 and number > 0:
                sentence = f"{draws.choice(pools.OPENINGS)} {sentence}"
            elif place > 0 and draws.chance(_CONNECTED):
                sentence = f"{draws.choice(pools.CONNECTIVES)} {sentence}"
            sentences.append(_capitalised(sentence, theory))
        paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)


def _capitalised(sentence: str, theory: Theory) -> str:
    """Return the sentence with a capital, unless it opens with a name: names are told exactly."""
    return sentence if sentence.split()[0] in theory.atoms else sentence[0].upper() + sentence[1:]


class _Teller:
    """Words one directive at a time; each pool is gone through in random order before a form is used again."""

    def __init__(self, theory: Theory, draws: Draws, tempting: float) -> None:
        self._draws = draws
        self._tempting = tempting
        self._rules = {rule.name: rule for rule in theory.rules}
        self._unused: dict[tuple[str, ...], list[str]] = {}

    def sentence(self, directive: Directive) -> str:
        """Return the sentence, without a capital."""
        match directive:
            case Premise(literal):
                return self._literal_sentence(self._tempt(pools.PREMISE, pools.TEMPTING_PREMISE), literal)
            case Axiom(literal):
                return self._literal_sentence(self._tempt(pools.AXIOM, pools.TEMPTING_AXIOM), literal)
            case StrictRule() | DefeasibleRule():
                return self._rule_sentence(directive)
            case PremisePreference(stronger, weaker):
                form = self._form(pools.PREMISE_PREFERENCE)
                return form.format(x=_Phrase(self, [stronger]), y=_Phrase(self, [weaker]))
            case RulePreference(stronger, weaker):
                form = self._form(pools.RULE_PREFERENCE)
                return form.format(r=self._reference(stronger), s=self._reference(weaker))

    def _literal_sentence(self, pool: tuple[str, ...], literal: str) -> str:
        return self._form(pool).format(x=_Phrase(self, [literal]))

    def _rule_sentence(self, rule: Rule) -> str:
        strict = isinstance(rule, StrictRule)
        antecedents = _Phrase(self, self._draws.shuffled(rule.antecedents))
        about = atom_of(rule.consequent)
        if about in self._rules:
            form = self._form(pools.STRICT_UNDERCUT if strict else pools.UNDERCUT)
            return form.format(A=antecedents, r=self._reference(about))
        plain, against, look = (
            (pools.STRICT, pools.EXCLUDING, pools.TEMPTING_STRICT)
            if strict
            else (pools.DEFEASIBLE, pools.REBUTTING, pools.TEMPTING_DEFEASIBLE)
        )
        if rule.consequent != about and self._draws.chance(0.5):
            return self._form(against).format(A=antecedents, y=about)
        return self._form(self._tempt(plain, look)).format(A=antecedents, x=_Phrase(self, [rule.consequent]))

    def _reference(self, name: str, inner: tuple[str, ...] = ()) -> str:
        """Return how the rule is referred to; ``inner`` are the rules of whose reference this is a part."""
        if name in inner:
            raise ValueError(f"rules {', '.join(inner)} undercut each other in a circle and cannot be referred to")
        rule = self._rules[name]
        antecedents = self.nouns(self._draws.shuffled(rule.antecedents), plain=True)
        about = atom_of(rule.consequent)
        if about in self._rules:
            return f"{pools.OBJECTION} from {antecedents} against {self._reference(about, (*inner, name))}"
        return f"{self._draws.choice(pools.STEPS)} from {antecedents} to {self.nouns([rule.consequent], plain=True)}"

    def nouns(self, literals: Sequence[str], plain: bool = False) -> str:
        """Return the literals as one noun phrase; a plain one uses only "not" and "and"."""
        first, *rest = (self._noun(literal, plain) for literal in literals)
        return self._joined(first, rest, pools.CONJUNCTION_NOUNS[:1] if plain else pools.CONJUNCTION_NOUNS)

    def clauses(self, literals: Sequence[str]) -> str:
        """Return the literals as one clause."""
        first, *rest = (self._clause(literal) for literal in literals)
        return self._joined(first, rest, pools.CONJUNCTION_CLAUSES)

    def _joined(self, first: str, rest: list[str], pool: tuple[str, ...]) -> str:
        return self._form(pool).format(first=first, rest=" and ".join(rest)) if rest else first

    def _noun(self, literal: str, plain: bool) -> str:
        atom = atom_of(literal)
        if literal == atom:
            return atom
        if plain or self._draws.chance(_PLAIN_NEGATION):
            return pools.NEGATION_NOUNS[0].format(a=atom)
        return self._form(pools.NEGATION_NOUNS[1:]).format(a=atom)

    def _clause(self, literal: str) -> str:
        atom = atom_of(literal)
        return self._form(pools.AFFIRMATION_CLAUSES if literal == atom else pools.NEGATION_CLAUSES).format(a=atom)

    def _tempt(self, plain: tuple[str, ...], look: tuple[str, ...]) -> tuple[str, ...]:
        return look if self._draws.chance(self._tempting) else plain

    def _form(self, pool: tuple[str, ...]) -> str:
        unused = self._unused.setdefault(pool, [])
        if not unused:
            unused.extend(self._draws.shuffled(pool))
        return unused.pop()


class _Phrase:
    """Literals in a template's slot: ``{x}`` words them as a noun phrase, ``{x.c}`` as a clause."""

    def __init__(self, teller: _Teller, literals: Sequence[str]) -> None:
        self._teller = teller
        self._literals = literals

    def __format__(self, spec: str) -> str:
        return self._teller.nouns(self._literals)

    @property
    def c(self) -> str:
        """The literals as a clause."""
        return self._teller.clauses(self._literals)


def _paragraphs(theory: Theory, draws: Draws) -> list[list[Directive]]:
    """Return the directives in random order, bent so that neighbours tend to share names."""
    left = draws.shuffled(tuple(dict.fromkeys(theory.directives)))
    names = {directive: _mentioned(directive, theory) for directive in left}
    paragraphs: list[list[Directive]] = []
    while left:
        paragraph = [left.pop()]
        mentioned = set(names[paragraph[0]])
        for _ in range(draws.between(*_PARAGRAPH) - 1):
            related = [directive for directive in left if mentioned & names[directive]]
            if not related:
                break
            paragraph.append(draws.choice(related))
            left.remove(paragraph[-1])
            mentioned |= names[paragraph[-1]]
        if paragraphs and len(paragraph) == 1:
            paragraphs[-1].append(paragraph[0])
        else:
            paragraphs.append(paragraph)
    return draws.shuffled(paragraphs)


def _mentioned(directive: Directive, theory: Theory) -> frozenset[str]:
    """Return the atoms and rule names that the directive is about."""
    match directive:
        case Premise(literal) | Axiom(literal):
            return frozenset({atom_of(literal)})
        case StrictRule(name, antecedents, consequent) | DefeasibleRule(name, antecedents, consequent):
            return frozenset({name, *map(atom_of, antecedents), atom_of(consequent)})
        case PremisePreference(stronger, weaker) | RulePreference(stronger, weaker):
            return frozenset({atom_of(stronger), atom_of(weaker)})
