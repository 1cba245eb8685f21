"""The Wargame against a plain twin, its invariants, and a paper's statistics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.envs.wargame import GAME, rules
from mcts_agents.envs.wargame.draw import healths
from mcts_agents.model import LOST, PLAYING, WON, new_generator
from tests.envs.code_presence import assert_near, assert_stepped_alike, statistics

SIZES = st.one_of(
    st.tuples(st.just(2), st.integers(1, 32)), st.tuples(st.just(3), st.integers(1, 21))
)


class Twin:
    """Health of all units in a list for each player, and a list of whose turn it is."""

    def __init__(self, players, units):
        self.players, self.units = players, units
        self.health = [[3] * units for _ in range(players)]
        self.order = [
            (unit, player) for unit in range(units) for player in range(players)
        ]
        self.at = self.hits = 0
        self.outs = set()

    @property
    def attacker(self):
        """Unit and player who attack next."""
        return self.order[self.at]

    def alive(self, player):
        return [unit for unit, health in enumerate(self.health[player]) if health]

    def is_over(self):
        return sum(bool(self.alive(player)) for player in range(self.players)) == 1

    def legal(self):
        """The (opponent, unit) pairs of legal attacks, as the actions count them."""
        _, mover = self.attacker
        others = [(mover + k) % self.players for k in range(1, self.players)]
        return [(other, unit) for other in others for unit in self.alive(other)]

    def action(self, target):
        _, mover = self.attacker
        others = [(mover + k) % self.players for k in range(1, self.players)]
        return others.index(target[0]) * self.units + target[1]

    def play(self, target):
        self.health[target[0]][target[1]] -= 1
        self.hits += 1
        while True:
            self.at = (self.at + 1) % len(self.order)
            unit, player = self.attacker
            if self.health[player][unit]:
                break

    def code(self, target, kind):
        """The code by what it stands for."""
        unit, mover = self.attacker
        pair = (mover, unit, *target)
        if kind == "abstract":
            return pair
        return (*pair, self.health[mover][unit], self.health[target[0]][target[1]])


def compare(model, state, twin):
    unit, mover = twin.attacker
    over = twin.is_over()
    assert model.movers(state) == (() if over else (mover,))
    assert healths(model, state) == twin.health
    scores = [len(twin.alive(player)) for player in range(twin.players)]
    assert model.scores(state).tolist() == scores
    if over:
        expected = [WON if score else LOST for score in scores]
        assert expected.count(WON) == 1
    else:
        expected = [PLAYING] * twin.players
        total = sum(map(sum, twin.health))
        shares = [sum(army) / total for army in twin.health]
        assert model.evaluate(state) == pytest.approx(shares)
        legal = twin.legal()
        actions = [twin.action(target) for target in legal]
        assert model.legal_actions(state, mover).tolist() == actions
        worth = [(4 - twin.health[p][u]) / 3 for p, u in legal]
        assert model.action_values(state, mover) == pytest.approx(worth)
    assert model.results(state).tolist() == expected
    assert model.turn(state) == twin.hits
    assert model.round(state) == twin.hits // twin.players
    for player in range(twin.players):
        out = model.call("is_out", state.ctypes.data, player)
        assert out == (not twin.alive(player))
        health, following, turn = model.observe(state, player)
        seats = [(player + k) % twin.players for k in range(twin.players)]
        assert health.tolist() == [twin.health[seat] for seat in seats]
        assert np.argwhere(following).tolist() == [[seats.index(mover), unit]]
        assert (turn == (player == mover and not over)).all()


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(size, seed):
    players, units = size
    model, rng = rules.model(players=players, units=units), new_generator(seed)
    dice = np.random.default_rng(seed)
    state, twin = model.reset(rng), Twin(players, units)
    meaning = {}
    compare(model, state, twin)
    while not twin.is_over():
        legal, (_, mover) = twin.legal(), twin.attacker
        for kind in model.move_codes:
            for target in legal:
                code = model.move_code(state, mover, twin.action(target), kind)
                most = players * units * model.actions * (9 if kind == "exact" else 1)
                assert 0 <= code < most
                what = twin.code(target, kind)
                assert meaning.setdefault((kind, code), what) == what
        target = legal[dice.integers(len(legal))]
        model.apply(state, {mover: twin.action(target)}, rng)
        twin.play(target)
        compare(model, state, twin)
    assert len(set(meaning.values())) == len(meaning)


@pytest.mark.parametrize(("players", "units"), [(2, 10), (3, 10), (2, 1), (3, 5)])
def test_the_same_attacks_in_another_order_lead_to_the_same_state(players, units):
    """Two rounds that hit every unit twice; some units exchange both attacks."""
    model, rng = rules.model(players=players, units=units), new_generator(1)
    dice = np.random.default_rng(units)
    slots = units * players
    reached = set()
    for exchanged in (np.zeros(slots, bool), *(dice.random((20, slots)) < 0.5)):
        state = model.reset(rng)
        for half in range(2):
            for slot in range(slots):
                unit, player = divmod(slot, players)
                assert model.movers(state) == (player,)
                target = (unit + 3 * (half ^ exchanged[slot])) % units
                model.apply(state, {player: int(target)}, rng)
        assert {health for army in healths(model, state) for health in army} == {1}
        reached.add(model.state_key(state))
    assert len(reached) == 1


@pytest.mark.parametrize(("players", "units"), [(2, 10), (2, 20), (3, 10)])
def test_statistics_are_those_of_the_paper(players, units):
    """Table 7 of "Monte Carlo Permutation Search"."""
    length, first, exact, abstract = {
        (2, 10): (54.448, 10, 0.116, 0.297),
        (2, 20): (110.525, 20, 0.059, 0.157),
        (3, 10): (84.520, 20, 0.058, 0.159),
    }[players, units]
    model = rules.model(players=players, units=units)
    for kind, presence in (("exact", exact), ("abstract", abstract)):
        plies, moves, present = statistics(model, kind, 7)
        assert moves == first
        assert_near(plies, length)
        assert_near(present, presence)


@pytest.mark.parametrize("limit", [0, 1, 6, 7, 10**4])
@pytest.mark.parametrize("players", [2, 3])
def test_a_playout_is_the_same_as_random_steps(players, limit):
    for seed in range(30):
        model = rules.model(players=players, units=1 + seed % 12)
        assert_stepped_alike(model, seed, limit)


@pytest.mark.parametrize("players", [2, 3])
def test_random_targets_are_uniform(players):
    model, rng = rules.model(players=players, units=9), new_generator(3)
    state = model.reset(rng)
    model.playout(state, rng, 40)
    (mover,) = model.movers(state)
    legal = model.legal_actions(state, mover).tolist()
    at = state.ctypes.data, mover, rng.ctypes.data
    drawn = [model.call("random_action", *at) for _ in range(300 * len(legal))]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == len(drawn)
    assert chisquare(counts).pvalue > 1e-4


def test_playouts_are_as_long_and_as_often_won_as_stepped_games():
    """Lengths and winners of the compiled playout against games of the twin."""
    model, rng, dice = rules.model(units=5), new_generator(4), np.random.default_rng(4)
    table = np.zeros((2, 2, 31), int)
    for _ in range(3000):
        state = model.reset(rng)
        plies = model.playout(state, rng)
        table[0, int(model.results(state)[0] == WON), plies] += 1
        twin = Twin(2, 5)
        while not twin.is_over():
            legal = twin.legal()
            twin.play(legal[dice.integers(len(legal))])
        table[1, int(bool(twin.alive(0))), twin.hits] += 1
    both = table.reshape(2, -1)
    both = both[:, both.sum(axis=0) >= 20]
    assert chi2_contingency(both).pvalue > 1e-4


def test_a_dead_unit_loses_its_turn():
    model, rng = rules.model(units=2), new_generator(0)
    state = model.reset(rng)
    for action in (0, 0, 0, 0):
        model.apply(state, {model.movers(state)[0]: action}, rng)
    assert healths(model, state) == [[1, 3], [1, 3]]
    model.apply(state, {0: 0}, rng)  # unit 0 of player 1 dies before it attacks
    assert healths(model, state) == [[1, 3], [0, 3]]
    assert model.movers(state) == (0,)  # with unit 1: player 0 attacks again
    assert model.observe(state, 0)[1].tolist() == [[0, 1], [0, 0]]
    assert model.legal_actions(state, 0).tolist() == [1]


def test_a_wiped_out_player_is_out_and_the_others_go_on():
    model, rng = rules.model(players=3, units=1), new_generator(0)
    state = model.reset(rng)
    for action in (0, 1, 0, 0):  # 0 hits 1, 1 hits 0, 2 hits 0, 0 hits 1
        model.apply(state, {model.movers(state)[0]: action}, rng)
    assert healths(model, state) == [[1], [1], [3]]
    model.apply(state, {1: 1}, rng)  # 1 hits 0
    assert healths(model, state) == [[0], [1], [3]]
    assert model.movers(state) == (2,)
    assert model.results(state).tolist() == [PLAYING] * 3
    assert model.legal_actions(state, 2).tolist() == [1]  # the unit of player 1
    model.apply(state, {2: 1}, rng)
    assert model.is_over(state)
    assert model.results(state).tolist() == [LOST, LOST, WON]


def test_who_passes_changes_nothing_but_the_turn():
    model, rng = rules.model(), new_generator(0)
    state = model.reset(rng)
    model.playout(state, rng, 20)
    passed = model.copy(state)
    model.pass_turn(passed)
    assert healths(model, passed) == healths(model, state)
    assert model.state_key(passed) != model.state_key(state)
    assert (model.observe(passed, 0)[1] != model.observe(state, 0)[1]).sum() == 2


@pytest.mark.parametrize("players", [2, 3])
def test_keys_and_positions_are_one_to_one(players):
    model, rng = rules.model(players=players, units=4), new_generator(2)
    key_of, position_of = {}, {}
    for _ in range(300):
        state = model.reset(rng)
        while not model.is_over(state):
            model.playout(state, rng, 1)
            position = model.observe(state, 0).tobytes()
            key = model.state_key(state)
            assert key_of.setdefault(position, key) == key
            assert position_of.setdefault(key, position) == position
    assert len(key_of) > 2000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 4}, "players=4: wargame is for 2 or 3 players"),
        ({"units": 0}, "units=0: wargame has 1 to 32 units"),
        ({"units": 33}, "units=33: wargame has 1 to 32 units"),
        ({"units": 22, "players": 3}, "units=22: wargame has 1 to 21 .* 3 players"),
        ({"units": 2.5}, "units=2.5"),
        ({"units": True}, "units=True"),
        ({"units": "ten"}, "units='ten'"),
    ],
)
def test_what_is_no_variant_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        rules.model(**options)


def test_units_are_written_and_read():
    two, three = rules.model(units=20), rules.model(players=3)
    for model in (two, three):
        for action in range(model.actions):
            text = GAME.format_action(model, action)
            assert GAME.parse_action(model, text) == action
    assert GAME.format_action(two, 19) == "20"
    assert GAME.format_action(three, 16) == "2.7"
    for text in ("", "0", "21", "a", "1.7", "-1"):
        with pytest.raises(ValueError, match="expected a unit, 1 to 20"):
            GAME.parse_action(two, text)
    for text in ("", "7", "0.1", "3.1", "1.0", "1.11", "1.", ".1"):
        with pytest.raises(ValueError, match="expected an opponent"):
            GAME.parse_action(three, text)


def test_text_shows_health_and_who_attacks():
    model, rng = rules.model(units=3), new_generator(0)
    state = model.reset(rng)
    assert GAME.ansi(model, state, None).splitlines() == [
        "     1   2   3",
        "A   *3   3   3",
        "B    3   3   3",
        "A1 (Red) to attack",
    ]
    model.apply(state, {0: 1}, rng)
    assert GAME.ansi(model, state, None).splitlines()[1:] == [
        "A    3   3   3",
        "B   *3   2   3",
        "A1 hit B2, B1 (Blue) to attack",
    ]
    model.playout(state, rng)
    shown = GAME.ansi(model, state, None)
    assert shown.endswith(("Red (A) wins", "Blue (B) wins"))
    assert "*" not in shown


@pytest.mark.parametrize("options", [{}, {"units": 20}, {"players": 3}])
def test_the_exported_check_finds_nothing(options):
    report = rules.check(variants=[options], episodes=2)
    assert report.checked["playout_moves records what it plays"]
    assert sum(report.checked.values()) > 500
