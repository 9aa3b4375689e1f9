"""The sentences in which a theory is told, as pools of templates, and the words that tell the kinds apart.

A template has slots: ``{x}``, ``{y}`` for literals, ``{A}`` for the antecedents of a rule, ``{r}``, ``{s}`` for rules
that are referred to. ``{x}`` is a noun phrase (``not ko9``), ``{x.c}`` a clause (``ko9 is false``). Every template of a
pool holds one of the pool's signal words, all of which the glossary of the prompt lists, so that wording alone decides
between premise and axiom and between strict and defeasible. Verbs stand in a form that fits one antecedent and many.

The tempting pools open with the look of the other kind and then say how it really is; the last word counts, and the
glossary says so.
"""

from __future__ import annotations

from typing import Final

PREMISE: Final = (
    "{x} is an ordinary premise.",
    "it is assumed that {x.c}.",
    "we suppose that {x.c}.",
    "{x} is accepted provisionally.",
    "reports have it that {x.c}.",
    "{x} is taken to be so, though open to challenge.",
    "it is presumed that {x.c}.",
    "one starting point, open to doubt, is {x}.",
)
TEMPTING_PREMISE: Final = (
    "many hold that {x} is certain, yet it stays open to challenge.",
    "{x} has been called an axiom, but it is merely assumed.",
    "it may sound settled that {x.c}, but this is open to doubt.",
    "{x} passes for undeniable, yet it is only accepted provisionally.",
    "some say that nobody can contest {x}; in truth it is just presumed.",
    "it looks as though {x.c} beyond dispute, but that is an ordinary premise.",
)
PREMISE_SIGNALS: Final = (
    "ordinary premise",
    "assumed",
    "suppose",
    "provisionally",
    "reports",
    "open to challenge",
    "presumed",
    "open to doubt",
)

AXIOM: Final = (
    "{x} is an axiom.",
    "it is certain that {x.c}.",
    "it is beyond dispute that {x.c}.",
    "{x} is settled for good.",
    "undeniably, {x.c}.",
    "nobody can contest {x}.",
    "one starting point, not open to challenge, is {x}.",
    "it is beyond doubt that {x.c}.",
)
TEMPTING_AXIOM: Final = (
    "{x} may sound merely assumed, yet it is beyond dispute.",
    "some call {x} an ordinary premise, but it is an axiom.",
    "{x} was once accepted provisionally; by now it is settled for good.",
    "it looks as though {x.c} on the strength of reports, but this is certain.",
    "many hold that {x} is open to doubt, yet nobody can contest it.",
    "{x} passes for something presumed, but it is beyond doubt.",
)
AXIOM_SIGNALS: Final = (
    "axiom",
    "certain",
    "beyond dispute",
    "settled for good",
    "undeniably",
    "nobody can contest",
    "not open to challenge",
    "beyond doubt",
)

DEFEASIBLE: Final = (
    "there is a defeasible rule from {A} to {x}.",
    "by default, {x} follows from {A}.",
    "normally, if {A.c}, then {x.c}.",
    "{x} can usually be concluded from {A}.",
    "from {A} one may presumptively infer {x}.",
    "as a rule of thumb, {A} will lead to {x}.",
    "{A} would ordinarily be a reason to accept {x}.",
    "given {A}, {x} is to be expected, barring exceptions.",
)
REBUTTING: Final = (
    "there is a defeasible rule from {A} against {y}.",
    "by default, {y} is rebutted by {A}.",
    "normally, if {A.c}, then this tells against {y}.",
    "given {A}, {y} can usually be rejected.",
    "from {A} one may presumptively infer that {y} is false.",
    "as a rule of thumb, {A} will speak against {y}.",
    "{A} would ordinarily be a reason to deny {y}.",
    "barring exceptions, {A} will count against {y}.",
)
TEMPTING_DEFEASIBLE: Final = (
    "{A} may seem always to bring {x}, but this holds by default only.",
    "from {A} to {x} looks like a strict step, yet one may take it only presumptively.",
    "some think that {x} follows from {A} of necessity; in truth it does so barring exceptions.",
    "if {A.c}, then {x.c}: that is often called a law, but it is a rule of thumb.",
    "it sounds as if {A} could never be had without {x}, but that is how things ordinarily are and no more.",
    "{x} passes for a necessary consequence of {A}, yet it can just usually be concluded.",
)
DEFEASIBLE_SIGNALS: Final = (
    "defeasible",
    "by default",
    "normally",
    "usually",
    "presumptively",
    "rule of thumb",
    "ordinarily",
    "barring exceptions",
)

