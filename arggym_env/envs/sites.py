"""Theories with sites: lines that an update is planned to turn, what hangs on them, and what does not.

A draft holds both the theory before and the theory after the update: what the update adds is stated in it too, and
left out of the theory that the question shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from arggym_env.envs.contests import decisive_attack, joint_attack_in_vain, vain_attack, weak_attack
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import require
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, settle, targets, undercut
from arggym_env.envs.stream import Stream
from arggym_env.envs.update import Preference, UpdateQuestion, preferences_naming
from arggym_env.theory import Axiom, Directive, Premise, PremisePreference, RulePreference, Theory


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a theory with sites is.

    Attributes:
        sites: lines whose acceptance the update is planned to turn.
        idle: parts of the update that are planned to change nothing.
        cascade: rules in a row above a site, at most.
        spared: survivors planned beside each cascade.
        mixed: whether the update both adds and retracts.
        size: arguments planned; disputes are added until there are as many.
        depth: rules on the longest path of an argument.
        mix: how often lines do what.
    """

    sites: int
    idle: int
    cascade: int
    spared: int
    mixed: bool
    size: int
    depth: int
    mix: Mix


@dataclass(slots=True)
class Plan:
    """A theory under construction, and the update that is planned with it."""

    draft: Draft
    shape: Shape
    added: list[Directive] = field(default_factory=list)
    retracted: list[Directive] = field(default_factory=list)

    def base(self) -> Line:
        """Return an undisputed line to attack from."""
        return grow(self.draft, ground(self.draft, self.shape.mix), self.draft.stream.between(0, 1), self.shape.mix)

    def add(self, line: Line, since: int | None = None) -> None:
        """Let the update state the last step of ``line``, and the preferences stated after the first ``since``."""
        self.added.append(_last_directive(line))
        if since is not None:
            self.added += self.draft.preferences[since:]

    def retract(self, line: Line) -> None:
        """Let the update retract one step of ``line``."""
        self.retracted.append(_last_directive(self.draft.stream.choice(list(line.steps()))))


SiteMove: TypeAlias = Callable[[Plan, Line], bool]
"""Plans a part of the update that turns a site; returns whether the site is to stand before it."""

Move: TypeAlias = Callable[[Plan, Line], None]
"""States what hangs on a line, or plans a part of the update that bears on it in vain."""


def plan_update(shape: Shape, ordering: str, stream: Stream) -> tuple[Theory, UpdateQuestion]:
    """Return a theory and an update of it; whether it does what it is meant to do, the engine decides."""
    draft = Draft(stream, ordering)
    plan = Plan(draft, shape)
    adds = stream.chance(0.5)
    cascades: list[Line] = []
    for number in range(shape.sites):
        stem = _stem(plan, cascades, tallest=number == 0)
        stands = stream.choice(ADDING if adds else RETRACTING)(plan, stem)
        cascade = _cascade(plan, stem)
        branching = [line for line in (stem, *cascade) if line.height < shape.depth]
        victim = _turn(plan, stream.choice(branching))
        if number == 0:
            _be_sensitive(plan, branching, victim, stands=stands)
        for _ in range(shape.spared):
            stream.choice(SPARING)(plan, stream.choice(branching))
        cascades += cascade
        adds ^= shape.mixed
    for _ in range(shape.idle):
        line = draft.defeasible([grow(draft, ground(draft, shape.mix), stream.between(0, 1), shape.mix)])
        stream.choice(IDLE_ADDING if adds else IDLE_RETRACTING)(plan, line)
        grow(draft, line, 1, shape.mix)
        adds ^= shape.mixed
    while draft.size < shape.size + len(plan.added):
        _dispute(plan, cascades)
    added = {*plan.added, *preferences_naming(draft.preferences, plan.added)}
    # Sites share lines, so that one part of the update may be planned to state what another one retracts.
    require(added.isdisjoint(plan.retracted) and not preferences_naming(_preferences(added), plan.retracted), "clash")
    theory = Theory(tuple(directive for directive in draft.theory().directives if directive not in added))
    return theory, UpdateQuestion(_lines(stream, added), _lines(stream, plan.retracted))


def _preferences(directives: Iterable[Directive]) -> list[Preference]:
    return [directive for directive in directives if isinstance(directive, PremisePreference | RulePreference)]


def _lines(stream: Stream, directives: Iterable[Directive]) -> tuple[str, ...]:
    return tuple(stream.shuffled(sorted(set(map(str, directives)))))


def _last_directive(line: Line) -> Directive:
    if line.rule is not None:
        return line.rule
    return Premise(line.literal) if line.premises else Axiom(line.literal)


# What hangs on a site


