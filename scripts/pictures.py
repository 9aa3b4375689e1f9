"""Writes the pictures of docs/pictures; a test holds them to what the package draws."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arggym_env as ag
from arggym_env.picture import draw, draw_instance

FOLDER: Final = Path(__file__).parent.parent / "docs" / "pictures"

TEXTBOOK: Final = """
[premise: bird]
[premise: chick]
[premise: swims]
[axiom: polar]
[defeasible wings: bird => flies]
[defeasible kind: polar AND swims => penguin]
[strict nofly: penguin -> -flies]
[defeasible tiny: chick => -flies]
[defeasible fog: polar => -swims]
[defeasible near: chick => -fog]
[prefer_rule: kind > wings]
[prefer_rule: wings > tiny]
"""
"""One of each: rebuts with and without success, an undercut, an undermining, a strict and a defeasible rule."""

ORDERING: Final = ag.ORDERINGS[0]


def pictures() -> dict[str, str]:
    """Return the pictures by file name; the same on every machine."""
    textbook = draw(
        ag.evaluate(ag.Theory.parse(TEXTBOOK), ORDERING), title="Does the bird fly?", asked={"flies": "asked"}
    )
    found = {"textbook.svg": textbook}
    for task, level in (("status_query", 2), ("defeat_diagnosis", 8), ("semantics_query", 15)):
        found[f"{task}-{level}.svg"] = draw_instance(ag.generate(task, level=level, ordering=ORDERING, seed=1))
    instance = ag.generate("attack", level=1, ordering=ORDERING, seed=1)
    completion = f"<answer>\n{instance.reference}\n</answer>"
    found["attack-1-before.svg"] = draw_instance(instance)
    found["attack-1-after.svg"] = draw_instance(instance, completion, ag.score(instance, completion))
    return found


def main() -> None:
    """Write the pictures, and remove those that are no longer drawn."""
    FOLDER.mkdir(exist_ok=True)
    drawn = pictures()
    for path in FOLDER.glob("*.svg"):
        if path.name not in drawn:
            path.unlink()
    for name, picture in drawn.items():
        (FOLDER / name).write_text(picture, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
