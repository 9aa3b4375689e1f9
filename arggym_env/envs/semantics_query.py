"""semantics_query: which status does a claim have under the semantics named beside it? (paper appendix A.3).

The theory holds rings of arguments that defeat each other (``envs.cycles``), of even and of odd length, made of
undercuts, rebuts and underminings, and what hangs on them: lines that continue one side, conclusions that float (each
side supports them), defeats that float, and relays that carry a ring's effect through further attacks. Most rings have
a guard that attacks them from outside; whether it stands is decided by preferences at the end of a chain of attacks.
So an odd ring in the text may be broken, or left alone (then there is no stable extension), or broken in those
extensions only that choose one side of another conflict (then stable and eager semantics make that choice).

Hard because each semantics asks for another set of extensions of the same defeats, and claims are asked under several
whose answers differ. Within each semantics the statuses are balanced.

The answer is one line ``claim under semantics: status`` per query. The native score is the F1 of those pairs; every
wrong, missing, extra, contradictory or unreadable line costs, and success is exact equality. Without a stable
extension the right answer to every question about stable semantics is ``no stable extension``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, SEMANTICS, State, evaluate_once
from arggym_env.envs import wording
from arggym_env.envs.battery import constant_labels, theory_blind
from arggym_env.envs.cycles import (
    Fate,
    Motif,
    Ring,
    floating_conclusion,
    floating_defeat,
    guard,
    joint_dispute,
    ring,
    tie,
)
from arggym_env.envs.draft import Draft, Line
from arggym_env.envs.gates import require, switched
from arggym_env.envs.instance import Instance
from arggym_env.envs.motifs import (
    Mix,
    Outcome,
    ground,
    grow,
    ranked_dispute,
    rebut,
    targets,
    undercut,
    undermine,
)
from arggym_env.envs.question import Question, expect
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Rejected, Task
from arggym_env.rewards.pairs import (
    CLAIM_STATUSES,
    STATUSES_UNDER_SEMANTICS,
    claim_under_semantics_key,
    read_pairs,
    score_pairs,
)
from arggym_env.rewards.score import Score
from arggym_env.theory import Theory, atom_of

_Columns: TypeAlias = Mapping[str, Mapping[str, str]]
"""Statuses by semantics, then claim."""

NO_STABLE_EXTENSION: Final = "no stable extension"


@dataclass(frozen=True, slots=True)
class Query:
    """Which status does this claim have under this semantics?"""

    claim: str
    semantics: str

    def __str__(self) -> str:
        return f"{self.claim} under {self.semantics}"


@dataclass(frozen=True, slots=True)
class SemanticsQuestion(Question):
    """Which status has each claim under the semantics beside it?"""

    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One rung of the curriculum."""

    semantics: int
    """Semantics that are asked about."""
    claims: int
    """Claims asked under each of them, a multiple of three."""
    differing: int
    """Claims with different statuses under the semantics they are asked under, at least."""
    even: int
    """Rings of even length."""
    odd: int
    """Rings of odd length."""
    longest: int
    """Lines of the longest ring."""
    unstable: float
    """Chance that an odd ring stays intact, so that there is no stable extension."""
    layers: int
    """Attacks upon attacks that decide about a guard, at most."""
    spacing: int
    """Steps between where a line of a ring is struck and where it strikes, at most."""
    reach: int
    """Steps from a ring to what hangs on it, at most."""
    size: int
    """Arguments planned; settled disputes are added until there are as many."""
    mix: Mix

    @property
    def arguments(self) -> tuple[int, int]:
        """Fewest and most arguments of an accepted theory."""
        return self.size, self.size + self.size // 8 + 6


