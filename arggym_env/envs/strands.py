"""Strands: support for one literal that fails by plan, and attacks on it that are to be in vain.

Every strand has one or two failing lines, each with one attack that succeeds: it wins, or it ties. Strands may branch
above their failure. The plan keeps a record of what it intends, from its own lines and without looking at the engine,
so that the diagnosis computed from a theory can be held against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from arggym_env.envs.clusters import rule_of
from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.gates import require
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, targets, undercut, undermine
from arggym_env.rewards.diagnosis import KINDS, FailurePoint

_SURVIVAL_SHARE: Final = 0.6
"""How many of the plans that may have survivals have some."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a plan consists of."""

    strands: int
    """Supports for the target that have no failure in common."""
    joined: int
    """Strands that join two failing lines."""
    branching: int
    """Strands that branch above their failure."""
    survivals: int
    """Most failure points whose defeater survives a counterattack."""
    vain: int
    """Attacks on the strands that do not succeed, or whose attacker is defeated."""
    trunk: int
    """Rules below the failing line's end, at most."""
    reach: int
    """Rules between a failing line and the last step, at most."""
    crowned: float
    """Chance that the target itself is rebutted too."""
    mix: Mix

    @property
    def depth(self) -> int:
        """Rules on the longest path of an argument: to a line's end, a join, on to the last step, and that step."""
        return self.trunk + int(self.joined > 0) + self.reach + 1


@dataclass(slots=True)
class FailingSupport:
    """A theory under construction and the diagnosis that its builder intends."""

    draft: Draft
    shape: Shape
    target: str
    kinds: list[str]
    """The kinds of the coming failure points, last first."""
    points: list[FailurePoint] = field(default_factory=list)
    defeaters: list[Line] = field(default_factory=list)
    """The attackers at ``points``, in the same order."""

    def base(self, most: int = 1) -> Line:
        """Return a line for an attack to start from."""
        room = min(most, self.shape.depth - 1)
        return grow(self.draft, self.draft.premise(), self.draft.stream.between(0, room), self.shape.mix)

    def record(self, at: str, attacker: Line, kind: str) -> None:
        """Note a failure point; the defeater is the attacker's last rule, or what it concludes when it undermines."""
        by = attacker.literal if kind == "undermine" else rule_of(attacker)
        self.points.append(FailurePoint(at, by, kind))
        self.defeaters.append(attacker)


def failing_support(draft: Draft, shape: Shape, *, undecided: bool) -> FailingSupport:
    """State support for a fresh literal that fails throughout, and attacks in vain; return the plan.

    Args:
        draft: where it is stated.
        shape: how much of everything.
        undecided: whether a strand fails by ties only, so that the literal is undecided; else it is overruled.
    """
    stream = draft.stream
    failing = shape.strands + shape.joined
    kinds = [kind for _ in range(failing) for kind in stream.shuffled(KINDS)][:failing]
    if not draft.is_elitist:
        kinds.remove("rebut" if "rebut" in kinds else kinds[0])  # the joint attack's
    plan = FailingSupport(draft, shape, draft.fresh_literal(), kinds)
    joined = set(stream.sample(range(shape.strands), shape.joined))
    branching = set(stream.sample(range(shape.strands), shape.branching))
    # The last strand carries what the set ordering bears on; the first alone keeps an undecided target from failing.
    routes: list[Line] = []
    for number in range(shape.strands):
        is_open = undecided and (number == 0 or (number < shape.strands - 1 and stream.chance(0.4)))
        waist = _waist(plan, number, is_open=is_open, is_joined=number in joined)
        routes += _routes(plan, waist, full=number == 0, count=2 if number in branching else 1)
    if stream.chance(shape.crowned):
        _crown(plan, routes)
    _survivals(plan)
    _vain_attacks(plan, routes)
    return plan


def _waist(plan: FailingSupport, number: int, *, is_open: bool, is_joined: bool) -> Line:
    """Return the line in which a strand's one or two failing lines end."""
    stream = plan.draft.stream
    last = number == plan.shape.strands - 1
    fates = [Outcome.TIES if is_open else Outcome.WINS]
    if is_joined:
        # A strand that fails for good may fail by a tie besides; one that ties does so twice.
        fates.append(Outcome.TIES if is_open or stream.chance(0.5) else Outcome.WINS)
    failing = []
    for index, fate in enumerate(stream.shuffled(fates)):
        joint = last and index == 0 and not plan.draft.is_elitist
        failing.append(
            _failing_line(plan, Outcome.WINS if joint else fate, full=number == 0 and index == 0, joint=joint)
        )
    return failing[0] if len(failing) == 1 else plan.draft.defeasible(failing)


