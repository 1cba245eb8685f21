"""Decisions of self-play a second: what the search costs beside its network.

    taskset -c 1 python benchmarks/self_play.py search    # a network that costs nothing
    taskset -c 1 python benchmarks/self_play.py network   # torch modules of some sizes

`search` plays 256 games side by side with Gumbel's search, 32 and 64 simulations a
decision, and beside it, in turn, DeepMind's mctx (`gumbel_muzero_policy`) on games of
pgx, compiled by JAX for the processor: the same batch, simulations and number of
actions considered at the root, and a network that costs nothing there as well (equal
logits, value 0). Hex of pgx has the swap move, ours has not; all else is alike. Rates
are per second of processor time of this process, so that other processes on the machine
count less; give it one core. It needs `pip install mctx pgx`.

`network` says which share of the time the network takes, and at what share of its own
bare rate (the same batch, nothing else) it is asked.
"""

import argparse
import functools
import os
import time

import numpy as np

from mcts_agents.envs import make_model
from mcts_agents.learn.training import SelfPlay
from mcts_agents.search import SearchSettings

GAMES = 256
CONSIDERED = 16
ROUNDS, SECONDS = 5, 3.0
# Ours, and that of pgx.
PAIRS = (("connect_four", "connect_four"), ("hex:size=11", "hex"))


class Free:
    """An evaluator that takes no time: the same arrays each time."""

    def __init__(self, model):
        self.values = np.full((GAMES, model.players), 0.5)
        self.logits = np.zeros((GAMES, model.actions))

    def __call__(self, observations, players, legal):
        """Return as many rows as are asked for."""
        return self.values[: len(players)], self.logits[: len(players)]


def gumbel(evaluator, simulations):
    """Return the settings that are compared."""
    return SearchSettings(
        evaluator=evaluator,
        simulations=simulations,
        value="win",
        batch=1,
        root_policy="gumbel",
        tree_policy="gumbel",
        gumbel_actions=CONSIDERED,
    )


class Ours:
    """Self-play in steps of some seconds."""

    def __init__(self, name, simulations):
        model = make_model(name)[1]
        settings = gumbel(Free(model), simulations)
        self.play = SelfPlay(model, settings, games=GAMES)
        next(self.play)

    def rate(self):
        """Return decisions a second."""
        begun, began = self.play.figures.decisions, time.process_time()
        while time.process_time() - began < SECONDS:
            next(self.play)
        took = time.process_time() - began
        return (self.play.figures.decisions - begun) / took


class Mctx:
    """The same with mctx and pgx."""

    def __init__(self, name, simulations):
        import jax
        import jax.numpy as jnp
        import mctx
        import pgx

        env = pgx.make(name)
        step, init = jax.vmap(env.step), jax.vmap(env.init)
        least = jnp.finfo(jnp.float32).min

        def logits_of(state):
            return jnp.where(state.legal_action_mask, 0.0, least)

        def recurrent(params, key, action, state):
            player = state.current_player
            state = step(state, action)
            out = mctx.RecurrentFnOutput(
                reward=state.rewards[jnp.arange(GAMES), player],
                discount=jnp.where(state.terminated, 0.0, -1.0),
                prior_logits=logits_of(state),
                value=jnp.zeros(GAMES),
            )
            return out, state

        def move(state, key):
            for_search, for_reset = jax.random.split(key)
            found = mctx.gumbel_muzero_policy(
                params=(),
                rng_key=for_search,
                root=mctx.RootFnOutput(
                    prior_logits=logits_of(state),
                    value=jnp.zeros(GAMES),
                    embedding=state,
                ),
                recurrent_fn=recurrent,
                num_simulations=simulations,
                invalid_actions=~state.legal_action_mask,
                qtransform=functools.partial(mctx.qtransform_completed_by_mix_value),
                max_num_considered_actions=CONSIDERED,
            )
            state = step(state, found.action)
            fresh = init(jax.random.split(for_reset, GAMES))

            def chosen(new, old):
                over = state.terminated.reshape((-1,) + (1,) * (old.ndim - 1))
                return jnp.where(over, new, old)

            return jax.tree.map(chosen, fresh, state), found.action_weights

        self._jax = jax
        self._move = jax.jit(move)
        self._state = jax.jit(init)(jax.random.split(jax.random.key(0), GAMES))
        self._key = jax.random.key(1)
        self.step()

    def step(self):
        """Make one decision in each game."""
        self._key, key = self._jax.random.split(self._key)
        self._state, weights = self._move(self._state, key)
        self._jax.block_until_ready(weights)

    def rate(self):
        """Return decisions a second."""
        began, decisions = time.process_time(), 0
        while time.process_time() - began < SECONDS:
            self.step()
            decisions += GAMES
        return decisions / (time.process_time() - began)


