"""Nogo and Atarigo against a plain twin, recorded games and a paper's statistics."""

import re

import numpy as np
import pytest
from scipy.stats import chisquare

from mcts_agents.agents import make_agent
from mcts_agents.envs import atarigo, nogo
from mcts_agents.model import LOST, PLAYING, WON, draw_below, new_generator
from mcts_agents.model.contract import MOVE
from mcts_agents.recorded import verify_file
from tests.envs.code_presence import assert_near, statistics
from tests.envs.stones_twin import Twin, random_ends
from tests.golden import are_enough, golden_folder

GAMES = {game.name: game for game in (nogo.GAME, atarigo.GAME)}
# Of one word, of exactly 64 points, and of two words.
VARIANTS = [
    *(("nogo", players, size) for players in (2, 3) for size in (2, 3, 5, 8, 9, 11)),
    *(("atarigo", 2, size) for size in (2, 3, 6, 8, 9, 11)),
]
every_variant = pytest.mark.parametrize(("name", "players", "size"), VARIANTS)


def model_of(name, players, size):
    return GAMES[name].rules.model(players=players, size=size)


def twin_of(name, players, size):
    return Twin(size, players, name == "atarigo")


def draw(model, state, rng):
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    return player, int(legal[draw_below(rng, len(legal))])


