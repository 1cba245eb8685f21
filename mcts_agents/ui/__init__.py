"""The page on which people play against agents and look into their searches.

A server of this machine (`server.py`) and plain HTML, CSS, JavaScript and SVG
(`static/`). Every game at a table lives in a thread of its own (`worker.py`), which is
the only one that touches its environment, its agents and its searches.
"""
