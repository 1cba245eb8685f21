"""Games of self-play are those that searches play one by one."""

import itertools
import runpy
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.learn.training import GameSettings, SelfPlay
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    GameError,
    Rules,
    Spec,
    new_generator,
)
from mcts_agents.model.win_shares import result_shares
from mcts_agents.search import Search, SearchSettings
from tests.search.evaluators import Even, linear
from tests.search.test_action_filter import NONE_LATER, filtered

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PUCT = {"tree_policy": "alphago", "root_noise": 0.25}
GUMBEL = {"tree_policy": "gumbel", "root_policy": "gumbel"}


def settings_of(model, chosen, evaluator=None):
    return SearchSettings(
        **{"simulations": 8, "value": "win", "batch": 1, **chosen},
        evaluator=evaluator or linear(model),
    )


def by_hand(model, settings, seed, number, opponents=None):
    """Play one game with one search, decision by decision."""
    dice, rng, others = (
        new_generator(np.random.SeedSequence([seed, number, which]))
        for which in (0, 1, 3)
    )
    search = Search(model, settings)
    state = model.reset(dice)
    memories = {}
    for player in range(model.players) if opponents else ():
        memories[player] = np.zeros(model.policy_bytes(opponents), np.uint8)
        model.begin_policy(opponents, memories[player].ctypes.data, others)
    learning = number // 2 % model.team_count
    rows, ply = [], 0
    while movers := model.movers(state):
        joint = {}
        for player in movers:
            if opponents and model.teams[player] != learning:
                at = memories[player].ctypes.data
                joint[player] = model.policy_action(
                    opponents, state, player, at, others
                )
                continue
            view = model.copy(state)
            legal = model.legal_actions(state, player)
            if len(legal) > 1:
                model.redeterminise(view, player, rng)
            result = search.run(view, player, rng)
            joint[player] = result.action
            policy = np.zeros(model.actions)
            policy[legal] = result.policy
            weights = result.visits / max(result.visits.sum(), 1)
            searched = result.visits.sum() > 0
            value = np.nansum(result.values * weights) if searched else np.nan
            seen = model.observe(state, player)
            rows.append((seen, legal, policy, value, result.action, player, ply))
        model.apply(state, joint, dice)
        ply += 1
    return rows, result_shares(model.results(state), model.teams)


def assert_game(game, rows, outcome):
    assert len(game) == len(rows)
    for i, (seen, legal, policy, value, action, player, ply) in enumerate(rows):
        np.testing.assert_array_equal(game.observation[i], seen)
        np.testing.assert_array_equal(np.flatnonzero(game.legal[i]), np.sort(legal))
        np.testing.assert_array_equal(game.policy[i], policy.astype(np.float32))
        np.testing.assert_allclose(game.value[i], value, rtol=1e-6, atol=1e-30)
        assert (game.action[i], game.player[i], game.ply[i]) == (action, player, ply)
    np.testing.assert_array_equal(game.outcome, outcome)


@pytest.mark.parametrize("chosen", [PUCT, GUMBEL], ids=["puct", "gumbel"])
@pytest.mark.parametrize(
    "name",
    [
        "connect_four:width=5,height=4",
        "hex:size=4",
        "sushi_go:players=3",
        "love_letter:players=3",
        "diamant:players=3",
    ],
)
def test_games_are_those_played_by_hand(name, chosen):
    model = make_model(name)[1]
    settings = settings_of(model, chosen)
    games = SelfPlay(model, settings, games=5, seed=3)
    found = list(itertools.islice(games, 8))
    assert len({game.number for game in found}) == 8
    for game in found[:2] + found[-2:]:
        assert_game(game, *by_hand(model, settings, 3, game.number))


@pytest.mark.parametrize(
    ("name", "opponents"),
    [
        ("pommerman:observation=planes,max_steps=60", "simple_unbiased"),
        ("pommerman:mode=team,observation=planes,max_steps=60", "simple"),
        ("love_letter:players=3", "sensible"),
    ],
)
def test_opponents_follow_a_scripted_policy(name, opponents):
    model = make_model(name)[1]
    settings = settings_of(model, {**PUCT, "tree": "self", "opponent_model": opponents})
    games = SelfPlay(
        model, settings, GameSettings(opponents=opponents), games=4, seed=3
    )
    found = {game.number: game for game in itertools.islice(games, 8)}
    checked = set()
    for number in range(2, 8):  # three teams have their turn
        if number in found:
            game, team = found[number], number // 2 % model.team_count
            assert {model.teams[p] for p in game.player} == {team}
            assert_game(game, *by_hand(model, settings, 3, number, opponents))
            checked.add(team)
    assert len(checked) > 1


