"""claim_chain: which derivation makes this claim justified (paper appendix A.3)?

The target t is justified by exactly one accepted argument, a derivation that branches where a rule has several
antecedents. *Decoys* are other derivations of t: some end in another rule for t, some only replace a part of the right
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
from arggym_env.envs.contests import decisive_attack, defeated_attack, joint_attack_in_vain, vain_attack, weak_attack
from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.gates import require, require_active, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, targets
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


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    depth: int
    """Rules on the longest path of an argument, at least 3."""
    junctions: int
    """Steps of the derivation that join a side line."""
    decoys: int
    """Other rules for the target; one of them is the rival's."""
    inner: int
    """Inner conclusions of the derivation that have a second, dead support."""
    contests: int
    """Most attacks in vain on the derivation, and on each decoy, besides those that follow."""
    reinstated: int
    """Attacks on the derivation that succeed, but whose attackers are defeated."""
    size: int
    """Directives planned, preferences apart; distractors are added until there are as many."""
    mix: Mix

    @property
    def arguments(self) -> tuple[int, int]:
        """Fewest and most arguments of an accepted theory."""
        return self.size, self.size + self.size // 4


LEVELS: Final = (
    Level(3, 1, 2, 1, 1, 0, 38, Mix(strict=0.10, junction=0.10)),
    Level(3, 1, 2, 1, 1, 0, 43, Mix(strict=0.10, junction=0.10)),
    Level(4, 1, 2, 1, 1, 1, 48, Mix(strict=0.15, junction=0.10)),
    Level(4, 2, 2, 1, 1, 1, 57, Mix(strict=0.15, junction=0.15)),
    Level(4, 2, 2, 1, 1, 1, 62, Mix(strict=0.15, junction=0.15)),
    Level(5, 2, 2, 2, 1, 1, 67, Mix(strict=0.15, junction=0.15)),
    Level(5, 3, 2, 2, 1, 2, 76, Mix(strict=0.20, junction=0.20)),
    Level(5, 3, 3, 2, 1, 2, 81, Mix(strict=0.20, junction=0.20)),
    Level(6, 3, 3, 2, 2, 2, 86, Mix(strict=0.20, junction=0.20)),
    Level(6, 3, 3, 2, 2, 2, 90, Mix(strict=0.20, junction=0.25)),
    Level(6, 4, 3, 2, 2, 3, 97, Mix(strict=0.20, junction=0.25)),
    Level(6, 4, 3, 2, 2, 3, 101, Mix(strict=0.20, junction=0.25)),
    Level(7, 4, 3, 2, 2, 4, 107, Mix(strict=0.25, junction=0.25)),
    Level(7, 5, 4, 2, 2, 4, 116, Mix(strict=0.25, junction=0.25)),
    Level(8, 5, 4, 2, 2, 5, 120, Mix(strict=0.25, junction=0.25)),
)

_SIDE: Final = 2
"""Rules on the longest path of a side line, at most."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and a target that pass the gates; raise Rejected otherwise."""
    theory, target = _theory(level, ordering, stream)
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


def _theory(level: Level, ordering: str, stream: Stream) -> tuple[Theory, str]:
    draft = Draft(stream, ordering)
    target = draft.fresh_literal()
    tallest = stream.chance(0.5)
    chain = _derivation(draft, level, target, level.depth if tallest else max(3, level.depth - 1))
    inner = [step for step in _steps(chain) if step is not chain and step.rule is not None]
    # The set ordering bears on one attack: elitist comparison stops one on the derivation, democratic lets one kill.
    joint = None if draft.is_elitist else stream.below(level.decoys - 1)
    _rival(draft, level, chain, tallest=not tallest)
    for number in range(level.decoys - 1):
        shared = [step for step in _steps(chain) if step is not chain]
        height = stream.between(max(2, level.depth - 1), level.depth)
        _decoy(draft, level, target, height, shared, joint=number == joint)
    for step in stream.sample(inner, level.inner):
        below = [part for part in _steps(step) if part is not step]
        _decoy(draft, level, step.literal, stream.between(1, step.height), below, joint=False)
    _contest(draft, level, chain)
    while draft.size < level.size:
        _distractor(draft, level, chain)
    return draft.theory(), target


def _steps(line: Line) -> list[Line]:
    """Return the different lines that ``line`` is made of, itself first."""
    return list(dict.fromkeys(line.steps()))


