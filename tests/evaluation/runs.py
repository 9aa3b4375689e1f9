"""Runs for tests: items of the frozen suite, folders, and the backends to fill them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arggym_env.evaluation.agents import AgentBackend
from arggym_env.evaluation.chat import ChatBackend
from arggym_env.evaluation.folder import Manifest, Run, RunFolder, manifest_of, read_run
from arggym_env.evaluation.harness import Backend, Tally, ask
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import Reply, judge
from arggym_env.evaluation.settings import Settings
from arggym_env.evaluation.suites import Selection, load_items
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import Reason, Score
from arggym_env.versions import Versions

SETTINGS = Settings(model="m", temperature=0.5, seed=0)


def some_items(limit: int = 12, **fields: tuple[str, ...]) -> tuple[Selection, list[Item]]:
    """A few rows of the frozen suite."""
    selection = replace(Selection(limit=limit), **fields)  # type: ignore[arg-type]
    return selection, load_items("arggym", selection)


def manifest(
    selection: Selection,
    items: Sequence[Item],
    backend: Backend,
    settings: Settings = SETTINGS,
    samples: int = 1,
    label: str = "m",
) -> Manifest:
    """The manifest of a run over ``items``."""
    return manifest_of(
        items,
        label=label,
        suite="arggym",
        selection=selection,
        samples=samples,
        backend=backend.name,
        source=backend.source,
        model=settings.model or "",
        request=settings.request(),
        settings=settings.record(),
    )


def run_agent(path: Path, agent: str, limit: int = 24, samples: int = 1, label: str | None = None) -> Run:
    """Make a whole run of a baseline agent."""
    selection, items = some_items(limit)
    backend = AgentBackend(agent, items)
    with RunFolder(path, manifest(selection, items, backend, SETTINGS, samples, label or agent)) as folder:
        ask(folder, items, SETTINGS, backend)
    return read_run(path)


def run_chat(
    path: Path,
    url: str,
    items: tuple[Selection, list[Item]],
    settings: Settings = SETTINGS,
    *,
    samples: int = 1,
    concurrency: int = 4,
    attempts: int = 3,
    timeout: float = 20.0,
) -> tuple[Run, Tally]:
    """Ask a server."""
    backend = ChatBackend(url, concurrency=concurrency, attempts=attempts, timeout=timeout, first_pause=0.01)
    selection, chosen = items
    with RunFolder(path, manifest(selection, chosen, backend, settings, samples)) as folder:
        tally = ask(folder, chosen, settings, backend)
    return read_run(path), tally


def letters(label: str, count: int = 4) -> Run:
    """A run over another suite: other tasks, no orderings, details of another kind."""
    items = [Item(f"q{i}", "letters", 1 + i, "", "Q", "A", 0.25, Versions(), score_letter) for i in range(count)]
    records = tuple(
        judge(item, 0, {}, "x", None, Reply("A" if item.level > 1 else "B", None, "stop")) for item in items
    )
    asked = manifest(Selection(), items, AgentBackend("reference", items), label=label)
    return Run(Path("x"), replace(asked, suite="letters"), records)


def score_letter(completion: str) -> Score:
    """The score of its questions: A is right."""
    right = completion == "A"
    return Score(
        float(right), right, True, Reason.CORRECT if right else Reason.WRONG, FrozenMap({"letters": completion})
    )
