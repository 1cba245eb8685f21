"""Multi-layer perceptrons in NumPy, from arrays named as torch names them.

A trained policy that is one plays without torch, from a `.npz` archive of plain
numbers. The outputs are logits of the actions, and a value if there are such layers:

    hidden = shared(input)        # none at all, or layers with an activation each
    logits = policy(hidden)       # layers, an activation between two
    value = value(hidden)         # none at all, or likewise
"""

import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from mcts_agents.names import quoted, unknown_name


def _sigmoid(x):
    return 0.5 + 0.5 * np.tanh(0.5 * x)


ACTIVATIONS = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
    "leaky_relu": lambda x: np.where(x > 0.0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0))),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
}

# Numbers of all layers; each takes 8 bytes.
MOST_NUMBERS = 1 << 23

# Last of its part, whatever numbers the others have.
_LAST = sys.maxsize

# Names of a layer's arrays, and where the layer is: part and number, if the name has
# them. A plain `torch.nn.Sequential`, one with parts, and stable-baselines3's policies.
_NAMES = (
    re.compile(r"(?P<number>\d+)"),
    re.compile(r"(?P<part>shared|policy|value)(\.(?P<number>\d+))?"),
    re.compile(r"mlp_extractor\.(?P<part>policy|value)_net\.(?P<number>\d+)"),
    re.compile(r"(?P<last>action|value)_net"),
)

Layer = tuple[np.ndarray, np.ndarray]


class Perceptron:
    """A multi-layer perceptron for a batch of inputs.

    Args:
        arrays: `NAME.weight` of shape (outputs, inputs) and `NAME.bias` of shape
            (outputs,) for each layer; a bias may be missing. NAME is a number in order
            (`torch.nn.Sequential`: all layers are the policy's), `shared.N`,
            `policy.N` and `value.N` (`policy` alone for a single layer), or as in
            stable-baselines3 `mlp_extractor.policy_net.N`, `action_net`,
            `mlp_extractor.value_net.N` and `value_net`.
        activation: What follows each layer but the last of policy and value; one of
            `ACTIVATIONS`.

    Attributes:
        inputs: Length of an input.
        outputs: Number of logits.
        has_value: Whether it gives a value.

    Raises:
        ValueError: Other names, shapes that do not fit together, more numbers than
            `MOST_NUMBERS`, numbers that are not finite, or an unknown activation.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], activation: str = "tanh"):
        if activation not in ACTIVATIONS:
            raise ValueError(unknown_name("activation", str(activation), ACTIVATIONS))
        self.activation = activation
        self._parts = _layers(arrays)
        shared, policy, value = (
            self._parts[part] for part in ("shared", "policy", "value")
        )
        if not policy:
            raise ValueError("there is no layer that gives logits")
        self.inputs = (shared or policy)[0][0].shape[1]
        self.outputs = len(policy[-1][0])
        self.has_value = bool(value)
        hidden = len(shared[-1][0]) if shared else self.inputs
        for name, layers, width in (
            ("shared", shared, self.inputs),
            ("policy", policy, hidden),
            ("value", value, hidden),
        ):
            for weight, _ in layers:
                if weight.shape[1] != width:
                    raise ValueError(
                        f"a layer of {name} takes {weight.shape[1]} inputs, the one "
                        f"before it gives {width}"
                    )
                width = len(weight)
        if value and len(value[-1][0]) != 1:
            raise ValueError(f"a value is one number, not {len(value[-1][0])}")

    def __call__(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return logits (rows, outputs), and values (rows,) or None.

        Args:
            inputs: Shape (rows, inputs).
        """
        activate = ACTIVATIONS[self.activation]
        hidden = np.asarray(inputs, np.float64)
        for weight, bias in self._parts["shared"]:
            hidden = activate(hidden @ weight.T + bias)
        logits = self._head("policy", hidden)
        if not self.has_value:
            return logits, None
        return logits, self._head("value", hidden)[:, 0]

    def _head(self, part: str, hidden: np.ndarray) -> np.ndarray:
        layers = self._parts[part]
        for weight, bias in layers[:-1]:
            hidden = ACTIVATIONS[self.activation](hidden @ weight.T + bias)
        weight, bias = layers[-1]
        return hidden @ weight.T + bias

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the layers by the names `shared.N`, `policy.N` and `value.N`."""
        return {
            f"{part}.{number}.{kind}": array.astype(np.float32)
            for part, layers in self._parts.items()
            for number, layer in enumerate(layers)
            for kind, array in zip(("weight", "bias"), layer, strict=True)
        }


def _layers(arrays: Mapping[str, Any]) -> dict[str, list[Layer]]:
    """Return the layers of each part, in order."""
    found: dict[str, dict[int, dict[str, np.ndarray]]]
    found = {"shared": {}, "policy": {}, "value": {}}
    # Before any is looked at: a few bytes may stand for as many numbers as one likes.
    total = sum(np.size(array) for array in arrays.values())
    if total > MOST_NUMBERS:
        raise ValueError(
            f"it has {total:,} numbers, more than the {MOST_NUMBERS:,} allowed"
        )
    for name, array in arrays.items():
        layer, _, kind = name.rpartition(".")
        match = next((m for p in _NAMES if (m := p.fullmatch(layer))), None)
        dimensions = {"weight": 2, "bias": 1}.get(kind)
        if match is None or dimensions is None:
            raise ValueError(
                f"{quoted(name)} is not a layer of a multi-layer perceptron; names are "
                "N.weight, or policy.N.weight, shared.N.weight and value.N.weight, or "
                "those of stable-baselines3's MlpPolicy, and .bias"
            )
        array = np.asarray(array)
        if array.dtype.kind != "f" or array.ndim != dimensions or not array.size:
            raise ValueError(
                f"{quoted(name)} is an array of {array.dtype} and shape {array.shape}; "
                f"expected floating-point numbers in {dimensions} dimensions"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{quoted(name)} has numbers that are not finite")
        groups = match.groupdict()
        last = groups.get("last")
        part = groups.get("part") or ("value" if last == "value" else "policy")
        number = _LAST if last else int(groups.get("number") or 0)
        kinds = found[part].setdefault(number, {})
        if kind in kinds:
            raise ValueError(f"{quoted(name)} is there under another name, too")
        kinds[kind] = array.astype(np.float64)
    return {
        part: [_layer(part, layers[number]) for number in sorted(layers)]
        for part, layers in found.items()
    }


def _layer(part: str, kinds: Mapping[str, np.ndarray]) -> Layer:
    if "weight" not in kinds:
        raise ValueError(f"a layer of {part} has a bias and no weight")
    weight = kinds["weight"]
    bias = kinds.get("bias", np.zeros(len(weight)))
    if bias.shape != (len(weight),):
        raise ValueError(
            f"a layer of {part} has {len(weight)} outputs and a bias of {len(bias)}"
        )
    return weight, bias
