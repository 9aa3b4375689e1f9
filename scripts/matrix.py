"""Whether the pinned instances come out the same on every interpreter and NumPy at hand.

For each supported Python that is found and each NumPy line it can have, this makes a virtual environment, installs the
package into it, makes all pinned instances (``tests/golden.json``) in several processes, and compares their digests
with the file. It needs a package index, and prints one line for each environment.

    python scripts/matrix.py [--python 3.12] [--folder DIR]

Interpreters are taken from the PATH, from pyenv, and from uv where these exist; uv is not asked to download one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
PYTHONS: Final = ("3.11", "3.12", "3.13")
NUMPYS: Final = {"numpy>=1.26,<2": ("3.11", "3.12"), "numpy>=2": PYTHONS}
"""NumPy lines, each with the Pythons that it has wheels for."""
HASH_SEEDS: Final = ("0", "1")


class Outcome(NamedTuple):
    """What one environment made."""

    python: str
    numpy: str
    hash_seed: str
    different: list[str]
    """The ids of the pinned instances that came out otherwise, or an error."""


def interpreters(wanted: Sequence[str] = PYTHONS) -> dict[str, Path]:
    """Return the interpreters that are found and work, by version "3.x"."""
    found = {}
    for version in wanted:
        for candidate in _candidates(version):
            if _works(candidate, version):
                found[version] = candidate
                break
    return found


def _candidates(version: str) -> Iterator[Path]:
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        yield Path(sys.executable)
    if (on_path := shutil.which(f"python{version}")) is not None:
        yield Path(on_path)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob(f"versions/{version}*/bin/python{version}"))
    if (uv := shutil.which("uv")) is not None:
        process = subprocess.run([uv, "python", "find", version], capture_output=True, encoding="utf-8", check=False)
        if process.returncode == 0:
            yield Path(process.stdout.strip())


def _works(python: Path, version: str) -> bool:
    """Return whether ``python`` runs, is of the version, and can make virtual environments."""
    code = "import sys, ensurepip, venv, ssl; print('%d.%d' % sys.version_info[:2])"
    try:
        process = subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=False)
    except OSError:
        return False
    return process.returncode == 0 and process.stdout.strip() == version


def environment(python: Path, numpy: str, folder: Path) -> Path:
    """Make a virtual environment with the package and a NumPy of the line ``numpy``; return its interpreter."""
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install: list[str | Path] = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, numpy, str(ROOT)], check=True, env=_clean())
    return inside


def outcomes(python: Path, pinned: dict[str, str]) -> Iterator[Outcome]:
    """Yield what the environment of ``python`` makes of the pinned instances under each hash seed."""
    versions = "import sys, numpy; print(sys.version.split()[0], numpy.__version__)"
    told = subprocess.run([python, "-c", versions], capture_output=True, encoding="utf-8", check=True, env=_clean())
    release, numpy = told.stdout.split()
    for hash_seed in HASH_SEEDS:
        process = subprocess.run(
            [python, ROOT / "tests" / "golden.py", *pinned],  # as a script it finds the installed package only
            cwd=python.parent,
            env={**_clean(), "PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if process.returncode:
            yield Outcome(release, numpy, hash_seed, [process.stderr.strip()[-300:]])
            continue
        made = json.loads(process.stdout)
        yield Outcome(release, numpy, hash_seed, [name for name in pinned if made.get(name) != pinned[name]])


def matrix(folder: Path, wanted: Sequence[str] = PYTHONS) -> Iterator[Outcome]:
    """Yield the outcomes of all environments that can be made from the interpreters at hand."""
    pinned = json.loads((ROOT / "tests" / "golden.json").read_text(encoding="utf-8"))["hashes"]
    for version, python in interpreters(wanted).items():
        for number, (numpy, supported) in enumerate(NUMPYS.items()):
            if version in supported:
                yield from outcomes(environment(python, numpy, folder / f"{version}-{number}"), pinned)


def _clean() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHASHSEED")}


def main() -> int:
    """Print an environment a line; return 1 when one differs or no interpreter was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", choices=PYTHONS, help="only this version; may be repeated")
    parser.add_argument("--folder", type=Path, help="where the environments are made; by default a temporary folder")
    options = parser.parse_args()
    wanted = options.python or PYTHONS
    for version in wanted:
        if version not in interpreters([version]):
            print(f"Python {version}: not found", flush=True)
    same = []
    with tempfile.TemporaryDirectory() as temporary:
        for outcome in matrix(options.folder or Path(temporary), wanted):
            same.append(not outcome.different)
            verdict = "the pinned instances" if same[-1] else f"DIFFERENT: {', '.join(outcome.different[:5])}"
            where = f"Python {outcome.python}, NumPy {outcome.numpy}, PYTHONHASHSEED={outcome.hash_seed}"
            print(f"{where}: {verdict}", flush=True)
    return 0 if same and all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
