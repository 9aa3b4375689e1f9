"""The site is built without a warning, holds every public name, and asks the network for nothing."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ENVIRONMENT, ROOT

pytest.importorskip("furo", reason="the extra docs is not installed; make docs installs it and builds the site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    result = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return folder


@pytest.mark.slow
def test_the_site_shows_every_public_name(site: Path) -> None:
    documented = "".join(path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html"))
    for package in ("", ".theory", ".engine", ".rewards", ".logihard"):
        module = importlib.import_module(f"arggym_env{package}")
        for name in set(module.__all__) - {"__version__", "logihard"}:
            assert re.search(rf'id="arggym_env[\w.]*\.{name}"', documented), f"{name} of {module.__name__}"


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]+)"', text)
        loaded += re.findall(r'<link[^>]* rel="(?:stylesheet|preload|preconnect|icon)"[^>]* href="([^"]+)"', text)
        assert loaded
        assert not [url for url in loaded if re.match(r"(?:https?:)?//", url)], path.name
    for path in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", path.read_text(encoding="utf-8")), path.name
