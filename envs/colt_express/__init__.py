"""Colt Express: rules and the replay of recorded games; no environment yet."""
