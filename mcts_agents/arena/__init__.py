"""Matches and tournaments between agents, and what they show."""
