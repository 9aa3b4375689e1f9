"""Answers that broke other people's scorers."""

from arggym_env.testing.hostile import HOSTILE as HOSTILE
