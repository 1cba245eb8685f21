"""Rules: what is refused and in which words, and what a small game's model does."""

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.model import (
    LOST,
    PLAYING,
    WON,
    CompiledModel,
    Rules,
    RulesError,
    Spec,
    new_generator,
    random_below,
)
from mcts_agents.model.contract import ENTRIES, MAX_PLAYERS, REQUIRED

LEAST_PROBABILITY = 1e-4

# A race: the movers throw at once, action a gives 0 to a + 1 points by chance. At an
# even total all players throw, at an odd one only the player with the fewest points.
RACE = Rules(
    "race",
    state=np.dtype([("points", np.int16, 5), ("hidden", np.int8), ("odd", np.int8)]),
    game=np.dtype([("goal", np.int16), ("steps", np.int8, 3)]),
    search_defaults={"value": "score"},
)


@RACE.variant
def race_variant(game, *, players=2, goal=6):
    if goal < 1:
        raise ValueError(f"goal={goal}: the race needs one of at least 1")
    game["goal"] = goal
    game["steps"] = [1, 2, 3]
    return Spec(
        players=players,
        actions=3,
        legal_limit=2,
        observation_shape=(2, players),
        observation_bounds=(0, 100),
    )


@RACE.define
def reset(game, state, rng):
    for player in range(5):
        state.points[player] = 0
    state.hidden = random_below(rng, 100)
    state.odd = 0


@RACE.define
def movers(game, state):
    last = 0
    for player in range(game.players):
        if state.points[player] >= game.goal:
            return 0
        if state.points[player] < state.points[last]:
            last = player
    return 1 << last if state.odd else (1 << game.players) - 1


@RACE.define
def legal_actions(game, state, player, out):
    out[0] = 0
    if state.points[player] == 0:
        return 1
    out[1] = 2
    return 2


@RACE.define
def apply(game, state, joint_action, rng):
    total = 0
    for player in range(game.players):
        if joint_action[player] >= 0:
            step = game.steps[joint_action[player]]
            state.points[player] += random_below(rng, step + 1)
        total += state.points[player]
    state.odd = total % 2


@RACE.define
def scores(game, state, out):
    for player in range(game.players):
        out[player] = state.points[player]


@RACE.define
def results(game, state, out):
    best = state.points[: game.players].max()
    for player in range(game.players):
        if best < game.goal:
            out[player] = PLAYING
        else:
            out[player] = WON if state.points[player] == best else LOST


@RACE.define
def redeterminise(game, state, observer, rng):
    state.hidden = random_below(rng, 100)


@RACE.define
def evaluate(game, state, out):
    for player in range(game.players):
        out[player] = state.points[player] / game.goal


@RACE.define
def observe(game, state, player, out):
    for other in range(game.players):
        out[other] = state.points[other]
    out[game.players + player] = 1


FUNCTIONS = {
    f.__name__: f for f in (reset, movers, legal_actions, apply, scores, results)
}
SMALL = np.dtype([("cells", np.int8, 9)])


def rules_without(*missing, name="partial"):
    """Rules with the race's functions, but never compiled."""
    rules = Rules(name, state=RACE.state, game=RACE.game)
    for function_name, function in FUNCTIONS.items():
        if function_name not in missing:
            rules.define(function)
    if "variant" not in missing:

        @rules.variant
        def variant(game, *, players=2):
            game["goal"] = 3
            return Spec(players=players, actions=3)

    return rules


def rules_with_spec(answer):
    rules = rules_without("variant")

    @rules.variant
    def variant(game, *, players=2):
        return answer

    return rules


# -- what is refused


@pytest.mark.parametrize("missing", REQUIRED)
def test_one_missing_function(missing):
    with pytest.raises(RulesError) as raised:
        rules_without(missing).model()
    message = str(raised.value)
    entry = ENTRIES[missing]
    assert message.startswith("partial lacks required functions. Write: ")
    assert f"def {missing}({', '.join(entry.parameters)})" in message
    assert entry.purpose in message
    assert message.count("def ") == 1


