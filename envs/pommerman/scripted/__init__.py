"""Scripted agents of Pommerman, compiled, deciding on the record of a state.

Each module has a record of what its agent remembers (`MEMORY`), `begin(memory, rng)`,
which makes it that of a new game, and `act(game, state, player, memory, rng)`, which
returns a move, 0 to 5, and changes the memory. A move is the action of a variant
without messages; with messages the action is `move << game.message_bits | words`.
"""
