"""The sentences that prompts share: the language, arguments, defeat, the ordering, and the answer region.

A prompt states every rule that the engine and the scorer apply to it, so that someone who has never read about
argumentation can work the answer out from the prompt alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arggym_env.theory import Theory

LANGUAGE: Final = """\
How to read it. A literal is a name, or - and a name; x and -x are each other's negation. [premise: x] states x as an \
ordinary premise, which can be attacked; [axiom: x] states x beyond attack. [strict r: a AND b -> c] is a rule named r \
without exceptions; [defeasible r: a AND b => c] is a rule that holds unless it is attacked. Rules are used only in \
the direction written. An argument is a premise or axiom, or a rule applied to arguments for all its antecedents; it \
concludes what its last rule concludes. A rule is not applied to an argument that contains the rule's conclusion \
already."""

_ATTACK: Final = """\
Attacks. An argument B attacks an argument A at a part of A (A itself or an argument it is built from), in three ways. \
Undermining: the part is an ordinary premise x and B concludes its negation. Rebutting: the part's last rule is \
defeasible and B concludes the negation of the part's conclusion; a part whose last rule is strict cannot be rebutted. \
Undercutting: the part's last rule is a defeasible rule named r and B concludes -r, which switches r off. \
An undercut always succeeds as a defeat; the other two succeed unless B is weaker than the attacked part."""

_PREFERENCE: Final = """\
Strength. [prefer_rule: r > s] says that defeasible rule s is less preferred than r, [prefer_premise: x > y] the same \
of ordinary premises. Preferences compose (r > s and s > t give r > t); two that are preferred over each other, \
directly or through others, are tied, and neither is less preferred; what is not related is not less preferred."""

_SET_ORDERING: Final = {
    "elitist": """\
A set S is weaker than a set T when some member of S is less preferred than every member of T""",
    "democratic": """\
A set S is weaker than a set T when every member of S is less preferred than some member of T""",
}
_EMPTY_SETS: Final = """\
; an empty S is never weaker, and a non-empty S is weaker than an empty T."""

_LINK_PRINCIPLE: Final = {
    "last-link": """\
Last-link: the last defeasible rules of an argument are its last rule if that is defeasible, and otherwise the last \
defeasible rules of all the arguments its last, strict rule is applied to; a premise has none. B is weaker than A when \
the set of B's last defeasible rules is weaker than the set of A's; if neither has any, when the set of B's ordinary \
premises is weaker than the set of A's.""",
    "weakest-link": """\
Weakest-link: consider all ordinary premises and all defeasible rules used anywhere in an argument. If neither \
argument uses a defeasible rule, B is weaker than A when B's set of premises is weaker than A's. Otherwise, if neither \
uses an ordinary premise, B is weaker when B's set of rules is weaker than A's. In all other cases B is weaker only \
when both its set of premises and its set of rules are weaker than A's.""",
}

_GROUNDED: Final = """\
Acceptance (grounded semantics). Accept every argument that no argument defeats. An argument that an accepted argument \
defeats is rejected. Then accept every argument all of whose defeaters are rejected, and repeat until nothing changes. \
An argument defeated at a part is defeated as a whole."""

_STATUSES: Final = """\
Status of a claim. justified: some argument for it is accepted. overruled: every argument for it is rejected, or there \
is no argument for it. undecided: neither."""


_EXTENSIONS: Final = """\
Semantics. A semantics says which sets of arguments, called extensions, can be accepted together. A set defeats an \
argument when one of its members does. A set is complete when no member defeats a member, and when the set contains \
exactly those arguments all of whose defeaters it defeats (an argument that nothing defeats is one of them). An \
argument defeated at a part is defeated as a whole."""

_SEMANTICS: Final = {
    "grounded": """\
- grounded: the one extension is the smallest complete set. It is found by accepting every argument that nothing \
defeats, then every argument all of whose defeaters are defeated by accepted ones, and so on until nothing changes.""",
    "preferred": """\
- preferred (credulous or sceptical): the extensions are the complete sets that are not part of a larger complete \
set.""",
    "stable": """\
- stable: the extensions are the complete sets that defeat every argument outside them. There may be none.""",
    "eager": """\
- eager: the range of a set is its members together with all arguments that it defeats. A complete set is semi-stable \
when no other complete set has a range that contains its range and more. The one eager extension is the largest \
complete set whose members all belong to every semi-stable set.""",
}

_STATUSES_UNDER: Final = """\
Status of a claim under a semantics. justified: every extension contains an argument for the claim, not necessarily \
the same one{credulous}. overruled: the claim is not justified, and every extension defeats every argument for it \
(also when there is no argument for it). undecided: neither."""
_CREDULOUS: Final = "; under credulous preferred semantics, some extension contains one"
_NO_STABLE: Final = """ \
If there is no stable extension, the status of every claim under stable semantics is: no stable extension."""


def ordering_rules(ordering: str) -> str:
    """Return how the ordering compares an attacker with what it attacks."""
    principle, lift = ordering.split()
    return f"{_PREFERENCE} {_SET_ORDERING[lift]}{_EMPTY_SETS} {_LINK_PRINCIPLE[principle]}"


def theory_section(theory: Theory, ordering: str) -> str:
    """Return the opening of a prompt under grounded semantics: the theory and how its claims get their statuses."""
    return "\n\n".join((defeat_section(theory, ordering, "under grounded semantics "), _GROUNDED, _STATUSES))


def defeat_section(theory: Theory, ordering: str, semantics: str = "") -> str:
    """Return the opening of a prompt up to which arguments defeat which; what is accepted is left to the task.

    Args:
        theory: what the question is about.
        ordering: one of the four orderings.
        semantics: words that name the semantics, with a blank behind; none when the prompt names several later.
    """
    return "\n\n".join(
        (
            f"Below is a defeasible argumentation theory in the style of ASPIC+. It is evaluated {semantics}"
            f"with the {ordering} preference ordering.",
            str(theory),
            LANGUAGE,
            _ATTACK,
            ordering_rules(ordering),
        )
    )


def evaluation_section(ordering: str) -> str:
    """Return how any theory is read and evaluated under grounded semantics, for prompts that do not show the theory."""
    return "\n\n".join((LANGUAGE, _ATTACK, ordering_rules(ordering), _GROUNDED, _STATUSES))


def semantics_section(asked: Sequence[str]) -> str:
    """Return the definitions of the semantics in ``asked``, and of grounded semantics in any case."""
    words = {word for name in asked for word in name.split()} | {"grounded"}
    lines = [_EXTENSIONS, *(text for name, text in _SEMANTICS.items() if name in words)]
    statuses = _STATUSES_UNDER.format(credulous=_CREDULOUS if "credulous" in words else "")
    return "\n".join(lines) + "\n\n" + statuses + (_NO_STABLE if "stable" in words else "")


def answer_region(lines: str) -> str:
    """Return the closing of a prompt: where the answer stands and what its lines look like."""
    return (
        f"{lines}\n\n"
        "Think as long as you need, then write the answer once, between <answer> and </answer>, with nothing but "
        "answer lines inside. Only the last complete <answer> ... </answer> that follows your thinking counts; blank "
        "lines, list bullets and code fences inside it are ignored."
    )
