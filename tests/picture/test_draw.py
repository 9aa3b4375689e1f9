"""Pictures: valid, safe, the same everywhere, true to the state, and honest about what they leave out."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import gymnasium
import pytest

import arggym_env as ag
from arggym_env.envs.registry import TASKS
from arggym_env.errors import ArgGymError
from arggym_env.picture import Layout, asked_of, draw, draw_instance
from arggym_env.picture.card import LONGEST, draw_text
from arggym_env.picture.selection import LIMIT
from scripts.pictures import FOLDER, ORDERING, TEXTBOOK, pictures
from tests.picture.test_layout import DOT

DRAWN = pictures()
SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def boxes(picture: str) -> dict[str, ElementTree.Element]:
    """The boxes by the first text that they show."""
    found = [group for group in parsed(picture).iter(f"{SVG}g") if group.get("class", "").startswith("box ")]
    return {group.findtext(f"{SVG}text") or "": group for group in found}


def edges(picture: str) -> list[tuple[str, str]]:
    """The edges of the graph, those of the key apart: class and tooltip."""
    groups = [group for group in parsed(picture).iter(f"{SVG}g") if group.get("class", "").startswith("edge ")]
    return [(g.get("class", "")[5:], title) for g in groups if (title := g.findtext(f"{SVG}title")) is not None]


def state_of(text: str) -> ag.State:
    return ag.evaluate(ag.Theory.parse(text), ORDERING)


def test_the_textbook_picture_shows_every_kind_of_edge_and_outcome() -> None:
    picture = draw(state_of(TEXTBOOK), asked={"flies": "asked"})
    assert {kind for kind, _ in edges(picture)} == {
        "support",
        "rebut",
        "rebut failed",
        "undercut",
        "undermine failed",
    }
    assert ("undercut", "-fog undercuts -swims (rule fog): a defeat") in edges(picture)
    shown = boxes(picture)
    assert set(shown) == {"bird", "chick", "swims", "polar", "flies", "-flies", "penguin", "-swims", "-fog"}
    assert shown["flies"].get("class") == "box out asked"
    assert shown["-flies"].get("class") == "box in"
    assert "last-link elitist ordering" in picture


def test_every_box_has_the_status_of_its_claim() -> None:
    for task in TASKS:
        instance = ag.generate(task, level=2, ordering=ORDERING, seed=3)
        state = ag.evaluate(instance.theory, instance.ordering)
        words = {"justified": "in", "overruled": "out", "undecided": "undecided"}
        for conclusion, box in boxes(draw(state)).items():
            assert box.get("class", "").split()[1] == words[state.status(conclusion)]


@pytest.mark.parametrize("level", [1, 8, 15])
@pytest.mark.parametrize("task", TASKS)
def test_every_task_is_drawn_within_bounds_with_what_it_asks(task: str, level: int) -> None:
    instance = ag.generate(task, level=level, ordering=ORDERING, seed=1)
    picture = draw_instance(instance)
    shown = boxes(picture)
    assert 0 < len(shown) <= LIMIT
    asked = asked_of(instance.question)
    assert {name for name, box in shown.items() if "asked" in box.get("class", "").split()} == set(asked)
    assert bool(asked) is (task != "perturbation")
    state = ag.evaluate(instance.theory, instance.ordering)
    if len(shown) < len({argument.conclusion for argument in state.arguments}):
        assert "Not drawn: " in picture or "named only in the rules that use them" in picture


@pytest.mark.parametrize("layout", ["layered", DOT])
def test_no_two_boxes_of_a_picture_overlap(layout: Layout) -> None:
    for task in TASKS:
        instance = ag.generate(task, level=9, ordering=ORDERING, seed=2)
        rectangles = []
        for box in boxes(draw_instance(instance, layout=layout)).values():
            first = next(iter(box.iter(f"{SVG}rect")))
            rectangles.append([float(first.get(name, "")) for name in ("x", "y", "width", "height")])
        for (x0, y0, w0, h0), (x1, y1, w1, h1) in combinations(rectangles, 2):
            assert x0 + w0 <= x1 or x1 + w1 <= x0 or y0 + h0 <= y1 or y1 + h1 <= y0


def test_the_same_state_gives_the_same_bytes_in_any_process() -> None:
    code = (
        "import arggym_env as ag, hashlib; from arggym_env.picture import draw_instance;"
        "i = ag.generate('attack_defense', level=6, ordering=ag.ORDERINGS[1], seed=4);"
        "print(hashlib.sha256(draw_instance(i).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for seed in ("0", "77")
    }
    assert len(digests) == 1


def test_hostile_texts_cannot_become_markup() -> None:
    hostile = "</text><script>alert(1)</script>\x00\x1b\ud800\uffff&\"'"
    picture = draw(
        state_of("[premise: a]"), title=hostile, asked={"a": hostile, hostile: hostile}, captions=[hostile, "x" * 999]
    )
    tags = {element.tag.removeprefix(SVG) for element in parsed(picture).iter()}
    assert "script" not in tags
    parsed(draw_text(hostile, hostile))
    picture.encode("utf-8")


def test_a_picture_needs_nothing_from_outside() -> None:
    picture = draw(state_of(TEXTBOOK))
    assert picture.count("http") == 1, "only the namespace"
    assert not [word for word in ("href", "url(", "@import", "<image", "<script", "<foreignObject") if word in picture]
    assert "prefers-color-scheme:dark" in picture


def test_a_long_name_is_shortened_and_whole_in_the_tooltip() -> None:
    name = "n" * 300
    picture = draw(state_of(f"[premise: {name}]\n[defeasible r: {name} => b]"))
    assert f"<title>{name}</title>" in picture
    assert all(len(text.text or "") < 100 for text in parsed(picture).iter(f"{SVG}text"))


def test_a_claim_without_arguments_has_a_box_if_it_is_asked_about() -> None:
    shown = boxes(draw(state_of("[premise: a]"), asked={"b": "asked"}))
    assert shown["b"].get("class") == "box out asked empty"


def test_an_empty_theory_has_a_picture() -> None:
    assert boxes(draw(state_of(""))) == {}


def test_a_theory_of_thousands_of_arguments_is_cut_to_what_is_near_the_question() -> None:
    lines = ["[premise: p0]"]
    for number in range(1, 1000):
        lines.append(f"[defeasible r{number}: p{number - 1} => p{number}]")
        lines += [f"[premise: q{number}]", f"[defeasible s{number}: q{number} => -p{number}]"]
    picture = draw(state_of("\n".join(lines[:1500])), asked={"p7": "asked"})
    assert len(boxes(picture)) == LIMIT
    assert "p7" in boxes(picture)
    assert "farther away" in picture


def test_many_arguments_for_one_claim_share_rows() -> None:
    lines = [f"[premise: a{i}]\n[defeasible r{i}: a{i} => b]" for i in range(40)]
    picture = draw(state_of("\n".join([*lines, "[premise: c]", "[defeasible s: c => -b]"])))
    rows = [text.text for text in boxes(picture)["b"].iter(f"{SVG}text")]
    assert len(rows) < 40
    assert "several last steps" in rows


def test_more_attacks_than_can_be_looked_at_are_refused_in_one_line() -> None:
    lines = [f"[premise: a{i}]\n[defeasible r{i}: a{i} => {'-' if i % 2 else ''}b]" for i in range(800)]
    with pytest.raises(ArgGymError, match=r"320,000 attacks is not drawn; the most are 300,000"):
        draw(state_of("\n".join(lines)))


def test_what_an_answer_adds_and_changes_is_marked() -> None:
    instance = ag.generate("attack", level=1, ordering=ORDERING, seed=1)
    completion = f"<answer>\n{instance.reference}\n</answer>"
    after = draw_instance(instance, completion, ag.score(instance, completion))
    asides = {text.text for text in parsed(after).iter(f"{SVG}text") if text.get("class") == "aside"}
    assert {"new", "was in"} <= asides
    assert "Answer: success (correct), native 1.000" in after
    unread = draw_instance(instance, "<answer>\n?\n</answer>", ag.score(instance, "<answer>\n?\n</answer>"))
    assert "no success (unreadable)" in unread
    assert "was in" not in unread


def test_a_refused_directive_changes_nothing_in_the_picture() -> None:
    instance = ag.generate("attack", level=1, ordering=ORDERING, seed=1)
    completion = "<answer>\n[axiom: zzz]\n</answer>"
    picture = draw_instance(instance, completion, ag.score(instance, completion))
    assert "Added" not in picture
    assert set(boxes(picture)) == set(boxes(draw_instance(instance)))


def test_an_update_is_told_in_the_caption() -> None:
    picture = draw_instance(ag.generate("perturbation", level=3, ordering=ORDERING, seed=1))
    assert "The update " in picture


@pytest.mark.parametrize("env_id", [*ag.ENV_IDS, "LogiHard/base-v0", "LogiHard/combinatorial-v0", "ArgGYM/mixture-v0"])
def test_environments_render_pictures_before_and_after_the_step(env_id: str) -> None:
    env = gymnasium.make(env_id, render_mode="svg")
    env.reset(seed=5)
    before = env.render()
    env.step("<answer>\nA\n</answer>")
    after = env.render()
    assert before != after
    for picture in (before, after):
        assert isinstance(picture, str)
        assert parsed(picture).tag == f"{SVG}svg"
    assert "svg" in env.metadata["render_modes"]


def test_a_long_text_is_cut_with_a_word_about_it() -> None:
    picture = draw_text("t", "line\n" * (LONGEST + 7))
    assert "(7 more lines)" in picture


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_the_pictures_of_the_docs_are_what_the_package_draws(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == DRAWN[name], "run python -m scripts.pictures"


def test_the_docs_have_no_other_pictures_and_show_them_all() -> None:
    page = (FOLDER.parent / "pictures.md").read_text(encoding="utf-8")
    assert {path.name for path in FOLDER.glob("*.svg")} == set(DRAWN)
    for name in DRAWN:
        assert f"(pictures/{name})" in page
