"""The same coordinates give the same bytes as ever: in this process, in others, under other interpreters."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arggym_env.coordinates import Coordinates
from arggym_env.envs.registry import TASKS
from arggym_env.versions import GENERATOR_VERSION, PROMPT_VERSION, SCORING_VERSION
from tests import golden

ROOT = Path(__file__).parents[1]
OTHER_PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")


def test_the_file_was_made_with_the_versions_of_this_package() -> None:
    """Instances changed? Then bump what changed in ``versions.py`` and run scripts/golden.py, in the same commit."""
    assert golden.read().versions == {
        "generator": GENERATOR_VERSION,
        "prompt": PROMPT_VERSION,
        "scoring": SCORING_VERSION,
    }


def test_every_task_is_pinned_and_nothing_else() -> None:
    assert list(golden.read().hashes) == [where.id for where in golden.coordinates()], "run scripts/golden.py"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", golden.LEVELS)
def test_instances_are_the_pinned_ones(task: str, level: int) -> None:
    pinned = golden.read().hashes
    found = {where.id: golden.digest(where) for where in golden.coordinates([task], [level])}
    assert found == {name: pinned.get(name) for name in found}, "bump a version and run scripts/golden.py"


def fresh_process(python: str, ids: list[str], **environment: str) -> dict[str, str]:
    run = subprocess.run(
        [python, "-m", "tests.golden", *ids],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found: dict[str, str] = json.loads(run.stdout)
    return found


def some_ids(level: int) -> list[str]:
    """Return one pinned coordinate of each task, under changing orderings."""
    return [list(golden.coordinates([task], [level]))[number % 4].id for number, task in enumerate(TASKS)]


@pytest.mark.parametrize("hash_seed", ["0", "1", "2"])
def test_other_processes_with_other_hash_seeds_make_the_pinned_instances(hash_seed: str) -> None:
    pinned, ids = golden.read().hashes, some_ids(8)
    assert fresh_process(sys.executable, ids, PYTHONHASHSEED=hash_seed) == {name: pinned[name] for name in ids}


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "1", "2"])
def test_every_pinned_instance_survives_other_hash_seeds(hash_seed: str) -> None:
    pinned = golden.read().hashes
    assert fresh_process(sys.executable, list(pinned), PYTHONHASHSEED=hash_seed, PYTHONUTF8="0", LC_ALL="C") == pinned


@pytest.mark.parametrize("name", OTHER_PYTHONS)
def test_other_interpreters_make_the_pinned_instances(name: str) -> None:
    python = shutil.which(name)
    if python is None or os.path.realpath(python) == os.path.realpath(sys.executable):
        pytest.skip(f"{name} is not another interpreter here")
    if subprocess.run([python, "-c", "import numpy, gymnasium, py_arg"], capture_output=True, check=False).returncode:
        pytest.skip(f"{name} does not have the package's dependencies")
    pinned, ids = golden.read().hashes, some_ids(8)
    assert fresh_process(python, ids) == {each: pinned[each] for each in ids}


# The script


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_script", ROOT / "scripts" / "golden.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OLD = golden.Golden({"generator": 1, "prompt": 1, "scoring": 1}, {"a": "1", "b": "2"})


@pytest.mark.parametrize(
    ("new", "refused"),
    [
        (OLD, []),
        (OLD._replace(hashes={"a": "1", "b": "2", "c": "3"}), []),
        (OLD._replace(hashes={"a": "1"}), []),
        (OLD._replace(hashes={"a": "1", "b": "9"}), ["b"]),
        (OLD._replace(hashes={"a": "8", "b": "9"}), ["a", "b"]),
        (golden.Golden({"generator": 2, "prompt": 1, "scoring": 1}, {"a": "8", "b": "9"}), []),
        (golden.Golden({"generator": 1, "prompt": 2, "scoring": 1}, {"a": "8", "b": "2"}), []),
    ],
)
def test_changed_instances_need_another_version(new: golden.Golden, refused: list[str]) -> None:
    assert script().changed_without_a_version(OLD, new) == refused


def test_the_script_refuses_to_overwrite_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script()
    monkeypatch.setattr(module.golden, "FILE", tmp_path / "golden.json")
    monkeypatch.setattr(module.golden, "made_now", lambda: OLD)
    module.main()
    assert module.golden.read() == OLD
    changed = OLD._replace(hashes={"a": "1", "b": "9"})
    monkeypatch.setattr(module.golden, "made_now", lambda: changed)
    with pytest.raises(SystemExit) as caught:
        module.main()
    assert "b" in str(caught.value)
    assert module.golden.read() == OLD
    module.main(unreleased=True)
    assert module.golden.read() == changed


def test_ids_are_unique() -> None:
    ids = [where.id for where in golden.coordinates()]
    assert len(set(ids)) == len(ids) == 12 * len(TASKS)
    assert all(isinstance(where, Coordinates) for where in golden.coordinates())
