"""Answers that broke other people's scorers: none is right, all must be judged quickly."""

from __future__ import annotations

from typing import Final

HOSTILE: Final = {
    "nothing": "",
    "a blank": " ",
    "NUL": "\x00",
    "U+2028": "\u2028",
    "U+0085": "\x85",
    "a lone surrogate": "\ud800",
    "an object": "{}",
    "null": "null",
    "None": "None",
    "nan": "nan",
    "zeros": "0" * 20_000,
    "parentheses": "(" * 2_000,
    "emoji": "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a line of a megabyte": "x" * 1_000_000,
    "a megabyte of brackets": "[" * 1_000_000,
    "a megabyte of blanks and colons": ": " * 500_000,
    "premises on one line": "[premise: x]" * 50_000,
    "premises on many lines": "[premise: x]\n" * 20_000,
    "fresh rules on many lines": "\n".join(f"[defeasible k{index}: x => y]" for index in range(5_000)),
    "labels on many lines": "\n".join(f"x{index}: justified" for index in range(20_000)),
    "a call": "__import__('os').system('touch pwned')",
    "a power": "9**9**9",
    "a template": "{{7*7}} ${jndi:ldap://x} %s%s%n {0.__class__}",
    "nested tags": "<answer>" * 500,
    "a directive of the right form": "[defeasible n: x => -x]",
    "a premise": "[premise: x]",
    "every label": "justified overruled undecided",
    "a status": "status: overruled",
}