def compare(model, state, twin):
    over, players = twin.winner is not None, range(twin.players)
    assert model.movers(state) == (() if over else (twin.turn,))
    outcome = [WON if twin.winner == player else LOST for player in players]
    assert model.results(state).tolist() == (
        outcome if over else [PLAYING] * len(players)
    )
    assert model.scores(state).tolist() == [twin.winner == player for player in players]
    plies = len(twin.owners)
    assert (model.turn(state), model.round(state)) == (plies, plies // twin.players)
    for player in players:
        out = model.call("is_out", state.ctypes.data, player)
        assert out == (player in twin.lost)
        planes = model.observe(state, player)
        for seat, plane in enumerate(planes[: twin.players]):
            owner = (player + seat) % twin.players
            shown = {(int(row), int(column)) for row, column in np.argwhere(plane)}
            assert shown == {p for p, other in twin.owners.items() if other == owner}
        assert (planes[twin.players] == (not over and twin.turn == player)).all()
        lost = planes[twin.players + 1 :]
        assert len(lost) == (0 if twin.players == 2 else 3)
        for seat, plane in enumerate(lost):
            assert (plane == ((player + seat) % twin.players in twin.lost)).all()
    if not over:
        legal = [row * twin.size + column for row, column in twin.moves(twin.turn)]
        assert model.legal_actions(state, twin.turn).tolist() == legal
        codes = [model.move_code(state, twin.turn, action) for action in legal]
        assert codes == [twin.turn * twin.size**2 + action for action in legal]


@every_variant
def test_random_games_agree_with_the_twin(name, players, size):
    model, rng = model_of(name, players, size), new_generator(size)
    for _ in range(max(1, 40 // size**2)):
        state, twin = model.reset(rng), twin_of(name, players, size)
        compare(model, state, twin)
        while twin.winner is None:
            player, action = draw(model, state, rng)
            model.apply(state, {player: action}, rng)
            twin.play(divmod(action, size))
            compare(model, state, twin)


@pytest.mark.parametrize(
    "file",
    [
        *("nogo_5x5", "nogo_7x7", "nogo_9x9"),
        *("atarigo_6x6", "atarigo_7x7", "atarigo_9x9"),
    ],
)
def test_recorded_games_are_played_alike(file):
    path = golden_folder("openspiel") / f"{file}.jsonl.gz"
    report = verify_file(GAMES[file.partition("_")[0]], path)
    assert report.first is None
    assert report.mismatches == 0
    assert are_enough(report.games, f"openspiel: games of {file}", 100)


# -- random play


@every_variant
@pytest.mark.parametrize("limit", [0, 1, 13, 1000])
def test_recorded_moves_of_playouts_lead_to_where_playouts_do(
    name, players, size, limit
):
    model = model_of(name, players, size)
    for seed in range(20):
        one, two = new_generator(seed), new_generator(seed)
        played, stepped = model.reset(one), model.reset(two)
        for _ in range(seed % 4):  # also from other positions than the opening
            if not model.is_over(played):
                player, action = draw(model, played, new_generator(seed))
                for state in (played, stepped):
                    model.apply(state, {player: action}, two)
        recorded = model.copy(stepped)
        moves = model.playout_moves(recorded, two, limit)
        assert moves.dtype == MOVE
        assert model.playout(played, one, limit) == len(moves) <= limit
        assert played.tobytes() == recorded.tobytes()
        assert (one == two).all()
        for player, code in moves.tolist():
            action = code - player * size**2
            assert model.movers(stepped) == (player,)
            assert action in model.legal_actions(stepped, player)
            model.apply(stepped, {player: action}, two)
        assert stepped.tobytes() == recorded.tobytes()
        assert len(moves) == limit or model.is_over(recorded)
        if limit == 1000:
            assert model.playout(played, one, 50) == 0


@pytest.mark.parametrize(
    ("name", "players", "size", "plies"),
    [
        ("nogo", 2, 3, 2),
        ("nogo", 2, 5, 16),
        ("nogo", 3, 3, 2),
        ("nogo", 3, 5, 15),
        ("nogo", 2, 9, 71),
        ("nogo", 3, 9, 66),
        ("atarigo", 2, 3, 2),
        ("atarigo", 2, 5, 17),
    ],
)
def test_playouts_end_as_often_in_each_way_as_random_steps_do(
    name, players, size, plies
):
    """Lengths and winners of playouts, with their exact chances from the twin."""
    model, rng = model_of(name, players, size), new_generator(5)
    checked = 0
    for _ in range(1000):
        state, twin = model.reset(rng), twin_of(name, players, size)
        for _ in range(plies):
            if twin.winner is None:
                player, action = draw(model, state, rng)
                model.apply(state, {player: action}, rng)
                twin.play(divmod(action, size))
        where = {point for seat in range(players) for point in twin.moves(seat)}
        if twin.winner is not None or len(where) > 8:
            continue
        ends = random_ends(twin, {})
        assert sum(ends.values()) == pytest.approx(1)
        games = 4000
        found = dict.fromkeys(ends, 0)
        for _ in range(games):
            end = state.copy()
            length = model.playout(end, rng)
            found[length, model.results(end).tolist().index(WON)] += 1
        often = [end for end, chance in ends.items() if games * chance >= 5]
        counts = [found[end] for end in often]
        expected = [games * ends[end] for end in often]
        rest = games - sum(counts), games - sum(expected)
        if rest[1] > 0.5:
            counts, expected = [*counts, rest[0]], [*expected, rest[1]]
        if len(counts) > 1:
            assert chisquare(counts, expected).pvalue > 1e-4
            checked += 1
        if checked == 3:
            break
    else:
        raise AssertionError(f"only {checked} positions near the end were found")


@pytest.mark.parametrize(
    ("name", "players", "size", "plies"),
    [
        ("nogo", 2, 5, 10),
        ("nogo", 3, 9, 50),
        ("atarigo", 2, 6, 14),
        ("atarigo", 2, 9, 40),
    ],
)
def test_moves_are_drawn_uniformly(name, players, size, plies):
    model, rng = model_of(name, players, size), new_generator(9)
    refusing = 0
    while refusing < 2:
        state = model.reset(rng)
        model.playout(state, rng, plies)
        if model.is_over(state):
            continue
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player).tolist()
        # Positions with points that a playout may draw and must refuse.
        if len(legal) == size**2 - plies or len(legal) < 2:
            continue
        refusing += 1
        draws = 200 * len(legal)
        at = state.ctypes.data, player, rng.ctypes.data
        drawn = [model.call("random_action", *at) for _ in range(draws)]
        played = []
        for _ in range(draws):
            end = state.copy()
            model.playout(end, rng, 1)
            played.append(int(model.view(end)["last"]))
        for actions in (drawn, played):
            assert set(actions) == set(legal)
            counts = [actions.count(action) for action in legal]
            assert chisquare(counts).pvalue > 1e-4


def test_second_moves_of_playouts_are_uniform_among_legal_ones():
    """In Atarigo a point that is refused may be drawn again later."""
    model, rng = model_of("atarigo", 2, 3), new_generator(2)
    state, twin = model.reset(rng), twin_of("atarigo", 2, 3)
    for point in ((0, 1), (1, 1), (1, 0)):
        model.apply(state, {twin.turn: point[0] * 3 + point[1]}, rng)
        twin.play(point)
    assert (0, 0) not in twin.moves(1)  # suicide
    found = {}
    games = 20_000
    for _ in range(games):
        pair = tuple(model.playout_moves(state.copy(), rng, 3)["code"].tolist())
        found[pair] = found.get(pair, 0) + 1
    expected = {}

    def follow(twin, codes, chance):
        if twin.winner is not None or len(codes) == 3:
            expected[codes] = games * chance
            return
        moves = twin.moves(twin.turn)
        for point in moves:
            after = twin.copy()
            after.play(point)
            code = twin.turn * 9 + point[0] * 3 + point[1]
            follow(after, (*codes, code), chance / len(moves))

    follow(twin, (), 1.0)
    assert set(found) == set(expected)
    assert any(1 * 9 + 0 in codes[1:] for codes in expected)  # it captures by then
    counts = [found[codes] for codes in expected]
    assert chisquare(counts, list(expected.values())).pvalue > 1e-4


@pytest.mark.parametrize(
    ("name", "players", "first", "length", "presence"),
    [
        ("nogo", 2, 25, 22.023, 0.450),
        ("nogo", 3, 25, 20.844, 0.292),
        ("atarigo", 2, 36, 24.165, 0.343),
    ],
)
def test_statistics_are_those_of_the_paper(name, players, first, length, presence):
    """Table 7 of T. Cazenave, "Monte Carlo Permutation Search" (2025)."""
    model = GAMES[name].rules.model(players=players)
    plies, moves, present = statistics(model, "exact", 7)
    assert moves == first
    assert_near(plies, length)
    assert abs(present - presence) <= 0.003


# -- positions


@pytest.mark.parametrize(
    ("name", "players", "size"),
    [("nogo", 2, 4), ("nogo", 3, 3), ("nogo", 2, 9), ("atarigo", 2, 5)],
)
def test_keys_and_positions_are_one_to_one(name, players, size):
    model, rng = model_of(name, players, size), new_generator(2)
    key_of, position_of = {}, {}
    for _ in range(100):
        state = model.reset(rng)
        while not model.is_over(state):
            player, action = draw(model, state, rng)
            model.apply(state, {player: action}, rng)
            position = model.observe(state, 0).tobytes()
            key = model.state_key(state)
            assert key_of.setdefault(position, key) == key
            assert position_of.setdefault(key, position) == position
    assert len(key_of) > 500


@pytest.mark.parametrize(("players", "size"), [(2, 5), (3, 5), (2, 9)])
def test_permuted_moves_of_nogo_lead_to_the_same_position(players, size):
    """Each player's moves in another order, while nobody has lost yet."""
    model, rng = model_of("nogo", players, size), new_generator(4)
    dice = np.random.default_rng(4)
    plies = 2 * players * (size // 2)
    for _ in range(20):
        state = model.reset(rng)
        moves = model.playout_moves(state, rng, plies)
        if len(moves) < plies or model.view(state)["out"]:
            continue
        permuted = moves["code"].copy()
        for player in range(players):
            permuted[player::players] = dice.permutation(permuted[player::players])
        other = model.reset(rng)
        for player, code in zip(
            moves["player"].tolist(), permuted.tolist(), strict=True
        ):
            action = code - player * size**2
            assert action in model.legal_actions(other, player)
            model.apply(other, {player: action}, rng)
        assert model.state_key(other) == model.state_key(state)
        assert (model.observe(other, 0) == model.observe(state, 0)).all()


def play(model, text):
    """Play moves from the opening, such as `a1 b2`."""
    rng = new_generator(0)
    state = model.reset(rng)
    for word in text.split():
        (player,) = model.movers(state)
        action = GAMES[model.name].parse_action(model, word)
        assert action in model.legal_actions(state, player)
        model.apply(state, {player: action}, rng)
    return state


def test_a_lost_player_is_skipped_and_the_others_go_on():
    model, rng = model_of("nogo", 3, 5), new_generator(0)
    for _ in range(300):
        state, lost_after = model.reset(rng), {}
        movers = []
        while not model.is_over(state):
            player, action = draw(model, state, rng)
            movers.append(player)
            model.apply(state, {player: action}, rng)
            for other in range(3):
                if model.call("is_out", state.ctypes.data, other):
                    lost_after.setdefault(other, len(movers))
        assert len(lost_after) == 2
        for player, ply in lost_after.items():
            assert player not in movers[ply:]
        first = min(lost_after.values())
        if max(lost_after.values()) > first + 2:
            break
    else:
        raise AssertionError("in no game did two go on for some moves")


def test_a_capture_wins_though_the_stone_has_no_liberty_before_it():
    model, game = model_of("atarigo", 2, 3), GAMES["atarigo"]
    state = play(model, "b1 a2 c2 b2 a1")
    model.apply(state, {1: game.parse_action(model, "c1")}, new_generator(0))
    assert model.results(state).tolist() == [LOST, WON]
    shown = game.ansi(model, state, None)
    assert shown.endswith("c1 captures, White (O) wins")
    # Without a liberty of the stones beside it nothing is captured: suicide.
    state = play(model, "b1 c3 c2 a3 a1")
    assert 2 not in model.legal_actions(state, 1)


# -- variants and notation


@pytest.mark.parametrize(
    ("name", "variant", "words"),
    [
        ("nogo", {"players": 1}, "players=1: nogo is for 2 or 3 players"),
        ("nogo", {"players": 4}, "players=4: nogo is for 2 or 3 players"),
        ("nogo", {"size": 1}, "size=1: nogo has boards of 2 to 11 points a side"),
        ("nogo", {"size": 12}, "size=12: nogo has boards of 2 to 11 points a side"),
        ("nogo", {"size": True}, "size=True"),
        ("nogo", {"size": 5.0}, r"size=5\.0"),
        ("nogo", {"size": "5"}, "size='5'"),
        ("atarigo", {"players": 3}, "players=3: atarigo is for 2 players"),
        ("atarigo", {"size": 19}, "size=19: atarigo has boards of 2 to 11"),
    ],
)
def test_variants_that_do_not_exist_are_named(name, variant, words):
    with pytest.raises(ValueError, match=words):
        GAMES[name].rules.model(**variant)


@every_variant
def test_every_action_has_a_text_of_its_own(name, players, size):
    model, game = model_of(name, players, size), GAMES[name]
    texts = [game.format_action(model, action) for action in range(model.actions)]
    assert len(set(texts)) == model.actions == size**2
    assert [game.parse_action(model, text) for text in texts] == list(range(size**2))


def test_points_are_written_and_read():
    model = model_of("nogo", 2, 5)
    assert nogo.GAME.format_action(model, 7) == "c2"
    assert nogo.GAME.parse_action(model, " C2 ") == 7
    for text in ("", "c", "c0", "c6", "f1", "2c"):
        with pytest.raises(ValueError, match="a column a to e and a row 1 to 5"):
            nogo.GAME.parse_action(model, text)


def test_headers_of_records_say_the_size():
    header = {"game": "nogo", "openspiel": "derived from go(board_size=7)"}
    assert nogo.GAME.recorded_variant(header) == {"size": 7}
    with pytest.raises(ValueError, match="a record of 'nogo', not of atarigo"):
        atarigo.GAME.recorded_variant(header)
    with pytest.raises(ValueError, match="openspiel='go': expected a size"):
        nogo.GAME.recorded_variant({"game": "nogo", "openspiel": "go"})


def test_the_text_shows_the_board():
    model = model_of("nogo", 3, 3)
    state = play(model, "b1 a3 c2")
    assert nogo.GAME.ansi(model, state, None).splitlines() == [
        "   a b c",
        " 1 . X . 1",
        " 2 . . # 2",
        " 3 O . . 3",
        "   a b c",
        "c2 played, Black (X) to move",
    ]
    state = play(model_of("nogo", 2, 2), "a1 b2 a2")
    shown = nogo.GAME.ansi(model_of("nogo", 2, 2), state, None)
    assert shown.endswith("White (O) had no legal move, Black (X) wins")


def test_the_pages_say_which_boards_there_are():
    for module in (nogo, atarigo):
        assert re.search(r"`size`: .*, 2 to 11\.", module.__doc__)


# -- play


@pytest.mark.parametrize(
    ("module", "options"), [(nogo, {"size": 4}), (atarigo, {"size": 5})]
)
@pytest.mark.parametrize("spec", ["mcts:simulations=300", "mcps:simulations=300"])
def test_planners_beat_random_players(module, options, spec):
    env = module.env(**options)
    wins = 0
    for seed in range(10):
        env.reset(seed=seed)
        seat = seed % 2
        agents = [make_agent("random", seed=seed)] * 2
        agents[seat] = make_agent(spec, seed=seed)
        while not any(env.terminations.values()):
            player = env.possible_agents.index(env.agent_selection)
            env.step(agents[player].act(env))
        wins += env.rewards[f"player_{seat}"] == 1
    assert wins >= 9