def _stem(plan: Plan, cascades: Sequence[Line], *, tallest: bool) -> Line:
    """Return the defeasible step of a site; it may rest on an earlier site's cascade."""
    draft, stream, shape = plan.draft, plan.draft.stream, plan.shape
    room = shape.depth - shape.cascade
    low_enough = [line for line in cascades if line.height < room]
    if low_enough and stream.chance(0.3):
        return draft.defeasible([stream.choice(low_enough)])
    below = room - 1 if tallest else stream.between(0, min(2, room - 1))
    return draft.defeasible([grow(draft, ground(draft, shape.mix), below, shape.mix)])


def _cascade(plan: Plan, stem: Line) -> list[Line]:
    """State conclusions in a row that rest on ``stem``; return their lines."""
    lines = []
    line = stem
    for _ in range(plan.shape.cascade):
        line = grow(plan.draft, line, 1, plan.shape.mix)
        lines.append(line)
    return lines


def _be_sensitive(plan: Plan, branching: Sequence[Line], victim: Line, *, stands: bool) -> None:
    """Add conflicts on which the link principle and the set ordering bear to a site.

    Args:
        plan: the theory under construction.
        branching: the site's lines.
        victim: a line that one of them defeats.
        stands: whether the site is planned to stand before the update; if not, the victim is.
    """
    draft, stream = plan.draft, plan.draft.stream
    _spare_the_stronger(plan, stream.choice(branching))
    if draft.is_elitist:
        joint_attack_in_vain(
            draft, stream.choice([line for line in branching if line.is_attackable]) if stands else victim
        )
    else:
        _spare_the_dead(plan, stream.choice(branching), joint=True)


def _turn(plan: Plan, line: Line) -> Line:
    """Let ``line`` attack another line, on which a conclusion rests; return the other line."""
    draft = plan.draft
    victim = draft.defeasible([ground(draft, plan.shape.mix)])
    if draft.stream.chance(0.4):
        undercut(draft, victim, line)
    else:
        rebut(draft, victim, line, draft.stream.choice((Outcome.WINS, Outcome.TIES)))
    draft.step([victim], plan.shape.mix.strict)
    return victim


def _spare_the_supported(plan: Plan, line: Line) -> None:
    """State a claim that rests on ``line`` and has other support."""
    supported = plan.draft.step([line], plan.shape.mix.strict)
    plan.draft.defeasible([plan.base()], supported.literal)


def _spare_the_stronger(plan: Plan, line: Line) -> None:
    """Let ``line`` attack another line that is stronger."""
    rebut(plan.draft, plan.draft.defeasible([plan.base()]), line, Outcome.LOSES)


def _spare_the_dead(plan: Plan, line: Line, *, joint: bool = False) -> None:
    """State a claim that rests on ``line`` and on another line, which is defeated before and after."""
    draft = plan.draft
    corpse = draft.defeasible([ground(draft, plan.shape.mix)])
    if joint:
        joint_attack(draft, corpse, [draft.premise(), draft.premise()])
    else:
        decisive_attack(draft, corpse, plan.shape.mix)
    draft.step([line, corpse], plan.shape.mix.strict)


def _spare_the_beaten(plan: Plan, line: Line) -> None:
    """Let ``line`` undercut another line that is defeated anyway."""
    victim = plan.draft.defeasible([ground(plan.draft, plan.shape.mix)])
    undercut(plan.draft, victim, line)
    decisive_attack(plan.draft, victim, plan.shape.mix)


SPARING: Final[tuple[Move, ...]] = (
    _spare_the_supported,
    _spare_the_stronger,
    _spare_the_dead,
    _spare_the_beaten,
)


# What the update does to a site


def _attack_it(plan: Plan, stem: Line) -> bool:
    """Add an attack that undercuts the stem, or leaves it undecided, or rebuts it with preferences on its side."""
    draft = plan.draft
    base, stated = plan.base(), len(draft.preferences)
    if draft.stream.chance(0.4):
        plan.add(undercut(draft, stem, base))
    else:
        attacker = rebut(draft, stem, base, draft.stream.choice((Outcome.WINS, Outcome.TIES)))
        plan.add(attacker, stated)
    return True


def _revive_it(plan: Plan, stem: Line) -> bool:
    """Add an undercut of what defeats the stem."""
    enemy = _enemy(plan, stem)
    plan.add(undercut(plan.draft, enemy, plan.base()))
    return False


def _settle_it(plan: Plan, stem: Line) -> bool:
    """Add the preferences that decide a tie between the stem and its attacker."""
    draft = plan.draft
    enemy = rebut(draft, stem, plan.base(), Outcome.TIES)
    stated = len(draft.preferences)
    settle(draft, stem, enemy, draft.stream.choice((Outcome.WINS, Outcome.LOSES)))
    plan.added += draft.preferences[stated:]
    return False


def _tie_it(plan: Plan, stem: Line) -> bool:
    """Add the reverse of a preference that decides between the stem and its attacker."""
    outcome, preference = _decided(plan, stem)
    plan.added.append(RulePreference(preference.weaker, preference.stronger))
    return outcome is Outcome.LOSES


