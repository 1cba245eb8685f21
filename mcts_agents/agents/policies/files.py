"""Policies in files. Nothing in a file is executed unless the caller says so.

- `.onnx`: a network that `mcts_agents.networks.export_onnx` has written; needs onnx and
  onnxruntime.
- `.npz`: a perceptron, written by `PolicyAgent.save_npz`.
- `.safetensors`: the arrays of a perceptron; needs safetensors.
- `.pt`, `.pth`: a state dict with these arrays, with `trust` a module; needs torch.
- `.zip`: a model of stable-baselines3 or sb3-contrib; needs torch, with `trust` these.

Without `trust` tensors are read by `torch.load(weights_only=True)`, and of what else a
`.zip` holds only plain text, never its pickled entries.
"""

import hashlib
import io
import pickletools
import re
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.agents.policies.kinds import (
    NetworkPolicy,
    PerceptronPolicy,
    Policy,
    policy_of,
)
from mcts_agents.agents.policies.perceptron import MOST_NUMBERS, Perceptron
from mcts_agents.extras import MissingExtraError, install_hint
from mcts_agents.importing import file_that_names
from mcts_agents.model.views import OBSERVATIONS
from mcts_agents.names import error_line, quoted
from mcts_agents.networks.description import KEY
from mcts_agents.networks.onnx_network import OnnxNetwork
from mcts_agents.reading import (
    MOST_CONTENTS,
    check_sizes,
    open_archive,
    read_arrays,
    read_bytes,
    read_json_line,
)
from mcts_agents.writing import replacing

# What an archive of ours says that it is.
FORMAT = "mcts-agents policy 1"

# Of a file, and of what it holds unpacked.
MOST_BYTES = 1 << 25
# Of a network in ONNX, which is read as it is.
MOST_ONNX = 1 << 28
# Of a file that the caller trusts.
MOST_TRUSTED = 1 << 40
# Of what a model of stable-baselines3 says about itself, which is text.
MOST_DATA = 1 << 22

# Files that may hold Python objects, which are made if the caller trusts them.
_HOLD_OBJECTS = (".pt", ".pth", ".zip")
# Files that do not say which activation function their perceptron has.
_HOLD_NO_ACTIVATION = (".pt", ".pth", ".safetensors", ".zip")

# Modules whose policies are perceptrons if their arrays are those of one.
_PERCEPTRONS = (
    "stable_baselines3.common.policies",
    "sb3_contrib.common.maskable.policies",
)
_TORCH_ACTIVATIONS = {
    "Tanh": "tanh",
    "ReLU": "relu",
    "LeakyReLU": "leaky_relu",
    "ELU": "elu",
    "Sigmoid": "sigmoid",
    "SiLU": "silu",
}
_TRUST = "trust=True reads Python objects, which can run any code"


def read_policy(
    path: str | PathLike[str],
    *,
    activation: str | None = None,
    trust: bool = False,
    sha256: str | None = None,
) -> tuple[Policy, str]:
    """Return the policy that a file holds, and the SHA-256 of its content.

    Args:
        path: The file.
        activation: What follows the layers of a perceptron, where the file does not
            say it; tanh by default, as in stable-baselines3.
        trust: Read Python objects from the file, which can run any code.
        sha256: What the SHA-256 must be; compared before anything is read.

    Raises:
        ValueError: The file cannot be read, is of another kind, holds something else,
            has another SHA-256, or what it takes is not installed; the message names
            it.
    """
    path = fspath(path)
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise ValueError(
            f"{path}: expected a file whose name ends in {', '.join(_READERS)}"
        )
    if not isinstance(trust, bool):
        raise ValueError(f"trust={trust!r}: expected true or false")
    if trust and (place := file_that_names()):
        raise ValueError(
            f"trust=True: cannot be set in {place}; pass it in Python, "
            "PolicyAgent.load(path, trust=True), or on the command line, "
            "policy:file=PATH,trust=true"
        )
    if trust and suffix not in _HOLD_OBJECTS:
        raise ValueError(f"trust=True: {path} holds no Python objects, leave it out")
    if activation is not None and (trust or suffix not in _HOLD_NO_ACTIVATION):
        raise ValueError(
            f"activation={activation!r}: {path} already specifies its activation "
            "function; leave it out"
        )
    try:
        most = MOST_ONNX if suffix == ".onnx" else MOST_BYTES
        content = read_bytes(path, MOST_TRUSTED if trust else most)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and sha256 != found:
        raise ValueError(
            f"{path}: its content has changed: SHA-256 {found}, expected {sha256}"
        )
    try:
        if trust:
            read = _trusted_zip if suffix == ".zip" else _trusted_tensors
            policy = read(content)
        else:
            policy = _READERS[suffix](content, activation)
    except MissingExtraError as error:
        raise MissingExtraError(f"{path}: {error}") from error
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: reading this file takes {error.name}, which is not installed: "
            f"{install_hint('rl')}"
        ) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return policy, found


