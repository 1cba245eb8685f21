"""`Network`: a body that observations go through, and heads for policy and value."""

import math

from mcts_agents.extras import from_extra
from mcts_agents.networks.config import NetworkConfig

with from_extra("rl", "networks need PyTorch"):
    import torch
    from torch import nn

    from mcts_agents.networks.layers import (
        MobileBlock,
        PlanesFirst,
        ResidualBlock,
        board_head,
        convolution,
        fully_connected,
    )


class Network(nn.Module):
    """A network with a policy head and a value head.

    Args:
        config: The architecture.
        seed: Of the first weights, from 0: the same seed gives the same weights.
            PyTorch's own generator stays as it was.

    Attributes:
        config: As given.
    """

    def __init__(self, config: NetworkConfig, *, seed: int = 0):
        super().__init__()
        self.config = config
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if config.kind == "perceptron":
                self._make_perceptron(config)
            else:
                self._make_board(config)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what the two heads say.

        Args:
            observations: float32 of shape (rows, *observation shape).

        Returns:
            The policy's logits, float32 of shape (rows, actions), of all actions, legal
            or not. And the values, float32 of shape (rows, teams): logits of the teams'
            shares of the win, the observer's own team first, then those of the next
            players in turn order; with one team the return that it expects.
        """
        body = self.body(observations)
        return self.policy(body), self.value(body)

    def _make_perceptron(self, config: NetworkConfig) -> None:
        hidden = config.hidden or ()
        inputs = math.prod(config.observation_shape)
        self.body = nn.Sequential(
            nn.Flatten(), fully_connected(inputs, *hidden), nn.ReLU()
        )
        self.policy: nn.Module = nn.Linear(hidden[-1], config.actions)
        self.value: nn.Module = nn.Linear(hidden[-1], config.teams)

    def _make_board(self, config: NetworkConfig) -> None:
        planes, height, width = config.planes
        channels, cells = config.size("channels"), height * width
        is_mobile = config.kind == "mobile"
        self.body = nn.Sequential(
            *([PlanesFirst()] if config.planes_last else []),
            convolution(planes, channels),
            nn.ReLU(),
            *(_mobile_blocks(config) if is_mobile else _residual_blocks(config)),
        )
        self.policy = board_head(
            channels, config.size("policy_channels"), cells, config.actions
        )
        self.value = board_head(
            channels,
            config.size("value_channels"),
            cells,
            config.size("value_hidden"),
            config.teams,
        )


def _residual_blocks(config: NetworkConfig) -> list[nn.Module]:
    channels = config.size("channels")
    return [ResidualBlock(channels) for _ in range(config.size("blocks"))]


def _mobile_blocks(config: NetworkConfig) -> list[nn.Module]:
    channels, blocks = config.size("channels"), config.size("blocks")
    inner, growth = config.size("inner_channels"), config.size("inner_growth")
    first_squeezing = blocks - config.size("squeezing_blocks")
    return [
        MobileBlock(channels, inner + growth * block, block >= first_squeezing)
        for block in range(blocks)
    ]
