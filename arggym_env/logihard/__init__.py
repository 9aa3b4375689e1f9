"""LogiHard: atomic questions, their combinatorial hardening, and adaptive testing with them.

``generate_atomic`` makes a question with four options, ``ask`` words it, ``harden`` turns its options into claims.
"""

from arggym_env.logihard.answers import LETTER_REWARDS
from arggym_env.logihard.atomic import AtomicMCQ, generate_atomic
from arggym_env.logihard.base import BaseItem, ask
from arggym_env.logihard.cat import CatReport, CatRule, adaptive_test
from arggym_env.logihard.families import FAMILIES
from arggym_env.logihard.files import Imported, read_file, read_rows
from arggym_env.logihard.formats import FORMATS
from arggym_env.logihard.gold_score import gold_score
from arggym_env.logihard.hardening import CombinatorialItem, harden
from arggym_env.logihard.irt import Item, calibrate, eap
from arggym_env.logihard.samplers import SAMPLERS
from arggym_env.logihard.simulation import simulate
from arggym_env.logihard.tiers import OPERATOR_TIERS

__all__ = [
    "FAMILIES",
    "FORMATS",
    "LETTER_REWARDS",
    "OPERATOR_TIERS",
    "SAMPLERS",
    "AtomicMCQ",
    "BaseItem",
    "CatReport",
    "CatRule",
    "CombinatorialItem",
    "Imported",
    "Item",
    "adaptive_test",
    "ask",
    "calibrate",
    "eap",
    "generate_atomic",
    "gold_score",
    "harden",
    "read_file",
    "read_rows",
    "simulate",
]
