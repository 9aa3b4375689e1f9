"""Random well-formed theories for comparing engines: small, dense in conflict, and with every odd case in them.

The generator is seeded by an integer and knows nothing of either engine. A theory mixes premises and axioms in both
signs, strict and defeasible rules with up to three antecedents, undercuts (also of strict rules, also as premises and
antecedents), cyclic rules, arguments that defeat themselves, and preferences with ties and cycles.
"""

from __future__ import annotations

from random import Random

from arggym_env.theory import (
    Axiom,
    DefeasibleRule,
    Directive,
    Premise,
    PremisePreference,
    Rule,
    RulePreference,
    StrictRule,
    Theory,
)


def random_theory(seed: int) -> Theory:
    """Return the theory of ``seed``; its directives stand in random order."""
    random = Random(f"random theory {seed}")
    atoms = [f"{letter}{random.randrange(10)}" for letter in "abcdefgh"[: random.randint(2, 7)]]
    rules = _rules(random, atoms)
    directives: list[Directive] = [*_premises(random, atoms, rules), *rules]
    directives += _preferences(random, directives)
    random.shuffle(directives)
    return Theory(tuple(directives))


def _literal(random: Random, atoms: list[str], names: list[str], undercut: float) -> str:
    if names and random.random() < undercut:
        return "-" + random.choice(names)
    return random.choice(["", "-"]) + random.choice(atoms)


def _rules(random: Random, atoms: list[str]) -> list[Rule]:
    names = [f"r{number}" for number in range(random.randint(2, 16))]
    strict_share = random.choice([0.0, 0.2, 0.5, 0.9])
    undercut = random.choice([0.0, 0.1, 0.3])
    rules: dict[tuple[frozenset[str], str], Rule] = {}
    for name in names:
        antecedents = {_literal(random, atoms, names, undercut / 3) for _ in range(random.choice([1, 1, 1, 2, 2, 3]))}
        consequent = _literal(random, atoms, names, undercut)
        if consequent not in antecedents:
            kind = StrictRule if random.random() < strict_share else DefeasibleRule
            rule = kind(name, tuple(random.sample(sorted(antecedents), len(antecedents))), consequent)
            rules.setdefault((frozenset(antecedents), consequent), rule)
    return list(rules.values())


def _premises(random: Random, atoms: list[str], rules: list[Rule]) -> list[Directive]:
    names = [rule.name for rule in rules]
    axiom_share = random.choice([0.0, 0.3, 0.8])
    result: list[Directive] = []
    axioms: set[str] = set()
    for literal in dict.fromkeys(_literal(random, atoms, names, 0.05) for _ in range(random.randint(2, 9))):
        contrary = literal[1:] if literal.startswith("-") else "-" + literal
        if random.random() < axiom_share and contrary not in axioms:
            axioms.add(literal)
            result.append(Axiom(literal))
        else:
            result.append(Premise(literal))
    return result


def _preferences(random: Random, directives: list[Directive]) -> list[Directive]:
    """Return random pairs, with a chance of both directions, of cycles and of pairs of a thing with itself."""
    rules = [directive.name for directive in directives if isinstance(directive, DefeasibleRule)]
    premises = [directive.literal for directive in directives if isinstance(directive, Premise)]
    amount = random.choice([0.0, 0.5, 1.0, 2.0])
    pairs: list[Directive] = []
    for _ in range(int(amount * len(rules))):
        pairs.append(RulePreference(random.choice(rules), random.choice(rules)))
    for _ in range(int(amount * len(premises))):
        pairs.append(PremisePreference(random.choice(premises), random.choice(premises)))
    return pairs
