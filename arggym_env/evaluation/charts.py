"""The pictures of a report as HTML that any width can show: text stays text, and marks stand at percentages.

Every value with an interval is drawn with it: cells of a benchmark are small, and one flipped answer moves a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, log2

from arggym_env.engine.orderings import ORDERINGS
from arggym_env.evaluation.folder import Run
from arggym_env.evaluation.groups import ALL, curriculum, groups, native, success
from arggym_env.evaluation.record import OUTCOMES, Outcome, Record
from arggym_env.evaluation.statistics import Estimate
from arggym_env.frozen.floors import BANDS
from arggym_env.logihard.coordinates import FORMS


def charts_of(run: Run) -> str:
    """Return the pictures of one run."""
    tasks = [(task, records) for _, task, records in groups([run])]
    single = [(task, records) for task, records in tasks if task != ALL]
    parts = (
        _card("Success by task and band of levels or form", _success(tasks), _SUCCESS_NOTE, "tall"),
        _card("Native score against success", _native(single), _NATIVE_NOTE),
        _card("Success by level", _levels(curriculum(run.records)), _LEVEL_NOTE),
        _card("Success by task and ordering", _orderings(single), "Percent of records; number of records below."),
        _card("Outcome classes", _outcomes(tasks), _key(OUTCOMES), "wide"),
        _card("Completion tokens", _tokens(run.records), _TOKENS_NOTE, "wide"),
    )
    return f'<div class="charts">{"".join(parts)}</div>'


_SUCCESS_NOTE = (
    "Dot: success; bar: 95% interval; from 0 to 100%. From the top of each task: "
    f"{', '.join(name for name, _ in BANDS)}; of LogiHard's: the forms, from base to expert."
)
_LEVEL_NOTE = "Dot: success; bar: 95% interval; from 0 at the bottom to 100%."
_NATIVE_NOTE = (
    'Ring: native score; dot: success; <span style="color:var(--floor)">tick</span>: floor, what answers earn that do '
    "not read the question. Bar: from success to native score."
)
_TOKENS_NOTE = "Completions by number of tokens (each column twice as long as the one before), coloured by outcome."


def _card(title: str, body: str, note: str, place: str = "") -> str:
    if not body:
        return ""
    return f'<section class="card {place}"><h3>{escape(title)}</h3>{body}<p class="note">{note}</p></section>'


def _key(outcomes: Iterable[Outcome]) -> str:
    return "".join(
        f'<span class="swatch" style="background:var(--{outcome.value})"></span>{_words(outcome)}'
        for outcome in outcomes
    )


def _words(outcome: Outcome) -> str:
    return outcome.value.replace("_", " ")


def _percent(value: float) -> str:
    return f"{100 * value:.2f}%"


def _success(tasks: Sequence[tuple[str, list[Record]]]) -> str:
    rows = []
    for task, records in tasks:
        rows.append('<div class="rule"></div>')
        name = escape(task)
        for part, chosen in _parts(records):
            found = success(chosen)
            if found is not None:
                rows.append(_track(name, _dot(found), f"{100 * found.value:.1f}%", f"{task}, {part}: {_said(found)}"))
                name = ""
    return f'<div class="bars">{"".join(rows)}</div>'


def _parts(records: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Yield the records by band of the curriculum's levels, and LogiHard's, whose levels are others, by form."""
    there = curriculum(records)
    for band, levels in BANDS:
        yield band, [record for record in there if record.level in levels]
    for form in FORMS:
        yield form, [record for record in records if record.tier == form]


def _native(tasks: Sequence[tuple[str, list[Record]]]) -> str:
    rows = []
    for task, records in tasks:
        solved, partial = success(records), native(records)
        if solved is None or partial is None:
            continue
        floor = sum(record.floor for record in records) / len(records)
        low, high = sorted((solved.value, partial.value))
        marks = (
            f'<i class="span" style="left:{_percent(low)};width:{_percent(high - low)}"></i>'
            f'<i class="tick" style="left:{_percent(floor)}"></i>'
            f'<i class="ring" style="left:{_percent(partial.value)}"></i>'
            f'<i class="dot" style="left:{_percent(solved.value)}"></i>'
        )
        said = f"{task}: success {_said(solved)}, native {partial.value:.3f}, floor {floor:.3f}"
        value = f"{partial.value:.2f} | {100 * solved.value:.0f}%"
        rows.append(_track(escape(task), marks, value, said))
    return f'<div class="bars">{"".join(rows)}</div>'


