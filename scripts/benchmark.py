"""How fast the package is: engines against each other, semantics, scoring, resets and batches, each with its aim.

Run ``.venv/bin/python scripts/benchmark.py`` on an idle machine; it uses one core, and two for the batch.
``--markdown`` prints the tables of the README's performance section.
"""

from __future__ import annotations

import json
import math
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

import arggym_env as ag
from arggym_env.engine.framework import Framework
from arggym_env.engine.semantics import EXTENSION_SEMANTICS
from arggym_env.envs.registry import get_task
from arggym_env.envs.stream import Stream
from arggym_env.export import coordinates_of
from arggym_env.export import export as write_export
from arggym_env.rewards.asking import Address, ask
from arggym_env.rewards.batch import score_batch
from arggym_env.rewards.workers import end_workers

BUCKETS: Final = ((20, 39), (40, 69), (70, 109), (110, 150))
"""Sizes of theories, in arguments."""
BANDS: Final = ((1, 5), (6, 10), (11, 15))
"""Levels that are reported together."""
SEARCHED: Final = 240
"""How many theories of one source are looked through for one of a given size."""
FRAMEWORK_SIZE: Final = 200
ATTACKS_PER_ARGUMENT: Final = (1, 2, 4, 8)
GROUP: Final = 8
"""Completions of one question."""


class Report(NamedTuple):
    """One table of results."""

    title: str
    aim: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]


def main(
    theories: Annotated[int, typer.Option(help="Theories per size for the engines.")] = 40,
    frameworks: Annotated[int, typer.Option(help="Frameworks per density for the semantics.")] = 5,
    instances: Annotated[int, typer.Option(help="Instances per task for scoring, spread over the levels.")] = 60,
    resets: Annotated[int, typer.Option(help="Resets per task and level band.")] = 60,
    task: Annotated[list[str] | None, typer.Option(help="Only this task; may be repeated. All by default.")] = None,
    completions: Annotated[int, typer.Option(help="Completions of the training batch, 8 to a question.")] = 512,
    export: Annotated[int, typer.Option(help="Rows to export; 100000 take about ten minutes.")] = 2_000,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for the README.")] = False,
) -> None:
    """Measure, and print one table for each of: engines, semantics, scoring, reset, batch, export."""
    console = Console()
    machine = f"Python {platform.python_version()}, {platform.machine()}, one core, arggym-env {ag.__version__}"
    print(f"{machine}.\n" if markdown else machine)
    tasks = [get_task(name).name for name in task] if task else list(ag.TASKS)
    for measure in (
        partial(compare_engines, tasks, theories),
        partial(time_semantics, frameworks),
        partial(time_scoring, tasks, instances),
        partial(time_resets, tasks, resets),
        partial(time_batch, tasks, completions),
        partial(time_export, export),
    ):
        report = measure()
        if markdown:
            print(as_markdown(report))
        else:
            console.print(as_table(report))


def compare_engines(tasks: Sequence[str], per_bucket: int) -> Report:
    """Time both engines on the same theories; total times, each theory once."""
    rows: list[tuple[str, ...]] = []
    totals = dict.fromkeys(("native", "pyarg"), 0.0)
    for low, high in BUCKETS:
        cases = _take(_theories(tasks, low, high), per_bucket)
        spent = {engine: sum(_seconds(_evaluation(*case, engine)) for case in cases) for engine in totals}
        for engine, seconds in spent.items():
            totals[engine] += seconds
        rows.append((f"{low}-{high}", str(len(cases)), *_engine_times(spent)))
    rows.append(("all", str(per_bucket * len(BUCKETS)), *_engine_times(totals)))
    headings = ("arguments", "theories", "native, total", "PyArg, total", "ratio")
    return Report("Native engine against PyArg 2.0.2", "ratio at least 100, better 300", headings, rows)


def time_semantics(per_density: int) -> Report:
    """Time all extension semantics of random frameworks."""
    rows: list[tuple[str, ...]] = []
    for attacks in ATTACKS_PER_ARGUMENT:
        times: list[float] = []
        for number in range(per_density):
            attackers = _random_attackers(FRAMEWORK_SIZE, attacks, number)
            for semantics in EXTENSION_SEMANTICS:
                times.append(_seconds(partial(_solve, attackers, semantics)))
        rows.append((str(attacks), str(len(times)), _ms(statistics.median(times)), _ms(max(times))))
    headings = ("attacks per argument", "runs", "median", "longest")
    aim = f"{', '.join(EXTENSION_SEMANTICS)}, one run each"
    return Report(f"Semantics of random frameworks with {FRAMEWORK_SIZE} arguments", aim, headings, rows)