def test_everything_missing_and_no_variant():
    with pytest.raises(RulesError) as raised:
        Rules("empty", state=SMALL).model()
    assert [f"def {name}(" in str(raised.value) for name in REQUIRED] == [True] * 5
    with pytest.raises(RulesError, match="partial lacks its variant function"):
        rules_without("variant").model()
    with pytest.raises(RulesError, match="variant function"):
        rules_without("variant").defaults()


def test_wrong_parameters():
    rules = Rules("small", state=SMALL)
    with pytest.raises(RulesError) as raised:

        @rules.define
        def legal_actions(game, state, out):
            return 0

    message = str(raised.value)
    assert "write `def legal_actions(game, state, player, out)`" in message
    assert "instead of `def legal_actions(game, state, out)`" in message
    assert ENTRIES["legal_actions"].purpose in message


def test_parameters_in_another_order_or_renamed():
    rules = Rules("small", state=SMALL)
    with pytest.raises(RulesError, match="def movers"):
        rules.define(named("movers", lambda state, game: 0))
    with pytest.raises(RulesError, match="def reset"):
        rules.define(named("reset", lambda game, state, generator: None))
    with pytest.raises(RulesError, match="def movers"):
        rules.define(named("movers", lambda *anything: 0))


def named(name, function):
    function.__name__ = name
    return function


@pytest.mark.parametrize("name", ["move", "is_over", "variant", "copy", "<lambda>"])
def test_unknown_function_name(name):
    rules = Rules("small", state=SMALL)
    with pytest.raises(RulesError) as raised:
        rules.define(named(name, lambda game, state: 0))
    message = str(raised.value)
    assert f"small: {name!r} is not a function of a forward model" in message
    assert "decorate helpers with numba.njit instead" in message
    for known in ("reset", "legal_actions", "redeterminise", "playout"):
        assert known in message
    assert "copy," not in message


@pytest.mark.parametrize(
    "state",
    [np.dtype(np.int8), np.int8, [("cells", np.int8)], {"cells": 9}, None, "i4"],
)
def test_state_that_is_no_record(state):
    with pytest.raises(RulesError, match=r"small: `state` is .*, not a record such as"):
        Rules("small", state=state)


def test_game_that_is_no_record():
    with pytest.raises(RulesError, match=r"small: `game` is .*, not a record such as"):
        Rules("small", state=SMALL, game=np.dtype(np.int8))


def test_records_without_a_fixed_size():
    for state in ([("hand", object)], [("hand", np.int8, 0)], [("a", [("b", "O")])]):
        with pytest.raises(RulesError, match=r"`state` must have a fixed size.*length"):
            Rules("small", state=np.dtype(state))
    with pytest.raises(RulesError, match="`game` must have a fixed size"):
        Rules("small", state=SMALL, game=np.dtype([("deck", object)]))
    with pytest.raises(RulesError):
        Rules("small", state=np.dtype([]))


def test_game_that_repeats_the_header():
    game = np.dtype([("size", np.int8), ("players", np.int8), ("actions", np.int8)])
    with pytest.raises(RulesError, match=r"repeats \['actions', 'players'\].* Spec"):
        Rules("small", state=SMALL, game=game)


