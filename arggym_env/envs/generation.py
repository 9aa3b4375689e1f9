"""Generate and verify: a bounded loop around a task's builder (paper section 3.2)."""

from __future__ import annotations

from collections import Counter
from typing import Final

from arggym_env.coordinates import Coordinates, check_split
from arggym_env.engine import State, evaluate_once
from arggym_env.envs import checked
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate, Rejected, Task
from arggym_env.errors import GenerationError
from arggym_env.frozen.guard import is_frozen_twin
from arggym_env.frozenmap import FrozenMap
from arggym_env.theory import Theory

MAX_CANDIDATES: Final = 400
"""How many candidates one generation may try; the slowest cells accept within a tenth of it."""
MAX_PROMPT_CHARACTERS: Final = 12_000
"""Every prompt is shorter, so that a training context can be planned."""


def generate(task: str, level: int, ordering: str, seed: int, split: str = "train") -> Instance:
    """Return the instance at these coordinates: a pure function, on any machine, Python, NumPy and hash seed.

    Args:
        task: one of ``TASKS``.
        level: 1 to 15.
        ordering: one of ``ORDERINGS``.
        seed: 0 to 2**63 - 1.
        split: "train", "eval" or "frozen"; the splits' random streams are disjoint.

    Raises:
        CoordinateError: a coordinate is not allowed.
        GenerationError: no candidate passed the gates within the bound (names the coordinates and the reasons).
        PluginError: the task is a plug-in's, and one of its methods raised or returned something else than it should.
    """
    maker = get_task(task)
    coordinates = Coordinates(task, level, ordering, check_split(split), seed)
    stream = Stream(maker.versions.generator, split, maker.stream_name or task, level, ordering, seed)
    rejections: Counter[str] = Counter()
    for _ in range(MAX_CANDIDATES):
        try:
            return _instance(maker, checked.build(maker, level, ordering, stream), coordinates, rejections)
        except Rejected as rejected:
            rejections[rejected.reason] += 1
    raise GenerationError(f"{coordinates.id}: no acceptable candidate among {MAX_CANDIDATES} ({dict(rejections)})")


def _instance(task: Task, candidate: Candidate, coordinates: Coordinates, rejections: Counter[str]) -> Instance:
    if coordinates.split != "frozen" and is_frozen_twin(candidate.theory):
        raise Rejected("frozen_twin")
    prompt = checked.prompt(task, candidate.theory, candidate.question, coordinates.ordering)
    if len(prompt) >= MAX_PROMPT_CHARACTERS:
        raise Rejected("prompt_too_long")
    state = evaluate_once(candidate.theory, coordinates.ordering)
    stats = {**structure(candidate.theory, state), "prompt_characters": len(prompt), **candidate.stats}

    def with_floor(floor: float) -> Instance:
        return Instance(
            coordinates=coordinates,
            prompt=prompt,
            theory=candidate.theory,
            question=candidate.question,
            reference=candidate.reference,
            min_directives=candidate.min_directives,
            floor=floor,
            stats=FrozenMap(stats),
            rejections=FrozenMap(dict(sorted(rejections.items()))),
            versions=task.versions,
        )

    instance = with_floor(0.0)
    verdict = checked.score(task, instance, candidate.reference)
    if not (verdict.success and verdict.native == 1.0):
        raise GenerationError(f"{coordinates.id}: the reference scores {verdict.native} ({verdict.reason})")
    answers = dict.fromkeys(checked.attacks(task, instance).values())
    verdicts = [score(instance, f"<answer>{answer}</answer>") for answer in answers]
    if any(verdict.success for verdict in verdicts):
        raise Rejected("attack_succeeds")
    return with_floor(max(verdict.native for verdict in verdicts))


def structure(theory: Theory, state: State) -> dict[str, int]:
    """Return the structural numbers that every instance records."""
    return {
        "premises": len(theory.premises),
        "axioms": len(theory.axioms),
        "strict_rules": len(theory.strict_rules),
        "defeasible_rules": len(theory.defeasible_rules),
        "preferences": len(theory.premise_preferences) + len(theory.rule_preferences),
        "arguments": state.argument_count,
        "attacks": state.attack_count,
        "defeats": state.defeat_count,
        "depth": state.depth,
    }
