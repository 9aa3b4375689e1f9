"""Fresh instances are no twins of frozen ones, and frozen rows do not get into training data."""

from __future__ import annotations

import pytest

from arggym_env.envs.generation import generate
from arggym_env.envs.registry import TASKS
from arggym_env.errors import InstanceError
from arggym_env.frozen import guard
from arggym_env.frozen.guard import is_frozen_twin, refuse_frozen
from arggym_env.frozen.suite import load_frozen
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.base import ask
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.hardening import harden
from arggym_env.theory import DefeasibleRule, Premise, Theory, canonical_hash, shape_key


def renamed_and_reversed(theory: Theory) -> Theory:
    """Return a twin of ``theory``: every name prefixed, directives in reverse order."""
    text = "\n".join(str(theory).splitlines()[::-1])
    names = sorted({*theory.atoms, *theory.rule_names}, key=len, reverse=True)
    for number, name in enumerate(names):
        text = text.replace(name, f"<{number}>")
    for number in range(len(names)):
        text = text.replace(f"<{number}>", f"zz{number}")
    return Theory.parse(text)


@pytest.mark.parametrize("task", TASKS)
def test_a_renamed_frozen_theory_is_recognised(task: str) -> None:
    row = load_frozen().select(tasks=[task], levels=[3])[0]
    assert is_frozen_twin(row.theory)
    assert is_frozen_twin(renamed_and_reversed(row.theory))


def test_a_frozen_theory_with_one_more_directive_is_no_twin() -> None:
    row = load_frozen().select(tasks=["attack"], levels=[3])[0]
    assert not is_frozen_twin(row.theory.add([Premise("unheard_of")]))
    start = row.theory.premises[0]
    assert not is_frozen_twin(row.theory.add([DefeasibleRule("unheard_of", (start,), "never_said")]))


def test_the_generator_rejects_a_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = generate("attack", 1, "last-link elitist", 11)
    real = guard._frozen_shapes()
    fake = {**real, shape_key(fresh.theory): frozenset({canonical_hash(fresh.theory)})}
    monkeypatch.setattr(guard, "_frozen_shapes", lambda: fake)
    other = generate("attack", 1, "last-link elitist", 11)
    assert other.theory != fresh.theory
    assert other.rejections["frozen_twin"] == 1


def test_frozen_rows_are_refused_as_training_data() -> None:
    row = load_frozen()[5]
    with pytest.raises(InstanceError, match="must not be used as training data"):
        refuse_frozen(row, "training data")
    fresh = generate("status_query", 1, "last-link elitist", 0)
    assert refuse_frozen(fresh, "training data") is fresh


@pytest.mark.parametrize("family", FAMILIES)
def test_frozen_logihard_questions_are_refused_in_every_form_and_under_any_name(family: str) -> None:
    row = load_frozen("logihard").select([family], [3], ["base"])[0]
    mcq = row.atomic
    copied = AtomicMCQ("mine/0", "plain", "en", mcq.context, mcq.question, mcq.options[::-1], 3 - mcq.answer, "", 0)
    for item in (row, ask(mcq, 5), harden(mcq, "hard", 5), ask(copied, 5), harden(copied, "expert", 5, split="eval")):
        with pytest.raises(InstanceError, match="must not be used as training data"):
            refuse_frozen(item, "training data")
    fresh = ask(generate_atomic(family, 3, 0), 0)
    assert refuse_frozen(fresh, "training data") is fresh
