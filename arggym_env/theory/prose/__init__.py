"""Theories told in controlled English: pools of sentence templates, the renderer, and the glossary for its readers."""

from arggym_env.theory.prose.glossary import GLOSSARY
from arggym_env.theory.prose.render import Draws, describe

__all__ = ["GLOSSARY", "Draws", "describe"]
