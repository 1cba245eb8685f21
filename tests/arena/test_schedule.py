"""Who plays whom: everything is counted anew, from the games themselves."""

import hashlib
import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.spec_values import MOST_SEED, SettingError
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

PLAYERS = {"tictactoe": [2], "sushi_go": [2, 3, 4, 5], "diamant": [2, 3, 4, 5, 6]}
PLAYERS["love_letter"] = [2, 3, 4]

NAMES = "abcdef"


def tournament(game, players, agents, **keys):
    """Return a tournament of agents that differ by their names alone."""
    return TournamentSpec(
        games={"game": game, "players": players},
        agents=dict.fromkeys(NAMES[:agents], "random"),
        **keys,
    )


def fixtures(*tournament_keys, **keys):
    return list(Schedule(tournament(*tournament_keys, **keys)))


def names(fixture):
    return "".join(entrant.name[0] for entrant in fixture.seats)


def lineup(fixture):
    return "".join(sorted(names(fixture)))


def whole_lineups(agents, players):
    """Return how many line-ups there are, by trying all."""
    counts = set()
    for seats in itertools.combinations_with_replacement(range(agents), players):
        seated = [seats.count(agent) for agent in range(agents)]
        if max(seated) - min(seated) <= 1:
            counts.add(seats)
    return len(counts)


def seats_of(played, agents, players):
    """Return how often each agent sits in each seat."""
    counts = Counter((n, s) for f in played for s, n in enumerate(names(f)))
    return {(n, s): counts[n, s] for n in NAMES[:agents] for s in range(players)}


tables = st.sampled_from(sorted(PLAYERS)).flatmap(
    lambda game: st.tuples(st.just(game), st.sampled_from(PLAYERS[game]))
)
seeds = st.integers(0, MOST_SEED)


@settings(max_examples=25, deadline=None)
@given(tables, st.integers(2, 6), st.integers(1, 2), seeds)
def test_round_robin_gives_every_agent_every_seat_equally_often(
    table, agents, blocks, seed
):
    game, players = table
    block = whole_lineups(agents, players) * players
    played = fixtures(game, players, agents, games_each=blocks * block, seed=seed)
    assert [f.number for f in played] == list(range(1, blocks * block + 1))
    assert {len(f.seats) for f in played} == {players}
    assert len({f.seed for f in played}) == len(played)
    shares = seats_of(played, agents, players)
    assert len(set(shares.values())) == 1
    lineups = Counter(map(lineup, played))
    assert len(lineups) == whole_lineups(agents, players)
    assert set(lineups.values()) == {blocks * players}
    for fixture in played:
        seated = [names(fixture).count(n) for n in NAMES[:agents]]
        assert max(seated) - min(seated) <= 1
    # At any moment no line-up is more than one game ahead of another.
    for first in range(0, len(played), len(lineups)):
        lap = played[first : first + len(lineups)]
        assert len(set(map(lineup, lap))) == len(lineups)


@settings(max_examples=25, deadline=None)
@given(tables, st.integers(1, 6), st.integers(1, 2), seeds)
def test_one_against_field_gives_every_agent_every_seat_equally_often(
    table, agents, blocks, seed
):
    game, players = table
    block = agents * players
    played = fixtures(
        game, players, agents, games_each=blocks * block, seed=seed,
        design="one-against-field", field="one-step",
    )  # fmt: skip
    assert [f.number for f in played] == list(range(1, blocks * block + 1))
    assert {len(f.seats) for f in played} == {players}
    assert len({f.seed for f in played}) == len(played)
    for fixture in played:
        seated = [entrant.name for entrant in fixture.seats]
        assert seated.count("field") == players - 1
        assert {entrant.spec for entrant in fixture.seats if entrant.name == "field"}
    alone = Counter(
        (entrant.name, seat)
        for fixture in played
        for seat, entrant in enumerate(fixture.seats)
        if entrant.name != "field"
    )
    assert set(alone.values()) == {blocks}
    assert len(alone) == agents * players


