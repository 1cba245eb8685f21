# Everything that needs a set-up makes it: a virtual environment in .venv.
PYTHON ?= python3
VENV ?= .venv
RUN = $(VENV)/bin
# What the tests are installed with. With the extras rl, which may be gigabytes, and
# openspiel those of learning and of OpenSpiel run too: make test EXTRAS=test,rl,openspiel
EXTRAS ?= test
PACKAGES ?=
INSTALLED = $(VENV)/installed-$(EXTRAS)

.PHONY: demo test test-bounds lint bench docs clean

demo: $(VENV)/plain
	$(RUN)/python examples/demo.py

test: $(INSTALLED)
	$(RUN)/python -m pytest -n auto --dist worksteal

# The same tests with bounds checking in compiled code, in a cache of their own: on a
# warm cache the setting checks nothing.
test-bounds: $(INSTALLED)
	cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && \
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$cache" $(RUN)/python -m pytest -n auto --dist worksteal

lint: $(INSTALLED)
	$(RUN)/python -m pip install --quiet ruff
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

bench: $(INSTALLED)
	$(RUN)/python -m pip install --quiet --editable '.[dev]'
	$(RUN)/python benchmarks/openspiel_ratio.py

# The documentation site, in docs/_build/html; warnings are errors. With the rl extra the
# tutorial on stable-baselines3 is run too: make docs DOCS=docs,rl
DOCS ?= docs
docs: $(VENV)/plain
	$(RUN)/python -m pip install --quiet --editable '.[$(DOCS)]' $(PACKAGES)
	$(RUN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The core alone: extras and what only the tests need are large.
$(VENV)/plain: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --editable .
	touch $@

# Most of what the extras bring is never imported, so pip need not make byte code of it.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --no-compile --editable '.[$(EXTRAS)]' $(PACKAGES)
	touch $@

clean:
	rm -rf $(VENV) build docs/_build *.egg-info
