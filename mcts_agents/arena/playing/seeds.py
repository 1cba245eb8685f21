"""Seeds that derive from one another by hashes, the same in every version."""

import hashlib

from mcts_agents.arena.playing.fixtures import Setting

# A whole number in JSON and in SQLite, in every program that reads them.
MOST_SEED = 2**53 - 1


def derived_seed(key: tuple[object, ...]) -> int:
    """Return a whole number below 2**53 that the key decides."""
    return int.from_bytes(digest(key)[:8], "big") >> 11


def digest(key: tuple[object, ...]) -> bytes:
    """Return the hash of a key, 32 bytes."""
    words = [_word(part) for part in key]
    return hashlib.sha256("\n".join(words).encode()).digest()


def _word(part: object) -> str:
    if isinstance(part, Setting):
        return f"{part.game}|{part.players}|{part.budget}"
    return repr(part)
