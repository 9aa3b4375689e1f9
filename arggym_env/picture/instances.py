"""Pictures of instances: the theory with what is asked of it, and what an answer that adds to it brings about."""

from __future__ import annotations

from collections.abc import Iterable

from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, State, evaluate
from arggym_env.envs.claim_chain import ChainQuestion
from arggym_env.envs.constructive import ConstructiveTask
from arggym_env.envs.defeat_diagnosis import DiagnosisQuestion
from arggym_env.envs.formalization import FormalizationQuestion
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import GoalQuestion, Question, StatusQuestion
from arggym_env.envs.registry import get_task
from arggym_env.envs.semantics_query import SemanticsQuestion
from arggym_env.envs.update import UpdateQuestion
from arggym_env.errors import ArgumentLimitExceeded
from arggym_env.picture.drawing import draw
from arggym_env.picture.layout import Layout
from arggym_env.rewards.answer import extract_answer
from arggym_env.rewards.legality import judge
from arggym_env.rewards.score import Score
from arggym_env.theory import Directive, parse_directive
from arggym_env.theory.typography import content_lines

_SHOWN: int = 4
"""How many directives a caption lists."""


def draw_instance(
    instance: Instance, completion: object = None, score: Score | None = None, *, layout: Layout = "layered"
) -> str:
    """Return a picture of the theory of ``instance``, as :func:`~arggym_env.picture.draw` makes them.

    It is made for people: it shows statuses, which are the answer to many questions.

    Args:
        instance: the instance.
        completion: a completion that was scored. If the task is constructive and the score came from running the
            answer, the picture is of the theory with the answer's legal directives, and marks what they changed.
        score: its score.
        layout: as for ``draw``.
    """
    state = evaluate(instance.theory, instance.ordering)
    captions = _update_captions(instance.question)
    before = None
    if score is not None:
        outcome = "success" if score.success else "no success"
        captions.append(f"Answer: {outcome} ({score.reason}), native {score.native:.3f}")
        added = _added(instance, completion, score)
        if added:
            captions.append(f"Added: {_listed(map(str, added))}")
            before, state = state, _with(state, added)
            if state is before:
                captions.append("The answer's theory has too many arguments; this is the theory without it.")
    return draw(
        state, title=instance.id, asked=asked_of(instance.question), before=before, captions=captions, layout=layout
    )


def asked_of(question: Question) -> dict[str, str]:
    """Return the claims that ``question`` is about, each with what is asked of it in a word or two."""
    match question:
        case StatusQuestion(claims):
            return dict.fromkeys(claims, "asked")
        case GoalQuestion(goals):
            return {goal.literal: f"wanted: {goal.status}" for goal in goals}
        case ChainQuestion(target) | DiagnosisQuestion(target):
            return {target: "asked"}
        case SemanticsQuestion(queries):
            return dict.fromkeys((query.claim for query in queries), "asked")
        case FormalizationQuestion(_, statuses):
            return {goal.literal: f"given: {goal.status}" for goal in statuses}
    return {}


def _update_captions(question: Question) -> list[str]:
    if not isinstance(question, UpdateQuestion):
        return []
    parts = (("The update adds", question.added), ("The update retracts", question.retracted))
    return [f"{what} {_listed(directives)}" for what, directives in parts if directives]


def _listed(directives: Iterable[str]) -> str:
    lines = list(directives)
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return " ".join(line if len(line) <= 60 else f"{line[:57]}..." for line in lines[:_SHOWN]) + more


def _added(instance: Instance, completion: object, score: Score) -> tuple[Directive, ...]:
    """Return the directives with which the scorer ran the answer; none if the task or the answer is of another kind."""
    task = get_task(instance.task)
    if not isinstance(task, ConstructiveTask) or "retained" not in score.detail:
        return ()
    lines = content_lines(extract_answer(completion).text or "")
    return judge(instance.theory, task.legality, [parse_directive(line.text) for line in lines]).retained


def _with(state: State, added: Iterable[Directive]) -> State:
    try:
        return evaluate(state.theory.add(added), state.ordering, max_arguments=DEFAULT_MAX_ARGUMENTS)
    except ArgumentLimitExceeded:
        return state
