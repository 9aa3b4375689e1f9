"""Webs of disputes that share their ground: few premises carry many steps, and types of directives bear on statuses.

The first axiom has a contrary premise and some strict rule's conclusion a rebuttal: as an ordinary premise and as a
defeasible rule, they would tie with what contradicts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.motifs import Outcome, joint_attack, rebut, targets, undercut, undermine
from arggym_env.theory import Theory, negate

_LINES_PER_GROUND: Final = 7
"""A new premise or axiom is stated for every so many lines only: premises are a minority of the directives."""


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    queries: int
    """Claims whose status is given, a multiple of three."""
    size: int
    """Fewest arguments of the theory; disputes are added until there are as many."""
    conflicts: int
    """Fewest direct attacks."""
    depth: int
    """Rules on the longest path of an argument."""
    layers: int
    """How far attackers are attacked in turn."""
    alternatives: int
    """Steps whose conclusion gets a second line."""
    joints: int
    """Attacks by a strict rule over several defeasible lines, on which the set ordering bears."""
    tempting: float
    """Share of sentences that first give a premise, axiom or rule the look of its opposite kind."""
    axioms: int
    """Most axioms; none on the lowest levels, which have no strict rules either."""
    strict: float
    """Share of strict rules among the steps of lines and among undercuts."""
    junction: float
    """Chance that a step has a second antecedent."""
    undermining: bool = True
    """Whether premises are attacked by contrary premises; not where premises would be many of the few directives."""


class Web:
    """Disputes that share their ground."""

    def __init__(self, level: Level, draft: Draft) -> None:
        self._level = level
        self._draft = draft
        self._stream = draft.stream
        self._grounds: list[Line] = []
        self._axioms = 0
        self._lines: list[Line] = []
        self._kinds: list[str] = []
        self._undermined: set[str] = set()
        self._steps: set[tuple[str, str]] = set()

    def theory(self) -> Theory:
        """Add disputes until there are enough arguments, and return the theory."""
        level = self._level
        self._principle_dispute()
        alternatives, joints = level.alternatives, level.joints
        while self._draft.size < level.size - bool(level.axioms):
            line = self._line()
            self._lines.append(line)
            if joints:
                joints -= 1
                self._joint(line)
                continue
            if alternatives:
                alternatives -= 1
                self._alternative(line)
            self._contest(line, level.layers)
        self._challenge_strict_rule()
        return self._draft.theory()

    def _principle_dispute(self) -> None:
        """Start with the deepest line, and with an attack on it that the link principle decides.

        Both sides are premises under at least two defeasible rules: ranked by all of them, their last rules tie; ranked
        by their last rules, they tie as wholes.
        """
        draft = self._draft
        line = self._step([self._step([self._grow(self._ground(), self._level.depth - 2)])])
        self._lines.append(line)
        ground = draft.premise()
        self._grounds.append(ground)
        outcome = self._stream.choice((Outcome.WINS, Outcome.LOSES))
        self._lines.append(rebut(draft, line, self._step([ground]), outcome))

    def _ground(self, avoid: Sequence[str] = ()) -> Line:
        """Return where a line starts: if possible what carries another line, and has nothing to do with ``avoid``."""
        taken = {*avoid, *map(negate, avoid)}
        shared = [ground for ground in self._grounds if ground.literal not in taken]
        if shared and len(self._grounds) * _LINES_PER_GROUND > self._draft.size:
            return self._stream.choice(shared)
        is_axiom = len(self._grounds) >= 2 and self._axioms < self._level.axioms
        ground = self._draft.axiom() if is_axiom else self._draft.premise()
        self._grounds.append(ground)
        if is_axiom and not self._axioms:
            # The contrary of an axiom is overruled; of an ordinary premise, it would tie.
            self._draft.premise(negate(ground.literal))
        self._axioms += is_axiom
        return ground

    def _grow(self, base: Line, steps: int) -> Line:
        """Return ``base`` continued by ``steps`` rules to fresh conclusions."""
        for _ in range(steps):
            subs = [base]
            if self._stream.chance(self._level.junction):
                side = self._ground(base.premises)
                subs += [side] if side is not base else []
            base = self._step(subs, self._level.strict)
        return base

    def _step(self, subs: Sequence[Line], strict_share: float = 0.0) -> Line:
        """State a rule to a fresh conclusion."""
        line = self._draft.step(subs, strict_share)
        self._steps.add((subs[0].literal, line.literal))
        return line

    def _base(self, avoid: Sequence[str], steps: int, consequent: str) -> Line:
        """Return a line from which no other step leads to ``consequent``."""
        base = self._grow(self._ground(avoid), steps)
        if (base.literal, consequent) in self._steps:
            base = self._step([base])
        self._steps.add((base.literal, consequent))
        return base

    def _line(self) -> Line:
        """Return a new line, which often builds on an earlier one."""
        stream, depth = self._stream, self._level.depth
        short = [line for line in self._lines if line.height < depth and not self._draft.is_undercut(line)]
        base = stream.choice(short) if short and stream.chance(0.5) else self._ground()
        return self._grow(base, stream.between(1, depth - base.height))

    def _alternative(self, line: Line) -> None:
        """Give a step of ``line`` a second line, so that all that rests on the step has two arguments."""
        steps = [step for step in dict.fromkeys(line.steps()) if step.rule is not None]
        literal = self._stream.choice(steps).literal
        used = [step.literal for step in line.steps()]
        self._draft.defeasible([self._base(used, 0, literal)], literal)

    def _contest(self, line: Line, layers: int) -> None:
        """Attack ``line`` at some step, and the attacker in turn."""
        stream, draft = self._stream, self._draft
        kind, steps = self._attack_on(targets(line))
        if not steps:
            return
        target, length = stream.choice(steps), stream.between(0, self._level.depth // 3)
        outcome = stream.choice((Outcome.WINS, Outcome.WINS, Outcome.TIES, Outcome.LOSES))
        if kind == "undermine":
            self._undermined |= {target.literal, negate(target.literal)}
            attacker = undermine(draft, target, outcome)
        elif target.rule is not None and (kind == "undercut" or draft.is_undercut(target)):
            attacker = self._undercut(target, self._base(line.premises, length, "-" + target.rule.name))
        else:
            base = self._base((*line.premises, target.literal), length, negate(target.literal))
            attacker = rebut(draft, target, base, outcome)
        if layers > 1 and stream.chance(0.7):
            self._contest(attacker, layers - 1)

    def _challenge_strict_rule(self) -> None:
        """Contradict what a strict rule concludes, which no rebuttal can reach; of a defeasible rule, one would tie."""
        steps = dict.fromkeys(step for line in self._lines for step in line.steps() if step.rule and step.rules)
        strict = [step for step in steps if not step.is_attackable and not self._draft.is_undercut(step)]
        if strict:
            step = self._stream.choice(sorted(strict, key=lambda step: step.height)[:2])
            literal = negate(step.literal)
            self._draft.defeasible([self._base((*step.premises, step.literal), 0, literal)], literal)

    def _attack_on(self, steps: Sequence[Line]) -> tuple[str, list[Line]]:
        """Return the next kind of attack and the steps that it can go at."""
        kind = self._kind()
        premises = [step for step in steps if step.rule is None and step.literal not in self._undermined]
        derived = [step for step in steps if step.rule is not None]
        if kind == "undermine" and premises:
            return kind, premises
        return ("rebut" if kind == "undermine" else kind), derived or premises

    def _kind(self) -> str:
        """Return the next kind of attack: all kinds come round before one is repeated out of turn."""
        if not self._kinds:
            last = "undermine" if self._level.undermining else "rebut"
            self._kinds = self._stream.shuffled(("rebut", "rebut", "rebut", "undercut", "undercut", last))
        return self._kinds.pop()

    def _undercut(self, target: Line, base: Line) -> Line:
        """Switch off the rule that ``target`` ends in; the rule that does so may be strict."""
        if target.rule is not None and self._stream.chance(self._level.strict):
            return self._draft.strict([base], "-" + target.rule.name)
        return undercut(self._draft, target, base)

    def _joint(self, line: Line) -> None:
        """Add an attack on which the set ordering bears; its target may strike back at one of the attacker's members.

        Where the attack fails (elitist), both sides would stand without that answer and contradict each other.
        """
        steps = [step for step in targets(line) if step.rule is not None and step.height < self._level.depth]
        if not steps:
            return
        target = self._stream.choice(steps)
        bases = [self._ground(target.premises) for _ in range(2)]
        _, members = joint_attack(self._draft, target, bases)
        if self._draft.is_elitist or self._stream.chance(0.5):
            undercut(self._draft, self._stream.choice(members), target)
