"""The promises of a task, each a function that yields a line for every breach it finds.

``PROMISES`` are about one instance, ``TASK_PROMISES`` about a task as a whole. They say nothing of what a task asks:
they hold for any task whose answer is lines of text in an answer region.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Final, TypeAlias

from arggym_env.coordinates import LEVELS, SPLITS
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs import checked, codec
from arggym_env.envs.generation import MAX_PROMPT_CHARACTERS, generate
from arggym_env.envs.gym_env import ArgumentationEnv
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import corrected, score
from arggym_env.errors import TheoryError
from arggym_env.rewards.score import Reason, Score
from arggym_env.testing.hostile import HOSTILE
from arggym_env.theory import Theory, canonical_hash

Promise: TypeAlias = Callable[[Instance], Iterator[str]]
"""Yields what an instance breaks."""
TaskPromise: TypeAlias = Callable[[str], Iterator[str]]
"""Yields what the task of this name breaks."""

SCORING_SECONDS: Final = 1.0
"""Process time that scoring one completion may take, whatever the completion."""
FORGIVEN: Final = "blank lines, list bullets and code fences inside it are ignored"
"""What every prompt says of an answer's layout."""
DETAIL_CHARACTERS: Final = 40_000
"""How long a score's detail may get, whatever the completion."""


def answered(text: str) -> str:
    """Return a completion that thinks and then answers ``text``."""
    return f"<think>\nlet me see\n</think>\nSo:\n<answer>\n{text}\n</answer>"


def is_right(verdict: Score) -> bool:
    """Return whether a score is that of a right answer in all its parts."""
    return verdict.native == 1.0 and verdict.success and verdict.answer_found and verdict.reason is Reason.CORRECT


def breaches_of_scoring(verdict: Score) -> Iterator[str]:
    """Yield what keeps a score from being one: its types, its range, and that its parts fit each other."""
    malformed = list(checked.score_problems(verdict))
    yield from (f"the score has {problem}" for problem in malformed)
    if malformed:
        return
    if (verdict.reason is Reason.CORRECT) != (verdict.success and verdict.native == 1.0):
        yield f"reason {verdict.reason} with native {verdict.native} and success {verdict.success}"
    if verdict.success and not verdict.native > 0:
        yield "success with native 0"
    if not verdict.answer_found and (verdict.native or verdict.success):
        yield f"native {verdict.native} without an answer"
    if pickle.loads(pickle.dumps(verdict)) != verdict:
        yield "the score does not survive pickling"
    if len(written := json.dumps(dict(verdict.detail))) > DETAIL_CHARACTERS:
        yield f"detail has {len(written)} characters"


def the_reference_is_right(instance: Instance) -> Iterator[str]:
    """Both engines give it native 1 with success."""
    for engine in ("native", "pyarg"):
        verdict = score(instance, answered(instance.reference), engine=engine)
        if not is_right(verdict):
            yield f"the reference scores {verdict.native} ({verdict.reason}) under the engine {engine}"
        yield from breaches_of_scoring(verdict)
    if corrected(1.0, instance.floor) != 1.0:
        yield f"floor {instance.floor} leaves nothing above it"