STRICT: Final = (
    "there is a strict rule from {A} to {x}.",
    "{x} follows from {A} without exception.",
    "in every case, if {A.c}, then {x.c}.",
    "{x} is a necessary consequence of {A}.",
    "from {A} one can infallibly infer {x}.",
    "{A} will always bring {x}.",
    "by definition, {A} will amount to {x}.",
    "given {A}, {x} cannot fail.",
)
EXCLUDING: Final = (
    "there is a strict rule from {A} against {y}.",
    "{A} will without exception exclude {y}.",
    "in every case, if {A.c}, then this rules out {y}.",
    "it is a necessary consequence of {A} that {y} is false.",
    "from {A} one can infallibly infer that {y} is false.",
    "{A} will always rule out {y}.",
    "by definition, {A} will exclude {y}.",
    "given {A}, the rejection of {y} cannot fail.",
)
TEMPTING_STRICT: Final = (
    "{A} may seem only ordinarily to bring {x}, but this happens without exception.",
    "from {A} to {x} looks like a defeasible step, yet one can take it infallibly.",
    "some think that {x} follows from {A} by default; in truth it does so in every case.",
    "if {A.c}, then {x.c}: that is often called a rule of thumb, but it is so by definition.",
    "it sounds as if {x} could usually be had from {A}, but given this it cannot fail.",
    "{x} passes for what one would presumptively conclude from {A}, yet it is a necessary consequence.",
)
STRICT_SIGNALS: Final = (
    "strict",
    "without exception",
    "in every case",
    "necessary consequence",
    "infallibly",
    "always",
    "by definition",
    "cannot fail",
)

UNDERCUT: Final = (
    "there is a defeasible undercut from {A} against {r}.",
    "by default, {A} will block {r}.",
    "normally, if {A.c}, then {r} does not apply.",
    "given {A}, {r} is usually unavailable.",
    "{A} would ordinarily switch off {r}.",
    "as a rule of thumb, {A} will undercut {r}.",
    "barring exceptions, {A} will suspend {r}.",
    "from {A} one may presumptively infer that {r} does not apply.",
)
STRICT_UNDERCUT: Final = (
    "there is a strict undercut from {A} against {r}.",
    "{A} will always block {r}.",
    "in every case, if {A.c}, then {r} does not apply.",
    "given {A}, {r} is without exception unavailable.",
    "by definition, {A} will switch off {r}.",
    "from {A} one can infallibly infer that {r} does not apply.",
    "given {A}, the suspension of {r} cannot fail.",
    "it is a necessary consequence of {A} that {r} does not apply.",
)

PREMISE_PREFERENCE: Final = (
    "the premise {x} is preferred to the premise {y}.",
    "as a starting point, {x} outweighs {y}.",
    "between {x} and {y}, the stronger premise is {x}.",
    "as a starting point, {y} is weaker than {x}.",
    "the premise {x} carries more weight than {y}.",
    "of two premises, {y} ranks below {x}.",
    "we trust the premise {x} more than {y}.",
    "the premise {y} is less reliable than {x}.",
)
RULE_PREFERENCE: Final = (
    "{r} is preferred to {s}.",
    "{r} outweighs {s}.",
    "{r} is stronger than {s}.",
    "{s} is weaker than {r}.",
    "{r} carries more weight than {s}.",
    "{s} ranks below {r}.",
    "we trust {r} more than {s}.",
    "{s} is less reliable than {r}.",
)

NEGATION_NOUNS: Final = (
    "not {a}",
    "the negation of {a}",
    "the denial of {a}",
    "the opposite of {a}",
    "the falsity of {a}",
    "the contrary of {a}",
)
NEGATION_CLAUSES: Final = (
    "{a} does not hold",
    "{a} is false",
    "{a} is not the case",
    "{a} fails",
    "{a} is untrue",
    "{a} does not obtain",
)
AFFIRMATION_CLAUSES: Final = ("{a} holds", "{a} is true", "{a} is the case", "{a} obtains")

CONJUNCTION_NOUNS: Final = (
    "{first} and {rest}",
    "{first} together with {rest}",
    "{first} combined with {rest}",
    "{first} along with {rest}",
    "{first} in conjunction with {rest}",
    "{first} as well as {rest}",
)
CONJUNCTION_CLAUSES: Final = ("{first} and {rest}", "{first} and also {rest}", "{first} while {rest}")

STEPS: Final = ("the step", "the inference", "the move", "the passage")
"""What a rule that is referred to is called: ``the step from ko9 to mp0``."""
OBJECTION: Final = "the objection"
"""What an undercutting rule that is referred to is called: ``the objection from ko9 against the step ...``."""

OPENINGS: Final = ("on another point,", "to continue,", "further,", "on a related matter,", "besides,", "then again,")
CONNECTIVES: Final = ("moreover,", "also,", "next,", "in addition,", "at the same time,", "furthermore,")
