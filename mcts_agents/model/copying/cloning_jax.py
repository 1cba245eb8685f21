"""How things of JAX are copied, without importing JAX.

Arrays never change and compiled functions hold nothing that does, so copies share them;
comparing a shared thing takes no time either. Keys are the exception: an array of JAX's
key type, or two unsigned numbers of 32 bits, the older form of a key, is another key in
each copy that a search steps.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model.copying.copier import Copier

_OLD_KEY = (2,)

Handler = Callable[[Any, Any], Any]


def handler_of(kind: type) -> Handler | None:
    """Return how objects of a class are copied, None if the class is none of JAX's."""
    modules = [getattr(base, "__module__", "") for base in kind.__mro__]
    packages = {module.partition(".")[0] for module in modules}
    if "jumanji.env" in modules and any(
        b.__name__ == "Environment" for b in kind.__mro__
    ):
        return share  # its games are functions: all state is in what `step` is given
    if not packages & {"jax", "jaxlib"}:
        return None
    return copy_array if hasattr(kind, "addressable_shards") else share


def share(cloner: Copier, value: Any) -> Any:
    """Use the original itself."""
    return value


def copy_array(cloner: Copier, value: Any) -> Any:
    """Share an array; make another key of a key."""
    if cloner.dice is None or not _is_key(value):
        return value
    return cloner.remember(value, _fresh_key(value, cloner.dice))


def _is_key(value: Any) -> bool:
    name = str(value.dtype)
    return name.startswith("key<") or (name == "uint32" and value.shape == _OLD_KEY)


def _fresh_key(value: Any, dice: np.random.Generator) -> Any:
    from jax import numpy, random  # here: it is there, because `value` is

    if value.shape == _OLD_KEY and str(value.dtype) == "uint32":
        return numpy.asarray(dice.integers(2**32, size=2, dtype=np.uint32))
    data = np.asarray(random.key_data(value))
    words = dice.integers(2**32, size=data.shape, dtype=np.uint32)
    return random.wrap_key_data(numpy.asarray(words), impl=random.key_impl(value))
