"""A stored game, replayed move by move with the searches of its agents."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.replay import wording
from mcts_agents.arena.replay.replaying import Moment, Move, Replay, SearchView
from mcts_agents.model.compile_progress import watched_by
from mcts_agents.ui import messages
from mcts_agents.ui.audience import Listener
from mcts_agents.ui.pictures import data_url, one_thread
from mcts_agents.ui.search_views import finite
from mcts_agents.ui.worker import Task

# Actions of a search in a message.
MOST_ACTIONS = 40
# Moments that are kept, with their pictures; a longer game is refused.
MOST_MOMENTS = 2000


class ReplaySession(Task):
    """A stored game; agents plan again as far as somebody has looked.

    Args:
        record: The game.
    """

    def __init__(self, record: GameRecord):
        super().__init__()
        self.record = record
        self._replay: Replay | None = None
        self._coming: Iterator[Moment] | None = None
        self._moments: list[dict[str, Any]] = []
        self._complete = False
        self._last = 0
        self._wanted: dict[Listener, int] = {}

    def prepare(self) -> None:
        """See `Task.prepare`."""
        with watched_by(self._tell_compiling):
            self._last = self._counted()
            self._replay = Replay(self.record, pictures=True)
            self._coming = self._replay.moments()
            self._next()

    def _counted(self) -> int:
        """Return the number of the last moment, for which no agent plans."""
        last = sum(1 for _ in Replay(self.record, search=False).moments()) - 1
        if last >= MOST_MOMENTS:
            raise ValueError(
                f"this game has {last:,} moves; the page shows up to "
                f"{MOST_MOMENTS - 1:,}. Use mcts-agents replay"
            )
        return last

    def _tell_compiling(self, shown: str, done: int, functions: int) -> None:
        told = {"doing": f"Compiling {shown}", "done": done, "functions": functions}
        for listener in self.listeners:
            listener.tell("preparing", {"kind": "preparing", **told})

    def join(self, listener: Listener) -> None:
        """See `Task.join`."""
        listener.admitted = True
        self._show(listener, 0)

    def handle(self, command: Any, listener: Listener) -> None:
        """See `Task.handle`."""
        if not isinstance(command, messages.Go):
            raise ValueError(f"{command.do}: this is a stored game")
        self._show(listener, command.moment)

    @property
    def delay(self) -> float | None:
        """See `Task.delay`: there is work while somebody waits for a later moment."""
        return 0.0 if self.listeners and self._wanted else None

    def work(self) -> None:
        """See `Task.work`: replay one moment."""
        reached = self._next()
        for listener, moment in list(self._wanted.items()):
            if listener not in self.listeners:
                del self._wanted[listener]
            elif moment < len(self._moments) or not reached:
                self._show(listener, min(moment, len(self._moments) - 1))

    def left(self) -> None:
        """See `Task.left`."""
        self._wanted = {}

    def _show(self, listener: Listener, moment: int) -> None:
        if moment >= len(self._moments) and not self._complete:
            self._wanted[listener] = moment
            told = {"kind": "preparing", "doing": f"Replaying to move {moment}"}
            listener.tell("preparing", told)
            return
        self._wanted.pop(listener, None)
        number = min(moment, len(self._moments) - 1)
        listener.tell("moment", self._moments[number])

    def _next(self) -> bool:
        """Replay one moment more; return whether there was one."""
        if self._complete or self._coming is None or self._replay is None:
            return False
        moment = next(self._coming, None)
        if moment is None:
            self._complete = True
            return False
        with one_thread:
            picture = np.ascontiguousarray(self._replay.picture())
        has_points = self._replay.model.has_points
        self._moments.append(
            {
                "kind": "moment",
                "number": moment.number,
                "title": wording.title(self._replay),
                "game": self._replay.game.title,
                "last": self._last,
                "over": moment.over,
                "picture": data_url(picture),
                "width": picture.shape[1],
                "height": picture.shape[0],
                "text": moment.position,
                "moves": [_move(move) for move in moment.moves],
                "seats": [
                    {"agent": seat.agent, "outcome": seat.outcome(has_points)}
                    for seat in self.record.seats
                ],
            }
        )
        return True


def _move(move: Move) -> dict[str, Any]:
    search = None if move.search is None else _search(move.search, move.action)
    return {
        "player": move.player,
        "agent": move.agent,
        "name": move.name,
        "changed": wording.changed(move),
        "search": search,
    }


def _search(view: SearchView, played: int) -> dict[str, Any]:
    return {
        "searched": view.searched,
        "effort": wording.effort(view),
        "actions": [
            {
                **asdict(seen),
                "value": finite(seen.value),
                "played": seen.action == played,
            }
            for seen in view.top(MOST_ACTIONS, played)
        ],
        "variation": [
            {"player": player, "name": name}
            for player, name in view.principal_variation
        ],
    }
