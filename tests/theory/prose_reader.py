"""A reader of descriptions that knows nothing of the renderer: its own table of sentence forms, its own grammar."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from arggym_env.theory import DefeasibleRule, RulePreference, StrictRule, Theory

_NAME: Final = r"[a-z]{2}[0-9]"
_NOUN: Final = rf"(?:(?:not|the (?:negation|denial|opposite|falsity|contrary) of) )?{_NAME}"
_YES: Final = r"(?:holds|is true|is the case|obtains)"
_NO: Final = r"(?:does not hold|is false|is not the case|fails|is untrue|does not obtain)"
_CLAUSE: Final = rf"{_NAME} (?:{_YES}|{_NO})"
_WITH: Final = r"(?:and|together with|combined with|along with|in conjunction with|as well as)"
_NOUNS: Final = rf"{_NOUN}(?: {_WITH} {_NOUN})*"
_CLAUSES: Final = rf"{_CLAUSE}(?: (?:and also|and|while) {_CLAUSE})*"
_STEP: Final = rf"(?:the objection from {_NOUNS} against )*the (?:step|inference|move|passage) from {_NOUNS} to {_NOUN}"
_OPENERS: Final = (
    "on another point, |to continue, |further, |on a related matter, |besides, |then again, |moreover, |also, |next, "
    "|in addition, |at the same time, |furthermore, "
)
_SLOTS: Final = {
    "A": _NOUNS,
    "AC": _CLAUSES,
    "X": _NOUN,
    "XC": _CLAUSE,
    "N": _NAME,
    "Y": _NOUN,
    "R": _STEP,
    "S": _STEP,
}

_FORMS: Final = """
premise: <X> is an ordinary premise
premise: it is assumed that <XC>
premise: we suppose that <XC>
premise: <X> is accepted provisionally
premise: reports have it that <XC>
premise: <X> is taken to be so, though open to challenge
premise: it is presumed that <XC>
premise: one starting point, open to doubt, is <X>
premise: many hold that <X> is certain, yet it stays open to challenge
premise: <X> has been called an axiom, but it is merely assumed
premise: it may sound settled that <XC>, but this is open to doubt
premise: <X> passes for undeniable, yet it is only accepted provisionally
premise: some say that nobody can contest <X>; in truth it is just presumed
premise: it looks as though <XC> beyond dispute, but that is an ordinary premise
axiom: <X> is an axiom
axiom: it is certain that <XC>
axiom: it is beyond (?:dispute|doubt) that <XC>
axiom: <X> is settled for good
axiom: undeniably, <XC>
axiom: nobody can contest <X>
axiom: one starting point, not open to challenge, is <X>
axiom: <X> may sound merely assumed, yet it is beyond dispute
axiom: some call <X> an ordinary premise, but it is an axiom
axiom: <X> was once accepted provisionally; by now it is settled for good
axiom: it looks as though <XC> on the strength of reports, but this is certain
axiom: many hold that <X> is open to doubt, yet nobody can contest it
axiom: <X> passes for something presumed, but it is beyond doubt
defeasible: there is a defeasible rule from <A> to <X>
defeasible: by default, <X> follows from <A>
defeasible: normally, if <AC>, then <XC>
defeasible: <X> can usually be concluded from <A>
defeasible: from <A> one may presumptively infer <X>
defeasible: as a rule of thumb, <A> will lead to <X>
defeasible: <A> would ordinarily be a reason to accept <X>
defeasible: given <A>, <X> is to be expected, barring exceptions
defeasible: <A> may seem always to bring <X>, but this holds by default only
defeasible: from <A> to <X> looks like a strict step, yet one may take it only presumptively
defeasible: some think that <X> follows from <A> of necessity; in truth it does so barring exceptions
defeasible: if <AC>, then <XC>: that is often called a law, but it is a rule of thumb
defeasible: it sounds as if <A> could never be had without <X>, but that is how things ordinarily are and no more
defeasible: <X> passes for a necessary consequence of <A>, yet it can just usually be concluded
defeasible against: there is a defeasible rule from <A> against <N>
defeasible against: by default, <N> is rebutted by <A>
defeasible against: normally, if <AC>, then this tells against <N>
defeasible against: given <A>, <N> can usually be rejected
defeasible against: from <A> one may presumptively infer that <N> is false
defeasible against: as a rule of thumb, <A> will speak against <N>
defeasible against: <A> would ordinarily be a reason to deny <N>
defeasible against: barring exceptions, <A> will count against <N>
strict: there is a strict rule from <A> to <X>
strict: <X> follows from <A> without exception
strict: in every case, if <AC>, then <XC>
strict: <X> is a necessary consequence of <A>
strict: from <A> one can infallibly infer <X>
strict: <A> will always bring <X>
strict: by definition, <A> will amount to <X>
strict: given <A>, <X> cannot fail
strict: <A> may seem only ordinarily to bring <X>, but this happens without exception
strict: from <A> to <X> looks like a defeasible step, yet one can take it infallibly
strict: some think that <X> follows from <A> by default; in truth it does so in every case
strict: if <AC>, then <XC>: that is often called a rule of thumb, but it is so by definition
strict: it sounds as if <X> could usually be had from <A>, but given this it cannot fail
strict: <X> passes for what one would presumptively conclude from <A>, yet it is a necessary consequence
strict against: there is a strict rule from <A> against <N>
strict against: <A> will without exception exclude <N>
strict against: in every case, if <AC>, then this rules out <N>
strict against: it is a necessary consequence of <A> that <N> is false
strict against: from <A> one can infallibly infer that <N> is false
strict against: <A> will always rule out <N>
strict against: by definition, <A> will exclude <N>
strict against: given <A>, the rejection of <N> cannot fail
defeasible undercut: there is a defeasible undercut from <A> against <R>
defeasible undercut: by default, <A> will block <R>
defeasible undercut: normally, if <AC>, then <R> does not apply
defeasible undercut: given <A>, <R> is usually unavailable
defeasible undercut: <A> would ordinarily switch off <R>
defeasible undercut: as a rule of thumb, <A> will undercut <R>
defeasible undercut: barring exceptions, <A> will suspend <R>
defeasible undercut: from <A> one may presumptively infer that <R> does not apply
strict undercut: there is a strict undercut from <A> against <R>
strict undercut: <A> will always block <R>
strict undercut: in every case, if <AC>, then <R> does not apply
strict undercut: given <A>, <R> is without exception unavailable
strict undercut: by definition, <A> will switch off <R>
strict undercut: from <A> one can infallibly infer that <R> does not apply
strict undercut: given <A>, the suspension of <R> cannot fail
strict undercut: it is a necessary consequence of <A> that <R> does not apply
prefer_premise: the premise <X> is preferred to the premise <Y>
prefer_premise: as a starting point, <X> outweighs <Y>
prefer_premise: between <X> and <Y>, the stronger premise is <Z>
prefer_premise: as a starting point, <Y> is weaker than <X>
prefer_premise: the premise <X> carries more weight than <Y>
prefer_premise: of two premises, <Y> ranks below <X>
prefer_premise: we trust the premise <X> more than <Y>
prefer_premise: the premise <Y> is less reliable than <X>
prefer_rule: <R> is preferred to <S>
prefer_rule: <R> outweighs <S>
prefer_rule: <R> is stronger than <S>
prefer_rule: <S> is weaker than <R>
prefer_rule: <R> carries more weight than <S>
prefer_rule: <S> ranks below <R>
prefer_rule: we trust <R> more than <S>
prefer_rule: <S> is less reliable than <R>
"""


class _Form(NamedTuple):
    kind: str
    pattern: re.Pattern[str]


def _form(line: str) -> _Form:
    kind, _, text = line.partition(": ")
    pattern = text.replace("<Z>", _NOUN)
    for slot, grammar in _SLOTS.items():
        pattern = pattern.replace(f"<{slot}>", f"(?P<{slot}>{grammar})")
    return _Form(kind, re.compile(pattern))


_TABLE: Final = [_form(line) for line in _FORMS.strip().splitlines()]


class Sentence(NamedTuple):
    """A sentence as it was understood."""

    kind: str
    form: int
    slots: dict[str, str]


def read_sentence(sentence: str) -> Sentence:
    """Return the one reading of a sentence; raise ValueError when there is none, or more than one."""
    plain = re.sub(rf"^(?:{_OPENERS})", "", sentence.strip().removesuffix(".").lower())
    readings = [
        Sentence(form.kind, number, match.groupdict())
        for number, form in enumerate(_TABLE)
        if (match := form.pattern.fullmatch(plain))
    ]
    if len(readings) != 1:
        raise ValueError(f"{len(readings)} readings of {sentence!r}: {readings}")
    return readings[0]


def sentences(text: str) -> list[str]:
    """Return the sentences of a description."""
    return [part.strip() for part in re.findall(r"[^.]+\.", text)]


def forms() -> int:
    """Return how many forms the table knows."""
    return len(_TABLE)


def read_theory(text: str) -> Theory:
    """Return the theory that a description states, under rule names of the reader's own."""
    known = [read_sentence(sentence) for sentence in sentences(text)]
    names: dict[str, str] = {}
    waiting = [reading for reading in known if reading.kind.startswith(("strict", "defeasible"))]
    lines: list[str] = []
    while waiting:
        later = []
        for reading in waiting:
            if "R" in reading.slots and _reference(reading.slots["R"]) not in names:
                later.append(reading)
                continue
            name = f"rule_{len(names)}"
            body, target = _body(reading)
            names[body] = name
            consequent = body.rpartition(" to ")[2] if target is None else "-" + names[target]
            kind = reading.kind.split()[0]
            arrow = "->" if kind == "strict" else "=>"
            lines.append(f"[{kind} {name}: {' AND '.join(_antecedents(reading))} {arrow} {consequent}]")
        if len(later) == len(waiting):
            raise ValueError(f"references to steps that nothing states: {later}")
        waiting = later
    for reading in known:
        slots = reading.slots
        if reading.kind in {"premise", "axiom"}:
            lines.append(f"[{reading.kind}: {_literals(slots.get('X') or slots['XC'])[0]}]")
        elif reading.kind == "prefer_premise":
            lines.append(f"[prefer_premise: {_literals(slots['X'])[0]} > {_literals(slots['Y'])[0]}]")
        elif reading.kind == "prefer_rule":
            stronger, weaker = names[_reference(slots["R"])], names[_reference(slots["S"])]
            lines.append(f"[prefer_rule: {stronger} > {weaker}]")
    return Theory.parse("\n".join(lines))


