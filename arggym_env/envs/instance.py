"""An instance: one question, and everything its scorer needs (spec section 4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from arggym_env.coordinates import Coordinates
from arggym_env.envs import codec
from arggym_env.envs.question import Question
from arggym_env.errors import CoordinateError, InstanceError, PluginError, TheoryError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue
from arggym_env.theory import Theory
from arggym_env.versions import Versions


@dataclass(frozen=True, slots=True)
class Instance:
    """One immutable question with its gold.

    Attributes:
        coordinates: task, level, ordering, split and seed; each is also an attribute of the instance.
        prompt: the whole question as the model reads it.
        theory: the theory that the question is about.
        question: what is asked of the theory, in the task's own dataclass.
        reference: an answer (the text inside the answer region) that scores native 1 with success. It is the gold, and
            the only place where the gold stands.
        min_directives: the fewest directives that succeed (constructive tasks; None for the others).
        floor: the best native score that an answer can get here without reading the theory, measured by the attack
            battery when the instance was made.
        stats: structural numbers: premises, axioms, strict_rules, defeasible_rules, preferences, arguments, attacks
            (direct), defeats, depth (rule applications on the longest path), prompt_characters, and the task's own.
        rejections: how many candidates the generator rejected before this one, by reason.
        versions: what the instance was generated, worded and scored with: its task's, which are the package's own
            except for tasks of plug-ins.
    """

    coordinates: Coordinates
    prompt: str
    theory: Theory
    question: Question
    reference: str
    min_directives: int | None
    floor: float
    stats: FrozenMap[int]
    rejections: FrozenMap[int]
    versions: Versions = Versions()

    @property
    def id(self) -> str:
        """The coordinates as one word, for logs and files."""
        return self.coordinates.id

    @property
    def task(self) -> str:
        """The task's name."""
        return self.coordinates.task

    @property
    def level(self) -> int:
        """The curriculum level, 1 to 15."""
        return self.coordinates.level

    @property
    def ordering(self) -> str:
        """The preference ordering, one of ``ORDERINGS``."""
        return self.coordinates.ordering

    @property
    def split(self) -> str:
        """The split whose stream the instance came from."""
        return self.coordinates.split

    @property
    def seed(self) -> int:
        """The seed within the split."""
        return self.coordinates.seed

    def to_json(self) -> str:
        """Return the instance as one line of JSON; ``from_json`` is the inverse."""
        row: dict[str, JsonValue] = {
            "id": self.id,
            "coordinates": codec.encode(self.coordinates),
            "prompt": self.prompt,
            "theory": str(self.theory),
            "question": codec.encode(self.question),
            "reference": self.reference,
            "min_directives": self.min_directives,
            "floor": self.floor,
            "stats": dict(self.stats),
            "rejections": dict(self.rejections),
            "versions": codec.encode(self.versions),
        }
        return json.dumps(row, ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Instance:
        """Return the instance that ``to_json`` wrote, without generating anything.

        Raises:
            InstanceError: the text is not such a line, its prompt or scoring version is not this package's (or not the
                plug-in's whose task it is), or it is of a task that is not installed.
        """
        from arggym_env.envs.registry import get_task  # tasks import Instance

        row = _read_object(text)
        try:
            versions = codec.decode(Versions, row["versions"], "versions")
            _check_versions(versions, _task_named(row))
            coordinates = codec.decode(Coordinates, row["coordinates"], "coordinates")
            instance = cls(
                coordinates=coordinates,
                prompt=_text(row, "prompt"),
                theory=Theory.parse(_text(row, "theory")),
                question=codec.decode(get_task(coordinates.task).question_type, row["question"], "question"),
                reference=_text(row, "reference"),
                min_directives=_minimum(row["min_directives"]),
                floor=_floor(row["floor"]),
                stats=_counts(row, "stats"),
                rejections=_counts(row, "rejections"),
                versions=versions,
            )
        except KeyError as error:
            raise InstanceError(f"instance: field {error.args[0]!r} is missing") from None
        except (TheoryError, CoordinateError, PluginError) as error:
            raise InstanceError(f"instance {row.get('id')!r:.80}: {error}") from None
        if row.get("id") != instance.id:
            raise InstanceError(f"instance: id {row.get('id')!r:.80} does not fit its coordinates {instance.id!r}")
        return instance


def _read_object(text: str) -> dict[str, JsonValue]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InstanceError(f"instance: not JSON ({error})") from None
    if not isinstance(row, dict):
        raise InstanceError("instance: not a JSON object")
    return row


def _versions_of(task: str) -> Versions:
    """Return what the task's instances are made with; the package's own for a task that is not known."""
    from arggym_env.envs.registry import get_task  # tasks import Instance

    try:
        return get_task(task).versions
    except CoordinateError:
        return Versions()


def _task_named(row: Mapping[str, JsonValue]) -> str:
    """Return the task that ``row`` names, "" where it names none; a row of other versions may hold anything."""
    match row.get("coordinates"):
        case {"task": str(task)}:
            return task
    return ""


def _check_versions(versions: Versions, task: str) -> None:
    expected = _versions_of(task)
    whose = f"task {task}'s" if "." in task else "this package's"
    for name, found, ours in (
        ("prompt", versions.prompt, expected.prompt),
        ("scoring", versions.scoring, expected.scoring),
    ):
        if found != ours:
            raise InstanceError(f"instance: {name} version {found} is not {whose} {name} version {ours}")


def _text(row: Mapping[str, JsonValue], field: str) -> str:
    value = row[field]
    if not isinstance(value, str):
        raise InstanceError(f"instance: {field} {value!r:.80} is not a string")
    return value


def _minimum(value: JsonValue) -> int | None:
    if value is not None and (type(value) is not int or value < 1):
        raise InstanceError(f"instance: min_directives {value!r:.80} is not a positive integer or null")
    return value


def _floor(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InstanceError(f"instance: floor {value!r:.80} is not a number from 0 to 1")
    return float(value)


def _counts(row: Mapping[str, JsonValue], field: str) -> FrozenMap[int]:
    value = row[field]
    if not isinstance(value, dict):
        raise InstanceError(f"instance: {field} {value!r:.80} is not an object")
    counts: dict[str, int] = {}
    for name, count in value.items():
        if type(count) is not int:
            raise InstanceError(f"instance: {field}.{name} {count!r:.80} is not an integer")
        counts[name] = count
    return FrozenMap(counts)
