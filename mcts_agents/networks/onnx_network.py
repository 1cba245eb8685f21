"""`OnnxNetwork`: a network in an ONNX file, asked without PyTorch."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from mcts_agents.extras import from_extra
from mcts_agents.names import error_line
from mcts_agents.networks.description import KEY, NetworkDescription
from mcts_agents.networks.heads import HeadsEvaluator

# Names of the input and the outputs.
INPUT = "observation"
OUTPUTS = ("policy", "value")

# The set of operators that every runtime has; a model may use no other.
_STANDARD = ("", "ai.onnx")
# Rows of one pass, so that memory stays bounded.
MOST_ROWS = 4096
_NEED = "networks in ONNX files need onnx and onnxruntime"


class OnnxNetwork:
    """A network that `export_onnx` has written, or another with the same metadata.

    It computes in one thread on the CPU. Several threads may ask it at once. Copies
    share it.

    A model is a graph of operators from ONNX's standard set, which read no files and
    call nothing. Refused are models with operators of other sets, functions, control
    flow (loops, branches), or tensors in other files.

    Args:
        content: What the file holds.

    Attributes:
        description: What it says of itself.
        config: The architecture that it was exported from.

    Raises:
        ValueError: No such model; the message says what is wrong.
        MissingExtraError: onnx or onnxruntime is not installed.
    """

    def __init__(self, content: bytes):
        self._content = content
        self.description = _checked(content)
        self.config = self.description.config
        self._session = _session(content)
        self._check_ends()

    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the two heads say; see `Network.forward`.

        Args:
            observations: Shape (rows, *observation shape), any numbers; from 0 rows.

        Returns:
            Logits of the policy, float32 of shape (rows, actions), and values, float32
            of shape (rows, teams).
        """
        rows = np.asarray(observations, np.float32)
        config = self.config
        rows = rows.reshape(len(rows), *config.observation_shape)
        if not len(rows):  # which operators of the graph might refuse
            ends = config.actions, config.teams
            logits, values = (np.zeros((0, length), np.float32) for length in ends)
            return logits, values
        parts = [
            self._session.run(OUTPUTS, {INPUT: rows[first : first + MOST_ROWS]})
            for first in range(0, len(rows), MOST_ROWS)
        ]
        if len(parts) == 1:
            logits, values = parts[0]
            return logits, values
        policies, worths = zip(*parts, strict=True)
        return np.concatenate(policies), np.concatenate(worths)

    def evaluator(self) -> HeadsEvaluator:
        """Return the network as evaluator of a search."""
        return HeadsEvaluator(self, self.config, self.description)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing in it ever changes

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._content,)

    def _check_ends(self) -> None:
        """Ask about two rows of zeros, and look at what comes out."""
        config = self.config
        inputs = [node.name for node in self._session.get_inputs()]
        outputs = [node.name for node in self._session.get_outputs()]
        if inputs != [INPUT] or outputs != list(OUTPUTS):
            raise ValueError(
                f"it has inputs {inputs} and outputs {outputs}; expected {[INPUT]} and "
                f"{list(OUTPUTS)}"
            )
        try:
            answers = self(np.zeros((2, *config.observation_shape)))
        except Exception as error:  # onnxruntime has errors of its own
            raise ValueError(
                f"it does not take observations of shape {config.observation_shape}: "
                f"{error_line(error)}"
            ) from error
        lengths = config.actions, config.teams
        for name, answer, length in zip(OUTPUTS, answers, lengths, strict=True):
            if answer.dtype != np.float32 or answer.shape != (2, length):
                raise ValueError(
                    f"its output {name!r} is {answer.dtype} of shape {answer.shape} "
                    f"for 2 rows; expected float32 of shape (2, {length})"
                )


def _session(content: bytes) -> Any:
    with from_extra("onnx", _NEED):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is raised
    try:
        return onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime has errors of its own
        raise ValueError(f"onnxruntime cannot read it: {error_line(error)}") from error


def _checked(content: bytes) -> NetworkDescription:
    """Return a model's description; nothing has been computed by then.

    Raises:
        ValueError: It is no model, or one that is refused.
    """
    with from_extra("onnx", _NEED):
        import onnx
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:  # protobuf has errors of its own
        raise ValueError("it is not an ONNX model, or it is damaged") from error
    if model.functions or any(d.domain not in _STANDARD for d in model.opset_import):
        raise ValueError("it has operators that are not of ONNX's standard set")
    for node in model.graph.node:
        if node.domain not in _STANDARD:
            raise ValueError(
                f"its operator {node.op_type!r} is not of ONNX's standard set"
            )
        if any(a.HasField("g") or a.graphs for a in node.attribute):
            raise ValueError(f"it has control flow ({node.op_type!r})")
    external = onnx.TensorProto.EXTERNAL
    for tensor in _tensors(model):
        if tensor.data_location == external or tensor.external_data:
            raise ValueError(
                f"its tensor {tensor.name!r} is in another file, which is not read"
            )
    properties = {entry.key: entry.value for entry in model.metadata_props}
    return NetworkDescription.from_json(properties.get(KEY))


def _tensors(model: Any) -> Iterator[Any]:
    """Yield every tensor that a model without control flow can hold."""
    graph = model.graph
    yield from graph.initializer
    sparse = list(graph.sparse_initializer)
    for node in graph.node:
        for attribute in node.attribute:
            yield attribute.t
            yield from attribute.tensors
            sparse += [attribute.sparse_tensor, *attribute.sparse_tensors]
    for tensor in sparse:
        yield tensor.values
        yield tensor.indices
