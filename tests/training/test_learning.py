from __future__ import annotations

from pathlib import Path
from statistics import fmean, stdev

import pytest

pytest.importorskip("trl", reason="trl is not installed (extra: train)")

from tests.training.learning import learn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]


def test_the_native_reward_of_a_real_environment_rises(tmp_path: Path) -> None:
    values = [float(entry["rewards/native_reward/mean"]) for entry in learn(tmp_path)]
    first, last = values[:8], values[-8:]
    error = (stdev(first) ** 2 / len(first) + stdev(last) ** 2 / len(last)) ** 0.5
    # Steps are independent samples of completions; five standard errors are far beyond what chance would do.
    assert fmean(last) - fmean(first) > max(0.2, 5 * error), values
