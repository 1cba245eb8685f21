"""Searches whose every visit, value and random number is recorded.

A change of the search that should change no decision changes none of these; a repair
says beforehand which ones must change. Each configuration makes two or three decisions
of one player in one game, the others playing at random, so that what is kept from one
decision to the next (trees, move averages) takes part. Only the public interface is
used: `Search.run` with a generator of the caller's.

    python -m tests.search.golden_searches          # compare
    python -m tests.search.golden_searches --write  # record anew
"""

import argparse
import functools
import importlib
import json
from pathlib import Path

import numpy as np

from mcts_agents.model import draw_below, new_generator
from mcts_agents.names import parse_spec
from mcts_agents.search import Search, SearchSettings

RECORDED = Path(__file__).with_name("golden_searches.json")


class Remainders:
    """An evaluator in whole numbers, alike on every machine."""

    def __call__(self, observations, players, legal):
        seen = np.asarray(observations).reshape(len(players), -1).astype(np.int64)
        places = np.arange(1, seen.shape[1] + 1)
        digest = (seen * places * places).sum(axis=1) + 31 * players
        width = self.players
        values = (digest[:, None] * np.arange(3, 3 + width)) % 97 / 97.0
        logits = (digest[:, None] * np.arange(5, 5 + legal.shape[1])) % 13 / 4.0
        return values, logits

    def for_model(self, model):
        self.players = model.players
        return self

    def __repr__(self):
        return "Remainders()"


EVALUATED = {"evaluator": Remainders(), "tree_policy": "alphago"}
MANY = {"simulations": 3000}
SAMPLED = {"loop": "sampled", "rollout": 10}
DOTS = "dots_and_boxes:width=3,height=2"
SUSHI = "sushi_go:players=3"
LETTER = "love_letter:players=3"
CHECKERS = "chinese_checkers:players=3"
DIAMANT = "diamant:players=3"
FREE = "pommerman"
TEAM = "pommerman:mode=team"

