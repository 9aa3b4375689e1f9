"""The gallery and the task pages: every task is shown, with answers that are scored, and says what its levels mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import arggym_env as ag
from arggym_env.cli.app import app
from arggym_env.envs.registry import get_task
from arggym_env.gallery import LOGIHARD_PAGES, gallery, logihard_page, task_index
from arggym_env.gallery.answers import right_answer, wrong_answers
from arggym_env.gallery.curriculum import field_meanings, parameters
from arggym_env.gallery.markup import code, table
from arggym_env.rewards import Reason

every_task = pytest.mark.parametrize("task", ag.TASKS)


@every_task
def test_every_parameter_of_the_levels_says_what_it_means(task: str) -> None:
    planned = parameters(get_task(task).levels)
    assert planned
    assert any(parameter.varies for parameter in planned)
    for parameter in planned:
        assert parameter.meaning, parameter.name
        assert len(parameter.values) == len(ag.LEVELS)


def test_every_reason_but_success_says_what_it_means() -> None:
    assert field_meanings(Reason).keys() == {reason.name for reason in Reason} - {"CORRECT"}


@every_task
def test_the_shown_answers_are_one_right_and_many_wrong_whatever_the_level(task: str) -> None:
    for level, ordering in ((1, ag.ORDERINGS[1]), (9, ag.ORDERINGS[2]), (15, ag.ORDERINGS[3])):
        instance = ag.generate(task, level=level, ordering=ordering, seed=5)
        assert right_answer(instance).verdict.reason is Reason.CORRECT
        wrong = wrong_answers(instance)
        assert len({shown.completion for shown in wrong}) == len(wrong) >= 8
        for shown in wrong:
            assert shown.verdict == ag.score(instance, shown.completion)
            assert shown.verdict.native < 1.0


def test_the_gallery_shows_what_sample_prints() -> None:
    instance = ag.generate("attack", level=2, ordering=ag.ORDERINGS[0], seed=0)
    text = gallery(["attack"], [2], kinds=())
    assert instance.prompt in text
    assert instance.reference in text
    assert "level 3" not in text


def test_the_gallery_of_everything_has_every_task_and_kind() -> None:
    text = gallery(levels=[1])
    for name in (*ag.TASKS, *LOGIHARD_PAGES):
        assert f"\n## {name}\n" in text
    for name in (*ag.logihard.FAMILIES, *ag.logihard.OPERATOR_TIERS):
        assert f", {name}\n" in text


@pytest.mark.parametrize("kind", LOGIHARD_PAGES)
def test_a_logihard_page_scores_a_right_answer_and_wrong_ones(kind: str) -> None:
    rows = [line for line in logihard_page(kind).split("\n") if line.endswith(("| yes |", "| no |"))]
    assert [row.endswith("| yes |") for row in rows[:3]] == [True, True, False]
    assert len(rows) >= 8


def test_the_index_links_every_page() -> None:
    text = task_index(ag.TASKS, LOGIHARD_PAGES)
    for name in (*ag.TASKS, *LOGIHARD_PAGES):
        assert f"[{name}]({name}.md)" in text
        assert f"\n{name}\n" in text


def test_the_command_prints_or_writes_the_gallery(tmp_path: Path) -> None:
    arguments = ["gallery", "--task", "status_query", "--level", "1"]
    printed = CliRunner().invoke(app, arguments)
    written = CliRunner().invoke(app, [*arguments, str(tmp_path / "gallery.md")])
    assert (printed.exit_code, written.exit_code, written.stdout) == (0, 0, "")
    assert (
        (tmp_path / "gallery.md").read_text(encoding="utf-8")
        == printed.stdout
        == gallery(["status_query"], [1], kinds=())
    )


def test_the_command_writes_a_page_for_each_named_task(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["gallery", "--task", "claim_chain", "--pages", str(tmp_path / "pages")])
    assert result.exit_code == 0
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["claim_chain.md"]


@pytest.mark.parametrize("wrong", [["--task", "atack"], ["--level", "16"]])
def test_a_task_or_level_that_is_not_there_is_refused(wrong: list[str]) -> None:
    result = CliRunner().invoke(app, ["gallery", *wrong])
    assert isinstance(result.exception, ag.CoordinateError)


def test_text_is_fenced_with_more_backticks_than_it_holds() -> None:
    assert code("a") == "```text\na\n```"
    assert code("a\n````\nb").startswith("`````text\n")


def test_cells_of_a_table_cannot_break_it() -> None:
    assert table(["a", "b"], [["x|y", "1\n2"]]).split("\n")[-1] == "| x\\|y | 1 2 |"
