"""The options of a search: their declarations, and which go together.

`settings` is the one list of them; `applicability` says what each needs to have an
effect, and what a game cannot serve.
"""
