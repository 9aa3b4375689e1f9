"""The ``arggym`` command line."""

from arggym_env.cli.app import app, main

__all__ = ["app", "main"]
