"""Attacks whose fate is planned: some decide what they attack, some are in vain.

A reader of the theory cannot tell them apart by their look: both kinds undermine, rebut and undercut, and what decides
is strength under the ordering, or what happens to the attacker.
"""

from __future__ import annotations

from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, joint_attack, rebut, targets, undercut, undermine


def decisive_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack ``target`` with success under the ordering; return the attacker."""
    if target.rule is None:
        return undermine(draft, target, Outcome.WINS)
    base = grow(draft, ground(draft, mix), draft.stream.between(0, 1), mix)
    way = draft.stream.below(3)
    if draft.is_undercut(target) or way == 0:
        return undercut(draft, target, base)
    if way == 1:
        # What a strict rule concludes cannot be rebutted back.
        return draft.strict([base if base.rule else draft.defeasible([base])], contrary(target))
    return rebut(draft, target, base, Outcome.WINS)


def vain_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack ``target`` without success; return the attacker."""
    if draft.is_undercut(target) or (target.rule is not None and draft.stream.chance(0.4)):
        return defeated_attack(draft, target, mix)
    return weak_attack(draft, target, mix)


def weak_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack ``target``, which does not conclude an undercut, by a line that is weaker under the ordering."""
    if target.rule is None and draft.stream.chance(0.5):
        return undermine(draft, target, Outcome.LOSES)
    return rebut(draft, target, _base(draft, mix), Outcome.LOSES)


def defeated_attack(draft: Draft, target: Line, mix: Mix) -> Line:
    """Attack the defeasible step ``target`` by a line that is not weaker, but is itself defeated."""
    base = _base(draft, mix)
    if draft.is_undercut(target) or draft.stream.chance(0.5):
        attacker = undercut(draft, target, base)
    else:
        attacker = rebut(draft, target, base, Outcome.TIES)
    victim = draft.stream.choice(targets(attacker))
    if victim.rule is None:
        undermine(draft, victim, Outcome.WINS)
    else:
        undercut(draft, victim, draft.premise())
    return attacker


def joint_attack_in_vain(draft: Draft, target: Line) -> Line:
    """Attack ``target`` by a line that elitist comparison makes too weak, and that the target strikes back at."""
    attacker, members = joint_attack(draft, target, [draft.premise(), draft.premise()])
    undercut(draft, draft.stream.choice(members), target)
    return attacker


def _base(draft: Draft, mix: Mix) -> Line:
    return grow(draft, draft.premise(), draft.stream.between(0, 1), mix)
