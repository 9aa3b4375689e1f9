"""Theories in which a target has one accepted derivation among defeated ones that read alike.

Every derivation is laid out alike: its length, the parts that it shares with others, and those that have a second
support, are drawn without regard to which one is accepted. Attacks fall on all of them, in proportion to what each adds
to the others, and their look is drawn before their fate (``contests``): a decoy differs in that one of them succeeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arggym_env.engine.semantics import Label
from arggym_env.envs.contests import Length, exchange, joint_attack_in_vain
from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.gates import require
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, undermine
from arggym_env.envs.stream import Stream
from arggym_env.theory import Theory

_LENGTH: Final = Length(1, 2)
"""Moves of an attack and its answers."""
_RATE: Final = 1.65
"""How densely a decoy is attacked, in terms of the derivation, which the rival and the set ordering attack too."""
_BY_LINK: Final = 0.6
"""Chance that the link principle decides an attack on a decoy, as it decides the rival's on the derivation."""
_STRICT: Final = 0.2
"""Chance that a decoy falls to a strict rule."""
_ANSWERED: Final = 0.7
"""Chance that a strict attack is attacked in vain."""
_SIDE: Final = 2
"""Rules on the longest path of a side line, at most."""


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
    """Inner conclusions, of the derivation or of a decoy, that have a second, dead support."""
    contests: int
    """Attacks in vain on the derivation, besides the one that the set ordering decides; decoys have their share."""
    reinstated: int
    """Those of them that succeed, but whose attackers are defeated."""
    size: int
    """Directives planned, preferences apart; distractors are added until there are as many."""
    mix: Mix

    @property
    def arguments(self) -> tuple[int, int]:
        """Fewest and most arguments of an accepted theory."""
        return self.size, self.size + self.size // 4


@dataclass(frozen=True, slots=True)
class _Part:
    """What one line adds to the derivations of the target."""

    top: Line
    own: Sequence[Line]
    """The steps that it adds and that can be attacked without bearing on all derivations."""


def draft_theory(level: Level, ordering: str, stream: Stream) -> tuple[Theory, str]:
    """Return a theory and its target; whether it is as planned, the engine decides."""
    draft = Draft(stream, ordering)
    target = draft.fresh_literal()
    tallest = stream.chance(0.55)
    chain = _derivation(draft, level, target, level.depth if tallest else max(3, level.depth - 1))
    derivations = [chain, _rival(draft, level, chain, tallest=not tallest)]
    # Parts are shared, and replaced, without regard to which derivation is the right one.
    for _ in range(level.decoys - 1):
        shared = [step for step in _steps(stream.choice(derivations)) if step.literal != target]
        height = stream.between(max(2, level.depth - 1), level.depth)
        derivations.append(_climb(draft, level, draft.premise(), target, height, shared))
    lines, replaced = list(derivations), (*derivations, *derivations, chain)
    for _ in range(level.inner):
        step = stream.choice([step for step in _steps(stream.choice(replaced))[1:] if step.rule is not None])
        below = [part for part in _steps(step) if part is not step]
        lines.append(_climb(draft, level, draft.premise(), step.literal, step.height, below))
    _contest(draft, level, _parts(lines))
    require(draft.size <= level.arguments[1], "size")
    while draft.size < level.size:
        _distractor(draft, level, chain)
    return draft.theory(), target


def _parts(lines: Sequence[Line]) -> list[_Part]:
    """Return what each line adds to the ones before it."""
    seen, parts = {lines[0]}, []
    for line in lines:
        added = [step for step in _steps(line) if step not in seen]
        seen.update(added)
        parts.append(_Part(line, [step for step in added if step.is_attackable and step.literal != lines[0].literal]))
    return parts


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


def _rival(draft: Draft, level: Level, chain: Line, *, tallest: bool) -> Line:
    """State a decoy that contradicts a step of the derivation; the link principle decides which of the two stands."""
    stream = draft.stream
    footholds = _footholds(_steps(chain)[1:])
    require(bool(footholds), "no_foothold")
    foothold = stream.choice(footholds)
    height = stream.between(2, max(2, min(foothold.height, level.depth - 1)))
    base = grow(draft, draft.premise(), height - 2, level.mix)
    rival = draft.defeasible([draft.defeasible([base])], contrary(foothold))
    _rank_by_link(draft, rival, foothold)
    above = {step for step in _steps(chain) if foothold in _steps(step)}
    shared = [step for step in _steps(chain) if step not in above]
    height = level.depth if tallest else stream.between(rival.height + 1, level.depth)
    return _climb(draft, level, rival, chain.literal, height, shared)


def _climb(draft: Draft, level: Level, line: Line, literal: str, height: int, shared: Sequence[Line]) -> Line:
    """Continue ``line`` up to ``height`` and ``literal``, joining one line of ``shared`` if there is one."""
    stream = draft.stream
    count = _rounded(stream, level.junctions * (height - line.height) / level.depth)
    junctions = stream.sample(range(line.height + 1, height + 1), min(height - line.height, max(count, 1)))
    for step in range(line.height + 1, height + 1):
        subs = [line]
        low_enough = [part for part in shared if part.height < step]
        if step in junctions and low_enough:
            subs.append(stream.choice(low_enough))
            shared = ()
        elif step in junctions:
            subs.append(grow(draft, ground(draft, level.mix), stream.between(0, min(_SIDE, step - 1)), level.mix))
        line = draft.step(subs, level.mix.strict, literal if step == height else None)
    return line


