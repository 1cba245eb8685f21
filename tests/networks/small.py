"""Small networks for the tests, and models in ONNX that are made without PyTorch."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mcts_agents.envs import make_model
from mcts_agents.networks import NetworkConfig, NetworkDescription
from mcts_agents.networks.description import KEY

SMALL = {
    "residual": {"channels": 6, "blocks": 2, "value_hidden": 5},
    "mobile": {
        "channels": 6, "blocks": 3, "inner_channels": 8, "inner_growth": 2,
        "squeezing_blocks": 1, "policy_channels": 2, "value_channels": 2,
        "value_hidden": 5,
    },
    "perceptron": {"hidden": (11, 7)},
}  # fmt: skip


def small(spec, kind=None):
    """A small network's description for a game, and its model."""
    model = make_model(spec)[1]
    kind = kind or NetworkConfig.for_model(model).kind
    config = NetworkConfig.for_model(model, kind, **SMALL[kind])
    return NetworkDescription.of(config, model, spec), model


def positions(model, rows, seed=0):
    """Positions of random games as an evaluator is shown them: three arrays."""
    from mcts_agents.model import new_generator

    rng, draw = new_generator(seed), np.random.default_rng(seed)
    seen, players, legal = [], [], []
    while len(seen) < rows:
        state = model.reset(rng)
        while movers := model.movers(state):
            joint = {}
            for player in movers:
                actions = model.legal_actions(state, player)
                mask = np.zeros(model.actions, bool)
                mask[actions] = True
                seen.append(model.observe(state, player))
                players.append(player)
                legal.append(mask)
                joint[player] = int(draw.choice(actions))
            model.apply(state, joint, rng)
    chosen = draw.permutation(len(seen))[:rows]
    return tuple(np.array(a)[chosen] for a in (seen, players, legal))


def linear_model(description, seed=0):
    """A model in ONNX with a linear layer for each head, and its weights."""
    config = description.config
    draw = np.random.default_rng(seed)
    inputs = int(np.prod(config.observation_shape))
    weights = {
        name: draw.normal(size=(inputs, outputs)).astype(np.float32) / 3
        for name, outputs in (("policy", config.actions), ("value", config.teams))
    }
    nodes = [helper.make_node("Flatten", ["observation"], ["flat"])]
    nodes += [
        helper.make_node("MatMul", ["flat", f"{name}_weight"], [name])
        for name in weights
    ]
    shape = ["rows", *config.observation_shape]
    graph = helper.make_graph(
        nodes,
        "linear",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, shape)],
        [
            helper.make_tensor_value_info(
                name, TensorProto.FLOAT, ["rows", weight.shape[1]]
            )
            for name, weight in weights.items()
        ],
        [numpy_helper.from_array(w, f"{name}_weight") for name, w in weights.items()],
    )
    opsets = [helper.make_opsetid("", 20)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.checker.check_model(model)
    model.metadata_props.add(key=KEY, value=description.to_json())
    return model, weights


def written(path, model):
    """Write a model to a file; return the spec of the agent that plays it."""
    path.write_bytes(model.SerializeToString())
    return f"policy:file={path}"
