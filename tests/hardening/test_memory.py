"""Memory stays flat however long an environment is used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.plugins import install_example

ROOT: Final = Path(__file__).parents[2]
CYCLES: Final = 20_000
GROWTH: Final = 16_000_000
"""Bytes that the peak of resident memory may grow by between the warm-up and the end."""
CACHED: Final = 1_000
"""How much any cache of the package may hold: those without a limit are over small domains."""

CYCLE: Final = """
import functools, gc, json, resource, sys
import gymnasium as gym
import arggym_env as ag

unit = 1 if sys.platform == "darwin" else 1024
ids = [*ag.ENV_IDS, *ag.LOGIHARD_ENV_IDS, ag.MIXTURE_ENV_ID, "revision/retraction-v0"]
cycles = int(sys.argv[1])

def cached():
    found = (thing for thing in gc.get_objects() if isinstance(thing, functools._lru_cache_wrapper))
    ours = [cache for cache in found if cache.__module__.startswith("arggym_env")]
    return {f"{cache.__module__}.{cache.__qualname__}": cache.cache_info().currsize for cache in ours}

def run(env, count):
    for number in range(count):
        prompt, _ = env.reset()
        answer = env.unwrapped.instance.reference if number % 3 else prompt
        _, reward, *_ = env.step(f"<answer>{answer}</answer>")
        assert reward == 1.0 or not number % 3, (env.spec.id, reward)

envs = []
for env_id in ids:
    level = {} if env_id.startswith("LogiHard") else {"level": 1}
    envs.append(gym.make(env_id, **level))
    envs[-1].reset(seed=0)
for env in envs:
    run(env, cycles // len(envs) // 8)
gc.collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
done = 0
while done < cycles:
    for env in envs:
        run(env, 100)
        done += 100
gc.collect()
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
print(json.dumps({"before": before, "after": after, "caches": cached(), "done": done}))
"""


def cycled(site: Path, count: int) -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-c", CYCLE, str(count)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{site}", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="resource usage is measured where there is the module for it")
def test_memory_is_flat_over_twenty_thousand_episodes(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    found = cycled(install_example(tmp_path), CYCLES)
    assert found["done"] >= CYCLES
    record_property("resident memory", {name: found[name] for name in ("before", "after")})
    print(f"peak resident memory {found['before'] / 1e6:.1f} MB after the warm-up, {found['after'] / 1e6:.1f} MB later")
    assert found["after"] - found["before"] < GROWTH
    assert all(size <= CACHED for size in found["caches"].values()), found["caches"]
