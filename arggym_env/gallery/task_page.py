"""The page of one task, and the page that lists them: made from the registry, with answers that are really scored."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from arggym_env.coordinates import LEVELS
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.envs.scoring import corrected
from arggym_env.envs.task import Task
from arggym_env.frozen.floors import BANDS, row_floor
from arggym_env.gallery.answers import Scored, right_answer, wrong_answers
from arggym_env.gallery.curriculum import Parameter, example_rows, measured, parameters
from arggym_env.gallery.markup import code, details, number, page, table

EXAMPLE_SEED: Final = 0
_WORDS: Final = "What the words mean: [primer](../primer.md), two minutes; [glossary](../glossary.md)."
_REASONS: Final = " ([what the reasons mean](../scoring.md#reasons))"
"""Where the page stands among this package's documents; a plug-in's page stands elsewhere."""


def task_index(tasks: Sequence[str], others: Mapping[str, str]) -> str:
    """Return the page that lists the tasks.

    Args:
        tasks: the tasks by name.
        others: what each further page, by its name, is about.
    """
    rows = [[f"[{name}]({name}.md)", f"`{_environment(name)}`", get_task(name).summary] for name in tasks]
    extra = [[f"[{name}]({name}.md)", text] for name, text in others.items()]
    return page(
        "# Tasks",
        "The questions are about theories in ASPIC+; [the primer](../primer.md) explains these in two minutes.",
        "Each page says what is asked and why it is hard, shows the level table, a whole prompt, a right answer and "
        "wrong ones of each class with their scores, and what answers earn that do not read the theory. The pages are "
        "generated from the task's file by `python -m scripts.gallery`; every score on them was computed by "
        "`ag.score`.",
        table(["task", "environment", "what is asked"], rows, text_columns=3),
        "LogiHard's two kinds of multiple-choice question have pages too:",
        table(["kind", "what is asked"], extra, text_columns=2),
        "```{toctree}\n:hidden:\n\n" + "\n".join((*tasks, *others)) + "\n```",
    )


def task_page(name: str) -> str:
    """Return the page of the task called ``name``.

    Raises:
        CoordinateError: there is no such task.
    """
    task = get_task(name)
    rows = example_rows(name)
    example = _example(name)
    return page(
        f"# {name}",
        f"`{_environment(name)}` · `arggym sample {name}` · {task.summary}",
        *([_WORDS] if name in TASKS else []),
        "## What is asked, and why it is hard",
        _description(task),
        _levels(task, rows),
        _prompt(example),
        _answers(example),
        _guesses(example, rows),
    )


def _environment(name: str) -> str:
    """Return the id of the task's environment; a plug-in's name holds its namespace."""
    namespace, _, task = name.rpartition(".")
    return f"{namespace or 'ArgGYM'}/{task}-v0"


def _description(task: Task) -> str:
    text = inspect.cleandoc(sys.modules[type(task).__module__].__doc__ or task.summary)
    heading, _, body = text.partition("\n\n")
    asked = heading.partition(": ")[2].strip() or heading
    return f"**{asked[0].upper()}{asked[1:]}**\n\n{body}"


def _levels(task: Task, rows: Mapping[int, Sequence[Instance]]) -> str:
    planned = parameters(task.levels)
    moving = [parameter for parameter in planned if parameter.varies]
    head = ["level", *(parameter.name for parameter in moving)]
    body = [[str(level), *(p.values[level - 1] for p in moving)] for level in LEVELS]
    count = len(next(iter(rows.values())))
    meanings = "\n".join(f"- `{p.name}`: {_meaning(p)}" for p in planned)
    return page(
        "## Levels",
        "The curriculum, as the table in the task's file states it:",
        table(head, body),
        details("What the parameters mean", meanings),
        f"What the instances of each level measure: means over {count} rows of the {_source(rows)}. *Attacks* are "
        "direct ones between arguments, *asked* counts queried claims or requested goals, *prompt* characters, and "
        "*answer lines* are those of the reference.",
        table(*measured(rows)),
    )


def _meaning(parameter: Parameter) -> str:
    constant = "" if parameter.varies else f" ({parameter.values[0]} at every level)"
    return f"{parameter.meaning.rstrip('.') or 'see the source of the task'}{constant}."


def _source(rows: Mapping[int, Sequence[Instance]]) -> str:
    split = next(iter(rows.values()))[0].split
    return "frozen suite" if split == "frozen" else f"`{split}` split"


def _example(name: str) -> Instance:
    """Return the instance that the page shows: of the lowest level at which a right answer has more than one line."""
    instance = generate(name, LEVELS[0], ORDERINGS[0], EXAMPLE_SEED)
    for level in LEVELS:
        instance = generate(name, level, ORDERINGS[0], EXAMPLE_SEED)
        if "\n" in instance.reference:
            break
    return instance


def _prompt(instance: Instance) -> str:
    call = f'ag.generate("{instance.task}", level={instance.level}, ordering="{instance.ordering}", '
    return page(
        "## An example",
        f"`{call}seed={instance.seed})`: a theory with {instance.stats['arguments']} arguments. The prompt is the "
        "whole question; nothing else is said to the model.",
        code(instance.prompt),
    )


def _answers(instance: Instance) -> str:
    right = right_answer(instance)
    wrong = wrong_answers(instance)
    head = ["answer", "reason", "native", "success", "corrected"]
    body = [
        _verdict(f"{place}. {scored.label}" if place else scored.label, scored, instance.floor)
        for place, scored in enumerate((right, *wrong))
    ]
    shown = [
        details(f"{place}. {_plain(scored.label)}", code(_short(scored.completion)))
        for place, scored in enumerate(wrong, start=1)
    ]
    return page(
        "## A right answer, and wrong ones",
        "The reference is one right answer"
        + (" (others that do the same are as right):" if instance.min_directives else ":"),
        code(right.completion),
        f"What it and other completions score{_REASONS if instance.task in TASKS else ''}:",
        table(head, body, text_columns=2),
        "The completions themselves:",
        *shown,
    )


def _verdict(label: str, scored: Scored, floor: float) -> list[str]:
    verdict = scored.verdict
    success = "yes" if verdict.success else "no"
    return [label, f"`{verdict.reason}`", number(verdict.native), success, number(corrected(verdict.native, floor))]


def _plain(label: str) -> str:
    return label.replace("`", "")


def _short(completion: str, limit: int = 40) -> str:
    """Return a completion whose middle is left out where it is longer than ``limit`` lines."""
    lines = completion.split("\n")
    if len(lines) <= limit:
        return completion
    left_out = len(lines) - limit
    return "\n".join([*lines[: limit - 5], f"[... {left_out} lines left out here ...]", *lines[-5:]])


def _guesses(instance: Instance, rows: Mapping[int, Sequence[Instance]]) -> str:
    found = sorted(row_floor(instance).attacks, key=lambda attack: (-attack.native, attack.attack))
    natives = dict(reversed([(attack.attack, attack) for attack in found]))
    body = [
        [f"`{attack.attack}`", number(attack.native), "yes" if attack.success else "no"]
        for attack in sorted(natives.values(), key=lambda attack: (-attack.native, attack.attack))
    ]
    floors = [number(fmean(row.floor for level in levels for row in rows[level])) for _, levels in BANDS]
    every = [row.floor for instances in rows.values() for row in instances]
    return page(
        "## What answers earn without reading the theory",
        "The *attack battery* answers by copying text, with constants, or by fixed templates. The best native score of "
        "a policy on an instance is the instance's **floor**; an instance that a policy solves is rejected when it is "
        f"made. Mean floors over the {len(every)} rows of the {_source(rows)}:",
        table(["all levels", *(name for name, _ in BANDS)], [[number(fmean(every)), *floors]], text_columns=0),
        f"The battery on the example above (floor {number(instance.floor)}):",
        table(["policy", "native", "success"], body),
    )
