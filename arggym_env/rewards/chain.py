"""The contract of claim_chain: the directives of one derivation, each after what it rests on (paper appendix B).

With n submitted lines, G the directives of the derivation and M those of G that were submitted, precision is |M|/n and
recall |M|/|G|; their harmonic mean is multiplied by q, the share of submitted rules that come after all their
antecedents (1 when no rule is submitted). What the paper leaves open is settled here and in spec section 6:

* directives are compared as what they state, rule names included; the order of a rule's antecedents says nothing;
* a repeated directive matches once and counts in n each time; so does every repeated rule in q's denominator;
* a line that cannot be read counts in n and matches nothing; it is no rule, so q does not see it;
* an antecedent is there when an earlier line states it as premise or axiom or is a rule that concludes it, whether or
  not that line belongs to the derivation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from arggym_env.errors import TheoryError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.detail import shown_entries
from arggym_env.rewards.pairs import pair_f1
from arggym_env.rewards.score import JsonValue, Reason, Score
from arggym_env.theory import Axiom, DefeasibleRule, Directive, Premise, StrictRule, parse_directive
from arggym_env.theory.typography import content_lines


@dataclass(frozen=True, slots=True)
class Chain:
    """What an answer says.

    Attributes:
        directives: the readable lines in the order written, repeated ones included, in :func:`statement`'s spelling.
        unreadable: the lines that cannot be read, in the order written.
    """

    directives: tuple[Directive, ...]
    unreadable: tuple[str, ...]

    def __len__(self) -> int:
        """Return n: all lines, readable or not."""
        return len(self.directives) + len(self.unreadable)


def statement(directive: Directive) -> Directive:
    """Return ``directive`` in the spelling that all directives share that state the same: antecedents sorted."""
    if isinstance(directive, StrictRule | DefeasibleRule):
        return replace(directive, antecedents=tuple(sorted(directive.antecedents)))
    return directive


def read_chain(text: str) -> Chain:
    """Return what the content lines of ``text`` say, each of which should be one directive."""
    directives: list[Directive] = []
    unreadable: list[str] = []
    for line in content_lines(text):
        try:
            directives.append(statement(parse_directive(line.text)))
        except TheoryError:
            unreadable.append(line.text)
    return Chain(tuple(directives), tuple(unreadable))


def rules_out_of_order(directives: Iterable[Directive]) -> list[Directive]:
    """Return the rules of which some antecedent is not there yet where they stand, in the order written."""
    established: set[str] = set()
    misplaced: list[Directive] = []
    for directive in directives:
        match directive:
            case Premise(literal) | Axiom(literal):
                established.add(literal)
            case StrictRule(_, antecedents, consequent) | DefeasibleRule(_, antecedents, consequent):
                if not established.issuperset(antecedents):
                    misplaced.append(directive)
                established.add(consequent)
    return misplaced


def score_chain(gold: Sequence[Directive], answer: str) -> Score:
    """Return the score of a submitted derivation.

    Success requires exactly the gold directives, each once, every rule after all its antecedents.

    Args:
        gold: the directives of the derivation, each once, in any order.
        answer: the text of the answer region.
    """
    chain = read_chain(answer)
    if not len(chain):
        return Score(0.0, False, False, Reason.EMPTY_ANSWER)
    wanted = dict.fromkeys(map(statement, gold))
    said = dict.fromkeys(chain.directives)
    matched = sum(directive in said for directive in wanted)
    rules = sum(isinstance(directive, StrictRule | DefeasibleRule) for directive in chain.directives)
    misplaced = rules_out_of_order(chain.directives)
    order = (rules - len(misplaced)) / rules if rules else 1.0
    success = matched == len(chain) == len(wanted) and not misplaced
    mistaken = Reason.WRONG if said else Reason.UNREADABLE
    detail = _detail(wanted, chain, misplaced)
    return Score(
        pair_f1(matched, len(chain), len(wanted)) * order,
        success,
        True,
        Reason.CORRECT if success else mistaken,
        FrozenMap({**detail, "order": order}),
    )


def _detail(wanted: dict[Directive, None], chain: Chain, misplaced: list[Directive]) -> dict[str, JsonValue]:
    """Return the lines for reports; what does not belong to the derivation is cut to a bounded number of entries."""
    said: dict[Directive, int] = {}
    for directive in chain.directives:
        said[directive] = said.get(directive, 0) + 1
    return {
        "matched": shown_entries((str(directive) for directive in wanted if directive in said), len(wanted)),
        "missing": shown_entries((str(directive) for directive in wanted if directive not in said), len(wanted)),
        "extra": shown_entries(str(directive) for directive in said if directive not in wanted),
        "repeated": shown_entries(str(directive) for directive, times in said.items() if times > 1),
        "out_of_order": shown_entries(map(str, misplaced)),
        "unreadable": shown_entries(chain.unreadable),
        "submitted": len(chain),
    }
