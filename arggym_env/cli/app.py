"""The commands of ``arggym``; each is one function, and every error of the package is one line on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from arggym_env.cli import evaluation, gallery, logihard, suite
from arggym_env.cli import show as showing
from arggym_env.cli.ending import USAGE_ERROR, exit_code_of
from arggym_env.cli.listing import ENVIRONMENTS, listing
from arggym_env.cli.source import (
    DEFAULT_ORDERING,
    LOGIHARD,
    STDIN,
    LogiHardChoice,
    UsageError,
    find_instance,
    read_input,
)
from arggym_env.cli.tables import Output, OutputOption
from arggym_env.engine import DEFAULT_MAX_ARGUMENTS, ENGINES, SEMANTICS, evaluate
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS
from arggym_env.envs.scoring import corrected
from arggym_env.instances import score as judge
from arggym_env.logihard import FAMILIES, OPERATOR_TIERS, SAMPLERS
from arggym_env.logihard.coordinates import LOGIHARD_TASKS
from arggym_env.picture import LAYOUTS, asked_of, check_layout, draw
from arggym_env.theory import Theory
from arggym_env.versions import __version__

app = typer.Typer(
    name="arggym",
    help="Questions in defeasible reasoning over ASPIC+ theories: sample them, score answers, look inside.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


TASK_HELP = f"The task: {', '.join(TASKS)}, or a plug-in's"
QUESTION_HELP = f"{TASK_HELP}; or {LOGIHARD}, {' or '.join(LOGIHARD_TASKS)}."
TaskArgument = Annotated[str, typer.Argument(help=QUESTION_HELP, show_default=False)]
MaybeQuestion = Annotated[str | None, typer.Argument(help=QUESTION_HELP, show_default=False)]
MaybeTask = Annotated[str | None, typer.Argument(help=f"{TASK_HELP}.", show_default=False)]
LevelOption = Annotated[int, typer.Option("--level", "-l", help=f"Level, 1 (easiest) to 15; {LOGIHARD}: to 5.")]
OrderingOption = Annotated[
    str, typer.Option("--ordering", help=f"Preference ordering, one of: {'; '.join(ORDERINGS)}.", metavar="NAME")
]
SeedOption = Annotated[int, typer.Option("--seed", "-s", help="Seed of the instance, 0 to 2^63 - 1.")]
SplitOption = Annotated[str, typer.Option("--split", help="Random stream: train, eval or frozen.", metavar="NAME")]
RowOption = Annotated[
    Path | None, typer.Option("--row", help="Take the instance from a file of JSON rows (- for standard input).")
]
IndexOption = Annotated[int | None, typer.Option("--index", help="Which row of --row, counted from 0.")]
EngineOption = Annotated[
    str, typer.Option("--engine", help=f"Argumentation engine: {' or '.join(ENGINES)}.", metavar="NAME")
]
LimitOption = Annotated[int, typer.Option("--max-arguments", help="Largest number of arguments of a theory.")]
FamilyOption = Annotated[
    str | None,
    typer.Option(
        "--family", help=f"Family of {LOGIHARD} questions: {', '.join(FAMILIES)}; by default the first.", metavar="NAME"
    ),
]
TierOption = Annotated[
    str | None,
    typer.Option(
        "--tier",
        help=f"Form of {LOGIHARD} questions: base (atomic), {', '.join(OPERATOR_TIERS)}; by default medium.",
        metavar="NAME",
    ),
]
SamplerOption = Annotated[
    str | None,
    typer.Option("--sampler", help=f"How {LOGIHARD} claims are drawn: {' or '.join(SAMPLERS)}.", metavar="NAME"),
]


@app.callback(invoke_without_command=True)
def arggym(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Questions in defeasible reasoning over ASPIC+ theories: sample them, score answers, look inside."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(USAGE_ERROR)


@app.command()
def tasks(output: OutputOption = Output.TEXT) -> None:
    """List the tasks: the suite's, LogiHard's, the mixture, and those of installed plug-ins."""
    summaries, problems = listing()
    if output is Output.JSON:
        typer.echo(json.dumps(summaries))
    else:
        showing.show_tasks(summaries)
        typer.echo(ENVIRONMENTS)
    for problem in problems:
        typer.echo(f"arggym: {problem}", err=True)


@app.command()
def sample(
    task: TaskArgument,
    level: LevelOption = 1,
    ordering: OrderingOption = DEFAULT_ORDERING,
    seed: SeedOption = 0,
    split: SplitOption = "train",
    family: FamilyOption = None,
    tier: TierOption = None,
    sampler: SamplerOption = None,
    reference: Annotated[bool, typer.Option("--reference", help="Add the reference answer after the prompt.")] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Make one instance and print its prompt, exactly as a model reads it.

    With -o json the whole instance is printed, reference included: one row for --row.
    """
    instance = find_instance(task, level, ordering, seed, split, None, None, LogiHardChoice(family, tier, sampler))
    if output is Output.JSON:
        typer.echo(instance.to_json())
        return
    typer.echo(instance.prompt)
    if reference:
        typer.echo(f"\nReference:\n<answer>\n{instance.reference}\n</answer>")