VERDICT = Rules(
    "verdict",
    state=np.dtype([("over", np.int8)]),
    game=np.dtype([("verdict", np.int32, 4)]),
    chance=False,
)


@VERDICT.variant
def verdict_variant(game, *, players=4, verdict=(LOST,) * 4, teams=(0, 1, 2, 3)):
    """Player 0 decides once, and whatever it does the result is this one."""
    game["verdict"] = verdict
    return Spec(players=players, actions=2, teams=teams, observation_shape=(1,))


@VERDICT.define
def reset(game, state, rng):
    state.over = 0


@VERDICT.define
def movers(game, state):
    return 0 if state.over else 1


@VERDICT.define
def legal_actions(game, state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@VERDICT.define
def apply(game, state, joint_action, rng):
    state.over = 1


@VERDICT.define
def observe(game, state, player, out):
    out[0] = 1


@VERDICT.define
def results(game, state, out):
    for player in range(4):
        out[player] = game.verdict[player] if state.over else PLAYING


@pytest.mark.parametrize(
    ("verdict", "teams", "shares"),
    [
        ((WON, LOST, LOST, LOST), (0, 1, 2, 3), (1, 0, 0, 0)),
        ((WON, LOST, WON, LOST), (0, 1, 2, 3), (1 / 2, 0, 1 / 2, 0)),
        ((LOST, DRAWN, DRAWN, DRAWN), (0, 1, 2, 3), (0, 1 / 3, 1 / 3, 1 / 3)),
        ((WON, DRAWN, LOST, LOST), (0, 1, 2, 3), (1, 0, 0, 0)),
        ((LOST, LOST, LOST, LOST), (0, 1, 2, 3), (1 / 4,) * 4),
        ((WON, LOST, WON, LOST), (0, 1, 0, 1), (1, 0, 1, 0)),
        ((LOST, LOST, LOST, LOST), (0, 1, 0, 1), (1 / 2,) * 4),
    ],
)
def test_teams_that_win_together_share_the_win(verdict, teams, shares):
    """So the shares of all teams sum to 1, as a network's do."""
    model = VERDICT.model(verdict=verdict, teams=teams)
    (game,) = itertools.islice(SelfPlay(model, settings_of(model, GUMBEL), games=1), 1)
    assert game.outcome.tolist() == pytest.approx(shares)


@pytest.mark.parametrize("opponents", ["big_money", "", "random"])
def test_opponents_that_the_game_does_not_bring_are_refused(opponents):
    model = make_model("pommerman:observation=planes")[1]
    with pytest.raises(
        ValueError, match=f"opponents='{opponents}': pommerman has .* sim"
    ):
        SelfPlay(model, settings_of(model, PUCT), GameSettings(opponents=opponents))


def test_an_opponent_that_plays_what_is_not_legal_is_named():
    rules = runpy.run_path(str(EXAMPLES / "new_game.py"))["rules"]

    @rules.policy
    def stubborn(game, state, player, rng):
        return 20

    @rules.policy
    def wild(game, state, player, rng):
        return 30

    model = rules.model()
    settings = settings_of(model, PUCT)
    for name, action in (("stubborn", 20), ("wild", 30)):
        play = SelfPlay(model, settings, GameSettings(opponents=name), games=2, seed=1)
        text = (
            rf"nim: opponents='{name}': player \d chose action {action}, which is not "
        )
        with pytest.raises(
            GameError, match=rf"{text}legal \(.*test_self_play.py:\d+\)"
        ):
            list(itertools.islice(play, 9))
    searching = settings_of(model, {**PUCT, "tree": "self", "opponent_model": "wild"})
    state = model.reset(new_generator(0))
    with pytest.raises(
        GameError, match="opponent_model='wild' chose an action outside"
    ):
        Search(model, searching).run(state, 0, new_generator(0))


def test_the_number_of_games_side_by_side_changes_no_game():
    model = make_model("tictactoe")[1]
    settings = settings_of(model, PUCT)
    played = []
    for games in (1, 7):
        play = SelfPlay(
            model, settings, GameSettings(explore_moves=3), games=games, seed=9
        )
        played.append({game.number: game for game in itertools.islice(play, 12)})
    common = played[0].keys() & played[1].keys()
    assert len(common) >= 6
    for number in common:
        one, other = (found[number] for found in played)
        for name in ("observation", "policy", "value", "action", "outcome"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def first_moves(temperature):
    """Policies and actions of 400 first moves of one and the same search."""
    model = make_model("tictactoe")[1]
    chosen = {"tree_policy": "alphago", "simulations": 30}
    play = SelfPlay(
        model,
        settings_of(model, chosen, Even(2)),
        GameSettings(explore_moves=1, temperature=temperature),
        games=64,
        seed=2,
    )
    games = list(itertools.islice(play, 400))
    return [game.policy[0] for game in games], [game.action[0] for game in games]


def test_explored_moves_are_drawn_in_proportion_to_visits():
    policies, actions = first_moves(1.0)
    expected = np.sum(policies, axis=0)
    drawn = np.bincount(actions, minlength=9)
    chi_square = ((drawn - expected) ** 2 / expected).sum()
    assert chi_square < 40.0  # 8 degrees of freedom: one in 300,000
    assert any(p[a] < p.max() for p, a in zip(policies, actions, strict=True))


def test_at_a_low_temperature_the_most_visited_move_is_made():
    policies, actions = first_moves(0.005)
    for policy, action in zip(policies, actions, strict=True):
        assert policy[action] == policy.max()


class Interrupting:
    """An evaluator that is interrupted now and then."""

    def __init__(self, network, every):
        self.network, self.every, self.calls = network, every, 0

    def __call__(self, observations, players, legal):
        self.calls += 1
        if self.calls % self.every == 0:
            raise KeyboardInterrupt
        return self.network(observations, players, legal)


def test_interrupts_change_nothing():
    model = make_model("hex:size=4")[1]
    plain = SelfPlay(model, settings_of(model, GUMBEL), games=6, seed=1)
    expected = list(itertools.islice(plain, 9))
    evaluator = Interrupting(linear(model), 5)
    play = SelfPlay(model, settings_of(model, GUMBEL, evaluator), games=6, seed=1)
    found = []
    while len(found) < 9:
        try:
            found.append(next(play))
        except KeyboardInterrupt:
            continue
    for one, other in zip(found, expected, strict=True):
        assert one.number == other.number
        np.testing.assert_array_equal(one.policy, other.policy)
        np.testing.assert_array_equal(one.observation, other.observation)


@pytest.mark.parametrize(
    ("chosen", "options", "message"),
    [
        ({}, {"games": 0}, "games=0"),
        ({}, {"seed": -1}, "seed=-1"),
        (
            GUMBEL,
            {"game_settings": GameSettings(explore_moves=3)},
            "root_policy='gumbel' samples its moves",
        ),
        ({"reuse_tree": True}, {}, "takes reuse_tree=False"),
    ],
)
def test_what_makes_no_sense_is_refused(chosen, options, message):
    model = make_model("tictactoe")[1]
    settings = settings_of(model, {"tree_policy": "alphago", **chosen})
    with pytest.raises(ValueError, match=message):
        SelfPlay(model, settings, **options)


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", 0.0), ("explore_moves", -1), ("random_moves", True)],
)
def test_game_settings_are_checked(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}: expected"):
        GameSettings(**{name: value})


@pytest.mark.parametrize("games", [1, 3])
def test_after_an_error_in_a_search_nothing_goes_on(games):
    """The filter keeps nothing from the second step on, which a search finds first."""
    model = filtered(NONE_LATER)
    settings = settings_of(model, {"tree_policy": "alphago", "simulations": 50})
    play = SelfPlay(model, settings, games=games)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="filter_actions"):
            next(play)
    assert play.figures.decisions == 0


def test_self_play_takes_an_evaluator():
    model = make_model("tictactoe")[1]
    with pytest.raises(ValueError, match="self-play asks an evaluator"):
        SelfPlay(model, SearchSettings(simulations=8))
