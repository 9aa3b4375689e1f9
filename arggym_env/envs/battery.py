"""Attack policies: what can be answered without reading the theory (spec section 6).

Each policy is an answer text. The best native score that one of them gets on an instance is the instance's floor; none
may succeed. Here are the policies that make sense for any task; a task's own are in its file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from arggym_env.theory import Theory

if TYPE_CHECKING:
    from arggym_env.envs.instance import Instance


def theory_blind(instance: Instance) -> dict[str, str]:
    """Return the policies that only copy text: nothing, the prompt, the directives, the premises, an axiom flood."""
    theory = instance.theory
    return {
        "empty": "",
        "echo_prompt": instance.prompt,
        "every_directive": str(theory),
        "every_claim": "\n".join(sorted(theory.occurring)),
        "premises_only": "\n".join(f"[premise: {literal}]" for literal in theory.premises),
        "axiom_flood": "\n".join(f"[axiom: {atom}]" for atom in theory.atoms),
    }


def constant_labels(keys: Iterable[str], labels: Iterable[str]) -> dict[str, str]:
    """Return the policies that give every key the same label, and the one that gives every key all labels."""
    keys, labels = tuple(keys), tuple(labels)
    answers = {f"all_{label.replace(' ', '_')}": "\n".join(f"{key}: {label}" for key in keys) for label in labels}
    return {**answers, "every_label": "\n".join(f"{key}: {label}" for key in keys for label in labels)}


def all_premises_justified(theory: Theory, keys: Iterable[str]) -> str:
    """Return the answer that calls the stated premises justified and everything else overruled."""
    known = {*theory.premises, *theory.axioms}
    return "\n".join(f"{key}: {'justified' if key in known else 'overruled'}" for key in keys)
