"""The parts of networks, in PyTorch: stems, blocks and heads."""

from mcts_agents.extras import from_extra

with from_extra("rl", "networks need PyTorch"):
    import torch
    from torch import nn

# By how much squeeze and excitation narrows (Czech et al. 2020).
SQUEEZE = 2


def convolution(inputs: int, outputs: int, side: int = 3, groups: int = 1) -> nn.Module:
    """Return a convolution that keeps the board's size, and its normalisation.

    Args:
        inputs: Channels that come in.
        outputs: Channels that go out.
        side: Cells a side of the kernel, odd.
        groups: As for `torch.nn.Conv2d`.
    """
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, side, padding=side // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    )


class PlanesFirst(nn.Module):
    """Moves the planes from the last axis to the first one after the rows."""

    def forward(self, board: torch.Tensor) -> torch.Tensor:
        """Return (rows, planes, height, width) of (rows, height, width, planes)."""
        return board.permute(0, 3, 1, 2)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut (AlphaGo Zero's)."""

    def __init__(self, channels: int):
        super().__init__()
        self.first = convolution(channels, channels)
        self.second = convolution(channels, channels)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return as many planes, float32 of shape (rows, channels, height, width)."""
        inner = torch.relu(self.first(planes))
        return torch.relu(planes + self.second(inner))


class MobileBlock(nn.Module):
    """An inverted bottleneck beside a shortcut (MobileNetV2's, as in RISEv2).

    1x1 to `inner` channels, 3x3 on each of them alone, 1x1 back, without an activation
    at the end.
    """

    def __init__(self, channels: int, inner: int, squeezes: bool):
        super().__init__()
        self.squeeze = SqueezeExcitation(channels) if squeezes else nn.Identity()
        self.expand = convolution(channels, inner, side=1)
        self.each = convolution(inner, inner, groups=inner)
        self.project = convolution(inner, channels, side=1)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return as many planes, float32 of shape (rows, channels, height, width)."""
        inner = torch.relu(self.expand(self.squeeze(planes)))
        added: torch.Tensor = self.project(torch.relu(self.each(inner)))
        return planes + added


class SqueezeExcitation(nn.Module):
    """Each channel times a factor that depends on the means of all (Hu et al. 2018)."""

    def __init__(self, channels: int):
        super().__init__()
        narrow = max(channels // SQUEEZE, 1)
        self.factors = nn.Sequential(
            nn.Linear(channels, narrow),
            nn.ReLU(),
            nn.Linear(narrow, channels),
            nn.Sigmoid(),
        )

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the planes, each multiplied with its factor."""
        factors: torch.Tensor = self.factors(planes.mean(dim=(2, 3)))
        return planes * factors[:, :, None, None]


def board_head(channels: int, narrow: int, cells: int, *units: int) -> nn.Module:
    """Return a head on a board: a 1x1 convolution, then fully connected layers.

    Args:
        channels: Channels that come in.
        narrow: Channels after the convolution.
        cells: Cells of the board.
        *units: Outputs of each fully connected layer.
    """
    layers = [convolution(channels, narrow, side=1), nn.ReLU(), nn.Flatten()]
    return nn.Sequential(*layers, fully_connected(narrow * cells, *units))


def fully_connected(inputs: int, *units: int) -> nn.Module:
    """Return fully connected layers with a ReLU between two of them."""
    layers: list[nn.Module] = []
    for outputs in units:
        layers += [nn.ReLU()] if layers else []
        layers.append(nn.Linear(inputs, outputs))
        inputs = outputs
    return nn.Sequential(*layers)
