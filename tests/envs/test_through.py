"""Breakthrough and Knightthrough against a slow twin, and against known figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.agents import make_agent
from mcts_agents.envs import breakthrough, knightthrough, make_model
from mcts_agents.model import LOST, PLAYING, WON, draw_below, new_generator
from mcts_agents.model.contract import MOVE
from mcts_agents.search import Search, SearchSettings
from tests.envs.through_twin import Twin

GAMES = {game.name: game for game in (breakthrough.GAME, knightthrough.GAME)}
BOARDS = [(8, 8), (6, 5), (6, 4), (16, 4), (6, 10), (9, 7)]
every_game = pytest.mark.parametrize("name", GAMES)


def model_and_twin(name, rows=8, columns=8):
    model = GAMES[name].rules.model(rows=rows, columns=columns)
    return model, Twin(rows, columns, name == "knightthrough")


def text_of(model, action):
    return GAMES[model.name].format_action(model, action)


def read(model, text):
    return GAMES[model.name].parse_action(model, text)


def random_action(model, state, rng):
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    return player, int(legal[draw_below(rng, len(legal))])


def random_positions(model, rng, games):
    """Every position of random games in which somebody is to move."""
    for _ in range(games):
        state = model.reset(rng)
        while not model.is_over(state):
            yield state
            player, action = random_action(model, state, rng)
            model.apply(state, {player: action}, rng)


def compare(model, state, twin):
    over = twin.winner is not None
    assert model.movers(state) == (() if over else (twin.turn,))
    outcome = [WON if twin.winner == player else LOST for player in range(2)]
    assert model.results(state).tolist() == (outcome if over else [PLAYING] * 2)
    assert model.scores(state).tolist() == [twin.winner == p for p in range(2)]
    assert (model.turn(state), model.round(state)) == (twin.plies, twin.plies // 2)
    for player in range(2):
        own, other, turn = model.observe(state, player)
        for plane, owner in ((own, player), (other, 1 - player)):
            shown = {(int(row), int(column)) for row, column in np.argwhere(plane)}
            assert shown == {s for s, p in twin.owners.items() if p == owner}
        assert (turn == (not over and twin.turn == player)).all()
    if over:
        return
    moves, player = twin.moves(twin.turn), twin.turn
    assert moves  # nobody is ever stuck
    legal = model.legal_actions(state, player).tolist()
    texts = [text_of(model, action) for action in legal]
    assert sorted(texts) == sorted(moves)
    captures = [moves[text][1] in twin.owners for text in texts]
    codes = [2 * a + c for a, c in zip(legal, captures, strict=True)]
    assert [model.move_code(state, player, action) for action in legal] == codes
    value = twin.value()
    assert model.evaluate(state) == pytest.approx([value, 1 - value], abs=1e-12)
    expected = [twin.value_of(text) for text in texts]
    assert model.action_values(state, player) == pytest.approx(expected)


@every_game
@pytest.mark.parametrize(("rows", "columns"), BOARDS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(name, rows, columns, seed):
    rng = new_generator(seed)
    model, twin = model_and_twin(name, rows, columns)
    state = model.reset(rng)
    compare(model, state, twin)
    while not model.is_over(state):
        player, action = random_action(model, state, rng)
        twin.play(text_of(model, action))
        model.apply(state, {player: action}, rng)
        compare(model, state, twin)


@every_game
def test_who_loses_the_last_piece_has_lost(name):
    """Random games hardly ever end so: all but one piece are taken off the board."""
    model, twin = model_and_twin(name, 6, 5)
    rng = new_generator(0)
    state = model.reset(rng)
    record = model.view(state)
    hit = (2, 1) if name == "breakthrough" else (3, 1)
    twin.owners = {(1, 0): 0, hit: 1}
    record["pieces"] = [1 << row * 5 + column for row, column in twin.owners]
    compare(model, state, twin)
    text = f"a5{twin.name(hit)}"
    model.apply(state, {0: read(model, text)}, rng)
    twin.play(text)
    assert twin.winner == 0
    compare(model, state, twin)
    for seed in range(20):  # in playouts, too
        state, rng = model.reset(rng), new_generator(seed)
        record = model.view(state)
        record["pieces"] = [1 << 5, 1 << hit[0] * 5 + hit[1]]
        moves = model.playout_moves(state, rng, 100)
        if moves["code"][0] % 2:
            assert len(moves) == 1
            assert model.results(state).tolist() == [WON, LOST]
            break
    else:
        raise AssertionError("no playout captured")


@every_game
def test_mirrored_and_turned_games_are_alike(name):
    """Left and right may be swapped, and the players, when the board is turned."""
    model, _ = model_and_twin(name, 7, 6)
    rng = new_generator(4)

    def mirrored(text):
        letters = "abcdefghij"
        swapped = [letters[5 - letters.index(letter)] for letter in text[::2]]
        return f"{swapped[0]}{text[1]}{swapped[1]}{text[3]}"

    def turned(text):
        text = mirrored(text)
        return f"{text[0]}{8 - int(text[1])}{text[2]}{8 - int(text[3])}"

    for _ in range(10):
        state, mirror, turn = (model.reset(rng) for _ in range(3))
        model.pass_turn(turn)
        while not model.is_over(state):
            player, action = random_action(model, state, rng)
            legal = model.legal_actions(state, player).tolist()
            texts = {text_of(model, a) for a in legal}
            there = model.legal_actions(mirror, player).tolist()
            assert {text_of(model, a) for a in there} == set(map(mirrored, texts))
            # A step is the same one as its mover sees it.
            squares = 42
            other = model.legal_actions(turn, 1 - player).tolist()
            steps = model.actions // (2 * squares)
            expected = [
                ((1 - player) * squares + squares - 1 - a // steps % squares) * steps
                + a % steps
                for a in legal
            ]
            assert sorted(other) == sorted(expected)
            text = text_of(model, action)
            assert model.evaluate(state) == pytest.approx(model.evaluate(mirror))
            assert model.evaluate(state) == pytest.approx(model.evaluate(turn)[::-1])
            model.apply(state, {player: action}, rng)
            model.apply(mirror, {player: read(model, mirrored(text))}, rng)
            model.apply(turn, {1 - player: read(model, turned(text))}, rng)
            results = model.results(state).tolist()
            assert model.results(mirror).tolist() == results
            assert model.results(turn).tolist() == results[::-1]


# -- random play


@every_game
@pytest.mark.parametrize("limit", [0, 1, 17, 10**6])
def test_a_playout_is_the_same_as_random_steps(name, limit):
    model, _ = model_and_twin(name, 9, 7)
    for seed in range(60):
        one, two, three = (new_generator(seed) for _ in range(3))
        stepped, played, recorded = (model.reset(rng) for rng in (one, two, three))
        codes = []
        while len(codes) < limit and not model.is_over(stepped):
            (player,) = model.movers(stepped)
            at = stepped.ctypes.data, player, one.ctypes.data
            action = model.call("random_action", *at)
            codes.append((player, model.move_code(stepped, player, action)))
            model.apply(stepped, {player: action}, one)
        n = model.call("playout", played.ctypes.data, two.ctypes.data, limit)
        assert (n, played.tobytes()) == (len(codes), stepped.tobytes())
        moves = model.playout_moves(recorded, three, min(limit, 1000))
        assert moves.dtype == MOVE
        assert moves.tolist() == codes
        assert recorded.tobytes() == stepped.tobytes()
        assert (one == two).all()
        assert (one == three).all()
        if limit > 100:
            at = played.ctypes.data, two.ctypes.data, 50
            assert model.call("playout", *at) == 0


@every_game
def test_random_actions_are_uniform(name):
    model, _ = model_and_twin(name)
    rng = new_generator(5)
    checked = 0
    for number, state in enumerate(random_positions(model, rng, 2)):
        if number % 9:
            continue
        (player,) = model.movers(state)
        legal = sorted(model.legal_actions(state, player).tolist())
        at = state.ctypes.data, player, rng.ctypes.data
        drawn = [model.call("random_action", *at) for _ in range(200 * len(legal))]
        actions, counts = np.unique(drawn, return_counts=True)
        assert actions.tolist() == legal
        statistic = ((counts - 200) ** 2 / 200).sum()
        freedom = len(legal) - 1
        # Far out of what chance does: mean + 6 standard deviations.
        assert statistic < freedom + 6 * np.sqrt(2 * freedom)
        checked += 1
    assert checked > 5


@pytest.mark.parametrize(
    ("name", "first_moves", "length", "frequency"),
    [("breakthrough", 22, 64.1, 0.423), ("knightthrough", 40, 33.624, 0.21)],
)
def test_random_games_are_those_of_the_mcps_paper(name, first_moves, length, frequency):
    """T. Cazenave, "Monte Carlo Permutation Search" (2025), table 7.

    The frequency of codes: in how many games a first move's code occurs, on average.
    """
    model, _ = model_and_twin(name)
    rng = new_generator(7)
    opening = model.reset(rng)
    codes = [
        model.move_code(opening, 0, action)
        for action in model.legal_actions(opening, 0).tolist()
    ]
    assert len(codes) == first_moves
    games = 10_000
    plies = found = 0
    for _ in range(games):
        moves = model.playout_moves(model.reset(rng), rng, 1000)
        plies += len(moves)
        found += np.isin(codes, moves["code"][moves["player"] == 0]).sum()
    assert plies / games == pytest.approx(length, rel=0.02)
    assert found / games / first_moves == pytest.approx(frequency, rel=0.02, abs=0.003)


@every_game
def test_searches_count_the_same_random_games(name):
    model, _ = model_and_twin(name)
    rng = new_generator(8)
    search = Search(model, SearchSettings())
    plies = search.random_games(model.reset(rng), 4000, rng) / 4000
    known = {"breakthrough": 64.1, "knightthrough": 33.6}[name]
    assert plies == pytest.approx(known, rel=0.02)


# -- positions


@every_game
def test_keys_and_positions_are_one_to_one(name):
    model, _ = model_and_twin(name)
    key_of, board_of = {}, {}
    for state in random_positions(model, new_generator(2), 80):
        board = model.observe(state, 0).tobytes()
        key = model.state_key(state)
        assert key_of.setdefault(board, key) == key
        assert board_of.setdefault(key, board) == board
    assert len(key_of) > 2000


@every_game
def test_no_piece_is_taken_for_a_turn(name):
    """A position, and the other player's turn with a piece more or less on a square."""
    model, _ = model_and_twin(name)
    state = model.reset(new_generator(1))
    keys = set()
    for turn in (0, 1):
        for square in range(64):
            other = model.copy(state)
            record = model.view(other)
            record["turn"] = turn
            record["pieces"][0] ^= np.uint64(1) << np.uint64(square)
            keys.add(model.state_key(other))
    assert len(keys) == 128


