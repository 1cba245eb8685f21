"""The compiled search by permutation statistics. It reads and writes plain arrays.

`descent` is one iteration; the other files are what it does on the way.
"""
