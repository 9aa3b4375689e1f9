"""From a completion to a score: take the answer region, hand it to the task's contract."""

from __future__ import annotations

from arggym_env.coordinates import check_positive
from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, get_engine
from arggym_env.envs import checked
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.rewards.answer import extract_answer
from arggym_env.rewards.score import Reason, Score


def score(
    instance: Instance,
    completion: object,
    *,
    engine: str = "native",
    max_arguments: int = DEFAULT_MAX_ARGUMENTS,
) -> Score:
    """Return the score of ``completion``, a model's whole response to ``instance.prompt``.

    Total: any object has a score; one that is not a string scores 0 with reason ``not_text``. Never regenerates the
    instance.

    Args:
        instance: the question with its gold.
        completion: the text that the model wrote after the prompt, thinking included, the prompt not.
        engine: "native" or "pyarg"; both give the same score.
        max_arguments: a submission whose theory has more arguments scores 0 with reason ``too_many_arguments``.

    Raises:
        CoordinateError: the engine or ``max_arguments`` is not allowed, whether or not this answer needs it.
        PluginError: the task is a plug-in's, and its scorer raised or returned something that is no score.
    """
    if engine != "native" or max_arguments is not DEFAULT_MAX_ARGUMENTS:  # nearly every call has the defaults
        check_settings(engine, max_arguments)
    answer = extract_answer(completion)
    if answer.text is None:
        return Score(0.0, False, False, answer.reason or Reason.NO_ANSWER)
    task = get_task(instance.task)
    return checked.score(task, instance, answer.text, engine=engine, max_arguments=max_arguments)


def check_settings(engine: str, max_arguments: int) -> None:
    """Raise CoordinateError unless ``engine`` is an engine's name and ``max_arguments`` a positive integer."""
    get_engine(engine)
    check_positive("max_arguments", max_arguments)


def corrected(native: float, floor: float) -> float:
    """Return the native score above the floor, rescaled to [0, 1]: max(0, (native - floor) / (1 - floor)).

    It is 0 for what an answer can get without reading the theory, and 1 for a native score of 1.
    """
    return max(0.0, (native - floor) / (1.0 - floor)) if floor < 1.0 else float(native >= 1.0)
