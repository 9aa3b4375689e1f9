"""The pinned instances come out the same on every interpreter and NumPy that can be had here."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("matrix_script", ROOT / "scripts" / "matrix.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_interpreter_of_the_tests_is_found() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert script().interpreters([version]) == {version: Path(sys.executable)}


def test_an_interpreter_that_does_not_work_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python3.99"
    broken.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert script().interpreters(["3.99"]) == {}


def test_every_python_of_the_package_has_a_numpy() -> None:
    module = script()
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for version in module.PYTHONS:
        assert f"Programming Language :: Python :: {version}" in declared
        assert any(version in pythons for pythons in module.NUMPYS.values())


@pytest.mark.slow
def test_pinned_instances_are_the_same_on_every_python_and_numpy_at_hand(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    outcomes = list(script().matrix(tmp_path))
    assert outcomes
    ran = sorted({f"Python {outcome.python} with NumPy {outcome.numpy}" for outcome in outcomes})
    record_property("environments", ran)
    print("\n".join(ran))
    assert [outcome for outcome in outcomes if outcome.different] == []
