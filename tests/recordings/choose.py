"""Choose the recorded games that travel with the project from a larger set.

    python -m tests.recordings.choose LARGER_SET

writes `openspiel/`, `tag/` and `pommerman/` beside this file. Each game is described
by the features that it shows: the points of the rules that it meets, found in the
recording alone, without this package's rules. The script then takes one game after
another, always the one that shows most features that no chosen game shows yet, for its
size, until the chosen games show every feature of the larger file. At last it leaves
out games whose features all others show as well. Nothing is random, so the same larger
set gives the same files.
"""

import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Hashable
from pathlib import Path

import numpy as np

from tests.recordings import board_features, pommerman_features, tag_features

HERE = Path(__file__).parent
OBSERVATIONS_A_GAME = 7
DECISIONS = 250  # of a file of a scripted agent's decisions

OPENSPIEL = {
    "tic_tac_toe": board_features.of_tic_tac_toe,
    **dict.fromkeys(
        ("hex_7x7", "hex_11x11", "hex_7x7_forced_b2", "hex_7x7_forced_c3"),
        board_features.of_hex,
    ),
    "connect_four": board_features.of_connect_four,
    "othello": board_features.of_othello,
    "breakthrough_6x5": board_features.of_breakthrough,
    "breakthrough_8x8": board_features.of_breakthrough,
    "gomoku_9x9": board_features.of_gomoku,
    "gomoku_15x15": board_features.of_gomoku,
    **dict.fromkeys(
        [f"nogo_{size}" for size in ("5x5", "7x7", "9x9")]
        + [f"atarigo_{size}" for size in ("6x6", "7x7", "9x9")],
        board_features.of_stones,
    ),
    **dict.fromkeys(
        [f"dots_and_boxes_{size}" for size in ("2x2", "3x4", "5x7", "6x6")],
        board_features.of_dots_and_boxes,
    ),
    **dict.fromkeys(
        [f"chinese_checkers_turns_{players}p" for players in (2, 3, 4, 6)],
        board_features.of_chinese_checkers,
    ),
}
TAG = {
    "colt_express": tag_features.of_colt_express,
    "diamant": tag_features.of_diamant,
    "dominion": tag_features.of_dominion,
    "exploding_kittens": tag_features.of_exploding_kittens,
    "love_letter": tag_features.of_love_letter,
    "poker": tag_features.of_poker,
    "sushi_go": tag_features.of_sushi_go,
    "sushi_go_published": tag_features.of_sushi_go,
    "uno": tag_features.of_uno,
    "virus": tag_features.of_virus,
}


def chosen(features: list[set[Hashable]], costs: list[int]) -> list[int]:
    """Return the numbers of games that show every feature, ascending.

    Args:
        features: What each game shows.
        costs: How much room each game takes.
    """
    missing = set().union(*features)
    picks: list[int] = []
    while missing:
        gains = [len(shown & missing) / costs[n] for n, shown in enumerate(features)]
        best = int(np.argmax(gains))
        picks.append(best)
        missing -= features[best]
    shown_by = Counter(feature for number in picks for feature in features[number])
    for number in sorted(picks, key=lambda number: -costs[number]):
        if all(shown_by[feature] > 1 for feature in features[number]):
            shown_by.subtract(features[number])
            picks.remove(number)
    return sorted(picks)


def write_lines(name: str, source: Path, features_of, target: Path) -> None:
    """Choose the games of a file of JSON lines."""
    with gzip.open(source / f"{name}.jsonl.gz", "rt") as file:
        header, *games = file.read().splitlines()
    shown = [features_of(json.loads(game)) for game in games]
    picks = chosen(shown, [len(zlib.compress(game.encode(), 9)) for game in games])
    text = "\n".join([header, *(games[number] for number in picks)]) + "\n"
    path = target / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    report(path, len(picks), len(games), len(set().union(*shown)))