@app.command()
def score(
    task: MaybeQuestion = None,
    level: LevelOption = 1,
    ordering: OrderingOption = DEFAULT_ORDERING,
    seed: SeedOption = 0,
    split: SplitOption = "train",
    family: FamilyOption = None,
    tier: TierOption = None,
    sampler: SamplerOption = None,
    row: RowOption = None,
    index: IndexOption = None,
    completion: Annotated[
        str, typer.Option("--completion", "-c", help="File with the model's completion; - is standard input.")
    ] = STDIN,
    engine: EngineOption = "native",
    max_arguments: LimitOption = DEFAULT_MAX_ARGUMENTS,
    output: OutputOption = Output.TEXT,
) -> None:
    """Score a completion against an instance, given by coordinates or as a stored row."""
    if str(row) == STDIN and completion == STDIN:
        raise UsageError("the row and the completion cannot both come from standard input")
    choice = LogiHardChoice(family, tier, sampler)
    instance = find_instance(task, level, ordering, seed, split, row, index, choice)
    result = judge(instance, read_input(completion), engine=engine, max_arguments=max_arguments)
    if output is Output.TEXT:
        showing.show_score(instance, result)
        return
    report = {
        "instance_id": instance.id,
        "native": result.native,
        "success": result.success,
        "floor": instance.floor,
        "corrected": corrected(result.native, instance.floor),
        "answer_found": result.answer_found,
        "reason": result.reason.value,
        "detail": dict(result.detail),
    }
    typer.echo(json.dumps(report))


@app.command()
def show(
    task: MaybeTask = None,
    level: LevelOption = 1,
    ordering: OrderingOption = DEFAULT_ORDERING,
    seed: SeedOption = 0,
    split: SplitOption = "train",
    row: RowOption = None,
    index: IndexOption = None,
    theory: Annotated[
        str | None,
        typer.Option("--theory", help="Show a theory of your own: a file of directives, - for standard input."),
    ] = None,
    semantics: Annotated[
        str, typer.Option("--semantics", help=f"Semantics of the statuses: {', '.join(SEMANTICS)}.", metavar="NAME")
    ] = "grounded",
    engine: EngineOption = "native",
    max_arguments: LimitOption = DEFAULT_MAX_ARGUMENTS,
    svg: Annotated[
        Path | None, typer.Option("--svg", help="Draw the theory into this SVG file instead; - for standard output.")
    ] = None,
    layout: Annotated[
        str, typer.Option("--layout", help=f"How --svg places things: {', '.join(LAYOUTS)}.", metavar="NAME")
    ] = "auto",
    output: OutputOption = Output.TEXT,
) -> None:
    """Show a theory with its arguments, attacks, defeats and claim statuses.

    It is an instance's (by coordinates, or a stored row with its own ordering) or yours.
    """
    asked: dict[str, str] = {}
    if theory is None:
        instance = find_instance(task, level, ordering, seed, split, row, index)
        if not isinstance(instance, Instance):
            raise UsageError(f"{instance.id} has letters for answers and no theory to show")
        title, shown, under = instance.id, instance.theory, instance.ordering
        asked = asked_of(instance.question)
    else:
        if task is not None or row is not None:
            raise UsageError("--theory shows a theory of your own; it goes with no task and no --row")
        title, shown, under = f"theory {theory}", Theory.parse(read_input(theory)), ordering
    state = evaluate(shown, under, engine=engine, max_arguments=max_arguments)
    if svg is not None:
        showing.draw_state(svg, draw(state, title=title, asked=asked, layout=check_layout(layout)))
    elif output is Output.JSON:
        typer.echo(json.dumps({"title": title, **showing.state_as_json(state, semantics)}))
    else:
        showing.show_state(title, state, semantics)


suite.register(app)
evaluation.register(app)
logihard.register(app)
gallery.register(app)


def run(arguments: Sequence[str] | None) -> None:
    """Run the command line and exit, as ``arggym_env.cli.main`` says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = None if arguments is None else list(arguments)
    sys.exit(exit_code_of(lambda: app(words, prog_name="arggym", standalone_mode=False)))
