"""Dominion: rules and the replay of recorded games; no environment yet."""
