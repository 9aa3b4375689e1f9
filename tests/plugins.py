"""Plug-ins for the tests: folders that look like installed distributions, and processes that see them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "tests" / "plugin_example"
RETRACTION = "revision.retraction"


def install(site: Path, name: str, tasks: Mapping[str, str] | str, modules: Mapping[str, str] | None = None) -> Path:
    """Write into ``site`` what installing a distribution would, and return ``site``.

    Args:
        site: a folder for the module search path.
        name: the distribution's name; its version is 1.0.
        tasks: what the tasks' entry points import, by name; or the text of the whole entry-point file.
        modules: the source of the distribution's modules by name.
    """
    metadata = site / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    write(metadata / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if not isinstance(tasks, str):
        tasks = "[arggym_env.tasks]\n" + "".join(f"{task} = {target}\n" for task, target in tasks.items())
    write(metadata / "entry_points.txt", tasks)
    for module, source in (modules or {}).items():
        write(site / f"{module}.py", source)
    return site


def install_example(site: Path) -> Path:
    """Write the example plug-in into ``site`` as ``install`` does."""
    source = (EXAMPLE / "arggym_retraction.py").read_text(encoding="utf-8")
    return install(site, "arggym-retraction", {RETRACTION: "arggym_retraction:TASK"}, {"arggym_retraction": source})


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def python(site: Path, *words: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter that finds this checkout and ``site``."""
    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{site}"},
        cwd=cwd or site,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def arggym(site: Path, *words: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in a fresh interpreter that finds this checkout and ``site``."""
    return python(site, "-c", "from arggym_env.cli import main; main()", *words, stdin=stdin, cwd=cwd)


def shell(site: Path, script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run shell commands that find this checkout and ``site``, stopping at the first that fails."""
    programs = cwd / "bin"
    programs.mkdir(exist_ok=True)
    for name, code in (("arggym", '-c "from arggym_env.cli import main; main()" '), ("python", "")):
        program = programs / name
        write(program, f'#!/bin/sh\nexec "{sys.executable}" {code}"$@"\n')
        program.chmod(0o755)
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{site}",
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
