"""A newcomer who follows the prompt to the letter computes what the engine computes."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from arggym_env.engine import ORDERINGS, evaluate
from arggym_env.envs import wording
from arggym_env.theory import Theory
from tests.engine.random_theories import random_theory
from tests.envs.reader import TooMany, read_statuses
from tests.envs.samples import sample

every_ordering = pytest.mark.parametrize("ordering", ORDERINGS)


def _disagreements(seeds: range, ordering: str) -> tuple[list[int], Counter[str]]:
    wrong = []
    seen: Counter[str] = Counter()
    for seed in seeds:
        theory = random_theory(seed)
        try:
            statuses = read_statuses(theory, ordering, limit=60)
        except TooMany:
            continue
        seen.update(statuses.values())
        if statuses != evaluate(theory, ordering).statuses():
            wrong.append(seed)
    return wrong, seen


@every_ordering
def test_the_sentences_define_the_statuses_of_odd_theories(ordering: str) -> None:
    wrong, seen = _disagreements(range(300), ordering)
    assert not wrong
    assert min(seen[status] for status in ("justified", "overruled", "undecided")) > 50


@pytest.mark.slow
@every_ordering
def test_the_sentences_define_the_statuses_of_many_odd_theories(ordering: str) -> None:
    wrong, _ = _disagreements(range(300, 3300), ordering)
    assert not wrong


@every_ordering
@pytest.mark.parametrize("task", ["status_query", "attack"])
def test_the_sentences_define_the_statuses_of_generated_theories(task: str, ordering: str) -> None:
    for level in (1, 4):
        instance = sample(task, level, ordering)
        state = evaluate(instance.theory, ordering)
        assert read_statuses(instance.theory, ordering) == state.statuses()


EMPTY_SETS = """
[premise: a]
[axiom: b]
[defeasible r: a => x]
[strict s: b -> -x]
[strict u: a -> y]
[defeasible v: b => -y]
[premise: -a]
"""


@every_ordering
def test_the_sentences_settle_the_empty_sets(ordering: str) -> None:
    theory = Theory.parse(EMPTY_SETS)
    assert read_statuses(theory, ordering) == evaluate(theory, ordering).statuses()


@every_ordering
def test_only_the_rules_of_the_ordering_are_stated(ordering: str) -> None:
    principle, lift = ordering.split()
    text = wording.ordering_rules(ordering)
    assert (principle.capitalize() in text) is True
    other = {"last-link": "Weakest-link", "weakest-link": "Last-link"}[principle]
    assert other not in text
    member = "some member of S is less preferred than every" if lift == "elitist" else "every member of S is less"
    assert member in text


SENTENCES = (
    "is a premise or axiom, or a rule applied to arguments for all its antecedents",
    "A rule is not applied to an argument that contains the rule's conclusion already",
    "the part is an ordinary premise x and B concludes its negation",
    "the part's last rule is defeasible and B concludes the negation of the part's conclusion",
    "the part's last rule is a defeasible rule named r and B concludes -r",
    "An undercut always succeeds as a defeat; the other two succeed unless B is weaker than the attacked part",
    "Preferences compose (r > s and s > t give r > t)",
    "directly or through others, are tied, and neither is less preferred",
    "an empty S is never weaker, and a non-empty S is weaker than an empty T",
    "Accept every argument that no argument defeats",
    "Then accept every argument all of whose defeaters are rejected, and repeat until nothing changes",
    "justified: some argument for it is accepted. overruled: every argument for it is rejected, or there is no",
)
LINK_SENTENCES = {
    "last-link": (
        "its last rule if that is defeasible, and otherwise the last defeasible rules of all the arguments its last",
        "B is weaker than A when the set of B's last defeasible rules is weaker than the set of A's",
        "if neither has any, when the set of B's ordinary premises is weaker than the set of A's",
    ),
    "weakest-link": (
        "If neither argument uses a defeasible rule, B is weaker than A when B's set of premises is weaker than A's",
        "Otherwise, if neither uses an ordinary premise, B is weaker when B's set of rules is weaker than A's",
        "B is weaker only when both its set of premises and its set of rules are weaker than A's",
    ),
}


@every_ordering
def test_the_sentences_are_those_that_the_reader_follows(ordering: str) -> None:
    """Reword one, and ``tests/envs/reader.py`` has to be read again next to it."""
    text = wording.theory_section(Theory(()), ordering)
    for sentence in (*SENTENCES, *LINK_SENTENCES[ordering.split()[0]]):
        assert sentence in text, sentence


@every_ordering
def test_every_notion_is_explained_before_the_question(ordering: str) -> None:
    text = wording.theory_section(Theory.parse("[premise: x]"), ordering)
    for notion in (
        *("negation", "ordinary premise", "[axiom: x]", "[strict r:", "[defeasible r:", "argument", "Undermining"),
        *("Rebutting", "Undercutting", "grounded semantics", "justified:", "overruled:", "undecided:", "tied"),
        "no argument for it",
    ):
        assert notion in text, notion
    assert f"the {ordering} preference ordering" in text
    assert "[premise: x]" in text.split("\n\n")


def test_examples_in_the_explanation_do_not_look_like_directives_of_the_theory() -> None:
    theory = Theory.parse("[premise: x]\n[defeasible r: x => c]")
    paragraphs = wording.theory_section(theory, ORDERINGS[0]).split("\n\n")
    lines = [line for paragraph in paragraphs for line in paragraph.splitlines() if line.startswith("[")]
    assert lines == str(theory).splitlines()


def test_the_answer_region_is_described_once_at_the_end() -> None:
    text = wording.answer_region("Answer with lines.")
    assert text.startswith("Answer with lines.")
    assert "last complete <answer> ... </answer> that follows your thinking" in text
    assert not re.search(r"\s\Z", text)
