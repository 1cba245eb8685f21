"""Trained policies: their kinds, their files, and as evaluators of searches."""
