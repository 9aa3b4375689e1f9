"""The promises that every task keeps are promises that a broken task is caught breaking."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import random
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

import arggym_env as ag
from arggym_env.engine import DEFAULT_MAX_ARGUMENTS
from arggym_env.envs import registry
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import Question
from arggym_env.envs.status_query import StatusQuery
from arggym_env.envs.stream import Stream
from arggym_env.envs.task import Candidate
from arggym_env.rewards.score import Score
from arggym_env.testing import PROMISES, TASK_PROMISES, BrokenPromises, check_task
from arggym_env.testing.__main__ import main
from arggym_env.testing.contract import broken_promises
from arggym_env.theory import Theory
from arggym_env.versions import Versions

TASK = "status_query"


class Judging(StatusQuery):
    """A status query whose score is spoilt by ``spoil``."""

    def score(
        self, instance: Instance, answer: str, *, engine: str = "native", max_arguments: int = DEFAULT_MAX_ARGUMENTS
    ) -> Score:
        return self.spoil(answer, super().score(instance, answer, engine=engine, max_arguments=max_arguments))

    def spoil(self, answer: str, verdict: Score) -> Score:
        return verdict


class RaisesOnJunk(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        answer.encode()  # a lone surrogate has no encoding
        return verdict


class IsSlow(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        if answer.startswith("[[["):
            end = time.process_time() + 1.1
            while time.process_time() < end:
                pass
        return verdict


class PaysAnInteger(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, native=int(verdict.native))


class PaysForJunk(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, native=max(verdict.native, 0.9)) if "{" in answer else verdict


class IgnoresMissingLines(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, native=1.0) if verdict.native > 0.7 else verdict


class DetailsHaveNoJson(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, detail={"answer": {answer}})  # type: ignore[dict-item]


class PaysNaN(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, native=float("nan")) if verdict.native < 1 else verdict


class DetailsHoldNaN(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, detail={"share": float("nan")})


class DisagreesWithItself(Judging):
    calls = itertools.count()

    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, native=float(next(self.calls) % 2))


class PunishesBullets(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        return dataclasses.replace(verdict, native=0.5, success=False) if answer.startswith("\n- ") else verdict


class PeeksAtTheGold(StatusQuery):
    def attacks(self, instance: Instance) -> Mapping[str, str]:
        return {**super().attacks(instance), "gold": instance.reference}


class AttacksAtRandom(StatusQuery):
    def attacks(self, instance: Instance) -> Mapping[str, str]:
        return {**super().attacks(instance), "random": str(random.random())}


class WordsOtherwise(StatusQuery):
    def prompt(self, theory: Theory, question: Question, ordering: str) -> str:
        return super().prompt(theory, question, ordering) + " Good luck."


class BuildsByChance(StatusQuery):
    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        return super().build(level, ordering, Stream(random.getrandbits(64)))


class HasOtherVersions(StatusQuery):
    versions = Versions(generator=9, prompt=1, scoring=1)


FLAWS: dict[type[StatusQuery], str] = {
    RaisesOnJunk: "junk_earns_nothing_quickly",
    IsSlow: "junk_earns_nothing_quickly",
    PaysAnInteger: "the_reference_is_right",
    PaysForJunk: "junk_earns_nothing_quickly",
    IgnoresMissingLines: "wrong_answers_are_not_right",
    DetailsHaveNoJson: "the_reference_is_right",
    PaysNaN: "junk_earns_nothing_quickly",
    DetailsHoldNaN: "the_reference_is_right",
    DisagreesWithItself: "threads_give_the_scores_of_the_main_thread",
    PunishesBullets: "forgiven_layout_costs_nothing",
    PeeksAtTheGold: "no_policy_that_ignores_the_theory_succeeds",
    AttacksAtRandom: "no_policy_that_ignores_the_theory_succeeds",
    WordsOtherwise: "the_gold_is_not_in_what_the_model_is_told",
    BuildsByChance: "the_same_coordinates_give_the_same_bytes",
    HasOtherVersions: "json_pickle_and_copies_give_the_instance_back",
}


@pytest.fixture
def instance() -> Instance:
    """An instance made by the real task: nine queries, so that a line less costs little."""
    return ag.generate(TASK, 9, ag.ORDERINGS[0], 0)


def replace(monkeypatch: pytest.MonkeyPatch, kind: type[StatusQuery]) -> None:
    """Let ``kind`` be the status query for this test."""
    monkeypatch.setattr(registry, "REGISTRY", MappingProxyType({**registry.REGISTRY, TASK: kind()}))


@pytest.mark.parametrize("flaw", FLAWS, ids=lambda kind: kind.__name__)
def test_a_flaw_breaks_the_promise_that_is_against_it(
    monkeypatch: pytest.MonkeyPatch, instance: Instance, flaw: type[StatusQuery]
) -> None:
    replace(monkeypatch, flaw)
    broken = {breach.partition(":")[0] for breach in broken_promises(instance)}
    assert FLAWS[flaw] in broken


@pytest.mark.parametrize(
    ("flaw", "message"),
    [(PaysNaN, "native nan, which is not a float from 0 to 1"), (DetailsHoldNaN, "a detail that has no JSON form")],
)
def test_what_is_no_number_is_told_as_that_and_not_as_a_failure_of_pickling(
    monkeypatch: pytest.MonkeyPatch, instance: Instance, flaw: type[StatusQuery], message: str
) -> None:
    replace(monkeypatch, flaw)
    breaches = broken_promises(instance)
    assert any(f"the score has {message}" in breach for breach in breaches)
    assert not any("does not survive pickling" in breach for breach in breaches)


class RaisesAfterAWhile(Judging):
    def spoil(self, answer: str, verdict: Score) -> Score:
        if answer.startswith("[[["):
            raise ValueError("too deep")
        return dataclasses.replace(verdict, native=0.9) if answer == "{}" else verdict


def test_breaches_that_were_found_before_an_error_are_kept(monkeypatch: pytest.MonkeyPatch, instance: Instance) -> None:
    replace(monkeypatch, RaisesAfterAWhile)
    breaches = [breach for breach in broken_promises(instance) if breach.startswith("junk_earns_nothing_quickly")]
    assert breaches[0].endswith("an object has native 0.9, success False")
    assert breaches[-1].endswith("raises ValueError: too deep")


class CannotBuildLevelTwo(StatusQuery):
    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        if level == 2:
            raise ArithmeticError("two")
        return super().build(level, ordering, stream)


def test_an_instance_that_cannot_be_made_is_a_breach_and_the_others_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    replace(monkeypatch, CannotBuildLevelTwo)
    with pytest.raises(BrokenPromises) as caught:
        check_task(TASK, levels=[2, 3], orderings=ag.ORDERINGS[:1], progress=seen.append)
    where = f"{TASK}/L02/last_link_elitist/train/0"
    assert f"generate: {where}: raises ArithmeticError: two" in caught.value.breaches
    assert seen.count(f"{TASK}/L03/last_link_elitist/train/0") == 2
    with pytest.raises(BrokenPromises, match=f"generate: {where}: raises ArithmeticError: two"):
        check_task(TASK, levels=[2], orderings=ag.ORDERINGS[:1])


def test_a_task_without_flaws_breaks_none(instance: Instance) -> None:
    assert broken_promises(instance) == []


PROMPTS: dict[str, tuple[str, str]] = {
    "another ordering": ("with the last-link elitist", "with the last-link elitist, not the weakest-link elitist,"),
    "no ordering": ("with the last-link elitist preference ordering", "with preferences"),
    "no answer region": ("</answer>", "the end"),
    "characters": ("Attacks.", "Att\u00e4cks."),
}


@pytest.mark.parametrize(("old", "new"), PROMPTS.values(), ids=PROMPTS.keys())
def test_a_prompt_that_says_something_else_is_found(instance: Instance, old: str, new: str) -> None:
    assert old in instance.prompt
    changed = dataclasses.replace(instance, prompt=instance.prompt.replace(old, new))
    assert list(PROMISES["the_prompt_says_what_it_is_about"](instance)) == []
    assert list(PROMISES["the_prompt_says_what_it_is_about"](changed)) != []


def test_a_prompt_that_shows_another_theory_is_found(instance: Instance) -> None:
    *_, last = map(str, instance.theory.rule_preferences)
    changed = dataclasses.replace(instance, prompt=instance.prompt.replace(f"\n{last}", "", 1))
    found = list(PROMISES["the_prompt_says_what_it_is_about"](changed))
    assert found == ["the theory in the prompt is not the instance's"]


def test_a_leak_is_found(instance: Instance) -> None:
    leak = PROMISES["the_gold_is_not_in_what_the_model_is_told"]
    told = dataclasses.replace(instance, prompt=f"{instance.prompt}\n\n{instance.reference}")
    assert [breach for breach in leak(told) if "stands in the prompt" in breach]
    assert [breach for breach in leak(told) if "stands in the observation" in breach]


class TooFewLevels(StatusQuery):
    levels = StatusQuery.levels[:14]  # type: ignore[assignment]


class LongSummary(StatusQuery):
    summary = "label\nclaims"


class Monotonous(StatusQuery):
    made: ClassVar[dict[str, Candidate]] = {}

    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        if ordering not in self.made:
            self.made[ordering] = super().build(1, ordering, stream)
        return self.made[ordering]


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (TooFewLevels, "the_task_is_declared_whole"),
        (LongSummary, "the_task_is_declared_whole"),
        (Monotonous, "other_coordinates_give_other_questions"),
    ],
)
def test_a_task_that_is_flawed_as_a_whole_is_found(
    monkeypatch: pytest.MonkeyPatch, kind: type[StatusQuery], promise: str
) -> None:
    assert list(TASK_PROMISES[promise](TASK)) == []
    replace(monkeypatch, kind)
    assert list(TASK_PROMISES[promise](TASK)) != []


def test_all_breaches_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    options: dict[str, Any] = {"levels": [2], "orderings": ag.ORDERINGS[:1], "progress": seen.append}
    check_task(TASK, **options)
    assert seen[-1] == "fresh processes"
    assert f"{TASK}/L02/last_link_elitist/train/0" in seen
    with pytest.raises(BrokenPromises, match=r"floors: the mean floor is .* more than 0\.01"):
        check_task(TASK, floor=0.01, **options)
    replace(monkeypatch, PunishesBullets)
    with pytest.raises(BrokenPromises, match="with bullets is not right") as caught:
        check_task(TASK, **options)
    assert len(caught.value.breaches) >= 2
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.breaches, str(again)) == (caught.value.breaches, str(caught.value))


def test_fresh_processes_that_make_something_else_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """They see the real task, this process another."""
    replace(monkeypatch, HasOtherVersions)
    with pytest.raises(BrokenPromises, match=r"fresh processes: .* with PYTHONHASHSEED=0 it is another instance"):
        check_task(TASK, levels=[1], orderings=ag.ORDERINGS[:1])


def test_the_command_says_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TASK, "--level", "1"]) == 0
    assert capsys.readouterr().out == f"{TASK}: all promises hold\n"
    assert main([TASK, "--level", "1", "--floor", "0.01"]) == 1
    assert "1 breaches\nfloors: the mean floor is" in capsys.readouterr().out
    assert main(["acme.absent", TASK, "--level", "1"]) == 2
    captured = capsys.readouterr()
    assert "task 'acme.absent' is not one of" in captured.err
    assert captured.out == f"{TASK}: all promises hold\n", "the tasks after one that is not there are looked at"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": range(0)}, r"seeds range\(0, 0\) holds none"),
        ({"levels": []}, r"levels \[\] holds none"),
        ({"orderings": ()}, r"orderings \(\) holds none"),
        ({"levels": [16]}, r"level 16 is not in 1\.\.15"),
        ({"orderings": ["random"]}, "ordering 'random' is not"),
        ({"seeds": [-1]}, "seed -1 is not an integer from 0"),
        ({"floor": float("nan")}, "floor nan is not a number from 0 to 1"),
        ({"floor": 1.5}, r"floor 1\.5 is not a number from 0 to 1"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_anything_is(options: dict[str, Any], message: str) -> None:
    seen: list[str] = []
    with pytest.raises(ag.CoordinateError, match=message):
        check_task(TASK, progress=seen.append, **options)
    assert seen == []


@pytest.mark.parametrize("seeds", ["0", "-5"])
def test_the_command_refuses_to_look_at_no_seed(capsys: pytest.CaptureFixture[str], seeds: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([TASK, "--seeds", seeds])
    assert ended.value.code == 2
    assert f"argument --seeds: {seeds} is not a positive integer" in capsys.readouterr().err


def test_the_command_refuses_a_floor_that_switches_the_check_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TASK, "--floor", "nan"]) == 2
    assert capsys.readouterr().err == f"{TASK}: floor nan is not a number from 0 to 1\n"


class Interrupted(StatusQuery):
    def build(self, level: int, ordering: str, stream: Stream) -> Candidate:
        raise KeyboardInterrupt


def test_an_interruption_ends_the_command_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replace(monkeypatch, Interrupted)
    assert main([TASK]) == 130
    assert capsys.readouterr().err == f"{TASK}: interrupted\n"
