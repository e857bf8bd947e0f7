# The one list of commands: people, pre-commit and CI all run these.
# Needs GNU make and Python 3.11 or newer; uses uv where it is installed, else venv and pip.

PYTHON   ?= python3
SESSIONS ?= data/sessions
UV       := $(shell command -v uv 2>/dev/null)

VENV  := .venv
BIN   := $(VENV)/bin
CORE  := $(VENV)/.installed-core
ALL   := $(VENV)/.installed-all
PINS  := pyproject.toml constraints.txt
USERS := $(wildcard tests/user_calls.py)

# What the tools would keep in the home folder stays in the project.
export IPYTHONDIR              := $(CURDIR)/$(VENV)/home/ipython
export JUPYTER_CONFIG_DIR      := $(CURDIR)/$(VENV)/home/jupyter-config
export JUPYTER_DATA_DIR        := $(CURDIR)/$(VENV)/home/jupyter-data
export JUPYTER_RUNTIME_DIR     := $(CURDIR)/$(VENV)/home/jupyter-runtime
export JUPYTERLAB_SETTINGS_DIR := $(CURDIR)/$(VENV)/home/lab-settings
export JUPYTERLAB_WORKSPACES_DIR := $(CURDIR)/$(VENV)/home/lab-workspaces
export MPLCONFIGDIR            := $(CURDIR)/$(VENV)/home/matplotlib

ifneq ($(UV),)
INSTALL := VIRTUAL_ENV= $(UV) pip install --quiet --python $(BIN)/python
else
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help tune test check pytest bench lab data format constraints clean distclean

help:  ## print this list
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

tune: $(CORE)  ## show what each refresh interval costs on data/sessions (or SESSIONS=path)
	@$(BIN)/timectx tune $(SESSIONS)

test: check pytest  ## run every check and every test, as CI does

check: $(ALL)  ## run formatter, linter, types, import layers and docstring rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict timectx $(USERS)
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.house.docstrings

pytest: $(ALL)  ## run the tests alone
	$(BIN)/python -m pytest

bench: $(ALL)  ## measure loading, replay and import, and print the ratios
	$(BIN)/python -m pytest tests/benchmarks -m bench -p no:randomly -s

lab: $(ALL)  ## open JupyterLab in this folder
	$(BIN)/jupyter lab

data: $(CORE)  ## make data/sessions again, byte for byte the same
	$(BIN)/python data/make_sessions.py

format: $(ALL)  ## rewrite the sources the way `make check` wants them
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

constraints:  ## pin the newest releases again, tzdata excepted (needs uv)
	@test -n "$(UV)" || { echo "make constraints needs uv on the PATH"; exit 2; }
	grep '^tzdata==' constraints.txt > constraints.new
	{ grep '^#' constraints.txt; $(UV) pip compile pyproject.toml --quiet --all-extras --universal --fork-strategy fewest \
	  --python-version 3.11 --no-header --no-annotate --no-emit-package timectx --constraint constraints.new; } > constraints.tmp
	mv constraints.tmp constraints.txt
	rm constraints.new

clean:  ## remove caches and build results
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
	find timectx tests data -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## remove the virtual environment as well
	rm -rf $(VENV)

# The virtual environment. Stamps make the second run quick; a change of pins makes it install again.

$(CORE): $(PINS) | $(BIN)/python
	@echo "installing timectx into $(VENV) ..."
	@$(INSTALL) --constraint constraints.txt --editable '.[fast]'
	@touch $@

$(ALL): $(PINS) | $(BIN)/python
	@echo "installing timectx and its tools into $(VENV) ..."
	@mkdir -p $(VENV)/home
	@$(INSTALL) --constraint constraints.txt --editable '.[all]'
	@touch $(CORE) $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "timectx needs Python 3.11 or newer, and '$(PYTHON)' is not; name one with: make PYTHON=/path/to/python3.11 ..."; exit 2; }
ifneq ($(UV),)
	@VIRTUAL_ENV= $(UV) venv --quiet --seed --allow-existing --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
else
	@if $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null; then \
	  $(PYTHON) -m venv $(VENV); \
	elif $(PYTHON) -c 'import pip, sys, venv; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 3))' 2>/dev/null; then \
	  $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip || { rm -rf $(VENV); exit 2; }; \
	else \
	  echo "'$(PYTHON)' can make no virtual environment (no ensurepip, no recent pip); on Debian: apt-get install python3-venv"; exit 2; \
	fi
endif
