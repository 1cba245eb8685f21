"""Rules with a fault put in on purpose, to test what `verify_file` finds."""

from dataclasses import replace

from mcts_agents.envs import load_game
from mcts_agents.recorded import verify_file
from tests.golden import golden_folder


class Faulty:
    """Rules whose every play leaves a fault behind; also the models of such rules."""

    def __init__(self, sound, fault):
        self._sound, self._fault = sound, fault

    def __getattr__(self, name):
        return getattr(self._sound, name)

    def model(self, **variant):
        return Faulty(self._sound.model(**variant), self._fault)

    def apply(self, state, joint_action, rng):
        self._sound.apply(state, joint_action, rng)
        self._fault(self._sound.view(state))


def no_fault(view):
    """The control: the rules stay as they are."""


def mismatches(name, fault, file=None):
    """Count the recorded games of TAG in which a fault in a game's rules is found.

    The fault is a function that changes the view of the state after every play. The
    file is that of the game's name unless another one is named.
    """
    game = load_game(name)
    path = golden_folder("tag") / f"{file or name}.jsonl.gz"
    return verify_file(replace(game, rules=Faulty(game.rules, fault)), path).mismatches