LEVELS: Final = (
    Level(2, 3, 1, 1, 1, 3, 0.00, 1, 0, 1, 46, Mix(strict=0.00, junction=0.00)),
    Level(2, 3, 1, 1, 1, 3, 0.00, 1, 0, 2, 52, Mix(strict=0.10, junction=0.00)),
    Level(3, 3, 1, 1, 1, 3, 0.30, 1, 0, 2, 55, Mix(strict=0.10, junction=0.05)),
    Level(3, 3, 1, 1, 1, 3, 0.30, 1, 1, 2, 59, Mix(strict=0.15, junction=0.05)),
    Level(3, 3, 1, 1, 1, 3, 0.30, 2, 1, 2, 62, Mix(strict=0.15, junction=0.05)),
    Level(4, 3, 2, 2, 1, 3, 0.30, 2, 1, 2, 72, Mix(strict=0.15, junction=0.10)),
    Level(4, 3, 2, 2, 1, 3, 0.30, 2, 1, 3, 78, Mix(strict=0.15, junction=0.10)),
    Level(4, 3, 2, 2, 1, 4, 0.30, 2, 1, 3, 86, Mix(strict=0.15, junction=0.10)),
    Level(5, 3, 2, 2, 2, 4, 0.30, 2, 1, 3, 96, Mix(strict=0.20, junction=0.10)),
    Level(5, 3, 2, 2, 2, 5, 0.30, 2, 1, 4, 103, Mix(strict=0.20, junction=0.10)),
    Level(5, 6, 3, 2, 2, 5, 0.30, 2, 1, 4, 109, Mix(strict=0.20, junction=0.10)),
    Level(5, 6, 3, 2, 2, 5, 0.30, 3, 1, 5, 115, Mix(strict=0.20, junction=0.10)),
    Level(5, 6, 3, 2, 2, 5, 0.30, 3, 1, 5, 124, Mix(strict=0.20, junction=0.10)),
    Level(5, 6, 3, 3, 2, 5, 0.30, 3, 1, 5, 132, Mix(strict=0.25, junction=0.10)),
    Level(5, 6, 3, 3, 2, 5, 0.30, 3, 1, 6, 141, Mix(strict=0.25, junction=0.10)),
)

_MOST_WITHOUT_OPEN: Final = 3
"""How many semantics are asked at most where every odd ring may be broken."""
_DRAWS: Final = 60
"""How often queries are drawn for one theory."""
_HANGING_SHARE: Final = 0.8
"""How much of a theory is rings and what hangs on them; the rest are settled disputes."""


def build(level: Level, ordering: str, stream: Stream) -> Candidate:
    """Return a theory and queries that pass the gates; raise Rejected otherwise."""
    unstable = stream.chance(level.unstable)
    theory = _theory(level, Draft(stream, ordering), unstable=unstable)
    state = evaluate_once(theory, ordering)
    low, high = level.arguments
    require(low <= state.argument_count <= high, "size")
    require(state.is_consistent, "inconsistent")
    require(_is_stable(state) != unstable, "stability_unplanned")
    others = [state.under(other) for other in switched(ordering)]
    queries = _queries(state, others, level, stream)
    gold = [state.status(query.claim, query.semantics) for query in queries]
    return Candidate(
        theory,
        SemanticsQuestion(tuple(queries)),
        "\n".join(f"{query}: {status}" for query, status in zip(queries, gold, strict=True)),
        stats={
            "queries": len(queries),
            "semantics": level.semantics,
            "differing": _differing(zip(queries, gold, strict=True)),
            "even_rings": level.even,
            "odd_rings": level.odd,
            "no_stable_extension": int(unstable),
        },
    )


def _is_stable(state: State) -> bool:
    return state.status(state.theory.literals[0], "stable") != NO_STABLE_EXTENSION


def _differing(answered: Iterable[tuple[Query, str]]) -> int:
    """Return how many claims are asked under semantics whose answers differ otherwise than by having no extension."""
    statuses: dict[str, set[str]] = {}
    for query, status in answered:
        if status != NO_STABLE_EXTENSION:
            statuses.setdefault(query.claim, set()).add(status)
    return sum(len(values) > 1 for values in statuses.values())


def _theory(level: Level, draft: Draft, *, unstable: bool) -> Theory:
    """Return rings with their guards, what hangs on them, and settled disputes."""
    odd = _odd_rings(draft, level, unstable=unstable)
    even = _even_rings(draft, level)
    floating_conclusion(draft, even[0].bodies[:2], level.reach, level.mix)
    _continue(draft, floating_defeat(draft, even[0].bodies[:2]), level)
    highest = max((body for cycle in odd + even for body in cycle.bodies), key=lambda body: body.height)
    grow(draft, highest, level.reach, level.mix)
    ranked_dispute(draft)
    require(draft.size <= level.size, "too_large")
    while draft.size < level.size * _HANGING_SHARE:
        _hang(draft, draft.stream.choice(odd + even), level)
    while draft.size < level.size:
        _dispute(draft, level)
    return draft.theory()


