"""The main job in one screen: sample a question, answer it wrongly and rightly, and look at both scores."""

from __future__ import annotations

from typing import Annotated

import gymnasium as gym
import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import arggym_env as ag
from arggym_env.envs.registry import get_task


def guess(instance: ag.Instance) -> str:
    """Return the shortest of the answers that the task's floor is measured with, the empty one apart."""
    return min(filter(str.strip, get_task(instance.task).attacks(instance).values()), key=len)


def main(
    task: Annotated[str, typer.Option(help=f"One of {', '.join(ag.TASKS)}.")] = "attack",
    level: Annotated[int, typer.Option(help="1 to 15.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of reset().")] = 0,
) -> None:
    """Sample an instance of TASK, show its prompt, and step the environment with two answers."""
    console = Console(markup=False, highlight=False)
    env = gym.make(f"ArgGYM/{task}-v0", level=level)
    prompt, info = env.reset(seed=seed)
    instance = env.unwrapped.instance  # type: ignore[attr-defined]
    console.print(Text(f"Question {info['instance_id']}", "bold"))
    console.print(Panel(Text(prompt), title="prompt (the observation)"))

    table = Table(title="env.step(completion)", show_lines=True)
    for heading in ("answer", "completion", "reward", "success", "reason"):
        table.add_column(heading, overflow="fold")
    for label, answer in (("a guess that ignores the theory", guess(instance)), ("the reference", instance.reference)):
        completion = f"<answer>\n{answer}\n</answer>"
        env.reset(options={"instance": instance})
        _, reward, _, _, verdict = env.step(completion)
        success = "yes" if verdict["success"] else "no"
        table.add_row(label, Text(completion), f"{float(reward):.3f}", success, verdict["reason"])
    console.print(table)
    console.print(Text("What to do next", "bold"))
    for command, purpose in (
        ("docs/primer.md", "what such a question is about, explained in two minutes"),
        (f".venv/bin/arggym sample {task} --level 9", "another question, for your own model"),
        (f".venv/bin/arggym score {task} --level 9 < completion.txt", "what the model's answer is worth"),
        (f".venv/bin/arggym show {task} --level 9", "the arguments, attacks and statuses behind it"),
        (".venv/bin/arggym --help", "everything else; README.md has the Python side"),
    ):
        console.print(Text.assemble("  ", (command, "cyan"), "\n      ", purpose))


if __name__ == "__main__":
    typer.run(main)