def test_variant_functions_that_are_refused():
    def no_players(game, *, size=3): ...
    def positional(game, players=2): ...
    def no_default(game, *, players=2, size): ...
    def no_game(*, players=2): ...
    def two_games(game, state, *, players=2): ...
    def open_ended(game, *, players=2, **others): ...

    rules = Rules("small", state=SMALL)
    for function in (
        no_players,
        positional,
        no_default,
        no_game,
        two_games,
        open_ended,
    ):
        with pytest.raises(RulesError, match="small: write `def variant") as raised:
            rules.variant(function)
        assert "every keyword with a default" in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "`variant` must return a Spec, not None"),
        ((2, 9), r"must return a Spec, not \(2, 9\)"),
        (Spec(players=0, actions=1), "Spec.players is 0, expected .* from 1 to 62"),
        (Spec(players=63, actions=1), "Spec.players is 63, expected .* from 1 to 62"),
        (
            Spec(players=2, actions=0),
            "Spec.actions is 0, expected a whole number from 1",
        ),
        (Spec(players=2, actions=2**31), "Spec.actions is 2147483648"),
        (Spec(players=2, actions=3, legal_limit=0), "Spec.legal_limit is 0"),
        (Spec(players=2, actions=3, legal_limit=-1), "Spec.legal_limit is -1"),
        (
            Spec(2, 3, teams=(0, 1, 0)),
            r"Spec.teams is \(0, 1, 0\); expected the number",
        ),
        (Spec(3, 3, teams=(0, 1)), r"for each of 3 players, of two teams or more"),
        (Spec(2, 3, teams=(1, 2)), "counted from 0"),
        (Spec(4, 3, teams=(0, 2, 0, 2)), "counted from 0"),
        (Spec(2, 3, teams=(0, 0)), "of two teams or more"),
        (Spec(2, 3, observation_shape=(3,)), "`observe` and Spec.observation_shape go"),
        (
            Spec(2, 3, observation_shape=()),
            r"observation_shape is \(\), expected a tuple",
        ),
    ],
)
def test_specs_that_are_refused(answer, words):
    with pytest.raises(RulesError, match=f"partial: .*{words}"):
        rules_with_spec(answer).model()


@pytest.mark.parametrize(
    ("teams", "expected"),
    [(None, (0, 1, 2)), ((1, 0, 1), (1, 0, 1)), (np.array([0, 1, 2]), (0, 1, 2))],
)
def test_teams(teams, expected):
    model = rules_with_spec(Spec(players=3, actions=1, teams=teams)).model()
    assert model.teams == expected
    assert all(type(team) is int for team in model.teams)
    assert model.team_count == len(set(expected))


def test_observe_without_a_shape():
    rules = rules_without()
    rules.define(observe)
    with pytest.raises(
        RulesError, match=r"`observe` and Spec.observation_shape go tog"
    ):
        rules.model()


def test_unknown_options_and_wrong_players():
    with pytest.raises(ValueError, match="race has no option 'size'; it has players, "):
        RACE.model(size=3)
    with pytest.raises(ValueError, match="goal=0: the race needs"):
        RACE.model(goal=0)
    for players in (True, 2.0, "2", None):
        with pytest.raises(ValueError, match="race needs a whole number"):
            RACE.model(players=players)
    assert RACE.defaults() == {"players": 2, "goal": 6}


def test_define_returns_the_function_and_replaces_the_earlier():
    rules = rules_without(name="twice")

    def movers(game, state):
        return 2

    assert rules.define(movers) is movers
    model = rules.model()
    assert model.movers(model.reset(new_generator(0))) == (1,)
    rules.define(FUNCTIONS["movers"])
    later = rules.model()
    assert later.movers(later.reset(new_generator(0))) == (0, 1)
    # A model that was made earlier keeps its functions.
    assert model.movers(model.reset(new_generator(0))) == (1,)


# -- a small game through all functions


def test_attributes():
    model = RACE.model(players=3, goal=9)
    assert isinstance(model, CompiledModel)
    assert (model.name, model.players, model.actions) == ("race", 3, 3)
    assert (model.legal_limit, model.observation_size) == (2, 6)
    assert model.variant == {"players": 3, "goal": 9}
    assert (model.observation_shape, model.observation_bounds) == ((2, 3), (0, 100))
    assert model.chance
    assert model.hidden_information
    assert model.search_defaults == {"value": "score"}
    assert model.game["goal"][0] == 9
    assert model.game["steps"][0].tolist() == [1, 2, 3]
    assert not model.game.flags.writeable
    missing = {name for name in ENTRIES if not model.has(name)}
    assert missing == {
        "random_action",
        "action_values",
        "state_key",
        "turn",
        "round",
        "filter_actions",
        "is_out",
        "nearest_opponent",
        "visible_action",
        "move_code",
        "pass_turn",
        "outcomes",
        "apply_outcome",
        "playout_moves",
        "playout_sets",
    }
    with pytest.raises(ValueError, match="no function 'step' in a forward model"):
        model.has("step")
    bare = rules_without().model()
    for name in ("redeterminise", "evaluate", "observe", "random_action"):
        assert not bare.has(name)
    assert not bare.hidden_information
    assert (bare.legal_limit, bare.observation_shape) == (3, None)
    with pytest.raises(ValueError, match="partial has no function 'evaluate'"):
        bare.evaluate(bare.reset(new_generator(0)))


