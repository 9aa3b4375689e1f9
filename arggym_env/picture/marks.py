"""The smallest pieces of a picture's markup, and its style. All text goes through here, and is escaped here."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def plain(text: str) -> str:
    """Return ``text`` as XML character data: markup is escaped, what XML cannot hold becomes a question mark."""
    return escape(_UNPRINTABLE.sub("?", text), quote=True)


def shortened(line: str, most: int) -> str:
    """Return at most ``most`` characters of ``line``, with a sign where the rest is missing."""
    return line if len(line) <= most else f"{line[: most - 1]}…"


def mark(tag: str, content: str) -> str:
    """Return an element that holds text."""
    return f"<{tag}>{plain(content)}</{tag}>"


def text(x: float, y: float, content: str, style: str) -> str:
    """Return a line of text that begins, or by its style ends or has its middle, at a point."""
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{kind}>{plain(content)}</text>'


def shape(style: str, paths: tuple[str, ...], x: float, y: float) -> str:
    """Return small paths, drawn around a point."""
    drawn = "".join(f'<path d="{path}"/>' for path in paths)
    return f'<g class="{style}" transform="translate({x:.0f},{y:.0f})">{drawn}</g>'


STYLE: Final = """
.arggym{--back:#fff;--ink:#1c1d1f;--soft:#5b5f66;--line:#d5d8dd;--support:#9aa1ab;--in:#2e7d4f;--in-fill:#e6f4ea;\
--out:#a8452f;--out-fill:#f8e9e5;--undecided:#8a6400;--undecided-fill:#fbf3d9;--rebut:#c0281c;--undermine:#1f5fa8;\
--undercut:#7d3fb0;--asked:#1c1d1f;--asked-ink:#fff;--new:#1f5fa8;color-scheme:light dark}
@media (prefers-color-scheme:dark){.arggym{--back:#16181c;--ink:#e8e9eb;--soft:#a3a8b0;--line:#3a3e45;\
--support:#767d88;--in:#62bd88;--in-fill:#1c3326;--out:#e38d76;--out-fill:#3a231e;--undecided:#e0b34e;\
--undecided-fill:#372d14;--rebut:#ff7a6b;--undermine:#78b1f2;--undercut:#c598f0;--asked:#e8e9eb;--asked-ink:#16181c;\
--new:#78b1f2}}
.arggym .back{fill:var(--back)}
.arggym text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:var(--ink)}
.arggym text.head{font-weight:700;font-size:13px}
.arggym text.aside{fill:var(--soft);text-anchor:end}
.arggym text.title,.arggym text.sub,.arggym text.key,.arggym text.tagged{font-family:system-ui,'DejaVu Sans',sans-serif}
.arggym text.title{font-size:17px;font-weight:650}
.arggym text.sub{font-size:13px;fill:var(--soft)}
.arggym text.key{font-size:12px;fill:var(--soft)}
.arggym text.tagged{font-size:10px;font-weight:600;fill:var(--asked-ink);text-anchor:middle}
.arggym .box>rect{stroke-width:1.2}
.arggym .in>rect{fill:var(--in-fill);stroke:var(--in)}
.arggym .out>rect{fill:var(--out-fill);stroke:var(--out)}
.arggym .undecided>rect{fill:var(--undecided-fill);stroke:var(--undecided)}
.arggym .asked>rect{stroke:var(--asked);stroke-width:2.4}
.arggym .empty>rect:first-of-type{stroke-dasharray:3 3}
.arggym .asked>rect.tag{fill:var(--asked);stroke:none}
.arggym rect.new{fill:none;stroke:var(--new);stroke-width:1.4;stroke-dasharray:4 2}
.arggym .icon path{stroke-linecap:round;stroke-linejoin:round;stroke-width:1.5;fill:none;stroke:var(--back)}
.arggym .icon.in path:first-child{fill:var(--in);stroke:none}
.arggym .icon.out path:first-child{fill:var(--out);stroke:none}
.arggym .icon.undecided path:first-child{fill:var(--undecided);stroke:none}
.arggym .edge path{fill:none;stroke-width:1.7;stroke:var(--kind)}
.arggym .edge.support{--kind:var(--support)}
.arggym .edge.support path{stroke-width:1.1}
.arggym .edge.indirect .line{stroke-dasharray:7 4}
.arggym .edge.rebut{--kind:var(--rebut)}
.arggym .edge.undermine{--kind:var(--undermine)}
.arggym .edge.undercut{--kind:var(--undercut)}
.arggym .edge .tip{fill:var(--kind);stroke-linejoin:round}
.arggym .edge .open{fill:var(--back)}
.arggym .edge.failed{opacity:.5}
.arggym .edge.failed .line{stroke-dasharray:2 4;stroke-linecap:round}
"""
"""Everything is inside one class, so that the style of a picture within a page stays in the picture."""
