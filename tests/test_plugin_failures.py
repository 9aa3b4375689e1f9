"""A plug-in that fails when it is used is named by the error, and pays no reward."""

from __future__ import annotations

from pathlib import Path

import pytest

import arggym_env as ag
from tests.plugins import arggym, install, python

HEAD = """
import dataclasses, sys
import arggym_env as ag
from arggym_env.envs.question import Question, StatusQuestion
from arggym_env.envs.status_query import StatusQuery
from arggym_env.envs.task import Rejected
from arggym_env.rewards.score import Reason, Score
from arggym_env.versions import Versions

class Mine(StatusQuery):
    name = "acme.{name}"
    versions = Versions()

    def {signature}:
        {body}

    def built(self, level, ordering, stream, **changed):
        return dataclasses.replace(super().build(level, ordering, stream), **changed)

    def judged(self, instance, answer, **changed):
        return dataclasses.replace(super().score(instance, answer), **changed)

@dataclasses.dataclass(frozen=True)
class Odd(StatusQuestion):
    part: object

TASK = Mine()
"""
BUILD = "build(self, level, ordering, stream)"
PROMPT = "prompt(self, theory, question, ordering)"
SCORE = "score(self, instance, answer, *, engine='native', max_arguments=5000)"
ATTACKS = "attacks(self, instance)"