def test_a_game_from_the_opening_to_the_end():
    model = RACE.model(players=3)
    rng = new_generator(1)
    state = model.reset(rng)
    assert state.shape == (model.state_size,)
    assert state.dtype == np.uint8
    assert model.view(state)["points"].tolist() == [0] * 5
    assert model.scores(state).tolist() == [0, 0, 0]
    assert model.results(state).tolist() == [PLAYING] * 3
    assert model.returns(state) == [0, 0, 0]
    seen_alone = 0
    while not model.is_over(state):
        record = model.view(state)
        deciding = model.movers(state)
        expected = (0, 1, 2)
        if record["odd"]:
            expected = (int(record["points"][:3].argmin()),)
            seen_alone += 1
        assert deciding == expected
        legal = {p: model.legal_actions(state, p) for p in deciding}
        for player, actions in legal.items():
            assert actions.dtype == np.int32
            assert actions.tolist() == ([0, 2] if record["points"][player] else [0])
        before = model.scores(state)
        model.apply(state, {p: a[-1] for p, a in legal.items()}, rng)
        gained = model.scores(state) - before
        assert (gained >= 0).all()
        assert not any(gained[p] for p in range(3) if p not in deciding)
        assert model.evaluate(state) == pytest.approx(model.scores(state) / 6)
        shown = model.observe(state, 1)
        assert shown.shape == (2, 3)
        assert shown.dtype == np.int8
        assert shown.tolist() == [model.scores(state).tolist(), [0, 1, 0]]
    assert seen_alone
    assert model.movers(state) == ()
    best = model.scores(state).max()
    for player in range(3):
        won = model.scores(state)[player] == best
        assert model.results(state)[player] == (WON if won else LOST)
        assert model.returns(state)[player] == (1.0 if won else -1.0)


def test_joint_actions_as_mapping_or_sequence():
    model = RACE.model()
    results = []
    for joint in ({0: 2, 1: 0}, [2, 0], np.array([2, 0])):
        rng = new_generator(5)
        state = model.reset(rng)
        model.apply(state, joint, rng)
        results.append((state.tobytes(), rng.tobytes()))
    assert len(set(results)) == 1


def test_redeterminise_changes_what_is_hidden_only():
    model = RACE.model()
    rng = new_generator(2)
    state = model.reset(rng)
    model.view(state)["points"][1] = 3
    found = set()
    for _ in range(50):
        other = model.copy(state)
        model.redeterminise(other, 0, rng)
        found.add(int(model.view(other)["hidden"]))
        model.view(other)["hidden"] = model.view(state)["hidden"]
        assert other.tobytes() == state.tobytes()
    assert len(found) > 10
    bare = rules_without().model()
    opening = bare.reset(rng)
    before = opening.tobytes(), rng.tobytes()
    bare.redeterminise(opening, 0, rng)
    assert (opening.tobytes(), rng.tobytes()) == before


def test_copies_are_independent():
    model = RACE.model()
    rng = new_generator(0)
    state = model.reset(rng)
    twin = model.copy(state)
    assert twin.tobytes() == state.tobytes()
    assert not np.shares_memory(twin, state)
    model.apply(state, [2, 2], rng)
    model.view(state)["points"][4] = 77
    assert twin.tobytes() != state.tobytes()
    frozen = state.tobytes()
    while not model.is_over(twin):
        model.apply(twin, dict.fromkeys(model.movers(twin), 0), rng)
    assert state.tobytes() == frozen


def test_models_are_copied_and_pickled():
    model = RACE.model(players=4, goal=8)
    for twin in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
    ):
        assert (twin.name, twin.variant) == ("race", model.variant)
        assert twin.game.tobytes() == model.game.tobytes()
        assert twin.game_address != model.game_address
        assert played(twin, 6) == played(model, 6)


