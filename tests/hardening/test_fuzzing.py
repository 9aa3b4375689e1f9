"""Scoring is total: of all these completions not one raises, hangs or earns what it should not."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import arggym_env as ag
from arggym_env.errors import TheoryError
from arggym_env.instances import AnyInstance, score
from arggym_env.rewards.answer import extract_answer
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory, parse_directive
from tests.hardening.mutations import BITS, LARGE, SMALL, Step, completion, random_completion
from tests.hardening.questions import KINDS, breaches, plugin_installed, question

R = TypeVar("R")

LIMIT: Final = 1.0
"""Seconds of process time that one completion may take."""
LEVELS: Final = (1, 8, 15)
COMPLETIONS: Final = 200_000
"""How many random completions the long test scores."""

every_kind = pytest.mark.parametrize("kind", KINDS)
numbers = st.integers(0, 2**32 - 1)
small = st.lists(st.builds(Step, st.sampled_from(sorted(SMALL)), numbers, numbers), max_size=6)
large = st.builds(Step, st.sampled_from(sorted(LARGE)), numbers, numbers)
steps = st.integers(0, 19).flatmap(lambda number: st.tuples(small, large).map(_joined) if number == 19 else small)
texts = st.text(st.characters() | st.sampled_from([chr(0xD800), chr(0xDFFF)]), max_size=200) | st.lists(
    st.sampled_from(BITS), max_size=40
).map("".join)


def _joined(pair: tuple[list[Step], Step]) -> list[Step]:
    return [*pair[0], pair[1]]


@pytest.fixture(scope="module", autouse=True)
def _heap() -> Iterator[None]:
    """Keep the garbage collector off what other tests left: walking that would count as scoring."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def _plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with plugin_installed(tmp_path_factory.mktemp("site")):
        yield


class Slowest(NamedTuple):
    """The completion that took longest."""

    seconds: float = 0.0
    kind: str = ""
    start: str = ""


def timed(instance: AnyInstance, text: str) -> tuple[Score, float]:
    """Return the score of ``text`` and the process time that it took, in seconds."""
    started = time.process_time()
    verdict = score(instance, text)
    return verdict, time.process_time() - started


def judge(instance: AnyInstance, text: str) -> Slowest:
    """Score ``text``, hold the score to its contract, and return how long scoring took."""
    verdict, seconds = timed(instance, text)
    if seconds >= LIMIT:  # a garbage collection may have fallen into it; what is slow is slow again
        verdict, seconds = timed(instance, text)
    assert seconds < LIMIT, (instance.id, seconds, text[:200])
    found = breaches(instance, verdict)
    assert not found, (instance.id, found, text[:500])
    return Slowest(seconds, instance.task, text[:80])


# By hypothesis, which shrinks what it finds


@every_kind
@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(level=st.sampled_from(LEVELS), steps=steps, wrapper=numbers, around=st.integers(0, 1))
def test_mutated_references_have_a_score(kind: str, level: int, steps: list[Step], wrapper: int, around: int) -> None:
    instance = question(kind, level)
    judge(instance, completion(instance.reference, steps, wrapper, min(around, len(steps))))


@every_kind
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(level=st.sampled_from(LEVELS), text=texts)
def test_any_text_in_the_answer_region_has_a_score(kind: str, level: int, text: str) -> None:
    judge(question(kind, level), f"<answer>{text}</answer>")


@every_kind
@pytest.mark.slow
@settings(max_examples=1_000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(level=st.sampled_from(LEVELS), steps=steps, wrapper=numbers, around=st.integers(0, 1))
def test_many_mutated_references_have_a_score(
    kind: str, level: int, steps: list[Step], wrapper: int, around: int
) -> None:
    instance = question(kind, level)
    judge(instance, completion(instance.reference, steps, wrapper, min(around, len(steps))))


def read(reader: Callable[[str], R], text: str) -> tuple[R | None, TheoryError | None]:
    """Return what ``reader`` reads, or its complaint."""
    try:
        return reader(text), None
    except TheoryError as error:
        return None, error


@settings(max_examples=300)
@given(texts)
def test_a_directive_is_read_or_refused(text: str) -> None:
    directive, error = read(parse_directive, text)
    assert error is None or "\n" not in str(error), "one line, whatever the text"
    assert directive is None or parse_directive(str(directive)) == directive


@settings(max_examples=300)
@given(steps=steps, level=st.sampled_from(LEVELS))
def test_a_theory_is_read_as_what_it_prints_or_refused_with_a_line(steps: list[Step], level: int) -> None:
    instance = question("status_query", level)
    assert isinstance(instance, ag.Instance)
    started = time.process_time()
    theory, error = read(Theory.parse, completion(str(instance.theory), steps, 6))
    assert error is None or error.line is not None
    assert theory is None or Theory.parse(str(theory)) == theory
    assert time.process_time() - started < LIMIT


@settings(max_examples=500)
@given(
    st.lists(st.sampled_from(["<answer>", "</answer>", "<think>", "</think>", "x", "\n", "<Answer>", " "]), max_size=30)
)
def test_an_answer_region_is_found_where_a_plain_reading_finds_it(parts: list[str]) -> None:
    answer = extract_answer("".join(parts))
    assert (answer.text is None) != (answer.reason is None)
    assert answer == extract_answer("".join(parts).replace("<Answer>", "<answer>"))
    if answer.text is not None:
        after = "".join(parts).rsplit("</think>", 1)[-1].partition("<think>")[0]
        assert f"{answer.text}</answer>" in after.replace("<Answer>", "<answer>")
        assert "<answer>" not in answer.text.lower()
    else:
        assert answer.reason in (Reason.NO_ANSWER, Reason.ANSWER_IN_THOUGHTS, Reason.EMPTY_ANSWER)


# By seeds, as many as the time allows


@every_kind
def test_random_completions_have_a_score(kind: str) -> None:
    rng = random.Random(f"quick {kind}")
    for _ in range(60):
        instance = question(kind, rng.choice(LEVELS))
        judge(instance, random_completion(instance.reference, rng, large=0.02))


@pytest.mark.slow
def test_two_hundred_thousand_completions_have_a_score(record_property: Callable[[str, object], None]) -> None:
    slowest, scored = Slowest(), 0
    for kind in KINDS:
        rng = random.Random(f"long {kind}")
        for number in range(-(-COMPLETIONS // len(KINDS))):
            instance = question(kind, LEVELS[number % len(LEVELS)])
            slowest = max(slowest, judge(instance, random_completion(instance.reference, rng, large=0.005)))
            scored += 1
    assert scored >= COMPLETIONS
    record_property("slowest", f"{slowest.seconds:.3f} s, {slowest.kind}: {slowest.start!r}")
