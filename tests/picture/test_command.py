"""``arggym show --svg``: pictures of instances, stored rows and theories of one's own."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

import arggym_env as ag
from arggym_env.cli import main
from arggym_env.picture import draw_instance


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(words)
    return int(end.value.code or 0)


def test_an_instance_is_drawn_into_a_file(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    assert run("show", "defence", "-l", "2", "-s", "3", "--svg", str(path), "--layout", "layered") == 0
    instance = ag.generate("defence", level=2, ordering=ag.ORDERINGS[0], seed=3)
    assert path.read_text(encoding="utf-8") == draw_instance(instance)


def test_a_stored_row_is_drawn_under_its_own_ordering(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = tmp_path / "row.json"
    instance = ag.generate("status_query", level=1, ordering=ag.ORDERINGS[3], seed=3)
    row.write_text(instance.to_json(), encoding="utf-8")
    assert run("show", "--row", str(row), "--svg", "-") == 0
    printed = capsys.readouterr().out
    assert ElementTree.fromstring(printed).tag.endswith("svg")
    assert f"{ag.ORDERINGS[3]} ordering" in printed


def test_a_theory_of_ones_own_is_drawn(tmp_path: Path) -> None:
    theory, path = tmp_path / "theory<&>.txt", tmp_path / "picture.svg"
    theory.write_text("[premise: a]\n[premise: -a]\n", encoding="utf-8")
    assert run("show", "--theory", str(theory), "--svg", str(path)) == 0
    assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_what_cannot_be_written_or_drawn_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "attack", "--svg", str(tmp_path)) == 2
    assert capsys.readouterr().err.startswith(f"arggym: cannot write '{tmp_path}': ")
    assert run("show", "attack", "--svg", "x.svg", "--layout", "neat") == 2
    assert "layout 'neat' is not one of" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_broken_graphviz_is_done_without_unless_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dot").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8", newline="\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    pictures = {layout: tmp_path / f"{layout}.svg" for layout in ("auto", "layered")}
    for layout, path in pictures.items():
        assert run("show", "attack", "--svg", str(path), "--layout", layout) == 0
    assert pictures["auto"].read_bytes() == pictures["layered"].read_bytes()
    assert run("show", "attack", "--svg", str(tmp_path / "dot.svg"), "--layout", "dot") == 2
    assert "dot could not lay the picture out (exit status 3)" in capsys.readouterr().err
