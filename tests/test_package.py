"""What installing and importing the package does, and what it does not."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import gymnasium as gym
import pytest

import arggym_env as ag

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "arggym_env").rglob("*.py"))
HEAVY = (
    "torch",
    "transformers",
    "trl",
    "vllm",
    "datasets",
    "matplotlib",
    "openai",
    "py_arg",
    "typer",
    "rich",
    "clingo",
)


def python(code: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a fresh interpreter that finds this checkout."""
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_installed_version_is_the_packages() -> None:
    assert importlib.metadata.version("arggym-env") == ag.__version__


def test_the_citation_names_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {ag.__version__}\n" in citation


def test_importing_loads_nothing_heavy() -> None:
    result = python(f"import sys, arggym_env; print(sorted(set({HEAVY!r}) & set(sys.modules)))")
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_importing_is_quick() -> None:
    code = "import gymnasium, time; start = time.process_time(); import arggym_env; print(time.process_time() - start)"
    assert min(float(python(code).stdout) for _ in range(3)) < 0.3


def test_importing_says_nothing_and_warns_about_nothing() -> None:
    result = python("import arggym_env", "-W", "error")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_importing_again_registers_nothing_twice() -> None:
    before = {env_id: gym.registry[env_id] for env_id in ag.ENV_IDS}
    importlib.reload(ag)
    assert {env_id: gym.registry[env_id] for env_id in ag.ENV_IDS} == before


def test_every_task_has_a_registered_environment_that_serialises() -> None:
    assert [f"ArgGYM/{task}-v0" for task in ag.TASKS] == list(ag.ENV_IDS)
    for task, env_id in zip(ag.TASKS, ag.ENV_IDS, strict=True):
        spec = gym.spec(env_id)
        assert spec.kwargs == {"task": task}
        assert gym.envs.registration.EnvSpec.from_json(spec.to_json()) == spec


def test_public_names_exist_and_are_documented() -> None:
    assert len(set(ag.__all__)) == len(ag.__all__)
    for name in ag.__all__:
        public = getattr(ag, name)
        if callable(public):
            assert public.__doc__, name


def test_the_documented_calls_of_the_design_work() -> None:
    instance = ag.generate("attack", level=5, ordering="weakest-link elitist", seed=7, split="train")
    assert ag.Instance.from_json(instance.to_json()) == instance
    assert ag.score(instance, f"<answer>{instance.reference}</answer>").success
    state = ag.evaluate(ag.Theory.parse("[premise: ko9]"), ag.ORDERINGS[0], engine="pyarg", max_arguments=10)
    assert state.status("ko9", semantics="grounded") == "justified"
    assert len(state.extensions("preferred")) == 1


@pytest.mark.parametrize("layer", ["envs", "rewards", "training"])
def test_links_show_the_layers_at_the_root(layer: str) -> None:
    if (ROOT / "PKG-INFO").is_file():
        pytest.skip("a source distribution holds the package without links to it")
    link = ROOT / layer
    assert link.is_symlink()
    assert os.readlink(link) == f"arggym_env/{layer}"
    assert link.is_dir()


def test_the_package_is_typed() -> None:
    assert (ROOT / "arggym_env" / "py.typed").is_file()


def test_text_files_are_opened_with_an_encoding() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                words = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
                binary = name == "open" and any(isinstance(word, str) and "b" in word for word in words)
                named = name == "read_text" and words  # of a distribution's metadata; a path's takes no name
                if name in ("open", "read_text", "write_text") and not binary and not named:
                    assert "encoding" in {keyword.arg for keyword in node.keywords}, f"{path}:{node.lineno}"


def test_nothing_names_a_folder_of_somebodys_machine() -> None:
    texts = [*SOURCES, *(ROOT / "scripts").glob("*"), *(ROOT / name for name in ("README.md", "Makefile", ".ci/run"))]
    for path in texts:
        if path.is_file():
            assert not re.search(r"/(root|home|work|Users)/", path.read_text(encoding="utf-8")), path


def test_every_module_says_what_it_is_for() -> None:
    for path in SOURCES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


@pytest.mark.slow
def test_a_built_wheel_works_in_a_fresh_environment(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"arggym_env", f"arggym_env-{ag.__version__}.dist-info"}
    assert "arggym_env/py.typed" in names
    assert len(names) == len(set(names))

    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", wheel], check=True)

    def run(program: str, *words: str) -> str:
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        command = [str(programs / program), *words]
        return subprocess.run(
            command, cwd=tmp_path, env=clean, check=True, stdout=subprocess.PIPE, encoding="utf-8"
        ).stdout

    task = ag.TASKS[0]
    assert run("arggym", "sample", task) == ag.generate(task, 1, ag.ORDERINGS[0], 0).prompt + "\n"
    installed = {
        line.split("==")[0].lower() for line in run("python", "-m", "pip", "list", "--format=freeze").split("\n")
    }
    assert not installed & {"torch", "transformers", "trl", "vllm", "datasets", "openai", "clingo"}
    assert run("python", "-W", "error", "-c", ORACLE) == "justified\n"
    suites = "import arggym_env as ag; print(len(ag.load_frozen()), len(ag.load_frozen('logihard')))"
    assert run("python", "-W", "error", "-c", suites) == "1440 2000\n"


ORACLE = f"""
import arggym_env as ag
print(ag.evaluate(ag.Theory.parse("[premise: a]"), {ag.ORDERINGS[0]!r}, engine="pyarg").status("a"))
"""


@pytest.mark.slow
def test_a_source_distribution_holds_each_file_once(tmp_path: Path) -> None:
    code = f"from hatchling.build import build_sdist; print(build_sdist({str(tmp_path)!r}))"
    built = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    with tarfile.open(tmp_path / built.stdout.strip()) as archive:
        names = archive.getnames()
    assert len(names) == len(set(names))
    tops = {name.split("/")[1] for name in names}
    assert "arggym_env" in tops
    assert not tops & {"envs", "rewards", "training"}
