"""Results to look at or to hand on: pages, pictures and tables.

Nothing is counted here; the figures come from `analysis`.
"""

from mcts_agents.extras import from_extra

# Matplotlib, which takes long to load, is imported by what draws with it.
with from_extra("arena", "reports need Jinja"):
    import jinja2  # noqa: F401
