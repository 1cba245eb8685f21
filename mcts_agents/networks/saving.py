"""Networks in safetensors files, which say in their metadata what the network is."""

import hashlib
import json
import warnings
from os import PathLike, fspath

from mcts_agents.extras import from_extra
from mcts_agents.networks.description import KEY, NetworkDescription
from mcts_agents.reading import MOST_CONTENTS, read_bytes, read_json
from mcts_agents.writing import replacing

with from_extra("rl", "networks need PyTorch and safetensors"):
    import safetensors.torch
    import torch
    from safetensors import SafetensorError

    from mcts_agents.networks.network import Network

ENDING = ".safetensors"
# Under which name the description holds the checksum of itself and the tensors: there,
# since safetensors writes several metadata in any order, and files are to be alike.
CHECKSUM = "sha256"
# Of a file.
MOST_BYTES = 1 << 31
# How safetensors writes the types that networks have.
_TYPES = {torch.float32: "F32", torch.int64: "I64"}


def save(
    path: str | PathLike[str], network: Network, description: NetworkDescription
) -> None:
    """Write a network to a file that ends in `.safetensors`.

    The file appears as a whole or not at all. Its metadata hold the description, with a
    checksum.

    Raises:
        ValueError: The name ends in something else, or the description is that of
            another network.
        OSError: It cannot be written; the file is as it was.
    """
    if not fspath(path).lower().endswith(ENDING):
        raise ValueError(f"{fspath(path)}: expected a name that ends in {ENDING}")
    check_config(network, description)
    tensors = {
        name: tensor.detach().cpu().contiguous()
        for name, tensor in network.state_dict().items()
    }
    text = description.to_json()
    said = {**json.loads(text), CHECKSUM: checksum(tensors, text)}
    content = safetensors.torch.save(tensors, {KEY: json.dumps(said)})
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def load(path: str | PathLike[str]) -> tuple[Network, NetworkDescription]:
    """Read a network that `save` has written. Nothing in the file is executed.

    A file without a checksum, which earlier versions have written, is read with a
    UserWarning: changed numbers in it would not be noticed.

    Returns:
        The network, on the CPU and set to evaluation, and its description.

    Raises:
        ValueError: The file cannot be read, is damaged, or holds something else; the
            message names it.
    """
    path = fspath(path)
    try:
        content = read_bytes(path, MOST_BYTES)
        header = _header(content)
        text, written = _description(header)
        description = NetworkDescription.from_json(text)
        network = _loaded(content, header, description)
        if written not in (None, checksum(network.state_dict(), text or "")):
            raise ValueError(
                "it is damaged: its numbers or its description are not those that were "
                "written (their SHA-256 differs)"
            )
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if written is None:
        warnings.warn(
            f"{path}: has no checksum, so whether its numbers are those that were "
            "written is not known; mcts_agents.networks.save writes it again with one",
            stacklevel=2,
        )
    return network, description


def checksum(tensors: dict[str, torch.Tensor], text: str = "") -> str:
    """Return the SHA-256 of tensors and a text, in hexadecimal digits.

    The format of the files has no checksum of its own.

    Args:
        tensors: By name, on the CPU.
        text: What stands beside them.
    """
    found = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        found.update(tensor.numpy().tobytes())
    return found.hexdigest()


def check_config(network: Network, description: NetworkDescription) -> None:
    """Check that a description is that of a network.

    Raises:
        ValueError: It is that of another.
    """
    if network.config != description.config:
        raise ValueError(
            f"the description has {description.config}; the network is {network.config}"
        )


def _loaded(
    content: bytes, header: dict[str, object], description: NetworkDescription
) -> Network:
    """Return the network, once names, shapes and types have been found right."""
    with torch.device("meta"):  # takes no memory
        network = Network(description.config)
    expected = {
        name: {"dtype": _TYPES[tensor.dtype], "shape": list(tensor.shape)}
        for name, tensor in network.state_dict().items()
    }
    found = {
        name: {part: tensor.get(part) for part in ("dtype", "shape")}
        for name, tensor in header.items()
        if name != "__metadata__" and isinstance(tensor, dict)
    }
    if found != expected:
        wrong = sorted(
            n for n in {*found, *expected} if found.get(n) != expected.get(n)
        )
        raise ValueError(
            f"its tensor {wrong[0]!r} is {found.get(wrong[0])}; its description asks "
            f"for {expected.get(wrong[0])}"
        )
    try:
        tensors = safetensors.torch.load(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"it is damaged: {error}") from error
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise ValueError(f"its tensor {name!r} holds numbers that are not finite")
    network = network.to_empty(device="cpu")
    network.load_state_dict(tensors)
    return network.eval()


def _description(header: dict[str, object]) -> tuple[str | None, object]:
    """Return the description and the checksum, None where there is none."""
    metadata = header.get("__metadata__", {})
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if text is None:
        return None, None
    if not isinstance(text, str):
        raise ValueError("its description is not text")
    said = read_json(text)
    if not isinstance(said, dict):
        return text, None
    written = said.pop(CHECKSUM, None)
    return json.dumps(said), written


def _header(content: bytes) -> dict[str, object]:
    """Return the table at the beginning of a file: metadata, and each tensor's sizes.

    The format's documentation describes it: its length in 8 bytes, and JSON.
    """
    length = int.from_bytes(content[:8], "little")
    if not 2 <= length <= min(MOST_CONTENTS, len(content) - 8):
        raise ValueError("it is not a safetensors file, or it is damaged")
    try:
        found = read_json(content[8 : 8 + length].decode())
    except ValueError as error:
        raise ValueError(f"it is not a safetensors file: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("it is not a safetensors file: its header is not a mapping")
    return found
