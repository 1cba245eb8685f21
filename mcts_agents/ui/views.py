"""A position as a message: the picture, what can be clicked, what was played.

Everything here takes a viewer. What a viewer may not see is never put into a message,
so it cannot be found in what the page receives.
"""

from typing import Any

from mcts_agents.agents.saving import spec_text
from mcts_agents.arena.playing.fixtures import outcome_text
from mcts_agents.arena.playing.tables import RulesTable
from mcts_agents.envs.regions import to_json
from mcts_agents.model import RESULT_NAMES
from mcts_agents.ui.live_search import reason_against_steps
from mcts_agents.ui.pictures import picture_of, regions_of
from mcts_agents.ui.play import PERSON, PlayedGame

# Of the list of moves.
MOST_LOG = 400


class SecretError(ValueError):
    """A page asks for a view that would show hidden information."""


def viewer_of(game: PlayedGame, seat: int | None) -> int | None:
    """Return whose view a page gets that sits in a seat, or in none.

    Raises:
        SecretError: The seat is no person's, or it is not said, where it matters.
    """
    people = game.people
    if seat is not None and seat not in people:
        raise SecretError(f"player_{seat} is not a person's seat in this game")
    if not people:
        return None
    if seat is None:
        if len(people) == 1:
            return people[0]
        if game.keeps_secrets:
            seats = ", ".join(f"player_{person}" for person in people)
            raise SecretError(
                f"this game hides information, and several people play: choose {seats}"
            )
        return None
    return seat


def position_message(game: PlayedGame, viewer: int | None) -> dict[str, Any]:
    """Return what a viewer may know of the present position.

    Args:
        game: The game.
        viewer: The player who looks; None: a spectator, or several people who play a
            game that hides nothing.
    """
    table = game.table
    turn = table.turn()
    hides = game.keeps_secrets
    seen_as = viewer if hides else None
    picture, width, height = picture_of(table, seen_as)
    shows_moves = not hides or turn == viewer
    asked = turn in game.people and (viewer is None or turn == viewer)
    shown = turn is not None and shows_moves
    legal = table.legal_actions() if shown else []
    return {
        "kind": "position",
        "number": len(game.moves),
        "title": table.game.title,
        "viewer": viewer,
        "hides": hides,
        "hidden_information": table.hides,
        "turn": turn,
        "asked": asked,
        "seats": [_seat(game, seat) for seat in range(table.model.players)],
        "adviser_why_whole": reason_against_steps(game.adviser, table),
        "picture": picture,
        "width": width,
        "height": height,
        "text": table.text(seen_as),
        "regions": _regions(game, turn, seen_as) if shows_moves else [],
        "actions": [{"action": int(a), "name": table.name(a)} for a in legal],
        "log": _log(game, viewer),
        "can_undo": game.may_undo(viewer),
        "outcome": _outcome(game) if turn is None else None,
    }


def _seat(game: PlayedGame, seat: int) -> dict[str, Any]:
    spec, agent = game.setup.seats[seat], game.agents[seat]
    return {
        "person": spec == PERSON,
        "agent": "" if spec == PERSON else spec_text(spec),
        "why_whole": "" if agent is None else reason_against_steps(agent, game.table),
        "team": game.table.model.teams[seat],
    }


def _regions(
    game: PlayedGame, player: int | None, seen_as: int | None
) -> list[dict[str, Any]]:
    table, found = game.table, regions_of(game.table)
    if player is None or found is None:
        return []
    return to_json(found(table.model, table.state(), seen_as, player))


def _log(game: PlayedGame, viewer: int | None) -> list[dict[str, Any]]:
    """Return the moves that a viewer has seen; the name of a hidden one is None.

    Choices that others have not been told yet, because several players decide at once,
    are left out.
    """
    table, first = game.table, max(0, len(game.moves) - MOST_LOG)
    seen = _seen(game, viewer)
    rows = []
    for number, (player, action) in enumerate(game.moves):
        if number < len(seen):
            known = seen[number]
        else:  # of the present moment
            known = not game.people or player == viewer
            if not known:
                continue
        name = table.name(action) if known else None
        rows.append({"number": number + 1, "player": player, "name": name})
    return rows[-MOST_LOG:] if first else rows


def _seen(game: PlayedGame, viewer: int | None) -> list[bool]:
    """Return for each decision that is public by now whether the viewer saw it."""
    table = game.table
    if not isinstance(table, RulesTable):  # of which nobody knows who sees what
        settled = game.moves[: game.settled]
        return [not game.keeps_secrets or player == viewer for player, _ in settled]
    inner = table.env.unwrapped
    observer = inner.possible_agents[0 if viewer is None else viewer]
    everything = viewer is None or not game.keeps_secrets
    return [
        everything or action is not None
        for joint in inner.history(observer).moves
        for action in joint
        if action != -1
    ]


def _outcome(game: PlayedGame) -> list[dict[str, Any]]:
    results, scores = game.table.outcome()
    has_points = game.table.model.has_points
    return [
        {"result": name, "text": outcome_text(name, score, has_points)}
        for name, score in (
            (RESULT_NAMES[int(result)], float(score))
            for result, score in zip(results, scores, strict=True)
        )
    ]
