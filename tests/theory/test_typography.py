"""Reading puts typography right and leaves content alone."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arggym_env.errors import TheoryError
from arggym_env.theory import Theory, parse_directive
from arggym_env.theory.typography import content_lines


def texts(text: str) -> list[str]:
    return [line.text for line in content_lines(text)]


@pytest.mark.parametrize(
    "text",
    [
        "x\ny",
        "x\r\ny",
        "x\ry",
        "\n\nx\n\n\ny\n\n",
        "  x  \n\ty\t",
        "x\u2028y",
        "x\u2029y",
        "x\x85y",
        "x\x0cy",
        "```\nx\ny\n```",
        "```text\nx\ny\n```",
        "~~~\nx\ny\n~~~",
        "   ```\nx\ny\n   ```",
        "````aspic+\nx\ny\n````",
        "- x\n- y",
        "* x\n+ y",
        "1. x\n2. y",
        "1) x\n(2) y",
        "\u2022 x\n\u2023 y",
        "\u2013 x\n\u2212 y",
        "\ufeffx\ny",
        "\u00a0x\u00a0\n\u3000y",
        "-\tx\n-   y",
    ],
)
def test_layout_bullets_and_fences_are_forgiven(text: str) -> None:
    assert texts(text) == ["x", "y"]


@pytest.mark.parametrize("dash", "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d")
def test_every_dash_is_a_minus(dash: str) -> None:
    assert texts(f"{dash}x") == ["-x"]
    assert texts(f"[defeasible r: {dash}x => {dash}y]") == ["[defeasible r: -x => -y]"]
    assert texts(f"[strict r: x {dash}> y]") == ["[strict r: x -> y]"]


@pytest.mark.parametrize("arrow", ["\u2192", "\u27f6", "\u279c", "\u279d"])
def test_arrows_of_strict_rules(arrow: str) -> None:
    assert parse_directive(texts(f"[strict r: x {arrow} y]")[0]) == parse_directive("[strict r: x -> y]")


@pytest.mark.parametrize("arrow", ["\u21d2", "\u27f9"])
def test_arrows_of_defeasible_rules(arrow: str) -> None:
    assert parse_directive(texts(f"[defeasible r: x {arrow} y]")[0]) == parse_directive("[defeasible r: x => y]")


def test_an_arrow_never_changes_the_kind_of_a_rule() -> None:
    for line in (
        "[strict r: x => y]",
        "[strict r: x \u21d2 y]",
        "[defeasible r: x -> y]",
        "[defeasible r: x \u2192 y]",
    ):
        with pytest.raises(TheoryError, match="the arrow"):
            Theory.parse(line)


def test_a_dash_without_a_blank_is_a_negation_and_with_one_a_bullet() -> None:
    assert texts("-x") == ["-x"]
    assert texts("- x") == ["x"]
    assert texts("- -x") == ["-x"]
    assert texts("1. -x") == ["-x"]
    assert texts("\u2022 \u2212x") == ["-x"]


@pytest.mark.parametrize("text", ["x```", "``` x y", "``", "`x`", "1.x", "12345. x", "**x**", "--", "->", "x - y"])
def test_what_only_looks_like_layout_stays(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize("bullet", ["-", "- ", "*", "1.", " 2) ", "\u2022", "\u2013"])
def test_a_line_of_a_lone_bullet_carries_no_content(bullet: str) -> None:
    assert texts(f"{bullet}\nx\n{bullet}") == ["x"]


def test_only_one_bullet_is_taken_off() -> None:
    assert texts("- - x") == ["- x"]
    assert texts("1. 2. x") == ["2. x"]


def test_lines_keep_their_numbers() -> None:
    assert [(line.number, line.text) for line in content_lines("\n```\nx\r\n\n- y\n```")] == [(3, "x"), (5, "y")]


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n", "\u2028", "```\n```", "\ufeff", "\u3000"])
def test_nothing_carries_no_content(text: str) -> None:
    assert content_lines(text) == []


@pytest.mark.parametrize("unit", ["- ", "1. ", "`", "~", "-", "(", "\n", "\r\n", "\u2212", "[premise: x]\n", "x"])
def test_reading_is_linear_in_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.perf_counter()
        content_lines(text)
        return time.perf_counter() - start

    small = min(seconds(50_000) for _ in range(3))
    assert seconds(500_000) < 50 * small + 0.5


@given(st.text())
def test_reading_twice_changes_nothing_but_bullets(text: str) -> None:
    for line in content_lines(text):
        assert line.text == line.text.strip()
        assert line.text
        assert "\n" not in line.text
        assert 1 <= line.number <= len(text.splitlines())
