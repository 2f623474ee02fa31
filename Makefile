# Every command that a user or contributor needs. Each installs what it needs. Requirements: Python
# 3.11 or later with venv, make, and access to the package registries.

PYTHON ?= python3
UV := $(shell command -v uv || echo .tools/bin/uv)
BIN := .venv/bin

# A worker that dies fails its test and ends the run. If pytest-xdist replaced the worker, it would
# wait forever for the tests of the old one.
WORKERS := -n auto --dist loadgroup --max-worker-restart=0

# If the home folder is not writable, keep the caches of uv, npm and Numba in this folder.
ifneq ($(shell test -d "$$HOME" && test -w "$$HOME" && echo yes),yes)
export HOME := $(CURDIR)/.cache/home
endif

.PHONY: help serve play test coverage check format long mutants bench docs site types page advisories lock clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

serve: page ## open live tables in a browser (ARGS="--port 9000")
	@$(BIN)/pitboss serve --open $(ARGS)

play: .venv/ready ## play Toss One 21 in the terminal (GAME=... for another, ARGS="--seats 3")
	@$(BIN)/pitboss play $(or $(GAME),toss-one-21) $(ARGS)

test: check ## check format, lint, types and imports, then run the tests; the core needs 100 % coverage
	$(BIN)/pytest -n auto --max-worker-restart=0 --cov --cov-report=term-missing:skip-covered $(CORE)
	$(BIN)/pytest $(WORKERS) $(CORE:%=--ignore=%)

# The tests of the rules engine and everything that a settlement uses. The others run separately,
# because measuring their coverage would take minutes.
CORE := tests/core/test_cards.py tests/core/test_journal.py tests/core/test_paytables.py tests/core/test_protocol.py \
	tests/core/test_settings.py tests/games/test_conformance.py $(wildcard tests/games/*/test_round.py) \
	tests/tables/test_table.py tests/cli/test_cli.py \
	tests/terminal/test_terminal.py tests/test_other_games.py

coverage: .venv/ready ## the same tests, with the coverage of the whole package (slower)
	$(BIN)/pytest $(WORKERS) --cov=pitboss --cov-branch --cov-config=/dev/null \
		--cov-report=term-missing:skip-covered

check: page ## check format, lint, types and imports only
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python frontend/build.py check

format: .venv/ready ## format the code: Python with ruff, the page with prettier
	$(BIN)/ruff format
	$(BIN)/python frontend/build.py format

long: .venv/ready ## the long tests, such as 100,000 deals against the simple second implementation
	$(BIN)/pytest $(WORKERS) -m long

mutants: .venv/ready ## mutation testing of the settlement code
	$(BIN)/mutmut run
	$(BIN)/mutmut results

bench: .venv/ready ## the benchmarks
	$(BIN)/python bench/core.py
	$(BIN)/python bench/analysis.py
	$(BIN)/python -m bench.solver
	$(BIN)/python -m bench.simulator
	$(BIN)/python -m bench.server
	$(BIN)/python -m bench.commits
	$(BIN)/python -m bench.floods
	$(BIN)/python -m bench.page
	$(UV) pip install --quiet --python $(BIN)/python --target .tools/compared jax flax envpool
	$(BIN)/python -m bench.envs --compare .tools/compared

docs: .venv/ready ## update the generated parts of the docs: command output, references, modules
	$(BIN)/python -m tools.console
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.endpoints
	$(BIN)/python -m tools.modules

site: .venv/ready ## build the docs site into site/
	$(BIN)/zensical build --clean --strict

page: .venv/ready ## build the page that the server delivers, if it has changed
	$(BIN)/python frontend/build.py

advisories: .venv/ready ## look for known vulnerabilities in all dependencies (pip-audit, npm audit)
	$(UV) tool run pip-audit --strict --disable-pip --requirement requirements.lock
	$(BIN)/python -m tools.advisories

types: .venv/ready ## update the schema of the API and its TypeScript types
	$(BIN)/python -m tools.typescript

lock: $(UV) ## resolve the versions again, as available on the date in pyproject.toml
	$(UV) export --quiet --all-groups --extra kernels --extra report --extra cluster --extra server --extra envs \
		--no-emit-project --no-header -o requirements.lock

clean: ## remove everything that was installed or generated
	rm -rf .venv .tools uv.lock mutants dist site .cache frontend/node_modules tests/browser/node_modules tests/browser/.chromium src/pitboss/page .coverage* .hypothesis .*_cache

.venv/ready: requirements.lock pyproject.toml $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
	$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv
