"""A small sound game that makes one chosen mistake: compiled once for all of them.

Players hold a hidden card each; in turn they take 0, 1 or 2 points, six times in all.
A hidden coin lies on the table. Most points win, of a team where four play.
"""

import numpy as np
from numba import njit

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below

FAULTS = (
    "none",
    "movers_outside",
    "movers_none_at_first",
    "legal_none",
    "legal_too_many",
    "legal_behind",
    "legal_unwritten",
    "legal_twice",
    "legal_outside",
    "scores_nan",
    "scores_unwritten",
    "scores_change_the_state",
    "scores_change_the_game",
    "evaluate_infinite",
    "evaluate_beyond_1",
    "action_values_nan",
    "results_playing_at_the_end",
    "results_of_a_mover",
    "results_not_final",
    "results_of_teams",
    "results_unknown",
    "apply_draws",
    "apply_raises",
    "apply_changes_the_actions",
    "apply_writes_behind",
    "random_action_illegal",
    "random_action_biased",
    "playout_miscounts",
    "playout_stops",
    "playout_biased",
    "sample_changes_what_is_seen",
    "sample_changes_the_score",
    "sample_changes_the_own_score",
    "sample_is_the_truth",
    "sample_depends_on_the_truth",
    "sample_leaves_the_coin",
    "observe_outside",
    "observe_behind",
    "key_too_coarse",
    "key_sees_all",
    "filter_foreign",
    "filter_none",
    "nearest_self",
    "turn_falls",
    "round_from_1",
    "is_out_moves",
    "is_out_returns",
    "visible_action_changes_the_actions",
    "visible_action_lies",
    "policy_illegal",
    "code_negative",
    "code_twice",
    "moves_miscounted",
    "moves_behind",
    "moves_stop",
    "moves_of_another",
    "moves_of_another_code",
    "moves_past_the_end",
)
(
    _,
    MOVERS_OUTSIDE,
    MOVERS_NONE,
    LEGAL_NONE,
    LEGAL_TOO_MANY,
    LEGAL_BEHIND,
    LEGAL_UNWRITTEN,
    LEGAL_TWICE,
    LEGAL_OUTSIDE,
    SCORES_NAN,
    SCORES_UNWRITTEN,
    SCORES_STATE,
    SCORES_GAME,
    EVALUATE_INFINITE,
    EVALUATE_BEYOND,
    VALUES_NAN,
    RESULTS_PLAYING,
    RESULTS_MOVER,
    RESULTS_NOT_FINAL,
    RESULTS_TEAMS,
    RESULTS_UNKNOWN,
    APPLY_DRAWS,
    APPLY_RAISES,
    APPLY_ACTIONS,
    APPLY_BEHIND,
    RANDOM_ILLEGAL,
    RANDOM_BIASED,
    PLAYOUT_MISCOUNTS,
    PLAYOUT_STOPS,
    PLAYOUT_BIASED,
    SAMPLE_SEEN,
    SAMPLE_SCORE,
    SAMPLE_OWN_SCORE,
    SAMPLE_TRUTH,
    SAMPLE_DEPENDS,
    SAMPLE_COIN,
    OBSERVE_OUTSIDE,
    OBSERVE_BEHIND,
    KEY_COARSE,
    KEY_SEES,
    FILTER_FOREIGN,
    FILTER_NONE,
    NEAREST_SELF,
    TURN_FALLS,
    ROUND_1,
    OUT_MOVES,
    OUT_RETURNS,
    VISIBLE_ACTIONS,
    VISIBLE_LIES,
    POLICY_ILLEGAL,
    CODE_NEGATIVE,
    CODE_TWICE,
    MOVES_MISCOUNTED,
    MOVES_BEHIND,
    MOVES_STOP,
    MOVES_PLAYER,
    MOVES_CODE,
    MOVES_PAST,
) = range(len(FAULTS))

MOVES, CARDS = 6, 5

rules = Rules(
    "faulty",
    state=np.dtype(
        [
            ("left", np.int8),
            ("coin", np.int8),
            ("points", np.int8, 4),
            ("cards", np.int8, 4),
        ]
    ),
    game=np.dtype([("fault", np.int8), ("team", np.int8, 4)]),
    chance=False,
    move_codes=("exact", "abstract"),
)


@rules.variant
def variant(game, *, players=2, fault="none"):
    teams = (0, 1, 0, 1) if players == 4 else (0, 1)
    game["fault"] = FAULTS.index(fault)
    game["team"][:players] = teams
    return Spec(
        players=players,
        actions=4,
        legal_limit=3,
        observation_shape=(2 + players,),
        observation_bounds=(0, 20),
        teams=teams,
    )


@rules.define
def reset(game, state, rng):
    state.left = MOVES
    state.coin = random_below(rng, 2)
    for player in range(4):
        state.points[player] = 0
        state.cards[player] = 0
        if player < game.players:
            state.cards[player] = random_below(rng, CARDS)


@rules.define
def movers(game, state):
    if game.fault == MOVERS_NONE:
        return 0
    if game.fault == MOVERS_OUTSIDE and state.left == 3:
        return 1 << game.players
    return 0 if state.left == 0 else 1 << (MOVES - state.left) % game.players


@rules.define
def legal_actions(game, state, player, out):
    late = state.left < 4
    if game.fault == LEGAL_NONE and late:
        return 0
    if game.fault == LEGAL_TOO_MANY and late:
        return 4
    for action in range(2 if game.fault == LEGAL_UNWRITTEN else 3):
        out[action] = action
    if late:
        if game.fault == LEGAL_BEHIND:
            out[3] = 3
        elif game.fault == LEGAL_TWICE:
            out[2] = 1
        elif game.fault == LEGAL_OUTSIDE:
            out[2] = 4
    return 3


@rules.define
def apply(game, state, joint_action, rng):
    player = (MOVES - state.left) % game.players
    if game.fault == APPLY_RAISES and state.left == 3:
        raise ArithmeticError("this game\nis out of order")
    if game.fault == APPLY_DRAWS:
        random_below(rng, 2)
    state.points[player] += joint_action[player]
    state.left -= 1
    if game.fault == APPLY_ACTIONS:
        joint_action[player] = -1
    if game.fault == APPLY_BEHIND:
        state.cards[4] = 1


@rules.define
def scores(game, state, out):
    for player in range(game.players):
        if not (game.fault == SCORES_UNWRITTEN and player == 1):
            out[player] = state.points[player]
    if game.fault == SCORES_NAN and state.left == 2:
        out[1] = np.nan
    if game.fault == SCORES_STATE:
        state.coin = 1 - state.coin
    if game.fault == SCORES_GAME:
        game.team[3] += 1


@rules.define
def results(game, state, out):
    teams = np.zeros(2, np.int64)
    for player in range(game.players):
        teams[game.team[player]] += state.points[player]
    for player in range(game.players):
        mine = game.team[player]
        if state.left > 0:
            out[player] = PLAYING
        elif teams[mine] == teams[1 - mine]:
            out[player] = DRAWN
        else:
            out[player] = WON if teams[mine] > teams[1 - mine] else LOST
    if state.left == 0:
        if game.fault == RESULTS_PLAYING:
            out[0] = PLAYING
        elif game.fault == RESULTS_UNKNOWN:
            out[0] = 9
        elif game.fault == RESULTS_TEAMS:
            out[2] = (out[0] + 1) % 3 + 1
    if state.left == 3:
        if game.fault == RESULTS_MOVER:
            out[1] = WON
        elif game.fault == RESULTS_NOT_FINAL:
            out[0] = LOST


@rules.define
def evaluate(game, state, out):
    for player in range(game.players):
        out[player] = 0.5 + state.points[player] / 30
    if state.left == 3:
        if game.fault == EVALUATE_INFINITE:
            out[0] = np.inf
        elif game.fault == EVALUATE_BEYOND:
            out[0] = 1.5


@rules.define
def action_values(game, state, player, actions, n, out):
    for i in range(n):
        out[i] = actions[i] / 2
    if game.fault == VALUES_NAN:
        out[n - 1] = np.nan


@rules.define
def observe(game, state, player, out):
    out[0] = state.cards[player]
    out[1] = state.left
    for other in range(game.players):
        out[2 + other] = state.points[other]
    if game.fault == OBSERVE_OUTSIDE and state.left == 3:
        out[0] = -1
    if game.fault == OBSERVE_BEHIND:
        out[2 + game.players] = 1


