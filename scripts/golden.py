"""Rewrite tests/golden.json, the hashes that pin what the generators make.

Run ``.venv/bin/python scripts/golden.py`` after adding a task, or after bumping a version in
``arggym_env/versions.py``. Entries that changed while all versions stayed the same are refused: rows that users stored
would claim to be what they are not. ``--unreleased`` rewrites them all the same, for versions of which nobody has rows.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the tests are no installed package

from tests import golden


def changed_without_a_version(old: golden.Golden, new: golden.Golden) -> list[str]:
    """Return the ids whose hash differs although the versions are the same."""
    if old.versions != new.versions:
        return []
    return [name for name, found in new.hashes.items() if old.hashes.get(name, found) != found]


def main(
    unreleased: Annotated[bool, typer.Option(help="Overwrite changed entries of the same versions.")] = False,
) -> None:
    """Generate the pinned instances and rewrite the file."""
    new = golden.made_now()
    if golden.FILE.exists():
        changed = changed_without_a_version(golden.read(), new)
        if changed and not unreleased:
            raise SystemExit(
                f"error: {len(changed)} instances changed and no version did, first {changed[0]}; "
                "bump a version in arggym_env/versions.py"
            )
        print(f"{len(changed)} entries changed under the same versions")
    golden.write(new)
    print(f"wrote {golden.FILE.name}: {len(new.hashes)} instances, versions {new.versions}")


if __name__ == "__main__":
    typer.run(main)
