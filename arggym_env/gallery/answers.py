"""Right and wrong completions to show beside a question: mistakes of every class, made from the reference and scored.

What can go wrong with any answer (no region, a missing line, an unreadable one) is made from the reference's text
alone. The mistakes that belong to one kind of answer are made where the reference has its form: ``key: status`` lines,
records of a diagnosis, or directives; a construction is also searched for one that leaves the theory inconsistent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from arggym_env.engine import evaluate
from arggym_env.envs import checked
from arggym_env.envs.constructive import ConstructiveTask, templates, unused_names
from arggym_env.envs.instance import Instance
from arggym_env.envs.question import GoalQuestion
from arggym_env.envs.registry import get_task
from arggym_env.envs.scoring import score
from arggym_env.rewards.pairs import STATUSES_UNDER_SEMANTICS
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import DefeasibleRule, StrictRule, negate

JUNK: Final = "and that is my answer"
"""A line that no task can read."""
_STATUS: Final = re.compile(rf": ({'|'.join(STATUSES_UNDER_SEMANTICS)})$")
_KIND: Final = re.compile(r"kind: (undermine|undercut|rebut)")
_SURVIVAL: Final = re.compile(r"; survives_because: \w+")
_RULE_NAME: Final = re.compile(r"^\[(strict|defeasible) (\w+):")


class Case(NamedTuple):
    """A completion and what is the matter with it."""

    label: str
    completion: str


class Scored(NamedTuple):
    """A case with its verdict."""

    label: str
    completion: str
    verdict: Score


def answered(text: str) -> str:
    """Return ``text`` as a completion that has it in its answer region."""
    return f"<answer>\n{text}\n</answer>"


def right_answer(instance: Instance) -> Scored:
    """Return the reference with its score."""
    return _scored(instance, Case("the reference", answered(instance.reference)))


def wrong_answers(instance: Instance) -> list[Scored]:
    """Return completions that miss something, each with its score, in the order in which they say more and more.

    Mistakes that leave the answer right on this instance are left out, and so are completions that repeat another.
    """
    seen: set[str] = set()
    found = []
    for case in _cases(instance):
        if case.completion in seen:
            continue
        seen.add(case.completion)
        scored = _scored(instance, case)
        if scored.verdict.reason is not Reason.CORRECT:
            found.append(scored)
    return found


def _scored(instance: Instance, case: Case) -> Scored:
    return Scored(case.label, case.completion, score(instance, case.completion))


def _cases(instance: Instance) -> Iterator[Case]:
    reference = instance.reference
    yield Case("the reference without answer tags", reference)
    yield Case("the reference inside the thinking only", f"<think>\n{answered(reference)}\n</think>\nDone.")
    yield Case("an empty region", "<answer>\n</answer>")
    yield Case("nothing but prose", answered("I do not know."))
    for label, text in _texts(instance):
        yield Case(label, answered(text))


def _texts(instance: Instance) -> Iterator[tuple[str, str]]:
    """Yield what may stand in the answer region instead of the reference."""
    reference = instance.reference
    lines = reference.split("\n")
    yield from _best_guess(instance)
    if len(lines) > 1:
        yield "the reference without its last line", "\n".join(lines[:-1])
        yield "the reference in reverse order", "\n".join(reversed(lines))
    yield "the reference and a line of prose", f"{reference}\n{JUNK}"
    yield "the reference with its first line twice", f"{lines[0]}\n{reference}"
    if isinstance(instance.question, GoalQuestion):
        yield from _constructions(instance)
    elif _KIND.search(reference):
        yield from _diagnoses(reference)
    elif all(map(_STATUS.search, lines)):
        yield from _labels(lines)
    elif all(line.startswith("[") for line in lines):
        yield from _directives(reference)


def _best_guess(instance: Instance) -> Iterator[tuple[str, str]]:
    """Yield the attack policy that sets the instance's floor."""
    policies = checked.attacks(get_task(instance.task), instance)
    attacks = {name: text for name, text in policies.items() if text.strip()}
    if attacks:
        best = max(attacks, key=lambda name: _worth(score(instance, answered(attacks[name]))))
        yield f"a guess: `{best.partition(':')[0]}`", attacks[best]


