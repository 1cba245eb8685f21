"""Tree policies: how a decision in the tree chooses among its actions.

Each is a plug-in `int64(view, settings, rng)` in a file of its own: `view` is the
address of a DECISION record, `settings` of SETTINGS, `rng` of the search's generator;
it returns the index of the edge to take.
"""
