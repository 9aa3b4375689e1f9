"""Tables and the page: every number has its denominator and interval, and hostile completions stay text."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from arggym_env.envs.stream import Stream
from arggym_env.errors import RunError
from arggym_env.evaluation.folder import Run
from arggym_env.evaluation.item import Item
from arggym_env.evaluation.record import OUTCOMES, Failure, Outcome, Reply, judge
from arggym_env.evaluation.report import LONGEST_TEXT, page, write_report
from arggym_env.evaluation.statistics import Estimate
from arggym_env.evaluation.table import Column, Table, shown
from arggym_env.evaluation.tables import tables_of
from arggym_env.evaluation.theories import find_theory, picture_of
from arggym_env.frozen.suite import load_frozen
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.score import JsonValue
from tests.evaluation.browser import CHROMIUM, Page, chromium
from tests.evaluation.runs import letters, run_agent, some_items

_OWN = "document.title='owned'"
HOSTILE = f'</script><script>{_OWN}</script><img src=x onerror="{_OWN}">\u2028\ud800\x00&amp;'


def mixed(path: Path, label: str, shift: int = 0) -> Run:
    """A run whose records are of every class, with hostile texts in all of them."""
    run = run_agent(path, "reference", limit=48, label=label)
    _, items = some_items(48)
    by_id = {item.id: item for item in items}
    messages: list[JsonValue] = [{"role": "user", "content": HOSTILE}]
    request: FrozenMap[JsonValue] = FrozenMap({"model": label, "max_tokens": 4096, "messages": messages})
    records = tuple(
        judge(by_id[record.id], 0, request, "http://host/v1", None, reply(by_id[record.id], place + shift))
        for place, record in enumerate(run.records)
    )
    return replace(run, records=records, manifest=replace(run.manifest, request=request))


def reply(item: Item, place: int) -> Reply:
    gold = f"<answer>\n{item.reference}\n</answer>"
    usage = FrozenMap({"completion_tokens": 10 + place * 37})
    match place % 9:
        case 0 | 1 | 2:
            return Reply(gold, HOSTILE, "stop", usage)
        case 3:
            return Reply(f"<answer>\n{HOSTILE}\n</answer>", None, "stop", usage)
        case 4:
            return Reply(HOSTILE, None, "stop", usage)
        case 5:
            return Reply(HOSTILE, gold, "stop", usage)
        case 6:
            return Reply(None, HOSTILE * 900, "length", usage)
        case 7:
            return Reply(failure=Failure("status", HOSTILE, 400))
        case _:
            return Reply(f"<answer>\n{item.guess(Stream('report'))}\n</answer>", None, "stop", usage)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    return [mixed(folder / "a", "model a"), mixed(folder / "b", f"b {HOSTILE[:60]}", 4)]


def table(runs: list[Run], name: str) -> Table:
    return next(found for found in tables_of(runs) if found.name == name)


def test_the_runs_of_these_tests_have_every_outcome(runs: list[Run]) -> None:
    assert {record.outcome for record in runs[0].records} == set(OUTCOMES)


def test_every_share_has_the_same_denominator_and_every_class_is_counted(runs: list[Run]) -> None:
    for run, row in zip(runs, table(runs, "overall").rows, strict=True):
        found = row[1]
        assert isinstance(found, Estimate)
        solved = sum(record.outcome is Outcome.CORRECT for record in run.records)
        assert (found.value, found.n) == (solved / 48, 48)
        assert row[2:4] == (48, 48)
        assert row[-1] == 4096
    for row in table(runs, "outcomes").rows:
        assert sum(count for count in row[2:-1] if isinstance(count, int)) == row[-1]


def test_success_given_an_answer_region_divides_by_the_regions(runs: list[Run]) -> None:
    records = runs[0].records
    label, truncated, missing, there, canonical, given, difference = table(runs[:1], "protocol").rows[0]
    regions = sum(record.answer_found for record in records)
    solved = sum(record.success for record in records)
    assert isinstance(canonical, Estimate)
    assert isinstance(given, Estimate)
    assert (given.value, given.n) == (solved / regions, regions)
    assert difference == pytest.approx(given.value - canonical.value)
    assert missing == pytest.approx(1 - regions / 48)
    assert there == pytest.approx(regions / 48)
    assert truncated == sum(record.reply.truncated for record in records) / 48
    assert label == "model a"


def test_native_scores_are_never_averaged_over_tasks(runs: list[Run]) -> None:
    for found in tables_of(runs):
        natives = [index for index, column in enumerate(found.columns) if column.kind == "score"]
        if natives:
            tasks = next(index for index, column in enumerate(found.columns) if column.title == "task")
            assert all(row[tasks] != "all" for row in found.rows), found.name


def test_floor_and_corrected_score_stand_beside_the_native_score(tmp_path: Path) -> None:
    floor = table([run_agent(tmp_path / "f", "floor", 24)], "by_task").rows
    for _, _, _, native, mean_floor, corrected, _ in floor:
        assert isinstance(native, Estimate)
        assert native.value == pytest.approx(mean_floor)
        assert corrected == pytest.approx(0.0)


def test_two_runs_are_compared_by_task_and_a_run_with_itself_is_even(runs: list[Run], tmp_path: Path) -> None:
    rows = table(runs, "paired").rows
    assert len(rows) == 13
    first, second = (run_agent(tmp_path / name, "reference", 24, label=name) for name in ("one", "two"))
    for row in table([first, second], "paired").rows:
        assert row[6:9] == (0, 0, 1.0)


def test_pass_at_k_appears_with_several_samples_only(tmp_path: Path, runs: list[Run]) -> None:
    several = run_agent(tmp_path, "random", limit=12, samples=4)
    found = table([several], "pass_at_k")
    assert [column.title for column in found.columns[2:]] == ["pass@1", "pass@2", "pass@4", "items omitted"]
    assert "pass_at_k" not in {table.name for table in tables_of(runs)}


def test_csv_and_json_hold_every_number(runs: list[Run]) -> None:
    for found in tables_of(runs):
        rows = list(csv.reader(io.StringIO(found.as_csv())))
        assert len(rows) == len(found.rows) + 1
        assert len({len(row) for row in rows}) == 1
        value = found.as_json()
        assert json.loads(json.dumps(value)) == value
    (first, *_) = csv.DictReader(io.StringIO(table(runs, "overall").as_csv()))
    assert float(first["success low"]) < float(first["success"]) < float(first["success high"])


def test_a_cell_that_a_spreadsheet_would_run_is_defused() -> None:
    found = Table("t", "t", "", (Column("a"),), (("=1+1",), ("@x",), ("plain",)))
    assert found.as_csv().split("\n")[1:4] == ["'=1+1", "'@x", "plain"]


def test_cells_are_written_as_people_read_them() -> None:
    assert shown(Estimate(0.283, 0.201, 0.37, 9, 9), "share") == "28.3 [20, 37]"
    assert shown(0.0, "share") == "0.0"
    assert shown(-0.05, "points") == "-5.0"
    assert shown(0.0004, "p") == "<0.001"
    assert shown(None, "share") == ""
    assert shown(0, "count") == "0"


def test_runs_of_different_versions_or_of_one_name_are_not_reported_together(runs: list[Run]) -> None:
    first, second = runs
    other = replace(second, manifest=replace(second.manifest, versions=FrozenMap({"scoring": 0})))
    with pytest.raises(RunError, match="different versions"):
        tables_of([first, other])
    with pytest.raises(RunError, match="two runs are called"):
        tables_of([first, replace(second, manifest=replace(second.manifest, label="model a"))])
    with pytest.raises(RunError, match="no records"):
        tables_of([replace(first, records=())])


def test_a_suite_without_orderings_is_reported_alone_and_beside_the_other(runs: list[Run]) -> None:
    alone = [letters("letters")]
    assert "by_ordering" not in {found.name for found in tables_of(alone)}
    for together in (alone, [*runs, *alone]):
        assert "letters" in page(together, tables_of(together), 100)
    assert "paired" not in {found.name for found in tables_of([runs[0], alone[0]])}


def test_a_run_that_has_only_begun_is_reported_with_what_there_is(runs: list[Run]) -> None:
    begun = replace(runs[0], records=runs[0].records[:3])
    tables = tables_of([begun])
    assert tables[0].rows[0][2:4] == (3, 48)
    assert "3 of 48" in page([begun], tables, 100)


def unpacked(text: str, name: str) -> dict[str, Any]:
    (packed,) = re.findall(rf'id="{name}-data">([^<]*)<', text)
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return found


def transcripts(text: str) -> dict[str, list[dict[str, str]]]:
    return unpacked(text, "transcripts")


class Markup(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[tuple[str, str]] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {(name, value or "") for name, value in attrs}


def test_the_page_holds_no_hostile_markup_and_needs_no_network(runs: list[Run]) -> None:
    text = page(runs, tables_of(runs), 100)
    markup = Markup(text)
    assert markup.tags["script"] == 3
    assert not {"img", "link", "iframe", "object", "embed", "base", "form"} & set(markup.tags)
    assert not [name for name, _ in markup.attributes if name == "src" or name.startswith("on")]
    assert all(value.startswith("#") for name, value in markup.attributes if name == "href")
    assert "url(" not in text.split("</style>")[0]
    assert any("default-src 'none'" in value for name, value in markup.attributes if name == "content")
    kept = transcripts(text)["rows"]
    assert len(kept) == 96
    assert {row["text"] for row in kept if row["outcome"] == "no_answer"} == {HOSTILE}


def test_a_long_text_is_shortened_in_the_middle_and_a_large_run_is_thinned_evenly(runs: list[Run]) -> None:
    text = page(runs[:1], tables_of(runs[:1]), 12)
    kept = transcripts(text)["rows"]
    assert len({row["task"] for row in kept}) == 12
    assert "12 of 48 records" in text
    long = [
        row["reasoning"]
        for row in transcripts(page(runs, tables_of(runs), 100))["rows"]
        if row["outcome"] == "truncated"
    ]
    assert long
    assert all("characters left out" in text and len(text) < LONGEST_TEXT + 100 for text in long)


def test_the_same_runs_give_the_same_page(runs: list[Run], tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        write_report(tmp_path / name, runs, tables_of(runs))
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose prompts are those of the suite."""
    return run_agent(tmp_path_factory.mktemp("plain"), "random", limit=24)