def write_npz(
    path: str | PathLike[str], perceptron: Perceptron, observation: str
) -> None:
    """Write a perceptron to an archive of plain numbers.

    It holds, beside the arrays `shared.N.weight`, `policy.N.bias` and so on of float32
    (see `Perceptron`), the texts `format`, `activation` and `observation`.

    Raises:
        ValueError: The name does not end in .npz.
        OSError: It cannot be written; the file is as it was.
    """
    if not fspath(path).lower().endswith(".npz"):
        raise ValueError(f"{fspath(path)}: expected a name that ends in .npz")
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(
            file,
            format=np.array(FORMAT),
            activation=np.array(perceptron.activation),
            observation=np.array(observation),
            **perceptron.arrays(),
        )


def _onnx(content: bytes, activation: None) -> Policy:
    return NetworkPolicy(OnnxNetwork(content).evaluator())


# -- files of plain numbers


def _npz(content: bytes, activation: None) -> Policy:
    try:
        arrays = read_arrays(content, MOST_BYTES)
    except ValueError as error:
        raise ValueError(
            f"not a NumPy archive of plain arrays: {error_line(error)}"
        ) from error
    texts = {name: str(arrays.pop(name, "")) for name in _TEXTS}
    if texts["format"] != FORMAT or texts["observation"] not in OBSERVATIONS:
        raise ValueError("not written by PolicyAgent.save_npz")
    perceptron = Perceptron(arrays, texts["activation"])
    return PerceptronPolicy(perceptron, texts["observation"])


_TEXTS = ("format", "activation", "observation")


def _safetensors(content: bytes, activation: str | None) -> Policy:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        # Its table of contents is read with an object for each tensor.
        length = int.from_bytes(content[:8], "little")
        if length > MOST_CONTENTS:
            raise ValueError(f"its header has more than {MOST_CONTENTS:,} bytes")
        is_network = KEY.encode() in content[8 : 8 + length]
        arrays = load(content)
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ValueError(f"not a safetensors file: {error_line(error)}") from error
    if is_network:
        raise ValueError(
            "a network of mcts_agents.networks, which plays from the .onnx file that "
            "export_onnx writes of it"
        )
    return PerceptronPolicy(Perceptron(arrays, activation or "tanh"))


def _tensors(content: bytes, activation: str | None) -> Policy:
    return PerceptronPolicy(Perceptron(_arrays(content), activation or "tanh"))


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    """Return what a state dict of torch holds, and nothing but tensors."""
    import torch

    try:
        _check_tensors(content)
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except ModuleNotFoundError:
        raise
    except Exception as error:  # damaged files raise almost anything
        raise ValueError(
            "not a PyTorch state dict (save module.state_dict()), or it holds more "
            f"than tensors; {_TRUST}"
        ) from error
    if not isinstance(state, Mapping) or not all(
        isinstance(name, str) and isinstance(tensor, torch.Tensor)
        for name, tensor in state.items()
    ):
        raise ValueError("not a PyTorch state dict: expected names with tensors")
    # A tensor may repeat one number as often as it says.
    total = sum(tensor.numel() for tensor in state.values())
    if total > MOST_NUMBERS:
        raise ValueError(
            f"it has {total:,} numbers, more than the {MOST_NUMBERS:,} allowed"
        )
    try:
        return {name: tensor.detach().float().numpy() for name, tensor in state.items()}
    except (RuntimeError, TypeError) as error:  # sparse ones, and such as have no data
        raise ValueError(f"not a PyTorch state dict: {error_line(error)}") from error


