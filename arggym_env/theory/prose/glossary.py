"""How the wording maps to directives: what a reader must know to take a description at its word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arggym_env.theory.prose import pools


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


GLOSSARY: Final = f"""\
How to read the description. Names such as xy0 stand for themselves; "holds", "is true", "is the case" and "obtains" \
affirm a name; "not", "the negation / denial / opposite / falsity / contrary of", "does not hold", "is false", "is \
untrue", "is not the case", "does not obtain" and "fails" negate the one name they stand with (-xy0). Words that join \
names or clauses (and, together with, combined with, along with, in conjunction with, as well as, and also, while) \
make one rule with several antecedents. Every sentence is exactly one directive, and their order means nothing.
A sentence that puts something forward without saying what it follows from is a premise or an axiom. Ordinary premise: \
{_listed(pools.PREMISE_SIGNALS)}. Axiom: {_listed(pools.AXIOM_SIGNALS)}.
A sentence in which something follows from something is a rule, used in that direction only. Defeasible rule: \
{_listed(pools.DEFEASIBLE_SIGNALS)}. Strict rule: {_listed(pools.STRICT_SIGNALS)}.
If a sentence first says how something looks, sounds, was, is called or is held to be, and then how it is, the latter \
counts.
What follows may be put negatively: to speak, tell or count against xy0, to rebut, reject, deny, exclude or rule it \
out, or a rule "against xy0", is a rule that concludes -xy0. What follows may also be that a step does not apply, is \
unavailable, or is blocked, switched off, suspended or undercut: that is a rule, strict or defeasible by the same \
words, that concludes - and the name you give to that step.
"The step (inference, move, passage) from X to Y" refers to the rule with exactly these antecedents and this \
consequent, wherever it is stated; "the objection from X against ..." refers to the rule that undercuts what follows.
Preferences compare two premises or two steps. Preferred, outweighs, stronger, more weight, trust more: the one so \
described is the stronger side. Weaker, ranks below, less reliable: it is the weaker side."""
"""The paragraph of the prompt that says which words make which directive."""