def _odd_rings(draft: Draft, level: Level, *, unstable: bool) -> list[Ring]:
    """Return guarded rings of odd length, one of them intact if the theory is to be unstable, else none."""
    stream = draft.stream
    fates = [stream.choice((Fate.BROKEN, Fate.OPEN)) for _ in range(level.odd)]
    if unstable:
        fates[0] = Fate.INTACT
    elif level.semantics > _MOST_WITHOUT_OPEN:
        # Where all odd rings are broken, no claim is undecided under credulous preferred semantics.
        fates[0] = Fate.OPEN
    # A ring that hangs on the set ordering must not tell by that whether there is a stable extension.
    telling = {Fate.OPEN, Fate.INTACT} if level.semantics > _MOST_WITHOUT_OPEN else {Fate.OPEN}
    fit = [number for number, fate in enumerate(fates) if fate not in telling]
    joint = stream.choice(fit) if fit and stream.chance(0.5) else None
    if joint is None:
        line = draft.defeasible([draft.premise()])
        joint_dispute(draft, line)
        _continue(draft, line, level)
    rings = []
    for number, fate in enumerate(fates):
        # The set ordering bears on defeasible rules, and by last link no line with some breaks a ring of underminings.
        motifs = [motif for motif in Motif if number != joint or motif is not Motif.UNDERMINE]
        length = stream.choice(range(1, level.longest + 1, 2))
        cycle = ring(draft, length, stream.choice(motifs), level.spacing, level.mix)
        guard(draft, stream.choice(cycle.victims), fate, stream.between(1, level.layers), joint=number == joint)
        rings.append(cycle)
    return rings


def _even_rings(draft: Draft, level: Level) -> list[Ring]:
    """Return rings of even length; the first one has no guard, so that there is always a choice to float on."""
    stream = draft.stream
    rings = []
    for number in range(level.even):
        if stream.chance(0.4):
            cycle = tie(draft, level.spacing, level.mix)
        else:
            length = stream.choice(range(2, level.longest + 1, 2))
            cycle = ring(draft, length, stream.choice(tuple(Motif)), level.spacing, level.mix)
        if number:
            guard(draft, stream.choice(cycle.victims), stream.choice(tuple(Fate)), stream.between(1, level.layers))
        rings.append(cycle)
    return rings


def _hang(draft: Draft, cycle: Ring, level: Level) -> None:
    """Continue a line of the ring, relay its effect through attacks, or conclude the same from two neighbours."""
    stream = draft.stream
    line = stream.choice(cycle.bodies)
    match stream.below(4):
        case 0:
            _continue(draft, line, level)
        case 1:
            _continue(draft, floating_defeat(draft, [line]), level)
        case 2 if len(cycle.bodies) > 1:
            floating_conclusion(draft, cycle.bodies[:2], level.reach, level.mix)
        case _:
            floating_defeat(draft, cycle.bodies[:2])


def _continue(draft: Draft, line: Line, level: Level) -> None:
    grow(draft, line, draft.stream.between(1, level.reach), level.mix)


def _dispute(draft: Draft, level: Level) -> None:
    """State a line that is attacked with a clear outcome."""
    stream = draft.stream
    line = grow(draft, ground(draft, level.mix), stream.between(1, level.reach), level.mix)
    open_steps = targets(line)
    if not open_steps:
        return
    step = stream.choice(open_steps)
    outcome = stream.choice((Outcome.WINS, Outcome.WINS, Outcome.LOSES))
    if step.rule is None:
        undermine(draft, step, outcome)
        return
    base = grow(draft, draft.premise(), stream.between(0, 1), level.mix)
    if stream.chance(0.3):
        undercut(draft, step, base)
    else:
        rebut(draft, step, base, outcome)


