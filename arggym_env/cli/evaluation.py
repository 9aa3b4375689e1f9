"""The commands that evaluate models: eval, rescore, report."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from arggym_env.cli import INTERRUPTED
from arggym_env.cli.ending import writing
from arggym_env.cli.source import UsageError
from arggym_env.cli.tables import Output, OutputOption, show_tables
from arggym_env.evaluation import harness
from arggym_env.evaluation.agents import AGENTS, AgentBackend, check_agent
from arggym_env.evaluation.chat import ChatBackend
from arggym_env.evaluation.folder import Manifest, RunFolder, manifest_of, read_run
from arggym_env.evaluation.harness import Backend, Tally
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.offline import OfflineBackend
from arggym_env.evaluation.record import Outcome
from arggym_env.evaluation.report import write_report
from arggym_env.evaluation.settings import Settings, read_assignments, read_settings
from arggym_env.evaluation.suites import SUITES, Selection, load_items
from arggym_env.evaluation.tables import tables_of
from arggym_env.logihard.coordinates import FORMS
from arggym_env.rewards.score import JsonValue

ModelOption = Annotated[str | None, typer.Option("--model", "-m", help="The model's name at the server.")]
BaseUrlOption = Annotated[
    str | None,
    typer.Option("--base-url", envvar="OPENAI_BASE_URL", help="Of an OpenAI-compatible server; key: OPENAI_API_KEY."),
]
ConfigOption = Annotated[Path | None, typer.Option("--config", "-c", help="The model's settings, a TOML file.")]
ReasoningOption = Annotated[
    str | None, typer.Option("--reasoning", help="Which of the file's ways of reasoning.", metavar="NAME")
]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", help="One more setting; may be repeated.", metavar="KEY=VALUE")
]
TimeoutOption = Annotated[float, typer.Option("--timeout", min=1.0, help="Seconds to wait for a completion.")]
AttemptsOption = Annotated[int, typer.Option("--attempts", min=1, help="Tries before a request is an API error.")]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command("eval")(evaluate)
    app.command()(rescore)
    app.command()(report)


def evaluate(
    suite: Annotated[
        str, typer.Option("--suite", help=f"{', '.join(SUITES)}, or a file of rows (published or exported).")
    ] = "arggym",
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Run the model here, with vLLM, without a server.")
    ] = False,
    agent: Annotated[
        str | None, typer.Option("--agent", help=f"A baseline instead of a model: {', '.join(AGENTS)}.", metavar="NAME")
    ] = None,
    config: ConfigOption = None,
    reasoning: ReasoningOption = None,
    assignments: SettingsOption = None,
    tasks: Annotated[list[str] | None, typer.Option("--task", "-t", help="Only this task; may be repeated.")] = None,
    levels: Annotated[list[int] | None, typer.Option("--level", "-l", help="Only this level; may be repeated.")] = None,
    orderings: Annotated[
        list[str] | None, typer.Option("--ordering", help="Only this ordering; may be repeated.", metavar="NAME")
    ] = None,
    tiers: Annotated[
        list[str] | None,
        typer.Option("--tier", help=f"LogiHard: only this form ({', '.join(FORMS)}); may be repeated.", metavar="NAME"),
    ] = None,
    families: Annotated[
        list[str] | None, typer.Option("--family", help="LogiHard: only this family; may be repeated.", metavar="NAME")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most so many rows, over all tasks.")] = None,
    samples: Annotated[int, typer.Option("--samples", min=1, max=10_000, help="Completions for each row.")] = 1,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", min=0, help="Sampling seed of a row's first sample; others count up.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", "-n", min=1, help="Suite fresh: seeds per cell.")] = 1,
    first_seed: Annotated[int, typer.Option("--first-seed", min=0, help="Suite fresh: the first of them.")] = 0,
    concurrency: Annotated[int, typer.Option("--concurrency", "-j", min=1, help="Requests at a time.")] = 16,
    timeout: TimeoutOption = 3600.0,
    attempts: AttemptsOption = 6,
    max_errors: Annotated[
        float, typer.Option("--max-errors", min=0.0, max=1.0, help="Largest share of API errors without exit code 1.")
    ] = 0.05,
    vllm_options: Annotated[
        list[str] | None, typer.Option("--vllm", help="With --offline: an argument of vllm.LLM.", metavar="KEY=VALUE")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The run's folder; by default under runs/.")] = None,
    label: Annotated[str | None, typer.Option("--label", help="The run's name in reports.")] = None,
) -> None:
    """Ask a model, or a baseline agent, every row of a suite, and record what it answers.

    The same command again goes on where the run was stopped. Errors of the server are asked again then.
    """
    settings = settings_of(config, reasoning, assignments, model, seed)
    _check_source(settings, base_url, offline, agent)
    if vllm_options and not offline:
        raise UsageError(f"--vllm {vllm_options[0]} is for a model that runs here (--offline)")
    selection = Selection(
        tasks=tuple(tasks or ()),
        levels=tuple(levels or ()),
        orderings=tuple(orderings or ()),
        tiers=tuple(tiers or ()),
        families=tuple(families or ()),
        limit=limit,
        seeds=seeds,
        first_seed=first_seed,
    )
    if suite not in SUITES:
        suite = str(Path(suite).resolve())
    asked: Backend | None = None
    if offline:
        asked = OfflineBackend(settings, options=_values(vllm_options or []))
    elif agent is None:
        asked = ChatBackend(base_url or "", concurrency=concurrency, timeout=timeout, attempts=attempts)
    items = load_items(suite, selection)
    backend = asked or AgentBackend(agent or "", items, settings.seed or 0)
    settings = replace(settings, model=agent or settings.model)
    manifest = manifest_of(
        items,
        label=label or label_of(settings),
        suite=suite,
        selection=selection,
        samples=samples,
        backend=backend.name,
        source=backend.source,
        model=settings.model or "",
        request=settings.request(),
        settings=settings.record(),
    )
    path = out or Path("runs") / slug(Path(suite).stem) / slug(manifest.label)
    tally = _ask(path, manifest, items, settings, backend)
    _print_end(tally, path)
    if tally.errors > max_errors:
        raise typer.Exit(1)


def rescore(run: Annotated[Path, typer.Argument(help="The run's folder.")]) -> None:
    """Score the completions of a run again with this version of the package, asking nothing."""
    with writing(run):
        found = harness.rescore(run)
    typer.echo(
        f"{found.records} records scored again: {found.gained} succeed only now, {found.lost} no longer, "
        f"{found.native} have another native score"
    )


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, finished or not.")],
    html: Annotated[Path | None, typer.Option("--html", help="Write a page to look at: one file, no network.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write every table to this folder.")] = None,
    output: OutputOption = Output.TEXT,
    transcripts: Annotated[
        int, typer.Option("--transcripts", min=0, help="Most transcripts of a run on the page.")
    ] = 2000,
) -> None:
    """Show what runs came to: success, native scores, outcome classes, and the runs compared in pairs."""
    found = [read_run(path) for path in runs]
    tables = tables_of(found)
    if csv is not None:
        with writing(csv):
            csv.mkdir(parents=True, exist_ok=True)
            for table in tables:
                (csv / f"{table.name}.csv").write_text(table.as_csv(), encoding="utf-8", newline="")
    if html is not None:
        with writing(html):
            write_report(html, found, tables, transcripts=transcripts)
    if output is Output.JSON:
        typer.echo(json.dumps([table.as_json() for table in tables]))
    else:
        show_tables(tables)


def _ask(path: Path, manifest: Manifest, items: Sequence[Item], settings: Settings, backend: Backend) -> Tally:
    try:
        with writing(path), RunFolder(path, manifest) as folder, _progress(manifest.label) as progress:
            return harness.ask(folder, items, settings, backend, progress)
    except KeyboardInterrupt:
        typer.echo(f"stopped; the same command goes on from here ({path})", err=True)
        raise typer.Exit(INTERRUPTED) from None


def settings_of(
    config: Path | None, reasoning: str | None, assignments: Sequence[str] | None, model: str | None, seed: int | None
) -> Settings:
    """Return the settings of a file with those of the command line on top."""
    if reasoning is not None and config is None:
        raise UsageError(
            f"--reasoning {reasoning} chooses a table of --config FILE; without a file, --set thinking=true or "
            "--set reasoning_effort=high"
        )
    settings = read_settings(config, reasoning) if config else Settings()
    settings = read_assignments(settings, assignments or ())
    return replace(settings, model=model or settings.model, seed=settings.seed if seed is None else seed)


def label_of(settings: Settings) -> str:
    """Return what a run is called by default: the model, with its way of reasoning."""
    name = settings.model or ""
    return f"{name} ({settings.reasoning})" if settings.reasoning else name


def _check_source(settings: Settings, base_url: str | None, offline: bool, agent: str | None) -> None:
    if agent is not None:
        if replace(settings, seed=None) != Settings() or offline:
            raise UsageError(
                "--agent answers instead of a model; it goes with no --model, --config, --set or --offline"
            )
        check_agent(agent)
    elif settings.model is None:
        raise UsageError("name a model (--model NAME, or in --config FILE), or a baseline (--agent NAME)")
    elif not offline and not base_url:
        raise UsageError("name the server (--base-url URL), or run the model here (--offline)")


def _values(assignments: list[str]) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    for assignment in assignments:
        try:
            values.update(tomllib.loads(assignment))
        except ValueError:
            raise UsageError(f"{assignment!r} is not KEY=VALUE, such as tensor_parallel_size=2") from None
    return values


def slug(text: str) -> str:
    """Return ``text`` as a folder's name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "run"


@contextmanager
def _progress(name: str) -> Iterator[Callable[[Tally], None]]:
    """Show a progress bar with running success and tokens on standard error; yield what moves it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("success {task.fields[success]}"),
        TextColumn("{task.fields[errors]}tokens {task.fields[tokens]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        job = bar.add_task(name, total=None, success="-", errors="", tokens="0")

        def advance(tally: Tally) -> None:
            errors = tally.outcomes[Outcome.API_ERROR]
            bar.update(
                job,
                total=tally.asked,
                completed=tally.done,
                success=f"{tally.success:.1%}" if tally.done else "-",
                errors=f"errors {errors}  " if errors else "",
                tokens=f"{tally.tokens:,}",
            )

        yield advance


def _print_end(tally: Tally, path: Path) -> None:
    parts = ", ".join(f"{count} {outcome.value}" for outcome, count in tally.outcomes.items() if count)
    typer.echo(f"{tally.done} of {tally.asked} asked, success {tally.success:.1%} of these: {parts}")
    typer.echo(f"run folder: {path}")
    if tally.outcomes[Outcome.API_ERROR]:
        typer.echo(f"the same command asks the {tally.outcomes[Outcome.API_ERROR]} API errors again", err=True)
