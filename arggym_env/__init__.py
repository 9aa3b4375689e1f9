"""ArgGYM: engine-verified questions in defeasible reasoning over ASPIC+ theories, for evaluation and RLVR.

Importing the package registers its Gymnasium environments, ``ArgGYM/<task>-v0`` for each of ``TASKS``, LogiHard's two
and a mixture of all. Without Gymnasium, ``generate`` makes an instance and ``score`` judges a completion; ``Theory``
and ``evaluate`` are the argumentation library underneath, and ``logihard`` makes and hardens multiple-choice questions.
"""

from arggym_env import logihard
from arggym_env.coordinates import LEVELS, SPLITS
from arggym_env.engine import State, evaluate
from arggym_env.engine.orderings import ORDERINGS
from arggym_env.envs.generation import generate
from arggym_env.envs.gym_env import ArgumentationEnv
from arggym_env.envs.instance import Instance
from arggym_env.envs.registration import ENV_IDS, LOGIHARD_ENV_IDS, MIXTURE_ENV_ID, register_environments
from arggym_env.envs.registry import TASKS
from arggym_env.envs.scoring import corrected
from arggym_env.errors import (
    ArgGymError,
    ArgumentLimitExceeded,
    CoordinateError,
    ExtensionLimitExceeded,
    GenerationError,
    InstanceError,
    PluginError,
    RunError,
    SearchLimitExceeded,
    TheoryError,
)
from arggym_env.frozen import load_frozen
from arggym_env.frozen.published import import_published
from arggym_env.instances import score
from arggym_env.rewards.score import Reason, Score
from arggym_env.theory import Theory
from arggym_env.versions import __version__

__all__ = [
    "ENV_IDS",
    "LEVELS",
    "LOGIHARD_ENV_IDS",
    "MIXTURE_ENV_ID",
    "ORDERINGS",
    "SPLITS",
    "TASKS",
    "ArgGymError",
    "ArgumentLimitExceeded",
    "ArgumentationEnv",
    "CoordinateError",
    "ExtensionLimitExceeded",
    "GenerationError",
    "Instance",
    "InstanceError",
    "PluginError",
    "Reason",
    "RunError",
    "Score",
    "SearchLimitExceeded",
    "State",
    "Theory",
    "TheoryError",
    "__version__",
    "corrected",
    "evaluate",
    "generate",
    "import_published",
    "load_frozen",
    "logihard",
    "score",
]

register_environments()