# Name: (game, settings). The default is 200 simulations.
CASES = {
    # One tree in turn: what never changes but by intent.
    "tictactoe": ("tictactoe", {}),
    "tictactoe plain": ("tictactoe", {"solver": False}),
    "tictactoe ucb_tuned": ("tictactoe", {"tree_policy": "ucb_tuned"}),
    "tictactoe alphago": ("tictactoe", {"tree_policy": "alphago"}),
    "tictactoe epsilon_greedy": ("tictactoe", {"tree_policy": "epsilon_greedy"}),
    "tictactoe uniform": ("tictactoe", {"tree_policy": "uniform"}),
    "tictactoe exp3": ("tictactoe", {"tree_policy": "exp3"}),
    "tictactoe exp3_boltzmann": ("tictactoe", {"tree_policy": "exp3_boltzmann"}),
    "tictactoe regret_matching": ("tictactoe", {"tree_policy": "regret_matching"}),
    "tictactoe closed": ("tictactoe", {"loop": "closed"}),
    "tictactoe graph": ("tictactoe", {"graph": True}),
    "tictactoe max_mc": (
        "tictactoe",
        {"backup": "max_mc", "backup_threshold": 10},
    ),
    "tictactoe evaluator": ("tictactoe", EVALUATED),
    "tictactoe threads": ("tictactoe", {"threads": 2}),
    "hex": ("hex:size=7", {}),
    "hex plain": ("hex:size=7", {"solver": False}),
    "hex paranoid": ("hex:size=5", {"paranoid": True}),
    "hex paranoid plain": ("hex:size=5", {"paranoid": True, "solver": False}),
    "hex first play": ("hex:size=5", {"first_play_urgency": 0.5}),
    "hex not normalised": ("hex:size=5", {"normalise": False}),
    "hex not normalised first play": (
        "hex:size=5",
        {"normalise": False, "first_play_urgency": 0.5},
    ),
    "hex reuse": ("hex:size=4", {"reuse_tree": True, **MANY}),
    "hex mast": ("hex:size=5", {"rollout_policy": "mast"}),
    "hex two trees": ("hex:size=5", {"tree": "multi"}),
    "hex threads mast": ("hex:size=5", {"rollout_policy": "mast", "threads": 2}),
    "hex evaluator": ("hex:size=5", {**EVALUATED, "batch": 16}),
    "hex evaluator noise": (
        "hex:size=5",
        {**EVALUATED, "root_noise": 0.25, "virtual_loss": 3},
    ),
    "hex evaluator closed": ("hex:size=5", {**EVALUATED, "loop": "closed"}),
    "hex calls": ("hex:size=7", {"forward_model_calls": 5000}),
    # Scores.
    "dots": (DOTS, {}),
    "dots score": (DOTS, {"value": "score"}),
    "dots leader": (DOTS, {"value": "leader"}),
    "dots evaluate": (DOTS, {"value": "evaluate", "rollout": 5}),
    "dots paranoid": (DOTS, {"paranoid": True}),
    "dots self": (DOTS, {"tree": "self"}),
    "dots heuristic": (DOTS, {"action_heuristic": "game", "progressive_bias": 1.0}),
    "dots widening": (DOTS, {"action_heuristic": "game", "widening": 0.7}),
    "dots pucb": (
        DOTS,
        {
            "action_heuristic": "game",
            "prior_temperature": 0.5,
            "tree_policy": "alphago",
            "first_play_urgency": 0.3,
        },
    ),
    "dots initial visits": (DOTS, {"action_heuristic": "game", "initial_visits": 3}),
    "dots mast heuristic": (
        DOTS,
        {"action_heuristic": "mast", "progressive_bias": 1.0, "initial_visits": 2},
    ),
    "dots abstraction own": (DOTS, {"abstraction": "own"}),
    "dots abstraction all": (DOTS, {"abstraction": "all", "paranoid": True}),
    "dots lambda": (DOTS, {"backup": "lambda"}),
    "dots max_lambda": (DOTS, {"backup": "max_lambda", "backup_lambda": 0.5}),
    "dots scripted": (DOTS, {"rollout_policy": "greedy", "rollout": 10}),
    "dots regret graph": (DOTS, {"graph": True, "tree_policy": "regret_matching"}),
    "checkers": (CHECKERS, {"rollout": 30}),
    "checkers multi": (CHECKERS, {"rollout": 10, "tree": "multi"}),
    "checkers paranoid": (CHECKERS, {"rollout": 10, "paranoid": True}),
    # Several at once, chance, hidden cards.
    "sushi": (SUSHI, {}),
    "sushi multi": (SUSHI, {"tree": "multi"}),
    "sushi multi paranoid": (SUSHI, {"tree": "multi", "paranoid": True}),
    "sushi observers": (SUSHI, {"tree": "observers"}),
    "sushi self": (SUSHI, {"tree": "self"}),
    "sushi self paranoid mast": (
        SUSHI,
        {"tree": "self", "paranoid": True, "rollout_policy": "mast"},
    ),
    "sushi pair": (SUSHI, {"tree": "pair"}),
    "sushi perfect": (SUSHI, {"information": "perfect"}),
    "sushi reuse": ("sushi_go:players=2", {"reuse_tree": True, **MANY}),
    "sushi multi reuse": (SUSHI, {"tree": "multi", "reuse_tree": True}),
    "sushi forest": (SUSHI, {"determinizations": 5}),
    "sushi vote": (SUSHI, {"determinizations": 5, "combine": "vote", "threads": 2}),
    "sushi serialised": (SUSHI, {"simultaneous": "serialised"}),
    "sushi mast": (SUSHI, {"rollout_policy": "mast", "tree": "multi", "rollout": 20}),
    "sushi sampled": (SUSHI, SAMPLED),
    "sushi evaluator": (SUSHI, {**EVALUATED, "value": "win"}),
    "letter": (LETTER, {}),
    "letter multi": (LETTER, {"tree": "multi"}),
    "letter separate": (LETTER, {"tree": "multi", "opponent_information": "separate"}),
    "letter observers": (LETTER, {"tree": "observers", "tree_policy": "exp3"}),
    "letter regret": (LETTER, {"tree_policy": "regret_matching", "tree": "multi"}),
    "letter round": (LETTER, {"rollout": 5, "rollout_end": "round"}),
    "diamant": (DIAMANT, {}),
    "diamant exp3": (DIAMANT, {"tree_policy": "exp3", "tree": "multi"}),
    "diamant turn": (DIAMANT, {"rollout": 4, "rollout_end": "turn", "tree": "multi"}),
    "pommerman self": (FREE, {"tree": "self"}),
    "pommerman pair": (FREE, {"tree": "pair"}),
    "pommerman pair paper": (
        FREE,
        {"tree": "pair", "paranoid": True, "simultaneous": "serialised", **SAMPLED},
    ),
    "pommerman sampled": (FREE, {"tree": "self", **SAMPLED}),
    "pommerman evaluator": (FREE, {**EVALUATED, "tree": "self", "value": "win"}),
    "pommerman team": (TEAM, {"tree": "self"}),
    "pommerman team one": (TEAM, {}),
}
SIMULATIONS = 200
DECISIONS = 3