@rules.define
def redeterminise(game, state, observer, rng):
    if game.fault == SAMPLE_TRUTH:
        return
    for player in range(game.players):
        if player != observer or game.fault == SAMPLE_SEEN:
            step = random_below(rng, CARDS)
            if game.fault == SAMPLE_DEPENDS:
                step = (state.cards[player] + step) % CARDS
            state.cards[player] = step
    if game.fault != SAMPLE_COIN:
        state.coin = random_below(rng, 2)
    if game.fault == SAMPLE_SCORE:
        state.points[1 - observer] += 1
    if game.fault == SAMPLE_OWN_SCORE:
        state.points[observer] += 1


@rules.define
def random_action(game, state, player, rng):
    if game.fault == RANDOM_ILLEGAL:
        return random_below(rng, 4)
    return random_below(rng, 2 if game.fault == RANDOM_BIASED else 3)


@rules.define
def playout(game, state, rng, limit):
    played = 0
    while state.left > 0 and played < limit:
        player = (MOVES - state.left) % game.players
        points = random_below(rng, 3)
        if game.fault == PLAYOUT_BIASED:
            points = 2 * (1 - player % 2)
        state.points[player] += points
        state.left -= 1
        played += 1
        if game.fault == PLAYOUT_STOPS:
            break
    return played + (game.fault == PLAYOUT_MISCOUNTS)


@njit
def code_of(left, action, kind):
    """Which of the six moves it is, too, or whether any points were taken."""
    return 3 * left + action if kind == 0 else min(action, 1)


@rules.define
def move_code(game, state, player, action, kind):
    if game.fault == CODE_NEGATIVE and action == 2:
        return -1
    if game.fault == CODE_TWICE:
        return 0
    return code_of(state.left, action, kind)


@rules.define
def playout_moves(game, state, rng, limit, kind, out):
    played = 0
    while state.left > 0 and played < limit:
        player = (MOVES - state.left) % game.players
        points = random_below(rng, 3)
        out[played].player = player
        out[played].code = code_of(state.left, points, kind)
        if game.fault == MOVES_PLAYER:
            out[played].player = 1 - player
        if game.fault == MOVES_CODE:
            out[played].code += 100
        state.points[player] += points
        state.left -= 1
        played += 1
        if game.fault == MOVES_STOP:
            break
    if game.fault == MOVES_PAST and state.left == 0 and played > 0:
        state.points[0] += 1
    if game.fault == MOVES_BEHIND:
        out[limit].code = 0
    return played + (game.fault == MOVES_MISCOUNTED)


@rules.define
def state_key(game, state, observer):
    key = np.int64(state.left)
    for player in range(game.players):
        key = key * 31 + state.points[player]
        if observer in (-1, player) or game.fault == KEY_SEES:
            key = key * 31 + state.cards[player]
    return 0 if game.fault == KEY_COARSE else key


@rules.define
def filter_actions(game, state, player, actions, n):
    if game.fault == FILTER_NONE:
        return 0
    if game.fault == FILTER_FOREIGN:
        actions[0] = 3
    return n


@rules.define
def nearest_opponent(game, state, player):
    return player if game.fault == NEAREST_SELF else (player + 1) % game.players


@rules.define
def turn(game, state):
    count = MOVES - state.left
    return -count if game.fault == TURN_FALLS else count


@rules.define
def round(game, state):
    return (MOVES - state.left) // game.players + (game.fault == ROUND_1)


@rules.define
def is_out(game, state, player):
    if game.fault == OUT_MOVES:
        return player == 1
    if game.fault == OUT_RETURNS and state.left == 3:
        return player == 0
    return state.left == 0


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    action = joint_action[actor]
    if game.fault == VISIBLE_ACTIONS:
        joint_action[actor] = 0 if action else 1
    if game.fault == VISIBLE_LIES:
        return 1
    return action


@rules.policy
def greedy(game, state, player, rng):
    return 3 if game.fault == POLICY_ILLEGAL else 2


# The same game with the functions only that a game with hidden information must have.
silent = Rules("silent", state=rules.state, game=rules.game, chance=False)
for function in (reset, movers, legal_actions, apply, scores, results, redeterminise):
    silent.define(function)


@silent.variant
def silent_variant(game, *, players=2):
    game["team"][:2] = 0, 1
    return Spec(players=players, actions=3)


def permute(model, state, observer, random):
    """Deal the cards that the observer does not hold again, and toss the coin."""
    view = model.view(state)
    for player in range(model.players):
        if player != observer:
            view["cards"][player] = random.randrange(CARDS)
    view["coin"] = random.randrange(2)
