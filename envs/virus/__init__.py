"""Virus!: collect four healthy organs before the others do (work in progress)."""
