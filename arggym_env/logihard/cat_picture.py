"""The picture of an adaptive test: both subsets' estimates, item by item, as a self-contained SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from arggym_env.logihard.cat import CatReport, Step, SubsetReport

_WIDTH: Final = 900
_HEIGHT: Final = 420
_TOP: Final = 84
_BOTTOM: Final = 350
_INTERVAL: Final = 1.96
_COLOURS: Final = {"Atomic": "#1f5fa8", "Combinatorial": "#b8480f"}
_STYLE: Final = (
    "text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px;fill:#333}"
    ".title{font-size:16px;font-weight:600;fill:#111}.panel{font-size:13px;font-weight:600}"
    ".grid{stroke:#e3e3e3}.axis{stroke:#888}"
)


class _Frame(NamedTuple):
    """One panel: items run from ``left`` to ``right``, abilities from ``low`` at the bottom to ``high``."""

    left: float
    right: float
    items: int
    low: float
    high: float

    def x(self, item: int) -> float:
        """Return the place of the estimate after ``item`` items."""
        return self.left + (self.right - self.left) * item / max(1, self.items)

    def y(self, theta: float) -> float:
        """Return the place of an ability; what is outside the panel stands on its edge."""
        share = (min(self.high, max(self.low, theta)) - self.low) / (self.high - self.low)
        return _BOTTOM - (_BOTTOM - _TOP) * share


def draw_trace(report: CatReport) -> str:
    """Return an SVG of the estimates with their 95% intervals: a filled dot is a right response, an open one wrong."""
    subsets = {"Atomic": report.base, "Combinatorial": report.combinatorial}
    low, high = _range(subsets.values())
    items = max(1, *(subset.items for subset in subsets.values()))
    lefts = (60.0, 500.0)
    parts = [
        _text(
            60, 30, f"Atomic minus combinatorial ability: {report.delta_theta:+.2f} ± {report.delta_se:.2f}", "title"
        ),
    ]
    for left, (name, subset) in zip(lefts, subsets.items(), strict=True):
        parts += _panel(_Frame(left, left + 370, items, low, high), name, subset)
    parts += _legend()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'role="img"><title>Adaptive test trace</title><style>{_STYLE}</style>'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _range(subsets: Iterable[SubsetReport]) -> tuple[float, float]:
    """Return whole abilities around every interval, at least from -2 to 2."""
    ends = [step.theta + sign * _INTERVAL * step.se for subset in subsets for step in subset.steps for sign in (-1, 1)]
    return min(-2.0, *(float(int(end) - 1) for end in ends), -2.0), max(
        2.0, *(float(int(end) + 1) for end in ends), 2.0
    )


def _panel(frame: _Frame, name: str, subset: SubsetReport) -> list[str]:
    heading = f"{name}: θ = {subset.theta:+.2f} ± {subset.se:.2f}, {subset.right} of {subset.items} right"
    parts = [_text(frame.left, _TOP - 16, heading, "panel"), *_axes(frame)]
    steps = [step for step in subset.steps if step.outcome != "error"]
    if steps:
        parts += _estimates(frame, steps, _COLOURS[name])
    return parts


def _axes(frame: _Frame) -> list[str]:
    parts = []
    for theta in range(int(frame.low), int(frame.high) + 1):
        y = frame.y(theta)
        parts.append(f'<line class="grid" x1="{frame.left}" x2="{frame.right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(frame.left - 8, y + 4, f"{theta}", anchor="end"))
    spacing = next(size for size in (1, 2, 5, 10, 20, 50, 100) if frame.items / size <= 8 or size == 100)
    for item in range(0, frame.items + 1, spacing):
        parts.append(_text(frame.x(item), _BOTTOM + 16, f"{item}", anchor="middle"))
    parts.append(f'<line class="axis" x1="{frame.left}" x2="{frame.right}" y1="{_BOTTOM}" y2="{_BOTTOM}"/>')
    parts.append(_text((frame.left + frame.right) / 2, _BOTTOM + 34, "items administered", anchor="middle"))
    return parts


def _estimates(frame: _Frame, steps: Sequence[Step], colour: str) -> list[str]:
    def path(values: Iterable[tuple[int, float]]) -> str:
        return " ".join(f"{frame.x(item):.1f},{frame.y(theta):.1f}" for item, theta in values)

    numbered = list(enumerate(steps, start=1))
    upper = [(item, step.theta + _INTERVAL * step.se) for item, step in numbered]
    lower = [(item, step.theta - _INTERVAL * step.se) for item, step in reversed(numbered)]
    parts = [
        f'<polygon points="{path([*upper, *lower])}" fill="{colour}" fill-opacity="0.14"/>',
        f'<polyline points="{path((item, step.theta) for item, step in numbered)}" fill="none" stroke="{colour}"/>',
    ]
    for item, step in numbered:
        parts.append(_dot(frame.x(item), frame.y(step.theta), colour, step.outcome == "right"))
    return parts


def _legend() -> list[str]:
    y = _HEIGHT - 14.0
    return [
        *(_dot(66, y - 4, "#555", True), _text(76, y, "right")),
        *(_dot(126, y - 4, "#555", False), _text(136, y, "wrong or unreadable")),
        f'<rect x="276" y="{y - 10}" width="18" height="12" fill="#555" fill-opacity="0.2"/>',
        _text(300, y, "95% interval"),
    ]


def _dot(x: float, y: float, colour: str, filled: bool) -> str:
    fill = colour if filled else "#fff"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{fill}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    signed = text.replace("-", "\u2212")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}">{signed}</text>'
