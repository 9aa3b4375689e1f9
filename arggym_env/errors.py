"""The errors of the package, one flat vocabulary.

Every error that the package raises on purpose is an :class:`ArgGymError`, its message is one line that names the
offending value and what is allowed, and the class says whose fault it is: the caller's coordinates, a theory text, a
stored row, a bounded search that ran out, or a limit that protects the machine.
"""

from __future__ import annotations


class ArgGymError(Exception):
    """Base class of every error that the package raises on purpose."""


class TheoryError(ArgGymError, ValueError):
    """A theory text or a list of directives is not a well-formed theory.

    Attributes:
        line: 1-based line of the text at fault, or None when the theory was not read from text.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.message = message
        self.line = line

    def __reduce__(self) -> tuple[type[TheoryError], tuple[str, int | None]]:
        return type(self), (self.message, self.line)


class CoordinateError(ArgGymError, ValueError):
    """A task, level, ordering, split, seed, engine or semantics is not one of the allowed values."""


class InstanceError(ArgGymError, ValueError):
    """A stored instance cannot be read, or was made by another version of the package."""


class PluginError(ArgGymError, RuntimeError):
    """A task of another distribution is declared wrongly, cannot be imported, is no task, or does what no task may."""


class RunError(ArgGymError, ValueError):
    """An evaluation cannot start or go on: its settings, its run folder, its suite or its backend do not permit it."""


class GenerationError(ArgGymError, RuntimeError):
    """A generator's bounded search found no acceptable instance for its coordinates."""


class ArgumentLimitExceeded(ArgGymError, RuntimeError):
    """A theory has more arguments than the caller allows.

    Attributes:
        limit: the largest number of arguments that was allowed.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(f"the theory has more than {limit} arguments (max_arguments={limit})")
        self.limit = limit

    def __reduce__(self) -> tuple[type[ArgumentLimitExceeded], tuple[int]]:
        return type(self), (self.limit,)


class SearchLimitExceeded(ArgGymError, RuntimeError):
    """A framework is too entangled for its extensions to be found within the bounded search.

    Attributes:
        limit: the largest number of search steps that was allowed.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(f"the framework's extensions were not found within {limit} search steps; it is too entangled")
        self.limit = limit

    def __reduce__(self) -> tuple[type[SearchLimitExceeded], tuple[int]]:
        return type(self), (self.limit,)


class ExtensionLimitExceeded(ArgGymError, RuntimeError):
    """A framework has more extensions than can be listed.

    Attributes:
        limit: the largest number of extensions that was allowed.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(f"the framework has more than {limit} extensions; ask for claim statuses instead of the list")
        self.limit = limit

    def __reduce__(self) -> tuple[type[ExtensionLimitExceeded], tuple[int]]:
        return type(self), (self.limit,)
