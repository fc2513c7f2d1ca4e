# Each target sets up what it needs: plain Python >= 3.11 and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifneq ($(wildcard ../shared),)
export FACTORY_TESTDATA ?= $(abspath ../shared)
endif
DEMO_TOPIC := $(shell sed -n 's/^topic = "\(.*\)"$$/\1/p' cassettes/demo/run.toml)

.PHONY: setup dev demo demo-live test hunt check types lint bench wheel clean

setup: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("factory needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

dev: $(VENV)/.dev

$(VENV)/.dev: $(VENV)/.installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

demo: setup
	$(BIN)/factory new-event "$(DEMO_TOPIC)" --replay demo --yes
	$(BIN)/factory report demo --public

# The demo's topic through the live path, against invented platforms on loopback and a mock model server, or the
# endpoint of DEMO_LIVE_BASE_URL (with DEMO_LIVE_MODEL, and DEMO_LIVE_KEY_ENV naming the variable of the key).
demo-live: dev
	$(BIN)/python -m tests.outside_world.live

test: dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# Property tests on examples that nobody has tried yet; what one finds becomes a case of its own.
hunt: dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m hypothesis --hypothesis-profile hunt

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: dev
	$(BIN)/mypy

check: lint types test

wheel: dev
	$(BIN)/python -m pytest -m wheel

bench: dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist *.egg-info