@every_game
def test_ways_that_lead_to_one_position_have_one_key(name):
    model, twin = model_and_twin(name)
    rng = new_generator(1)
    black = sorted(text for text in twin.moves(0) if text[0] in "ah")
    white = next(iter(twin.moves(1)))
    keys = set()
    for texts in ((black[0], white, black[-1]), (black[-1], white, black[0])):
        state = model.reset(rng)
        for player, text in zip((0, 1, 0), texts, strict=True):
            model.apply(state, {player: read(model, text)}, rng)
        keys.add(model.state_key(state))
    assert len(keys) == 1


@every_game
def test_an_opponent_may_be_let_pass_in_any_position(name):
    model, _ = model_and_twin(name, 6, 4)
    for state in random_positions(model, new_generator(6), 30):
        (player,) = model.movers(state)
        passed = model.copy(state)
        model.pass_turn(passed)
        assert model.movers(passed) == (1 - player,)
        assert len(model.legal_actions(passed, 1 - player))
        assert model.state_key(passed) != model.state_key(state)
        model.pass_turn(passed)
        assert passed.tobytes() == state.tobytes()


# -- variants and notation


@every_game
@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ({"players": 3}, "players=3: {name} is for 2 players"),
        ({"rows": 5}, "rows=5: {name} has boards of 6 to 16 rows"),
        ({"rows": 17}, "rows=17"),
        ({"rows": True}, "rows=True"),
        ({"columns": 3}, "columns=3: {name} has boards of 4 to 10 columns"),
        ({"columns": 8.0}, r"columns=8\.0"),
        ({"rows": 9, "columns": 8}, "rows=9, columns=8: .* at most 64 squares"),
        ({"size": 6}, "size"),
    ],
)
def test_variants_that_do_not_exist_are_named(name, variant, words):
    with pytest.raises(ValueError, match=words.format(name=name)):
        GAMES[name].rules.model(**variant)


