"""Write the tables of docs/logihard.md: what attacks earn under both samplers, and what an adaptive test recovers.

Every number is computed here. Attack values are exact: expectations over everything that an item can be. ``--only``
chooses tables; the simulations take a few minutes. ``--file FORMAT=PATH`` measures question files of your own instead
and prints their table; the one in the page is of LogicSkills and LogicBench, which are not part of this package.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Final

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the tests are no installed package

from arggym_env.envs.stream import Stream
from arggym_env.errors import ArgGymError
from arggym_env.frozen import load_frozen
from arggym_env.frozen.logihard_floors import measure_logihard
from arggym_env.instances import LogiHardItem, score_item
from arggym_env.logihard.atomic import generate_atomic
from arggym_env.logihard.bank import frozen_bank
from arggym_env.logihard.base import ask
from arggym_env.logihard.blind import SOLVERS, bayes_value, best_blind, exact_value, joint
from arggym_env.logihard.cat import AdaptiveTest, CatRule, administer
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.files import Imported, read_file
from arggym_env.logihard.hardening import harden
from arggym_env.logihard.irt import Item
from arggym_env.logihard.samplers import SAMPLERS, balanced_sets
from arggym_env.logihard.shortcuts import SHORTCUTS, success
from arggym_env.logihard.simulation import recover, simulated_examinee
from arggym_env.logihard.tiers import OPERATOR_TIERS
from tests.logihard.banks import published_bank

PAGE: Final = Path(__file__).parent.parent / "docs" / "logihard.md"
SHORTCUT_QUESTIONS: Final = 100
"""Questions of each family and level on which shortcuts are measured, of the split eval."""
THETAS: Final = (-1.5, -0.5, 0.0, 0.5, 1.0, 1.5)
REPLICATIONS: Final = 200
FREE: Final = CatRule(quotas=None)
TWELVE: Final = CatRule(quotas=None, max_items=12)
PAPER_INFORMATION: Final = CatRule(quotas=None, information="paper")


def attacks() -> str:
    """Return how often each question-blind solver is exactly right, by sampler and tier."""
    rows = [
        ["**best possible**", *(share(bayes_value(tier, sampler)) for sampler in SAMPLERS for tier in OPERATOR_TIERS)]
    ]
    for name, solver in SOLVERS.items():
        values = (exact_value(solver, tier, sampler) for sampler in SAMPLERS for tier in OPERATOR_TIERS)
        rows.append([name, *map(share, values)])
    return table(["solver", *(f"{sampler} {tier}" for sampler in SAMPLERS for tier in OPERATOR_TIERS)], rows)


def rewards() -> str:
    """Return what the best question-blind answer earns on average under each reward, balanced sampler."""
    rows = []
    for tier in OPERATOR_TIERS:
        sets = balanced_sets(tier)
        exact, youden = (
            fmean(best_blind(formulas, tier, "balanced", reward) for formulas in sets) for reward in ("exact", "youden")
        )
        rows.append([tier, str(len(sets)), str(len(joint(tier, "paper"))), share(exact), share(youden)])
    return table(["tier", "sets (balanced)", "sets (paper)", "exact", "youden"], rows)


def shortcuts() -> str:
    """Return how often each shortcut finds the key of an atomic question, by family, all levels together."""
    names = [name for name in SHORTCUTS if not name.startswith("option_")]
    rows = []
    for family, maker in FAMILIES.items():
        questions = [
            generate_atomic(family, level, seed, "eval")
            for level in range(1, len(maker.levels) + 1)
            for seed in range(SHORTCUT_QUESTIONS)
        ]
        rows.append([family, *(share(fmean(success(SHORTCUTS[name], each) for each in questions)) for name in names)])
    return table(["family", *(name.replace("_", " ") for name in names)], rows)


def file_table(files: Mapping[str, Sequence[Imported]]) -> str:
    """Return what was read of question files by format, and how often each shortcut finds the key of their questions.

    Every question is asked as it is and hardened to every tier, and the references must score: an importer that makes
    questions nobody can be right on ends the script.
    """
    names = list(SHORTCUTS)
    rows = []
    for form, parts in files.items():
        questions = [question for part in parts for question in part.questions]
        if not questions:
            raise SystemExit(f"error: no question in the files of format {form}")
        for number, question in enumerate(questions):
            items: list[LogiHardItem] = [ask(question, number)]
            items += [harden(question, tier, number) for tier in OPERATOR_TIERS]
            for item in items:
                if not score_item(item, item.reference).success:
                    raise SystemExit(f"error: the reference of {item.id} does not score")
        left_out = sum(sum(part.skipped.values()) for part in parts)
        shares = (share(fmean(success(SHORTCUTS[name], each) for each in questions)) for name in names)
        rows.append([form, str(len(questions)), str(left_out), *shares])
    headings = (name.replace("option_", "option ").replace("_", " ") for name in names)
    return table(["format", "questions", "left out", *headings], rows)


def read_files(words: Iterable[str]) -> dict[str, list[Imported]]:
    """Return what is in the files named as FORMAT=PATH; a path may be a folder of files."""
    found: dict[str, list[Imported]] = {}
    for word in words:
        form, equals, name = word.partition("=")
        path = Path(name)
        if not equals or not path.exists():
            raise SystemExit(f"error: {word!r} is not FORMAT=PATH with a file or folder that is there")
        paths = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
        try:
            found.setdefault(form, []).extend(read_file(each, form) for each in paths)
        except ArgGymError as error:
            raise SystemExit(f"error: {error}") from None
    return found


def floors() -> str:
    """Return the three best attacks on each kind of row of the frozen suite."""
    rows = []
    shares = measure_logihard(load_frozen("logihard"))
    for rows_of in dict.fromkeys(found.rows_of for found in shares):
        best = [found for found in shares if found.rows_of == rows_of][:3]
        for found in best:
            numbers = (str(found.rows), share(found.share), share(found.limit))
            rows.append([rows_of, found.attack.replace("_", " "), *numbers])
    return table(["rows", "attack", "number", "exact matches", "limit"], rows, left=2)


def simulation() -> str:
    """Return how abilities are recovered from several banks and under several rules."""
    bank = frozen_bank()
    combinatorial = [item for item in bank if item.subset == "combinatorial"]
    base = [item for item in bank if item.subset == "base"]
    cases: Sequence[tuple[str, Sequence[Item], CatRule]] = (
        ("the paper's: 539 items, b spread evenly over [-2, 2], c = 1/6, no quotas", published_bank(1 / 6), FREE),
        ("the same with c = 0.25 and quotas", published_bank(0.25), CatRule()),
        ("frozen suite, combinatorial, default rule", combinatorial, CatRule()),
        ("frozen suite, combinatorial, no quotas", combinatorial, FREE),
        (
            'frozen suite, combinatorial, no quotas, `information="paper"`',
            combinatorial,
            CatRule(quotas=None, information="paper"),
        ),
        ("frozen suite, atomic, default rule", base, CatRule()),
    )
    rows = []
    for name, items, rule in cases:
        for theta in THETAS:
            found = recover(items, theta, REPLICATIONS, rule=rule)
            numbers = (found.items, found.se, found.bias, found.rmse)
            formats = ("{:.1f}", "{:.2f}", "{:+.2f}", "{:.2f}")
            cells = [form.format(number) for form, number in zip(formats, numbers, strict=True)]
            rows.append([name, f"{theta:+.1f}", *cells, f"{found.coverage:.0%}"])
    return table(["bank and rule", "theta", "items", "SE", "bias", "RMSE", "coverage"], rows)


def twelve() -> str:
    """Return the best standard error after the paper's twelve items, from a bank with its parameters."""
    bank = published_bank(1 / 6)
    best = math.inf
    for theta in THETAS:
        for number in range(REPLICATIONS // 4):
            answer = simulated_examinee({"base": theta, "combinatorial": theta}, Stream("twelve", number))
            best = min(best, administer(AdaptiveTest(bank, TWELVE), answer).estimate.se)
    return f"Best standard error after {TWELVE.max_items} items with the paper's parameters: {best:.3f}.\n"


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    made.__name__: made for made in (attacks, rewards, shortcuts, floors, simulation, twelve)
}


def with_tables(text: str, names: Iterable[str]) -> str:
    """Return the page ``text`` with these of its tables made afresh."""
    for name in names:
        fresh = TABLES[name]()
        place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        if not place.search(text):
            raise SystemExit(f"error: {PAGE.name} has no place for the table {name!r}")
        text = place.sub(lambda _, fresh=fresh: fresh, text)  # type: ignore[misc]
    return text


def share(value: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * value:.1f}%"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table whose first ``left`` columns hold text."""
    line = ["---"] * left + ["---:"] * (len(headings) - left)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (headings, line, *rows))


def main(
    only: Annotated[
        list[str] | None, typer.Option(help=f"Table to write: {', '.join(TABLES)}; all by default.")
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(help="Print the table of these question files instead; may be repeated.", metavar="FORMAT=PATH"),
    ] = None,
) -> None:
    """Rewrite the tables of docs/logihard.md, or print that of question files."""
    if file:
        typer.echo(file_table(read_files(file)), nl=False)
        return
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), only or TABLES), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    typer.run(main)
