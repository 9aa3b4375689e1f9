"""How long an item takes here and in reasoning-gym, a library of procedural tasks, measured in one run on one core.

Needs ``pip install reasoning-gym`` beside this package; run ``python -m scripts.side_by_side`` on an idle machine. The
items differ in kind and size, so this says what a training loop waits for, not which code is better: ArgGYM builds a
theory, evaluates it with its engine, proves a minimum and measures a floor for every item.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Annotated, Any, Final

import gymnasium as gym
import typer
from rich.console import Console

import arggym_env as ag
from scripts.benchmark import Report, as_markdown, as_table

LOGIC: Final = (
    "syllogism",
    "propositional_logic",
    "knights_knaves",
    "zebra_puzzles",
    "circuit_logic",
    "self_reference",
    "acre",
)
"""The generators of reasoning-gym's logic and induction categories that need nothing but their own configuration."""
LEVELS: Final = (1, 8, 15)


def main(
    items: Annotated[int, typer.Option(help="Items per generator.")] = 60,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for the README.")] = False,
) -> None:
    """Time drawing one item and scoring its own right answer."""
    rows = [row(f"reasoning-gym {name}", *theirs(name, items)) for name in LOGIC]
    for task, env_id in zip(ag.TASKS, ag.ENV_IDS, strict=True):
        rows += [row(f"{task}, level {level}", *ours(env_id, items, level=level)) for level in LEVELS]
    rows += [row(env_id, *ours(env_id, items)) for env_id in ag.LOGIHARD_ENV_IDS]
    headings = ("generator", "draw, median", "draw, p95", "score, median")
    report = Report("Drawing and scoring an item, side by side", f"{items} items each", headings, rows)
    if markdown:
        print(as_markdown(report))
    else:
        Console().print(as_table(report))


def theirs(name: str, items: int) -> tuple[list[float], list[float]]:
    """Return the seconds of drawing and of scoring the items of a generator of reasoning-gym."""
    import reasoning_gym  # heavy, and only this script needs it

    dataset = reasoning_gym.create_dataset(name, size=items, seed=1)
    return timed(
        lambda index: dataset[index], lambda entry: dataset.score_answer(answer=entry["answer"], entry=entry), items
    )


def ours(env_id: str, items: int, **arguments: Any) -> tuple[list[float], list[float]]:
    """Return the seconds of resetting an environment and of stepping it with the reference."""
    env = gym.make(env_id, disable_env_checker=True, **arguments)
    env.reset(seed=1)

    def draw(_: int) -> str:
        env.reset()
        return f"<answer>\n{env.unwrapped.instance.reference}\n</answer>"  # type: ignore[attr-defined]

    return timed(draw, env.step, items)


def timed(draw: Callable[[int], Any], score: Callable[[Any], object], items: int) -> tuple[list[float], list[float]]:
    """Return the seconds that each draw and each score took."""
    draws, scores = [], []
    for index in range(items):
        start = time.perf_counter()
        drawn = draw(index)
        middle = time.perf_counter()
        score(drawn)
        draws.append(middle - start)
        scores.append(time.perf_counter() - middle)
    return draws, scores


def row(name: str, draws: list[float], scores: list[float]) -> tuple[str, ...]:
    """Return a line of the table."""
    p95 = statistics.quantiles(draws, n=20)[-1]
    return (
        name,
        *(f"{1000 * seconds:.2f} ms" for seconds in (statistics.median(draws), p95, statistics.median(scores))),
    )


if __name__ == "__main__":
    typer.run(main)