def _failing_line(plan: FailingSupport, fate: Outcome, *, full: bool, joint: bool) -> Line:
    """Return a line with one failure point; ``joint`` makes it an attack that elitist comparison would stop."""
    draft, shape = plan.draft, plan.shape
    kind = "rebut" if joint else plan.kinds.pop()
    start = draft.premise()
    if kind != "undermine":
        start = draft.defeasible([start])
    room = shape.trunk - start.height
    line = grow(draft, start, room if full else draft.stream.between(0, room), shape.mix)
    if joint:
        attacker, _ = joint_attack(draft, start, [draft.premise() for _ in range(2)])
        plan.record(start.literal, attacker, "rebut")
    elif kind == "undermine":
        _undermine(plan, start, fate)
    else:
        step = draft.stream.choice([step for step in targets(line) if step.rule is not None])
        (_rebut if kind == "rebut" else _undercut)(plan, step, fate)
    return line


def _undermine(plan: FailingSupport, premise: Line, fate: Outcome) -> None:
    draft = plan.draft
    if fate is Outcome.WINS and draft.stream.chance(0.4):
        # A strict rule over a premise: as firm as the premise under either link principle, and it cannot be rebutted.
        attacker = draft.strict([draft.premise()], contrary(premise))
    else:
        attacker = undermine(draft, premise, fate)
    plan.record(premise.literal, attacker, "undermine")


def _rebut(plan: FailingSupport, step: Line, fate: Outcome) -> None:
    draft = plan.draft
    if fate is Outcome.WINS and draft.stream.chance(0.25):
        attacker = draft.strict([draft.defeasible([plan.base(0)])], contrary(step))
    else:
        attacker = rebut(draft, step, plan.base(), fate)
    plan.record(step.literal, attacker, "rebut")


def _undercut(plan: FailingSupport, step: Line, fate: Outcome) -> None:
    """Undercut a step; the attacker is undecided when it is to tie, since preferences cannot weaken an undercut."""
    draft = plan.draft
    base = plan.base()
    attacker = undercut(draft, step, base)
    if fate is Outcome.TIES:
        if draft.stream.chance(0.5):
            _tie(plan, draft.stream.choice(targets(base)))
        else:
            enemy = plan.base()
            undercut(draft, attacker, enemy)
            _tie(plan, draft.stream.choice(targets(enemy)))
    plan.record(rule_of(step), attacker, "undercut")


def _tie(plan: FailingSupport, step: Line) -> None:
    """Hold ``step`` undecided."""
    if step.rule is None:
        undermine(plan.draft, step, Outcome.TIES)
    else:
        rebut(plan.draft, step, plan.base(), Outcome.TIES)


def _kill(plan: FailingSupport, line: Line) -> None:
    """Defeat a line that ends in a defeasible rule, at its last rule or below."""
    draft = plan.draft
    below = [step for step in targets(line) if step is not line]
    if not below or draft.stream.chance(0.5):
        undercut(draft, line, draft.premise())
        return
    step = draft.stream.choice(below)
    if step.rule is None:
        undermine(draft, step, Outcome.WINS)
    else:
        rebut(draft, step, plan.base(), Outcome.WINS)


def _routes(plan: FailingSupport, waist: Line, *, full: bool, count: int) -> list[Line]:
    """State ``count`` routes from a waist to the target; the first one of a full strand is as deep as allowed."""
    draft, shape = plan.draft, plan.shape
    routes = []
    for number in range(count):
        room = max(0, shape.depth - 1 - waist.height)
        steps = room if full and number == 0 else draft.stream.between(0, min(room, shape.reach))
        # Two branches must differ in their last step's antecedent, or the rules would be twins.
        above = grow(draft, waist, max(steps, int(number > 0)), shape.mix)
        routes.append(draft.step([above], shape.mix.strict, plan.target))
    return routes


def _crown(plan: FailingSupport, routes: list[Line]) -> None:
    """Rebut the target itself; the attack takes no preference, for the routes fail elsewhere."""
    if sum(route.is_attackable for route in routes) > 1:
        plan.record(plan.target, plan.draft.defeasible([plan.base()], contrary(routes[0])), "rebut")


