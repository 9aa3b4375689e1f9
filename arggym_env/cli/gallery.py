"""The command that shows the tasks as documents: the gallery, or a page for each task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arggym_env.envs.registry import TASKS, get_task
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
    chosen = [get_task(name).name for name in tasks] if tasks else list(TASKS)
    if pages is not None:
        write_pages(pages, chosen, logihard=not tasks)
        return
    text = gallery(chosen, levels or LEVELS_SHOWN, logihard=not tasks)
    if file is None:
        typer.echo(text, nl=False)
    else:
        _write(file, text)


def write_pages(folder: Path, tasks: list[str], *, logihard: bool) -> None:
    """Write the page of each task into ``folder``; with LogiHard's also the page that lists them all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in tasks:
        _write(folder / f"{name}.md", task_page(name))
    if logihard:
        for kind in LOGIHARD_PAGES:
            _write(folder / f"{kind}.md", logihard_page(kind))
        _write(folder / "index.md", task_index(tasks, LOGIHARD_PAGES))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