@functools.cache
def environment_of(spec):
    """Return a parallel environment of a variant such as `hex:size=7`."""
    name, options = parse_spec(spec)
    module = importlib.import_module(f"mcts_agents.envs.{name}")
    return module.parallel_env(**options)


def record(case):
    """Return what the searches of a case do: a list of decisions, ready for JSON."""
    spec, settings = CASES[case]
    settings = {"simulations": SIMULATIONS, **settings}
    env = environment_of(spec)
    observations, _ = env.reset(seed=7)
    player = env.possible_agents[0]
    game = env.unwrapped
    search = Search(game.forward_model, SearchSettings(**settings))
    rng, others = new_generator(3), new_generator(4)
    decisions = []
    while len(decisions) < DECISIONS and player in env.agents:
        actions = {}
        for agent in env.agents:
            legal = np.flatnonzero(observations[agent]["action_mask"])
            if len(legal) > 0:
                actions[agent] = int(legal[draw_below(others, len(legal))])
        if player in actions:
            history = game.history(player) if settings.get("reuse_tree") else None
            state, number = game.planning_state(player, rng)
            found = search.run(state, number, rng, history=history)
            if found.simulations > 0:
                decisions.append(shown(found, rng))
            actions[player] = found.action
        observations = env.step(actions)[0]
    assert decisions
    return decisions


def shown(found, rng):
    """Return one decision in words and numbers that JSON keeps exactly."""
    return {
        "action": found.action,
        "actions": found.actions.tolist(),
        "visits": found.visits.tolist(),
        "values": [value.hex() for value in found.values.tolist()],
        "strategy": None
        if found.strategy is None
        else [share.hex() for share in found.strategy.tolist()],
        "simulations": found.simulations,
        "forward_model_calls": found.forward_model_calls,
        "nodes": found.nodes,
        "depth": found.depth,
        "solved": found.solved,
        "reused": found.reused,
        "generator": [int(word) for word in rng],
    }


def recorded():
    """Return what was recorded, by case."""
    return json.loads(RECORDED.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    before = recorded() if RECORDED.exists() else {}
    after = {**before}
    for case in arguments.cases or CASES:
        after[case] = record(case)
        if after[case] != before.get(case):
            print(f"{case}: {'changed' if case in before else 'new'}", flush=True)
    if arguments.write:
        lines = [f"{json.dumps(n)}: {json.dumps(after[n])}" for n in CASES]
        RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