def test_the_theory_of_every_record_is_found_in_its_texts_and_drawn(plain: Run) -> None:
    _, items = some_items(24)
    text = page([plain], tables_of([plain]), 100)
    found, pictures = unpacked(text, "transcripts"), unpacked(text, "pictures")
    theories = {str(instance.id): str(instance.theory) for instance in load_frozen("arggym")}
    for item in items:
        source, first, end = found["theories"][item.id]
        stated = (item.prompt if source == "prompt" else item.reference).split("\n")[first:end]
        assert "\n".join(stated) == theories[item.id]
        assert "<style>" not in pictures[item.id], "the page holds the style once"
        assert ElementTree.fromstring(pictures[item.id]).tag.endswith("svg")
        if item.task != "perturbation":
            assert 'class="tag"' in pictures[item.id], item.id


def test_goals_are_marked_with_what_is_wanted(plain: Run) -> None:
    pictures = unpacked(page([plain], tables_of([plain]), 100), "pictures")
    for record in plain.records:
        if record.score is not None and record.score.detail.get("goals"):
            assert "wanted: " in pictures[record.id]


def test_a_record_that_states_no_theory_has_no_panel(runs: list[Run]) -> None:
    for together in ([letters("letters")], [runs[0]]):
        text = page(together, tables_of(together), 100)
        stated = set(unpacked(text, "transcripts")["theories"])
        assert all(name.startswith("formalization") for name in stated), "hostile prompts state nothing"
        assert set(unpacked(text, "pictures")) == stated


