"""Trained policies: their kinds, their files, and as evaluators of searches.

`kinds` tells functions, perceptrons, torch modules and those of stable-baselines3
apart; nothing in a file is executed unless the caller says so (`files`).
"""