@every_game
@pytest.mark.parametrize(("rows", "columns"), BOARDS)
def test_every_action_has_a_text_of_its_own(name, rows, columns):
    model, _ = model_and_twin(name, rows, columns)
    texts = [text_of(model, action) for action in range(model.actions)]
    assert len(set(texts)) == model.actions
    assert [read(model, text) for text in texts] == list(range(model.actions))


def test_moves_are_written_and_read():
    model = make_model("breakthrough")[1]
    # Row 1 from the top, column 0, and the step that leads south-east.
    assert text_of(model, 8 * 3) == "a7b6"
    assert text_of(model, (64 + 63) * 3 + 2) == "h1-NE"
    for text in ("a7b6", " A7-b6 ", "a7b6*"):
        assert read(model, text) == 24
    for text in ("", "a7", "a7a5", "a7c5", "i7i6", "a9a8", "a0a1", "a7-E", "z1z2"):
        with pytest.raises(ValueError, match=r"expected two squares .* such as a7b6"):
            read(model, text)
    for game, example in (
        ("breakthrough:rows=6,columns=5", "a5b4"),
        ("knightthrough:rows=6,columns=5", "a5b3"),
    ):
        model = make_model(game)[1]
        read(model, example)
        with pytest.raises(ValueError, match=f"such as {example};.*rows 1 to 6"):
            read(model, "a7b6")
    model = make_model("knightthrough:rows=16,columns=4")[1]
    assert text_of(model, read(model, "a15c14")) == "a15c14"
    assert text_of(model, read(model, "b15-wsw")) == "b15-WSW"
    with pytest.raises(ValueError, match="columns are a to d, rows 1 to 16"):
        read(model, "a15b14")