def test_a_theory_that_is_too_large_is_told_and_not_drawn(plain: Run) -> None:
    lines = "\n".join(["[premise: p]", "[premise: q]", *(f"[defeasible r{i}: p => x{i}]" for i in range(1200))])
    messages: list[JsonValue] = [{"role": "user", "content": f"A theory.\n\n{lines}"}]
    record = next(record for record in plain.records if record.task == "attack")
    large = replace(record, request=FrozenMap({"messages": messages}))
    passage = find_theory(large, f"A theory.\n\n{lines}")
    assert passage is not None
    assert (passage.first, passage.end) == (2, 1204)
    assert picture_of(large, lines, passage.theory) is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    if CHROMIUM is None:
        pytest.skip("no chromium on the PATH (Debian: apt-get install chromium)")
    with chromium() as tab:
        yield tab


@pytest.fixture(scope="module")
def report(runs: list[Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(path, runs, tables_of(runs))
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_works_in_a_browser(browser: Page, report: Path, width: int, scheme: str) -> None:
    browser.problems.clear()
    browser.requests.clear()
    browser.open(report, width, scheme=scheme)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    assert browser.evaluate("document.title").startswith("ArgGYM")
    assert browser.evaluate("document.querySelectorAll('#transcript-list > button').length") == 96
    dark = browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(251, 251, 250)"
    assert dark is (scheme == "dark")
    assert browser.problems == []
    assert browser.requests == [report.resolve().as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_theory_panel_draws_when_it_is_opened_and_stays_open(
    browser: Page, plain: Run, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "report.html"
    write_report(path, [plain], tables_of([plain]))
    browser.problems.clear()
    browser.requests.clear()
    browser.open(path, width, scheme=scheme)
    assert browser.evaluate("document.querySelectorAll('.picture svg').length") == 0
    drawn = (
        "new Promise(done => { const look = () => document.querySelector('details.theory').dataset.drawn ? done(1) : "
        "setTimeout(look, 20); look(); })"
    )
    browser.evaluate("document.querySelector('details.theory > summary').focus()")
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="Enter", text="\r", windowsVirtualKeyCode=13)
    browser.evaluate(drawn)
    assert browser.evaluate("document.querySelectorAll('.picture svg .box').length") > 0
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    fill = "getComputedStyle(document.querySelector('.picture svg .back')).fill"
    assert browser.evaluate(fill) == ("rgb(27, 29, 33)" if scheme == "dark" else "rgb(255, 255, 255)")
    browser.evaluate("document.querySelector('details.theory > button').click()")
    fits = "document.querySelector('.picture svg').getBoundingClientRect().width <= innerWidth"
    assert browser.evaluate(fits)
    first = "[...document.querySelectorAll('.picture svg title')][0].textContent"
    title = browser.evaluate(first)
    browser.evaluate("document.querySelectorAll('#transcript-list > button')[1].click()")
    browser.evaluate(drawn)
    assert browser.evaluate(first) != title
    assert browser.evaluate("document.querySelector('details.theory pre').textContent").startswith("[")
    assert browser.problems == []
    assert browser.requests == [path.resolve().as_uri()]


def test_transcripts_are_filtered_and_shown_as_text(browser: Page, report: Path) -> None:
    browser.problems.clear()
    browser.open(report, 1280)
    choose = (
        "(() => {{ const s = document.getElementById('filter-{0}'); s.value = '{1}';"
        "s.dispatchEvent(new Event('change'));"
        "return document.querySelectorAll('#transcript-list > button').length; }})()"
    )
    whole = browser.evaluate(choose.format("outcome", ""))
    some = browser.evaluate(choose.format("outcome", "malformed"))
    fewer = browser.evaluate(choose.format("task", "attack"))
    assert whole > some >= fewer
    browser.evaluate(choose.format("task", ""))
    browser.evaluate(choose.format("outcome", "no_answer"))
    shown_text = browser.evaluate("document.getElementById('transcript').textContent")
    assert "document.title='owned'" in shown_text
    assert browser.evaluate("document.querySelectorAll('#transcript img, #transcript script').length") == 0
    assert browser.evaluate("document.title") != "owned"
    assert browser.problems == []


def test_the_runs_of_a_report_are_switched_by_buttons(browser: Page, report: Path) -> None:
    browser.open(report, 1280)
    visible = "[...document.querySelectorAll('[id^=run-]')].filter(run => !run.hidden).map(run => run.id)"
    assert browser.evaluate(visible) == ["run-0"]
    browser.evaluate("document.querySelectorAll('.runs button')[1].click()")
    assert browser.evaluate(visible) == ["run-1"]
