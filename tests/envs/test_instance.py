"""Stored instances: what is written is what is read, and everything else is refused with one clear error."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from typing import Any, Final

import pytest

from arggym_env.coordinates import Coordinates
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS
from arggym_env.envs.scoring import score
from arggym_env.errors import CoordinateError, InstanceError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import Reason
from arggym_env.versions import GENERATOR_VERSION, PROMPT_VERSION, SCORING_VERSION
from tests.envs.samples import sample

Row = dict[str, Any]
Change = Callable[[Row], None]
LEVEL: Final = 2


@pytest.fixture(params=TASKS)
def instance(request: pytest.FixtureRequest) -> Instance:
    return sample(request.param, LEVEL)


def changed(instance: Instance, change: Change) -> str:
    row = json.loads(instance.to_json())
    change(row)
    return json.dumps(row)


def put(path: str, value: object) -> Change:
    """Return the change that sets the field at ``path``, given by names and indices joined with dots."""

    def change(row: Row) -> None:
        *outer, last = path.split(".")
        place: Any = row
        for step in outer:
            place = place[step]
        place[last] = value

    return change


def test_reading_undoes_writing(instance: Instance) -> None:
    text = instance.to_json()
    again = Instance.from_json(text)
    assert again == instance
    assert hash(again) == hash(instance)
    assert again.to_json() == text
    assert Instance.from_json(f"  {text}\n") == instance


def test_a_row_is_one_line_of_ascii(instance: Instance) -> None:
    text = instance.to_json()
    assert text.isascii()
    assert text.splitlines() == [text]
    assert list(json.loads(text)) == [
        *("id", "coordinates", "prompt", "theory", "question", "reference", "min_directives"),
        *("floor", "stats", "rejections", "versions"),
    ]


def test_key_order_and_layout_of_the_json_do_not_matter(instance: Instance) -> None:
    row = json.loads(instance.to_json())
    turned = json.dumps(dict(reversed(row.items())), indent=2)
    assert Instance.from_json(turned) == instance


def test_a_stored_row_scores_like_the_instance_and_is_not_generated_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arggym_env.envs.registry import get_task

    def refuse(*_: object) -> None:
        raise AssertionError("scoring a row must not build anything")

    monkeypatch.setattr(type(get_task(instance.task)), "build", refuse)
    again = Instance.from_json(instance.to_json())
    for answer in (instance.reference, "junk", "[premise: x]", instance.prompt):
        completion = f"<answer>{answer}</answer>"
        assert score(again, completion) == score(instance, completion)


def test_pickles_and_copies_are_equal(instance: Instance) -> None:
    for again in (pickle.loads(pickle.dumps(instance)), copy.copy(instance), copy.deepcopy(instance)):
        assert again == instance
        assert hash(again) == hash(instance)
        assert again.to_json() == instance.to_json()


def test_an_instance_cannot_be_changed(instance: Instance) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        instance.reference = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        instance.stats["arguments"] = 0  # type: ignore[index]


def test_the_coordinates_are_attributes_and_make_the_id(instance: Instance) -> None:
    assert (instance.task, instance.level, instance.ordering, instance.split, instance.seed) == dataclasses.astuple(
        instance.coordinates
    )
    assert instance.id == f"{instance.task}/L02/last_link_elitist/train/0"


NOT_ROWS = {
    "nothing": "",
    "no JSON": "<row>",
    "half a row": '{"id": "attack',
    "a list": "[]",
    "text": '"x"',
    "a number": "3",
    "null": "null",
    "an empty object": "{}",
    "deep nesting": "[" * 100_000,
    "a long number": '{"seed": ' + "9" * 10_000 + "}",
    "a lone surrogate": "\ud800",
    "two rows": "{}\n{}",
}


@pytest.mark.parametrize("name", NOT_ROWS)
def test_what_is_no_row_is_refused(name: str) -> None:
    with pytest.raises(InstanceError, match=r"^instance: ") as caught:
        Instance.from_json(NOT_ROWS[name])
    assert len(str(caught.value)) < 300


FIELDS = (
    *("id", "coordinates", "prompt", "theory", "question", "reference", "min_directives"),
    *("floor", "stats", "rejections", "versions"),
)


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_needed(instance: Instance, field: str) -> None:
    with pytest.raises(InstanceError, match=rf"\b{field}\b"):
        Instance.from_json(changed(instance, lambda row: row.pop(field)))


BROKEN: dict[str, tuple[Change, str]] = {
    "id of another instance": (put("id", "attack/L01/last_link_elitist/train/1"), "does not fit its coordinates"),
    "id that is no text": (put("id", 5), "does not fit its coordinates"),
    "coordinates that are a list": (put("coordinates", []), "coordinates: .* is not an object"),
    "coordinates with a field too many": (put("coordinates.extra", 1), "unknown fields"),
    "coordinates without seed": (lambda row: row["coordinates"].pop("seed"), "missing fields"),
    "an unknown task": (put("coordinates.task", "dance"), "task 'dance' is not one of"),
    "a task that is no text": (put("coordinates.task", 1), "coordinates.task"),
    "level 0": (put("coordinates.level", 0), r"level 0 is not in 1..15"),
    "level 16": (put("coordinates.level", 16), r"level 16 is not in 1..15"),
    "a level as text": (put("coordinates.level", "2"), "coordinates.level"),
    "a level as bool": (put("coordinates.level", True), "coordinates.level"),
    "a level as float": (put("coordinates.level", 2.0), "coordinates.level"),
    "a misspelt ordering": (put("coordinates.ordering", "last link elitist"), "ordering 'last link elitist'"),
    "an unknown split": (put("coordinates.split", "test"), "split 'test' is not one of"),
    "a negative seed": (put("coordinates.seed", -1), "seed -1 is not"),
    "a seed beyond the limit": (put("coordinates.seed", 2**63), "seed 9223372036854775808 is not"),
    "a prompt that is no text": (put("prompt", None), "prompt None is not a string"),
    "a theory that is no text": (put("theory", ["[premise: x]"]), "theory .* is not a string"),
    "a theory that cannot be read": (put("theory", "[premise: x]\nnonsense"), "line 2: cannot read 'nonsense'"),
    "a theory that is not well formed": (put("theory", "[premise: x]\n[axiom: x]"), "line 2: x is both"),
    "a question that is a list": (put("question", []), "question: .* is not an object"),
    "a question with a field too many": (put("question.extra", 1), "unknown fields"),
    "an empty question": (put("question", {}), "question: missing fields"),
    "a reference that is no text": (put("reference", 3), "reference 3 is not a string"),
    "a minimum of zero": (put("min_directives", 0), "min_directives 0 is not"),
    "a negative minimum": (put("min_directives", -2), "min_directives -2 is not"),
    "a minimum that is a fraction": (put("min_directives", 1.5), "min_directives 1.5 is not"),
    "a minimum that is a bool": (put("min_directives", True), "min_directives True is not"),
    "a minimum that is text": (put("min_directives", "2"), "min_directives '2' is not"),
    "a floor above one": (put("floor", 1.5), "floor 1.5 is not"),
    "a negative floor": (put("floor", -0.1), "floor -0.1 is not"),
    "a floor that is no number": (put("floor", float("nan")), "floor nan is not"),
    "a floor that is text": (put("floor", "0.1"), "floor '0.1' is not"),
    "a floor that is a bool": (put("floor", False), "floor False is not"),
    "a floor that is null": (put("floor", None), "floor None is not"),
    "stats that are a list": (put("stats", []), "stats .* is not an object"),
    "stats that are text": (put("stats.arguments", "many"), "stats.arguments 'many' is not an integer"),
    "stats that are fractions": (put("stats.arguments", 1.5), "stats.arguments 1.5 is not an integer"),
    "rejections that are null": (put("rejections", None), "rejections None is not an object"),
    "rejections that are bools": (put("rejections", {"size": True}), "rejections.size True is not an integer"),
    "versions that are a number": (put("versions", 1), "versions: .* is not an object"),
    "versions without scoring": (lambda row: row["versions"].pop("scoring"), "missing fields"),
    "a version that is text": (put("versions.prompt", "1"), "versions.prompt"),
    "another prompt version": (
        put("versions.prompt", PROMPT_VERSION + 1),
        f"prompt version {PROMPT_VERSION + 1} is not this package's prompt version {PROMPT_VERSION}",
    ),
    "another scoring version": (
        put("versions.scoring", SCORING_VERSION - 1),
        f"scoring version {SCORING_VERSION - 1} is not this package's scoring version {SCORING_VERSION}",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_field_is_one_clear_error(name: str) -> None:
    change, message = BROKEN[name]
    with pytest.raises(InstanceError, match=message) as caught:
        Instance.from_json(changed(sample("attack", LEVEL), change))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_any_other_shape_is_an_error_or_another_instance(instance: Instance, field: str) -> None:
    """Nothing but InstanceError comes out, and never the instance itself."""
    values: tuple[object, ...] = (None, 0, 1.5, True, "x", [], {}, [None], {"x": [1]})
    for value in values:
        text = changed(instance, put(field, value))
        if json.loads(text) == json.loads(instance.to_json()):
            continue
        try:
            found = Instance.from_json(text)
        except InstanceError:
            continue
        assert found != instance, value


def test_another_version_is_named_before_anything_else_is_read() -> None:
    """A row of another package version may differ in every field; the version is what its user needs to hear."""
    row = {"versions": {"generator": 1, "prompt": 99, "scoring": SCORING_VERSION}, "question": "?"}
    with pytest.raises(InstanceError, match="prompt version 99"):
        Instance.from_json(json.dumps(row))


def test_rows_of_another_generator_can_be_scored() -> None:
    """The generator made the row; scoring never runs it again."""
    instance = sample("attack", LEVEL)
    other = Instance.from_json(changed(instance, put("versions.generator", GENERATOR_VERSION + 1)))
    assert other.versions.generator == GENERATOR_VERSION + 1
    assert score(other, f"<answer>{instance.reference}</answer>").success


def test_a_question_of_another_task_is_refused() -> None:
    row = json.loads(sample("attack", LEVEL).to_json())
    row["question"] = json.loads(sample("status_query", LEVEL).to_json())["question"]
    with pytest.raises(InstanceError, match="question: missing fields"):
        Instance.from_json(json.dumps(row))


@pytest.mark.parametrize(
    ("task", "question"),
    [
        ("attack", {"goals": []}),
        ("attack", {"goals": [{"literal": "--x", "status": "overruled"}]}),
        ("attack", {"goals": [{"literal": "x", "status": "dead"}]}),
        ("status_query", {"claims": []}),
        ("status_query", {"claims": ["x y"]}),
    ],
)
def test_a_question_that_asks_nothing_sensible_is_refused(task: str, question: object) -> None:
    """Without goals every answer would reach all of them."""
    with pytest.raises(InstanceError):
        Instance.from_json(changed(sample(task, LEVEL), put("question", question)))


def test_an_integer_is_read_as_a_floor() -> None:
    instance = Instance.from_json(changed(sample("attack", LEVEL), put("floor", 0)))
    assert type(instance.floor) is float


@pytest.mark.parametrize("value", [1, 0.5, None, [1], "<answer>x</answer>"])
def test_scores_are_about_completions_of_any_kind(value: object) -> None:
    verdict = score(sample("attack", LEVEL), value)
    assert not verdict.success
    assert verdict.reason is (Reason.UNREADABLE if isinstance(value, str) else Reason.NOT_TEXT)


@pytest.mark.parametrize(
    "values",
    [
        ("attack", 0, "last-link elitist", "train", 0),
        ("attack", 1, "elitist last-link", "train", 0),
        ("attack", 1, "last-link elitist", "dev", 0),
        ("attack", 1, "last-link elitist", "train", 0.0),
    ],
)
def test_coordinates_are_checked_when_made(values: tuple[Any, ...]) -> None:
    with pytest.raises(CoordinateError):
        Coordinates(*values)


def test_frozen_maps_are_values() -> None:
    one, other = FrozenMap({"a": 1, "b": 2}), FrozenMap({"b": 2, "a": 1})
    assert one == other == {"a": 1, "b": 2}
    assert hash(one) == hash(other)
    assert list(one) == ["a", "b"]
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.deepcopy(one) == one
    assert FrozenMap[int]() == {}
    with pytest.raises(TypeError):
        one["c"] = 3  # type: ignore[index]
