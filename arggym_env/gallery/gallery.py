"""The gallery: every task at a few levels, as the model reads it, with an answer that is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.instance import Instance
from arggym_env.envs.registry import TASKS, get_task
from arggym_env.gallery.logihard_page import LOGIHARD_PAGES, example_items
from arggym_env.gallery.markup import code, details, page
from arggym_env.instances import LogiHardItem

LEVELS_SHOWN: Final = (1, 6, 11)
"""The first level of each third of the curriculum."""
SEED: Final = 0


def gallery(
    tasks: Sequence[str] = TASKS, levels: Sequence[int] = LEVELS_SHOWN, *, kinds: Sequence[str] = tuple(LOGIHARD_PAGES)
) -> str:
    """Return the gallery as Markdown: for each task and level one instance of split ``train``, seed 0.

    Each level has another ordering than the one before.

    Args:
        tasks: which tasks are shown.
        levels: at which levels.
        kinds: which of LogiHard's kinds of question follow.

    Raises:
        CoordinateError: a task or level is not allowed.
    """
    parts = [
        "# Gallery",
        "Every task at a few levels: the whole prompt, folded, and an answer that scores 1. The same questions come "
        "from `arggym sample TASK --level L --ordering NAME --seed 0`. `python -m scripts.gallery` writes this page.",
    ]
    for task in tasks:
        parts += [f"## {task}", f"{_sentence(get_task(task).summary)}"]
        for place, level in enumerate(levels):
            parts.append(_entry(generate(task, level, ORDERINGS[place % len(ORDERINGS)], SEED)))
    for kind in kinds:
        parts += [f"## {kind}", _sentence(LOGIHARD_PAGES[kind])]
        parts += [_item(name, item) for name, item in example_items(kind).items()]
    return page(*parts)


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


def _entry(instance: Instance) -> str:
    stats = instance.stats
    facts = [
        f"{instance.ordering}",
        f"{stats['arguments']} arguments",
        f"{stats['attacks']} attacks",
        f"depth {stats['depth']}",
    ]
    if instance.min_directives is not None:
        facts.append(f"minimum {instance.min_directives}")
    facts.append(f"floor {instance.floor:.3f}")
    return page(
        f"### {instance.task}, level {instance.level}",
        ", ".join(facts) + ".",
        details(f"prompt ({stats['prompt_characters']:,} characters)", code(instance.prompt)),
        details("a right answer", code(f"<answer>\n{instance.reference}\n</answer>")),
    )


def _item(name: str, item: LogiHardItem) -> str:
    return page(
        f"### {item.task}, {name}",
        f"Floor {item.floor:.3f}.",
        details("prompt", code(item.prompt)),
        details("a right answer", code(item.reference)),
    )
