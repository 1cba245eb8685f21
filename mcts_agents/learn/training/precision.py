"""In which precision the body of a network computes."""

from mcts_agents.extras import from_extra

with from_extra("rl", "training needs PyTorch"):
    import torch
    from torch import nn

    from mcts_agents.networks.network import Network


def body_type(precision: str, device: torch.device) -> torch.dtype:
    """Return the type that the choice `precision` of a config means on a device."""
    if precision == "auto":
        fast = device.type == "cpu" and _multiplies_bfloat16()
        precision = "bfloat16" if fast else "float32"
    found: torch.dtype = getattr(torch, precision)
    return found


def _multiplies_bfloat16() -> bool:
    """Whether the processor has instructions for it; without them it is slow."""
    asked = getattr(torch.cpu, "get_capabilities", None)
    capabilities: dict[str, object] = {} if asked is None else asked()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


class Mixed(nn.Module):
    """A network whose body has a precision of its own; its heads take float32.

    Args:
        network: Is changed: its body gets the type.
        dtype: Of the body.
    """

    def __init__(self, network: Network, dtype: torch.dtype):
        super().__init__()
        self.body = network.body.to(dtype)
        self.policy, self.value = network.policy, network.value
        self._dtype = dtype

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Network.forward`."""
        body = self.body(observations.to(self._dtype)).float()
        return self.policy(body), self.value(body)
