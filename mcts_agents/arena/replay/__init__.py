"""Stored games again, with what each search found: text, GIF, page."""
