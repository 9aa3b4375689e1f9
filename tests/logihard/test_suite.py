"""The frozen LogiHard suite: its composition, its guard, its audit and its floors, and that it is rebuilt the same."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import arggym_env as ag
from arggym_env.frozen.logihard import (
    LogiHardCell,
    LogiHardSuite,
    assemble_logihard,
    freeze_logihard,
    freeze_logihard_cell,
    logihard_cells,
)
from arggym_env.frozen.logihard_audit import audit_logihard, audit_logihard_row
from arggym_env.frozen.logihard_floors import BlindShare, chance_limit, measure_logihard
from arggym_env.frozen.suite import load_frozen, load_manifest, manifest_text, parse_manifest, read_suite
from arggym_env.logihard import atomic, twins
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.bank import answering, bank_of, frozen_bank
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.cat import adaptive_test
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.rederive import derived_keys, derived_letters, keys_of
from arggym_env.logihard.tiers import OPERATOR_TIERS
from arggym_env.logihard.twins import fingerprint, is_frozen_twin

TIERS = {"base": 1461, "easy": 108, "medium": 215, "hard": 162, "expert": 54}
CELLS = [(family, level) for family, maker in FAMILIES.items() for level in range(1, len(maker.levels) + 1)]


@pytest.fixture(scope="module")
def suite() -> LogiHardSuite:
    return load_frozen("logihard")


def tier_of(row: BaseItem | CombinatorialItem) -> str:
    return "base" if isinstance(row, BaseItem) else row.tier


# Composition


def test_the_suite_has_the_rows_of_the_contract(suite: LogiHardSuite) -> None:
    rows = suite[:]
    assert len(rows) == 2000
    assert Counter(map(tier_of, rows)) == TIERS
    base = Counter((row.atomic.family, row.level) for row in rows if isinstance(row, BaseItem))
    hardened = Counter((row.atomic.family, row.level) for row in rows if isinstance(row, CombinatorialItem))
    for counts in (base, hardened):
        assert set(counts) == set(CELLS)
        assert max(counts.values()) - min(counts.values()) <= 1
    for tier in TIERS:
        families = Counter(row.atomic.family for row in rows if tier_of(row) == tier)
        levels = Counter(row.level for row in rows if tier_of(row) == tier)
        assert set(families) == set(FAMILIES)
        assert set(levels) == {1, 2, 3, 4, 5}
        if tier != "base":
            assert max(families.values()) - min(families.values()) <= 1
            assert max(levels.values()) - min(levels.values()) <= 3


def test_every_hardened_row_has_its_question_among_the_atomic_rows(suite: LogiHardSuite) -> None:
    pairs = suite.pairs()
    assert len(pairs) == 539
    assert all(base.atomic == hardened.atomic for base, hardened in pairs)
    assert len({base.id for base, _ in pairs}) == 539


def test_no_two_atomic_rows_are_twins_and_the_manifest_names_every_row(suite: LogiHardSuite) -> None:
    entries = suite.manifest.rows
    assert len({entry.id for entry in entries}) == 2000
    base = [entry.canonical for entry in entries if "/base/" in entry.id]
    assert len(set(base)) == len(base) == 1461
    row = suite[700]
    assert entries[700].id == row.id
    assert entries[700].shape == row.atomic.family
    assert entries[700].canonical == fingerprint(row.atomic.context, row.atomic.question, row.atomic.options)


def test_rows_are_found_by_id_and_by_coordinates(suite: LogiHardSuite) -> None:
    assert suite.by_id("knights/L02/frozen/3/base/frozen/3") == ask(
        generate_atomic("knights", 2, 3, "frozen"), 3, "frozen"
    )
    found = suite.select(families=["knights"], levels=[2], tiers=["hard", "expert"])
    assert found
    assert {(row.atomic.family, row.level) for row in found} == {("knights", 2)}
    assert {tier_of(row) for row in found} <= {"hard", "expert"}
    assert len(suite.select(tiers=["expert"])) == 54
    with pytest.raises(ag.CoordinateError, match="family 'knight' is not one of"):
        suite.select(families=["knight"])
    with pytest.raises(ag.CoordinateError, match="level 6 is not in"):
        suite.select(levels=[6])
    with pytest.raises(ag.CoordinateError, match="'hard' is one name where several are taken"):
        suite.select(tiers="hard")
    with pytest.raises(ag.CoordinateError, match="is not in the frozen suite logihard"):
        suite.by_id("knights")


def test_references_score_success_and_rows_survive_json(suite: LogiHardSuite) -> None:
    for row in suite[::50]:
        assert ag.score(row, row.reference).success
        assert type(row).from_json(row.to_json()) == row
        assert row.split == row.atomic.id.split("/")[2] == "frozen"


# The files


def test_one_changed_byte_a_missing_row_or_another_version_is_noticed(suite: LogiHardSuite, tmp_path: Path) -> None:
    def written(manifest: str, rows: str) -> None:
        (tmp_path / "logihard.manifest.json").write_text(manifest, encoding="utf-8")
        (tmp_path / "logihard.jsonl.xz").write_bytes(lzma.compress(rows.encode()))

    manifest, rows = manifest_text(suite.manifest), "".join(f"{line}\n" for _, line in suite.lines())
    written(manifest, rows)
    assert read_suite(tmp_path, "logihard").lines() == suite.lines()
    assert parse_manifest(manifest) == suite.manifest
    written(manifest, rows.replace("knave", "Knave", 1))
    with pytest.raises(ag.InstanceError, match="differs from the manifest"):
        read_suite(tmp_path, "logihard")
    written(manifest, rows[: rows.rindex("\n", 0, -1) + 1])
    with pytest.raises(ag.InstanceError, match="1999 rows, the manifest has 2000"):
        read_suite(tmp_path, "logihard")
    newer = json.loads(manifest)
    newer["versions"]["prompt"] += 1
    written(json.dumps(newer), rows)
    with pytest.raises(ag.InstanceError, match="made with"):
        read_suite(tmp_path, "logihard")


@pytest.mark.parametrize("cell", logihard_cells()[::6], ids=lambda cell: f"{cell.family}-L{cell.level}")
def test_a_cell_is_rebuilt_byte_for_byte(suite: LogiHardSuite, cell: LogiHardCell) -> None:
    shipped = [line for row, line in suite.lines() if row.startswith(f"{cell.family}/L{cell.level:02d}/")]
    frozen = freeze_logihard_cell(cell)
    assert [line for line, _ in (*frozen.base, *frozen.hardened)] == shipped
    assert len(frozen.hardened) == len(cell.tiers)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_the_whole_suite_is_rebuilt_byte_for_byte(workers: int, tmp_path: Path) -> None:
    assert freeze_logihard(tmp_path, workers=workers) == load_manifest("logihard")
    data = Path(ag.__file__).parent / "frozen" / "data"
    for name in ("logihard.jsonl.xz", "logihard.manifest.json"):
        assert (tmp_path / name).read_bytes() == (data / name).read_bytes()


def test_a_twin_of_an_earlier_question_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = LogiHardCell("knights", 1, 3, ("easy",))
    twin = generate_atomic("knights", 1, 0, "frozen")

    def generated(family: str, level: int, seed: int, split: str) -> AtomicMCQ:
        return replace(twin, id=f"{family}/L01/{split}/1") if seed == 1 else generate_atomic(family, level, seed, split)

    monkeypatch.setattr("arggym_env.frozen.logihard.generate_atomic", generated)
    frozen = freeze_logihard_cell(cell)
    assert [entry.id.split("/")[3] for _, entry in frozen.base] == ["0", "2", "3"]
    assert frozen.skipped == ("knights/L01/frozen/1: a twin of an earlier question",)
    assert assemble_logihard([frozen])[0].skipped == frozen.skipped


# Twins and the guard


def renamed_and_reordered(question: AtomicMCQ) -> AtomicMCQ:
    """Return a twin: two names exchanged throughout, options reversed."""
    one, other = sorted(set(twins._NAME.findall(question.context)))[:2]

    def exchanged(text: str) -> str:
        return twins._NAME.sub(lambda found: {one: other, other: one}.get(found[0], found[0]), text)

    return replace(
        question,
        context=exchanged(question.context),
        options=tuple(map(exchanged, question.options[::-1])),
        answer=3 - question.answer,
    )


def print_of(question: AtomicMCQ) -> str:
    return fingerprint(question.context, question.question, question.options)


@pytest.mark.parametrize(("family", "level"), CELLS, ids=lambda value: str(value))
def test_twins_share_a_fingerprint_and_other_questions_do_not(family: str, level: int) -> None:
    questions = [generate_atomic(family, level, seed) for seed in range(6)]
    prints = [print_of(question) for question in questions]
    assert len(set(prints)) >= 5
    for question, found in zip(questions, prints, strict=True):
        twin = renamed_and_reordered(question)
        assert twin.options != question.options
        assert print_of(twin) == found


def test_the_order_of_premises_does_not_matter_and_a_changed_one_does() -> None:
    question = generate_atomic("selection", 3, 1)
    first, *premises = question.context.split(". ")
    reordered = ". ".join([first, *reversed([premise.removesuffix(".") for premise in premises])]) + "."
    assert reordered != question.context
    assert print_of(replace(question, context=reordered)) == print_of(question)
    changed = question.context.replace("exactly", "at least exactly", 1)
    assert print_of(replace(question, context=changed)) != print_of(question)


def test_frozen_questions_and_their_twins_are_recognised(suite: LogiHardSuite) -> None:
    for row in suite[:1461:60]:
        for question in (row.atomic, renamed_and_reordered(row.atomic)):
            assert is_frozen_twin(question.family, question.context, question.question, question.options)
    fresh = generate_atomic("knights", 4, 0)
    assert not is_frozen_twin("knights", fresh.context, fresh.question, fresh.options)


@pytest.mark.parametrize("split", ["train", "eval"])
def test_the_generator_rejects_a_twin(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = generate_atomic("knights", 1, 11, split)
    asked: list[str] = []

    def first_is_frozen(family: str, context: str, question: str, options: tuple[str, ...]) -> bool:
        asked.append(context)
        return len(asked) == 1

    monkeypatch.setattr(atomic, "is_frozen_twin", first_is_frozen)
    other = generate_atomic("knights", 1, 11, split)
    assert asked[0] == real.context != other.context == asked[1]
    asked.clear()
    generate_atomic("knights", 1, 11, "frozen")
    assert asked == []


def test_fresh_questions_of_the_smallest_cells_are_never_frozen_ones(suite: LogiHardSuite) -> None:
    frozen = {entry.canonical for entry in suite.manifest.rows}
    for family in ("categorical", "individuals"):
        for split in ("train", "eval"):
            assert not frozen & {print_of(generate_atomic(family, 1, seed, split)) for seed in range(150)}


# Audit


def test_the_audit_finds_nothing_on_the_shipped_rows(suite: LogiHardSuite) -> None:
    lines = [(row, line) for row, line in suite.lines() if row.split("/")[3] == "0"]
    report = audit_logihard(lines)
    assert not report.failures, report.examples
    assert report.rows == len(lines) == 70
    assert sum(sum(rows.values()) for rows in report.by_family.values()) == 70


@pytest.mark.slow
def test_the_audit_finds_nothing_on_the_whole_suite(suite: LogiHardSuite) -> None:
    report = audit_logihard(suite.lines())
    assert not report.failures, report.examples
    assert {tier: sum(rows[tier] for rows in report.by_family.values()) for tier in TIERS} == TIERS


@pytest.mark.parametrize("family", FAMILIES)
def test_the_audit_finds_a_wrong_key_in_every_family(family: str) -> None:
    sound = generate_atomic(family, 1, 0)
    wrong = replace(sound, answer=(sound.answer + 1) % 4)
    for item in (ask(wrong, 0), harden(wrong, "expert", 0)):
        found = audit_logihard_row(item.id, item.to_json(), "native")
        assert [check for check, _ in found.failures] == ["keys"]


def test_the_audit_finds_wrong_bytes_unreadable_text_and_a_missing_pair(suite: LogiHardSuite) -> None:
    row, line = suite.lines()[-1]
    assert audit_logihard_row(row, line.replace(',"split"', ', "split"', 1), "native").failures[0][0] == "decoding"
    assert audit_logihard_row(row, "{}").failures[0][0] == "decoding"
    question = generate_atomic("knights", 1, 0)
    garbled = ask(replace(question, context=question.context.replace("knight", "night")), 0)
    assert audit_logihard_row(garbled.id, garbled.to_json()).failures[0][0] == "keys"
    assert audit_logihard([(row, line)], oracle=False).failures == {"pairs": 1}


def test_the_gold_is_derived_again_without_the_item_s_own_fields(suite: LogiHardSuite) -> None:
    for row in suite.select(levels=[2], tiers=["base", "expert"])[::7]:
        keys = derived_keys(row.atomic, "native")
        assert keys == [row.atomic.answer]
        assert ", ".join(derived_letters(row, keys[0])) == row.reference
        assert ", ".join(derived_letters(row, (keys[0] + 1) % 4)) != row.reference
    assert keys_of("The correct answer is not II, and it is not I.") == {2, 3}


# Floors


def test_no_answer_without_reasoning_exceeds_its_target(suite: LogiHardSuite) -> None:
    shares = measure_logihard(suite)
    assert all(share.meets_target for share in shares), [share for share in shares if not share.meets_target]
    assert {share.rows_of for share in shares} == {"base", "combinatorial", *OPERATOR_TIERS}
    named = {(share.rows_of, share.attack): share for share in shares}
    assert named["combinatorial", "all letters"].share == 0
    assert named["combinatorial", "best blind answer, expected"].share == pytest.approx(0.25)
    for name in ("consistent guess of I", "consistent guess of IV", "consistent guess of the most supported"):
        assert named["combinatorial", name].share == pytest.approx(0.25, abs=chance_limit(539) - 0.25)
    for letter in "ABCD":
        assert named["base", f"always {letter}"].share == pytest.approx(0.25, abs=chance_limit(1461) - 0.25)


def test_the_floors_show_the_leak_of_the_paper_s_sampler(suite: LogiHardSuite) -> None:
    hardened = [harden(base.atomic, "expert", row.seed, "paper") for base, row in suite.pairs()]
    shares: list[BlindShare] = measure_logihard(hardened)
    leaking = {share.attack for share in shares if share.rows_of == "expert" and not share.meets_target}
    assert "best blind answer, expected" in leaking


# The suite as an item bank


def test_the_suite_is_a_bank_of_both_subsets(suite: LogiHardSuite) -> None:
    bank = frozen_bank()
    assert [item.id for item in bank] == [entry.id for entry in suite.manifest.rows]
    assert Counter(item.subset for item in bank) == {"base": 1461, "combinatorial": 539}
    assert {item.c for item in bank} == {0.25}
    assert {item.difficulty for item in bank} == {"preset"}
    assert len({item.b for item in bank if item.tier == "expert"}) == 5


def test_levels_of_questions_from_files_spread_over_the_same_difficulties() -> None:
    questions = [
        replace(generate_atomic("knights", 1, seed), family="theirs", level=level)
        for seed, level in enumerate((1, 2, 3, 3))
    ]
    questions.append(replace(generate_atomic("knights", 1, 9), family="", level=0))
    assert [item.b for item in bank_of(map(ask, questions, range(5)))] == [-1.5, 0.0, 1.5, 1.5, 0.0]


def test_an_examinee_who_answers_prompts_can_be_tested(suite: LogiHardSuite) -> None:
    items = suite.select(families=["knights"])
    references = {item.prompt: item.reference for item in items}
    report = adaptive_test(bank_of(items), answering(items, references.__getitem__))
    assert report.base.right == report.base.items > 0
    junk = adaptive_test(bank_of(items), answering(items, lambda prompt: "who knows"))
    assert junk.base.unparsable == junk.base.items
    assert junk.base.theta < report.base.theta
    silent = adaptive_test(bank_of(items), answering(items, lambda prompt: None))
    assert (silent.base.items, silent.combinatorial.items) == (0, 0)
