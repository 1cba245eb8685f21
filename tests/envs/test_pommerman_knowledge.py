"""What players of Pommerman see, and the worlds that they cannot tell apart."""

import random
from collections import Counter

import numpy as np
import pytest

from mcts_agents.envs.pommerman.archives import read_arrays, recorded_position
from mcts_agents.envs.pommerman.official import (
    OFFICIAL,
    painted_board,
    position,
    set_position,
)
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import draw_below, new_generator
from tests.envs.pommerman_positions import (
    FLAMES,
    LAY,
    LEFT,
    RIGHT,
    UP,
    WOOD,
    after,
    crowded,
    drawn,
    permute_hidden,
    plain,
)
from tests.golden import golden_folder

# -- items under wood


def items_of(model, state):
    here = position(model, state)
    return here.hidden_items, here


def samples_of(model, state, number):
    for seed in range(number):
        sample = model.copy(state)
        model.redeterminise(sample, 0, new_generator(seed))
        yield items_of(model, sample)


def test_items_are_sampled_over_all_wood_with_their_number_kept():
    model = rules.model()
    state = model.reset(new_generator(1))
    before = plain(position(model, state))
    where, kinds = Counter(), Counter()
    for hidden, here in samples_of(model, state, 900):
        assert np.count_nonzero(hidden) == 20
        where.update(map(tuple, np.argwhere(hidden).tolist()))
        kinds.update(hidden[hidden > 0].tolist())
        now = plain(here)
        del now["hidden_items"]
        assert now == {k: v for k, v in before.items() if k != "hidden_items"}
    assert len(where) == 36
    assert all(abs(n - 500) < 80 for n in where.values())
    assert set(kinds) == {6, 7, 8}
    assert all(abs(n - 6000) < 400 for n in kinds.values())


def test_what_came_out_is_remembered_and_what_was_lost_unseen_is_not():
    """Three wood cells with two items; then one of them is lost under two flames."""
    bombs = [(0, 1, 3, 1, 2, 0)]
    hidden = [(0, 0, 6), (4, 0, 7)]
    model, state = drawn(
        "+....", "#####", "#####", "#####", "+#+", bombs=bombs, hidden=hidden
    )
    view = model.view(state)
    assert (view["unseen_items"], view["unseen_cells"]) == (2, 3)
    seen = model.copy(state)
    after(model, seen, {}, {}, {}, {})  # it comes out
    view = model.view(seen)
    assert (view["unseen_items"], view["unseen_cells"]) == (1, 2)
    counts = Counter(np.count_nonzero(h) for h, _ in samples_of(model, seen, 60))
    assert set(counts) == {1}
    after(model, state, {})
    here = position(model, state)
    assert here.board[0, 0] == FLAMES
    # While it burns the item may be there or not: 2 of 3.
    found = [bool(h[0, 0]) for h, _ in samples_of(model, state, 600)]
    assert abs(np.mean(found) - 2 / 3) < 0.07
    here.bombs = np.array(bombs, np.int8)
    set_position(model, lost := model.new_state(), here)
    model.view(lost)["unseen_cells"] = 3
    after(model, lost, {}, {}, {}, {}, {})
    assert position(model, lost).board[0, 0] == 0
    view = model.view(lost)
    assert (view["unseen_items"], view["unseen_cells"]) == (2, 3)
    counts = Counter(np.count_nonzero(h) for h, _ in samples_of(model, lost, 600))
    assert set(counts) == {1, 2}  # the lost cell held one of the two in 2 of 3 cases
    assert abs(counts[1] / 600 - 2 / 3) < 0.07


def test_samples_do_not_depend_on_the_truth():
    model, rng = rules.model(mode="team"), new_generator(3)
    state = model.reset(rng)
    for n in range(60):
        if model.is_over(state):
            state = model.reset(rng)
        world, other = model.copy(state), model.copy(state)
        permute_hidden(model, other, 0, random.Random(n))
        model.redeterminise(world, 0, new_generator(n))
        model.redeterminise(other, 0, new_generator(n))
        assert (world == other).all()
        model.apply(state, [draw_below(rng, 6) for _ in range(4)], rng)


def test_unseen_items_are_counted_through_whole_games():
    model, rng = rules.model(), new_generator(9)
    for _ in range(30):
        state = model.reset(rng)
        while not model.is_over(state):
            model.apply(state, [draw_below(rng, 6) for _ in range(4)], rng)
            here, view = position(model, state), model.view(state)
            hidden = np.count_nonzero(here.hidden_items)
            assert view["unseen_items"] >= hidden
            assert view["unseen_cells"] >= (here.board == WOOD).sum()


def test_what_is_taken_as_it_comes_out_was_seen_by_nobody():
    """The flames on former wood end while an agent steps there, or stays away."""
    for move, counts in ((RIGHT, (1, 1)), (0, (0, 0))):
        model, state = drawn("0*", "##", flame_life=0, hidden=[(0, 1, 7)])
        after(model, state, {0: move})
        view = model.view(state)
        assert (view["unseen_items"], view["unseen_cells"]) == counts
        assert view["strength"][0] == 3 if move else 2


def test_what_burns_as_it_comes_out_was_seen_by_nobody():
    bomb = (0, 3, 0, 1, 3, 0)
    model, state = drawn("0.*.", "####", flame_life=0, bombs=[bomb], hidden=[(0, 2, 7)])
    after(model, state, {})
    view = model.view(state)
    assert position(model, state).board[0, 2] == FLAMES
    assert (view["unseen_items"], view["unseen_cells"]) == (1, 1)
    assert not view["covered"].any()


