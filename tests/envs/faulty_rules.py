"""Rules with a fault put in on purpose, to test what `verify_file` finds."""

from dataclasses import replace

from mcts_agents.envs import load_game
from mcts_agents.recorded import verify_file
from tests.golden import golden_folder


class Faulty:
    """Rules with a fault; also the models of such rules.

    The faults are functions of a state's view, by what they are called after: "apply",
    every play, or "reset", every opening. That of "results" is one of the results.
    """

    def __init__(self, sound, faults):
        self._sound, self._faults = sound, faults

    def __getattr__(self, name):
        return getattr(self._sound, name)

    def model(self, **variant):
        return Faulty(self._sound.model(**variant), self._faults)

    def reset(self, rng):
        state = self._sound.reset(rng)
        self._faults.get("reset", no_fault)(self._sound.view(state))
        return state

    def results(self, state):
        results = self._sound.results(state)
        self._faults.get("results", no_fault)(results)
        return results

    def apply(self, state, joint_action, rng):
        self._sound.apply(state, joint_action, rng)
        self._faults.get("apply", no_fault)(self._sound.view(state))


def no_fault(view):
    """The control: the rules stay as they are."""


def mismatches(name, fault, file=None, after="apply"):
    """Count the recorded games of TAG in which a fault in a game's rules is found."""
    return report_of(name, fault, file, after).mismatches


def report_of(name, fault, file=None, after="apply"):
    """What `verify_file` says of a fault in a game's rules.

    The fault is a function that changes the view of the state after every play,
    or after every "reset", or the "results". The file is that of the game's name unless
    another one is named.
    """
    game = load_game(name)
    path = golden_folder("tag") / f"{file or name}.jsonl.gz"
    rules = Faulty(game.rules, {after: fault})
    return verify_file(replace(game, rules=rules), path)