def forgiven_layout_costs_nothing(instance: Instance) -> Iterator[str]:
    """What the prompt says is ignored is ignored."""
    if FORGIVEN not in " ".join(instance.prompt.split()):
        yield f"the prompt does not say that {FORGIVEN}; wording.answer_region does"
        return
    lines = instance.reference.splitlines()
    for layout, text in (
        ("blank lines", "\n\n".join(lines)),
        ("CRLF", "\r\n".join(lines)),
        ("bullets", "\n".join(f"- {line}" for line in lines)),
        ("numbers", "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))),
        ("a code fence", "```\n" + instance.reference + "\n```"),
        ("blanks at both ends", "\n".join(f"   {line}\t" for line in lines)),
        ("empty bullets", "- \n" + instance.reference + "\n-"),
        ("the Unicode minus", instance.reference.replace("-", "\u2212")),
    ):
        if not is_right(score(instance, answered(text))):
            yield f"the reference with {layout} is not right"
    for completion in (
        f"<answer>{instance.reference}</answer>",
        f"<answer>junk</answer> no: <answer>{instance.reference}</answer> done",
    ):
        if not is_right(score(instance, completion)):
            yield f"{completion[:40]!r}... is not right"


def wrong_answers_are_not_right(instance: Instance) -> Iterator[str]:
    """A missing line and a line of junk cost something."""
    lines = instance.reference.splitlines()
    for what, text in (("first", lines[1:]), ("last", lines[:-1])):
        verdict = score(instance, answered("\n".join(text)))
        if verdict.native == 1.0:
            yield f"the reference without its {what} line has native 1"
        yield from breaches_of_scoring(verdict)
    verdict = score(instance, answered(f"{instance.reference}\nand that is my answer"))
    if verdict.success or verdict.native == 1.0:
        yield f"the reference with a line of junk has native {verdict.native}, success {verdict.success}"


def junk_earns_nothing_quickly(instance: Instance) -> Iterator[str]:
    """No text and no object raises, takes long, or earns more than the floor."""
    for name, text in HOSTILE.items():
        for tagged, completion in ((False, text), (True, f"<answer>{text}</answer>")):
            start = time.process_time()
            verdict = score(instance, completion)
            seconds = time.process_time() - start
            if seconds > SCORING_SECONDS:
                yield f"scoring {name} took {seconds:.1f} s"
            if verdict.success or verdict.native > (instance.floor if tagged else 0.0):
                yield f"{name} has native {verdict.native}, success {verdict.success}"
            yield from breaches_of_scoring(verdict)
    others: tuple[object, ...] = (None, 3, b"<answer></answer>", ["x"], float("nan"), object())
    for other in others:
        verdict = score(instance, other)
        if (verdict.native, verdict.success, verdict.reason) != (0.0, False, Reason.NOT_TEXT):
            yield f"a completion of type {type(other).__name__} scores {verdict.native} ({verdict.reason})"


def an_answer_in_the_thoughts_or_cut_off_does_not_count(instance: Instance) -> Iterator[str]:
    """Only a complete region after the thinking is an answer."""
    reference = instance.reference
    for completion in (
        reference,
        f"<think><answer>{reference}</answer></think>",
        f"<think><answer>{reference}</answer>",
        f"<answer>{reference}",
        f"{reference}</answer>",
        f"<answer>{reference}</answer></think> and then nothing",
        f"<answer>{reference}</answer><answer></answer>",
    ):
        verdict = score(instance, completion)
        if (verdict.native, verdict.success, verdict.answer_found) != (0.0, False, False):
            yield f"{completion[:40]!r}... has native {verdict.native}"
    verdict = score(instance, f"<think><answer>{reference}</answer></think><answer>junk</answer>")
    if verdict.success or verdict.native == 1.0:
        yield "junk after a right answer in the thoughts is right"


def no_policy_that_ignores_the_theory_succeeds(instance: Instance) -> Iterator[str]:
    """The best of them is the floor."""
    task = get_task(instance.task)
    policies = checked.attacks(task, instance)
    verdicts = {name: score(instance, f"<answer>{answer}</answer>") for name, answer in policies.items()}
    for name, verdict in verdicts.items():
        if verdict.success:
            yield f"the attack {name} succeeds"
    best = max((verdict.native for verdict in verdicts.values()), default=None)
    if best != instance.floor:
        yield f"the floor is {instance.floor}, the best attack has native {best}"
    if not instance.floor < 1.0:
        yield f"floor {instance.floor} is not below 1"
    untagged = instance.prompt.replace("<answer>", "").replace("</answer>", "")
    for answer in (instance.prompt, untagged, *policies.values()):
        if answer.strip() and checked.score(task, instance, answer).success:
            yield f"{answer[:40]!r}... succeeds as an answer"
    if checked.attacks(task, instance) != policies:
        yield "the attacks differ from one call to the next"


def attacks_do_not_look_at_the_gold(instance: Instance) -> Iterator[str]:
    """They may know the theory's text, the question and the number of directives that are enough."""
    task = get_task(instance.task)
    blind = dataclasses.replace(instance, reference="?", floor=0.0)
    if checked.attacks(task, blind) != checked.attacks(task, instance):
        yield "the attacks depend on the reference or the floor"


def the_same_coordinates_give_the_same_bytes(instance: Instance) -> Iterator[str]:
    """Generation is a pure function."""
    again = generate(instance.task, instance.level, instance.ordering, instance.seed, instance.split)
    if again != instance or again.to_json() != instance.to_json():
        yield "generating it again gives another instance"


def json_pickle_and_copies_give_the_instance_back(instance: Instance) -> Iterator[str]:
    """An instance survives every way of storing it, and carries its task's versions."""
    again = Instance.from_json(instance.to_json())
    if again != instance or again.to_json() != instance.to_json():
        yield "from_json(to_json()) is another instance"
    for what, copied in (("pickling", pickle.loads(pickle.dumps(instance))), ("copying", copy.deepcopy(instance))):
        if copied != instance or hash(copied) != hash(instance):
            yield f"{what} gives another instance"
    if instance.versions != get_task(instance.task).versions:
        yield f"the instance carries {instance.versions}, which are not its task's"


def the_gold_is_not_in_what_the_model_is_told(instance: Instance) -> Iterator[str]:
    """Single lines may be: a chain is made of lines of the theory. The reference as a whole may not."""
    told = {
        "prompt": instance.prompt,
        "question": str(codec.encode(instance.question)),
        "statistics": str(dict(instance.stats)),
    }
    for where, text in told.items():
        if instance.reference in text or instance.reference.replace("\n", "\\n") in text:
            yield f"the reference stands in the {where}"
    if get_task(instance.task).prompt(instance.theory, instance.question, instance.ordering) != instance.prompt:
        yield "the prompt is not made of theory, question and ordering alone"
    env = ArgumentationEnv(instance.task, split=instance.split)
    observation, info = env.reset(options={"instance": instance})
    for where, text in (("observation", observation), ("info", str(info))):
        if instance.reference in text or "min_directives" in text:
            yield f"the gold stands in the {where} of reset"


def the_prompt_says_what_it_is_about(instance: Instance) -> Iterator[str]:
    """It names its ordering and no other, shows the theory itself where it shows one, and says where to answer."""
    prompt = instance.prompt
    if instance.ordering not in prompt:
        yield f"the prompt does not name its ordering, {instance.ordering}"
    for other in ORDERINGS:
        if other != instance.ordering and other in prompt:
            yield f"the prompt names another ordering, {other}"
    if "<answer>" not in prompt or "</answer>" not in prompt:
        yield "the prompt does not say where the answer stands"
    if instance.id in prompt:
        yield "the prompt holds the instance's id"
    if prompt != prompt.strip() or not prompt.isascii():
        yield "the prompt begins or ends with blanks, or is not ASCII"
    if not len(prompt) < MAX_PROMPT_CHARACTERS:
        yield f"the prompt has {len(prompt)} characters"
    for theory in itertools.islice(readable_theories(prompt), 1):
        if theory != instance.theory:
            yield "the theory in the prompt is not the instance's"


def readable_theories(prompt: str) -> Iterator[Theory]:
    """Yield the paragraphs of ``prompt`` that can be read as a theory."""
    for paragraph in prompt.split("\n\n"):
        try:
            yield Theory.parse(paragraph)
        except TheoryError:
            continue


def threads_give_the_scores_of_the_main_thread(instance: Instance) -> Iterator[str]:
    """Scoring shares nothing between threads."""
    completions = [answered(text) for text in (instance.reference, "junk", instance.prompt)] * 3
    with ThreadPoolExecutor(4) as pool:
        if list(pool.map(lambda text: score(instance, text), completions)) != [
            score(instance, text) for text in completions
        ]:
            yield "threads give other scores than the main thread"


def the_task_is_declared_whole(name: str) -> Iterator[str]:
    """Its listing, its fifteen levels and its class are what the rest of the package expects."""
    task = get_task(name)
    if task.name != name:
        yield f"the task {name} is called {task.name}"
    if not task.summary or "\n" in task.summary or len(task.summary) > 100:
        yield f"summary {task.summary!r} is not one line of at most 100 characters"
    if len(task.levels) != len(LEVELS):
        yield f"{len(task.levels)} levels instead of {len(LEVELS)}"
    for level in task.levels:
        if not dataclasses.is_dataclass(level) or not type(level).__dataclass_params__.frozen:  # type: ignore[union-attr]
            yield f"level {level!r:.80} is not a frozen dataclass"
            break
    if pickle.loads(pickle.dumps(task)).name != name:
        yield "the task does not survive pickling"


def other_coordinates_give_other_questions(name: str) -> Iterator[str]:
    """Seeds, splits, levels and orderings all matter."""
    first = ORDERINGS[0]
    instances = [generate(name, 1, first, seed) for seed in range(8)]
    instances += [generate(name, 1, first, 0, split) for split in SPLITS[1:]]
    instances += [generate(name, 1, ordering, 0) for ordering in ORDERINGS[1:]]
    instances += [generate(name, level, first, 0) for level in (2, 8)]
    for what, different in (
        ("prompts", {instance.prompt for instance in instances}),
        ("references", {instance.reference for instance in instances}),
        ("theories up to names", {canonical_hash(instance.theory) for instance in instances}),
    ):
        if len(different) < len(instances):
            yield f"{len(instances)} coordinates give {len(different)} different {what}"


PROMISES: Final[Mapping[str, Promise]] = MappingProxyType(
    {
        promise.__name__: promise
        for promise in (
            the_reference_is_right,
            forgiven_layout_costs_nothing,
            wrong_answers_are_not_right,
            junk_earns_nothing_quickly,
            an_answer_in_the_thoughts_or_cut_off_does_not_count,
            no_policy_that_ignores_the_theory_succeeds,
            attacks_do_not_look_at_the_gold,
            the_same_coordinates_give_the_same_bytes,
            json_pickle_and_copies_give_the_instance_back,
            the_gold_is_not_in_what_the_model_is_told,
            the_prompt_says_what_it_is_about,
            threads_give_the_scores_of_the_main_thread,
        )
    }
)
"""What each instance owes, by name."""

TASK_PROMISES: Final[Mapping[str, TaskPromise]] = MappingProxyType(
    {promise.__name__: promise for promise in (the_task_is_declared_whole, other_coordinates_give_other_questions)}
)
"""What each task owes as a whole, by name."""