def played(model, seed):
    rng = new_generator(seed)
    state = model.reset(rng)
    count = model.call("playout", state.ctypes.data, rng.ctypes.data, 1000)
    return count, state.tobytes(), rng.tobytes()


def test_two_variants_do_not_disturb_each_other():
    short, long = RACE.model(goal=2), RACE.model(players=5, goal=60)
    before = played(short, 3)
    assert played(long, 3)[0] > before[0]
    assert played(short, 3) == before


def test_most_players():
    rules = Rules("crowd", state=np.dtype([("turn", np.int64)]))

    @rules.variant
    def variant(game, *, players=MAX_PLAYERS):
        return Spec(players=players, actions=1)

    @rules.define
    def reset(game, state, rng):
        state.turn = 0

    @rules.define
    def movers(game, state):
        return 0 if state.turn else (1 << game.players) - 1

    @rules.define
    def legal_actions(game, state, player, out):
        out[0] = 0
        return 1

    @rules.define
    def apply(game, state, joint_action, rng):
        state.turn = len(joint_action)

    @rules.define
    def scores(game, state, out):
        out[:] = 0

    @rules.define
    def results(game, state, out):
        out[:] = WON if state.turn else PLAYING

    model = rules.model()
    state = model.reset(new_generator(0))
    assert model.movers(state) == tuple(range(62))
    assert model.call("playout", state.ctypes.data, RNG.ctypes.data, 62) == 62
    assert model.view(state)["turn"] == 62
    assert model.results(state).tolist() == [WON] * 62


RNG = new_generator(0)


# -- the playout that the library writes


def stepped(model, state, rng, limit=10**6):
    """Play like `playout`, through Python."""
    count = 0
    while not model.is_over(state):
        deciding = model.movers(state)
        if count + len(deciding) > limit:
            break
        joint = {}
        for player in deciding:
            legal = model.legal_actions(state, player)
            joint[player] = legal[random_below(rng, len(legal))]
        model.apply(state, joint, rng)
        count += len(deciding)
    return count


@pytest.mark.parametrize("players", [1, 2, 3])
def test_generated_playout_is_stepping_with_the_same_draws(players):
    model = RACE.model(players=players)
    for seed in range(200):
        rng = new_generator(seed)
        state = model.reset(rng)
        twin, twin_rng = model.copy(state), rng.copy()
        limit = seed % 30
        count = model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
        assert count == stepped(model, twin, twin_rng, limit)
        assert state.tobytes() == twin.tobytes()
        assert rng.tobytes() == twin_rng.tobytes()


def test_generated_playout_is_stepping_in_distribution():
    model = RACE.model(players=3)
    lengths = np.zeros((2, 200), np.int64)
    winners = np.zeros((2, 8), np.int64)
    for kind in range(2):
        for game in range(1500):
            rng = new_generator(10_000 * (kind + 1) + game)
            state = model.reset(rng)
            if kind:
                count = stepped(model, state, rng)
            else:
                count = model.call("playout", state.ctypes.data, rng.ctypes.data, 10**6)
            assert model.is_over(state)
            lengths[kind, count] += 1
            won = model.results(state) == WON
            winners[kind, won @ [1, 2, 4]] += 1
    often = lengths.sum(axis=0) >= 20
    table = np.column_stack([lengths[:, often], lengths[:, ~often].sum(axis=1)])
    assert chi2_contingency(table).pvalue > LEAST_PROBABILITY
    winners = winners[:, winners.sum(axis=0) >= 20]
    assert chi2_contingency(winners).pvalue > LEAST_PROBABILITY


def test_playout_never_exceeds_its_limit():
    model = RACE.model(players=3)
    for limit in range(12):
        rng = new_generator(limit)
        state = model.reset(rng)
        before = state.tobytes()
        count = model.call("playout", state.ctypes.data, rng.ctypes.data, limit)
        assert count <= limit
        # The first decision is one of three players: all of them act or none.
        assert (count == 0) == (limit < 3)
        assert (state.tobytes() == before) == (limit < 3) or count > 0