def test_enemies_messages_are_not_heard():
    model = rules.model(mode="radio", fog=False)
    state = model.reset(new_generator(1))
    model.view(state)["messages"] = [11, 12, 13, 14]
    model.redeterminise(state, 2, new_generator(2))
    assert model.view(state)["messages"].tolist() == [11, 0, 13, 0]


# -- what is seen of actions


def test_actions_are_seen_by_what_they_do():
    model, state = drawn("0.1#", "....", ammo={1: 0})

    def seen(*joint):
        return [model.visible_action(state, joint, actor, 3) for actor in (0, 1)]

    assert seen(RIGHT, UP, 0, 0) == [RIGHT, 0]
    assert seen(RIGHT, LEFT, 0, 0) == [0, 0]  # both wanted the cell between
    assert seen(LAY, LAY, 0, 0) == [LAY, 0]  # player 1 has nothing to lay
    assert model.visible_action(state, (RIGHT, LEFT, 0, 0), 0, 0) == RIGHT


def test_moves_out_of_sight_are_not_seen_but_messages_are():
    model = rules.model(mode="radio")
    state = model.reset(new_generator(1))
    codes = {
        observer: {
            model.visible_action(state, [move << 6 | 9, 0, 0, 0], 0, observer)
            for move in range(6)
        }
        for observer in (1, 2, 3)
    }
    assert all(len(seen) == 1 and min(seen) >= 384 for seen in codes.values())
    assert codes[1] == codes[3]
    assert codes[2] != {model.visible_action(state, [10, 0, 0, 0], 0, 2)}


def test_messages_are_seen_by_the_team_mate_only():
    model = rules.model(mode="radio", fog=False)
    state = model.reset(new_generator(1))
    said = 2 * 64 + 9
    joint = [said, 0, 0, 0]
    assert model.visible_action(state, joint, 0, 2) == said
    other = [2 * 64 + 33, 0, 0, 0]
    for enemy in (1, 3):
        code = model.visible_action(state, joint, 0, enemy)
        assert code >= 384
        assert code == model.visible_action(state, other, 0, enemy)


# -- observations


def maps_of(model, state, player):
    """The five maps by name, and the facts."""
    size = int(model.game["size"][0])
    flat = model.observe(state, player).astype(int)
    maps = flat[: 5 * size * size].reshape(5, size, size)
    names = ("board", "bomb_blast_strength", "bomb_life", "bomb_moving_direction",
             "flame_life")  # fmt: skip
    return dict(zip(names, maps, strict=True)), flat[5 * size * size :]


def test_observations_are_the_recorded_ones():
    folder = golden_folder("pommerman")
    arrays = read_arrays(folder / "games.npz")
    recorded = dict(np.load(folder / "observations.npz"))
    models, compared = {}, 0
    for n, (game, t) in enumerate(zip(recorded["game"], recorded["t"], strict=True)):
        name = str(arrays["game_meta"][game]).split('env_id": "')[1].split('"')[0]
        model = models.setdefault(name, rules.model(**OFFICIAL[name]))
        index = int(arrays["game_state0"][game]) + int(t)
        state = model.new_state()
        set_position(model, state, recorded_position(arrays, index))
        for player in range(4):
            # Who hears what is in the record of what was heard.
            word, second = arrays["msg_obs"][index, player].tolist()
            model.view(state)["messages"][(player + 2) % 4] = 8 * word + second
        for player in range(4):
            maps, facts = maps_of(model, state, player)
            for what, found in maps.items():
                assert (found == recorded[what][n, player]).all(), (n, player, what)
            expected = [
                *recorded["position"][n, player],
                recorded["ammo"][n, player],
                recorded["blast_strength"][n, player],
                recorded["can_kick"][n, player],
                recorded["teammate"][n, player],
                *recorded["enemies"][n, player],
                *recorded["alive"][n],
                *recorded["message"][n, player],
                *divmod(int(recorded["step_count"][n]), 100),
            ]
            assert facts.tolist() == [int(value) for value in expected]
            compared += 1
    assert compared == 4 * len(recorded["game"])


@pytest.mark.parametrize("options", [{}, {"players": 2}, {"mode": "radio"}])
def test_maps_show_the_board_within_sight(options):
    model, rng = rules.model(**options), np.random.default_rng(5)
    for _ in range(40):
        state = crowded(model, rng)
        here, board = position(model, state), painted_board(model, state)
        for player in range(model.players):
            maps, _ = maps_of(model, state, player)
            row, column = here.agent_pos[player]
            for place in np.ndindex(*board.shape):
                far = max(abs(place[0] - row), abs(place[1] - column)) > 4
                hidden = far and options.get("mode") == "radio"
                assert maps["board"][place] == (5 if hidden else board[place])
                others = [maps[name][place] for name in maps if name != "board"]
                if hidden:
                    assert not any(others)
            assert (maps["bomb_life"] > 0).sum() <= len(here.bombs)


# -- keys


def test_keys_tell_apart_what_can_be_told_apart():
    model, rng = rules.model(mode="radio", fog=False), new_generator(6)
    meanings, whole = {}, {}
    for _ in range(12):
        state = model.reset(rng)
        for n in range(40):
            here = plain(position(model, state))
            secret = here.pop("hidden_items")
            said = model.view(state)["messages"].tolist()
            for observer in (0, 1):
                known = repr((observer, here, said[observer::2]))
                key = (observer, model.state_key(state, observer))
                assert meanings.setdefault(key, known) == known
                other = model.copy(state)
                permute_hidden(model, other, observer, random.Random(n))
                assert model.state_key(other, observer) == key[1]
            known = repr((here, secret, said))
            assert whole.setdefault(model.state_key(state), known) == known
            if model.is_over(state):
                break
            joint = [draw_below(rng, 384) for _ in range(4)]
            model.apply(state, joint, rng)
    assert len(whole) > 200
    assert len(set(whole.values())) == len(whole)
