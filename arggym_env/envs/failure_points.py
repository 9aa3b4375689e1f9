"""Why a claim is not justified, read off the engine's defeats alone (spec section 5, defeat_diagnosis records).

Independent of any generator: what the engine says about a theory is all that counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from arggym_env.engine import Argument, Attack, State
from arggym_env.rewards.diagnosis import FailurePoint


def failure_points(state: State, target: str) -> tuple[FailurePoint, ...]:
    """Return every point at which the support of ``target`` fails, sorted.

    A point is a part of some argument for the target (the argument itself or a sub-argument) that an argument defeats
    directly, on the part's own premise, conclusion or last rule, which the grounded extension does not defeat. For
    each point there is one record for each such defeater, and one for each explanation of the defeater's survival.
    """
    attacks: defaultdict[int, list[Attack]] = defaultdict(list)
    for attack in state.attacks:
        attacks[attack.attacked.index].append(attack)
    points: set[FailurePoint] = set()
    for part in _parts(state.arguments_for(target)):
        for attack in attacks[part.index]:
            if attack.succeeds and state.label(attack.attacker) != "out":
                survivals = _survivals(state, attack, attacks)
                points.update(_record(attack, survival) for survival in survivals or [""])
    return tuple(sorted(points))


def _parts(arguments: Iterable[Argument]) -> list[Argument]:
    """Return the different sub-arguments of ``arguments``, themselves included, in the state's order."""
    parts: dict[int, Argument] = {}
    pending = list(arguments)
    while pending:
        argument = pending.pop()
        if argument.index not in parts:
            parts[argument.index] = argument
            pending += argument.subarguments
    return [parts[index] for index in sorted(parts)]


def _record(attack: Attack, survival: str) -> FailurePoint:
    attacked, attacker = attack.attacked, attack.attacker
    last_rule = attacker.top_rule.name if attacker.top_rule else attacker.conclusion
    if attack.kind == "undercut" and attacked.top_rule:
        return FailurePoint(attacked.top_rule.name, last_rule, attack.kind, survival)
    defeater = attacker.conclusion if attack.kind == "undermine" else last_rule
    return FailurePoint(attacked.conclusion, defeater, attack.kind, survival)


def _survivals(state: State, attack: Attack, attacks: Mapping[int, list[Attack]]) -> list[str]:
    """Return the last rules of the counterattacks on the attacker that an accepted argument defeats.

    An argument for the attacked literal itself strikes back at whatever contradicts that literal; it is a part of the
    same conflict, and no counterattack.
    """
    return sorted(
        {
            counter.attacker.top_rule.name
            for counter in attacks[attack.attacker.index]
            if counter.attacker.top_rule
            and counter.attacker.conclusion != attack.attacked.conclusion
            and state.label(counter.attacker) == "out"
        }
    )
