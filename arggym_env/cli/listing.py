"""What ``arggym tasks`` lists: the suite's tasks, LogiHard's, the mixture, and what plug-ins add."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from arggym_env.envs.plugins import plugin_names
from arggym_env.envs.registry import REGISTRY, get_task
from arggym_env.errors import PluginError
from arggym_env.logihard.base import BASE
from arggym_env.logihard.hardening import COMBINATORIAL

_OTHERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        BASE: "choose the one option that a set of premises entails",
        COMBINATORIAL: "choose the claims about such a question's options that are true",
        "mixture": "questions of any of these by weight",
    }
)
ENVIRONMENTS: Final = """\
Environments: ArgGYM/<task>-v0, LogiHard/base-v0, LogiHard/combinatorial-v0,
ArgGYM/mixture-v0; a plug-in's task a.b is a/b-v0."""


class Listing(NamedTuple):
    """Everything that can be asked for, and what cannot although it is installed."""

    summaries: dict[str, str]
    """What is asked, by name."""
    problems: list[str]
    """A line for each task of a plug-in that can be asked for and cannot be used."""


def listing() -> Listing:
    """Return what there is; this imports the plug-ins.

    Of declarations that are refused the log says so when the package is imported; they are no problems here again.
    """
    summaries = {name: task.summary for name, task in REGISTRY.items()} | {**_OTHERS}
    problems: list[str] = []
    for name in plugin_names():
        try:
            summaries[name] = get_task(name).summary
        except PluginError as error:
            problems.append(str(error))
    return Listing(summaries, problems)
