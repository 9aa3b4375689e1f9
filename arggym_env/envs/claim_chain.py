"""claim_chain: which derivation makes this claim justified (paper appendix A.3)?

The target t is justified by exactly one accepted argument, a derivation that branches where a rule has several
antecedents. *Decoys* are other derivations of t: some end in another rule for t, some only replace a part of another
derivation, and they share parts with it and with each other. Each decoy is dead: one of its steps is undermined,
rebutted or undercut by something that the ordering lets succeed. The right derivation is attacked as often, but its
attackers are weaker under the ordering or are themselves defeated (reinstatement). One decoy is the *rival*: it holds
the negation of a step of the right derivation, and preferences make the one win under last-link and the other under
weakest-link.

Hard because every derivation of t reads alike: which one stands depends on the status of each of its parts, and so on
all attacks on it, on their attackers in turn, and on strength under the stated ordering. Whoever follows the first rule
for each literal upwards ends in a decoy more often than not.

The answer is the directives of the derivation, one a line, each once, every rule after its antecedents. The native
score is the F1 of the directives times the share of rules in order: directives of decoys, of attackers and defenders,
preferences, repeated and unreadable lines cost precision, missing ones recall, rules before their antecedents order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, Argument, State, evaluate_once
from arggym_env.envs import wording
from arggym_env.envs.battery import theory_blind
from arggym_env.envs.derivations import Level, draft_theory
from arggym_env.envs.gates import require, require_active, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Mix
from arggym_env.envs.question import Question, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Task
from arggym_env.rewards.chain import read_chain, score_chain
from arggym_env.rewards.score import Score
from arggym_env.theory import Axiom, Directive, Premise, Theory


@dataclass(frozen=True, slots=True)
class ChainQuestion(Question):
    """Which derivation justifies this claim?"""

    target: str


LEVELS: Final = (
    Level(3, 1, 2, 1, 1, 0, 42, Mix(strict=0.10, junction=0.10)),
    Level(3, 1, 2, 1, 1, 0, 47, Mix(strict=0.10, junction=0.10)),
    Level(4, 1, 2, 1, 2, 1, 53, Mix(strict=0.15, junction=0.10)),
    Level(4, 2, 2, 1, 2, 1, 62, Mix(strict=0.15, junction=0.15)),
    Level(4, 2, 2, 1, 2, 1, 68, Mix(strict=0.15, junction=0.15)),
    Level(5, 2, 2, 2, 2, 1, 74, Mix(strict=0.15, junction=0.15)),
    Level(5, 2, 2, 2, 2, 1, 82, Mix(strict=0.20, junction=0.15)),
    Level(5, 2, 3, 2, 2, 1, 88, Mix(strict=0.20, junction=0.15)),
    Level(6, 2, 3, 2, 2, 2, 93, Mix(strict=0.20, junction=0.15)),
    Level(6, 2, 3, 2, 2, 2, 99, Mix(strict=0.20, junction=0.20)),
    Level(6, 3, 4, 2, 2, 2, 102, Mix(strict=0.20, junction=0.20)),
    Level(6, 3, 4, 2, 2, 2, 107, Mix(strict=0.20, junction=0.20)),
    Level(7, 3, 4, 2, 2, 2, 114, Mix(strict=0.25, junction=0.20)),
    Level(7, 3, 4, 2, 2, 2, 116, Mix(strict=0.25, junction=0.20)),
    Level(8, 3, 4, 2, 2, 2, 120, Mix(strict=0.25, junction=0.20)),
)


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and a target that pass the gates; raise Rejected otherwise."""
    theory, target = draft_theory(level, ordering, stream)
    state = evaluate_once(theory, ordering)
    low, high = level.arguments
    require(low <= state.argument_count <= high, "size")
    require(state.depth == level.depth, "depth")
    require(state.is_consistent, "inconsistent")
    derivations = state.arguments_for(target)
    accepted = accepted_derivations(state, target)
    require(len(accepted) == 1, "no_derivation" if not accepted else "several_derivations")
    dead = sum(state.label(argument) == "out" for argument in derivations)
    require(dead == len(derivations) - 1 >= level.decoys + level.inner, "decoy_alive")
    require_active(state)
    others = [accepted_derivations(state.under(other), target) for other in switched(ordering)]
    require(others[0] != accepted, "derivation_inert")
    support = derivation_directives(accepted[0])
    return Candidate(
        theory,
        ChainQuestion(target),
        "\n".join(map(str, support)),
        stats={
            "chain": len(support),
            "decoys": dead,
            "contested": contests(state, accepted[0]),
            "principle_gives_other_derivation": int(bool(others[0])),
            "lift_changes_derivation": int(others[1] != accepted),
        },
    )