@settings(max_examples=15, deadline=None)
@given(tables, st.integers(2, 4), seeds)
def test_all_seats_plays_every_order_of_a_lineup_from_one_deal(table, agents, seed):
    game, players = table
    orders = {
        seats
        for seats in itertools.product(NAMES[:agents], repeat=players)
        if max(map(seats.count, NAMES[:agents])) - min(map(seats.count, NAMES[:agents]))
        <= 1
    }
    played = fixtures(
        game, players, agents, games_each=2 * len(orders), seed=seed, design="all-seats"
    )
    halves = played[: len(orders)], played[len(orders) :]
    deals = []
    for half in halves:
        assert {tuple(names(fixture)) for fixture in half} == orders
        by_lineup = {}
        for fixture in half:
            by_lineup.setdefault(lineup(fixture), set()).add(fixture.seed)
        assert {len(found) for found in by_lineup.values()} == {1}
        deals += [seed for found in by_lineup.values() for seed in found]
    # No two line-ups share a deal, and the second cycle has new ones.
    assert len(set(deals)) == 2 * whole_lineups(agents, players)
    # Few orders may well come out alike twice.
    if len(orders) >= 12:
        assert [f.seats for f in halves[0]] != [f.seats for f in halves[1]]


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["round-robin", "one-against-field", "all-seats"]),
    st.integers(2, 4),
    st.integers(1, 4),
    st.integers(1, 4),
    seeds,
)
def test_more_games_begin_with_the_games_before(design, agents, fewer, more, seed):
    # What all-seats takes multiples of, for two to four agents in these games.
    unit = 24 if design == "all-seats" else 7
    spec = {
        "games": [{"game": "sushi_go", "players": [2, 3]}, "tictactoe"],
        "agents": dict.fromkeys(NAMES[:agents], "random"),
        "budgets": [10, "20ms"],
        "design": design,
        "field": "random" if design == "one-against-field" else None,
        "seed": seed,
    }
    short = list(Schedule(TournamentSpec(**spec, games_each=fewer * unit)))
    schedule = Schedule(TournamentSpec(**spec, games_each=(fewer + more) * unit))
    assert len(schedule) == (fewer + more) * unit * 6
    assert list(itertools.islice(schedule, len(short))) == short
    # Tables take turns, so that they have about as many games at any moment.
    for round_ in range(fewer * unit):
        games = short[6 * round_ : 6 * round_ + 6]
        assert [f.round for f in games] == [round_] * 6
        assert [f.setting for f in games] == schedule.settings


def test_tables_have_deals_of_their_own():
    spec = TournamentSpec(
        games=[{"game": "sushi_go", "players": [2, 3]}, "hex:size=3", "hex:size=4"],
        agents=["mcts", "random"],
        budgets=[10, 20],
        games_each=200,
    )
    played = list(Schedule(spec))
    assert len({f.seed for f in played}) == len(played) == 1600
    assert all(0 <= f.seed <= MOST_SEED for f in played)
    other = list(Schedule(spec.model_copy(update={"seed": 1})))
    assert not {f.seed for f in other} & {f.seed for f in played}


def test_all_seats_of_many_players_begin_at_once():
    """Two agents in 14 seats have 3,432 orders, and 14! permutations."""
    played = fixtures("poker", 14, 2, games_each=3432, design="all-seats")
    orders = Counter("".join(names(fixture)) for fixture in played)
    assert len(orders) == 3432
    assert set(orders.values()) == {1}
    assert all(order.count("a") == 7 for order in orders)


def test_the_derivation_stays_as_it_is():
    """Stores that people have go on as they began: these lists must never change."""

    def listed(*keys, **more):
        return [(names(f), f.seed) for f in fixtures(*keys, **more, seed=7)]

    assert listed("sushi_go", 2, 3, games_each=8) == [
        ("bc", 5219213255743765),
        ("ab", 5140913575904815),
        ("ca", 1155081864344569),
        ("cb", 2521100132986057),
        ("ba", 5703511918672508),
        ("ac", 8811693240547596),
        ("ca", 4965811936721904),
        ("ab", 8370142957595249),
    ]
    # The third game's, by hand: seed, table and number of the game.
    digest = hashlib.sha256(b"7\nsushi_go|2|\n2").hexdigest()
    assert int(digest[:16], 16) // 2**11 == 1155081864344569
    alone = {"design": "one-against-field", "field": "one-step"}
    assert listed("sushi_go", 3, 2, games_each=6, **alone) == [
        ("faf", 887727122456096),
        ("bff", 25317348395357),
        ("aff", 7667845240367211),
        ("ffb", 2182013304075915),
        ("ffa", 2041081154018299),
        ("fbf", 1336943960011280),
    ]
    assert listed("sushi_go", 3, 2, games_each=6, design="all-seats") == [
        ("bab", 4681894220830235),
        ("aba", 6766647927339266),
        ("aab", 6766647927339266),
        ("abb", 4681894220830235),
        ("bba", 4681894220830235),
        ("baa", 6766647927339266),
    ]


def test_a_design_that_cannot_be_balanced_is_refused():
    for design in ("round-robin", "all-seats"):
        with pytest.raises(SettingError, match=f"one agent cannot play {design}"):
            fixtures("tictactoe", 2, 1, design=design)
    with pytest.raises(SettingError, match=r"multiple: 24$") as refused:
        fixtures("sushi_go", 4, 4, games_each=5, design="all-seats")
    assert refused.value.place == ("games_each",)
    with pytest.raises(SettingError, match=r"multiple: 24 or 48$"):
        fixtures("sushi_go", 4, 4, games_each=25, design="all-seats")
    many = dict.fromkeys(map(str, range(30)), "random")
    with pytest.raises(SettingError, match=r"30 agents in 6 seats are \d+ arrang"):
        Schedule(
            TournamentSpec(
                games={"game": "diamant", "players": 6},
                agents=many,
                games_each=math.comb(30, 6) * math.factorial(6),
                design="all-seats",
            )
        )


def test_the_number_of_games_is_known_before_any():
    assert len(Schedule(tournament("sushi_go", [2, 3, 4], 3, games_each=10**9))) == (
        3 * 10**9
    )
