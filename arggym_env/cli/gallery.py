"""The command that shows the tasks as documents: the gallery, or a page for each task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arggym_env.cli.ending import write_file, writing
from arggym_env.cli.source import LOGIHARD, UsageError, tell_apart
from arggym_env.envs.registry import TASKS
from arggym_env.gallery import LOGIHARD_PAGES, gallery, logihard_page, task_index, task_page
from arggym_env.gallery.gallery import LEVELS_SHOWN


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command(name="gallery")(show_gallery)


def show_gallery(
    file: Annotated[Path | None, typer.Argument(help="Where to write the gallery; by default it is printed.")] = None,
    tasks: Annotated[list[str] | None, typer.Option("--task", "-t", help="Only this task; may be repeated.")] = None,
    levels: Annotated[
        list[int] | None,
        typer.Option("--level", "-l", help="Only this level; may be repeated.", show_default=False),
    ] = None,
    pages: Annotated[
        Path | None, typer.Option("--pages", help="Write a whole page for each task into this folder instead.")
    ] = None,
) -> None:
    """Show every task at a few levels, prompt and right answer, as a Markdown page."""
    kinds, chosen = tell_apart(tasks or (*TASKS, LOGIHARD))
    if pages is not None:
        write_pages(pages, chosen, kinds, index=not tasks)
        return
    if levels and not chosen:
        raise UsageError("--level is for argumentation tasks; LogiHard's questions are shown at one level")
    text = gallery(chosen, levels or LEVELS_SHOWN, kinds=kinds)
    if file is None:
        typer.echo(text, nl=False)
    else:
        write_file(file, text)


def write_pages(folder: Path, tasks: list[str], kinds: list[str], *, index: bool) -> None:
    """Write the page of each task and of each of LogiHard's kinds into ``folder``, or also one that lists them all."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name in tasks:
        write_file(folder / f"{name}.md", task_page(name))
    for kind in kinds:
        write_file(folder / f"{kind}.md", logihard_page(kind))
    if index:
        write_file(folder / "index.md", task_index(tasks, LOGIHARD_PAGES))