@every_game
def test_the_text_shows_the_board(name):
    model, _ = model_and_twin(name, 6, 5)
    rng = new_generator(0)
    state = model.reset(rng)
    text = "b5b4" if name == "breakthrough" else "b5c3"
    model.apply(state, {0: read(model, text)}, rng)
    lines = GAMES[name].ansi(model, state, None).splitlines()
    assert lines[0] == lines[-3] == "   a b c d e"
    assert lines[1:3] == [" 6 b b b b b 6", " 5 b . b b b 5"]
    there = {"b4": " 4 . b . . . 4", "c3": " 3 . . b . . 3"}[text[2:]]
    assert there in lines
    assert lines[-2:] == ["b 10, w 10", f"{text} played, White (w) to move"]


# -- play


@every_game
def test_planners_beat_random_players(name):
    factory = {"breakthrough": breakthrough, "knightthrough": knightthrough}[name]
    for spec in ("mcts:simulations=300", "alphabeta:depth=2"):
        env = factory.env(rows=6, columns=5)
        wins = 0
        for seed in range(10):
            env.reset(seed=seed)
            seat = seed % 2
            agents = [make_agent("random", seed=seed)] * 2
            agents[seat] = make_agent(spec, seed=seed)
            while env.agents:
                player = env.possible_agents.index(env.agent_selection)
                if env.terminations[env.agent_selection]:
                    break
                env.step(agents[player].act(env))
            wins += env.rewards[f"player_{seat}"] == 1
        assert wins >= 9, spec
