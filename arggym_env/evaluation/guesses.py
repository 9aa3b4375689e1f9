"""Random answers of the right form: what an agent says that knows the answer format and the names, and nothing else.

Names come from the theory or the question, labels and directives from a random stream; the gold is never looked at.
A constructive guess is legal by construction, except that its preferences may close a cycle, which is a tie.
"""

from __future__ import annotations

from typing import Final

from arggym_env.envs.constructive import ConstructiveTask
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import StatusQuestion
from arggym_env.envs.registry import get_task
from arggym_env.envs.semantics_query import SemanticsQuestion
from arggym_env.envs.stream import Stream
from arggym_env.envs.update import UpdateQuestion
from arggym_env.rewards.pairs import CLAIM_STATUSES
from arggym_env.theory import Axiom, DefeasibleRule, Premise, PremisePreference, RulePreference, Theory
from arggym_env.theory.literals import atom_of, negate

_FRESH_NAMES: Final = ("new1", "new2", "new3", "new4")


def guess(instance: Instance, stream: Stream) -> str:
    """Return a random answer to ``instance``, without answer tags."""
    theory, task = instance.theory, get_task(instance.task)
    if isinstance(task, ConstructiveTask):
        return _directives(theory, stream, rules=task.legality.defeasible_rules)
    match instance.question:
        case StatusQuestion(claims=claims):
            return "\n".join(f"{claim}: {stream.choice(CLAIM_STATUSES)}" for claim in claims)
        case SemanticsQuestion(queries=queries):
            return "\n".join(
                f"{query.claim} under {query.semantics}: {stream.choice(CLAIM_STATUSES)}" for query in queries
            )
        case UpdateQuestion():
            changed = [claim for claim in sorted(theory.occurring) if stream.chance(0.3)]
            return "\n".join(f"{claim}: {stream.choice(CLAIM_STATUSES)}" for claim in changed)
    match instance.task:
        case "claim_chain":
            steps = [d for d in theory.directives if not isinstance(d, RulePreference | PremisePreference)]
            return "\n".join(str(step) for step in steps if stream.chance(0.3))
        case "formalization":
            return "\n".join(str(stream.choice((Premise, Axiom))(atom)) for atom in theory.atoms)
        case _:
            return _diagnosis(theory, stream)


def _diagnosis(theory: Theory, stream: Stream) -> str:
    literals, rules = sorted(theory.occurring), [rule.name for rule in theory.rules]
    rebut = f"defeated_at: {stream.choice(literals)}; defeater: {stream.choice(rules)}; kind: rebut"
    return f"status: {stream.choice(('overruled', 'undecided'))}\n{rebut}"


def _directives(theory: Theory, stream: Stream, *, rules: bool) -> str:
    """Return one to four random directives: preferences, and rules to literals or against rules if they are allowed."""
    literals = sorted(theory.occurring)
    defeasible = [rule.name for rule in theory.defeasible_rules]
    about_atoms = [literal for literal in literals if atom_of(literal) not in theory.rule_names]
    consequents = [*map(negate, about_atoms), *(f"-{name}" for name in defeasible)]
    there = {(rule.antecedents, rule.consequent) for rule in theory.rules}
    lines = []
    for name in _FRESH_NAMES[: stream.between(1, len(_FRESH_NAMES))]:
        if rules and stream.chance(0.7):
            start = stream.choice(literals)
            end = stream.choice([c for c in consequents if c != start and ((start,), c) not in there])
            there.add(((start,), end))
            lines.append(str(DefeasibleRule(name, (start,), end)))
        elif len(theory.premises) > 1 and (len(defeasible) < 2 or stream.chance(0.3)):
            lines.append(str(PremisePreference(*stream.sample(theory.premises, 2))))
        elif len(defeasible) > 1:
            lines.append(str(RulePreference(*stream.sample(defeasible, 2))))
    return "\n".join(dict.fromkeys(lines))
