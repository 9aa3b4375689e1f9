"""Run the small training run of the tests and draw it: docs/training_curves.svg, and its numbers on standard output.

python scripts/training_curves.py            # a minute or two on two cores; needs the extra "train"
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from tests.training.learning import learn

SVG = Path(__file__).parents[1] / "docs" / "training_curves.svg"
WIDTH, HEIGHT, LEFT, TOP = 640, 300, 48, 24
CURVES = (
    ("share of right letters", "rewards/native_reward/mean", "#1f6feb"),
    ("share of replies with a letter", "arggym/answer_found", "#d1570a"),
)
"""What is drawn: its name, the key of the trainer's log, and its colour."""
SMOOTH = 5
"""Steps of the running mean that is drawn over the points."""


def picture(curves: Sequence[tuple[str, str, Sequence[float]]]) -> str:
    """Return an SVG of curves over the steps, each a name, a colour and one value from 0 to 1 for each step."""
    steps = len(curves[0][2])
    right, bottom = WIDTH - 16, HEIGHT - 40

    def at(step: int, value: float) -> tuple[float, float]:
        x = LEFT + (right - LEFT) * (step - 1) / max(1, steps - 1)
        return round(x, 1), round(bottom - (bottom - TOP) * value, 1)

    parts = []
    for tick in range(5):
        _, y = at(1, tick / 4)
        parts.append(f'<path d="M{LEFT} {y}H{right}" stroke="#8884" fill="none"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{tick / 4:.2f}</text>')
    for step in sorted({1, *range(10, steps + 1, 10)}):
        x, _ = at(step, 0)
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{step}</text>')
    parts.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 6}" text-anchor="middle">optimizer step</text>')
    for place, (name, colour, values) in enumerate(curves):
        for step, value in enumerate(values, start=1):
            x, y = at(step, value)
            parts.append(f'<circle cx="{x}" cy="{y}" r="2" fill="{colour}" opacity="0.45"/>')
        means = [fmean(values[max(0, step - SMOOTH) : step]) for step in range(1, steps + 1)]
        path = "L".join("{} {}".format(*at(step, mean)) for step, mean in enumerate(means, start=1))
        parts.append(f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts.append(f'<text x="{LEFT + 12 + 200 * place}" y="14" fill="{colour}">{name}</text>')
    style = 'font-family="sans-serif" font-size="12" fill="#777"'
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>\n{body}\n</svg>\n'


def main() -> None:
    """Run, draw, and print the table that docs/training.md shows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=SVG, help="where the picture goes")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        history = learn(Path(folder))
    curves = [(name, colour, [float(entry[key]) for entry in history]) for name, key, colour in CURVES]
    out.write_text(picture(curves), encoding="utf-8", newline="\n")
    print("| | first five steps | last five steps |\n|---|---:|---:|")
    for name, _, values in curves:
        print(f"| {name} | {fmean(values[:5]):.2f} | {fmean(values[-5:]):.2f} |")


if __name__ == "__main__":
    main()
