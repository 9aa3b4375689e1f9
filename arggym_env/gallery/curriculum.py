"""A task's levels as tables: what the level dataclasses plan, and what the instances of each level measure."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from statistics import fmean
from typing import Final

from arggym_env.coordinates import LEVELS
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.frozen import load_frozen

FRESH_SEEDS: Final = 2
"""Instances for each level and ordering of a task without frozen rows, as many as the frozen suite has."""
_ATTRIBUTES: Final = re.compile(r"^Attributes:\n(.*?)(?:\n\S|\Z)", re.DOTALL | re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.*(?:\n     +.*)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field of a task's level dataclasses, or of a dataclass in them.

    Attributes:
        name: the field.
        meaning: what the docstrings say of it; empty if they say nothing.
        values: its value at each level, as text.
    """

    name: str
    meaning: str
    values: tuple[str, ...]

    @property
    def varies(self) -> bool:
        """Whether two levels differ in it."""
        return len(set(self.values)) > 1


def parameters(levels: Sequence[object]) -> list[Parameter]:
    """Return the parameters that the levels plan, fields of nested dataclasses among them."""
    planned = [dict(_flat(level)) for level in levels]
    names = list(dict.fromkeys(chain.from_iterable(planned)))
    return [
        Parameter(name, meaning, tuple(_shown(values[name, meaning]) for values in planned))
        for name, meaning in names
        if all((name, meaning) in values for values in planned)
    ]


def _flat(level: object) -> Iterable[tuple[tuple[str, str], object]]:
    if not is_dataclass(level):
        return
    meanings = field_meanings(type(level))
    for field in fields(level):
        value = getattr(level, field.name)
        if is_dataclass(value):
            yield from _flat(value)
        else:
            yield (field.name, meanings.get(field.name, "")), value


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(dict.fromkeys(map(str, value)))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def field_meanings(cls: type) -> Mapping[str, str]:
    """Return what the source of a dataclass says of each field, below it or under ``Attributes`` of its docstring."""
    found: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        section = _ATTRIBUTES.search(inspect.cleandoc(owner.__doc__ or ""))
        if section:
            found.update((name, " ".join(text.split())) for name, text in _ATTRIBUTE.findall(section[1]))
        found.update(_strings_below(owner))
    return found


def _strings_below(cls: type) -> Mapping[str, str]:
    """Return the string below each annotated field of a class; none where its source is not at hand."""
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    (definition,) = ast.parse(textwrap.dedent(source)).body
    if not isinstance(definition, ast.ClassDef):
        return {}
    found = {}
    for statement, following in zip(definition.body, definition.body[1:], strict=False):
        names = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        match following:
            case ast.Expr(ast.Constant(str(text))):
                found.update({name.id: " ".join(text.split()) for name in names if isinstance(name, ast.Name)})
    return found


def example_rows(task: str) -> dict[int, list[Instance]]:
    """Return the instances that a task is measured on, by level: its frozen rows, or fresh ones where it has none."""
    rows = load_frozen().select(tasks=[task]) if task in load_frozen().manifest.rejections else []
    if not rows:
        coordinates = [(o, seed) for o in ORDERINGS for seed in range(FRESH_SEEDS)]
        rows = [generate(task, level, o, seed, "eval") for level in LEVELS for o, seed in coordinates]
    return {level: [row for row in rows if row.level == level] for level in LEVELS}


MEASURES: Final[Mapping[str, tuple[str, ...]]] = {
    "arguments": ("arguments",),
    "rules": ("strict_rules", "defeasible_rules"),
    "depth": ("depth",),
    "attacks": ("attacks",),
    "preferences": ("preferences",),
    "asked": ("queries", "goals"),
    "prompt": ("prompt_characters",),
}
"""The columns of measured structure, each the sum of these of an instance's ``stats``."""


def measured(rows: Mapping[int, Sequence[Instance]]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table of means by level; columns that are zero throughout are left out."""
    means = {level: _means(instances) for level, instances in rows.items()}
    names = [name for name in next(iter(means.values())) if any(values[name] for values in means.values())]
    body = [[str(level), *(_mean(name, values[name]) for name in names)] for level, values in means.items()]
    return ["level", *names], body


def _means(instances: Sequence[Instance]) -> dict[str, float]:
    found = {
        name: fmean(sum(instance.stats.get(stat, 0) for stat in stats) for instance in instances)
        for name, stats in MEASURES.items()
    }
    found["answer lines"] = fmean(len(instance.reference.split("\n")) for instance in instances)
    found["minimum"] = fmean(instance.min_directives or 0 for instance in instances)
    found["floor"] = fmean(instance.floor for instance in instances)
    return found


def _mean(name: str, value: float) -> str:
    if name == "floor":
        return f"{value:.3f}"
    return f"{value:,.0f}" if name == "prompt" else f"{value:.1f}"
