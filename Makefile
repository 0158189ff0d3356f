# Everything starts here. Needs Python 3.11 or newer with venv, and nothing else: Java comes as a Python package.

PYTHON ?= python3
WAREHOUSE ?= demo-warehouse
MONTHS ?= 12
FRESH ?=
ARGS ?=

VENV := .venv
RUN := $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo test test-long bench lint format clean

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## Build a warehouse from real data with Spark and show it (WAREHOUSE=path, MONTHS=1..12, FRESH=1)
	$(RUN) -m workbench.demo "$(WAREHOUSE)" --months $(MONTHS) $(if $(FRESH),--fresh)

test: lint ## Check the code and run all tests but the long ones (ARGS="…" goes to pytest)
	$(RUN) -m pytest -m "not long" $(ARGS)

test-long: $(VENV)/.test ## Run the long tests and note their result in docs/long-tests.md
	$(RUN) tests/record_long_run.py $(ARGS)

bench: $(VENV)/.test ## Run the benchmarks
	$(RUN) -m tests.benchmarks $(ARGS)

lint: $(VENV)/.test ## Check style, format and types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(VENV)/.test ## Put the code into its format
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

clean: ## Remove the environment, caches and the demo warehouse (./demo-warehouse only)
	rm -rf $(VENV) .cache .peers .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist demo-warehouse
	find workbench tests notebooks -name __pycache__ -type d -prune -exec rm -rf {} +

# pip is there only where the environment was made whole: without it, the next run makes it again.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/pip
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[demo]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/pip
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $(VENV)/.demo $@