def _survivals(plan: FailingSupport) -> None:
    """Let some defeaters survive a counterattack on their last rule."""
    draft, shape = plan.draft, plan.shape
    if not (shape.survivals and draft.stream.chance(_SURVIVAL_SHARE)):
        return
    fit = [index for index, attacker in enumerate(plan.defeaters) if attacker.rule and attacker.is_attackable]
    count = min(len(fit), draft.stream.between(1, shape.survivals))
    for index in draft.stream.sample(fit, count):
        counter = undercut(draft, plan.defeaters[index], plan.base())
        _kill(plan, counter)
        point = plan.points[index]
        plan.points[index] = replace(point, survives_because=rule_of(counter))


def _vain_attacks(plan: FailingSupport, routes: list[Line]) -> None:
    """Attack the support, or a defeater below its last rule, without consequence for the diagnosis.

    The first attack of all is one that only elitist comparison stops, where that is the ordering; then comes one that
    is too weak, since under the other link principle it would mostly succeed.
    """
    draft = plan.draft
    count = plan.shape.vain
    if draft.is_elitist:
        _joint_in_vain(plan, routes)
        count -= 1
    _too_weak(plan, routes)
    for _ in range(count - 1):
        draft.stream.choice((_too_weak, _too_weak, _defeated, _defeated, _below_a_defeater))(plan, routes)


def _joint_in_vain(plan: FailingSupport, routes: list[Line]) -> None:
    draft = plan.draft
    points = {point.defeated_at for point in plan.points}
    # The attacker stands, so what it contradicts must not: a step at or above a failure.
    steps = [
        step
        for step in _parts(plan, routes)
        if step.rule and any(sub.literal in points or (sub.rule and sub.rule.name in points) for sub in step.steps())
    ]
    require(bool(steps), "no_room_for_joint")
    joint_attack(draft, draft.stream.choice(steps), [draft.premise() for _ in range(2)])


def _too_weak(plan: FailingSupport, routes: list[Line]) -> None:
    """Attack a part of the support by a rule or a premise that is weaker than it, if the ordering can make it so."""
    draft = plan.draft
    parts = _parts(plan, routes)
    # By weakest link, early rules can be the ones that count, which last-link comparison does not see.
    step = draft.stream.choice([part for part in parts if len(part.rules) > 1] or parts)
    if step.rule is None:
        undermine(draft, step, Outcome.LOSES)
    else:
        rebut(
            draft, step, draft.premise() if draft.by_last_link else draft.defeasible([draft.premise()]), Outcome.LOSES
        )


def _defeated(plan: FailingSupport, routes: list[Line]) -> None:
    """Attack a step of the support by a line that is defeated itself."""
    draft = plan.draft
    steps = [step for step in _parts(plan, routes) if step.rule is not None]
    if steps:
        step = draft.stream.choice(steps)
        base = plan.base()
        in_vain = undercut(draft, step, base) if draft.stream.chance(0.5) else rebut(draft, step, base, Outcome.TIES)
        _kill(plan, in_vain)


def _below_a_defeater(plan: FailingSupport, routes: list[Line]) -> None:
    """Attack what a defeater is built from, in vain: that is no counterattack on its last rule."""
    below = [step for attacker in plan.defeaters for sub in attacker.subs for step in targets(sub)]
    if not below:
        return
    step = plan.draft.stream.choice(below)
    if step.rule is None:
        undermine(plan.draft, step, Outcome.LOSES)
    else:
        _kill(plan, undercut(plan.draft, step, plan.base()))


def _parts(plan: FailingSupport, routes: list[Line]) -> list[Line]:
    """Return the different attackable parts of the routes that do not conclude the target."""
    parts = dict.fromkeys(step for route in routes for step in targets(route))
    return [part for part in parts if part.literal != plan.target]


def distractor(plan: FailingSupport) -> None:
    """State a line that does not bear on the target; mostly it has a conflict of its own."""
    draft, mix, stream = plan.draft, plan.shape.mix, plan.draft.stream
    line = grow(draft, ground(draft, mix), stream.between(1, min(3, plan.shape.depth)), mix)
    open_steps = targets(line)
    if not open_steps or stream.chance(0.3):
        return
    step = stream.choice(open_steps)
    outcome = stream.choice((Outcome.WINS, Outcome.TIES, Outcome.LOSES))
    if step.rule is None:
        undermine(draft, step, outcome)
    elif stream.chance(0.3):
        _kill(plan, undercut(draft, step, plan.base()))
    else:
        rebut(draft, step, plan.base(), outcome)