def test_playout_of_a_finished_game_does_nothing():
    model = RACE.model()
    rng = new_generator(0)
    state = model.reset(rng)
    model.view(state)["points"][0] = 50
    before = state.tobytes(), rng.tobytes()
    assert model.call("playout", state.ctypes.data, rng.ctypes.data, 100) == 0
    assert (state.tobytes(), rng.tobytes()) == before


def test_playout_uses_the_authors_random_action():
    rules = rules_without(name="forced")

    @rules.define
    def random_action(game, state, player, rng):
        # A mark that no legal action leaves, to be seen below.
        state.hidden = 50 + player
        return 2

    @rules.variant
    def variant(game, *, players=2):
        game["goal"] = 4
        game["steps"] = [0, 0, 3]
        return Spec(players=players, actions=3)

    model = rules.model()
    rng = new_generator(3)
    state = model.reset(rng)
    # Action 0 gains nothing, so only random_action can end this game.
    assert model.call("playout", state.ctypes.data, rng.ctypes.data, 10**5) > 0
    assert model.is_over(state)
    assert model.view(state)["hidden"] >= 50


def test_playout_of_the_author_is_taken():
    rules = rules_without(name="own_playout")

    @rules.define
    def playout(game, state, rng, limit):
        state.points[0] = limit
        return 7

    model = rules.model()
    state = model.reset(RNG.copy())
    assert model.call("playout", state.ctypes.data, RNG.ctypes.data, 33) == 7
    assert model.view(state)["points"][0] == 33


def test_choices_of_a_playout_are_uniform():
    rules = Rules("pick", state=np.dtype([("turn", np.int8), ("chosen", np.int8)]))

    @rules.variant
    def variant(game, *, players=1):
        return Spec(players=players, actions=50, legal_limit=7)

    @rules.define
    def reset(game, state, rng):
        state.turn = 0
        state.chosen = -1

    @rules.define
    def movers(game, state):
        return 1 - state.turn

    @rules.define
    def legal_actions(game, state, player, out):
        for i in range(7):
            out[i] = 6 * i
        return 7

    @rules.define
    def apply(game, state, joint_action, rng):
        state.turn = 1
        state.chosen = joint_action[0]

    @rules.define
    def scores(game, state, out):
        out[0] = state.chosen

    @rules.define
    def results(game, state, out):
        out[0] = WON if state.turn else PLAYING

    model = rules.model()
    rng = new_generator(8)
    counts = np.zeros(37, np.int64)
    for _ in range(3500):
        state = model.reset(rng)
        assert model.call("playout", state.ctypes.data, rng.ctypes.data, 1) == 1
        counts[model.view(state)["chosen"]] += 1
    assert set(np.flatnonzero(counts)) == set(range(0, 37, 6))
    assert chisquare(counts[::6]).pvalue > LEAST_PROBABILITY


@pytest.mark.parametrize("listed", [0, -1, 3])
def test_playout_never_applies_an_action_that_was_not_listed(listed):
    """Memory that nobody wrote would reach `apply`, which may use it as an index."""
    rules = Rules("unlisted", state=np.dtype([("moves", np.int8), ("listed", np.int8)]))

    @rules.variant
    def variant(game, *, players=1):
        return Spec(players=players, actions=2)

    @rules.define
    def reset(game, state, rng):
        state.moves = 0
        state.listed = 2

    @rules.define
    def movers(game, state):
        return 1 if state.moves < 5 else 0

    @rules.define
    def legal_actions(game, state, player, out):
        out[0] = 0
        out[1] = 1
        return 2 if state.moves < 3 else state.listed

    @rules.define
    def apply(game, state, joint_action, rng):
        state.moves += 1

    @rules.define
    def scores(game, state, out):
        out[0] = 0

    @rules.define
    def results(game, state, out):
        out[0] = WON if state.moves == 5 else PLAYING

    model = rules.model()
    rng = new_generator(0)
    state = model.reset(rng)
    sound = model.copy(state)
    model.view(state)["listed"] = listed
    told = rf"unlisted\(players=1\): `legal_actions` gave {listed} actions of player 0"
    with pytest.raises(RuntimeError, match=told):
        model.call("playout", state.ctypes.data, rng.ctypes.data, 10)
    assert model.view(state)["moves"] == 3
    assert model.call("playout", sound.ctypes.data, rng.ctypes.data, 10) == 5