def _track(name: str, marks: str, value: str, said: str) -> str:
    label = escape(said, quote=True)
    return (
        f'<div class="name">{name}</div>'
        f'<div class="track" role="img" aria-label="{label}" title="{label}">{marks}</div>'
        f'<div class="value">{value}</div>'
    )


def _dot(found: Estimate) -> str:
    return (
        f'<i class="span" style="left:{_percent(found.low)};width:{_percent(found.high - found.low)}"></i>'
        f'<i class="dot" style="left:{_percent(found.value)}"></i>'
    )


def _said(found: Estimate) -> str:
    return f"{100 * found.value:.1f}% [{100 * found.low:.1f}, {100 * found.high:.1f}] of {found.n}"


def _levels(records: Sequence[Record]) -> str:
    levels = sorted({record.level for record in records})
    columns = []
    for level in levels:
        found = success(record for record in records if record.level == level)
        if found is not None:
            label = escape(f"L{level}: {_said(found)}", quote=True)
            marks = (
                f'<i class="span" style="bottom:{_percent(found.low)};height:{_percent(found.high - found.low)}"></i>'
                f'<i class="dot" style="bottom:{_percent(found.value)}"></i>'
            )
            columns.append(f'<div role="img" aria-label="{label}" title="{label}">{marks}</div>')
    return _columns(columns, [f"L{level}" for level in levels])


def _columns(columns: Sequence[str], names: Sequence[str]) -> str:
    axis = "".join(f"<span>{escape(name)}</span>" for name in names)
    return f'<div class="columns">{"".join(columns)}</div><div class="axis">{axis}</div>'


def _orderings(tasks: Sequence[tuple[str, list[Record]]]) -> str:
    there = {record.ordering for _, records in tasks for record in records if record.ordering}
    names = [name for name in ORDERINGS if name in there] + sorted(there - set(ORDERINGS))
    if not names:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = []
    for task, records in tasks:
        if not any(record.ordering for record in records):
            continue
        cells = []
        for name in names:
            chosen = [record for record in records if record.ordering == name]
            found = success(chosen)
            if found is None:
                cells.append("<td></td>")
                continue
            said = escape(f"{task}, {name}: {_said(found)}", quote=True)
            cells.append(
                f'<td class="hot" style="--share:{found.value:.3f}" title="{said}">{100 * found.value:.0f}'
                f"<small>/{found.n}</small></td>"
            )
        rows.append(f'<tr><td class="text">{escape(task)}</td>{"".join(cells)}</tr>')
    return f'<div class="scroll"><table class="heat"><tr><th></th>{head}</tr>{"".join(rows)}</table></div>'


def _outcomes(tasks: Sequence[tuple[str, list[Record]]]) -> str:
    rows = []
    for task, records in tasks:
        counts = {outcome: sum(record.outcome is outcome for record in records) for outcome in OUTCOMES}
        parts = "".join(
            f'<i style="width:{_percent(count / len(records))};background:var(--{outcome.value})"></i>'
            for outcome, count in counts.items()
            if count
        )
        said = ", ".join(f"{count} {_words(outcome)}" for outcome, count in counts.items() if count)
        label = escape(f"{task}: {said}", quote=True)
        rows.append(
            f'<div class="name">{escape(task)}</div><div class="stack" role="img" aria-label="{label}" '
            f'title="{label}">{parts}</div><div class="value">{len(records)}</div>'
        )
    return f'<div class="bars">{"".join(rows)}</div>'


def _tokens(records: Sequence[Record]) -> str:
    """Return a histogram of completion lengths over powers of two, from the shortest to the longest there is."""
    bins: dict[int, list[Record]] = {}
    for record in records:
        tokens = record.reply.usage.get("completion_tokens")
        if tokens is not None and tokens > 0:
            bins.setdefault(max(0, ceil(log2(tokens))), []).append(record)
    if not bins:
        return ""
    powers = range(min(bins), max(bins) + 1)
    tallest = max(map(len, bins.values()))
    columns = []
    for power in powers:
        there, below = bins.get(power, []), 0.0
        marks = []
        for outcome in OUTCOMES:
            share = sum(record.outcome is outcome for record in there) / tallest
            if share:
                style = f"bottom:{_percent(below)};height:{_percent(share)};background:var(--{outcome.value})"
                marks.append(f'<i class="fill" style="{style}"></i>')
                below += share
        label = escape(f"up to {2**power:,} tokens: {len(there)}", quote=True)
        columns.append(f'<div role="img" aria-label="{label}" title="{label}">{"".join(marks)}</div>')
    return _columns(columns, [f"{2**power // 1024}k" if power >= 10 else str(2**power) for power in powers])
