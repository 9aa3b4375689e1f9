"""The tasks as a reader meets them: a gallery of questions, and a page for each task, generated from the registry."""

from arggym_env.gallery.gallery import gallery
from arggym_env.gallery.logihard_page import LOGIHARD_PAGES, logihard_page
from arggym_env.gallery.task_page import task_index, task_page

__all__ = ["LOGIHARD_PAGES", "gallery", "logihard_page", "task_index", "task_page"]
