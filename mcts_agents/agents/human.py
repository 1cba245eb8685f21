"""`HumanAgent`: a person at a terminal."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.agents.agent import Agent
from mcts_agents.model import ForwardModel
from mcts_agents.model.copying.face_kinds import face_of, player_with_masks

HELP = "Type a move, ? for the legal moves, q to quit."
UNDO, HINT = "undo", "hint"


class PersonLeft(Exception):
    """The person at the terminal has left; the message says how."""


class TakenBackError(Exception):
    """The person at the terminal takes the last move back."""


class HumanAgent(Agent):
    """Shows the position as its player may see it and asks for a move.

    Args:
        show: `(model, state, player) -> str`, the position for the terminal. In an
            environment of somebody else model and state are None, here and below.
        format_action: `(model, action) -> str`.
        parse_action: `(model, text) -> int`, ValueError for what is no move.
        ask: Reads one line after printing a prompt; EOFError at the end of input.
        tell: Prints one text.
        hint: Returns what an agent would play, as a text; None: nobody gives hints.
        undo: Says whether a move can be taken back, which `TakenBackError` asks for;
            None: none can.
    """

    def __init__(
        self,
        show: Callable[[ForwardModel, np.ndarray, int], str],
        format_action: Callable[[ForwardModel, int], str],
        parse_action: Callable[[ForwardModel, str], int],
        ask: Callable[[str], str],
        tell: Callable[[str], None],
        hint: Callable[[], str] | None = None,
        undo: Callable[[], bool] | None = None,
    ):
        self._show = show
        self._format = format_action
        self._parse = parse_action
        self._ask = ask
        self._tell = tell
        self._hint, self._undo = hint, undo
        self._welcomed = False
        super().__init__()

    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Ask until a legal move is typed.

        Raises:
            PersonLeft: The person quits, or the input ends.
            TakenBackError: The person takes a move back.
        """
        legal = model.legal_actions(state, player).tolist()
        return self._chosen(model, state, player, legal)

    def act(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> int:
        """Return the action; third-party environments are only observed."""
        if hasattr(getattr(env, "unwrapped", env), "planning_state"):
            return super().act(env, agent, action_mask=action_mask)
        face = face_of(env)
        player = player_with_masks(face, agent, action_mask)
        return self._chosen(None, None, player, face.legal_actions(player))

    def _chosen(self, model: Any, state: Any, player: int, legal: list[int]) -> int:
        self._tell(self._show(model, state, player))
        if not self._welcomed:
            self._tell(f"{HELP}{self._words()}")
            self._welcomed = True
        while True:
            try:
                typed = self._ask(f"player_{player}> ").strip()
            except EOFError:
                raise PersonLeft("game left: the input ended") from None
            if typed in ("q", "quit"):
                raise PersonLeft("game left")
            if self._helped(model, typed, legal):
                continue
            try:
                action = self._parse(model, typed)
            except ValueError as error:
                self._tell(f"{error}. {HELP}")
                continue
            if action in legal:
                return action
            self._tell(f"{typed} is not legal now. {HELP}")

    def _helped(self, model: Any, typed: str, legal: list[int]) -> bool:
        """Do what is typed if it is no move but a word; return whether it is one."""
        if typed in ("?", "help", ""):
            moves = "  ".join(self._format(model, action) for action in legal)
            self._tell(f"{HELP}{self._words()}\nLegal: {moves}")
        elif typed == HINT and self._hint is not None:
            self._tell(self._hint())
        elif typed == UNDO and self._undo is not None:
            if self._undo():
                raise TakenBackError
            self._tell("There is no move of yours to take back.")
        else:
            return False
        return True

    def _words(self) -> str:
        words = ["hint shows what a search would play"] * (self._hint is not None)
        words += ["undo takes your last move back"] * (self._undo is not None)
        return f" {'; '.join(words).capitalize()}." if words else ""
