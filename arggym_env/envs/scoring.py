"""From a completion to a score: take the answer region, hand it to the task's contract."""

from __future__ import annotations

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
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
    """
    answer = extract_answer(completion)
    if answer.text is None:
        return Score(0.0, False, False, answer.reason or Reason.NO_ANSWER)
    return get_task(instance.task).score(instance, answer.text, engine=engine, max_arguments=max_arguments)


def corrected(native: float, floor: float) -> float:
    """Return the native score above the floor, rescaled to [0, 1]: max(0, (native - floor) / (1 - floor)).

    It is 0 for what an answer can get without reading the theory, and 1 for a native score of 1.
    """
    return max(0.0, (native - floor) / (1.0 - floor)) if floor < 1.0 else float(native >= 1.0)
