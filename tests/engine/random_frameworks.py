"""Random abstract frameworks: attack relations of every density, with mutual attacks, self-attacks and splits."""

from __future__ import annotations

from random import Random


def random_framework(seed: int, size: int, density: float, mutual: float = 0.2, self_attacks: float = 0.1) -> list[int]:
    """Return the attackers of each of ``size`` arguments, as bitsets.

    Args:
        seed: the number of the framework.
        size: how many arguments it has.
        density: the chance that one argument attacks another.
        mutual: the chance that an attack is returned.
        self_attacks: the chance that an argument attacks itself.
    """
    random = Random(f"random framework {seed}")
    attackers = [0] * size
    for target in range(size):
        if random.random() < self_attacks:
            attackers[target] |= 1 << target
        for source in range(size):
            if source != target and random.random() < density:
                attackers[target] |= 1 << source
                if random.random() < mutual:
                    attackers[source] |= 1 << target
    return attackers
