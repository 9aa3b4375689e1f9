"""Pictures of argumentation theories, as SVG: ``draw`` of an evaluated theory, ``draw_instance`` of an instance."""

from arggym_env.picture.drawing import draw
from arggym_env.picture.instances import asked_of, draw_instance
from arggym_env.picture.layout import LAYOUTS, Layout, check_layout

__all__ = ["LAYOUTS", "Layout", "asked_of", "check_layout", "draw", "draw_instance"]
