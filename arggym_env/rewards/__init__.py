"""From completions to scores: answer extraction and the scoring contracts of the paper's appendix B."""

from arggym_env.rewards.answer import Answer, extract_answer
from arggym_env.rewards.chain import Chain, read_chain, score_chain
from arggym_env.rewards.execution import score_construction
from arggym_env.rewards.formalization import score_formalization
from arggym_env.rewards.legality import Judgement, Legality, Refusal, Refused, judge
from arggym_env.rewards.pairs import (
    CLAIM_STATUSES,
    STATUSES_UNDER_SEMANTICS,
    KeyReader,
    Pair,
    Pairs,
    claim_key,
    claim_under_semantics_key,
    pair_f1,
    read_pair,
    read_pairs,
    score_pairs,
)
from arggym_env.rewards.progress import Goal, goal_progress, support_subgoals
from arggym_env.rewards.score import JsonValue, Reason, Score

__all__ = [
    "CLAIM_STATUSES",
    "STATUSES_UNDER_SEMANTICS",
    "Answer",
    "Chain",
    "Goal",
    "JsonValue",
    "Judgement",
    "KeyReader",
    "Legality",
    "Pair",
    "Pairs",
    "Reason",
    "Refusal",
    "Refused",
    "Score",
    "claim_key",
    "claim_under_semantics_key",
    "extract_answer",
    "goal_progress",
    "judge",
    "pair_f1",
    "read_chain",
    "read_pair",
    "read_pairs",
    "score_chain",
    "score_construction",
    "score_formalization",
    "score_pairs",
    "support_subgoals",
]
