"""What searches make of priors with few simulations: Gumbel against PUCT.

Random decisions of 16 actions, each of which pays a random number. An evaluator's
priors know something of it, and its value of the root is what they earn. The table
shows how much more than that the moves of each search earn, on the average.

    python benchmarks/few_simulations.py [--decisions 60] [--seeds 20]
"""

import argparse

import numpy as np

from mcts_agents.model import Rules, Spec, new_generator
from mcts_agents.search import Search, SearchSettings

ACTIONS = 16
# How much of what an action pays is in its prior, beside noise.
KNOWN = 0.7
SEARCHES = {
    "Gumbel": {"root_policy": "gumbel", "tree_policy": "gumbel"},
    "PUCT": {"tree_policy": "alphago"},
    "PUCT with noise": {
        "tree_policy": "alphago",
        "root_noise": 0.25,
        "root_noise_alpha": 0.3,
    },
}

rules = Rules(
    "choice",
    state=np.dtype([("over", np.int8), ("taken", np.int8)]),
    game=np.dtype([("paid", np.float64, ACTIONS)]),
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@rules.variant
def variant(game, *, players=1, paid=(0.0,) * ACTIONS):
    """One decision, in which each action pays a number."""
    game["paid"] = paid
    return Spec(players=players, actions=ACTIONS)


@rules.define
def reset(game, state, rng):
    """Nothing is taken."""
    state.over = state.taken = 0


@rules.define
def movers(game, state):
    """The player, until it has decided."""
    return 1 - state.over


@rules.define
def legal_actions(game, state, player, out):
    """All."""
    for action in range(ACTIONS):
        out[action] = action
    return ACTIONS


@rules.define
def apply(game, state, joint_action, rng):
    """The game is over."""
    state.taken = joint_action[0]
    state.over = 1


@rules.define
def scores(game, state, out):
    """What was paid."""
    out[0] = game.paid[state.taken] if state.over else 0.0


@rules.define
def results(game, state, out):
    """Nobody loses."""
    out[0] = state.over


class Priors:
    """An evaluator of one decision."""

    def __init__(self, logits, paid):
        self.logits = logits
        weights = np.exp(logits - logits.max())
        self.worth = float(weights @ paid / weights.sum())

    def observe(self, model, states, players):
        """Show nothing of the states."""
        return states

    def __call__(self, observations, players, legal):
        """Return what the priors earn, and them."""
        rows = len(players)
        return np.full((rows, 1), self.worth), np.tile(self.logits, (rows, 1))


def earned(paid, evaluator, seeds, **options):
    """Return the mean payment of a search's moves, by seeds."""
    model = rules.model(paid=tuple(paid))
    search = Search(model, SearchSettings(evaluator=evaluator, batch=1, **options))
    total = 0.0
    for seed in range(seeds):
        rng = new_generator(seed)
        total += paid[search.run(model.reset(rng), 0, rng).action]
    return total / seeds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--decisions", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=20)
    chosen = parser.parse_args()
    print(f"| simulations | {' | '.join(SEARCHES)} | best action |")
    print("|---" * (len(SEARCHES) + 2) + "|")
    for simulations in (2, 4, 8, 16):
        random = np.random.default_rng(simulations)
        gains = []
        for _ in range(chosen.decisions):
            paid = random.normal(size=ACTIONS)
            logits = KNOWN * paid + random.normal(size=ACTIONS)
            evaluator = Priors(logits, paid)
            found = [
                earned(
                    paid, evaluator, chosen.seeds, simulations=simulations, **options
                )
                for options in SEARCHES.values()
            ]
            gains.append(np.array([*found, paid.max()]) - evaluator.worth)
        cells = " | ".join(f"{gain:.2f}" for gain in np.mean(gains, axis=0))
        print(f"| {simulations} | {cells} |")


if __name__ == "__main__":
    main()
