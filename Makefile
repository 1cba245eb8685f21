# Everything that needs a set-up makes it: a virtual environment in .venv.
PYTHON ?= python3
VENV ?= .venv
RUN = $(VENV)/bin

.PHONY: demo test test-bounds lint bench clean

demo: $(VENV)/plain
	$(RUN)/python examples/demo.py

test: $(VENV)/installed
	$(RUN)/python -m pytest -n auto

# The same tests with bounds checking in compiled code, in a cache of their own: on a
# warm cache the setting checks nothing.
test-bounds: $(VENV)/installed
	cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && \
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$cache" $(RUN)/python -m pytest -n auto

lint: $(VENV)/installed
	$(RUN)/python -m pip install --quiet ruff
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

bench: $(VENV)/installed
	$(RUN)/python -m pip install --quiet --editable '.[dev]'
	$(RUN)/python benchmarks/openspiel_ratio.py

# Without what only the tests need, which is large.
$(VENV)/plain: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
