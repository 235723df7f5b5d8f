# `make help` lists what there is. Every target sets up .venv by itself; with PYTHON=python3.13 it is .venv-3.13.

PYTHON ?= python3
VERSION = $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV   := $(if $(filter file,$(origin PYTHON)),.venv,.venv-$(VERSION))
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PIP    := --quiet --disable-pip-version-check
INSTALLED  := $(VENV)/.installed
TYPESCRIPT := $(shell find connector/export/node/core connector/export/n8n connector/export/zapier actions triggers -name '*.ts')
ROOMS  := connector actions triggers manifests sandbox

.DEFAULT_GOAL := help
.PHONY: help run test test-long test-postgresql test-browser screenshots test-platforms test-n8n test-cases test-chaos test-temporal test-histories check bench conformance format constraints clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Kontor needs Python 3.11 or later: make PYTHON=python3.11 …" if sys.version_info < (3, 11) else 0)'
	@echo "setting up $(VENV) (once, about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install $(PIP) --constraint constraints.txt --editable '.[test]'
	@$(BIN)/python -m compileall -q $(ROOMS)
	@touch $@

$(READY): $(INSTALLED) $(TYPESCRIPT)
	@$(BIN)/python -m connector.export.node.compile
	@touch $@

run: $(READY) ## host, console and sandbox together; prints one URL
	@exec $(BIN)/kontor serve --sandbox

# With its bytecode kept, a test module is not compiled anew by each worker, nor what changed by each command it starts.
test: $(READY) ## the everyday tests
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 -p no:schemathesis -m "not long and not slow and not platforms and not postgresql and not temporal" --ignore=tests/export --ignore-glob='*test_browser*' $(ARGS)

test-long: $(READY) ## what starts processes, lives through days or tries hundreds of times
	@$(BIN)/python -m pytest -n 2 -p no:schemathesis -m "long and not slow and not platforms and not postgresql and not temporal" --ignore=tests/export --ignore-glob='*test_browser*' $(ARGS)

test-postgresql: $(READY) ## what runs on every database, on a real PostgreSQL server
	@$(BIN)/python -m pytest -n 2 -p no:schemathesis -m "postgresql and not slow and not platforms and not temporal" --ignore=tests/export --ignore-glob='*test_browser*' $(ARGS)

test-browser: $(READY) ## the console in a real Chromium
	@test -x /usr/bin/chromium || (apt-get update -qq && apt-get install -y -qq chromium >/dev/null)
	@$(BIN)/python -m pytest -n 2 --dist loadfile tests/interfaces/console/test_browser_*.py $(ARGS)

screenshots: $(READY) ## pictures of every page in both languages and widths, to docs/screenshots (PAGES="payments runs")
	@test -x /usr/bin/chromium || (apt-get update -qq && apt-get install -y -qq chromium >/dev/null)
	@$(BIN)/python tests/interfaces/console/screenshots.py $(PAGES)

test-platforms: $(READY) ## the exports, on the platforms' own engines where there are some (installed from npm)
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "platforms and not n8n_server" tests/export tests/platforms tests/interfaces/mcp $(ARGS)

test-n8n: $(READY) ## the n8n package in a whole n8n server (once ten minutes and 3 GB from npm)
	@PYTHONPATH=tests/platforms $(BIN)/python tests/platforms/n8n_server/n8n_install.py
	@$(BIN)/python -m pytest -m n8n_server tests/platforms/n8n_server $(ARGS)

test-cases: $(READY) ## whether the cases bite: one change at a time in either interpreter, and a case must fail
	@$(BIN)/python -m pytest -n 2 tests/cases -m slow $(ARGS)

test-chaos: $(READY) ## hosts killed at a hundred random moments, databases that go away, eight processes on one key
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m slow --ignore=tests/cases --ignore=tests/histories --ignore=tests/export $(ARGS)

test-temporal: $(READY) ## the engine on Temporal: a real server with a database file, killed too
	@$(BIN)/python -m pytest -m temporal tests/durable $(ARGS)

HISTORIES ?= 8
test-histories: $(READY) ## writes while hosts, clocks, databases and the service misbehave (HISTORIES=40, SEED=7)
	@test -e /usr/bin/faketime || (apt-get update -qq && apt-get install -y -qq faketime >/dev/null)
	@$(BIN)/python -m tests.histories --histories $(HISTORIES) $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m pytest -n 2 -m slow tests/histories $(ARGS)

check: $(READY) ## format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: $(READY) ## ratios against bare libraries, measured in one run
	@$(BIN)/python -m bench $(ARGS)

conformance: $(READY) ## writes docs/conformance.md anew, from the statements and the marks at tests and cases
	@$(BIN)/python -m tests.conformance

format: $(READY) ## formats the code and mends what the linter can
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

constraints: ## renews constraints.txt: the newest versions that pyproject.toml allows
	@$(PYTHON) -m venv --clear .venv-constraints
	@.venv-constraints/bin/pip install $(PIP) --editable '.[test]'
	@.venv-constraints/bin/pip list --format=freeze --exclude-editable --exclude pip --exclude setuptools >constraints.txt
	@rm -rf .venv-constraints

clean: ## removes everything that the other targets made
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist connector/export/node/build
