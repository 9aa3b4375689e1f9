"""A report as one HTML file that needs nothing else: no network, no server, no fonts, no libraries.

Completions are hostile input. What is put into the page here is escaped; transcripts travel as compressed JSON that
the page's script turns into text nodes; and the page's policy permits no script but its own and no request at all.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Final

from arggym_env.evaluation.charts import charts_of
from arggym_env.evaluation.folder import Run, replace
from arggym_env.evaluation.record import Record, completion_of
from arggym_env.evaluation.statistics import Estimate
from arggym_env.evaluation.suites import spread
from arggym_env.evaluation.table import Cell, Column, Table, shown
from arggym_env.evaluation.theories import find_theory, picture_of
from arggym_env.picture.marks import STYLE
from arggym_env.rewards.answer import extract_answer
from arggym_env.rewards.score import JsonValue

LONGEST_TEXT: Final = 30_000
"""How many characters of one text a transcript shows; the middle of a longer one is left out."""
_ANSWER_FIELDS: Final = ("status", "parsed", "retained", "chosen", "unreadable")
"""The fields of a score's detail that show what was read of the answer."""


def write_report(path: Path, runs: Sequence[Run], tables: Sequence[Table], *, transcripts: int = 2000) -> None:
    """Write the page.

    Args:
        path: the file.
        runs: what it is about.
        tables: what ``tables_of`` made of them.
        transcripts: how many records of each run it shows in full; of more, an even mix over tasks is taken.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, page(runs, tables, transcripts).encode("utf-8", "backslashreplace"))


def page(runs: Sequence[Run], tables: Sequence[Table], transcripts: int) -> str:
    """Return the page's text."""
    script, style = _asset("page.js"), _asset("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    names = ", ".join(run.manifest.label for run in runs)
    shown_rows = sum(min(len(run.records), transcripts) for run in runs)
    whole = sum(len(run.records) for run in runs)
    some = "" if shown_rows == whole else f" {shown_rows:,} of {whole:,} records, an even mix over tasks."
    data, pictures = _transcripts(runs, transcripts)
    first, *others = tables
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ArgGYM: {escape(names)}</title>
<style>{style}{STYLE}</style>
</head>
<body>
<header>
<h1>ArgGYM evaluation</h1>
<p>{escape(names)}</p>
<nav><a href="#runs">Runs</a><a href="#charts">Charts</a><a href="#tables">Tables</a>\
<a href="#transcripts">Transcripts</a></nav>
</header>
<main>
<h2 id="runs">Runs</h2>
<div class="card">{_table(first)}</div>
{"".join(map(_about, runs))}
<h2 id="charts">Charts</h2>
{_switch(runs)}
{"".join(f'<div id="run-{index}">{charts_of(run)}</div>' for index, run in enumerate(runs) if run.records)}
<h2 id="tables">Tables</h2>
{"".join(f'<details class="card"><summary>{escape(t.title)}</summary>{_table(t)}</details>' for t in others)}
<h2 id="transcripts">Transcripts</h2>
<p class="note">Long texts are shortened in the middle.{some}</p>
<div class="filters">
<label><select id="filter-run" aria-label="run"></select></label>
<label><select id="filter-task" aria-label="task"></select></label>
<label><select id="filter-level" aria-label="level"></select></label>
<label><select id="filter-outcome" aria-label="outcome"></select></label>
<input id="filter-text" type="search" placeholder="id or completion contains" aria-label="id or completion contains">
<span id="transcript-count" class="note"></span>
</div>
<div class="browser"><div id="transcript-list" class="list"></div><div id="transcript" class="panes"></div></div>
<p class="note">Made by arggym report.</p>
</main>
<script type="application/octet-stream" id="transcripts-data">{_packed(data)}</script>
<script type="application/octet-stream" id="pictures-data">{_packed(pictures)}</script>
<script>{script}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return resources.files("arggym_env.evaluation").joinpath("page", name).read_text(encoding="utf-8")


def _switch(runs: Sequence[Run]) -> str:
    there = [(index, run.manifest.label) for index, run in enumerate(runs) if run.records]
    if len(there) < 2:
        return ""
    buttons = "".join(f'<button type="button" data-run="run-{i}">{escape(label)}</button>' for i, label in there)
    return f'<div class="runs">{buttons}</div>'


def _about(run: Run) -> str:
    """Return what stands beside a run's numbers: the request and its limits, the suite, the versions."""
    asked = run.manifest
    facts: dict[str, object] = {
        "suite": asked.suite,
        "selection": _json({name: value for name, value in asked.selection.as_json().items() if value}),
        "records": f"{len(run.records):,} of {asked.asked:,} ({asked.items:,} items, samples each: {asked.samples})",
        "asked of": f"{asked.backend}: {asked.source}",
        "request": _json(asked.request),
        "settings": _json({name: value for name, value in asked.settings.items() if value is not None}),
        "versions": _json(asked.versions),
        "items SHA-256": asked.sha256,
        "environment": _json(asked.environment),
    }
    rows = "".join(
        f'<tr><td class="text">{escape(name)}</td><td class="text example">{escape(str(value))}</td></tr>'
        for name, value in facts.items()
    )
    summary = f"Settings of {escape(asked.label)}"
    return (
        f'<details class="card"><summary>{summary}</summary><div class="scroll"><table>{rows}</table></div></details>'
    )


def _table(table: Table) -> str:
    head = "".join(f'<th class="{_class(column)}">{escape(_heading(column))}</th>' for column in table.columns)
    rows = []
    for row in table.rows:
        cells = zip(row, table.columns, strict=True)
        rows.append(f"<tr>{''.join(_cell(cell, column) for cell, column in cells)}</tr>")
    note = f'<p class="note">{escape(table.note)}</p>'
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(rows)}</table></div>{note}'


