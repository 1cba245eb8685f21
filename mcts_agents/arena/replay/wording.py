"""The wording of replays for the terminal, pictures, pages and JSON."""

from collections.abc import Iterable
from typing import Any

import mcts_agents
from mcts_agents.arena.playing.budgets import setting_label
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.replay.replaying import Moment, Move, Replay, SearchView

ONLY_ONE = "only one action, no search"


def title(replay: Replay) -> str:
    """Name the game: `Hex, game 3 (hex:size=5, 2 players, seed 7)`."""
    record = replay.record
    setting = setting_label(record.setting)
    return f"{replay.game.title}, game {record.number} ({setting}, seed {record.seed})"


def most_visits(view: SearchView) -> int:
    """Return the number of visits for a bar of full length."""
    return max(1, view.actions[0].visits)


def played(move: Move) -> str:
    """Say who played what."""
    return f"player_{move.player} ({move.agent}) plays {move.name}"


def changed(move: Move) -> str:
    """Say what the agent chooses now; empty if it was also played."""
    if move.now is None:
        return ""
    return f"now {'prefers' if move.timed else 'chooses'} {move.now}"


def effort(view: SearchView) -> str:
    """Say how much a search computed."""
    if not view.searched:
        return ONLY_ONE
    told = []
    if view.simulations:
        told.append(f"{view.simulations:,} simulation" + "s" * (view.simulations != 1))
    if view.depth:
        told.append(f"depth {view.depth}")
    told.append(_time(view.seconds))
    if view.solved:
        told.append("solved")
    return ", ".join(told)


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def value(number: float | None) -> str:
    """Write the mean value of an action, a dash if it was never taken."""
    return "-" if number is None else f"{number:.3f}"


def variation(view: SearchView) -> str:
    """Write the principal variation: `0: c3  1: b2`."""
    return "  ".join(f"{player}: {name}" for player, name in view.principal_variation)


def as_object(
    replay: Replay, moments: Iterable[Moment], actions: int
) -> dict[str, Any]:
    """Return a replay as one JSON object.

    Args:
        replay: The replay.
        moments: Its moments, all of them.
        actions: Most actions of a search to list.

    Returns:
        `{"number", "game", "players", "budget", "round", "seed", "version",
        "replayed_by", "seats": [{"agent", "spec", "seed", "result", "win", "rank",
        "score"}], "moments": [{"number", "moves": [{"decision", "player", "agent",
        "action", "name", "now", "search"}], "position"}], "difference"}`. `now` is null
        unless the agent chooses another action now, `search` null without a search:
        else `{"simulations", "nodes", "depth", "seconds", "solved", "actions":
        [{"action", "name", "visits", "share", "value"}], "principal_variation":
        [{"player", "name"}]}`. `difference` is null, or says which choices should have
        been the same and are not.
    """
    told = [
        {
            "number": moment.number,
            "moves": [_move(move, actions) for move in moment.moves],
            "position": moment.position,
        }
        for moment in moments
    ]
    return {
        **_header(replay.record),
        "moments": told,
        "difference": replay.difference_text() or None,
    }


def _header(record: GameRecord) -> dict[str, Any]:
    return {
        "number": record.number,
        "game": record.setting.game,
        "players": record.setting.players,
        "budget": record.setting.budget,
        "round": record.round,
        "seed": record.seed,
        "version": record.version,
        "replayed_by": mcts_agents.__version__,
        "seats": [
            {
                "agent": seat.agent,
                "spec": seat.spec,
                "seed": seat.seed,
                "result": seat.result,
                "win": seat.win,
                "rank": seat.rank,
                "score": seat.score,
            }
            for seat in record.seats
        ],
    }


def _move(move: Move, actions: int) -> dict[str, Any]:
    return {
        "decision": move.decision,
        "player": move.player,
        "agent": move.agent,
        "action": move.action,
        "name": move.name,
        "now": move.now,
        "search": None if move.search is None else _search(move, move.search, actions),
    }


def _search(move: Move, view: SearchView, actions: int) -> dict[str, Any]:
    return {
        "simulations": view.simulations,
        "nodes": view.nodes,
        "depth": view.depth,
        "seconds": view.seconds,
        "solved": view.solved,
        "actions": [vars(seen) for seen in view.top(actions, move.action)],
        "principal_variation": [
            {"player": player, "name": name}
            for player, name in view.principal_variation
        ],
    }
