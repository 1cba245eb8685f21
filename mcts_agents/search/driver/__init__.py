"""The Python side that drives the compiled iteration.

`search` begins at a root, runs slices until a budget is spent and asks for the result;
the other files are its memory, its callbacks, and searches of several trees.
"""
