r"""Answers in letters: the line that is graded, what it may look like, and what it scores.

The graded line is the last line with content after the thinking, which ends at the last ``</think>``; a ``<think>``
that is never closed has no answer after it. A complete ``<answer>`` region after the thinking, read as everywhere in
the package, comes before the bare text, and its last line with content is graded.

The line holds capital letters and nothing else: ``A``, ``A, C``, ``AC``, ``A C``, ``A and C``, each bare, in
``\boxed{}`` or after ``Answer:``; their order and repetition mean nothing. The Chinese comma, colon, full stop and
enumeration mark are read as the Latin ones, and so are ``A和C`` ("and") and the label ``答案``. Markdown
emphasis, dollar signs, a list bullet and a closing full stop are typography. Prose, lower-case letters and letters of
no option are not an answer.

A completion that was cut off at its token limit has no last line that it meant to be the last; only a complete
``<answer>`` region answers there.

Success is an exact match, and by default nothing else scores. ``youden`` pays the share of right letters found minus
the share of wrong letters chosen, so that all letters pay nothing; the best answer that ignores the question still gets
0.33, 0.43, 0.45 and 0.38 of it (easy to expert, balanced), against 0.25 exact matches. The F1 of the letters stands in
the detail, for comparison with published figures: it is no reward, since all letters get two thirds of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from arggym_env.errors import CoordinateError
from arggym_env.frozenmap import FrozenMap
from arggym_env.rewards.answer import extract_answer
from arggym_env.rewards.detail import shown
from arggym_env.rewards.score import JsonValue, Reason, Score
from arggym_env.theory.typography import content_lines

LetterReward: TypeAlias = Literal["exact", "youden"]
LETTER_REWARDS: Final[tuple[LetterReward, ...]] = get_args(LetterReward)
"""``exact`` is the default; ``youden`` gives partial credit."""
Problem: TypeAlias = Literal["prose", "lower_case", "out_of_range"]
"""Why a line is not a selection of letters."""
LETTERS: Final = "ABCDEF"
"""The letters of the options; an item has four to six."""

_LONGEST_LINE: Final = 200
"""An answer line is short; a longer one is prose and is not searched."""
_THINK_TAG: Final = re.compile(r"<(/?)think>", re.IGNORECASE | re.ASCII)
_TYPOGRAPHY: Final = re.compile(r"[*`$]|\\[\[\]()]")
_LABEL: Final = re.compile(r"(?:final )?answer ?: ?", re.IGNORECASE | re.ASCII)
_BOXED: Final = re.compile(r"\\boxed ?\{ ?(?:\\(?:text|mathrm) ?\{([^{}]*)\}|([^{}]*)) ?\}")
_SELECTION: Final = re.compile(r"[A-Za-z]+(?:(?: ?, ?(?:and )?| and | )[A-Za-z]+)*")
_CHINESE: Final = (
    (re.compile("[\uff0c、]"), ", "),
    (re.compile(" ?[和与及] ?"), " and "),
    (re.compile("^(?:最终)?答案(?:是|为)?[\uff1a:]?"), "Answer: "),
    (re.compile("。$"), "."),
)
"""Chinese punctuation and words of an answer line, and what they are read as."""
_SEPARATOR: Final = re.compile(r" ?, ?(?:and )?| and | ")


@dataclass(frozen=True, slots=True)
class Selection:
    """The letters that a completion selects, or why it selects none.

    Attributes:
        letters: the letters, or None when there is no valid answer.
        reason: None with letters; else not_text, no_answer, answer_in_thoughts, empty_answer or unreadable.
        line: the graded line as written, shortened; None when there is none.
        problem: what is wrong with an unreadable line.
    """

    letters: frozenset[str] | None
    reason: Reason | None = None
    line: str | None = None
    problem: Problem | None = None


def join_letters(indices: Iterable[int]) -> str:
    """Return the letters of the options at ``indices``, as a reference writes them: ``A, C``."""
    return ", ".join(LETTERS[index] for index in sorted(indices))


def check_letter_reward(reward: str) -> LetterReward:
    """Return ``reward`` if it names a reward for letters; raise CoordinateError otherwise."""
    for known in LETTER_REWARDS:
        if reward == known:
            return known
    raise CoordinateError(f"reward {reward!r} is not one of {', '.join(map(repr, LETTER_REWARDS))}")


def read_letters(completion: object, options: int, *, cut_off: bool = False) -> Selection:
    """Return what ``completion`` selects among ``options`` options; any value has a selection, in linear time.

    Args:
        completion: what the model wrote after the prompt.
        options: how many options the item offers.
        cut_off: whether the completion was cut off at its token limit, so that its last line is no answer.
    """
    answer = extract_answer(completion)
    if answer.text is not None:
        return _read_text(answer.text, options)
    if not isinstance(completion, str) or cut_off or answer.reason is Reason.EMPTY_ANSWER:
        return Selection(None, answer.reason)
    text = _after_thinking(completion)
    selection = Selection(None, Reason.NO_ANSWER) if text is None else _read_text(text, options)
    if selection.letters is None and answer.reason is Reason.ANSWER_IN_THOUGHTS:
        return Selection(None, Reason.ANSWER_IN_THOUGHTS, selection.line, selection.problem)
    return selection


def _after_thinking(completion: str) -> str | None:
    """Return what follows the thinking; None when a thinking that was opened last is never closed."""
    end, thinking = 0, False
    for tag in _THINK_TAG.finditer(completion):
        end, thinking = tag.end(), not tag[1]
    return None if thinking else completion[end:]


def _read_text(text: str, options: int) -> Selection:
    line = _last_line(text)
    if line is None:
        return Selection(None, Reason.NO_ANSWER)
    if len(line) > _LONGEST_LINE:
        return Selection(None, Reason.UNREADABLE, shown(line), "prose")
    plain = _TYPOGRAPHY.sub("", line).strip()
    for written, read in _CHINESE:
        plain = written.sub(read, plain)
    plain = " ".join(plain.split())
    if label := _LABEL.match(plain):
        plain = plain[label.end() :]
    plain = plain.removesuffix(".").rstrip()
    if boxed := _BOXED.fullmatch(plain):
        plain = (boxed[1] if boxed[1] is not None else boxed[2]).strip()
    if not _SELECTION.fullmatch(plain):
        return Selection(None, Reason.UNREADABLE, shown(line), "prose")
    words = _SEPARATOR.split(plain)
    if not all(word.isupper() for word in words):
        short = all(len(word) == 1 for word in words)
        return Selection(None, Reason.UNREADABLE, shown(line), "lower_case" if short else "prose")
    letters = frozenset("".join(words))
    if not letters <= set(LETTERS[:options]):
        return Selection(None, Reason.UNREADABLE, shown(line), "out_of_range")
    return Selection(letters, line=shown(line))


def _last_line(text: str) -> str | None:
    """Return the last line that holds more than blanks and typography."""
    for raw in reversed(text.splitlines()):
        if len(raw.strip()) > _LONGEST_LINE:
            return raw.strip()
        for line in content_lines(raw):
            if _TYPOGRAPHY.sub("", line.text).strip():
                return line.text
    return None


def youden(gold: frozenset[str], chosen: frozenset[str], options: int) -> float:
    """Return the hit rate minus the false-alarm rate of ``chosen``, not below 0."""
    false = options - len(gold)
    alarms = len(chosen - gold) / false if false else 0.0
    return max(0.0, len(chosen & gold) / len(gold) - alarms)


def letter_f1(gold: frozenset[str], chosen: frozenset[str]) -> float:
    """Return the F1 of ``chosen`` against ``gold``; for reporting, not a reward."""
    return 2 * len(chosen & gold) / (len(gold) + len(chosen))


def score_letters(
    reference: str, options: int, completion: object, reward: str = "exact", *, cut_off: bool = False
) -> Score:
    """Return the verdict on ``completion``; total, and success is an exact match under either reward.

    Args:
        reference: the gold, as ``join_letters`` writes it.
        options: how many options the item offers.
        completion: what the model wrote after the prompt.
        reward: one of ``LETTER_REWARDS``.
        cut_off: whether the completion was cut off at its token limit.

    Raises:
        CoordinateError: the reward is not one of them.
    """
    reward = check_letter_reward(reward)
    gold = frozenset(reference.split(", "))
    selection = read_letters(completion, options, cut_off=cut_off)
    chosen = selection.letters
    if chosen is None:
        detail: dict[str, JsonValue] = {"line": selection.line, "problem": selection.problem}
        found = selection.reason is Reason.UNREADABLE
        return Score(0.0, False, found, selection.reason or Reason.UNREADABLE, FrozenMap(detail))
    success = chosen == gold
    partial = youden(gold, chosen, options)
    detail = {
        "chosen": [*sorted(chosen)],
        "missing": [*sorted(gold - chosen)],
        "extra": [*sorted(chosen - gold)],
        "youden": partial,
        "f1": letter_f1(gold, chosen),
    }
    native = partial if reward == "youden" else float(success)
    return Score(native, success, True, Reason.CORRECT if success else Reason.WRONG, FrozenMap(detail))
