"""The words by which the Gold Score reads a thinking trace: English and Chinese, own lists, experimental.

The paper (Table 1) names what is counted and gives one or two examples; it publishes no list. A marker may belong to
several classes. Markers are found longest first, from left to right and without overlap, so that the certain denial
不可能 is not also the possibility 可能, and "not possible" not also "possible".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, TypeAlias

Marker: TypeAlias = Literal[
    "reversal",
    "connective",
    "hypothesis",
    "elimination",
    "thesis",
    "antithesis",
    "synthesis",
    "observed",
    "inferred",
    "deduction",
    "pivot",
    "abstract",
    "concrete",
    "certain",
    "probable",
    "possible",
    "doubtful",
    "impossible",
]

MARKERS: Final[dict[Marker, tuple[str, ...]]] = {
    "reversal": (
        *("however", "wait", "hold on", "actually", "hmm", "on second thought", "but then", "no, that", "oops"),
        *("i was wrong", "that is wrong", "that's wrong", "that's not right"),
        *("然而", "不过", "等等", "等一下", "其实", "不对", "但是", "可是", "我错了"),
    ),
    "connective": (
        *("and", "or", "not", "if", "then", "unless", "only if", "if and only if", "either", "neither", "nor"),
        *("because", "since", "therefore", "thus", "hence", "implies", "imply", "but", "all", "some", "none", "every"),
        *("如果", "那么", "因为", "所以", "因此", "或者", "并且", "而且", "除非", "当且仅当", "只有", "才", "要么"),
        *("所有", "有些", "不是", "并非", "则", "但是"),
    ),
    "hypothesis": (
        *("suppose", "assume", "assuming", "let's say", "let us say", "what if", "let's try", "say that", "consider"),
        *("假设", "假如", "假定", "设想", "若设", "试试", "不妨设"),
    ),
    "elimination": (
        *("contradiction", "contradicts", "contradict", "conflict", "conflicts", "ruled out", "rule out", "eliminate"),
        *("eliminated", "doesn't work", "does not work", "impossible", "cannot be", "can't be", "fails"),
        *("矛盾", "冲突", "排除", "不成立", "不可能", "行不通", "不符合"),
    ),
    "thesis": (
        *("on the one hand", "it seems", "at first", "at first glance", "one view", "one could say", "initially"),
        *("一方面", "看起来", "乍一看", "起初", "表面上"),
    ),
    "antithesis": (
        *("on the other hand", "however", "but", "yet", "in contrast", "conversely", "although", "whereas"),
        *("另一方面", "然而", "但是", "相反", "反之", "虽然", "可是"),
    ),
    "synthesis": (
        *("overall", "all in all", "in sum", "taken together", "putting it together", "combining", "to reconcile"),
        *("so in the end", "in conclusion"),
        *("综上", "综合", "总之", "总的来说", "结合起来", "归根结底"),
    ),
    "observed": (
        *("given", "we are told", "the premise", "the premises", "it is stated", "according to", "the text says"),
        *("the context says", "stated"),
        *("已知", "题干", "前提", "根据题意", "题目说", "条件"),
    ),
    "inferred": (
        *("we can infer", "we infer", "it follows", "follows from", "we can deduce", "we can conclude", "this implies"),
        *("this means", "which means", "so we know"),
        *("推出", "可得", "可知", "由此", "推断", "说明", "意味着"),
    ),
    "deduction": (
        *("therefore", "thus", "hence", "so", "it follows", "consequently", "which means", "this means", "implies"),
        *("this implies", "we get", "step"),
        *("因此", "所以", "于是", "从而", "故", "可得", "推出", "由此", "步骤"),
    ),
    "pivot": (
        *("let me reconsider", "reconsider", "let me re-read", "let me recheck", "let me check again", "go back"),
        *("start over", "try another", "another approach", "alternatively", "instead", "case 2", "otherwise"),
        *("重新", "换个思路", "换一种", "回到", "再看", "重来", "另一种情况", "反过来"),
    ),
    "abstract": (
        *("in general", "generally", "in principle", "the rule is", "the pattern", "always", "for any", "the form"),
        *("abstractly", "the principle", "by definition", "modus ponens", "modus tollens", "contrapositive"),
        *("一般来说", "一般地", "原则上", "规律", "本质", "抽象", "任意", "定义", "逆否命题", "充分条件", "必要条件"),
    ),
    "concrete": (
        *("for example", "for instance", "e.g.", "in this case", "here", "specifically", "in particular", "such as"),
        *("例如", "比如", "具体", "这里", "在这种情况下", "举例"),
    ),
    "certain": (
        *("must", "certainly", "definitely", "clearly", "necessarily", "surely", "no doubt", "undoubtedly"),
        *("一定", "必然", "必定", "肯定", "显然", "毫无疑问", "必须"),
    ),
    "probable": (
        *("probably", "likely", "most likely", "presumably", "i think", "should be", "i believe"),
        *("很可能", "大概", "应该", "多半", "我认为", "我觉得"),
    ),
    "possible": (
        *("possible", "possibly", "might", "may", "maybe", "perhaps", "could", "could be"),
        *("可能", "也许", "或许", "有可能", "说不定"),
    ),
    "doubtful": (
        *("unlikely", "doubtful", "not sure", "unsure", "not certain", "unclear", "not necessarily", "questionable"),
        *("不太可能", "不确定", "未必", "不一定", "存疑", "不清楚", "难说"),
    ),
    "impossible": (
        *("impossible", "not possible", "cannot", "can't", "cannot be", "can't be", "never", "must not", "no way"),
        *("不可能", "绝不", "不会", "无法", "必然不", "一定不"),
    ),
}
"""The markers by class; English ones are lower case and match in any case."""


def find_markers(trace: str) -> Iterator[frozenset[Marker]]:
    """Yield the classes of each marker of ``trace``, in the order in which they stand."""
    pattern, classes = _scanner()
    for match in pattern.finditer(trace.lower().replace("\u2019", "'")):
        yield classes[match[0]]


@cache
def _scanner() -> tuple[re.Pattern[str], dict[str, frozenset[Marker]]]:
    """Return the pattern that finds the longest marker at each place, and the classes by marker."""
    classes: dict[str, frozenset[Marker]] = {}
    for name, markers in MARKERS.items():
        for marker in markers:
            classes[marker] = classes.get(marker, frozenset()) | {name}
    longest_first = sorted(classes, key=lambda marker: (-len(marker), marker))
    return re.compile("|".join(map(_bounded, longest_first))), classes


def _bounded(marker: str) -> str:
    """Return the pattern of one marker; only English words have boundaries."""
    text = re.escape(marker)
    return rf"(?<![a-z0-9]){text}(?![a-z0-9])" if marker.isascii() else text