def _literals(text: str) -> list[str]:
    """Return the literals of a noun phrase or a clause, in order."""
    found = re.findall(rf"(not |the (?:negation|denial|opposite|falsity|contrary) of )?({_NAME})( {_NO})?", text)
    return [("-" if before or after else "") + name for before, name, after in found]


def _antecedents(reading: Sentence) -> list[str]:
    return _literals(reading.slots.get("A") or reading.slots["AC"])


def _body(reading: Sentence) -> tuple[str, str | None]:
    """Return what identifies the rule, and the identity of the rule that it undercuts."""
    antecedents = " and ".join(sorted(_antecedents(reading)))
    if "R" in reading.slots:
        target = _reference(reading.slots["R"])
        return f"{antecedents} against {target}", target
    if "N" in reading.slots:
        return f"{antecedents} to -{reading.slots['N']}", None
    return f"{antecedents} to {_literals(reading.slots.get('X') or reading.slots['XC'])[0]}", None


def _reference(text: str) -> str:
    """Return the identity of the rule that a noun phrase refers to."""
    if text.startswith("the objection from "):
        antecedents, _, target = text.removeprefix("the objection from ").partition(" against ")
        return f"{' and '.join(sorted(_literals(antecedents)))} against {_reference(target)}"
    antecedents, _, consequent = text.partition(" from ")[2].rpartition(" to ")
    return f"{' and '.join(sorted(_literals(antecedents)))} to {_literals(consequent)[0]}"


def without_rule_names(theory: Theory) -> list[str]:
    """Return the directives, sorted, with every rule's name replaced by what the rule says."""
    rules = {rule.name: rule for rule in theory.rules}

    def content(name: str) -> str:
        rule = rules[name]
        about = rule.consequent.removeprefix("-")
        target = f"against {content(about)}" if about in rules else f"to {rule.consequent}"
        return f"({type(rule).__name__} {' and '.join(sorted(rule.antecedents))} {target})"

    told = []
    for directive in theory.directives:
        match directive:
            case StrictRule(name) | DefeasibleRule(name):
                told.append(content(name))
            case RulePreference(stronger, weaker):
                told.append(f"{content(stronger)} > {content(weaker)}")
            case _:
                told.append(str(directive))
    return sorted(told)
