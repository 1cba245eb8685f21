"""Networks written as ONNX, which plays without PyTorch."""

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath

from mcts_agents.extras import from_extra
from mcts_agents.networks.description import KEY, NetworkDescription
from mcts_agents.networks.onnx_network import INPUT, OUTPUTS
from mcts_agents.networks.saving import MOST_BYTES, check_config
from mcts_agents.reading import read_bytes
from mcts_agents.writing import replacing

with from_extra("rl", "writing ONNX needs PyTorch, onnx and onnxscript"):
    import onnx
    import onnxscript  # noqa: F401  (PyTorch's exporter needs it)
    import torch

    from mcts_agents.networks.network import Network

ENDING = ".onnx"
# Of the standard set of operators; runtimes of recent years know it.
OPSET = 20


def export_onnx(
    path: str | PathLike[str], network: Network, description: NetworkDescription
) -> None:
    """Write a network to a file that ends in `.onnx`, for any number of rows at once.

    The model has one input, `observation`, float32 of shape (rows, *observation shape),
    and two outputs, `policy` (rows, actions) and `value` (rows, teams), as those of
    `Network.forward`. Its metadata hold the description. A file that holds this model
    already stays as it is.

    Raises:
        ValueError: The name ends in something else, or the description is that of
            another network.
        OSError: It cannot be written; the file is as it was.
    """
    if not fspath(path).lower().endswith(ENDING):
        raise ValueError(f"{fspath(path)}: expected a name that ends in {ENDING}")
    check_config(network, description)
    model = _exported(network)
    model.metadata_props.add(key=KEY, value=description.to_json())
    onnx.checker.check_model(model)
    if not _holds(path, model):
        with replacing(path) as temporary:
            temporary.write_bytes(model.SerializeToString())


def _holds(path: str | PathLike[str], model: "onnx.ModelProto") -> bool:
    """Return whether a file holds a model, whatever build of PyTorch it names.

    Earlier versions wrote the build down. Tournaments know the file by its SHA-256, so
    it is not written again only to leave the build out.
    """
    if not os.path.isfile(path):
        return False
    try:
        there = onnx.load_model_from_string(read_bytes(path, MOST_BYTES))
    except Exception:  # protobuf has errors of its own
        return False
    _forget_builder(there)
    return bool(there == model)


def _exported(network: Network) -> "onnx.ModelProto":
    """Return a network as a model, without what the exporter says of its work."""
    device = next(network.parameters()).device
    # Two rows: a dimension of one would be taken for a constant.
    rows = torch.zeros((2, *network.config.observation_shape), device=device)
    is_training = network.training
    network.eval()
    try:
        with _quiet():
            program = torch.onnx.export(
                network,
                (rows,),
                dynamo=True,
                verbose=False,
                opset_version=OPSET,
                input_names=[INPUT],
                output_names=list(OUTPUTS),
                dynamic_shapes=({0: torch.export.Dim("rows")},),
            )
    finally:
        network.train(is_training)
    assert program is not None
    model = program.model_proto
    _forget_origins(model)
    return model


def _forget_origins(model: "onnx.ModelProto") -> None:
    """Remove names of files and lines of code, of which the exporter notes many.

    The build of PyTorch is removed as well: without it, other builds of a version write
    the same bytes.
    """
    _forget_builder(model)
    graph = model.graph
    del model.metadata_props[:]
    for part in (graph, *graph.node, *graph.initializer, *graph.input, *graph.output):
        part.doc_string = ""
        del part.metadata_props[:]
    for value in graph.value_info:
        del value.metadata_props[:]


def _forget_builder(model: "onnx.ModelProto") -> None:
    for field in ("producer_name", "producer_version"):
        model.ClearField(field)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's remarks about other libraries from the screen."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