FAILS: dict[str, tuple[str, str, str]] = {
    "build_raises": (BUILD, "raise ValueError('boom')", "build at level 1 with {ordering} raises ValueError: boom"),
    "build_exits": (BUILD, "sys.exit(3)", "build at level 1 with {ordering} raises SystemExit: 3"),
    "build_parses": (BUILD, "ag.Theory.parse('?')", "build at level 1 with {ordering} raises TheoryError: line 1: "),
    "build_none": (BUILD, "return None", "build returns NoneType, not a Candidate"),
    "theory": (
        BUILD,
        "return self.built(level, ordering, stream, theory=None)",
        "build returns a theory that is NoneType, not a Theory",
    ),
    "reference": (
        BUILD,
        "return self.built(level, ordering, stream, reference=None)",
        "build returns a reference that is NoneType, not a string",
    ),
    "blank": (BUILD, "return self.built(level, ordering, stream, reference=' ')", "build returns an empty reference"),
    "other_kind": (
        BUILD,
        "return self.built(level, ordering, stream, question=Question())",
        "build returns a question that is Question, not StatusQuestion",
    ),
    **{
        f"question_{kind}": (
            BUILD,
            f"return self.built(level, ordering, stream, question=Odd(('a',), {value}))",
            f"build returns a question that cannot be stored ({kind} has no JSON form)",
        )
        for kind, value in (("list", "[1]"), ("dict", "{}"), ("set", "{1}"))
    },
    "least": (
        BUILD,
        "return self.built(level, ordering, stream, min_directives=0)",
        "build returns min_directives 0, not a positive integer or None",
    ),
    "stats": (
        BUILD,
        "return self.built(level, ordering, stream, stats={'mean': 0.5})",
        "build returns stats with 'mean': 0.5, not integers by name",
    ),
    "prompt_raises": (PROMPT, "1 / 0", "prompt of StatusQuestion raises ZeroDivisionError: division by zero"),
    "prompt_rejects": (PROMPT, "raise Rejected('late')", "prompt of StatusQuestion raises Rejected: late"),
    "prompt_none": (PROMPT, "return None", "prompt returns NoneType, not a str"),
    "score_raises": (SCORE, "raise KeyError('x')", "score of an answer to {id} raises KeyError: 'x'"),
    "score_signature": (
        "score(self, instance, answer)",
        "return None",
        "score of an answer to {id} raises TypeError: Mine.score() got an unexpected",
    ),
    "score_none": (SCORE, "return None", "score returns NoneType, not a Score"),
    **{
        f"native_{number}": (
            SCORE,
            f"return self.judged(instance, answer, native={value})",
            f"score returns native {shown}, which is not a float from 0 to 1",
        )
        for number, (value, shown) in enumerate(
            (("float('nan')", "nan"), ("5.0", "5.0"), ("-0.5", "-0.5"), ("1", "1"), ("None", "None"), ("True", "True"))
        )
    },
    "success": (
        SCORE,
        "return self.judged(instance, answer, success=1)",
        "score returns success 1, which is not a bool",
    ),
    "reason": (
        SCORE,
        "return self.judged(instance, answer, reason='correct')",
        "score returns reason 'correct', which is not a Reason",
    ),
    "detail_none": (
        SCORE,
        "return self.judged(instance, answer, detail=None)",
        "score returns a detail that is NoneType, not a mapping",
    ),
    **{
        f"detail_{number}": (
            SCORE,
            f"return self.judged(instance, answer, detail={{'x': {value}}})",
            f"score returns a detail that has no JSON form ({why}",
        )
        for number, (value, why) in enumerate(
            (("{1}", "Object of type set is not JSON serializable"), ("float('nan')", "Out of range float values"))
        )
    },
    "attacks_raise": (ATTACKS, "raise LookupError('gone')", "attacks on {id} raises LookupError: gone"),
    "attacks_none": (ATTACKS, "return None", "attacks returns NoneType, not a mapping"),
    "attacks_absent": (ATTACKS, "return {}", "attacks returns no attack: "),
    "attacks_numbers": (ATTACKS, "return {'one': 1}", "attacks returns int under 'one', not texts by name"),
}
LATER: dict[str, tuple[str, str, str]] = {
    "late_raise": (
        SCORE,
        "return self.judged(instance, answer) if answer.isascii() else answer.encode('ascii')",
        "score of an answer to {id} raises UnicodeEncodeError: ",
    ),
    "late_nan": (
        SCORE,
        "return self.judged(instance, answer, **({} if answer.isascii() else {'native': float('nan')}))",
        "score returns native nan, which is not a float from 0 to 1",
    ),
    "late_five": (
        SCORE,
        "return self.judged(instance, answer, **({} if answer.isascii() else {'native': 5.0}))",
        "score returns native 5.0, which is not a float from 0 to 1",
    ),
}
GOOD: dict[str, tuple[str, str, str]] = {
    "good": ("more(self)", "pass", ""),
    "prints": (BUILD, "print('building'); return self.built(level, ordering, stream)", ""),
    "gives_up": (BUILD, "raise Rejected('never good enough')", ""),
    "searches": (BUILD, "raise ag.GenerationError('nothing found')", ""),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a distribution with all these tasks is as good as installed."""
    tasks = {**FAILS, **LATER, **GOOD}
    sources = {
        name: HEAD.replace("{name}", name).replace("{signature}", signature).replace("{body}", body)
        for name, (signature, body, _) in tasks.items()
    }
    return install(
        tmp_path_factory.mktemp("site"), "acme-tasks", {f"acme.{name}": f"{name}:TASK" for name in tasks}, sources
    )


def says(site: Path, code: str) -> list[str]:
    """Return the lines that ``code`` prints in a fresh interpreter in which warnings are errors."""
    result = python(site, "-W", "error", "-c", f"import arggym_env as ag\nordering = ag.ORDERINGS[0]\n{code}")
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout.strip().split("\n")


def told(name: str, message: str) -> str:
    """Return how the error of the task begins."""
    where = message.replace("{ordering}", ag.ORDERINGS[0]).replace("{id}", f"acme.{name}/L01/last_link_elitist/train/0")
    return f"PluginError task 'acme.{name}' of acme-tasks 1.0: {where}"


def test_what_a_plugin_raises_or_returns_wrongly_is_told_as_its_fault_with_the_cause_chained(site: Path) -> None:
    lines = says(
        site,
        f"""
for name in {list(FAILS)!r}:
    try:
        ag.generate(f"acme.{{name}}", 1, ordering, 0)
    except ag.ArgGymError as error:
        print(type(error).__name__, error, "because of", type(error.__cause__).__name__)
""",
    )
    assert len(lines) == len(FAILS)
    for line, (name, (_, _, message)) in zip(lines, FAILS.items(), strict=True):
        error, _, cause = line.rpartition(" because of ")
        assert error.startswith(told(name, message))
        _, raises, raised = message.partition(" raises ")
        assert cause == (raised.partition(":")[0] if raises else "NoneType")


def test_an_answer_that_breaks_a_plugins_scorer_is_an_error_and_no_reward(site: Path) -> None:
    lines = says(
        site,
        f"""
import gymnasium
for name in {list(LATER)!r}:
    instance = ag.generate(f"acme.{{name}}", 1, ordering, 0)
    assert ag.score(instance, f"<answer>{{instance.reference}}</answer>").success
    env = gymnasium.make(f"acme/{{name}}-v0", disable_env_checker=True)
    env.reset(options={{"instance": instance}})
    for ask in (lambda: ag.score(instance, "<answer>\\ud800</answer>"), lambda: env.step("<answer>\\ud800</answer>")):
        try:
            print(ask())
        except ag.ArgGymError as error:
            print(type(error).__name__, error)
""",
    )
    assert len(lines) == 2 * len(LATER)
    for number, (name, (_, _, message)) in enumerate(LATER.items()):
        assert all(line.startswith(told(name, message)) for line in lines[2 * number : 2 * number + 2]), lines


def test_errors_of_the_engine_and_of_searches_go_through_a_plugin_as_they_are(site: Path) -> None:
    lines = says(
        site,
        """
from arggym_env.envs.registry import get_task
instance = ag.generate("acme.good", 1, ordering, 0)
for ask in (
    lambda: ag.generate("acme.gives_up", 1, ordering, 0),
    lambda: ag.generate("acme.searches", 1, ordering, 0),
    lambda: ag.generate("acme.good", 99, ordering, 0),
    lambda: ag.score(instance, "<answer>x</answer>", engine="x"),
):
    try:
        ask()
    except ag.ArgGymError as error:
        print(type(error).__name__, error)
""",
    )
    assert lines == [
        "GenerationError acme.gives_up/L01/last_link_elitist/train/0: no acceptable candidate among 400 "
        "({'never good enough': 400})",
        "GenerationError nothing found",
        "CoordinateError level 99 is not in 1..15 (task acme.good)",
        "CoordinateError engine 'x' is not one of 'native', 'pyarg'",
    ]


def test_a_task_is_the_object_that_its_author_made(site: Path) -> None:
    lines = says(
        site, "import good\nfrom arggym_env.envs.registry import get_task\nprint(get_task('acme.good') is good.TASK)"
    )
    assert lines == ["True"]


def test_the_command_line_tells_a_failing_plugin_in_one_line(site: Path) -> None:
    for words in (
        ["sample", "acme.build_raises"],
        ["gallery", "-t", "acme.prompt_none", "-l", "1"],
        ["export", str(site / "rows.jsonl"), "-t", "acme.attacks_absent", "-l", "1", "-n", "1"],
    ):
        result = arggym(site, *words)
        assert result.returncode == 2, result.stderr
        assert "task 'acme." in result.stderr
        assert "of acme-tasks 1.0: " in result.stderr
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("build_raises", "raises ValueError: boom"),
        ("score_raises", "raises KeyError: 'x'"),
        ("attacks_absent", "attacks returns no attack"),
        ("question_list", "(list has no JSON form)"),
    ],
)
def test_the_tests_for_tasks_list_what_a_failing_plugin_does(site: Path, name: str, message: str) -> None:
    result = python(site, "-m", "arggym_env.testing", f"acme.{name}", "--level", "1")
    assert (result.returncode, result.stderr) == (1, "")
    first, *lines = result.stdout.strip().split("\n")
    assert first == f"acme.{name}: {len(lines)} breaches"
    assert {line.partition(":")[0] for line in lines} == {"other_coordinates_give_other_questions", "generate"}
    assert all(message in line for line in lines)
    assert sum(line.startswith(f"generate: acme.{name}/L01/") for line in lines) == len(ag.ORDERINGS)


def test_the_tests_for_tasks_go_on_after_an_error_of_the_scorer(site: Path) -> None:
    result = python(site, "-m", "arggym_env.testing", "acme.late_raise", "--level", "8", "--floor", "0.01")
    assert (result.returncode, result.stderr) == (1, "")
    broken = {line.partition(":")[0] for line in result.stdout.strip().split("\n")[1:]}
    assert broken == {"forgiven_layout_costs_nothing", "junk_earns_nothing_quickly", "floors"}


def test_what_a_task_prints_does_not_disturb_the_tests_for_tasks(site: Path) -> None:
    result = python(site, "-m", "arggym_env.testing", "acme.prints", "--level", "8")
    assert (result.returncode, result.stdout.split("\n")[-2]) == (0, "acme.prints: all promises hold")
