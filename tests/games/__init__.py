"""Compiled rules of small games whose exact solutions stand in `tests.exact`."""