def _worth(verdict: Score) -> tuple[float, bool]:
    """Return what guesses are ranked by: of those that earn nothing, one that was read tells more."""
    return verdict.native, verdict.reason in (Reason.WRONG, Reason.GOALS_MISSED)


def _labels(lines: list[str]) -> Iterator[tuple[str, str]]:
    key, _, status = lines[0].rpartition(": ")
    other = "overruled" if status != "overruled" else "justified"
    yield "one status wrong", "\n".join([f"{key}: {other}", *lines[1:]])
    yield "two statuses for one key", "\n".join([lines[0], f"{key}: {other}", *lines[1:]])


def _diagnoses(reference: str) -> Iterator[tuple[str, str]]:
    other = "undecided" if "status: overruled" in reference else "overruled"
    yield "the wrong status", re.sub(r"(?m)^status: \w+", f"status: {other}", reference)
    other = "undercut" if _KIND.findall(reference)[0] != "undercut" else "rebut"
    yield "one kind of attack wrong", _KIND.sub(f"kind: {other}", reference, count=1)
    if _SURVIVAL.search(reference):
        yield "no explanation of survival", _SURVIVAL.sub("", reference)
    else:
        yield "an explanation where none is asked for", _KIND.sub(r"\g<0>; survives_because: r1", reference, count=1)


def _directives(reference: str) -> Iterator[tuple[str, str]]:
    facts = [line for line in reference.split("\n") if line.startswith(("[premise:", "[axiom:"))]
    if facts:
        yield "premises and axioms only", "\n".join(facts)
    yield "every rule defeasible", _as_kind(reference, "defeasible", "=>")
    yield "every rule strict", _as_kind(reference, "strict", "->")
    yield "axioms as premises", reference.replace("[axiom:", "[premise:")


def _as_kind(reference: str, kind: str, arrow: str) -> str:
    lines = []
    for line in reference.split("\n"):
        is_rule = _RULE_NAME.match(line)
        if is_rule:
            line = _RULE_NAME.sub(rf"[{kind} \2:", line).replace(" => ", f" {arrow} ").replace(" -> ", f" {arrow} ")
        lines.append(line)
    return "\n".join(lines)


def _constructions(instance: Instance) -> Iterator[tuple[str, str]]:
    yield "every line three times", "\n".join([instance.reference] * 3)
    theory = instance.theory
    unused = unused_names(theory, len(instance.reference.split("\n")) + 2)
    name, atom = [name for name in unused if f" {name}:" not in instance.reference][-2:]
    yield "the reference and an axiom, which nobody may add", f"[axiom: {atom}]\n{instance.reference}"
    if theory.premises:
        yield "a rule that bears on no goal", f"[defeasible {name}: {theory.premises[0]} => {atom}]"
    inconsistent = _inconsistent(instance)
    if inconsistent is not None:
        yield "one that leaves a contradiction justified", inconsistent


def _inconsistent(instance: Instance) -> str | None:
    """Return an answer after which a literal and its negation are both justified, if a template or one cut is one."""
    task = get_task(instance.task)
    if not isinstance(task, ConstructiveTask) or not isinstance(instance.question, GoalQuestion):
        return None
    candidates: list[str] = []
    for goal in instance.question.goals:
        against = goal.literal if goal.status == "overruled" else negate(goal.literal)
        candidates += templates(instance.theory, against, task.legality).values()
    candidates += _single_cuts(instance, task.legality.strict_rules)
    for text in candidates:
        if text and score(instance, answered(text)).reason is Reason.INCONSISTENT:
            return text
    return None


def _single_cuts(instance: Instance, strict: bool) -> Iterator[str]:
    """Yield the undercuts of each defeasible rule from an accepted premise or axiom."""
    theory = instance.theory
    state = evaluate(theory, instance.ordering)
    grounds = [literal for literal in (*theory.axioms, *theory.premises) if state.status(literal) == "justified"]
    name = unused_names(theory, 1)[0]
    kind = StrictRule if strict else DefeasibleRule
    for rule in theory.defeasible_rules if grounds else ():
        yield str(kind(name, (grounds[0],), f"-{rule.name}"))