def write_steps(
    name: str, source: Path, target: Path, is_crowded: bool, elsewhere: set[Hashable]
) -> tuple[list[int], set[Hashable]]:
    """Choose the games of an archive of Pommerman.

    Args:
        name: The archive.
        source: Its folder.
        target: Where to write the chosen games.
        is_crowded: See `pommerman_features.of_game`.
        elsewhere: Features that need not be shown, since another archive shows them.

    Returns:
        The numbers of the chosen games, and what these show.
    """
    with np.load(source / f"{name}.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    numbers = range(len(arrays["game_meta"]))
    shown = [
        pommerman_features.of_game(arrays, number, is_crowded) - elsewhere
        for number in numbers
    ]
    # What a game takes beside its steps is as much as ten of these take.
    picks = chosen(shown, [10 + int(n) for n in arrays["game_n_steps"]])
    steps = part_of(arrays, picks, "game_step0", 0)
    states = part_of(arrays, picks, "game_state0", 1)
    lengths = arrays["game_n_steps"][picks]
    kept = {
        "game_n_steps": lengths,
        "game_meta": arrays["game_meta"][picks],
        "game_step0": np.cumsum(lengths, dtype=np.int32) - lengths,
        "game_state0": np.cumsum(lengths + 1, dtype=np.int32) - lengths - 1,
    }
    for things, pointers in (("bombs", "bomb_ptr"), ("flames", "flame_ptr")):
        starts, ends = arrays[pointers][states], arrays[pointers][states + 1]
        places = [np.arange(*ends_) for ends_ in zip(starts, ends, strict=True)]
        kept[things] = arrays[things][np.concatenate(places)]
        kept[pointers] = np.concatenate([[0], np.cumsum(ends - starts)]).astype("i4")
    for key in set(arrays) - set(kept):
        is_of_steps = len(arrays[key]) == len(arrays["actions"])
        kept[key] = arrays[key][steps if is_of_steps else states]
    save(target / f"{name}.npz", {key: kept[key] for key in arrays})
    report(target / f"{name}.npz", len(picks), len(numbers), len(set().union(*shown)))
    return picks, set().union(*(shown[number] for number in picks))


def part_of(arrays, picks: list[int], starts: str, more: int) -> np.ndarray:
    """Return the indices of the chosen games' steps, or of their states (one more)."""
    parts = []
    for number in picks:
        start = int(arrays[starts][number])
        parts.append(np.arange(start, start + arrays["game_n_steps"][number] + more))
    return np.concatenate(parts)


def write_observations(source: Path, target: Path, games: list[int]) -> None:
    """Keep the observations of the chosen games, a few of each game."""
    with np.load(source / "observations.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    entries: list[int] = []
    for number in games:
        found = np.flatnonzero(arrays["game"] == number)
        # Those in which most is heard and seen, the first ones if equal.
        worth = arrays["message"][found].any(axis=2).sum(axis=1) * 100 + sum(
            np.count_nonzero(arrays[key][found].reshape(len(found), -1), axis=1)
            for key in ("bomb_life", "bomb_moving_direction", "flame_life")
        )
        best = np.argsort(-worth, kind="stable")[:OBSERVATIONS_A_GAME]
        entries += sorted(found[best].tolist())
    kept = {key: values[entries] for key, values in arrays.items()}
    kept["game"] = renumbered(kept["game"], games)
    save(target / "observations.npz", kept)
    report(target / "observations.npz", len(entries), len(arrays["game"]))


def write_decisions(name: str, source: Path, target: Path, games: list[int]) -> None:
    """Keep decisions of a scripted agent: of each mode the first ones."""
    with np.load(source / f"{name}.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    usable = np.ones(len(arrays["counts"]), bool)
    if "game" in arrays:
        usable = np.isin(arrays["game"], games)
    entries = [
        entry
        for mode in np.unique(arrays["mode"])
        for entry in np.flatnonzero(usable & (arrays["mode"] == mode))[: DECISIONS // 2]
    ]
    kept = {key: values[sorted(entries)] for key, values in arrays.items()}
    if "game" in arrays:
        kept["game"] = renumbered(kept["game"], games)
    save(target / f"{name}.npz", kept)
    report(target / f"{name}.npz", len(entries), len(usable))


def renumbered(numbers: np.ndarray, games: list[int]) -> np.ndarray:
    """Return the numbers that the games have among the chosen ones."""
    return np.searchsorted(games, numbers).astype(numbers.dtype)


def save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write an archive; NumPy dates its members 1980, so the bytes do not vary."""
    np.savez_compressed(path, **arrays)


def report(path: Path, kept: int, all_: int, features: int = 0) -> None:
    """Print what a file holds."""
    shown = f", {features} features" if features else ""
    print(f"{path.name}: {kept} of {all_}{shown}, {path.stat().st_size:,} bytes")


def main(larger: Path) -> None:
    """Write all files."""
    for reference in ("openspiel", "tag", "pommerman"):
        (HERE / reference).mkdir(exist_ok=True)
    for name, features_of in OPENSPIEL.items():
        write_lines(name, larger / "openspiel", features_of, HERE / "openspiel")
    for name, features_of in TAG.items():
        write_lines(name, larger / "tag", features_of, HERE / "tag")
    source, target = larger / "pommerman", HERE / "pommerman"
    _, shown = write_steps("midgame", source, target, True, set())
    events = {feature for feature in shown if feature[0] != pommerman_features.OF_GAME}
    games, _ = write_steps("games", source, target, False, events)
    write_observations(source, target, games)
    for name in ("simple_agent_policy", "simple_unbiased_policy"):
        write_decisions(name, source, target, games)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
