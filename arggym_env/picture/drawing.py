"""The pictures that the library draws: of any evaluated theory, and of an instance with what an answer did to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arggym_env.engine import State
from arggym_env.errors import ArgGymError
from arggym_env.picture.boxes import links_of, size_of
from arggym_env.picture.graph import graph_of
from arggym_env.picture.layout import Layout, arrange
from arggym_env.picture.selection import select
from arggym_env.picture.svg import svg_of

MOST_ATTACKS = 300_000
"""The most attacks of a theory that is drawn; more take too long to look at one by one."""


def draw(
    state: State,
    *,
    title: str = "Argumentation theory",
    asked: Mapping[str, str] | None = None,
    before: State | None = None,
    captions: Sequence[str] = (),
    layout: Layout = "layered",
) -> str:
    """Return a picture of ``state`` as SVG text: a self-contained image that follows a light or dark scheme.

    Each conclusion is a box and each argument for it a row, with its grounded label; light lines lead from what an
    argument is built on to the argument; attacks differ in colour and tip by kind, and are faint and dotted where they
    are no defeats under the state's ordering. Of a large theory the picture shows what its conflicts are about, and
    says what was left out.

    Args:
        state: what ``arggym_env.evaluate`` returned.
        title: the picture's heading.
        asked: claims to set off, each with a word or two that are written on it ("asked", "wanted: justified").
        before: the state before an intervention; what the intervention added or relabelled is then marked.
        captions: lines below the heading, after the one that names the ordering.
        layout: "layered" (the same bytes everywhere), "dot" (Graphviz) or "auto" (Graphviz where it is installed).

    Raises:
        CoordinateError: there is no such layout, or no Graphviz for it.
        ArgGymError: the theory has more than 300,000 attacks, or Graphviz fails.
    """
    if state.attack_count > MOST_ATTACKS:
        raise ArgGymError(f"a theory with {state.attack_count:,} attacks is not drawn; the most are {MOST_ATTACKS:,}")
    asked = asked or {}
    selection = select(state, asked)
    graph = graph_of(state, selection.shown, selection.row_per, asked, before)
    nodes = [size_of(box) for box in graph.boxes]
    focus = [place for place, box in enumerate(graph.boxes) if box.asked]
    drawing = arrange(nodes, links_of(graph, nodes), focus, layout)
    counted = (
        f"{state.ordering} ordering · {_number(state.argument_count, 'argument')}, "
        f"{_number(state.attack_count, 'attack')}, {_number(state.defeat_count, 'defeat')} (on sub-arguments included)"
    )
    return svg_of(graph, nodes, drawing, title, (counted, *captions), selection.notes)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
