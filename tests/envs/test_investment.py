"""The Investment Pair Game against a plain twin, and a paper's statistics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.envs.investment import GAME, rules
from mcts_agents.envs.investment.draw import wealths, winner_of
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator
from tests.envs.code_presence import assert_near, assert_stepped_alike, statistics

SIZES = st.one_of(
    st.tuples(st.just(2), st.integers(1, 32)), st.tuples(st.just(3), st.integers(1, 21))
)


class Twin:
    """Wealth of all agents in a list for each team, and who has lost."""

    def __init__(self, teams, pairs):
        self.teams, self.pairs = teams, pairs
        self.wealth = [[0] * pairs for _ in range(teams)]
        self.won = {}  # team by decided pair
        self.order = [(agent, team) for agent in range(pairs) for team in range(teams)]
        self.at = self.gifts = 0

    @property
    def giver(self):
        """Agent and team who give next."""
        return self.order[self.at]

    def is_over(self):
        return len(self.won) == self.pairs

    def legal(self):
        return [pair for pair in range(self.pairs) if pair not in self.won]

    def passes(self, agent, team):
        return agent in self.won and self.won[agent] != team

    def play(self, target):
        team = self.giver[1]
        self.wealth[team][target] += 1
        self.gifts += 1
        if self.wealth[team][target] == 3:
            self.won[target] = team
        self.at = (self.at + 1) % len(self.order)
        while self.passes(*self.giver):
            self.at = (self.at + 1) % len(self.order)

    def code(self, target, kind):
        """The code by what it stands for."""
        agent, team = self.giver
        if kind == "abstract":
            return team, target
        if kind == "specific":
            return team, target, self.wealth[team][target]
        opponents = [self.wealth[t][target] for t in range(self.teams) if t != team]
        own = self.wealth[team]
        return (team, target, own[agent], own[target], *opponents)

    def counts(self):
        return [list(self.won.values()).count(team) for team in range(self.teams)]

    def evaluation(self):
        values = [float(count) for count in self.counts()]
        for pair in self.legal():
            worth = [self.wealth[team][pair] + 1 for team in range(self.teams)]
            for team in range(self.teams):
                values[team] += worth[team] / sum(worth)
        return [value / self.pairs for value in values]


def compare(model, state, twin):
    agent, mover = twin.giver
    over = twin.is_over()
    assert model.movers(state) == (() if over else (mover,))
    wealth = wealths(model, state)
    assert wealth == twin.wealth
    for pair in range(twin.pairs):
        assert winner_of(wealth, pair) == twin.won.get(pair)
    counts = twin.counts()
    assert model.scores(state).tolist() == counts
    expected = [PLAYING] * twin.teams
    if over:
        best = WON if counts.count(max(counts)) == 1 else DRAWN
        expected = [best if count == max(counts) else LOST for count in counts]
    else:
        assert model.evaluate(state) == pytest.approx(twin.evaluation())
        legal = twin.legal()
        assert model.legal_actions(state, mover).tolist() == legal
        worth = [(twin.wealth[mover][pair] + 1) / 3 for pair in legal]
        assert model.action_values(state, mover) == pytest.approx(worth)
    assert model.results(state).tolist() == expected
    assert model.turn(state) == twin.gifts
    assert model.round(state) == twin.gifts // twin.teams
    for player in range(twin.teams):
        seen, undecided, following, turn = model.observe(state, player)
        seats = [(player + k) % twin.teams for k in range(twin.teams)]
        assert seen.tolist() == [twin.wealth[seat] for seat in seats]
        assert (undecided == [pair not in twin.won for pair in range(twin.pairs)]).all()
        assert np.argwhere(following).tolist() == [[seats.index(mover), agent]]
        assert (turn == (player == mover and not over)).all()


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(size, seed):
    players, pairs = size
    model, rng = rules.model(players=players, pairs=pairs), new_generator(seed)
    dice = np.random.default_rng(seed)
    state, twin = model.reset(rng), Twin(players, pairs)
    meaning = {}
    compare(model, state, twin)
    while not twin.is_over():
        legal, (_, mover) = twin.legal(), twin.giver
        for kind in model.move_codes:
            for target in legal:
                code = model.move_code(state, mover, target, kind)
                more = {"abstract": 1, "specific": 3, "exact": 4 * 3**players}[kind]
                assert 0 <= code < players * pairs * more
                what = twin.code(target, kind)
                assert meaning.setdefault((kind, code), what) == what
        target = legal[dice.integers(len(legal))]
        model.apply(state, {mover: target}, rng)
        twin.play(target)
        compare(model, state, twin)
    assert len(set(meaning.values())) == len(meaning)
    assert twin.gifts == sum(map(sum, twin.wealth))
    assert sum(twin.counts()) == pairs


@pytest.mark.parametrize(("players", "pairs"), [(2, 11), (2, 21), (3, 10)])
def test_statistics_are_those_of_the_paper(players, pairs):
    """Table 7 of "Monte Carlo Permutation Search"."""
    length, exact, abstract = {
        (2, 11): (46.212, 0.372, 0.901),
        (2, 21): (87.559, 0.353, 0.890),
        (3, 10): (52.254, 0.295, 0.847),
    }[players, pairs]
    model = rules.model(players=players, pairs=pairs)
    presences = {"exact": exact, "abstract": abstract, "specific": abstract}
    for kind, presence in presences.items():
        plies, moves, present = statistics(model, kind, 7)
        assert moves == pairs
        assert_near(plies, length)
        assert_near(present, presence)


def test_the_paper_s_sizes_are_the_defaults():
    assert rules.model().actions == 11
    assert rules.model(players=3).actions == 10


@pytest.mark.parametrize("limit", [0, 1, 6, 7, 10**4])
@pytest.mark.parametrize("players", [2, 3])
def test_a_playout_is_the_same_as_random_steps(players, limit):
    for seed in range(30):
        model = rules.model(players=players, pairs=1 + seed % 12)
        assert_stepped_alike(model, seed, limit)


@pytest.mark.parametrize("players", [2, 3])
def test_random_targets_are_uniform(players):
    model, rng = rules.model(players=players, pairs=11), new_generator(3)
    state = model.reset(rng)
    model.playout(state, rng, 36)
    (mover,) = model.movers(state)
    legal = model.legal_actions(state, mover).tolist()
    assert 2 < len(legal) < 11
    at = state.ctypes.data, mover, rng.ctypes.data
    drawn = [model.call("random_action", *at) for _ in range(300 * len(legal))]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == len(drawn)
    assert chisquare(counts).pvalue > 1e-4


def test_playouts_are_as_long_and_as_often_won_as_stepped_games():
    """Lengths and winners of the compiled playout against games of the twin."""
    model, rng, dice = rules.model(pairs=5), new_generator(4), np.random.default_rng(4)
    table = np.zeros((2, 6, 26), int)
    for _ in range(3000):
        state = model.reset(rng)
        plies = model.playout(state, rng)
        table[0, int(model.scores(state)[0]), plies] += 1
        twin = Twin(2, 5)
        while not twin.is_over():
            legal = twin.legal()
            twin.play(legal[dice.integers(len(legal))])
        table[1, twin.counts()[0], twin.gifts] += 1
    both = table.reshape(2, -1)
    both = both[:, both.sum(axis=0) >= 20]
    assert chi2_contingency(both).pvalue > 1e-4


def played(model, *pairs):
    """The position after gifts to the agents of these pairs."""
    rng = new_generator(0)
    state = model.reset(rng)
    for pair in pairs:
        (player,) = model.movers(state)
        model.apply(state, {player: pair}, rng)
    return state


def test_losers_pass_and_winners_go_on_giving():
    model = rules.model(pairs=3)
    # Team 0 gives all to agent 0, team 1 to agent 2: five gifts decide pair 0.
    state = played(model, 0, 2, 0, 2, 0)
    assert wealths(model, state) == [[3, 0, 0], [0, 0, 2]]
    assert model.legal_actions(state, 1).tolist() == [1, 2]
    state = played(model, 0, 2, 0, 2, 0, 1)
    assert model.movers(state) == (0,)  # with the winner, agent 0
    assert model.observe(state, 0)[2].tolist() == [[1, 0, 0], [0, 0, 0]]
    state = played(model, 0, 2, 0, 2, 0, 1, 1)
    assert model.movers(state) == (0,)  # agent 0 of team 1 has lost: agent 1 of team 0
    assert model.observe(state, 1)[2].tolist() == [[0, 0, 0], [0, 1, 0]]


def test_teams_with_equally_many_pairs_draw():
    model = rules.model(pairs=2)
    state = played(model, 0, 1, 0, 1, 0, 1, 1)
    assert model.is_over(state)
    assert model.results(state).tolist() == [DRAWN, DRAWN]
    assert GAME.ansi(model, state, None).endswith("Red and Blue draw")
    model = rules.model(players=3, pairs=2)
    state = played(model, 0, 1, 1, 0, 1, 1, 0)  # team 0 wins pair 0
    assert wealths(model, state)[0] == [3, 0]
    # Agent 0 of teams 1 and 2 pass, and agent 1 of team 1 wins pair 1.
    rng = new_generator(0)
    while not model.is_over(state):
        (player,) = model.movers(state)
        model.apply(state, {player: 1}, rng)
    assert model.results(state).tolist() == [DRAWN, DRAWN, LOST]


def test_who_passes_changes_nothing_but_the_turn():
    model, rng = rules.model(), new_generator(0)
    state = model.reset(rng)
    model.playout(state, rng, 25)
    passed = model.copy(state)
    model.pass_turn(passed)
    assert wealths(model, passed) == wealths(model, state)
    assert model.state_key(passed) != model.state_key(state)
    assert (model.observe(passed, 0)[2] != model.observe(state, 0)[2]).sum() == 2


@pytest.mark.parametrize("players", [2, 3])
def test_keys_and_positions_are_one_to_one(players):
    model, rng = rules.model(players=players, pairs=4), new_generator(2)
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
        ({"players": 4}, "players=4: investment is for 2 or 3 players"),
        ({"pairs": 0}, "pairs=0: investment has 1 to 32 pairs with 2 teams, or None"),
        ({"pairs": 33}, "pairs=33"),
        ({"pairs": 22, "players": 3}, "pairs=22: investment has 1 to 21"),
        ({"pairs": 2.5}, "pairs=2.5"),
        ({"pairs": True}, "pairs=True"),
        ({"pairs": "ten"}, "pairs='ten'"),
    ],
)
def test_what_is_no_variant_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        rules.model(**options)


def test_agents_are_written_and_read():
    model = rules.model()
    for action in range(11):
        assert GAME.parse_action(model, GAME.format_action(model, action)) == action
    assert GAME.format_action(model, 10) == "11"
    for text in ("", "0", "12", "a", "1.7", "-1"):
        with pytest.raises(ValueError, match="expected an agent, 1 to 11"):
            GAME.parse_action(model, text)


def test_text_shows_wealth_winners_and_who_gives():
    model = rules.model(pairs=3)
    assert GAME.ansi(model, played(model, 0, 2, 0, 2), None).splitlines() == [
        "     1   2   3",
        "A    2   0  *0",
        "B    0   0   2",
        "B2 gave to B3, A3 (Red) to give",
    ]
    assert GAME.ansi(model, played(model, 0, 2, 0, 2, 0), None).splitlines()[1:] == [
        "A    W   0   0",
        "B    -   0  *2",
        "A3 gave to A1, B3 (Blue) to give",
    ]
    over = played(model, 0, 2, 0, 2, 0, 2, 1, 1, 1, 1, 1)
    assert GAME.ansi(model, over, None).splitlines()[1:] == [
        "A    W   W   -",
        "B    -   -   W",
        "Red (A) wins with 2 pairs",
    ]


@pytest.mark.parametrize("options", [{}, {"pairs": 2}, {"players": 3}])
def test_the_exported_check_finds_nothing(options):
    report = rules.check(variants=[options], episodes=2)
    assert report.checked["playout_moves records what it plays"]
    assert sum(report.checked.values()) > 100