def _queries(state: State, others: Sequence[State], level: Level, stream: Stream) -> list[Query]:
    """Return balanced queries about as many semantics as the level asks, on which semantics and orderings differ."""
    names = state.theory.rule_names
    occurring = [literal for literal in sorted(state.theory.occurring) if atom_of(literal) not in names]
    pool = [literal for literal in occurring if state.arguments_for(literal)]
    gold, *switches = (_columns(one, pool) for one in (state, *others))
    balanced_by = dict(gold)
    if not _is_stable(state):
        # Balanced by their sceptical statuses, so that the choice of claims does not give the absence away.
        balanced_by["stable"] = gold["sceptical preferred"]
    for _ in range(_DRAWS):
        asked = sorted(stream.sample(SEMANTICS, level.semantics))
        queries = _balanced({name: balanced_by[name] for name in asked}, switches, level.claims // 3, stream)
        if _differing((query, gold[query.semantics][query.claim]) for query in queries) >= level.differing and all(
            any(other[query.semantics][query.claim] != gold[query.semantics][query.claim] for query in queries)
            for other in switches
        ):
            return queries
    raise Rejected("no_fitting_queries")


def _columns(state: State, claims: Sequence[str]) -> _Columns:
    return {name: {claim: state.status(claim, name) for claim in claims} for name in SEMANTICS}


def _balanced(columns: _Columns, switches: Sequence[_Columns], count: int, stream: Stream) -> list[Query]:
    """Return ``count`` claims of each status under each semantics, none where there are too few.

    Args:
        columns: the status of every claim under the semantics asked.
        switches: the same under other orderings. Claims whose status depends on the ordering come first for some
            queries, claims whose status depends on the semantics for the others.
        count: claims of each status.
        stream: decides between the two, and breaks ties.
    """
    mixed = {claim for column in columns.values() for claim in column if len({c[claim] for c in columns.values()}) > 1}
    settled = {claim for column in columns.values() for claim in column} - mixed
    chosen: set[str] = set()
    queries: list[Query] = []
    for name in stream.shuffled(sorted(columns)):
        column = columns[name]
        bearing = {claim for claim in column if any(other[name][claim] != column[claim] for other in switches)}
        for status in CLAIM_STATUSES:
            fitting = [claim for claim, value in column.items() if value == status]
            if len(fitting) < count:
                return []
            wish = stream.choice((mixed, bearing, settled))
            rank = {claim: (claim in wish, (claim in bearing) + (claim in chosen)) for claim in fitting}
            picked = sorted(stream.shuffled(fitting), key=rank.__getitem__, reverse=True)[:count]
            queries += [Query(claim, name) for claim in picked]
            chosen.update(picked)
    return stream.shuffled(queries)


def prompt(theory: Theory, queries: Sequence[Query], ordering: str) -> str:
    """Return the question in words."""
    asked = {query.semantics for query in queries}
    statuses = STATUSES_UNDER_SEMANTICS if "stable" in asked else CLAIM_STATUSES
    return "\n\n".join(
        (
            wording.defeat_section(theory, ordering),
            wording.semantics_section([name for name in SEMANTICS if name in asked]),
            f"State the status of each of these claims under the semantics named beside it ({len(queries)} lines):\n"
            + "\n".join(map(str, queries)),
            wording.answer_region(
                "Answer with one line per claim and semantics, written\n"
                "claim under semantics: status\n"
                f"where status is one of {', '.join(statuses)}. Your score compares your lines with the right ones: "
                "a missing line, a line that was not asked, two different statuses for the same claim and semantics "
                "and a line that cannot be read each lower it, and the answer is right only when every line asked for "
                "is there with its status and nothing else is."
            ),
        )
    )


class SemanticsQuery(Task):
    """The semantics_query task."""

    name = "semantics_query"
    summary = "label claims under grounded, preferred, stable and eager semantics"
    question_type = SemanticsQuestion
    levels = LEVELS

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        """Return a theory and balanced queries on which semantics and orderings differ."""
        return build(LEVELS[level - 1], ordering, stream)

    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        """Return the question as the model reads it."""
        return prompt(theory, expect(SemanticsQuestion, question).queries, ordering)

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        """Return the pair F1 against the reference; nothing is executed, so engine and limit do not matter."""
        pairs = read_pairs(instance.reference, STATUSES_UNDER_SEMANTICS, claim_under_semantics_key)
        gold = {key: statuses[0] for key, statuses in pairs.statuses.items()}
        return score_pairs(gold, answer, STATUSES_UNDER_SEMANTICS, claim_under_semantics_key)

    def attacks(self, instance: Instance) -> Mapping[str, str]:
        """Return the constant labels, overall and apart for stable semantics, and the policies that copy text."""
        queries = expect(SemanticsQuestion, instance.question).queries
        answers = theory_blind(instance) | constant_labels(map(str, queries), STATUSES_UNDER_SEMANTICS)
        for label in CLAIM_STATUSES:
            answers[f"unstable_else_{label}"] = "\n".join(
                f"{query}: {NO_STABLE_EXTENSION if query.semantics == 'stable' else label}" for query in queries
            )
        return answers


TASK: Final = SemanticsQuery()
