"""The ``arggym`` command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0, or 2 with one line on standard error, or as the command says.

    Args:
        arguments: the words after ``arggym``; None for those that the process was started with.
    """
    try:
        from arggym_env.cli.app import run  # takes long enough for a Ctrl-C

        run(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
