"""Golden hashes: SHA-256 of instances at fixed coordinates, with the versions that they were made with.

``tests/golden.json`` pins that the same coordinates give the same bytes on any machine, Python and NumPy. Every
registered task has entries of an easy, a middle and the hardest level under each ordering. ``scripts/golden.py``
rewrites the file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple

from arggym_env.coordinates import Coordinates
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.registry import TASKS
from arggym_env.versions import Versions

FILE: Final = Path(__file__).with_name("golden.json")
LEVELS: Final = (1, 8, 15)


class Golden(NamedTuple):
    """What the file holds."""

    versions: dict[str, int]
    """The versions that the instances were made with: generator, prompt and scoring."""
    hashes: dict[str, str]
    """SHA-256 of ``Instance.to_json()`` by instance id."""


def coordinates(tasks: Iterable[str] = TASKS, levels: Iterable[int] = LEVELS) -> Iterator[Coordinates]:
    """Yield the pinned coordinates."""
    for task in tasks:
        for level in levels:
            for ordering in ORDERINGS:
                yield Coordinates(task, level, ordering, "train", 0)


def digest(where: Coordinates) -> str:
    """Return the SHA-256 of the instance at ``where``, generated now."""
    instance = generate(where.task, where.level, where.ordering, where.seed, where.split)
    return hashlib.sha256(instance.to_json().encode()).hexdigest()


def made_now() -> Golden:
    """Return what the file should hold."""
    return Golden(asdict(Versions()), {where.id: digest(where) for where in coordinates()})


def read() -> Golden:
    """Return what the file holds."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    return Golden(content["versions"], content["hashes"])


def write(golden: Golden) -> None:
    """Write the file, one entry a line."""
    FILE.write_text(json.dumps(golden._asdict(), indent=1) + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    """Print the hashes of the coordinates that are given as ids, as JSON: a fresh process for the tests."""
    wanted = set(sys.argv[1:])
    found = {where.id: digest(where) for where in coordinates() if where.id in wanted}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
