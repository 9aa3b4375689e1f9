"""argumentation: which of four claims is justified in an ASPIC+ theory, under grounded semantics.

The theory holds four lines of reasoning of the same height. Each is contested at some step, its attacker may be
contested in turn, and attackers may start from a step of another line. The engine decides; exactly one claim is
justified, one to three of the others are undecided and the rest overruled. Hard because every claim has an argument and
every one is attacked, so that the key needs the preference ordering and the propagation of acceptance: without the
preferences another answer would come out.

The other families' gates have their counterparts here: the theory is consistent (satisfiable premises); every premise,
axiom and rule belongs to a claim's line or to an attack on it, directly or through others (no redundant premise); the
key is concluded by no fewer than ``depth`` rules (size of the smallest entailing set), is not stated, and hangs on the
preferences (contingent); the claims are about four different names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arggym_env.engine import State, evaluate
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs import wording
from arggym_env.envs.draft import Draft, Line, contrary
from arggym_env.envs.gates import require
from arggym_env.envs.motifs import Mix, Outcome, ground, grow, rebut, targets, undercut, undermine
from arggym_env.envs.stream import Stream
from arggym_env.logihard.families.drawing import has_rank, is_inconspicuous
from arggym_env.logihard.families.family import Disguise, Family, Puzzle
from arggym_env.theory import PremisePreference, RulePreference, Theory, atom_of


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of difficulty."""

    depth: int
    """Rules on the longest path of each claim's line, and fewest on that of any argument for the key."""
    layers: int
    """How far attackers are attacked in turn, at most."""
    contests: int
    """Steps of each line that are attacked."""
    crossing: float
    """Share of attackers that start from a step of another line."""
    mix: Mix


LEVELS: Final = (
    Level(depth=2, layers=1, contests=1, crossing=0.0, mix=Mix(strict=0.1, junction=0.0)),
    Level(depth=2, layers=2, contests=1, crossing=0.1, mix=Mix(strict=0.15, junction=0.1)),
    Level(depth=3, layers=2, contests=1, crossing=0.2, mix=Mix(strict=0.2, junction=0.15)),
    Level(depth=4, layers=3, contests=1, crossing=0.3, mix=Mix(strict=0.2, junction=0.2)),
    Level(depth=4, layers=3, contests=2, crossing=0.3, mix=Mix(strict=0.25, junction=0.2)),
)

_CLAIMS: Final = 4
_FAVOURED: Final = (Outcome.LOSES, Outcome.LOSES, Outcome.LOSES, Outcome.WINS)
"""What attacks on the line that is planned to be the key's are to achieve; the engine may decide otherwise."""
_OPPOSED: Final = (Outcome.WINS, Outcome.TIES)
"""The same for the other lines."""
_QUESTION: Final = "Which of the following statements is true?"


def build(level: Level, disguise: Disguise, stream: Stream) -> Puzzle:
    """Return a question that passes the gates; raise Rejected otherwise."""
    ordering = stream.choice(ORDERINGS)
    theory, claims = _theory(level, ordering, stream)
    state = evaluate(theory, ordering)
    require(state.is_consistent, "inconsistent")
    key = _key(state, claims)
    require(_justified(evaluate(_without_preferences(theory), ordering), claims) != [key], "preferences_inert")
    others = [claim for claim in claims if claim != key]
    require("undecided" in map(state.status, others), "none_undecided")
    require(is_inconspicuous(list(map(len, (key, *others))), disguise.is_longest_spared), "length_tells")
    mentions = [_mentions(theory, claim) for claim in (key, *others)]
    require(has_rank(mentions, disguise.rank, stream), "mentions_tell")
    # A counterattack can conclude a claim by a shorter way than its line.
    heights = [argument.height for argument in state.arguments if argument.conclusion == key]
    require(min(heights) >= level.depth, "shortcut_to_key")
    options = stream.shuffled(claims)
    context = wording.theory_section(theory, ordering)
    return Puzzle(context, _QUESTION, tuple(f"{claim} is justified." for claim in options), options.index(key))


def _theory(level: Level, ordering: str, stream: Stream) -> tuple[Theory, list[str]]:
    """Return a theory of four contested lines, and what the lines conclude."""
    draft = Draft(stream, ordering)
    lines = [grow(draft, ground(draft, level.mix), level.depth, level.mix) for _ in range(_CLAIMS)]
    favoured = stream.choice(lines)
    for line in lines:
        open_steps = targets(line)
        require(len(open_steps) >= level.contests, "nothing_to_attack")
        others = [step for other in lines if other is not line for step in dict.fromkeys(other.steps())]
        for target in stream.sample(open_steps, level.contests):
            outcome = stream.choice(_FAVOURED if line is favoured else _OPPOSED)
            _contest(draft, target, outcome, level.layers, others, level)
    return draft.theory(), [line.literal for line in lines]


def _contest(draft: Draft, target: Line, outcome: Outcome, layers: int, others: list[Line], level: Level) -> None:
    """Attack ``target``, and the attacker in turn."""
    stream = draft.stream
    if target.rule is None and stream.chance(0.4):
        attacker = undermine(draft, target, outcome)
    else:
        base = _base(draft, target, others, level)
        wants_undercut = outcome is Outcome.WINS and stream.chance(0.4)
        if target.rule is not None and (draft.is_undercut(target) or wants_undercut):
            attacker = undercut(draft, target, base)
        else:
            attacker = rebut(draft, target, base, outcome)
    if layers > 1 and stream.chance(0.7):
        _contest(draft, stream.choice(targets(attacker)), stream.choice(tuple(Outcome)), layers - 1, others, level)


def _base(draft: Draft, target: Line, others: list[Line], level: Level) -> Line:
    """Return what an attack on ``target`` starts from: a fresh line, or one that goes on from another claim's."""
    stream = draft.stream
    if stream.chance(level.crossing):
        # No argument contains its own conclusion, so the attack cannot start from that.
        starts = [line for line in others if contrary(target) not in {step.literal for step in line.steps()}]
        return grow(draft, stream.choice(starts), 1, level.mix)
    return grow(draft, ground(draft, level.mix), stream.between(0, 1), level.mix)


def _key(state: State, claims: list[str]) -> str:
    """Return the one justified claim; reject the theory if there are none or several."""
    justified = _justified(state, claims)
    require(len(justified) == 1, "not_one_justified")
    return justified[0]


def _justified(state: State, claims: list[str]) -> list[str]:
    return [claim for claim in claims if state.status(claim) == "justified"]


def _without_preferences(theory: Theory) -> Theory:
    return Theory(tuple(line for line in theory.directives if not isinstance(line, PremisePreference | RulePreference)))


def _mentions(theory: Theory, claim: str) -> int:
    """Return how often the theory mentions what the claim is about."""
    return str(theory).count(atom_of(claim))


class Argumentation(Family):
    """The argumentation family."""

    name = "argumentation"
    summary = "which of four claims is justified in an ASPIC+ theory, under grounded semantics"
    levels = LEVELS

    def build(self, level: int, disguise: Disguise, stream: Stream) -> Puzzle:
        """Return a question of the level."""
        return build(LEVELS[level - 1], disguise, stream)


FAMILY: Final = Argumentation()
