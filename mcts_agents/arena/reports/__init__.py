"""Results as pages, pictures and tables.

Nothing is counted here; the figures come from `analysis`.
"""