def _cell(cell: Cell, column: Column) -> str:
    if isinstance(cell, Estimate):
        value, _, interval = shown(cell, column.kind).partition(" ")
        return f"<td>{escape(value)}<small>{escape(interval)}</small></td>"
    kind = "text example" if column.title == "example" else _class(column)
    return f'<td class="{kind}">{escape(shown(cell, column.kind))}</td>'


def _class(column: Column) -> str:
    return "text" if column.kind == "text" else ""


def _heading(column: Column) -> str:
    return f"{column.title} %" if column.kind == "share" else column.title


def _packed(value: JsonValue) -> str:
    """Return ``value`` for the page's script: JSON, gzipped, in base64, so that nothing of it can be markup."""
    return base64.b64encode(gzip.compress(json.dumps(value).encode("ascii"), mtime=0)).decode("ascii")


def _transcripts(runs: Sequence[Run], most: int) -> tuple[JsonValue, JsonValue]:
    """Return the transcripts, and the pictures of their theories by id.

    Prompts, references and pictures stand once for all records of an item. A theory is where it stands: the source and
    its first and last line there. Pictures are unpacked only when the reader opens one.
    """
    prompts: dict[str, JsonValue] = {}
    references: dict[str, JsonValue] = {}
    theories: dict[str, JsonValue] = {}
    pictures: dict[str, JsonValue] = {}
    rows: list[JsonValue] = []
    for index, run in enumerate(runs):
        kept = {record.key for record in spread(run.records)[:most]}
        for record in run.records:
            if record.key not in kept:
                continue
            rows.append(_transcript(index, record))
            if record.id in prompts:
                continue
            prompt = _prompt(record)
            prompts[record.id], references[record.id] = _cut(prompt), _cut(record.reference)
            found = find_theory(record, prompt)
            if found is not None and max(len(prompt), len(record.reference)) <= LONGEST_TEXT:
                theories[record.id] = [found.source, found.first, found.end]
                picture = picture_of(record, prompt, found.theory)
                if picture is not None:
                    pictures[record.id] = picture.replace(f"<style>{STYLE}</style>\n", "")
    labels: list[JsonValue] = [run.manifest.label for run in runs]
    data: JsonValue = {
        "runs": labels,
        "prompts": prompts,
        "references": references,
        "theories": theories,
        "rows": rows,
    }
    return data, pictures


def _transcript(run: int, record: Record) -> dict[str, JsonValue]:
    reply, score, failure = record.reply, record.score, record.reply.failure
    detail = {} if score is None else dict(score.detail)
    parsed: dict[str, JsonValue] = {name: detail[name] for name in _ANSWER_FIELDS if name in detail}
    answer = None if failure else extract_answer(completion_of(reply, record.thinking)).text
    rest = {name: value for name, value in record.request.items() if name != "messages"}
    return {
        "run": run,
        "id": record.id,
        "sample": record.sample,
        "task": record.task,
        "level": record.level,
        "outcome": record.outcome.value,
        "native": record.native,
        "floor": record.floor,
        "reason": None if score is None else score.reason.value,
        "text": _cut(reply.text),
        "reasoning": _cut(reply.reasoning),
        "finish": reply.finish_reason,
        "usage": dict(reply.usage),
        "attempts": reply.attempts,
        "failure": None if failure is None else f"{failure.kind} {failure.status or ''}: {failure.message}",
        "parsed": _cut(_lines(parsed) if parsed else answer or ""),
        "detail": json.dumps(detail, indent=1, ensure_ascii=False),
        "request": json.dumps(rest, indent=1, ensure_ascii=False),
    }


def _prompt(record: Record) -> str:
    messages = record.request.get("messages")
    if not isinstance(messages, list):
        return ""
    said = [message for message in messages if isinstance(message, Mapping)]
    if len(said) == 1:
        return str(said[0].get("content"))
    return "\n\n".join(f"[{message.get('role')}]\n{message.get('content')}" for message in said)


def _lines(parsed: Mapping[str, JsonValue]) -> str:
    """Return what was read of an answer, one entry a line."""
    lines = []
    for name, value in parsed.items():
        if isinstance(value, Mapping):
            lines += [f"{key}: {item}" for key, item in value.items()]
        elif isinstance(value, list):
            lines += [f"{'' if name in ('parsed', 'retained') else name + ': '}{item}" for item in value]
        else:
            lines.append(f"{name}: {value}")
    return "\n".join(lines)


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}\n\n[... {len(text) - 2 * half:,} characters left out ...]\n\n{text[-half:]}"


def _json(value: Mapping[str, JsonValue]) -> str:
    return json.dumps(dict(value), ensure_ascii=False)