def _check_tensors(content: bytes) -> None:
    """Refuse a state dict that would take much more memory than it has bytes.

    Raises:
        ValueError: It would, it names anything but tensors, or is no archive, as it was
            before torch 1.6.
    """
    with open_archive(content) as archive:
        check_sizes(archive, archive.namelist(), MOST_BYTES)
        (table,) = (name for name in archive.namelist() if name.endswith("/data.pkl"))
        check_sizes(archive, [table], MOST_CONTENTS)
        for opcode, argument, _ in pickletools.genops(archive.read(table)):
            # torch makes byte arrays, too, as long as a file says.
            if opcode.name == "GLOBAL" and not _TENSORS.fullmatch(argument):
                raise ValueError(
                    f"it refers to the Python object {quoted(argument)}; only tensors "
                    "are read"
                )


# What the table of a state dict's tensors names, as pickles write it.
_TENSORS = re.compile(
    r"collections OrderedDict"
    r"|torch \w+Storage|torch\.storage \w+Storage"
    r"|torch\._utils _rebuild_(tensor|tensor_v2|parameter)"
)


def _zip(content: bytes, activation: str | None) -> Policy:
    weights, data = _opened(content)
    described = data.get("policy_class")
    module = described.get("__module__") if isinstance(described, dict) else None
    keywords = data.get("policy_kwargs")
    keywords = keywords if isinstance(keywords, dict) else {}
    if module not in _PERCEPTRONS or "features_extractor_class" in keywords:
        raise ValueError(
            f"its policy ({quoted(module)}) is not one of multi-layer perceptrons, "
            f"which alone are read as plain numbers; {_TRUST}"
        )
    space = data.get("observation_space")
    kind = str(space.get(":type:")) if isinstance(space, dict) else ""
    try:
        perceptron = Perceptron(
            _arrays(weights), activation or _activation(keywords.get("activation_fn"))
        )
    except ValueError as error:
        raise ValueError(f"{error}; {_TRUST}") from error
    return PerceptronPolicy(perceptron, "dict" if kind.endswith(".Dict'>") else "flat")


def _opened(
    content: bytes, most: int = MOST_BYTES, most_data: int = MOST_DATA
) -> tuple[bytes, dict[str, Any]]:
    """Return a model's `policy.pth`, and its `data` with the pickled entries as text.

    Entries that JSON cannot hold are described there by their attributes in words.
    """
    try:
        with open_archive(content) as archive:
            check_sizes(archive, archive.namelist(), most)
            check_sizes(archive, ["data"], most_data)
            weights = archive.read("policy.pth")
            data = read_json_line(archive.read("data").decode())
    except ValueError as error:
        raise ValueError(
            f"not a stable-baselines3 model: {error_line(error)}"
        ) from error
    if not isinstance(data, dict):
        raise ValueError("not a stable-baselines3 model: its data is not a mapping")
    return weights, data


def _activation(text: Any) -> str:
    """Return the activation function that a model's data names in words."""
    if text is None:
        return "tanh"
    match = re.search(r"activation\.(\w+)'", str(text))
    name = _TORCH_ACTIVATIONS.get(match.group(1)) if match else None
    if name is None:
        raise ValueError(
            f"its activation function is {quoted(text)}; expected one of "
            f"{', '.join(_TORCH_ACTIVATIONS)}"
        )
    return name


_READERS: dict[str, Callable[[bytes, Any], Policy]] = {
    ".onnx": _onnx,
    ".npz": _npz,
    ".zip": _zip,
    ".pt": _tensors,
    ".pth": _tensors,
    ".safetensors": _safetensors,
}


# -- files that the caller trusts


def _trusted_tensors(content: bytes) -> Policy:
    import torch

    try:
        found = torch.load(io.BytesIO(content), map_location="cpu", weights_only=False)
    except Exception as error:  # whatever the objects in it raise
        raise ValueError(f"cannot be read: {error_line(error)}") from error
    if not isinstance(found, torch.nn.Module):
        raise ValueError(f"holds {type(found).__name__}, expected a torch module")
    return policy_of(found)


def _trusted_zip(content: bytes) -> Policy:
    _opened(content, MOST_TRUSTED, MOST_TRUSTED)
    from stable_baselines3.common.save_util import load_from_zip_file

    try:
        data, parameters, _ = load_from_zip_file(io.BytesIO(content), device="cpu")
        network = data["policy_class"](
            data["observation_space"],
            data["action_space"],
            lambda _: 0.0,  # the learning rate
            **data["policy_kwargs"],
        )
        network.load_state_dict(parameters["policy"])
    except ImportError:
        raise
    except Exception as error:  # whatever the objects in it raise
        raise ValueError(f"cannot be read: {error_line(error)}") from error
    return policy_of(network)
