"""Where a completion's answer stands: the last complete ``<answer>`` region after the thinking (spec section 6).

The paper leaves the reading of raw completions open; this module settles it once for every task:

* Thinking ends at the *last* ``</think>``, whether or not the completion opened it: chat templates may put the opening
  tag into the prompt. After that, an unclosed ``<think>`` turns everything that follows it into thinking.
* An ``</answer>`` closes the nearest ``<answer>`` before it, so a tag that is only mentioned ("I answer between
  <answer> tags: <answer>...") does no harm; a trailing ``<answer>`` that is never closed leaves the last complete
  region in force. A region lies wholly on one side of every thinking tag.
* Of several complete regions the last one is graded, also when it is empty.
* Tags are written in any case, without attributes or blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from arggym_env.rewards.score import Reason
from arggym_env.theory.typography import content_lines

_TAG: Final = re.compile(r"<(?:(answer)|(/answer)|(think)|(/think))>", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Answer:
    """The text to grade, or why there is none; exactly one of the two fields is None.

    Attributes:
        text: the region between the tags, as written; it has at least one line of content.
        reason: ``not_text``, ``no_answer``, ``answer_in_thoughts`` or ``empty_answer``.
    """

    text: str | None
    reason: Reason | None


def extract_answer(completion: object) -> Answer:
    """Return the answer region of ``completion``, in time linear in its length.

    Args:
        completion: what the model wrote after the prompt. Pass the completion only: a prompt that shows the answer
            tags would be searched too.
    """
    if not isinstance(completion, str):
        return Answer(None, Reason.NOT_TEXT)
    region: tuple[int, int] | None = None
    opened: int | None = None
    thinking = in_thoughts = False
    for tag in _TAG.finditer(completion):
        match tag.lastindex:
            case 1:  # <answer>
                opened = tag.end()
            case 2 if opened is not None:  # </answer>
                if thinking:
                    in_thoughts = True
                else:
                    region = opened, tag.start()
                opened = None
            case 3:  # <think>
                thinking, opened = True, None
            case 4:  # </think>
                in_thoughts = in_thoughts or region is not None
                thinking, opened, region = False, None, None
    if region is None:
        return Answer(None, Reason.ANSWER_IN_THOUGHTS if in_thoughts else Reason.NO_ANSWER)
    text = completion[slice(*region)]
    return Answer(text, None) if _has_content(text) else Answer(None, Reason.EMPTY_ANSWER)


def _has_content(text: str) -> bool:
    """Return whether a line of ``text`` carries content, without reading past the first that does."""
    return bool(text.strip()) and any(content_lines(line) for line in text.splitlines())
