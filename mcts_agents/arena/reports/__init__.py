"""Results to look at or to hand on: pages, pictures and tables.

Nothing is counted here; the figures come from `analysis`.
"""
