# make run: the chat on 127.0.0.1:7860.   make test: everything that CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check index lock bare-test help

help:
	@sed -n '1p' Makefile

$(VENV)/run.stamp: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	touch $@

index: $(VENV)/run.stamp
	$(BIN)/gpu-assistant index

run: index
	$(BIN)/python app.py

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/gpu-assistant sources check

test: check index
	$(BIN)/pytest

# The locks name exact versions of everything; torch is held at the version whose CPU build the README points to.
lock: $(VENV)/dev.stamp
	echo 'torch==2.13.0' > $(VENV)/constraints.txt
	$(BIN)/pip-compile --quiet --strip-extras --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
		--constraint $(VENV)/constraints.txt --output-file requirements.lock pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
		--constraint $(VENV)/constraints.txt --extra dev --output-file requirements-dev.lock pyproject.toml
	sed --in-place 's/^\(torch==[0-9.]*\)+cpu$$/\1/' requirements.lock requirements-dev.lock
