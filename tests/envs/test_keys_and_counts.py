"""Keys of positions, turns, rounds and values of actions, against other counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs import load_game
from mcts_agents.model import new_generator, random_below
from mcts_agents.model.hashing import mixed
from tests.envs.chinese_checkers_twin import Twin as CheckersTwin
from tests.envs.chinese_checkers_twin import distance
from tests.envs.variants import VARIANTS


def model_of(name, **options):
    return load_game(name).rules.model(**options)


def joint_of(model, state, rng):
    """A random legal action of each mover."""
    joint = {}
    for player in model.movers(state):
        legal = model.legal_actions(state, player)
        joint[player] = int(legal[random_below(rng, len(legal))])
    return joint


def random_states(model, games, rng, most=10**9):
    """Each position of some random games, as (moves so far, state)."""
    for _ in range(games):
        state, moves = model.reset(rng), 0
        yield moves, state
        while not model.is_over(state) and moves < most:
            model.apply(state, joint_of(model, state, rng), rng)
            moves += 1
            yield moves, state


class OneToOne:
    """Finds out whether keys and what they stand for belong together one to one."""

    def __init__(self):
        self.key_of, self.meaning_of = {}, {}

    def add(self, key, meaning):
        assert self.key_of.setdefault(meaning, key) == key
        assert self.meaning_of.setdefault(key, meaning) == meaning

    def __len__(self):
        return len(self.key_of)


def test_hashes_differ():
    zero = np.uint64(0)
    words = [np.uint64(n) for n in range(3000)]
    hashes = {int(mixed(zero, word)) for word in words}
    hashes |= {int(mixed(word, np.uint64(1) << np.uint64(40))) for word in words}
    assert len(hashes) == 6000


@pytest.mark.parametrize("label", VARIANTS)
def test_turns_and_rounds_only_grow_and_keys_follow_the_bytes(label):
    name, options = VARIANTS[label]
    model = model_of(name, **options)
    rng = new_generator(4)
    if not all(map(model.has, ("turn", "round", "state_key"))):
        pytest.skip(f"{name} lacks one of them")
    turn = round = 0
    for moves, state in random_states(model, 1, rng):
        assert model.turn(state) >= turn
        assert model.round(state) >= round
        turn, round = model.turn(state), model.round(state)
        if moves == 0:
            assert (turn, round) == (0, 0)
        copied = model.copy(state)
        for observer in range(-1, model.players):
            key = model.state_key(state, observer)
            assert key == model.state_key(copied, observer)
    assert turn > 0


# -- boards


def stones_of(model, state):
    """The board as bytes, from player 0's observation."""
    return model.observe(state, 0)[:2].tobytes()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tictactoe", {}),
        ("hex", {"size": 3}),
        ("hex", {"size": 7}),
        ("hex", {"size": 19, "first_cell": "c3"}),
        ("connect_four", {}),
        ("connect_four", {"width": 4, "height": 9}),
    ],
)
def test_boards_and_keys_are_one_to_one(name, options):
    model = model_of(name, **options)
    keys = OneToOne()
    first = int("first_cell" in options)
    for moves, state in random_states(model, 30, new_generator(1)):
        for observer in (-1, 0, 1):
            assert model.state_key(state, observer) == model.state_key(state)
        keys.add(model.state_key(state), stones_of(model, state))
        stones = int(model.observe(state, 0)[:2].sum())
        assert model.turn(state) == stones - first == moves
        assert model.round(state) == moves // 2
    assert len(keys) > 100


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 19), st.integers(0, 2**32))
def test_the_order_of_stones_leaves_no_trace_in_a_key_of_hex(size, seed):
    model = model_of("hex", size=size)
    order = np.random.default_rng(seed).permutation(size * size)
    rng = new_generator(0)
    found = set()
    for shift in (0, 2, 6):
        state = model.reset(rng)
        for place in range(8):
            cell = int(order[(place + shift) % 8])
            model.apply(state, {place % 2: cell}, rng)
        found.add((stones_of(model, state), model.state_key(state)))
    assert len(found) == 1


def test_a_board_that_a_playout_filled_has_the_key_of_its_stones():
    model = model_of("hex", size=5)
    rng = new_generator(3)
    for _ in range(20):
        filled, played = model.reset(rng), model.reset(rng)
        model.call("playout", filled.ctypes.data, rng.ctypes.data, 25)
        planes = [np.flatnonzero(plane) for plane in model.observe(filled, 0)[:2]]
        for place in range(25):
            player = place % 2
            model.apply(played, {player: int(planes[player][place // 2])}, rng)
        assert stones_of(model, filled) == stones_of(model, played)
        assert model.state_key(filled) == model.state_key(played)


# -- Chinese Checkers


@pytest.mark.parametrize(
    ("players", "fields"), [(2, 73), (3, 73), (4, 73), (6, 73), (6, 121)]
)
def test_chinese_checkers_equals_its_twin(players, fields):
    model = model_of("chinese_checkers", players=players, fields=fields)
    keys = OneToOne()
    rng = new_generator(players)
    for _ in range(2):
        state, twin = model.reset(rng), CheckersTwin(players, fields)
        for plies in range(40):
            assert model.turn(state) == plies
            assert model.round(state) == plies // players
            pieces = frozenset(twin.pieces.items())
            keys.add(model.state_key(state), (pieces, twin.turn, plies))
            compare_values(model, state, twin)
            joint = joint_of(model, state, rng)
            model.apply(state, joint, rng)
            origin, end = divmod(joint[twin.turn], fields)
            twin.play(twin.fields[origin], twin.fields[end])
    assert len(keys) == 79  # the opening is common


def compare_values(model, state, twin):
    """Values of actions are the share of the board's length that is won."""
    tip, fields = twin.tips[twin.turn], twin.fields
    longest = max(distance(tip, field) for field in fields)
    actions = model.legal_actions(state, twin.turn)
    expected = []
    for origin, end in (divmod(int(action), len(fields)) for action in actions):
        gain = distance(tip, fields[origin]) - distance(tip, fields[end])
        expected.append(0.5 + gain / longest / 2)
    assert model.action_values(state, twin.turn) == pytest.approx(expected)


def test_a_key_of_chinese_checkers_does_not_tell_equal_pieces_apart():
    """Two moves of a player in either order, the opponent's between them the same."""
    model = model_of("chinese_checkers", players=2)
    rng = new_generator(0)
    state = model.reset(rng)
    first, *others = model.legal_actions(state, 0).tolist()
    apart = [a for a in others if a // 73 != first // 73 and a % 73 != first % 73]
    answer = int(model.legal_actions(state, 1)[0])
    keys = set()
    for order in ((first, apart[-1]), (apart[-1], first)):
        played = model.copy(state)
        for joint in ({0: order[0]}, {1: answer}, {0: order[1]}):
            model.apply(played, joint, rng)
        keys.add(model.state_key(played))
    assert len(keys) == 1