def _contest(draft: Draft, level: Level, parts: Sequence[_Part]) -> None:
    """Attack the right derivation in vain, and the decoys, for their length, as often, but each once with success."""
    stream = draft.stream
    chain, rival, *decoys = parts
    # The set ordering bears on one attack: elitist comparison stops one on the derivation, democratic lets one kill.
    dead = [rival]
    if draft.is_elitist:
        _joint_attack_in_vain(draft, level, chain)
        _joint_attack_in_vain(draft, level, _choose(stream, [part for part in parts[1:] if _low_rules(level, part)]))
    else:
        dead.append(_choose(stream, [decoy for decoy in decoys if _rules(decoy)]))
        _joint_attack(draft, dead[-1])
    for number in range(level.contests):
        _exchange(draft, chain, "in", sealed=number < level.reinstated)
    for part in parts[1:]:
        require(bool(part.own), "no_victim")
        count = _rounded(stream, _RATE * level.contests * len(part.own) / len(chain.own))
        # The link principle decides one attack on the rival already.
        if part is rival:
            count -= 1
        elif stream.chance(_BY_LINK):
            count -= _link_attack_in_vain(draft, part)
        _attack_decoy(draft, level, part, count, dead=part in dead)


def _attack_decoy(draft: Draft, level: Level, part: _Part, count: int, *, dead: bool) -> None:
    """Attack ``part`` ``count`` times, once with success; if it is ``dead`` already, always in vain."""
    stream = draft.stream
    if not dead and _rules(part) and stream.chance(_STRICT):
        _strict_attack(draft, level, part)
        count, dead = count - 1, True
    for number in range(count if dead else max(1, count)):
        fate: Label = "in" if dead or number else "out"
        _exchange(draft, part, fate, sealed=stream.chance(level.reinstated / level.contests))


def _choose(stream: Stream, parts: Sequence[_Part]) -> _Part:
    require(bool(parts), "no_victim")
    return stream.choice(parts)


def _rounded(stream: Stream, number: float) -> int:
    """Return a whole number next to ``number``, which it is on average."""
    return int(number) + stream.chance(number % 1)


def _rules(part: _Part) -> list[Line]:
    return [step for step in part.own if step.rule is not None]


def _low_rules(level: Level, part: _Part) -> list[Line]:
    return [step for step in _rules(part) if step.height < level.depth]


def _joint_attack_in_vain(draft: Draft, level: Level, part: _Part) -> None:
    joint_attack_in_vain(draft, draft.stream.choice(_low_rules(level, part)))


def _joint_attack(draft: Draft, part: _Part) -> None:
    """Defeat ``part`` by a joint attack, which is itself attacked in vain."""
    _, members = joint_attack(draft, draft.stream.choice(_rules(part)), [draft.premise(), draft.premise()])
    exchange(draft, draft.stream.choice(members), "in", _LENGTH)


def _link_attack_in_vain(draft: Draft, part: _Part) -> bool:
    """Attack ``part`` so that the link principle stops it; return False when there is no step to attack so."""
    footholds = _footholds(part.own)
    if footholds:
        attacker = draft.defeasible([draft.premise()])
        foothold = draft.stream.choice(footholds)
        _rank_by_link(draft, draft.defeasible([attacker], contrary(foothold)), foothold)
    return bool(footholds)


def _strict_attack(draft: Draft, level: Level, part: _Part) -> None:
    """Defeat ``part`` by a strict rule, whose conclusion cannot be rebutted back."""
    base = draft.defeasible([ground(draft, level.mix)])
    draft.strict([base], contrary(draft.stream.choice(_rules(part))))
    if draft.stream.chance(_ANSWERED):
        exchange(draft, base, "in", _LENGTH)


def _footholds(steps: Sequence[Line]) -> list[Line]:
    """Return the steps on which the link principles can be made to differ."""
    return [step for step in steps if step.is_attackable and len(step.rules) > 1 and step.premises]


def _rank_by_link(draft: Draft, weaker: Line, stronger: Line) -> None:
    """Rank two lines so that the other link principle ranks them the other way round."""
    ranked = draft.rank(weaker, stronger) and draft.rank(stronger, weaker, last_link=not draft.by_last_link)
    require(ranked, "unranked")


def _exchange(draft: Draft, part: _Part, label: Label, *, sealed: bool = False) -> None:
    """Attack ``part`` so that it ends as ``label``."""
    if any(step.rule is not None for step in part.own):
        exchange(draft, part.top, label, _LENGTH, victims=part.own, sealed=sealed)
    else:
        undermine(draft, draft.stream.choice(part.own), Outcome.WINS if label == "out" else Outcome.LOSES)


def _distractor(draft: Draft, level: Level, chain: Line) -> None:
    """State a line that does not bear on the target; it may build on the derivation or have a conflict of its own."""
    stream = draft.stream
    low_enough = [step for step in _steps(chain) if step is not chain and step.height < level.depth - 1]
    base = stream.choice(low_enough) if stream.chance(0.25) else ground(draft, level.mix)
    line = draft.defeasible([base])
    line = grow(draft, line, stream.between(0, max(0, min(2, level.depth - line.height))), level.mix)
    if line.is_attackable and stream.chance(0.6):
        rebut(draft, line, grow(draft, draft.premise(), stream.between(0, 1), level.mix), stream.choice(tuple(Outcome)))
