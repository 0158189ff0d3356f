# The entry point to everything. Requires only Python 3.11 or newer with venv: Java and Node are installed as Python packages.

PYTHON ?= python3
WAREHOUSE ?= demo-warehouse
MONTHS ?= 12
FRESH ?=
ARGS ?=
LAB_ARGS ?=
PIP_FLAGS ?= --quiet --disable-pip-version-check

VENV := .venv
RUN := $(VENV)/bin/python
# Node and the compilers of the front end.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.DEFAULT_GOAL := help
# pip compiles on one processor only, and never editable packages; some environments prevent Python from compiling later.
comma := ,
define install
	$(RUN) -m pip install $(PIP_FLAGS) --no-compile --editable '.[$(1)]'
	@$(RUN) -m compileall -q -j 0 $(VENV)/lib workbench
endef

# Concurrent installations corrupt the environment.
.NOTPARALLEL:
.PHONY: help lab demo test test-long interop official stores catalogs first-picture binder bench bench-spark lint lint-python lint-front-end test-front-end format front-end clean

help: ## Show this list of targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: ## Open JupyterLab with the quickstart and the demo (LAB_ARGS="--port 8899" is passed to it)
	@$(PYTHON) extension/tools/make_lab.py --make "$(MAKE)" --warehouse "$(WAREHOUSE)" -- $(LAB_ARGS)

demo: $(VENV)/.demo ## Build a warehouse from real data with Spark and show it (WAREHOUSE=path, MONTHS=1..12, FRESH=1)
	$(RUN) -m workbench.demo "$(WAREHOUSE)" --months $(MONTHS) $(if $(FRESH),--fresh)

# Tests run in the order of their folders: slow files first, so that small ones fill the remaining time of each process.
# The checks of Python and of the front end each use one processor most of the time, so they run at the same time.
test: $(VENV)/.test ## Check the code and run all tests except the long ones (ARGS="…" is passed to pytest)
	@$(MAKE) --no-print-directory lint-python & python=$$!; \
	$(MAKE) --no-print-directory lint-front-end front-end test-front-end; front_end=$$?; \
	wait $$python && exit $$front_end
	extension/tools/chromium.sh
	$(RUN) -m pytest -m "not long" -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

test-long: $(VENV)/.test front-end ## Run the long tests except those with a target, and record the result in docs/generated/long-tests.md
	$(RUN) -m tests.record_long_run $(ARGS)

interop: $(VENV)/.test ## Exchange tables with every other Paimon implementation and record the result in docs/generated/interop.md (ARGS="-k java-2.0.0")
	$(RUN) -m tests.record_interop $(ARGS)

official: $(VENV)/.test ## Run statements and compare the answers with those recorded from Paimon's Spark connector (ARGS="-k ddl")
	$(RUN) -m pytest -m long tests/spark/test_official_answers.py $(ARGS)

stores: $(VENV)/.test $(VENV)/.stores ## Run all tests of object stores and HDFS and record the result in docs/generated/stores.md (ARGS="-k S3")
	$(RUN) -m tests.record_servers stores $(ARGS)

catalogs: $(VENV)/.test ## Run all tests of Hive, JDBC and REST catalogs and record the result in docs/generated/catalogs.md (ARGS="-k mariadb")
	$(RUN) -m tests.record_servers catalogs $(ARGS)

first-picture: $(VENV)/.test ## Measure the time to JupyterLab's first picture, from the wheel in an empty environment and from a clone
	$(RUN) -m tests.first_picture wheel $(ARGS)
	$(RUN) -m tests.first_picture lab $(ARGS)

binder: $(VENV)/.test ## Perform Binder's steps in an empty environment, and check the result in a browser
	$(RUN) -m tests.first_picture binder $(ARGS)

bench: $(VENV)/.test ## Run the benchmarks
	$(RUN) -m tests.benchmarks $(ARGS)

bench-spark: $(VENV)/.test ## Compare Spark jobs on tables with plain Parquet files
	$(RUN) -m tests.bench_spark $(ARGS)

lint: lint-python lint-front-end ## Check style, format, spelling and types, and that both sides of the server agree

lint-python: $(VENV)/.test
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m codespell_lib workbench extension/src extension/test extension/tools tests notebooks docs README.md Makefile pyproject.toml
	$(RUN) -m mypy
	$(RUN) -m workbench.server.typescript --check
	$(RUN) extension/tools/binder_badge.py --check

lint-front-end: $(VENV)/.test
	$(RUN) extension/tools/front_end.py lint:check

test-front-end: $(VENV)/.test
	$(RUN) extension/tools/front_end.py test

format: $(VENV)/.test ## Fix style and format of the code
	$(RUN) extension/tools/binder_badge.py
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .
	$(RUN) extension/tools/front_end.py lint

front-end: $(VENV)/.lab ## Build the front end if its sources have changed
	@$(RUN) extension/tools/front_end.py

clean: ## Remove the environment, caches, build output and the demo (./demo-warehouse and ./paimon-demo only)
	rm -rf $(VENV) .cache .peers .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist demo-warehouse paimon-demo
	rm -rf extension/node_modules extension/.yarn extension/lib extension/built.json workbench/labextension workbench/notebook/static
	find workbench tests notebooks extension/tools -name __pycache__ -type d -prune -exec rm -rf {} +

# pip exists only if the environment was created completely; otherwise the next run recreates it.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is required: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/pip
	$(call install,demo)
	@touch $@

$(VENV)/.lab: pyproject.toml | $(VENV)/bin/pip
	$(call install,lab$(comma)build)
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/pip
	$(call install,test)
	@touch $(VENV)/.demo $(VENV)/.lab $@

$(VENV)/.stores: pyproject.toml | $(VENV)/bin/pip
	$(call install,test$(comma)hdfs)
	@touch $@
