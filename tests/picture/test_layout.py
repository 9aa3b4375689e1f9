"""Layouts: nothing overlaps, curves end at their boxes, and the bytes do not depend on the machine."""

from __future__ import annotations

import os
import shutil
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arggym_env.errors import ArgGymError, CoordinateError
from arggym_env.picture.layered import Drawing, Link, Node
from arggym_env.picture.layout import LAYOUTS, Layout, arrange, check_layout

DOT = pytest.param("dot", marks=pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz on the PATH"))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Node], list[Link]]:
    sizes = st.builds(Node, st.integers(60, 200).map(float), st.integers(40, 120).map(float))
    nodes = draw(st.lists(sizes, min_size=1, max_size=14))
    ends = st.integers(0, len(nodes) - 1)
    links = []
    for source, target, firm in draw(st.lists(st.tuples(ends, ends, st.booleans()), max_size=20)):
        row = (21.0, 38.0)
        links.append(Link(source, target, (0.0, nodes[source].height), row, firm))
    return nodes, links


def overlapping(nodes: list[Node], drawing: Drawing) -> list[tuple[int, int]]:
    def apart(one: int, other: int) -> bool:
        (x0, y0), (x1, y1) = drawing.corners[one], drawing.corners[other]
        return (
            x0 + nodes[one].width <= x1
            or x1 + nodes[other].width <= x0
            or y0 + nodes[one].height <= y1
            or y1 + nodes[other].height <= y0
        )

    return [pair for pair in combinations(range(len(nodes)), 2) if not apart(*pair)]


@settings(max_examples=150, deadline=None)
@given(graphs(), st.booleans())
def test_boxes_never_overlap_and_lie_within_the_drawing(graph: tuple[list[Node], list[Link]], focused: bool) -> None:
    nodes, links = graph
    drawing = arrange(nodes, links, [0] if focused else [], "layered")
    assert overlapping(nodes, drawing) == []
    for node, (x, y) in zip(nodes, drawing.corners, strict=True):
        assert x >= -0.01
        assert y >= -0.01
        assert x + node.width <= drawing.width + 0.01
        assert y + node.height <= drawing.height + 0.01


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_curves_run_from_side_to_side_and_touch_their_boxes(graph: tuple[list[Node], list[Link]]) -> None:
    nodes, links = graph
    drawing = arrange(nodes, links, [0], "layered")
    for link, curve in zip(links, drawing.curves, strict=True):
        assert len(curve) % 3 == 1
        ends = ((link.source, curve[0], link.source_span), (link.target, curve[-1], link.target_span))
        for end, (x, y), span in ends:
            left, top = drawing.corners[end]
            assert min(abs(x - left), abs(x - left - nodes[end].width)) < 0.01
            assert span[0] - 0.01 <= y - top <= span[1] + 0.01


@pytest.mark.parametrize("layout", ["layered", DOT])
def test_opposite_links_and_loops_are_drawn(layout: Layout) -> None:
    nodes = [Node(80.0, 43.0), Node(90.0, 60.0)]
    whole = (0.0, 43.0)
    links = [
        Link(0, 1, whole, (21.0, 38.0), False),
        Link(1, 0, (38.0, 55.0), whole, False),
        Link(1, 1, (0.0, 60.0), (21.0, 38.0), False),
    ]
    drawing = arrange(nodes, links, [1], layout)
    assert overlapping(nodes, drawing) == []
    assert [len(curve) >= 4 for curve in drawing.curves] == [True, True, True]
    assert drawing.corners[0][0] < drawing.corners[1][0], "the drawing runs towards the focus"


def test_every_layout_is_known_and_any_other_is_refused() -> None:
    assert LAYOUTS == ("layered", "dot", "auto")
    assert [check_layout(layout) for layout in ("layered", "auto")] == ["layered", "auto"]
    with pytest.raises(CoordinateError, match="layout 'spring' is not one of 'layered', 'dot', 'auto'"):
        check_layout("spring")


def test_without_graphviz_auto_is_ours_and_dot_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    nodes = [Node(80.0, 40.0)]
    assert arrange(nodes, [], [0], "auto") == arrange(nodes, [], [0], "layered")
    with pytest.raises(CoordinateError, match="needs Graphviz"):
        check_layout("dot")


BROKEN_DOTS = {
    "fails in silence": ("exit 1", "exit status 1"),
    "fails and says why": ("echo no plugin >&2; exit 3", "no plugin"),
    "prints what is no layout": ("cat > /dev/null; echo graph is fine", "what it printed is no layout"),
    "prints nothing": ("cat > /dev/null", "what it printed is no layout"),
    "prints bytes": (r"cat > /dev/null; printf '\377'", "can't decode"),
}


@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
@pytest.mark.parametrize(("script", "reason"), BROKEN_DOTS.values(), ids=BROKEN_DOTS)
def test_a_broken_graphviz_is_named_where_it_was_asked_for_and_else_done_without(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8", newline="\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    nodes = [Node(80.0, 40.0)] * 2
    links = [Link(0, 1, (0.0, 40.0), (0.0, 40.0), True)]
    with pytest.raises(ArgGymError, match=f"dot could not lay the picture out .*{reason}.*; the layout 'layered'"):
        arrange(nodes, links, [0], "dot")
    assert arrange(nodes, links, [0], "auto") == arrange(nodes, links, [0], "layered")
