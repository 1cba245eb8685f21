"""Figures from games: rates with their intervals, ratings, and who fared how.

All is counted from `game_columns`; `tournament_results` reads them from a store.
"""