def test_what_searches_may_ask_for():
    """Values of actions, keys, counters, visible actions and scripted policies."""
    rules = rules_without()

    def action_values(game, state, player, actions, n, out):
        for i in range(n):
            out[i] = 0.25 * actions[i]

    def state_key(game, state, observer):
        return 100 + observer

    def turn(game, state):
        return 4

    def visible_action(game, state, joint_action, actor, observer):
        return 10 * joint_action[actor] + observer

    def last(game, state, player, rng):
        return game.actions - 1

    for function in (action_values, state_key, turn, visible_action):
        rules.define(function)
    rules.policy(last)
    model = rules.model()
    state = model.reset(new_generator(0))
    actions = model.legal_actions(state, 0)
    assert model.action_values(state, 0).tolist() == [0.25 * a for a in actions]
    assert model.state_key(state) == 99
    assert model.state_key(state, 2) == 102
    assert model.turn(state) == 4
    assert model.visible_action(state, [3, 5], 1, 0) == 50
    assert model.policies == ("last",)
    assert model.policy_address("last") != 0
    rng = new_generator(1)
    assert model.policy_action("last", state, 0, 0, rng) == model.actions - 1
    with pytest.raises(ValueError, match="has no function 'round'"):
        model.round(state)
    with pytest.raises(RulesError, match="write `def <lambda>"):
        rules.policy(lambda game, state: 0)


# -- states that end earlier in some variants


def short_rules(leaves_out):
    rules = Rules(
        "short",
        state=np.dtype([("steps", np.int8), ("memory", np.int64, 4), ("own", np.int8)]),
        game=np.dtype([("remembers", np.int64)]),
    )

    @rules.variant
    def variant(game, *, players=1, remembers=True):
        game["remembers"] = remembers
        return Spec(players, actions=2, leaves_out=() if remembers else leaves_out)

    @rules.define
    def reset(game, state, rng):
        state.steps = 0
        if game.remembers:
            state.memory[:] = 7
            state.own = 9

    @rules.define
    def movers(game, state):
        return 0 if state.steps == 3 else 1

    @rules.define
    def legal_actions(game, state, player, out):
        out[0], out[1] = 0, 1
        return 2

    @rules.define
    def apply(game, state, joint_action, rng):
        state.steps += 1
        if game.remembers:
            state.own += 1

    @rules.define
    def scores(game, state, out):
        out[0] = state.steps

    @rules.define
    def results(game, state, out):
        out[0] = WON if state.steps == 3 else PLAYING

    return rules


def test_a_variant_may_leave_out_the_last_fields():
    rules = short_rules(("memory", "own"))
    whole, short = rules.model(), rules.model(remembers=False)
    assert (whole.state_size, short.state_size) == (48, 1)
    rng = new_generator(1)
    state = whole.reset(rng)
    whole.apply(state, [0], rng)
    assert (whole.copy(state) == state).all()
    assert whole.view(state).item()[0] == 1
    assert whole.view(state)["own"] == 10
    state = short.reset(rng)
    short.apply(state, [0], rng)
    assert short.view(state).dtype.names == ("steps",)
    # The copy touches nothing behind the shorter state.
    room = np.full(8, 5, np.uint8)
    short.call("copy", room.ctypes.data, state.ctypes.data)
    assert room.tolist() == [1, 5, 5, 5, 5, 5, 5, 5]


@pytest.mark.parametrize(
    "fields", [("memory",), ("own", "memory"), ("steps", "memory", "own"), ("none",)]
)
def test_only_the_last_fields_can_be_left_out(fields):
    with pytest.raises(RulesError, match="not the last of the state's fields"):
        short_rules(fields).model(remembers=False)