def time_export(count: int) -> Report:
    """Time an export of status_query at level 1, and look at the process's peak memory on the way."""
    seeds = range(-(-count // len(ag.ORDERINGS)))
    coordinates = list(coordinates_of(["status_query"], [1], ag.ORDERINGS, seeds))[:count]
    marks = {math.ceil(count * part / 4) for part in range(1, 5)}
    rows: list[tuple[str, ...]] = []
    started = time.perf_counter()

    def mark(done: int) -> None:
        if done in marks:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.append((f"{done:,}", f"{done / (time.perf_counter() - started):.0f}", f"{peak:.0f} MB"))

    with tempfile.TemporaryDirectory() as folder:
        write_export(Path(folder) / "rows.jsonl", coordinates, progress=mark)
    return Report("Export, one worker", "memory flat", ("rows", "rows per second", "peak memory"), rows)


def time_scoring(tasks: Sequence[str], count: int) -> Report:
    """Time ``score`` on references, on every answer of the attack battery, and on junk."""
    rows: list[tuple[str, ...]] = []
    for task in tasks:
        times: list[float] = []
        for number in range(count):
            level = ag.LEVELS[number % len(ag.LEVELS)]
            instance = ag.generate(task, level, ag.ORDERINGS[number % len(ag.ORDERINGS)], number, "eval")
            answers = [instance.reference, *get_task(task).attacks(instance).values(), "junk", "x" * 10_000]
            for answer in answers:
                times.append(_seconds(partial(ag.score, instance, f"<answer>\n{answer}\n</answer>")))
        rows.append(
            (task, str(len(times)), _ms(statistics.median(times)), _ms(_quantile(times, 0.99)), _ms(max(times)))
        )
    headings = ("task", "answers", "median", "p99", "longest")
    return Report("Scoring one completion", "median at most 2 ms, p99 at most 20 ms", headings, rows)


def time_resets(tasks: Sequence[str], count: int) -> Report:
    """Time ``reset`` of the environments, a fresh instance each time."""
    rows: list[tuple[str, ...]] = []
    for task in tasks:
        for low, high in BANDS:
            env = ag.ArgumentationEnv(task, level=list(range(low, high + 1)), split="eval")
            times = [_seconds(partial(env.reset, seed=seed)) for seed in range(count)]
            band = f"{low}-{high}"
            rows.append((task, band, _ms(statistics.median(times)), _ms(_quantile(times, 0.95)), _ms(max(times))))
    headings = ("task", "levels", "median", "p95", "longest")
    return Report("Resetting an environment", "median at most 30 ms, p95 at most 250 ms", headings, rows)


def time_batch(tasks: Sequence[str], count: int) -> Report:
    """Time what a training step asks for: prompts, and scores of ``count`` completions of all tasks and levels.

    A trainer that renders prompts and scores in one process has the questions at hand; otherwise they are generated
    again where the completions are scored.
    """
    rows: list[tuple[str, ...]] = []
    for workers in (0, 2):
        score_batch(*_batch(tasks, 2 * GROUP, 30_000), workers)  # processes start once
        addresses, answers = _batch(tasks, count, workers * 10_000)
        again = _timed(partial(score_batch, addresses, answers, workers))
        for address in addresses:
            ask(address)
        known = _timed(partial(score_batch, addresses, answers, workers))
        for what, (seconds, busy) in (("generated again", again), ("at hand", known)):
            rows.append(
                (
                    f"scoring, questions {what}",
                    str(workers or 1),
                    f"{seconds:.2f} s",
                    "" if workers else f"{busy:.2f} s",
                )
            )
    end_workers()
    prompts = _batch(tasks, count, 40_000)[0][::GROUP]
    seconds, busy = _timed(lambda: [ask(address) for address in prompts])
    rows.append((f"rendering the {len(prompts)} prompts", "1", f"{seconds:.2f} s", f"{busy:.2f} s"))
    title = f"A training batch: {count} completions of all tasks and levels, {GROUP} to a question"
    return Report(title, "scored in 2 s by two processes", ("what", "processes", "time", "CPU time"), rows)


def as_table(report: Report) -> Table:
    """Return the report for a terminal."""
    table = Table(title=f"{report.title}\n({report.aim})")
    for position, heading in enumerate(report.headings):
        table.add_column(heading, justify="left" if position == 0 else "right")
    for row in report.rows:
        table.add_row(*row)
    return table


def as_markdown(report: Report) -> str:
    """Return the report as a Markdown table."""
    lines = [f"**{report.title}** ({report.aim})", "", _markdown_row(report.headings)]
    lines.append(_markdown_row(["---", *["---:"] * (len(report.headings) - 1)]))
    return "\n".join([*lines, *map(_markdown_row, report.rows), ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _batch(tasks: Sequence[str], count: int, seed: int) -> tuple[list[Address], list[str]]:
    """Return ``count`` completions, right and wrong, and the question of each; no process has seen the questions."""
    addresses: list[Address] = []
    answers: list[str] = []
    for number in range(-(-count // GROUP)):
        task, ordering = tasks[number % len(tasks)], ag.ORDERINGS[number % len(ag.ORDERINGS)]
        level = ag.LEVELS[number * 7 % len(ag.LEVELS)]
        instance = ag.generate(task, level, ordering, seed + number, "eval")
        options = json.dumps({"level": level, "ordering": ordering, "seed": seed + number})
        known = [instance.reference, *get_task(task).attacks(instance).values()]
        answers += [f"<answer>\n{known[place % len(known)]}\n</answer>" for place in range(GROUP)]
        addresses += [Address(f"ArgGYM/{task}-v0", "eval", options)] * GROUP
    return addresses[:count], answers[:count]


def _timed(action: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that ``action`` took, and for how many of them this process was at work."""
    start, busy = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - start, time.process_time() - busy


def _engine_times(spent: dict[str, float]) -> tuple[str, str, str]:
    return f"{spent['native']:.3f} s", f"{spent['pyarg']:.1f} s", f"{spent['pyarg'] / spent['native']:.0f}"


def _evaluation(theory: ag.Theory, ordering: str, engine: str) -> Callable[[], object]:
    return lambda: ag.evaluate(theory, ordering, engine=engine).statuses()


def _theories(tasks: Sequence[str], low: int, high: int) -> Iterator[tuple[ag.Theory, str]]:
    """Yield theories with ``low`` to ``high`` arguments: in turn one of each task, and a random one.

    A task that makes none of that size among its first few hundred is left out.
    """
    sources = [_task_theories(task) for task in tasks] + [_random_theories()]
    while True:
        for source in sources.copy():
            case = next((case for case in islice(source, SEARCHED) if _has_size(*case, low, high)), None)
            if case is None:
                sources.remove(source)
            else:
                yield case


def _has_size(theory: ag.Theory, ordering: str, low: int, high: int) -> bool:
    try:
        return ag.evaluate(theory, ordering, max_arguments=high).argument_count >= low
    except ag.ArgumentLimitExceeded:
        return False


def _task_theories(task: str) -> Iterator[tuple[ag.Theory, str]]:
    seed = 0
    while True:
        for level in ag.LEVELS:
            for ordering in ag.ORDERINGS:
                yield ag.generate(task, level, ordering, seed, "eval").theory, ordering
        seed += 1


def _random_theories() -> Iterator[tuple[ag.Theory, str]]:
    """Yield random theories of all sizes: rules of both kinds, rebuts, undermining, undercuts and preferences."""
    number = 0
    while True:
        yield _random_theory(Stream("benchmark theory", number)), ag.ORDERINGS[number % len(ag.ORDERINGS)]
        number += 1


def _random_theory(stream: Stream) -> ag.Theory:
    atoms = [f"a{index}" for index in range(stream.between(8, 40))]
    known = [stream.choice(("", "-")) + atom for atom in atoms[: len(atoms) // 2]]
    lines = [f"[premise: {literal}]" for literal in known]
    bodies: set[tuple[frozenset[str], str]] = set()
    names: list[str] = []
    for index in range(stream.between(10, 60)):
        antecedents = stream.sample(known, stream.between(1, 2))
        undercut = names and stream.chance(0.1)
        consequent = f"-{stream.choice(names)}" if undercut else stream.choice(("", "-")) + stream.choice(atoms)
        body = (frozenset(antecedents), consequent)
        if consequent in antecedents or body in bodies:
            continue
        bodies.add(body)
        if not undercut and consequent not in known:
            known.append(consequent)
        left = " AND ".join(antecedents)
        if stream.chance(0.15):
            lines.append(f"[strict s{index}: {left} -> {consequent}]")
        else:
            names.append(f"r{index}")
            lines.append(f"[defeasible r{index}: {left} => {consequent}]")
    for stronger, weaker in zip(stream.shuffled(names), names, strict=True):
        if stronger != weaker and stream.chance(0.4):
            lines.append(f"[prefer_rule: {stronger} > {weaker}]")
    return ag.Theory.parse("\n".join(lines))


def _random_attackers(size: int, attacks: int, number: int) -> list[int]:
    """Return the attackers of ``size`` arguments as bitsets: on average ``attacks`` attacks per argument."""
    stream = Stream("benchmark framework", size, attacks, number)
    attackers = [0] * size
    for _ in range(size * attacks):
        attackers[stream.below(size)] |= 1 << stream.below(size)
    return attackers


def _solve(attackers: Sequence[int], semantics: str) -> object:
    return Framework(attackers).solve(semantics)


def _take(cases: Iterator[tuple[ag.Theory, str]], count: int) -> list[tuple[ag.Theory, str]]:
    return [next(cases) for _ in range(count)]


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _quantile(times: Sequence[float], share: float) -> float:
    """Return the smallest time that at least ``share`` of the times do not exceed."""
    return sorted(times)[math.ceil(share * len(times)) - 1]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


if __name__ == "__main__":
    typer.run(main)
