"""Rows of the published ArgGYM taskset as instances that our contracts score.

The format is one JSON object a line, after an optional ``{"__manifest__": ...}`` line: id, task, question,
reference_answer, and metadata with seed, level, ordering (``last_link_elitist`` ...), base_ops, state and gold. A row's
prompt is its question, with a closing sentence that says where the answer stands; nothing else of it is changed, so
rules that the question states and our contracts do not (an unreadable line zeroes a label map, say) are not applied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from arggym_env.coordinates import PUBLISHED, Coordinates
from arggym_env.engine import evaluate
from arggym_env.envs.claim_chain import ChainQuestion
from arggym_env.envs.defeat_diagnosis import DiagnosisQuestion
from arggym_env.envs.formalization import FormalizationQuestion
from arggym_env.envs.generation import structure
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import GoalQuestion, Question, StatusQuestion
from arggym_env.envs.registry import get_task
from arggym_env.envs.semantics_query import Query, SemanticsQuestion
from arggym_env.envs.update import UpdateQuestion
from arggym_env.errors import ArgGymError, InstanceError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.execution import Goal
from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    RulePreference,
    StrictRule,
    Theory,
)

CLOSING: Final = "Write the answer once, between <answer> and </answer>, after your thinking."
"""What is added to a published question."""

_DIAGNOSED: Final = re.compile(r"The claim (-?[A-Za-z][A-Za-z0-9_]*) is not justified\.")

# The rows are foreign JSON: values are looked up and checked as they are used.
_Row = Mapping[str, Any]


def import_published(path: str | Path) -> list[Instance]:
    """Return the rows of a published taskset file as instances, in the file's order.

    Their split is "published"; their floors are those of this package's attack battery on them.

    Args:
        path: a file of JSON lines in the published format.

    Raises:
        InstanceError: the file cannot be read, or a line is not such a row (names the line).
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceError(f"{path}: cannot be read ({error})") from None
    instances = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if "__manifest__" not in row:
                instances.append(_instance(row))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArgGymError) as error:
            raise InstanceError(f"{path}: line {number}: {type(error).__name__}: {error}") from None
    return instances


def _instance(row: _Row) -> Instance:
    metadata: _Row = row["metadata"]
    task = get_task(row["task"])
    principle_1, principle_2, lift = metadata["ordering"].split("_")
    coordinates = Coordinates(
        task.name, metadata["level"], f"{principle_1}-{principle_2} {lift}", PUBLISHED, metadata["seed"]
    )
    gold: _Row = metadata["gold"]
    theory = Theory(tuple(_directives(gold["reference_ops"] if "reference_ops" in gold else metadata["base_ops"])))
    prompt = f"{row['question']}\n\n{CLOSING}"
    stats = {**structure(theory, evaluate(theory, coordinates.ordering)), "prompt_characters": len(prompt)}

    def with_floor(floor: float) -> Instance:
        return Instance(
            coordinates=coordinates,
            prompt=prompt,
            theory=theory,
            question=_QUESTIONS[task.name](row),
            reference=row["reference_answer"],
            min_directives=gold.get("min_directives"),
            floor=floor,
            stats=FrozenMap(stats),
            rejections=FrozenMap(),
        )

    instance = with_floor(0.0)
    answers = (answer for answer in task.attacks(instance).values() if answer.strip())
    return with_floor(max(task.score(instance, answer).native for answer in answers))


def _directives(operations: list[_Row]) -> Iterator[Directive]:
    for operation in operations:
        match operation["kind"]:
            case "premise":
                yield Premise(operation["content"])
            case "axiom":
                yield Axiom(operation["content"])
            case "strict" | "defeasible" as kind:
                make = StrictRule if kind == "strict" else DefeasibleRule
                yield make(operation["name"], tuple(operation["antecedents"]), operation["consequent"])
            case "prefer_rule" | "prefer_premise" as kind:
                prefer = RulePreference if kind == "prefer_rule" else PremisePreference
                yield prefer(operation["stronger"], operation["weaker"])
            case kind:
                raise InstanceError(f"operation kind {kind!r} is not known")


def _goals(row: _Row) -> Question:
    wanted = row["metadata"]["state"]["goals"]
    return GoalQuestion(tuple(Goal(goal["claim"], goal["want"].lower()) for goal in wanted))


def _formalization(row: _Row) -> Question:
    state, gold = row["metadata"]["state"], row["metadata"]["gold"]
    statuses = tuple(Goal(claim, gold["gold_status"][claim].lower()) for claim in state["queried"])
    return FormalizationQuestion(row["question"], statuses)


def _diagnosis(row: _Row) -> Question:
    found = _DIAGNOSED.search(row["question"])
    if found is None:
        raise InstanceError("the question names no claim that is not justified")
    return DiagnosisQuestion(found[1])


def _semantics(row: _Row) -> Question:
    return SemanticsQuestion(tuple(Query(claim, semantics) for claim, semantics in row["metadata"]["state"]["queries"]))


def _update(row: _Row) -> Question:
    return UpdateQuestion(added=tuple(map(str, _directives(row["metadata"]["pert_ops"]))), retracted=())


_QUESTIONS: Final[Mapping[str, Callable[[_Row], Question]]] = {
    "formalization": _formalization,
    "claim_chain": lambda row: ChainQuestion(row["metadata"]["state"]["claim"]),
    "defeat_diagnosis": _diagnosis,
    "status_query": lambda row: StatusQuestion(tuple(row["metadata"]["state"]["queried"])),
    "semantics_query": _semantics,
    "perturbation": _update,
    **dict.fromkeys(
        (
            "preference_construction",
            "counter_argument",
            "counter_argument_strict",
            "attack",
            "defence",
            "attack_defense",
        ),
        _goals,
    ),
}