def _found_it(plan: Plan, stem: Line) -> bool:
    """Add a step that the stem lacks."""
    plan.added.append(_last_directive(plan.draft.stream.choice(list(stem.steps()))))
    return False


def _withdraw_it(plan: Plan, stem: Line) -> bool:
    """Retract a step of the stem."""
    plan.retract(stem)
    return True


def _release_it(plan: Plan, stem: Line) -> bool:
    """Retract a step of what defeats the stem."""
    plan.retract(decisive_attack(plan.draft, stem, plan.shape.mix))
    return False


def _expose_it(plan: Plan, stem: Line) -> bool:
    """Retract a step of what defeats an attacker of the stem."""
    plan.retract(undercut(plan.draft, _enemy(plan, stem), plan.base()))
    return True


def _unsettle_it(plan: Plan, stem: Line) -> bool:
    """Retract a preference that decides between the stem and its attacker."""
    outcome, preference = _decided(plan, stem)
    plan.retracted.append(preference)
    return outcome is Outcome.LOSES


def _enemy(plan: Plan, stem: Line) -> Line:
    """State a defeasible attacker that defeats the stem."""
    draft = plan.draft
    if draft.stream.chance(0.5):
        return undercut(draft, stem, plan.base())
    return rebut(draft, stem, plan.base(), Outcome.WINS)


def _decided(plan: Plan, stem: Line) -> tuple[Outcome, RulePreference]:
    """State an attack that preferences decide; return its outcome and one of those between rules."""
    draft = plan.draft
    stated = len(draft.preferences)
    outcome = draft.stream.choice((Outcome.WINS, Outcome.LOSES))
    rebut(draft, stem, plan.base(), outcome)
    pairs = [pair for pair in draft.preferences[stated:] if isinstance(pair, RulePreference)]
    require(bool(pairs), "no_rule_preference")
    return outcome, draft.stream.choice(pairs)


ADDING: Final[tuple[SiteMove, ...]] = (_attack_it, _attack_it, _revive_it, _settle_it, _tie_it, _found_it)
RETRACTING: Final[tuple[SiteMove, ...]] = (_withdraw_it, _release_it, _expose_it, _unsettle_it)


# What the update does in vain


def _attack_weakly(plan: Plan, line: Line) -> None:
    """Add an attack that is too weak."""
    base, stated = plan.base(), len(plan.draft.preferences)
    plan.add(rebut(plan.draft, line, base, Outcome.LOSES), stated)


def _attack_from_the_dead(plan: Plan, line: Line) -> None:
    """Add an undercut that rests on a defeated line."""
    corpse = plan.draft.defeasible([ground(plan.draft, plan.shape.mix)])
    decisive_attack(plan.draft, corpse, plan.shape.mix)
    plan.add(undercut(plan.draft, line, corpse))


def _undercut_a_strict_rule(plan: Plan, line: Line) -> None:
    """Add an undercut of a strict rule, which nothing switches off."""
    above = plan.draft.strict([line])
    plan.add(undercut(plan.draft, above, plan.base()))


def _retract_one_of_two(plan: Plan, line: Line) -> None:
    """Retract one of two supports of a claim that ``line`` supports too."""
    above = plan.draft.defeasible([line])
    plan.retracted.append(_last_directive(plan.draft.defeasible([plan.base()], above.literal)))


def _retract_a_vain_attack(plan: Plan, line: Line) -> None:
    """Retract the last step of an attack that does not succeed."""
    plan.retracted.append(_last_directive(weak_attack(plan.draft, line, plan.shape.mix)))


IDLE_ADDING: Final[tuple[Move, ...]] = (_attack_weakly, _attack_from_the_dead, _undercut_a_strict_rule)
IDLE_RETRACTING: Final[tuple[Move, ...]] = (_retract_one_of_two, _retract_a_vain_attack)


# What the update does not bear on


def _dispute(plan: Plan, cascades: Sequence[Line]) -> None:
    """State a line with a conflict; now and then it rests on a site."""
    draft, stream, shape = plan.draft, plan.draft.stream, plan.shape
    low_enough = [line for line in cascades if line.height < shape.depth - 1]
    base = stream.choice(low_enough) if low_enough and stream.chance(0.15) else ground(draft, shape.mix)
    steps = stream.between(0, min(1, shape.depth - base.height - 1))
    line = draft.step([grow(draft, base, steps, shape.mix)], shape.mix.strict)
    target = stream.choice(targets(line) or [line])
    if not target.is_attackable:
        return
    way = stream.below(3)
    if way == 0:
        decisive_attack(draft, target, shape.mix)
    elif way == 1:
        vain_attack(draft, target, shape.mix)
    else:
        rebut(draft, target, plan.base(), Outcome.TIES)
