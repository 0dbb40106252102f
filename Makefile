# Needs make and Python 3.11 or later; everything else is set up in .venv by the first target that wants it.

PYTHON ?= python3
SIZE_MB ?= 1000

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := tests/fixtures/traces/network-cleaned-up-while-implementing/management-server.log

.DEFAULT_GOAL := help
.PHONY: help demo test bench fmt clean

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' Makefile

demo: $(READY) ## Analyse a sample log and write report.html
	@$(BIN)/logscope analyze $(DEMO) -o report.html
	@echo "The report is report.html in this directory; open it in a browser."

test: $(READY) ## Check style, types and imports, and run the tests
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check --quiet .
	@$(BIN)/python -m mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

bench: $(READY) ## Measure against rg and lnav (SIZE_MB=1000)
	@$(BIN)/python -m bench.run --size-mb $(SIZE_MB)

fmt: $(READY) ## Format and tidy the code
	@$(BIN)/python -m ruff check --fix --quiet .
	@$(BIN)/python -m ruff format .

clean: ## Remove what the other targets made
	rm -rf $(VENV) report.html dist bench/data .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml
	@"$(PYTHON)" -c "" 2>/dev/null || { \
	  echo "no working '$(PYTHON)' here; install Python 3.11 or later, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "'$(PYTHON)' is $$("$(PYTHON)" --version 2>&1), logscope needs 3.11 or later; name one: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments; install the package python3-venv" >&2; exit 1; }
	@echo "Setting up $(VENV) (once, this takes a minute)"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $@