def _derivation(draft: Draft, level: Level, target: str, height: int) -> Line:
    """Return a branching line for ``target``; its first two steps are defeasible, which gives the rival a foothold."""
    stream = draft.stream
    junctions = stream.sample(range(height), min(height, level.junctions))
    line = draft.premise()
    for step in range(height):
        subs = [line]
        if step in junctions:
            subs.append(grow(draft, ground(draft, level.mix), stream.between(0, min(_SIDE, step)), level.mix))
        strict = 0.0 if step < 2 else level.mix.strict
        line = draft.step(subs, strict, target if step == height - 1 else None)
    return line


def _rival(draft: Draft, level: Level, chain: Line, *, tallest: bool) -> None:
    """State a decoy that contradicts a step of the derivation; the link principle decides which of the two stands."""
    stream = draft.stream
    footholds = [step for step in targets(chain) if step is not chain and len(step.rules) > 1 and step.premises]
    require(bool(footholds), "no_foothold")
    foothold = stream.choice(footholds)
    height = stream.between(2, max(2, min(foothold.height, level.depth - 1)))
    base = grow(draft, draft.premise(), height - 2, level.mix)
    rival = draft.defeasible([draft.defeasible([base])], contrary(foothold))
    ranked = draft.rank(rival, foothold) and draft.rank(foothold, rival, last_link=not draft.by_last_link)
    require(ranked, "rival_unranked")
    above = {step for step in _steps(chain) if foothold in _steps(step)}
    shared = [step for step in _steps(chain) if step not in above]
    height = level.depth if tallest else stream.between(rival.height + 1, level.depth)
    _climb(draft, level, rival, chain.literal, height, shared)


def _climb(draft: Draft, level: Level, line: Line, literal: str, height: int, shared: Sequence[Line]) -> list[Line]:
    """Continue ``line`` up to ``height`` and ``literal``, joining one line of ``shared`` if there is one.

    Returns:
        The steps stated, ``line`` first.
    """
    stream = draft.stream
    steps = [line]
    join = stream.between(line.height + 1, height)
    for step in range(line.height + 1, height + 1):
        subs = [steps[-1]]
        low_enough = [part for part in shared if part.height < step]
        if step == join and low_enough:
            subs.append(stream.choice(low_enough))
        elif stream.chance(level.junctions / (2 * level.depth)):
            subs.append(grow(draft, ground(draft, level.mix), stream.between(0, min(1, step - 1)), level.mix))
        steps.append(draft.step(subs, level.mix.strict, literal if step == height else None))
    return steps


def _decoy(draft: Draft, level: Level, literal: str, height: int, shared: Sequence[Line], *, joint: bool) -> None:
    """State another derivation of ``literal`` that shares a line with the right one, and kill a step of its own."""
    stream = draft.stream
    steps = _climb(draft, level, draft.premise(), literal, height, shared)
    # Whatever contradicts the last conclusion would bear on the right derivation too.
    own = [step for step in steps if step.is_attackable and step.literal != literal]
    if joint:
        own = [step for step in own if step.rule is not None]
    require(bool(own), "no_victim")
    victim = stream.choice(own)
    if joint:
        joint_attack(draft, victim, [draft.premise(), draft.premise()])
    else:
        attacker = decisive_attack(draft, victim, level.mix)
        if attacker.is_attackable and level.contests > 1 and stream.chance(0.4):
            vain_attack(draft, attacker, level.mix)
    for _ in range(stream.between(0, level.contests)):
        vain_attack(draft, stream.choice(own), level.mix)


def _contest(draft: Draft, level: Level, chain: Line) -> None:
    """Attack the right derivation in vain."""
    stream = draft.stream
    open_steps = targets(chain)
    rules = [step for step in open_steps if step.rule is not None]
    if draft.is_elitist:
        joint_attack_in_vain(draft, stream.choice([step for step in rules if step.height < level.depth]))
    for _ in range(stream.between(0 if draft.is_elitist else 1, level.contests)):
        weak_attack(draft, stream.choice(open_steps), level.mix)
    for _ in range(level.reinstated):
        defeated_attack(draft, stream.choice(rules), level.mix)


def _distractor(draft: Draft, level: Level, chain: Line) -> None:
    """State a line that does not bear on the target; it may build on the derivation or have a conflict of its own."""
    stream = draft.stream
    low_enough = [step for step in _steps(chain) if step is not chain and step.height < level.depth - 1]
    base = stream.choice(low_enough) if stream.chance(0.25) else ground(draft, level.mix)
    line = draft.defeasible([base])
    line = grow(draft, line, stream.between(0, max(0, min(2, level.depth - line.height))), level.mix)
    if line.is_attackable and stream.chance(0.6):
        rebut(draft, line, grow(draft, draft.premise(), stream.between(0, 1), level.mix), stream.choice(tuple(Outcome)))


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
        last = [rule for rule in theory.rules if rule.consequent == target]
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
