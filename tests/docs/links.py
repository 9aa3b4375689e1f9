"""The links of a Markdown page to other files of the repository, and the anchors that its headings make."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def links(text: str) -> Iterator[tuple[str, str]]:
    """Yield file and anchor of each link within the repository; the file is empty for a link within the page."""
    for target in _LINK.findall(_FENCED.sub("", text)):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            yield file, anchor


def anchors(text: str) -> set[str]:
    """Return the anchors of the page's headings, as repository browsers and the site make them."""
    return {_slug(heading) for heading in _HEADING.findall(_FENCED.sub("", text))}


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
