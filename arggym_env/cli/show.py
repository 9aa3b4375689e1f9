"""What the commands print: tables that fit a terminal of 80 columns, and the same content as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arggym_env.cli.ending import write_file
from arggym_env.cli.source import STDIN
from arggym_env.engine import Argument, State
from arggym_env.envs.scoring import corrected
from arggym_env.instances import AnyInstance
from arggym_env.rewards.score import JsonValue, Score

STYLES: Final = {
    "justified": "green",
    "in": "green",
    "overruled": "red",
    "out": "red",
    "undecided": "yellow",
    "no stable extension": "magenta",
}
"""How a status or an argument's label is coloured."""


def show_tasks(summaries: Mapping[str, str]) -> None:
    """Print one line for each task."""
    table = _table("task", "what is asked")
    for name, summary in summaries.items():
        table.add_row(name, summary)
    Console(markup=False).print(table)


def show_score(instance: AnyInstance, score: Score) -> None:
    """Print the verdict on a completion."""
    console = Console(markup=False, highlight=False)
    table = _table(instance.id, "")
    table.add_row("success", Text("yes", "green") if score.success else Text("no", "red"))
    table.add_row("reason", score.reason.value)
    table.add_row("native", f"{score.native:.4f}")
    table.add_row("floor", f"{instance.floor:.4f}")
    table.add_row("corrected", f"{corrected(score.native, instance.floor):.4f}")
    table.add_row("answer found", "yes" if score.answer_found else "no")
    for key, value in score.detail.items():
        table.add_row(key, Text(_plain(value)))
    console.print(table)


def show_state(title: str, state: State, semantics: str) -> None:
    """Print a theory, its arguments with their grounded labels, its attacks, and the statuses of its claims."""
    statuses = state.statuses(semantics)
    console = Console(markup=False, highlight=False)
    console.print(Text(title, "bold"))
    console.print(Text(f"ordering: {state.ordering}"))
    _section(console, f"Theory ({len(state.theory.directives)} directives)")
    for directive in state.theory.directives:
        console.print(Text(str(directive)), soft_wrap=True)  # it can be copied and read again
    _section(console, f"Arguments ({state.argument_count})")
    table = _table("grounded", "argument")
    for argument in state.arguments:
        table.add_row(_coloured(state.label(argument)), Text(str(argument)))
    console.print(table)
    _section(console, f"Attacks ({state.attack_count} direct; {state.defeat_count} defeats between whole arguments)")
    table = _table("attacker", "attacked", "kind", "on", "defeat")
    for attack in state.attacks:
        defeat = Text("yes", "red") if attack.succeeds else Text("no, not strong enough")
        target = _attacked_point(attack.attacked, attack.kind)
        table.add_row(_name(attack.attacker), _name(attack.attacked), attack.kind, target, defeat)
    console.print(table)
    _section(console, f"Statuses under {semantics} semantics")
    console.print(_status_table(statuses))


def draw_state(path: Path, picture: str) -> None:
    """Write a picture to ``path``, or print it for ``-``; raise UsageError if it cannot be written."""
    if str(path) == STDIN:
        print(picture, end="")  # noqa: T201
        return
    write_file(path, picture)


def state_as_json(state: State, semantics: str) -> dict[str, JsonValue]:
    """Return what ``show_state`` prints as JSON values; arguments are referred to by their index."""
    statuses: dict[str, JsonValue] = dict(state.statuses(semantics))
    return {
        "ordering": state.ordering,
        "theory": [str(directive) for directive in state.theory.directives],
        "arguments": [_argument_as_json(argument, state.label(argument)) for argument in state.arguments],
        "attacks": [
            {
                "attacker": attack.attacker.index,
                "attacked": attack.attacked.index,
                "kind": attack.kind,
                "defeat": attack.succeeds,
            }
            for attack in state.attacks
        ],
        "defeats": [[source.index, target.index] for source, target in state.defeats],
        "semantics": semantics,
        "statuses": statuses,
    }


def _argument_as_json(argument: Argument, label: str) -> dict[str, JsonValue]:
    return {
        "index": argument.index,
        "conclusion": argument.conclusion,
        "rule": argument.top_rule.name if argument.top_rule else None,
        "subarguments": [part.index for part in argument.subarguments],
        "premises": [*sorted(argument.premises)],
        "label": label,
    }


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    return table


def _section(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, "bold underline"))


def _status_table(statuses: Mapping[str, str]) -> Table:
    """Return claims and their negations side by side: each row is one name."""
    table = _table("claim", "status", "negation", "status")
    literals = list(statuses)
    for claim, negation in zip(literals[::2], literals[1::2], strict=True):
        table.add_row(claim, _coloured(statuses[claim]), negation, _coloured(statuses[negation]))
    return table


def _coloured(status: str) -> Text:
    return Text(status, STYLES[status])


def _name(argument: Argument) -> str:
    return f"A{argument.index}"


def _attacked_point(attacked: Argument, kind: str) -> str:
    """Return what of the argument is attacked: its top rule's name, or its conclusion (a premise is its own)."""
    return attacked.top_rule.name if kind == "undercut" and attacked.top_rule else attacked.conclusion


def _plain(value: JsonValue) -> str:
    if isinstance(value, dict):
        return _lines(f"{key}: {_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return _lines(map(_plain, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return str(value)


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(parts) or "none"
