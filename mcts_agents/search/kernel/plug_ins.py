"""Calling the plug-ins of a running search; see `model/calls.py` for the model's.

A plug-in is a function `int64(view, settings, rng)` of three addresses: of the record
that it sees, of SETTINGS, and of the search's generator.
"""

from numba import njit

from mcts_agents.model.addresses import ROW_BYTES, first_class
from mcts_agents.search.kernel.records import PLUG_IN

_load_plug_in = first_class(PLUG_IN)

# Rows of the table of plug-ins.
TREE_POLICY, LEAF_VALUE, UPDATE, BACKUP, ROOT_POLICY = range(5)


@njit
def tree_policy(search):
    """Return the edge to take, given the DECISION record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * TREE_POLICY)
    return function(search.decision, search.settings, search.rng)


@njit
def root_policy(search):
    """Return the edge to take at the root, given the DECISION record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * ROOT_POLICY)
    return function(search.decision, search.settings, search.rng)


@njit
def leaf_value(search):
    """Write the value of the state, given the LEAF record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * LEAF_VALUE)
    return function(search.leaf, search.settings, search.rng)


@njit
def policy_update(search):
    """Let the tree policy learn from an iteration, given the OUTCOME record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * UPDATE)
    return function(search.outcome, search.settings, search.rng)


@njit
def backup(search):
    """Change the values that are passed up, given the BACKUP record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * BACKUP)
    return function(search.backup, search.settings, search.rng)
