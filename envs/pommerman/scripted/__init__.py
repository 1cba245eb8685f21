"""Scripted agents of Pommerman, compiled, deciding on the record of a state.

Each has a record of what it remembers (`memory`), `begin(memory, rng)`, which makes it
that of a new game, and `act(game, state, player, memory, rng)`, which returns a move,
0 to 5, of a living player and changes the memory. A move is an action of variants
without messages; with messages the action is `move << game.message_bits | words`.
"""
