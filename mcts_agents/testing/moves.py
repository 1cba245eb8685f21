"""Checks of `move_code`, `playout_moves` and `playout_sets`: moves and their codes."""

import numpy as np

from mcts_agents.model import ForwardModel, new_generator
from mcts_agents.model.contract import MOVE_CODES
from mcts_agents.testing.calls import Calls, Position
from mcts_agents.testing.report import Report

# Playouts of each kind that are played again, move by move.
PLAYOUTS = 20
LONGEST = 10_000


def check_codes(
    model: ForwardModel, calls: Calls, report: Report, position: Position
) -> None:
    """Check that codes are numbers from 0, and exact ones tell moves apart."""
    if not model.has("move_code"):
        return
    for player, actions in position.legal.items():
        for kind in model.move_codes:
            codes = _codes(calls, position.state, player, actions, kind)
            if min(codes) < 0:
                calls.place.fail(
                    "move_code",
                    f"returned {min(codes)} for kind={kind!r}, player {player}",
                    "Return a code from 0",
                )
            if kind == MOVE_CODES[0] and len(set(codes)) < len(codes):
                calls.place.fail(
                    "move_code",
                    f"gave two legal actions of player {player} one exact code",
                    "Give every legal action an exact code of its own",
                )
    report.checked["move_code tells moves apart"] += 1


def _codes(
    calls: Calls, state: np.ndarray, player: int, actions: np.ndarray, kind: str
) -> list[int]:
    number = MOVE_CODES.index(kind)
    return [
        calls.number("move_code", state, player, action, number)
        if calls.model.has("move_code")
        else action
        for action in actions.tolist()
    ]


def check_recorded_playouts(
    model: ForwardModel, calls: Calls, report: Report, seed: int
) -> None:
    """Check that recorded moves are legal, in order, complete, and lead to the end.

    Only of a game that brings its own `playout_moves`: the library's needs no check.
    """
    if not model.has("playout_moves"):
        report.skip("playout_moves", "the library writes it for these rules")
        return
    place = calls.place
    place.episode = place.move = 0
    rng = new_generator(np.random.SeedSequence([seed, 3]))
    for number in range(PLAYOUTS):
        opening = calls.reset(new_generator(np.random.SeedSequence([seed, number])))
        limit = (0, model.players, LONGEST)[min(number, 2)]
        for kind in model.move_codes:
            after, moves = calls.playout_moves(
                opening, rng, limit, MOVE_CODES.index(kind)
            )
            if not len(moves) and after.tobytes() != opening.tobytes():
                place.fail(
                    "playout_moves",
                    "returned 0 but changed the state",
                    "Write a record of every move",
                )
            deciding = len(model.movers(after))
            if deciding and len(moves) + deciding <= limit:
                place.fail(
                    "playout_moves",
                    f"stopped after {len(moves)} of {limit} moves in an unfinished "
                    "game",
                    "Play on to the end of the game or the limit",
                )
            if kind == MOVE_CODES[0] and not model.chance:
                _play_again(model, calls, opening, after, moves)
    report.checked["playout_moves records what it plays"] += 1


def check_sets_of_actions(
    model: ForwardModel, calls: Calls, report: Report, seed: int
) -> None:
    """Check that playouts that record sets of actions end, and count what they play."""
    if not model.has("playout_sets"):
        report.skip("playout_sets", "the rules have no such function")
        return
    place = calls.place
    place.episode = place.move = 0
    rng = new_generator(np.random.SeedSequence([seed, 4]))
    for number in range(PLAYOUTS):
        opening = calls.reset(new_generator(np.random.SeedSequence([seed, number])))
        limit = (0, model.players, LONGEST)[min(number, 2)]
        after, played, actions = calls.playout_sets(opening, rng, limit)
        for player, found in enumerate(actions):
            if found and max(found) >= model.actions:
                place.fail(
                    "playout_sets",
                    f"added {max(found)} to the actions of player {player}",
                    f"Actions go from 0 to {model.actions - 1} (Spec.actions)",
                )
        if sum(map(len, actions)) > played:
            place.fail(
                "playout_sets",
                f"returned {played} with more actions in its sets",
                "Return the number of moves that were made",
            )
        deciding = len(model.movers(after))
        if deciding and played + deciding <= limit:
            place.fail(
                "playout_sets",
                f"stopped after {played} of {limit} moves in an unfinished game",
                "Play on to the end of the game or the limit",
            )
    report.checked["playout_sets counts what it plays"] += 1


def _play_again(
    model: ForwardModel,
    calls: Calls,
    state: np.ndarray,
    after: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Play recorded moves, whose exact codes stand for one legal action each."""
    at, rng = 0, new_generator(0)
    while at < len(moves):
        movers = model.movers(state)
        joint = np.full(model.players, -1, np.int32)
        rows = moves[at : at + len(movers)]
        if rows["player"].tolist() != list(movers):
            calls.place.fail(
                "playout_moves",
                f"recorded players {rows['player'].tolist()} where {list(movers)} move",
                "Write one record for each mover of a joint action, players "
                "ascending, and none after the move that ends the game",
            )
        for player, code in rows.tolist():
            actions = model.legal_actions(state, player)
            codes = _codes(calls, state, player, actions, MOVE_CODES[0])
            if code not in codes:
                calls.place.fail(
                    "playout_moves",
                    f"recorded the code {code} for player {player}, which none of its "
                    "legal actions has",
                    "Take the code in the state in which the move is made",
                )
            joint[player] = actions[codes.index(code)]
        state = calls.applied(state, joint, rng)
        at += len(movers)
    if state.tobytes() != after.tobytes():
        calls.place.fail(
            "playout_moves",
            "leaves another state than its recorded moves lead to",
            "Play what is recorded, to the move that ends the game and no further",
        )
