"""The compiled minimax searches: two-sided ones in one file, max-n in another.

Both walk the game tree depth first over a stack of frames instead of by recursion, so
that they can stop after any node and go on later.
"""
