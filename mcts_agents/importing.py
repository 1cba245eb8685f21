"""Imports PettingZoo before anything else does, wherever the process stands.

PettingZoo asks for the working folder when it is imported, and that may have been
deleted. The command line says so in one line, and a program that needs no folder goes
on.
"""

import os

try:
    os.getcwd()
except FileNotFoundError:
    gone = os.open(".", os.O_RDONLY)
    os.chdir("/")
    import pettingzoo  # noqa: F401

    os.fchdir(gone)
    os.close(gone)
