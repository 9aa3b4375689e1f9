"""LogiHard on the command line: questions are sampled and scored, the suite audited, the adaptive test run."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import arggym_env as ag
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.cat import CatReport
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.tiers import OPERATOR_TIERS
from tests.test_cli import Shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return Shell(capsys, monkeypatch)


def item(family: str, tier: str, level: int = 1, seed: int = 0, split: str = "train") -> BaseItem | CombinatorialItem:
    mcq = ag.logihard.generate_atomic(family, level, seed, split)
    return ask(mcq, seed, split) if tier == "base" else harden(mcq, tier, seed, split=split)


@pytest.mark.parametrize("tier", ["base", *OPERATOR_TIERS])
@pytest.mark.parametrize("family", FAMILIES)
def test_sample_prints_the_prompt_and_a_row_that_can_be_scored(
    shell: Shell, family: str, tier: str, tmp_path: Path
) -> None:
    words = ("sample", "logihard", "--family", family, "--tier", tier, "-l", "2", "-s", "1", "--split", "eval")
    made = item(family, tier, 2, 1, "eval")
    assert shell(*words) == (0, made.prompt + "\n", "")
    row = tmp_path / "row.json"
    row.write_text(shell(*words, "-o", "json").out, encoding="utf-8")
    assert row.read_text(encoding="utf-8") == made.to_json() + "\n"
    for completion, native in ((made.reference, 1.0), ("none of them", 0.0)):
        report = json.loads(shell("score", "--row", str(row), "-o", "json", stdin=completion).out)
        assert (report["instance_id"], report["native"], report["floor"]) == (made.id, native, 0.25)


def test_the_example_of_the_documentation_works(shell: Shell) -> None:
    sampled = shell("sample", "logihard", "--tier", "expert", "--seed", "1", "--reference").out
    assert sampled.startswith(item("propositional", "expert", seed=1).prompt)
    text = shell("score", "logihard", "--tier", "expert", "--seed", "1", stdin=sampled)
    assert text.code == 0
    for word in ("success", "yes", "correct", "1.0000", "0.2500"):
        assert word in text.out


def test_the_papers_sampler_can_be_asked_for(shell: Shell) -> None:
    row = json.loads(shell("sample", "logihard", "--sampler", "paper", "-o", "json").out)
    assert (row["sampler"], row["tier"]) == ("paper", "medium")


def test_the_adaptive_test_reports_both_subsets(shell: Shell, tmp_path: Path) -> None:
    picture = tmp_path / "trace.svg"
    words = ("cat", "--simulate", "0.5", "--drop", "1", "--max-items", "15", "--seed", "3")
    text = shell(*words, "--svg", str(picture))
    assert (text.code, text.err) == (0, "")
    for word in ("theta", "standard error", "items used", "delta theta", "max items", "uncalibrated"):
        assert word in text.out
    report = json.loads(shell(*words, "-o", "json").out)
    assert report.pop("simulated") == {"base": 0.5, "combinatorial": -0.5, "seed": 3}
    result = CatReport.from_json(json.dumps(report))
    assert (result.base.items, result.combinatorial.items) == (15, 15)
    assert f"{result.delta_theta:+.2f}" in text.out
    assert ET.fromstring(picture.read_text(encoding="utf-8")).tag.endswith("svg")
    assert shell(*words, "-o", "json").out != shell(*words[:-1], "4", "-o", "json").out


def test_negative_abilities_can_be_simulated(shell: Shell) -> None:
    report = json.loads(shell("cat", "--simulate", "-2", "--max-items", "30", "-o", "json").out)
    assert report["base"]["theta"] < 0


def test_floors_of_the_suite_meet_their_targets(shell: Shell) -> None:
    text = shell("floors", "--suite", "logihard")
    assert (text.code, text.err) == (0, "")
    assert "NO" not in text.out
    everything = shell("floors", "--suite", "logihard", "--attacks").out
    for attack in ("all letters", "longest", "always A"):
        assert attack in everything


@pytest.mark.slow
def test_the_suite_is_audited_and_rebuilt(shell: Shell, tmp_path: Path) -> None:
    report = json.loads(shell("audit", "--suite", "logihard", "--workers", "1", "-o", "json").out)
    assert report["rows"] == 2000
    assert not any(report["failures"].values())
    assert "Rows in which a letter is right" in shell("audit", "--suite", "logihard", "--no-oracle", "-w", "1").out
    rebuilt = shell("freeze", "--suite", "logihard", str(tmp_path), "--workers", "1")
    assert (rebuilt.code, "the rows are those of the shipped suite" in rebuilt.out) == (0, True)


BAD_INPUT: dict[str, tuple[list[str], str]] = {
    "unknown family": (["sample", "logihard", "--family", "knight"], "family 'knight' is not one of propositional, "),
    "unknown tier": (["sample", "logihard", "--tier", "harder"], "tier 'harder' is not one of 'easy', "),
    "unknown sampler": (["sample", "logihard", "--sampler", "x"], "sampler 'x' is not one of 'balanced', 'paper'"),
    "level 6": (["sample", "logihard", "-l", "6"], "level 6 is not in 1..5 (family propositional)"),
    "an ordering": (["sample", "logihard", "--ordering", ag.ORDERINGS[1]], "logihard has none"),
    "a tier of a task": (["sample", "attack", "--tier", "hard"], "are for logihard, not for task 'attack'"),
    "claims of the base": (["sample", "logihard", "--tier", "base", "--sampler", "paper"], "--tier base has none"),
    "showing": (["show", "--row", "-"], "has letters for answers and no theory to show"),
    "a suite of another name": (["floors", "--suite", "logic"], "suite 'logic' is not one of arggym, logihard"),
    "a task of the suite": (["audit", "--suite", "logihard", "-t", "attack"], "the LogiHard suite has none"),
    "a part of the suite": (["audit", "--suite", "logihard", "--every", "2"], "the LogiHard suite is audited whole"),
    "a picture nowhere": (["cat", "--simulate", "0", "--svg", "no/such/file"], "cannot write 'no/such/file': No such"),
    "nobody to test": (["cat"], "name a model (--model NAME, or in --config FILE), or an ability (--simulate THETA)"),
    "no server": (["cat", "--model", "m"], "name the server (--base-url URL)"),
    "a bad server": (["cat", "--model", "m", "--base-url", "x"], "base URL 'x' is not an http or https address"),
    "a simulated model": (["cat", "--simulate", "0", "--model", "m"], "--simulate answers instead of a model"),
    "a folder of a simulation": (["cat", "--simulate", "0", "--out", "x"], "--simulate answers instead of a model"),
    "a model that drops": (["cat", "--model", "m", "--base-url", "http://x", "--drop", "1"], "--drop is about"),
    "an unknown setting": (["cat", "--model", "m", "--set", "tempertaure=1"], "'tempertaure' is not a setting"),
    "a bank that is not there": (["cat", "--simulate", "0", "--bank", "no.jsonl"], "No such file"),
    "a model's bad seed": (["cat", "--model", "m", "--base-url", "http://x", "--seed", "-1"], "seed -1 is not an"),
    "an exported tier without LogiHard": (
        ["export", "no/rows", "--tier", "hard"],
        "are for the tasks logihard_base and",
    ),
    "an exported ordering": (
        ["export", "no/rows", "-t", "logihard_base", "--ordering", ag.ORDERINGS[0]],
        "logihard_base has none",
    ),
    "an exported level 6": (["export", "no/rows", "-t", "logihard_base", "-l", "6"], "level 6 is not in 1..5"),
    "an export to a file of another kind": (
        ["export", "no/rows.csv", "-t", "logihard_base", "-l", "1"],
        "file 'no/rows.csv' ends neither in .jsonl nor in .parquet",
    ),
    "nothing to export": (["export", "no/rows", "-t", "logihard_base", "--tier", "hard"], "no row has all"),
    "a bad seed": (["cat", "--simulate", "0", "--seed", "-1"], "seed -1 is not an integer from 0"),
}


@pytest.mark.parametrize(("words", "message"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input_is_one_line_on_standard_error(shell: Shell, words: list[str], message: str) -> None:
    result = shell(*words, stdin=item("knights", "hard").to_json())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("arggym: ")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_simulated_test_needs_both_subsets_too(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bank.jsonl"
    file.write_text(shell("sample", "logihard", "--tier", "base", "-o", "json").out, encoding="utf-8")
    code, out, err = shell("cat", "--simulate", "0", "--bank", str(file))
    assert (code, out) == (2, "")
    assert err == f"arggym: bank {file}: has no combinatorial items; an adaptive test needs both subsets\n"


def test_questions_of_the_other_benchmark_are_no_bank(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bank.jsonl"
    rows = (item("knights", "hard"), ag.generate("attack", 1, ag.ORDERINGS[0], 0))
    file.write_text("".join(row.to_json() + "\n" for row in rows), encoding="utf-8")
    code, out, err = shell("cat", "--simulate", "0", "--bank", str(file))
    assert (code, out) == (2, "")
    assert "1 of its 2 rows are no LogiHard items" in err


@pytest.mark.parametrize("words", [["cat", "--bogus"], ["cat", "--simulate", "9"], ["cat", "--simulate", "x"]])
def test_a_misused_adaptive_test_says_so(shell: Shell, words: list[str]) -> None:
    result = shell(*words)
    assert result.code == 2
    assert "Traceback" not in result.err


def test_help_fits_80_columns(shell: Shell) -> None:
    for command in (("cat",), ("audit",), ("sample",)):
        result = shell(*command, "--help")
        assert result.code == 0
        assert max(map(len, result.out.split("\n"))) <= 80
