"""What a search found: its result, and its trees as Python objects.

`result` is what callers get; `tree_reader` reads a search's arrays, and nothing here
changes them.
"""
