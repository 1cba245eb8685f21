"""The loss of a network: how far its heads are from what searches and games say."""

from typing import NamedTuple

from mcts_agents.extras import from_extra

with from_extra("rl", "networks need PyTorch"):
    import torch
    from torch.nn.functional import log_softmax, mse_loss


class Loss(NamedTuple):
    """A loss and its two parts, scalars; only `total` is meant for `backward`."""

    total: torch.Tensor
    policy: torch.Tensor
    value: torch.Tensor


def loss(
    output: tuple[torch.Tensor, torch.Tensor],
    policy: torch.Tensor,
    legal: torch.Tensor,
    values: torch.Tensor,
    value_weight: float = 0.5,
) -> Loss:
    """Return the loss of a batch: the means over its rows.

    It is `(1 - w) * policy loss + w * value loss`, weighted as in eq. (3) of Weil et
    al. 2023, who take w = 0.1 and a squared error for the value; 0.5 is half of
    AlphaZero's loss. The policy loss is the cross-entropy between the search's policy
    and the network's over the legal actions. The value loss is the cross-entropy
    between the teams' shares of the win and the network's; with one team it is the
    squared error of the return. L2 regularisation is the optimiser's (`weight_decay`).

    Args:
        output: What the network says: logits (rows, actions) and values (rows, teams).
        policy: The search's probabilities, float32 of shape (rows, actions), sum 1, 0
            for illegal actions.
        legal: The legal actions, bool of shape (rows, actions), at least one in a row.
        values: float32 of shape (rows, teams): the shares of the win, sum 1, in the
            order of the network's values; with one team the return.
        value_weight: w, from 0 to 1.

    Raises:
        ValueError: A weight that is not allowed, or shapes that do not fit.
    """
    if not 0.0 <= value_weight <= 1.0:
        raise ValueError(f"value_weight={value_weight}: expected a number from 0 to 1")
    logits, answered = output
    for name, given, expected in (
        ("policy", policy, logits),
        ("legal", legal, logits),
        ("values", values, answered),
    ):
        if given.shape != expected.shape:
            raise ValueError(
                f"{name} has the shape {tuple(given.shape)}; the network's output has "
                f"{tuple(expected.shape)}"
            )
    # 0 times the logarithm of an illegal action's probability, -inf, is to be 0.
    logarithms = log_softmax(masked(logits, legal), dim=1).masked_fill(~legal, 0.0)
    policy_loss = -(policy * logarithms).sum(dim=1).mean()
    if answered.shape[1] == 1:
        value_loss = mse_loss(answered, values)
    else:
        value_loss = -(values * log_softmax(answered, dim=1)).sum(dim=1).mean()
    total = (1.0 - value_weight) * policy_loss + value_weight * value_loss
    return Loss(total, policy_loss, value_loss)


def masked(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return logits that are -inf for illegal actions, shape (rows, actions)."""
    return logits.masked_fill(~legal, -torch.inf)
