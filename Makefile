# Every target sets up what it needs: a virtual environment in .venv with the package and its development tools.
# PYTHON names the interpreter to build it with; by default the first suitable one on the PATH.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
JOBS ?= auto
CANDIDATES := $(PYTHON) python3.13 python3.12 python3.11 python3 python

.DEFAULT_GOAL := help
.PHONY: help demo test check slow format clean

help:
	@echo "make demo    sample a question, answer it wrongly and rightly, and show both scores"
	@echo "make test    the test suite (minutes)"
	@echo "make check   formatting, lint, types and spelling"
	@echo "make slow    the long tests: property tests at full size, and a built wheel in a fresh environment"
	@echo "make format  rewrite the sources as make check wants them"
	@echo "make clean   remove the virtual environment, caches and builds"

demo: $(VENV)/ready
	@$(BIN)/python scripts/demo.py

test: $(VENV)/ready
	$(PYTEST) -m "not slow" -n $(JOBS) -q

slow: $(VENV)/ready
	$(PYTEST) -m slow -n $(JOBS) -q

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/codespell

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find arggym_env scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/ready: pyproject.toml
	@found=""; for python in $(CANDIDATES); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found="$$python"; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "error: no Python 3.11 or newer on the PATH; install one, or run make PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	echo "setting up $(VENV) with $$("$$found" --version) (once, about a minute)"; \
	if ! "$$found" -m venv --clear $(VENV); then \
		echo "error: $$found cannot make a virtual environment; install its venv module (Debian: python3-venv)" >&2; exit 1; \
	fi; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@
