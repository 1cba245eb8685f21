"""Networks with a policy head and a value head, trained and played; docs/networks.md.

`config` has the architectures, `network` and `layers` build them in PyTorch, `losses`
is for training, `evaluator` asks them for searches, `saving` and `onnx_export` write
them. `onnx_network`, `heads` and `description` play what was exported and do not know
PyTorch, which is imported only with the names that need it.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mcts_agents.networks.config import NetworkConfig
from mcts_agents.networks.description import NetworkDescription
from mcts_agents.networks.heads import HeadsEvaluator
from mcts_agents.networks.onnx_network import OnnxNetwork

if TYPE_CHECKING:
    from mcts_agents.networks.evaluator import NetworkEvaluator
    from mcts_agents.networks.losses import Loss, loss
    from mcts_agents.networks.network import Network
    from mcts_agents.networks.onnx_export import export_onnx
    from mcts_agents.networks.saving import load, save

# What needs PyTorch, and the module that has it.
_WITH_PYTORCH = {
    "Loss": "losses",
    "Network": "network",
    "NetworkEvaluator": "evaluator",
    "export_onnx": "onnx_export",
    "load": "saving",
    "loss": "losses",
    "save": "saving",
}

__all__ = [
    "HeadsEvaluator",
    "Loss",
    "Network",
    "NetworkConfig",
    "NetworkDescription",
    "NetworkEvaluator",
    "OnnxNetwork",
    "export_onnx",
    "load",
    "loss",
    "save",
]


def __getattr__(name: str) -> Any:
    """Import what needs PyTorch when it is first asked for."""
    if name in _WITH_PYTORCH:
        module = importlib.import_module(f"{__name__}.{_WITH_PYTORCH[name]}")
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
