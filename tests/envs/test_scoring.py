"""What ``score`` is asked with is checked whether or not the answer needs it; what it is asked about, too."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import arggym_env as ag
from arggym_env.instances import AnyInstance
from arggym_env.logihard import FAMILIES, ask, generate_atomic

INSTANCES = {task: ag.generate(task, 1, ag.ORDERINGS[0], 0) for task in ag.TASKS}
QUESTIONS: tuple[AnyInstance, ...] = (*INSTANCES.values(), ask(generate_atomic(next(iter(FAMILIES)), 1, 0), 0))
SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "engine of another name": ({"engine": "x"}, "engine 'x' is not one of 'native', 'pyarg'"),
    "no engine": ({"engine": None}, "engine None is not one of 'native', 'pyarg'"),
    "a list of engines": ({"engine": ["native"]}, "engine ['native'] is not one of 'native', 'pyarg'"),
    "no arguments": ({"max_arguments": 0}, "max_arguments 0 is not a positive integer"),
    "text": ({"max_arguments": "many"}, "max_arguments 'many' is not a positive integer"),
    "no limit": ({"max_arguments": None}, "max_arguments None is not a positive integer"),
    "a fraction": ({"max_arguments": 10.5}, "max_arguments 10.5 is not a positive integer"),
    "a truth": ({"max_arguments": True}, "max_arguments True is not a positive integer"),
}


@pytest.mark.parametrize(("settings", "message"), SETTINGS.values(), ids=SETTINGS.keys())
def test_settings_are_refused_for_every_task_and_every_completion(settings: dict[str, Any], message: str) -> None:
    for question in QUESTIONS:
        for completion in (f"<answer>{question.reference}</answer>", "no answer", None):
            with pytest.raises(ag.CoordinateError, match=f"^{re.escape(message)}$"):
                ag.score(question, completion, **settings)


def test_settings_that_are_allowed_change_no_score() -> None:
    for instance in INSTANCES.values():
        completion = f"<answer>{instance.reference}</answer>"
        assert ag.score(instance, completion) == ag.score(instance, completion, engine="pyarg", max_arguments=4_000)


WRONG: dict[str, Any] = {
    "a row": json.loads(INSTANCES["attack"].to_json()),
    "a line": INSTANCES["attack"].to_json(),
    "nothing": None,
    "a theory": INSTANCES["attack"].theory,
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_no_question_is_refused(wrong: Any) -> None:
    expected = f"is {type(wrong).__name__}, not an Instance or a LogiHard item; from_json reads"
    for completion in ("<answer>x</answer>", "no answer", None):
        with pytest.raises(ag.InstanceError, match=expected):
            ag.score(wrong, completion)
