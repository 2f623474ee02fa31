# Every command a user or contributor needs. Each sets itself up on a machine that has
# Python 3.11 or later with venv, make and the package registries.

PYTHON ?= python3
UV := $(shell command -v uv || echo .tools/bin/uv)
BIN := .venv/bin

# If the home folder is not writable, keep the caches of uv, npm and Numba in this folder.
ifneq ($(shell test -d "$$HOME" && test -w "$$HOME" && echo yes),yes)
export HOME := $(CURDIR)/.cache/home
endif

.PHONY: help serve play test coverage check long mutants bench docs site types page lock clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

serve: page ## open live tables in a browser (ARGS="--port 9000")
	@$(BIN)/pitboss serve --open $(ARGS)

play: .venv/ready ## play Toss One 21 in the terminal (GAME=... for another, ARGS="--seats 3")
	@$(BIN)/pitboss play $(or $(GAME),toss-one-21) $(ARGS)

test: check ## check format, lint, types and imports, then run the tests; the core covered to 100 %
	$(BIN)/pytest -n auto --cov --cov-report=term-missing:skip-covered $(CORE)
	$(BIN)/pytest -n auto --dist loadgroup $(CORE:%=--ignore=%)

# The tests of the rules engine and everything a settlement passes through. The others run apart:
# to watch every line of theirs would take minutes.
CORE := $(filter-out %_opinion.py %_views.py,$(wildcard tests/games/test_*.py)) \
	$(patsubst %,tests/test_%.py,cards cli notation paytables rules table terminal)

coverage: .venv/ready ## the same tests, with what they cover of the whole package (slower)
	$(BIN)/pytest -n auto --dist loadgroup --cov=pitboss --cov-branch --cov-config=/dev/null \
		--cov-report=term-missing:skip-covered

check: page ## check format, lint, types and imports only
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python frontend/build.py check

long: .venv/ready ## the long tests: 100,000 deals against the plain second implementation, and so on
	$(BIN)/pytest -n auto --dist loadgroup -m long

mutants: .venv/ready ## mutation testing of the settlement code
	$(BIN)/mutmut run
	$(BIN)/mutmut results

bench: .venv/ready ## the benchmarks
	$(BIN)/python bench/core.py
	$(BIN)/python bench/analysis.py
	$(BIN)/python -m bench.solver
	$(BIN)/python -m bench.simulator
	$(BIN)/python -m bench.server
	$(BIN)/python -m bench.page
	$(UV) pip install --quiet --python $(BIN)/python --target .tools/beside jax flax envpool
	$(BIN)/python -m bench.envs --beside .tools/beside

docs: .venv/ready ## update the generated parts of the docs: command output, references
	$(BIN)/python -m tests.console
	$(BIN)/python -m tests.reference
	$(BIN)/python -m tests.endpoints

site: .venv/ready ## build the docs site into site/
	$(BIN)/zensical build --clean --strict

page: .venv/ready ## build the page that the server shows, if it has changed
	$(BIN)/python frontend/build.py

types: .venv/ready ## update the schema of the API and its TypeScript types
	$(BIN)/python -m tests.web.typescript

lock: $(UV) ## resolve the versions again, up to the date in pyproject.toml
	$(UV) export --quiet --all-groups --extra kernels --extra report --extra cluster --extra server --extra envs \
		--no-emit-project --no-header -o requirements.lock

clean: ## remove everything that was installed or made
	rm -rf .venv .tools uv.lock mutants dist site .cache frontend/node_modules tests/browser/node_modules tests/browser/.chromium src/pitboss/page .coverage* .hypothesis .*_cache

.venv/ready: requirements.lock pyproject.toml $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
	$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv
