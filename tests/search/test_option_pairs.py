"""Options against each other: every pair that is accepted together.

Each option is tested by itself in the other files of this folder. Here are all pairs of
the values in `option_pairs`, on games of which the right first move is known
(`tests.games.scaled_games`). Of each pair that a game accepts it is tested that

- the search makes the right move;
- constants that are added to all scores change nothing;
- with `normalise`, factors that all scores are multiplied with change nothing.

Constants and factors differ from player to player: what one player gets is on no
common scale with what another gets, unless the option says so (`leader`).
"""

from collections import Counter
from dataclasses import fields
from functools import cache
from zlib import crc32

import numpy as np
import pytest

from mcts_agents.model import History, new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.options.option import option_of
from tests.exact import positions
from tests.games.scaled_games import TABLES, Table
from tests.search.option_pairs import CASES, WITHOUT, Case, merged, pairs

# Powers of two, so that no value is rounded otherwise.
SHIFTS = np.array([1024.0, -2048.0, 512.0, 4096.0])
SCALES = np.array([8.0, 0.0625, 512.0, 0.25])

# Every pair on one game, on one of two, and on one of all others: all pairs on all of
# them take four times as long, and have not shown any more.
ALWAYS = "debt"
EITHER = ("duel", "cards")
IN_TURN = tuple(name for name in TABLES if name not in (ALWAYS, *EITHER))


# -- what is tested


def accepted(first: Case, second: Case, table: Table) -> SearchSettings | None:
    """Return settings with both options; None if they are refused together."""
    base = {
        "simulations": table.simulations,
        "value": table.value,
        "action_filter": "all",  # the filter is one of the options
    }
    settings = merged(first, second, base)
    if settings is None:
        return None
    try:
        chosen = SearchSettings(**settings)
        chosen.for_model(table.model)
    except ValueError:
        return None
    return chosen


def decision(search: Search, result) -> int:
    """Return the action chosen, or the one that is drawn most probably."""
    if search.settings.final == "sample":
        return int(result.actions[np.argmax(result.strategy)])
    return result.action


def results(search: Search, table: Table, seed=1, **scales) -> list:
    """Return the first decision's result, and the second's where something is kept."""
    search.forget()
    state, rng = table.root(**scales), new_generator(seed)
    found = [search.run(state, table.player, rng, history=History(0, ()))]
    if search.settings.remembers_moves and table.reply is not None:
        moves = (table.best, -1), (-1, table.reply)
        for joint in moves:
            table.model.apply(state, joint, rng)
        found.append(search.run(state, table.player, rng, history=History(0, moves)))
    return found


def wrong_move(search: Search, table: Table, found: list) -> str:
    """Say which move is wrong, if any."""
    if may_be_wrong(search.settings, table):
        return ""
    for right, result in zip((table.best, table.then), found, strict=False):
        if decision(search, result) != right:
            return f"plays {decision(search, result)} for {right}, {shown(result)}"
    return ""


def may_be_wrong(settings: SearchSettings, table: Table) -> bool:
    """Whether a sound search may make another move, however long it takes."""
    # Only results count, and the iterations end before there is one.
    short = settings.rollout == 0 and settings.max_depth < 3
    if short and settings.value == "win" and settings.evaluator is None:
        return True
    # The others, of whom the tree knows nothing, act once for each of its edges.
    modelled = {"self": 1, "pair": 2}.get(settings.tree, table.players)
    if settings.loop == "sampled" and modelled < table.players:
        return True
    # Visits decide that are even.
    if settings.tree_policy == "uniform" and settings.final == "visits":
        return True
    # What TAG adds to a negative score for winning is negative.
    return settings.score_bonus_by == "tag" and table.name == "debt"


def minds_constants(settings: SearchSettings) -> bool:
    """Whether constants added to the scores may change a search."""
    # The bonus is a share of the score.
    if settings.score_bonus > 0.0:
        return True
    # Without normalisation H, from 0 to 1, is a value as it is.
    return settings.initial_visits > 0 and not settings.normalise


def shown(result) -> str:
    """Show visits and values of a result."""
    return f"visits {result.visits.tolist()}, values {result.values.round(3).tolist()}"


def changed(search: Search, table: Table, plain: list, **scales) -> str:
    """Say what shifted or multiplied scores change, if anything.

    Sums with large numbers are rounded otherwise, which may decide between equals: they
    may change places, a few visits may differ, and one search of two.
    """
    said = ""
    for seed in (1, 2):
        if seed > 1:
            plain = results(search, table, seed)
        one, other = plain[-1], results(search, table, seed, **scales)[-1]
        if np.array_equal(one.visits, other.visits):
            return ""
        said = f"{shown(one)} become {shown(other)}"
        if "shift" not in scales:
            return said
        shares = [np.sort(r.visits) / r.visits.sum() for r in (one, other)]
        moved = np.abs(shares[0] - shares[1]).sum() / 2
        if decision(search, one) == decision(search, other) and moved <= 0.05:
            return ""
    return said


def faults(search: Search, table: Table) -> list[str]:
    """Return what is wrong with a search of a table."""
    settings = search.settings
    plain = results(search, table)
    found = [wrong_move(search, table, plain)]
    if settings.value not in ("win", "evaluate"):
        # A lead compares the players' scores.
        players = 1 if settings.value == "leader" else table.players
        if not minds_constants(settings):
            said = changed(search, table, plain, shift=SHIFTS[:players])
            found.append(said and f"with constants added, {said}")
        # Without normalisation values are weighed against numbers as they are.
        if settings.normalise:
            said = changed(search, table, plain, scale=SCALES[:players])
            found.append(said and f"multiplied, {said}")
    return [said for said in found if said]


@cache
def numbered_pairs() -> dict[str, list[tuple[int, Case, Case]]]:
    """Return all pairs by their first option, each with a number of its own.

    It depends on the pair alone: others keep their games when options come.
    """
    found: dict[str, list[tuple[int, Case, Case]]] = {}
    for first, second in pairs():
        number = crc32(f"{first}, {second}".encode())
        found.setdefault(first.name, []).append((number, first, second))
    return found


def tables_of(number: int) -> list[Table]:
    """Return the games of a pair."""
    either, in_turn = EITHER[number % 2], IN_TURN[number // 2 % len(IN_TURN)]
    return [TABLES[name] for name in (ALWAYS, either, in_turn)]


@pytest.mark.parametrize("option", numbered_pairs())
def test_an_option_beside_each_other_one(option):
    said = []
    for number, first, second in numbered_pairs()[option]:
        for table in tables_of(number):
            settings = accepted(first, second, table)
            if settings is not None:
                found = faults(Search(table.model, settings), table)
                said += [f"{first}, {second} in {table.name}: {f}" for f in found]
    assert not said, f"{len(said)} faults:\n" + "\n".join(said[:40])


# -- that there is something to test


def test_every_option_has_a_case():
    names = {field.name for field in fields(SearchSettings)}
    assert {case.name for case in CASES} | set(WITHOUT) == names


def test_every_word_has_a_case():
    for field in fields(SearchSettings):
        words = set(option_of(field).choices) - {field.default}
        given = {c.value for c in CASES if c.name == field.name}
        implied = {"all", "none", "both"}  # what searches do without the option
        assert words - implied <= given, field.name


def test_most_pairs_are_accepted():
    counts = Counter()
    total = 0
    for first, second in pairs():
        if any(accepted(first, second, TABLES[name]) for name in ("debt", "cards")):
            counts.update([str(first), str(second)])
            total += 1
    assert total > 0.7 * len(list(pairs()))
    for case in CASES:
        assert counts[str(case)] > 20, case


# -- that the right moves are right


@pytest.mark.parametrize("others", ["best", "random", "against"])
@pytest.mark.parametrize("name", TABLES)
def test_one_move_is_the_best_by_far(name, others):
    table = TABLES[name]
    worths = table.worths(others)
    leaves = [n.scores for n in table.nodes if hasattr(n, "scores")]
    spread = np.ptp(np.array(leaves)[:, :, table.player])
    rest = [worth for action, worth in worths.items() if action != table.best]
    assert worths[table.best] >= max(rest) + 0.2 * spread


def test_the_position_of_tictactoe_is_a_solved_one():
    (position,) = [p for p in positions.TICTACTOE if p.moves == (0, 2, 7, 4)]
    free = [cell for cell in range(9) if cell not in position.moves]
    assert free[TABLES["tictactoe"].best] == position.best
