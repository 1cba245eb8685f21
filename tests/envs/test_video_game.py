"""The Video Game against a plain twin, its rules' numbers and a paper's statistics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.envs.video_game import GAME, rules
from mcts_agents.envs.video_game.battlefield import beginning, most_agents
from mcts_agents.envs.video_game.draw import living
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, draw_below, new_generator
from tests.envs.code_presence import assert_near, assert_stepped_alike, statistics

STEPS = [(0, 0)] + [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
SIZES = st.integers(3, 8).flatmap(
    lambda size: st.tuples(st.just(size), st.integers(1, min(16, most_agents(size))))
)


class Twin:
    """Living agents as a dict from (team, number) to [row, column, health]."""

    def __init__(self, size=5, agents=10, max_plies=1000):
        self.size, self.number, self.max_plies = size, agents, max_plies
        rows = -(-agents // size)
        self.agents = {}
        for number in range(agents):
            row, column = divmod(number, size)
            self.agents[0, number] = [rows - 1 - row, column, 3]
            self.agents[1, number] = [size - rows + row, column, 3]
        self.order = [(team, number) for number in range(agents) for team in (0, 1)]
        self.at = self.plies = 0

    @property
    def actor(self):
        return self.order[self.at]

    def team(self, team):
        return {n: agent for (t, n), agent in self.agents.items() if t == team}

    def is_over(self):
        gone = not self.team(0) or not self.team(1)
        return gone or self.plies >= self.max_plies

    def arrivals(self):
        """Return (direction, cell) of all cells at which the actor may arrive."""
        row, column, _ = self.agents[self.actor]
        taken = {(r, c) for r, c, _ in self.agents.values()} - {(row, column)}
        cells = [(d, (row + r, column + c)) for d, (r, c) in enumerate(STEPS)]
        inside = range(self.size)
        return [
            (d, (r, c))
            for d, (r, c) in cells
            if r in inside and c in inside and (r, c) not in taken
        ]

    def legal(self):
        """Return (direction, arrival, number of the enemy or None)."""
        foes = self.team(1 - self.actor[0])
        found = [
            (direction, (row, column), number)
            for direction, (row, column) in self.arrivals()
            for number, (r, c, _) in foes.items()
            if max(abs(row - r), abs(column - c)) <= 2
        ]
        return found or [(d, cell, None) for d, cell in self.arrivals()]

    def action(self, move):
        direction, _, enemy = move
        return direction * (self.number + 1) + (self.number if enemy is None else enemy)

    def play(self, move):
        _, (row, column), enemy = move
        team = self.actor[0]
        self.agents[self.actor][:2] = row, column
        if enemy is not None:
            self.agents[1 - team, enemy][2] -= 1
            if self.agents[1 - team, enemy][2] == 0:
                del self.agents[1 - team, enemy]
        self.plies += 1
        self.at = (self.at + 1) % len(self.order)
        while self.actor not in self.agents:
            self.at = (self.at + 1) % len(self.order)

    def code(self, move, kind):
        """The code by what it stands for."""
        direction, arrival, enemy = move
        team, number = self.actor
        target = None if enemy is None else self.agents[1 - team, enemy]
        health = None if target is None else target[2]
        if kind == "abstract":
            return team, number, enemy
        if kind == "specific":
            return team, arrival, target and tuple(target[:2]), health
        return team, number, *self.agents[self.actor], direction, enemy, health

    def value_of(self, move):
        _, (row, column), enemy = move
        foes = self.team(1 - self.actor[0])
        if enemy is not None:
            return (4 - foes[enemy][2]) / 3
        away = [max(abs(row - r), abs(column - c)) for r, c, _ in foes.values()]
        return 0.25 / max(1, min(away))


def compare(model, state, twin):
    over, (mover, number) = twin.is_over(), twin.actor
    assert model.movers(state) == (() if over else (mover,))
    shown = {
        (team, n): [*divmod(cell, twin.size), health]
        for cell, team, n, health in living(model, state)
    }
    assert shown == twin.agents
    teams = [twin.team(0), twin.team(1)]
    assert model.scores(state).tolist() == [len(team) for team in teams]
    expected = [PLAYING] * 2
    if not teams[0] or not teams[1]:
        expected = [WON if team else LOST for team in teams]
    elif over:
        expected = [DRAWN] * 2
    assert model.results(state).tolist() == expected
    assert model.turn(state) == twin.plies
    assert model.round(state) == twin.plies // 2
    for player in range(2):
        out = model.call("is_out", state.ctypes.data, player)
        assert out == (not teams[player])
        planes = np.zeros((5, twin.size, twin.size), int)
        for (team, n), (row, column, health) in twin.agents.items():
            planes[int(team != player), row, column] = health
            planes[2, row, column] = n + 1
            planes[3, row, column] = (team, n) == (mover, number)
        planes[4] = mover == player and not over
        assert (model.observe(state, player) == planes).all()
    if not over:
        moves = twin.legal()
        actions = [twin.action(move) for move in moves]
        legal = model.legal_actions(state, mover).tolist()
        assert legal == sorted(actions)
        healths = [sum(agent[2] for agent in team.values()) for team in teams]
        share = healths[0] / sum(healths)
        assert model.evaluate(state) == pytest.approx([share, 1 - share])
        worth = dict(zip(actions, map(twin.value_of, moves), strict=True))
        assert model.action_values(state, mover) == pytest.approx(
            [worth[action] for action in legal]
        )


@settings(max_examples=25, deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(sizes, seed):
    size, agents = sizes
    model = rules.model(size=size, agents=agents, max_plies=150)
    rng, dice = new_generator(seed), np.random.default_rng(seed)
    state, twin = model.reset(rng), Twin(size, agents, 150)
    cells, meaning = size * size, {}
    most = {
        "exact": 2 * agents * cells * 3 * model.actions * 4,
        "abstract": 2 * agents * (agents + 1),
        "specific": 2 * cells * (cells + 1) * 4,
    }
    compare(model, state, twin)
    while not twin.is_over():
        moves, (mover, _) = twin.legal(), twin.actor
        for kind in model.move_codes:
            for move in moves:
                code = model.move_code(state, mover, twin.action(move), kind)
                assert 0 <= code < most[kind]
                what = twin.code(move, kind)
                assert meaning.setdefault((kind, code), what) == what
        move = moves[dice.integers(len(moves))]
        model.apply(state, {mover: twin.action(move)}, rng)
        twin.play(move)
        compare(model, state, twin)
    assert len({(key[0], what) for key, what in meaning.items()}) == len(meaning)


def test_the_first_agent_has_the_moves_that_the_rules_count():
    """It sees 3 targets from its cell, 6 from the one in front, 8 from that beside."""
    model = rules.model()
    state = model.reset(new_generator(0))
    moves = [GAME.format_action(model, a) for a in model.legal_actions(state, 0)]
    assert moves == [
        *(f"stay-{n}" for n in (1, 2, 3)),
        *(f"s-{n}" for n in (1, 2, 3, 6, 7, 8)),
        *(f"se-{n}" for n in (1, 2, 3, 4, 6, 7, 8, 9)),
    ]


def test_teams_begin_in_front_of_one_another():
    upper, lower = beginning(5, 10)
    assert upper == [5, 6, 7, 8, 9, 0, 1, 2, 3, 4]
    assert lower == list(range(15, 25))
    assert beginning(4, 3) == [[0, 1, 2], [12, 13, 14]]
    for size in range(3, 9):
        for agents in range(1, min(16, most_agents(size)) + 1):
            upper, lower = beginning(size, agents)
            assert len({*upper, *lower}) == 2 * agents


def test_statistics_are_those_of_the_paper():
    """Table 7 of "Monte Carlo Permutation Search"."""
    model = rules.model()
    presences = {"exact": 0.060, "abstract": 0.256, "specific": 0.131}
    for kind, presence in presences.items():
        plies, moves, present = statistics(model, kind, 7)
        assert moves == 17
        assert_near(plies, 55.353)
        assert_near(present, presence)


@pytest.mark.parametrize("limit", [0, 1, 6, 7, 10**4])
def test_a_playout_is_the_same_as_random_steps(limit):
    for seed in range(40):
        size = 3 + seed % 6
        agents = 1 + seed % min(16, most_agents(size))
        model = rules.model(size=size, agents=agents)
        assert_stepped_alike(model, seed, limit)


@pytest.mark.parametrize("plies", [0, 15, 33, 40])
def test_random_moves_are_uniform(plies):
    model, rng = rules.model(), new_generator(8)
    state = model.reset(rng)
    model.playout(state, rng, plies)
    (mover,) = model.movers(state)
    legal = model.legal_actions(state, mover).tolist()
    assert len(legal) > 1
    at = state.ctypes.data, mover, rng.ctypes.data
    drawn = [model.call("random_action", *at) for _ in range(300 * len(legal))]
    counts = [drawn.count(action) for action in legal]
    assert sum(counts) == len(drawn)
    assert chisquare(counts).pvalue > 1e-4


def test_moves_without_attacks_are_uniform_too():
    model, rng = rules.model(size=8, agents=2), new_generator(8)
    state = model.reset(rng)
    legal = model.legal_actions(state, 0).tolist()
    assert [GAME.format_action(model, a) for a in legal] == ["stay", "s", "se"]
    at = state.ctypes.data, 0, rng.ctypes.data
    drawn = [model.call("random_action", *at) for _ in range(900)]
    assert chisquare([drawn.count(action) for action in legal]).pvalue > 1e-4


def test_playouts_are_as_long_and_as_often_won_as_stepped_games():
    """Lengths and winners of the compiled playout against games of the twin."""
    model = rules.model(size=4, agents=3, max_plies=60)
    rng, dice = new_generator(4), np.random.default_rng(4)
    table = np.zeros((2, 3, 61), int)
    for _ in range(2000):
        state = model.reset(rng)
        plies = model.playout(state, rng)
        table[0, int(np.sign(np.subtract(*model.scores(state)))), plies] += 1
        twin = Twin(4, 3, 60)
        while not twin.is_over():
            moves = twin.legal()
            twin.play(moves[dice.integers(len(moves))])
        lead = len(twin.team(0)) - len(twin.team(1))
        table[1, int(np.sign(lead)), twin.plies] += 1
    both = table.reshape(2, -1)
    both = both[:, both.sum(axis=0) >= 20]
    assert chi2_contingency(both).pvalue > 1e-4


def test_too_many_moves_are_a_draw():
    model, rng = rules.model(size=8, agents=1, max_plies=3), new_generator(0)
    state = model.reset(rng)
    assert model.playout(state, rng) == 3
    assert model.results(state).tolist() == [DRAWN] * 2
    assert GAME.ansi(model, state, None).endswith("A draw: too many moves")


def test_a_dead_agent_leaves_the_map_and_loses_its_turn():
    model, rng = rules.model(size=3, agents=2), new_generator(0)
    state = model.reset(rng)
    for text in ("stay-1", "stay-1", "stay-1"):
        (player,) = model.movers(state)
        model.apply(state, {player: GAME.parse_action(model, text)}, rng)
    (player,) = model.movers(state)
    model.apply(state, {player: GAME.parse_action(model, "n-1")}, rng)  # B2 to b2
    model.apply(state, {0: GAME.parse_action(model, "stay-1")}, rng)  # the third hit
    assert GAME.ansi(model, state, None).splitlines() == [
        "   a       b       c",
        "1  A1:1   *A2:3    .",
        "2  .       B2:3    .",
        "3  .       .       .",
        "A1 on a1 hit a3, A2 (Red) to act",
    ]
    assert model.scores(state).tolist() == [2, 1]


def test_who_passes_changes_nothing_but_the_turn():
    model, rng = rules.model(), new_generator(0)
    state = model.reset(rng)
    model.playout(state, rng, 25)
    passed = model.copy(state)
    model.pass_turn(passed)
    assert list(living(model, passed)) == list(living(model, state))
    assert model.state_key(passed) != model.state_key(state)
    assert (model.observe(passed, 0)[3] != model.observe(state, 0)[3]).sum() == 2


def test_keys_and_positions_are_one_to_one():
    model, rng = rules.model(size=4, agents=4), new_generator(2)
    key_of, position_of = {}, {}
    for _ in range(200):
        state = model.reset(rng)
        while not model.is_over(state) and model.turn(state) < 60:
            model.playout(state, rng, 1)
            position = model.turn(state), model.observe(state, 0).tobytes()
            key = model.state_key(state)
            assert key_of.setdefault(position, key) == key
            assert position_of.setdefault(key, position) == position
    assert len(key_of) > 2000


def test_moves_in_another_order_have_one_key():
    model, rng = rules.model(size=8, agents=3), new_generator(0)
    keys = set()
    for order in (("s", "stay"), ("stay", "s")):
        state = model.reset(rng)
        for text in order:  # agent 1 twice, around moves of all others
            for step in (text, *["stay"] * 5):
                (player,) = model.movers(state)
                model.apply(state, {player: GAME.parse_action(model, step)}, rng)
        keys.add(model.state_key(state))
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 3}, "players=3: video_game is for 2 players"),
        ({"size": 2}, "size=2: video_game needs a whole number from 3 to 8"),
        ({"size": 9}, "size=9"),
        ({"size": True}, "size=True"),
        ({"agents": 0}, "agents=0"),
        ({"agents": 17, "size": 8}, "agents=17: video_game needs .* from 1 to 16"),
        ({"agents": 11}, "agents=11: half of a map of 5 rows has room for 10 agents"),
        ({"max_plies": 0}, "max_plies=0"),
        ({"max_plies": 30_001}, "max_plies=30001: .* from 1 to 30,000"),
        ({"max_plies": "many"}, "max_plies='many'"),
    ],
)
def test_what_is_no_variant_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        rules.model(**options)


def test_moves_are_written_and_read():
    for options in ({}, {"size": 8, "agents": 16}):
        model = rules.model(**options)
        texts = [GAME.format_action(model, action) for action in range(model.actions)]
        assert len(set(texts)) == model.actions
        for action, text in enumerate(texts):
            assert GAME.parse_action(model, text) == action
    model = rules.model()
    for text in ("", "up", "n-", "n-0", "n-11", "-3", "3", "stay 4"):
        with pytest.raises(ValueError, match="expected one of stay, nw, n"):
            GAME.parse_action(model, text)


def test_a_step_is_painted_where_it_leads():
    """The disc of the agent that stepped lies in the cell of the first click."""
    pygame = pytest.importorskip("pygame")
    model, rng = rules.model(), new_generator(3)
    surface = pygame.Surface(GAME.size(model), 0, 32)
    state = model.reset(rng)
    while not model.is_over(state):
        (player,) = model.movers(state)
        regions = GAME.regions(model, state, None, player)
        region = regions[draw_below(rng, len(regions))]
        number = int(model.view(state)["slot"]) >> 1
        model.apply(state, {player: region.action}, rng)
        agents = {(team, n): cell for cell, team, n, _ in living(model, state)}
        GAME.paint(surface, model, state, None)
        row, column = divmod(agents[player, number], 5)
        shape = region.shape
        assert (shape.left, shape.top) == (50 + 112 * column, 50 + 112 * row)
        # Beside the number, where the disc has one colour.
        at = round(shape.left + 36), round(shape.top + 44)
        colour = ((213, 70, 52), (0, 105, 178))[player]
        assert tuple(surface.get_at(at))[:3] == colour
        assert shape.contains(at)


@pytest.mark.parametrize("options", [{}, {"size": 8, "agents": 16}, {"max_plies": 9}])
def test_the_exported_check_finds_nothing(options):
    report = rules.check(variants=[options], episodes=2)
    assert report.checked["playout_moves records what it plays"]
    assert sum(report.checked.values()) > 100
