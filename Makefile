# Spinney: every target sets up what it needs, given Python 3.11 to 3.14.
#
# Each set of packages leaves a stamp in .venv and is installed again only when pyproject.toml changes. Sets for
# developing are dependency groups, which need pip 25.1; the others are extras.

PYTHON ?= python3
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n < 4 ? n : 4)))
BENCH ?= boosting trees forests adaboost clustering
OPTIONS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
GROUPS := test lint bench docs
# tests start hundreds of processes, which would otherwise read all sources anew
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo lab test test-all test-gpu lint check format bench dist wheel docs clean
.DELETE_ON_ERROR:

help: ## list the targets
	@echo "usage: make TARGET [PYTHON=python3.12] [WORKERS=$(WORKERS)] [BENCH=trees OPTIONS='--case all']"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.cli ## fit a model to 15,000 flights and evaluate it on others, from the command line
	@$(BIN)/python examples/demo.py

lab: $(VENV)/.lab ## open the lab: every method step by step, in the browser
	@$(BIN)/spinney lab $(OPTIONS)

test: $(VENV)/.test ## run the quick tests (some minutes)
	SPINNEY_QUICK=1 $(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist worksteal

test-all: $(VENV)/.test ## run every test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-gpu: $(VENV)/.test $(VENV)/.gpu ## run the GPU tests (needs an NVIDIA GPU)
	SPINNEY_TEST_GPU=1 $(BIN)/python -m pytest tests/gpu

lint: $(VENV)/.lint ## check style, types, code budgets, figures and wording
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy spinney
	$(BIN)/python tools/budgets.py
	$(BIN)/python -m tools.figures --check
	$(BIN)/python -m tools.wording

check: lint $(VENV)/.test ## what to run before a commit: lint and a short suite (some minutes)
	SPINNEY_QUICK=1 $(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist worksteal $$(cat .ci/short)

format: $(VENV)/.lint ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench ## compare times with other libraries
	@set -e; for what in $(BENCH); do $(BIN)/python -m benchmarks.versus.$$what $(OPTIONS); done

dist: $(VENV)/.test ## build the source distribution and the wheel, and try them in a new environment (OPTIONS=--tests)
	@$(BIN)/python tools/try_install.py $(OPTIONS)

wheel: $(VENV)/.datasets ## build a wheel with compiled kernels (some minutes)
	@$(BIN)/python tools/build_wheel.py $(OPTIONS)

docs: $(VENV)/.docs ## build the documentation site (some minutes)
	@$(BIN)/python -m tools.site

clean: ## remove the environment, builds and caches
	rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache catboost_info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# .venv/.NAME is the stamp of the dependency group or extra NAME in pyproject.toml
$(VENV)/.%: pyproject.toml | $(VENV)/.python
	@echo "Installing Spinney and the packages of '$*' (once; can take a few minutes) ..."
	@$(PIP) 'pip>=25.1'
	@$(PIP) --editable $(if $(filter $*,$(GROUPS)),. --group $*,'.[$*]')
	@touch $@

$(VENV)/.python:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "error: $(PYTHON) not found. Install Python 3.11 to 3.14, or name an interpreter: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || \
	  { echo "error: Spinney needs Python 3.11 to 3.14; $(PYTHON) is $$($(PYTHON) -V 2>&1)." >&2; \
	    echo "Name another interpreter, for example: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) -V) ..."
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "error: could not create $(VENV). On Debian and Ubuntu, install the package python3-venv." >&2; \
	    rm -rf $(VENV); exit 1; }
	@touch $@
