# Every target sets up what it needs: a virtual environment in .venv with the package and its development tools, one in
# .venv-train with the extra train as well, and one in .venv-vllm with a vLLM for the CPU.
# PYTHON names the interpreter to build them with; by default the first suitable one on the PATH.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
TRAIN := .venv-train
VLLM := .venv-vllm
# Installed before the extra train, which would take any release it allows: pip takes a build of this one for the CPU
# where its configuration offers one, and else the default build, which brings several gigabytes of CUDA.
TORCH ?= torch==2.13.0
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
PIP := python -m pip --disable-pip-version-check install --quiet
JOBS ?= auto
CANDIDATES := $(PYTHON) python3.13 python3.12 python3.11 python3 python
# The pins of .venv-vllm are tested with 3.11, and CPU builds of torch are more often at hand for it.
TORCH_CANDIDATES := $(PYTHON) python3.11 $(CANDIDATES)

.DEFAULT_GOAL := help
.PHONY: help demo test check slow train-test endtoend format docs clean

help:
	@echo "make demo        sample a question, answer it wrongly and rightly, and show both scores"
	@echo "make test        the test suite (minutes)"
	@echo "make check       formatting, lint, types and spelling"
	@echo "make slow        the long tests: property tests at full size, and a built wheel in a fresh environment"
	@echo "make train-test  the tests of the training recipes, in an environment with torch and TRL"
	@echo "make endtoend    evaluation and GRPO with a real vLLM and small language models, on the CPU"
	@echo "make docs        the documentation site, in docs/_build; a broken link is an error"
	@echo "make format      rewrite the sources as make check wants them"
	@echo "make clean       remove the virtual environments, caches and builds"

demo: $(VENV)/ready
	@$(BIN)/python scripts/demo.py

test: $(VENV)/ready
	$(PYTEST) -m "not slow" -n $(JOBS) -q

slow: $(VENV)/ready
	$(PYTEST) -m slow -n $(JOBS) -q

# One test after another: each wants all cores, and gigabytes of memory.
endtoend: $(VENV)/ready $(VLLM)/ready
	ARGGYM_VLLM_PYTHON=$(abspath $(VLLM)/bin/python) $(PYTEST) -q -rs --durations=10 \
		tests/evaluation/test_vllm.py tests/training/test_vllm_grpo.py

train-test: $(TRAIN)/ready
	OMP_NUM_THREADS=1 $(TRAIN)/bin/python -m pytest -n $(JOBS) -q -rs --durations=10 tests/training

docs: $(VENV)/docs-ready
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder html docs docs/_build
	@echo "docs/_build/index.html"

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/codespell

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(TRAIN) $(VLLM) build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find arggym_env scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call environment,FOLDER,INTERPRETERS,COST): a fresh virtual environment with the first of them that is new enough.
define environment
@found=""; for python in $(2); do \
	if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found="$$python"; break; fi; \
done; \
if [ -z "$$found" ]; then \
	echo "error: no Python 3.11 or newer on the PATH; install one, or run make PYTHON=/path/to/python3" >&2; exit 1; \
fi; \
echo "setting up $(1) with $$("$$found" --version) (once, $(3))"; \
if ! "$$found" -m venv --clear $(1); then \
	echo "error: $$found cannot make a virtual environment; install its venv module (Debian: python3-venv)" >&2; exit 1; \
fi
endef

$(VENV)/ready: pyproject.toml
	$(call environment,$(VENV),$(CANDIDATES),about a minute)
	$(BIN)/$(PIP) -e '.[dev]'
	@touch $@

$(VENV)/docs-ready: $(VENV)/ready
	$(BIN)/$(PIP) -e '.[docs]'
	@touch $@

$(TRAIN)/ready: pyproject.toml
	$(call environment,$(TRAIN),$(TORCH_CANDIDATES),a minute or two and 2 GB)
	$(TRAIN)/bin/$(PIP) '$(TORCH)'
	$(TRAIN)/bin/$(PIP) -e '.[dev,train]'
	@touch $@

$(VLLM)/ready: tests/vllm/requirements.lock
	$(call environment,$(VLLM),$(TORCH_CANDIDATES),two minutes and 3 GB)
	$(VLLM)/bin/$(PIP) --no-deps -r $<
	@touch $@