def accepted_derivations(state: State, target: str) -> list[Argument]:
    """Return the arguments for ``target`` in the grounded extension."""
    return [argument for argument in state.arguments_for(target) if state.label(argument) == "in"]


def derivation_directives(argument: Argument) -> list[Directive]:
    """Return the premises, axioms and rules that ``argument`` is built from, each once, after what it rests on."""
    return list(dict.fromkeys(_support(argument)))


def _support(argument: Argument) -> Iterator[Directive]:
    for part in argument.subarguments:
        yield from _support(part)
    if argument.top_rule is not None:
        yield argument.top_rule
    else:
        yield (Premise if argument.ordinary_premises else Axiom)(argument.conclusion)


def contests(state: State, argument: Argument) -> int:
    """Return how many arguments attack ``argument``, on itself or on a sub-argument."""
    return sum(attacked == argument for _, attacked in state.attack_pairs)


def prompt(theory: Theory, target: str, ordering: str) -> str:
    """Return the question in words."""
    return "\n\n".join(
        (
            wording.theory_section(theory, ordering),
            f"The claim {target} is justified, and exactly one argument for it is accepted. Write all directives that "
            "this argument is built from: every ordinary premise, axiom and rule that it uses, down to the premises "
            "and axioms that it starts from, and nothing else. Preferences, and what attacks or defends the argument, "
            "do not belong to it.",
            wording.answer_region(
                "Answer with one directive per line, copied from the theory. Each directive stands there once, even "
                "if the argument uses it several times. Every rule stands after its antecedents: for each "
                "antecedent, an earlier line of the answer is the premise or axiom that states it or a rule that "
                "concludes it; any such order will do. Lines are compared by what they state, the rule's name "
                "included; the order of a rule's antecedents does not matter. Your score compares your lines with "
                "the right ones and is multiplied by the share of your rules that stand after their antecedents: a "
                "missing directive, one that does not belong there, a repeated line, a line that cannot be read and "
                "a rule that stands too early each lower it, and the answer is right only when exactly the right "
                "directives are there, each once, in such an order."
            ),
        )
    )


class ClaimChain(Task):
    """The claim_chain task."""

    name = "claim_chain"
    summary = "recover the one accepted derivation of a justified claim"
    question_type = ChainQuestion
    levels = LEVELS

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory whose target has one accepted derivation among defeated ones."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        return prompt(theory, expect(ChainQuestion, question).target, ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return content F1 times order; nothing is executed, so engine and limit do not matter."""
        return score_chain(read_chain(instance.reference).directives, answer)

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the policies that copy the theory or a kind of directive, in the best order that they can have."""
        theory = instance.theory
        target = expect(ChainQuestion, instance.question).target
        knowledge = [directive for directive in theory.directives if isinstance(directive, Premise | Axiom)]
        last = theory.rules_for(target)
        steps = [*knowledge, *in_order(theory)]
        return {
            **theory_blind(instance),
            "premises_and_axioms": _lines(knowledge),
            "every_rule": _lines(theory.rules),
            "every_step": _lines([*knowledge, *theory.rules]),
            "every_step_in_order": _lines(steps),
            "last_steps": _lines(last),
            "premises_and_last_steps": _lines([*knowledge, *last]),
        }


def in_order(theory: Theory) -> list[Directive]:
    """Return the rules, each after all rules that conclude one of its antecedents as far as cycles permit."""
    pending, placed = list(theory.rules), []
    known = {*theory.premises, *theory.axioms}
    while pending:
        ready = [rule for rule in pending if known.issuperset(rule.antecedents)] or pending
        placed += ready
        known.update(rule.consequent for rule in ready)
        pending = [rule for rule in pending if rule not in ready]
    return [*placed]


def _lines(directives: Sequence[Directive]) -> str:
    return "\n".join(map(str, directives))


TASK: Final = ClaimChain()
