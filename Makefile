# `make help` lists what there is. Every target sets up .venv by itself.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help run test check bench format clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Kontor needs Python 3.11 or later: make PYTHON=python3.11 …" if sys.version_info < (3, 11) else 0)'
	@echo "setting up $(VENV) (once, about half a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

run: $(READY) ## starts the sandbox and a guided tour of the command line against it
	@$(BIN)/python -m sandbox.tour

test: $(READY) ## the everyday tests
	@$(BIN)/python -m pytest -n 2 $(ARGS)

check: $(READY) ## format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: $(READY) ## ratios against bare libraries, measured in one run
	@$(BIN)/python -m bench

format: $(READY) ## formats the code and mends what the linter can
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

clean: ## removes everything that the other targets made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
