"""How often codes of first moves occur in random games: the numbers of a paper's table.

T. Cazenave, "Monte Carlo Permutation Search" (2025), table 7: for 10,000 random games
from the opening their mean length, the number of first moves, and the share of games in
which a move with the code of a first move is made by the first player, as a mean over
the first moves.
"""

from mcts_agents.model import new_generator

PLAYOUTS = 10_000


def statistics(model, kind, seed):
    """Return the mean length of random games, first moves, and presence of codes."""
    rng = new_generator(seed)
    opening = model.reset(rng)
    (player,) = model.movers(opening)
    actions = model.legal_actions(opening, player).tolist()
    first = [model.move_code(opening, player, action, kind) for action in actions]
    length = present = 0
    for _ in range(PLAYOUTS):
        moves = model.playout_moves(opening.copy(), rng, 5000, kind)
        own = set(moves["code"][moves["player"] == player].tolist())
        length += len(moves)
        present += sum(code in own for code in first)
    return length / PLAYOUTS, len(actions), present / PLAYOUTS / len(first)


def assert_near(found, expected):
    """Check that a number is within 2% or 0.003 of a published one."""
    assert abs(found - expected) <= max(0.02 * expected, 0.003), (found, expected)


def assert_stepped_alike(model, seed, limit):
    """Check that playouts play and record what steps of `random_action` do."""
    generators = [new_generator(seed) for _ in (0, 1, *model.move_codes)]
    stepped, played, *recorded = [model.reset(rng) for rng in generators]
    steps = []
    while len(steps) < limit and not model.is_over(stepped):
        (player,) = model.movers(stepped)
        at = stepped.ctypes.data, player, generators[0].ctypes.data
        action = model.call("random_action", *at)
        codes = [
            model.move_code(stepped, player, action, kind) for kind in model.move_codes
        ]
        steps.append((player, *codes))
        model.apply(stepped, {player: action}, generators[0])
    assert model.playout(played, generators[1], limit) == len(steps)
    for place, kind in enumerate(model.move_codes):
        rng = generators[2 + place]
        moves = model.playout_moves(recorded[place], rng, limit, kind)
        assert moves.tolist() == [(step[0], step[1 + place]) for step in steps]
    for state, rng in zip([played, *recorded], generators[1:], strict=True):
        assert state.tobytes() == stepped.tobytes()
        assert (rng == generators[0]).all()
