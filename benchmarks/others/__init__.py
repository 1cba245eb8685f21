"""Third-party environments, and what happens when agents plan in them.

`cases` lists them, `episodes` plays each kind by one loop, `digest` tells whether
anything in an environment changed, and `conformance` puts these together.
"""
