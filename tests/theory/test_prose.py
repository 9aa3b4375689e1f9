"""Theories in controlled English: the text determines the theory, in many wordings, and the glossary explains them."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from arggym_env.envs.stream import Stream
from arggym_env.theory import Theory
from arggym_env.theory.prose import GLOSSARY, describe, pools
from tests.theory.prose_reader import forms, read_sentence, read_theory, sentences, without_rule_names

THEORY = Theory.parse(
    """
    [premise: ko9]
    [premise: -ko9]
    [premise: by3]
    [axiom: -mp0]
    [axiom: hu0]
    [strict ra1: ko9 AND -by4 -> lq4]
    [strict ra2: -mp0 -> -lq4]
    [strict ra3: hu0 -> -rb1]
    [defeasible rb1: ko9 => by4]
    [defeasible rb2: by3 AND -mp0 AND hu0 => -by4]
    [defeasible rb3: -ko9 => -rb2]
    [defeasible rb4: by4 => -rb3]
    [defeasible rb5: lq4 AND hu0 => -rb4]
    [prefer_premise: -ko9 > ko9]
    [prefer_premise: by3 > ko9]
    [prefer_rule: rb1 > rb2]
    [prefer_rule: rb4 > rb3]
    """
)
PLAIN = {
    "premise": pools.PREMISE,
    "axiom": pools.AXIOM,
    "strict": pools.STRICT,
    "defeasible": pools.DEFEASIBLE,
    "strict against": pools.EXCLUDING,
    "defeasible against": pools.REBUTTING,
    "strict undercut": pools.STRICT_UNDERCUT,
    "defeasible undercut": pools.UNDERCUT,
    "prefer_premise": pools.PREMISE_PREFERENCE,
    "prefer_rule": pools.RULE_PREFERENCE,
}
TEMPTING = {
    "premise": pools.TEMPTING_PREMISE,
    "axiom": pools.TEMPTING_AXIOM,
    "strict": pools.TEMPTING_STRICT,
    "defeasible": pools.TEMPTING_DEFEASIBLE,
}
WORDS = {
    "conjunction": pools.CONJUNCTION_NOUNS,
    "negation as a noun": pools.NEGATION_NOUNS,
    "negation as a clause": pools.NEGATION_CLAUSES,
}


@pytest.mark.parametrize("tempting", [0.0, 0.5, 1.0])
def test_an_independent_reader_gets_the_theory_back(tempting: float) -> None:
    for seed in range(60):
        text = describe(THEORY, Stream("prose", seed), tempting)
        assert without_rule_names(read_theory(text)) == without_rule_names(THEORY), text


def test_one_sentence_tells_one_directive() -> None:
    for seed in range(20):
        text = describe(THEORY, Stream("prose", seed), 0.5)
        assert len(sentences(text)) == len(THEORY.directives)


def test_every_form_occurs_and_the_reader_knows_no_others() -> None:
    seen: Counter[int] = Counter()
    for seed in range(120):
        text = describe(THEORY, Stream("prose", seed), 0.5)
        seen.update(read_sentence(sentence).form for sentence in sentences(text))
    assert sorted(seen) == list(range(forms()))


@pytest.mark.parametrize("pool", [*PLAIN.values(), *TEMPTING.values(), *WORDS.values()])
def test_every_construct_has_at_least_six_forms(pool: tuple[str, ...]) -> None:
    assert len(set(pool)) == len(pool) >= 6


def test_the_same_draws_give_the_same_text_and_others_another() -> None:
    texts = [describe(THEORY, Stream("prose", seed), 0.3) for seed in range(10)]
    assert texts == [describe(THEORY, Stream("prose", seed), 0.3) for seed in range(10)]
    assert len(set(texts)) == 10


def test_the_order_of_directives_does_not_determine_the_order_of_sentences() -> None:
    first = {read_sentence(sentences(describe(THEORY, Stream("prose", seed)))[0]).kind for seed in range(60)}
    assert len(first) >= 6


def test_names_of_rules_are_never_told() -> None:
    for seed in range(30):
        words = set(re.findall(r"[a-z]{2}[0-9]", describe(THEORY, Stream("prose", seed), 0.5)))
        assert words == set(THEORY.atoms)


def test_names_keep_their_case_at_the_start_of_a_sentence() -> None:
    for seed in range(60):
        text = describe(THEORY, Stream("prose", seed), 0.5)
        assert not re.search(r"[A-Z][a-z][0-9]", text)
        assert all(sentence[0].isupper() or sentence.split()[0] in THEORY.atoms for sentence in sentences(text))


def test_paragraphs_are_short() -> None:
    for seed in range(30):
        paragraphs = describe(THEORY, Stream("prose", seed)).split("\n\n")
        assert len(paragraphs) >= 3
        assert max(len(sentences(paragraph)) for paragraph in paragraphs) <= 12


def test_a_repeated_directive_is_told_once() -> None:
    theory = Theory.parse("[premise: ko9]\n[premise: ko9]")
    assert len(sentences(describe(theory, Stream("prose", 0)))) == 1


def test_undercuts_in_a_circle_cannot_be_told() -> None:
    theory = Theory.parse("[premise: ko9]\n[defeasible r1: ko9 => -r2]\n[defeasible r2: ko9 => -r1]")
    with pytest.raises(ValueError, match="circle"):
        describe(theory, Stream("prose", 0))


# The glossary

SIGNALS = {
    "premise": pools.PREMISE_SIGNALS,
    "axiom": pools.AXIOM_SIGNALS,
    "strict": pools.STRICT_SIGNALS,
    "defeasible": pools.DEFEASIBLE_SIGNALS,
}
OPPOSITE = {"premise": "axiom", "axiom": "premise", "strict": "defeasible", "defeasible": "strict"}


def last_signal(template: str, kind: str) -> str:
    """Return the kind of the signal that ends last in the template; of two that end together the longer one counts."""
    found = [
        (match.end(), len(signal), owner)
        for owner in (kind, OPPOSITE[kind])
        for signal in SIGNALS[owner]
        for match in re.finditer(re.escape(signal), template)
    ]
    return max(found)[2] if found else "none"


@pytest.mark.parametrize("kind", SIGNALS)
def test_the_last_signal_word_of_a_sentence_is_that_of_its_kind(kind: str) -> None:
    told = [*TEMPTING[kind]]
    for name, pool in PLAIN.items():
        if name.split()[0] == kind:
            told += pool
    assert len(told) >= 14
    for template in told:
        assert last_signal(template, kind) == kind, template


@pytest.mark.parametrize("kind", SIGNALS)
def test_plain_sentences_hold_no_signal_of_the_opposite_kind(kind: str) -> None:
    for name, pool in PLAIN.items():
        if name.split()[0] == kind:
            for template in pool:
                rest = template
                for signal in SIGNALS[kind]:
                    rest = rest.replace(signal, "")
                assert not [signal for signal in SIGNALS[OPPOSITE[kind]] if signal in rest], template


@pytest.mark.parametrize("kind", SIGNALS)
def test_tempting_sentences_begin_with_the_look_of_the_opposite_kind(kind: str) -> None:
    opening = r"look|sound|pass|seem|some|many|call|was once"
    for template in TEMPTING[kind]:
        assert re.search(opening, template), template


@pytest.mark.parametrize("kind", SIGNALS)
def test_the_glossary_lists_every_signal_word(kind: str) -> None:
    assert ", ".join(SIGNALS[kind]) in GLOSSARY


def test_the_glossary_explains_every_negation_conjunction_and_reference() -> None:
    words = " ".join(GLOSSARY.split())
    for phrase in (*pools.NEGATION_CLAUSES, *pools.AFFIRMATION_CLAUSES):
        assert phrase.removeprefix("{a} ") in words
    for phrase in pools.NEGATION_NOUNS:
        assert all(word in words for word in phrase.removesuffix(" {a}").split())
    for phrase in (*pools.CONJUNCTION_NOUNS, *pools.CONJUNCTION_CLAUSES):
        assert phrase.removeprefix("{first} ").removesuffix(" {rest}") in words
    assert all(step.removeprefix("the ") in words for step in (*pools.STEPS, pools.OBJECTION))
