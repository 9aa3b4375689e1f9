"""How commands end: with an exit code, and what went wrong as one line on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import typer

from arggym_env.cli.source import UsageError
from arggym_env.errors import ArgGymError

USAGE_ERROR: Final = 2
"""The exit code of every error that a message explains."""
GONE: Final = 1
"""The exit code when whoever reads the output has gone away."""
# The base class of what is wrong with the words of a command line has no public name in typer.
_MISUSE: Final = typer.BadParameter.__mro__[1]


def exit_code_of(command: Callable[[], int | None]) -> int:
    """Run ``command`` and return its exit code; every error that it may have is one line on standard error.

    What the command left in the buffer of standard output is written as part of it.
    """
    try:
        code = command() or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        _discard_unwritten(sys.stdout)
        return GONE
    except ArgGymError as error:
        _say(str(error))
    except OSError as error:
        reason = error.strerror or str(error)
        _say(f"the output cannot be written: {reason}" if error.filename is None else f"{error.filename}: {reason}")
        _discard_unwritten(sys.stdout)
    except Exception as error:
        if not isinstance(error, _MISUSE):
            raise
        _say(_misuse(error))
    return USAGE_ERROR


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system into one line about ``path``.

    Raises:
        UsageError: what is done here cannot be done.
    """
    if "\0" in str(path):
        raise UsageError(f"cannot write {str(path)!r}: a name has no NUL character")
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def write_file(path: Path, text: str) -> None:
    """Write ``text`` to the file ``path``; raise UsageError if that cannot be done."""
    with writing(path):
        path.write_text(text, encoding="utf-8", newline="\n")


def _misuse(error: Exception) -> str:
    """Return what typer says of a misused command as one line, with the command whose help tells more."""
    says = getattr(error, "format_message", error.__str__)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "arggym"
    message = " ".join(says().split()).rstrip(".")
    return f"{message[:1].lower()}{message[1:]} ({command} --help tells more)"


def _say(message: str) -> None:
    try:
        line = f"arggym: {message}".encode("utf-8", "backslashreplace").decode()
        print(line, file=sys.stderr, flush=True)  # noqa: T201
    except OSError:  # there is nowhere left to say it
        _discard_unwritten(sys.stderr)


def _discard_unwritten(stream: TextIO | None) -> None:
    """Let what cannot be written go nowhere: the interpreter would try once more when it ends, and complain."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
