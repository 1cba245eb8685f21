"""A table with people and agents: turns, hints, pauses, and what pages are told."""

import time
import traceback
from concurrent.futures import CancelledError
from typing import Any

from mcts_agents.agents import Agent
from mcts_agents.arena.playing.tables import ChoiceError
from mcts_agents.model.compile_progress import watched_by
from mcts_agents.search import Search
from mcts_agents.ui import messages
from mcts_agents.ui.audience import Listener
from mcts_agents.ui.live_search import LiveSearch
from mcts_agents.ui.play import PlayedGame, Setup, open_game
from mcts_agents.ui.search_views import (
    comparison,
    node_message,
    search_message,
    variation_of,
    variation_on_board,
)
from mcts_agents.ui.views import position_message, viewer_of
from mcts_agents.ui.worker import Task, refusal
from mcts_agents.ui.worlds import worlds_message

# Pages get so many messages about a search in a second, at most.
MOST_TOLD_A_SECOND = 6.0
# Of the processor time of a search, what telling may take.
MOST_TELLING = 0.04
# Processor time of a search after which pages are told in any case.
MOST_UNTOLD_SECONDS = 0.5


class PlaySession(Task):
    """A game that people and agents play.

    Args:
        setup: What it begins with.
    """

    def __init__(self, setup: Setup):
        super().__init__()
        self.setup = setup
        self.game: PlayedGame | None = None
        # The search that goes on, if one does, and whether it is a hint.
        self._live: LiveSearch | None = None
        self._is_hint = False
        self._paused = False
        self._steps = 0  # simulations that are made in spite of a pause
        # The search that is shown when none goes on.
        self._shown: LiveSearch | None = None
        self._hinted: int | None = None
        self._kept: dict[tuple[int, int], Search] = {}
        self._names: dict[int, str] = {}
        self._line: tuple[Any, list[dict[str, Any] | None]] | None = None
        self._told_at = 0.0
        # Processor time of this thread since it told of the search, and what that took.
        self._searched_from, self._telling_takes = 0.0, 0.0
        self._moved_at = -1e9
        self._compiling: dict[str, Any] = {"kind": "preparing", "doing": "Starting"}

    # -- beginning

    def prepare(self) -> None:
        """See `Task.prepare`: open the table, and compile what is not compiled yet."""
        with watched_by(self._tell_compiling):
            game = open_game(self.setup, self._tell_preparing)
            try:
                game.table.turn()  # which creates the environment
            except BaseException:
                game.close()
                raise
            self.game = game  # now others see it
        for listener in list(self.listeners):
            if not listener.admitted:
                listener.tell("ready", {"kind": "ready"})

    @property
    def played(self) -> PlayedGame:
        """The game, once it is ready."""
        if self.game is None:
            raise RuntimeError("the game is not ready yet")
        return self.game

    def _tell_preparing(self, doing: str) -> None:
        self._prepare_message({"doing": doing})

    def _tell_compiling(self, shown: str, done: int, functions: int) -> None:
        told = {"doing": f"Compiling {shown}", "done": done, "functions": functions}
        self._prepare_message(told)

    def _prepare_message(self, told: dict[str, Any]) -> None:
        self._compiling = {"kind": "preparing", **told}
        for listener in self.listeners:
            listener.tell("preparing", self._compiling)

    def join(self, listener: Listener) -> None:
        """See `Task.join`."""
        listener.viewer = viewer_of(self.played, listener.seat)
        listener.admitted = True
        listener.tell("position", position_message(self.played, listener.viewer))
        self._tell_search(listener)

    # -- work

    @property
    def delay(self) -> float | None:
        """See `Task.delay`."""
        if self.game is None or not self.listeners:
            return None
        if self._live is not None:
            return None if self._paused and not self._steps else 0.0
        if self._paused:
            return None
        try:
            if self._agent_to_move() is None:
                return None
        except Exception:  # of the environment; `work` runs into it and says so
            return 0.0
        return max(0.0, self._moved_at + self.setup.pace - time.perf_counter())

    def _agent_to_move(self) -> Agent | None:
        turn = self.played.table.turn()
        return None if turn is None else self.played.agents[turn]

    def work(self) -> None:
        """See `Task.work`: begin an agent's decision, or search on for a slice."""
        live = self._live
        player = None if live is None else live.player
        try:
            if live is None:
                player = self.played.table.turn()
                self._begin(self._agent_to_move(), is_hint=False)
            else:
                self._search_on(live)
        except CancelledError:
            self._drop_search()
        except (Exception, SystemExit) as error:
            self._break_off(error, player, is_hint=live is not None and self._is_hint)

    def _break_off(
        self, error: BaseException, player: int | None, *, is_hint: bool = False
    ) -> None:
        """Pause the game where an agent or an environment has failed, and say so.

        What somebody else's code does wrong ends a move, or a hint, not the server.

        Args:
            error: What was raised. Its text may tell what is hidden from others, such
                as the legal actions.
            player: Who was to decide; None where the environment failed to say.
            is_hint: Whether a hint failed, without which the game goes on.
        """
        illegal = isinstance(error, ChoiceError)
        failed = f"failed ({type(error).__name__})"
        if not illegal:
            traceback.print_exception(error)
        if is_hint:
            told = f"the hint for player_{player} {failed}"
        elif player is None:
            told = f"the environment {failed}"
        elif illegal:
            told = f"player_{player}'s agent chose an illegal action"
        else:
            told = f"player_{player}'s move {failed}"
        # What failed is not shown: an illegal action may have no name.
        self._live = self._shown = None
        if not is_hint:
            self._paused = True
            told += "; the game is paused"
        for listener in self.listeners:
            if listener.admitted:
                sees = self._may_be_told(player, listener)
                reason = f"{told}: {error}" if sees else told
                listener.tell("refused", refusal(reason))
        self._tell_search()

    def _may_be_told(self, player: int | None, listener: Listener) -> bool:
        try:
            return self.played.may_watch(player, listener.viewer)
        except Exception:  # of the code that has failed
            return False

    def _begin(self, agent: Agent | None, *, is_hint: bool) -> None:
        table, number = self.played.table, len(self.played.moves)
        player = table.turn()
        if agent is None or player is None:
            raise ValueError("No agent is to move.")
        self._live = LiveSearch(agent, table, player, number, self._kept)
        self._is_hint, self._hinted = is_hint, None
        self._shown = self._live
        self._tell_search()

    def _search_on(self, live: LiveSearch) -> None:
        live.advance(self._steps or None)
        self._steps = 0
        if live.cancelled or not self.listeners:  # an early end is nobody's move
            self._drop_search()
            return
        if live.done:
            self._end_search(live)
        elif self._due() or self._paused:
            began = time.thread_time()
            live.look()
            self._tell_search()
            self._searched_from = time.thread_time()
            self._telling_takes = self._searched_from - began

    def _drop_search(self) -> None:
        """Forget a search that ended early; a page that has come since may show it."""
        self.left()
        self._tell_search()

    def _due(self) -> bool:
        """Say whether to tell pages how far the search is.

        On a busy machine, or with hundreds of actions, that would take too much of the
        time in which this thread runs.
        """
        searched = time.thread_time() - self._searched_from
        # Where telling once took long, code was loaded: that is tried again.
        needed = min(self._telling_takes / MOST_TELLING, MOST_UNTOLD_SECONDS)
        seldom = searched >= needed
        return (
            seldom and self._told_at + 1.0 / MOST_TOLD_A_SECOND <= time.perf_counter()
        )

    def _end_search(self, live: LiveSearch) -> None:
        is_hint = self._is_hint
        action = live.finish()
        self._live = None
        legal = action in self.played.table.legal_actions()
        if legal:  # others may have no name
            self._hinted = action if is_hint else None
            self._tell_search()
        elif is_hint:
            raise ChoiceError(f"{action} is not legal")
        if not is_hint:
            self._move(action)

    def _move(self, action: int) -> None:
        self.played.play(action)
        self._moved_at = time.perf_counter()
        self._tell_position()

    def left(self) -> None:
        """See `Task.left`: nobody looks any more, so nothing is searched."""
        self._live = None
        if self._shown is not None and self._shown.result is None:
            self._shown = None  # there is nothing of it to show

    def interrupt(self) -> None:
        """See `Task.interrupt`: a decision that is made in one go ends early."""
        live = self._live
        if live is not None:
            live.cancel()

    def close(self) -> None:
        """See `Task.close`."""
        if self.game is not None:
            self.game.close()

    # -- commands

    def handle(self, command: Any, listener: Listener) -> None:
        """See `Task.handle`."""
        match command:
            case messages.Play():
                self._play(command, listener)
            case messages.Step():
                self._check_hint(listener)
                self._step(command.simulations)
            case messages.Node():
                self._tell_node(command, listener)
            case messages.Compare():
                self._tell_comparison(command, listener)
            case messages.Worlds():
                self._tell_worlds(command, listener)
            case messages.Simple():
                self._do(command.do, listener)
            case messages.Bound():
                self._check_number(command.number)
                self._do(command.do, listener)
            case _:
                raise ValueError(f"{command.do}: this is not a stored game")

    def _play(self, command: messages.Play, listener: Listener) -> None:
        self._check_number(command.number)
        self._check_asked(listener)
        self.left()  # a hint that goes on is not wanted any more
        turn = self.played.table.turn()
        try:
            self._move(command.action)
        except ChoiceError:  # nothing has happened
            self._tell_search()
            raise
        except (Exception, SystemExit) as error:  # of the environment
            self._break_off(error, turn)
        self._tell_search()

    def _check_number(self, number: int) -> None:
        """Refuse what a page wants in a position that has passed meanwhile."""
        if number != len(self.played.moves):
            raise ValueError("The position has changed in the meantime.")

    def _check_hint(self, listener: Listener) -> None:
        """Refuse a page that would end or pause the hint of another seat."""
        live = self._live
        if live is None or not self._is_hint:
            return
        if listener.viewer not in (None, live.player):
            raise ValueError(f"This hint is for player_{live.player}, not for you.")

    def _check_asked(self, listener: Listener) -> None:
        """Refuse a page that does not sit where the next decision is made."""
        turn = self.played.table.turn()
        if turn is None:
            raise ValueError("The game is over.")
        if turn not in self.played.people:
            raise ValueError(f"It is the turn of player_{turn}, which is an agent.")
        if listener.viewer not in (None, turn):
            raise ValueError(f"player_{turn} is to move, not you.")

    def _do(self, word: str, listener: Listener) -> None:
        if word not in ("undo", "hint"):
            self._check_hint(listener)
        if word == "undo":
            self._check_undo(listener)
            self._live = self._shown = self._hinted = None
            try:
                self.played.undo()
            except Exception:  # a part of the game was played again
                self._paused = True
                self._tell_position()
                self._tell_search()
                raise
            self._paused = self._paused or not self.played.people
            self._tell_position()
        elif word == "hint":
            self._check_asked(listener)
            self._paused = False
            self._begin(self.played.adviser, is_hint=True)
        elif word == "finish":
            self._finish()
        else:
            self._paused = word == "pause"
            self._steps = 0
        self._tell_search()

    def _check_undo(self, listener: Listener) -> None:
        """Refuse a page that would take back the decision of another person."""
        number = self.played.taken_back
        if number is not None and not self.played.may_undo(listener.viewer):
            player, _ = self.played.moves[number]
            raise ValueError(f"Only player_{player} may take back this move.")

    def _finish(self) -> None:
        if self._live is None:
            raise ValueError("No search is going on.")
        if not self._live.steps:
            raise ValueError(f"It cannot be cut short: {self._live.why_whole}.")
        if not self._live.simulations:
            self._live.advance(1)
        live, is_hint = self._live, self._is_hint
        try:
            self._end_search(live)
        except Exception as error:
            self._break_off(error, live.player, is_hint=is_hint)

    def _step(self, simulations: int) -> None:
        if self._live is None:
            agent = self._agent_to_move()
            if agent is None:
                raise ValueError("No search is going on. Ask for a hint first.")
            self._begin(agent, is_hint=False)
            live = self._live
            if live is not None and not live.steps:
                self._drop_search()  # it begins when the game goes on
                raise ValueError(f"It cannot be stepped: {live.why_whole}.")
        if self._live is not None and not self._live.steps:
            raise ValueError(f"It cannot be stepped: {self._live.why_whole}.")
        self._paused, self._steps = True, simulations

    # -- what pages are told

    def _name(self, action: int) -> str:
        if action not in self._names:
            self._names[action] = self.played.table.name(action)
        return self._names[action]

    def _watched(self, listener: Listener) -> LiveSearch:
        """Return the search that is shown, if this page may see it.

        Raises:
            ValueError: There is none.
        """
        live = self._shown
        if live is None or not self.played.may_watch(live.player, listener.viewer):
            raise ValueError("There is no search to look into.")
        return live

    def _tell_node(self, command: messages.Node, listener: Listener) -> None:
        live = self._watched(listener)
        path = [step.model_dump() for step in command.path]
        node = node_message(live.root(command.player), path, self._name)
        where = {"kind": "node", "id": live.id, "player": command.player, "path": path}
        listener.tell(f"node {command.player} {path}", {**where, **node})

    def _tell_comparison(self, command: messages.Compare, listener: Listener) -> None:
        live = self._watched(listener)
        both = command.first, command.second
        live.look()
        told = comparison(live, both, self.played.table.model, self._name)
        listener.tell("comparison", {"kind": "comparison", **told})

    def _tell_worlds(self, command: messages.Worlds, listener: Listener) -> None:
        live = self._watched(listener)
        several = command.first, command.count
        told = worlds_message(live, self.played.table, *several)
        listener.tell("worlds", {"kind": "worlds", "id": live.id, **told})

    def _tell_position(self) -> None:
        told: dict[int | None, dict[str, Any]] = {}
        for listener in self.listeners:
            if listener.admitted:
                viewer = listener.viewer
                if viewer not in told:
                    told[viewer] = position_message(self.played, viewer)
                listener.tell("position", told[viewer])

    def _tell_search(self, only: Listener | None = None) -> None:
        """Tell pages how the search is, or what little of it they may know."""
        self._told_at = time.perf_counter()
        told: dict[int | None, dict[str, Any]] = {}
        for listener in [only] if only is not None else self.listeners:
            if listener.admitted:
                viewer = listener.viewer
                if viewer not in told:
                    told[viewer] = self._search_told(viewer)
                listener.tell("search", told[viewer])

    def _on_board(
        self, live: LiveSearch, line: list[dict[str, Any]], viewer: int | None
    ) -> list[dict[str, Any] | None]:
        """Return `variation_on_board`, kept as long as the line is the same."""
        key = live, viewer, [step["action"] for step in line]
        if self._line is None or self._line[0] != key:
            self._line = key, variation_on_board(live, self.played.table, viewer)
        return self._line[1]

    def _search_told(self, viewer: int | None) -> dict[str, Any]:
        live = self._shown
        status = {
            "kind": "search",
            "going": self._live is not None,
            "paused": self._paused,
            "hint": self._is_hint,
            "hinted": None,
        }
        if live is None:
            return {**status, "search": None, "secret": False}
        if not self.played.may_watch(live.player, viewer):
            return {**status, "search": None, "secret": True, "player": live.player}
        board_for = viewer if self.played.keeps_secrets else None
        told = search_message(live, self._name)
        try:
            told["variation"] = variation_of(live, self._name)
            told["on_board"] = self._on_board(live, told["variation"], board_for)
        except RuntimeError:  # the agent has gone on to another decision
            told["variation"], told["on_board"] = [], []
        agent = self.setup.adviser if self._is_hint else self.setup.seats[live.player]
        return {
            **status,
            "hinted": self._hinted,
            "secret": False,
            "agent": agent if isinstance(agent, str) else agent["agent"],
            "search": told,
        }