def compare():
    for ours, theirs in PAIRS:
        for simulations in (32, 64):
            players = Ours(ours, simulations), Mctx(theirs, simulations)
            rates = np.array(
                [[player.rate() for player in players] for _ in range(ROUNDS)]
            )
            ratios = rates[:, 0] / rates[:, 1]
            here, there = np.median(rates, axis=0)
            print(
                f"{ours}, {simulations} simulations: {here:,.0f} decisions a second, "
                f"mctx with pgx {there:,.0f}; ratio {np.median(ratios):.2f} "
                f"({ratios.min():.2f} to {ratios.max():.2f})",
                flush=True,
            )


def modules(model):
    """Yield torch modules by name, small to large."""
    import torch
    from torch import nn

    planes, height, width = model.observation_shape
    size = model.observation_size

    class Network(nn.Module):
        def __init__(self, trunk, features):
            super().__init__()
            self.trunk = trunk
            self.value = nn.Linear(features, 1)
            self.policy = nn.Linear(features, model.actions)

        @torch.inference_mode()
        def forward(self, observations, players, legal):
            seen = torch.tensor(observations, dtype=torch.float32)
            hidden = self.trunk(seen)
            own = torch.sigmoid(self.value(hidden)).numpy()
            mine = players[:, None] == np.arange(model.players)
            return np.where(mine, own, 1 - own), self.policy(hidden).numpy()

    def convolutions(channels, layers):
        made = [nn.Conv2d(planes, channels, 3, padding=1), nn.ReLU()]
        for _ in range(layers - 1):
            made += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()]
        return nn.Sequential(*made, nn.Flatten()), channels * height * width

    dense = nn.Sequential(nn.Flatten(), nn.Linear(size, 128), nn.ReLU())
    yield "1 dense layer of 128", Network(dense, 128)
    for channels, layers in ((16, 2), (32, 4), (64, 8)):
        name = f"{layers} convolutions of {channels} channels"
        yield name, Network(*convolutions(channels, layers))


class Limited:
    """A network that is called no more once some seconds are over."""

    def __init__(self, network):
        self.network = network
        self.over = False
        self.end = time.perf_counter() + 3 * SECONDS

    def __call__(self, observations, players, legal):
        """Ask the network."""
        if time.perf_counter() > self.end:
            raise TimeoutError
        return self.network(observations, players, legal)


def bare_rate(network, model):
    """Return rows a second of the network alone, batches of as many as games."""
    observations = np.zeros((GAMES, *model.observation_shape), np.int8)
    players, legal = np.zeros(GAMES, np.int64), np.ones((GAMES, model.actions), bool)
    network(observations, players, legal)
    began, calls = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        network(observations, players, legal)
        calls += 1
    return GAMES * calls / (time.perf_counter() - began)


def with_networks():
    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    for name, _ in PAIRS:
        model = make_model(name)[1]
        for described, network in modules(model):
            bare = bare_rate(network, model)
            next(SelfPlay(model, gumbel(Free(model), 32), games=GAMES))  # compiles
            limited = Limited(network)
            play = SelfPlay(model, gumbel(limited, 32), games=GAMES)
            while not limited.over:
                try:
                    next(play)
                except TimeoutError:
                    limited.over = True
            figures = play.figures
            rate = figures.evaluations / figures.seconds
            share = figures.evaluator_seconds / figures.seconds
            print(
                f"{name}, {described}: {share:.0%} of the time in the network, "
                f"{rate:,.0f} rows a second, "
                f"{rate / bare:.2f} of its bare rate",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description="Decisions of self-play a second.")
    parser.add_argument("what", choices=("search", "network"))
    compare() if parser.parse_args().what == "search" else with_networks()


if __name__ == "__main__":
    # One core and one thread for both sides.
    os.environ.setdefault(
        "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    )
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    main()
