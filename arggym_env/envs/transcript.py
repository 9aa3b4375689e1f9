"""An episode for people: as text the prompt, the completion and the verdict; as a picture the theory in question."""

from __future__ import annotations

import re
from typing import Final

from arggym_env.envs.instance import Instance
from arggym_env.envs.scoring import corrected
from arggym_env.rewards.score import Score

SHOWN_COMPLETION: Final = 4_000
"""How many characters of a completion are shown; the end, where the answer stands."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def transcript(prompt: str, name: str, floor: float, completion: object, score: Score | None) -> str:
    """Return the prompt and, once the episode has ended, the completion with its verdict."""
    return prompt if score is None else f"{prompt}\n\n{verdict(name, floor, completion, score)}"


def picture(instance: object, name: str, completion: object, score: Score | None, text: str) -> str:
    """Return the episode as an SVG image: the instance's theory, or the transcript ``text`` if it has none.

    Once a constructive task's episode has ended, it is the theory with what the completion legally added, marked.
    """
    from arggym_env.picture import draw_instance  # drawing is rare: importing the package does not wait for it
    from arggym_env.picture.card import draw_text

    if isinstance(instance, Instance):
        return draw_instance(instance, completion, score)
    return draw_text(name, text)


def verdict(name: str, floor: float, completion: object, score: Score) -> str:
    """Return the completion and what it scored on the instance called ``name``.

    Control characters and lone surrogates of the completion are shown escaped, so that a completion cannot drive the
    terminal.
    """
    outcome = "success" if score.success else "no success"
    return (
        f"--- completion ---\n{_shown(completion)}\n"
        f"--- verdict on {name} ---\n"
        f"{outcome} ({score.reason}): native {score.native:.3f}, floor {floor:.3f}, "
        f"corrected {corrected(score.native, floor):.3f}"
    )


def _shown(completion: object) -> str:
    if not isinstance(completion, str):
        return f"(not text: {type(completion).__name__})"
    text = completion.replace("\r\n", "\n")
    skipped = len(text) - SHOWN_COMPLETION
    if skipped > 0:
        text = f"({skipped} characters left out) ...{text[skipped:]}"
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
