"""What only some users need, and is installed with an extra of this package.

The package works without it: whatever an extra brings is imported inside `from_extra`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import gymnasium


class MissingExtraError(
    gymnasium.error.DependencyNotInstalled, ModuleNotFoundError, ValueError
):
    """An extra is needed that is not installed; the message says how to install it.

    It is what Gymnasium raises where rendering lacks a library, and a ValueError like
    every other request that is refused.
    """


@contextmanager
def from_extra(extra: str, need: str) -> Iterator[None]:
    """Import what an extra brings.

    Used inside one another, the outermost names the extra: it is what was asked for.

    Args:
        extra: Name of the extra, as in `pip install ".[NAME]"`.
        need: What needs which library, as the message begins.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{need}: {install_hint(extra)}") from error


def install_hint(extra: str) -> str:
    """Say how to install what an extra of this package brings, from a checkout."""
    return f'in the checkout of mcts-agents, run pip install --editable ".[{extra}]"'
