"""What players of Pommerman remember in the fog, and the worlds that they imagine."""

import numpy as np
import pytest

from mcts_agents.envs.pommerman.layout import UNKNOWN_OWNER
from mcts_agents.envs.pommerman.official import painted_board, position
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator
from tests.envs.pommerman_fog import (
    BOMB,
    RIGID,
    VARIANTS,
    WOOD,
    bombs_of,
    cells_of,
    change_unseen,
    faults,
    games,
    in_sight,
    joint_moves,
    seen_by,
)
from tests.envs.test_pommerman_games import CORNERS, RING_WOOD, unreachable


def sample(model, state, player, seed):
    world = model.copy(state)
    model.redeterminise(world, player, new_generator(seed))
    return world


def belief_of(model, state, player):
    return model.view(state)["beliefs"][player].tobytes()


# -- no leak


@pytest.mark.parametrize("variant", VARIANTS)
def test_samples_keys_and_beliefs_do_not_depend_on_what_is_unseen(variant):
    """A belief follows from the one before, the own action and what is seen."""
    model, rng = rules.model(**VARIANTS[variant]), new_generator(3)
    numbers = np.random.default_rng(4)
    compared = differing = 0
    for n, (state, _) in enumerate(games(model, rng, 250)):
        player = n % model.players
        seen = seen_by(model, state, player)
        other = model.copy(state)
        beliefs = model.view(state)["beliefs"].copy()
        change_unseen(model, other, player, numbers)
        assert seen_by(model, other, player) == seen
        differing += (other != state).any()
        assert (
            sample(model, state, player, n) == sample(model, other, player, n)
        ).all()
        assert model.state_key(state, player) == model.state_key(other, player)

        # One step further: the same own action, other actions of those out of sight.
        change_unseen(model, other, player, numbers, beliefs)
        view = model.view(other)
        joint = joint_moves(model, state, rng)
        elsewhere = list(joint)
        for p in range(model.players):
            if not in_sight(view, player, int(view["cells"][p])):
                bits = int(model.game["message_bits"][0])
                words = joint[p] & ((1 << bits) - 1)
                elsewhere[p] = int(numbers.integers(6)) << bits | words
        codes = [
            model.visible_action(state, joint, p, player) for p in range(model.players)
        ]
        others_codes = [
            model.visible_action(other, elsewhere, p, player)
            for p in range(model.players)
        ]
        after = model.copy(state)
        model.apply(after, joint, rng)
        model.apply(other, elsewhere, rng)
        if seen_by(model, after, player) == seen_by(model, other, player):
            compared += 1
            assert belief_of(model, after, player) == belief_of(model, other, player)
            assert codes == others_codes
    assert differing == 250
    assert compared > 100


# -- samples fit


@pytest.mark.parametrize("variant", VARIANTS)
def test_samples_are_worlds_in_which_the_player_sees_the_same(variant):
    model, rng = rules.model(**VARIANTS[variant]), new_generator(5)
    worlds = set()
    for n, (state, _) in enumerate(games(model, rng, 300)):
        for player in model.movers(state):
            world = sample(model, state, player, n)
            worlds.add(world.tobytes())
            assert seen_by(model, world, player) == seen_by(model, state, player)
            assert faults(model, world) == []
            assert model.state_key(world, player) == model.state_key(state, player)
            view = model.view(world)
            assert view["remembering"] == 1 << player
            for other in range(4):
                mine = belief_of(model, state, player)
                kept = view["beliefs"][other].tobytes()
                assert kept == (mine if other == player else bytes(len(mine)))
            # Sampled again, as a search does, and for somebody else, whose agent may be
            # asked within it.
            again = sample(model, world, player, n + 1)
            assert (again == sample(model, state, player, n + 1)).all()
            other = (player + 1) % model.players
            asked = sample(model, world, other, n)
            assert (painted_board(model, asked) == painted_board(model, world)).all()
            # Play goes on in it.
            for _ in range(3):
                if model.movers(world):
                    model.apply(world, joint_moves(model, world, rng), rng)
            model.redeterminise(world, player, rng)
            assert faults(model, world) == []
    assert len(worlds) > 500


@pytest.mark.parametrize("variant", ["team", "radio", "small"])
def test_what_was_seen_is_remembered(variant):
    """The last sight of each cell, kept here in plain Python."""
    model, rng = rules.model(**VARIANTS[variant]), new_generator(6)
    wood_kept = wood_there = items_kept = items_there = 0
    remembered = {}
    for n, (state, first) in enumerate(games(model, rng, 400)):
        truth = painted_board(model, state)
        for player in range(model.players):
            if first:
                remembered[player] = {}
            codes = seen_by(model, state, player)["board"]
            for place in np.ndindex(truth.shape):
                if codes[place[0]][place[1]] != 5:
                    remembered[player][place] = codes[place[0]][place[1]]
            if not model.view(state)["alive"] >> player & 1 or n % 5:
                continue
            board = painted_board(model, sample(model, state, player, n))
            for place, code in remembered[player].items():
                if code == 1:
                    assert board[place] == 1
                elif code == WOOD:
                    if truth[place] == WOOD:
                        wood_there += 1
                        wood_kept += board[place] == WOOD
                else:
                    assert board[place] not in (1, WOOD)
                    if code in (6, 7, 8) and truth[place] == code:
                        items_there += 1
                        items_kept += board[place] == code
    assert wood_there > 300
    assert wood_kept > 0.98 * wood_there
    assert items_there == 0 or items_kept > 0.9 * items_there


# -- boards


@pytest.mark.parametrize(("players", "walls", "items"), [(4, 36, 20), (2, 16, 10)])
def test_sampled_boards_keep_the_rules_of_the_board(players, walls, items):
    model, rng = rules.model(players=players, fog=True), new_generator(7)
    for n in range(25):
        state = model.reset(rng)
        truth = painted_board(model, state)
        for player in range(players):
            for seed in range(4):
                here = position(model, sample(model, state, player, 9 * n + seed))
                board = here.board
                assert (board == 1).sum() == (board == 2).sum() == walls
                assert (here.hidden_items > 0).sum() == items
                assert (board[here.hidden_items > 0] == 2).all()
                walled = np.isin(board, (1, 2))
                layout = np.where(walled, board, 0)
                assert (layout == layout.T).all()
                assert not walled.diagonal().any()
                corner = CORNERS[players][-1 if players == 2 else 2]
                assert unreachable(board, corner) <= 4
                if players == 4:
                    assert all(board[cell] == 2 for cell in RING_WOOD)
                assert [tuple(c) for c in here.agent_pos.tolist()] == CORNERS[players]
                # What the player sees holds on the other side of the diagonal as well.
                row, column = CORNERS[players][player]
                for place in np.ndindex(board.shape):
                    if max(abs(place[0] - row), abs(place[1] - column)) <= 4:
                        kept = truth[place] if truth[place] < 10 else 0
                        assert layout[place] == kept == layout[place[::-1]]


def test_unseen_walls_are_equally_likely_everywhere():
    """Of the pairs that player 0 cannot see at first, all are rigid equally often."""
    model = rules.model(fog=True)
    state = model.reset(new_generator(8))
    unseen = [
        (r, c)
        for r, c in np.ndindex(11, 11)
        if r < c and c > 5 and (r, c) not in RING_WOOD and not corner_room(r, c)
    ]
    number = 3000
    boards = [painted_board(model, sample(model, state, 0, n)) for n in range(number)]
    for wall in (1, 2):
        rate = np.mean(
            [[board[place] == wall for place in unseen] for board in boards], 0
        )
        expected = rate.mean()
        # Boards of which too much cannot be reached are left out, which favours the
        # middle a little.
        assert (abs(rate - expected) < 0.12).all()
        truth = painted_board(model, state)
        assert abs(expected - np.mean([truth[p] == wall for p in unseen])) < 1e-9


def corner_room(row, column):
    """Whether a cell is a corner's or next to it along the ring, of four players."""
    near, far = sorted((min(row, 10 - row), min(column, 10 - column)))
    return near == 1 and far <= 3


# -- agents


def test_agents_out_of_sight_are_where_they_can_have_walked():
    model, rng = rules.model(mode="team", fog=True), new_generator(9)
    distances = set()
    last = {}
    for n, (state, first) in enumerate(games(model, rng, 400)):
        view = model.view(state)
        for player in range(4):
            if first:
                last[player] = {p: (0, cell) for p, cell in enumerate(CORNERS[4])}
            codes = np.array(seen_by(model, state, player)["board"])
            for other in range(4):
                if other != player and (codes == 10 + other).any():
                    place = tuple(np.argwhere(codes == 10 + other)[0].tolist())
                    last[player][other] = (int(view["steps"]), place)
            if not view["alive"] >> player & 1:
                continue
            world = model.view(sample(model, state, player, n))
            for other in range(4):
                step, place = last[player][other]
                cell = int(world["cells"][other])
                if other == player or not view["alive"] >> other & 1:
                    continue
                if step == view["steps"]:
                    assert cell == view["cells"][other]
                    continue
                assert not in_sight(view, player, cell)
                row, column = cell // 12 - 1, cell % 12 - 1
                walked = abs(row - place[0]) + abs(column - place[1])
                distances.add(walked)
                assert walked <= view["steps"] - step
    assert len(distances) > 5


def test_who_was_never_seen_began_in_any_other_corner():
    model = rules.model(fog=True, shuffle_corners=True)
    state = model.reset(new_generator(2))
    own = int(model.view(state)["cells"][0])
    found = {p: set() for p in range(1, 4)}
    for seed in range(100):
        world = model.view(sample(model, state, 0, seed))
        assert int(world["cells"][0]) == own
        assert len(set(world["cells"].tolist())) == 4
        for p in found:
            found[p].add(int(world["cells"][p]))
    corners = {(r + 1) * 12 + c + 1 for r, c in CORNERS[4]}
    assert all(places == corners - {own} for places in found.values())


# -- scenes


def bare(**options):
    """An opening without any walls but the border, players 0 and 1 near each other."""
    model = rules.model(**{"fog": True, **options})
    state = model.reset(new_generator(1))
    view = model.view(state)
    view["terrain"][cells_of(int(model.game["size"][0]))] = 0
    return model, state, view


def steps(model, state, *joints):
    for joint in joints:
        model.apply(state, joint, new_generator(0))


CELL = {(r, c): (r + 1) * 12 + c + 1 for r in range(11) for c in range(11)}


def owners_sampled(model, state, player, cell):
    found = set()
    for seed in range(60):
        view = model.view(sample(model, state, player, seed))
        words = view["bombs"][: view["bomb_count"]].tolist()
        found |= {w >> 8 & 3 for w in words if w >> 16 == cell}
    return found


def test_the_owner_of_a_bomb_is_known_if_it_was_seen_laid():
    model, state, view = bare()
    view["cells"][1] = CELL[1, 4]
    view["terrain"][CELL[9, 9]] = 0
    steps(model, state, [0, 0, 0, 0], [0, 5, 0, 0])
    assert owners_sampled(model, state, 0, CELL[1, 4]) == {1}
    # Seen by player 2 only later, when its layer has gone.
    assert owners_sampled(model, state, 2, CELL[1, 4]) == set()
    view["cells"][2] = CELL[4, 7]
    view["cells"][1] = CELL[9, 1]
    steps(model, state, [0, 0, 0, 0])
    assert owners_sampled(model, state, 2, CELL[1, 4]) == {0, 1, 3}
    assert owners_sampled(model, state, 0, CELL[1, 4]) == {1}
    beliefs = view["beliefs"]
    assert beliefs[0]["ammo"].tolist() == [1, 0, 1, 1]
    # Out of sight it goes off in the belief, and its owner can lay it again.
    view["cells"][0] = CELL[10, 0]
    steps(model, state, *[[0, 0, 0, 0]] * 8)
    assert view["beliefs"][0]["ammo"].tolist() == [1, 1, 1, 1]
    assert view["beliefs"][0]["bomb_count"] == 0


def test_a_kicked_bomb_is_followed_and_its_kicker_known():
    model, state, view = bare()
    view["cells"][1] = CELL[1, 3]
    steps(model, state, [0, 0, 0, 0], [0, 5, 0, 0], [0, 3, 0, 0])
    view["kick"] = 0b0010
    steps(model, state, [0, 4, 0, 0])
    belief = view["beliefs"][0]
    assert belief["kick"] == 0b0010
    assert owners_sampled(model, state, 0, CELL[1, 4]) == {1}
    assert view["beliefs"][2]["kick"] == 0  # far away


def kicked_away(wall=False):
    """Player 0 sees its own bomb roll away, the fourth step to the edge of its view."""
    model, state, view = bare()
    view["cells"][0] = CELL[2, 2]
    if wall:
        view["terrain"][CELL[2, 7]] = RIGID
    steps(model, state, [0, 0, 0, 0])
    view["kick"] = 0b0001
    steps(model, state, *([move, 0, 0, 0] for move in (5, 3, 4, 0, 0, 0)))
    assert view["cells"][0] == CELL[2, 2]
    assert [word >> 16 for word in view["bombs"][:1].tolist()] == [CELL[2, 6]]
    steps(model, state, [0, 0, 0, 0])
    return model, state, view


def test_a_bomb_that_rolls_out_of_view_stays_the_players_own():
    """Whatever stands where nobody has looked, and wherever it has come by then."""
    model, state, view = kicked_away()
    resting = set()
    for _ in range(3):
        for seed in range(100):
            world = sample(model, state, 0, seed)
            assert seen_by(model, world, 0) == seen_by(model, state, 0)
            assert faults(model, world) == []
            words = model.view(world)["bombs"][: view["bomb_count"]].tolist()
            assert len(words) == 1
            resting |= {word >> 10 & 7 == 0 for word in words}
        steps(model, state, [0, 0, 0, 0])
    assert resting == {False, True}  # in front of walls that may be there


def test_a_bomb_that_something_out_of_view_has_stopped_is_the_same():
    model, state, view = kicked_away(wall=True)
    assert view["beliefs"][0]["bomb_count"] == view["bomb_count"] == 1
    assert owners_sampled(model, state, 0, CELL[2, 6]) == {0}
    for seed in range(60):
        world = sample(model, state, 0, seed)
        assert model.view(world)["bomb_count"] == 1
        assert seen_by(model, world, 0) == seen_by(model, state, 0)


def own_bombs(view, player, flags=0):
    """The lives of a player's bombs; in a belief those that it knows to be its own."""
    words = view["bombs"][: view["bomb_count"]].tolist()
    return [w & 15 for w in words if w >> 8 & 3 == player and not w & flags]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_player_knows_how_many_bombs_of_its_own_are_left(variant):
    """By how many it can lay, whatever has become of them out of its sight."""
    model, rng = rules.model(**VARIANTS[variant]), new_generator(11)
    numbers = set()
    for n, (state, _) in enumerate(games(model, rng, 1500)):
        view = model.view(state)
        view["kick"] = 15  # so that many bombs leave the views
        for player in model.movers(state):
            own = own_bombs(view, player)
            believed = own_bombs(view["beliefs"][player], player, UNKNOWN_OWNER)
            assert len(believed) == len(own)
            # None of them goes off before the true ones.
            pairs = zip(sorted(believed), sorted(own), strict=True)
            assert all(late >= early for late, early in pairs)
            numbers.add(len(own))
            if n % 10 == 0:
                world = model.view(sample(model, state, player, n))
                assert world["ammo"][player] == view["ammo"][player]
                assert len(own_bombs(world, player)) <= len(own)
    assert numbers >= {0, 1, 2}


def test_an_own_bomb_kicked_out_of_view_is_still_there():
    """By player 1, who walks into it, at a corner of player 0's view."""
    model, state, view = bare()
    view["kick"] = 0b0010
    view["cells"][1] = CELL[7, 8]
    view["cells"][0] = CELL[8, 8]
    steps(model, state, [5, 0, 0, 0])
    view["cells"][0] = CELL[4, 4]
    steps(model, state, [0, 0, 0, 0], [0, 2, 0, 0])
    assert view["cells"][1] == CELL[8, 8]
    for row in (9, 10, 10):
        assert bombs_of(view)[0][4] == CELL[row, 8]
        assert bombs_of(view["beliefs"][0]) == bombs_of(view)
        steps(model, state, [0, 0, 0, 0])


def test_an_own_bomb_set_off_out_of_view_is_gone():
    model, state, view = bare()
    steps(model, state, [5, 0, 0, 0])
    view["cells"][0] = CELL[9, 7]
    steps(model, state, [0, 0, 0, 0])
    view["ammo"][0] += 1
    view["beliefs"][0]["ammo"][0] += 1
    steps(model, state, [5, 0, 0, 0], [1, 0, 0, 0], [3, 0, 0, 0])
    assert len(bombs_of(view["beliefs"][0])) == 2
    # As if flames had reached it that nobody foresaw.
    view["bombs"][0] = int(view["bombs"][0]) & ~15 | 1
    steps(model, state, [0, 0, 0, 0])
    assert bombs_of(view["beliefs"][0]) == bombs_of(view)
    assert len(bombs_of(view)) == 1
    assert view["beliefs"][0]["terrain"][CELL[1, 1]] & BOMB == 0


def test_an_own_bomb_that_was_not_set_off_out_of_view_is_still_there():
    model, state, view = bare()
    view["cells"][1] = CELL[8, 7]
    view["cells"][0] = CELL[8, 8]
    steps(model, state, [0, 5, 0, 0], [0, 1, 0, 0], [5, 1, 0, 0])
    view["cells"][0] = CELL[1, 1]
    steps(model, state, [0, 0, 0, 0])
    assert len(bombs_of(view["beliefs"][0])) == 2
    # As if somebody had kicked the other bomb away.
    (_, own) = view["bombs"][:2].tolist()
    view["bombs"][:2] = own, 0
    view["bomb_count"] = 1
    view["terrain"][CELL[8, 7]] = 0
    for _ in range(8):
        steps(model, state, [0, 0, 0, 0])
        mine = [bomb for bomb in bombs_of(view["beliefs"][0]) if bomb[2] == 0]
        assert mine == bombs_of(view)
        for seed in range(20):
            assert faults(model, sample(model, state, 0, seed)) == []
    assert len(bombs_of(view)) == 0


def test_items_seen_taken_are_followed_and_others_not():
    model, state, view = bare()
    view["cells"][1] = CELL[1, 3]
    view["terrain"][CELL[1, 4]] = 2 << 6
    view["terrain"][CELL[9, 8]] = 2 << 6
    steps(model, state, [0, 0, 0, 0], [0, 4, 3, 0])
    assert view["strength"].tolist() == [2, 3, 3, 2]
    assert view["beliefs"][0]["strength"].tolist() == [2, 3, 2, 2]
    assert view["beliefs"][2]["strength"].tolist() == [2, 2, 3, 2]


def test_wood_that_burns_out_of_sight_may_have_left_an_item():
    model, state, view = bare()
    view["terrain"][CELL[1, 2]] = WOOD
    view["ammo"][0] = 1
    steps(model, state, [5, 0, 0, 0])
    view["cells"][0] = CELL[9, 7]  # far from its bomb
    steps(model, state, *[[0, 0, 0, 0]] * 8)
    assert painted_board(model, sample(model, state, 0, 0))[1, 2] == 2
    steps(model, state, *[[0, 0, 0, 0]] * 2)
    assert painted_board(model, sample(model, state, 0, 0))[1, 2] == 4
    steps(model, state, *[[0, 0, 0, 0]] * 3)
    found = {
        int(painted_board(model, sample(model, state, 0, n))[1, 2]) for n in range(60)
    }
    assert found - {11, 12, 13} == {0, 6, 7, 8}
    view["cells"][0] = CELL[1, 1]
    steps(model, state, [0, 0, 0, 0])
    assert painted_board(model, sample(model, state, 0, 0))[1, 2] == 0


def test_positions_without_memories_are_refused():
    model, state, view = bare()
    view["remembering"] = 0
    with pytest.raises(RuntimeError, match="without what players have seen"):
        model.redeterminise(state, 0, new_generator(1))


def test_states_without_fog_hold_no_memories():
    assert rules.model().state_size == 448
    assert "beliefs" not in rules.model().view(rules.model().new_state()).dtype.names
    assert rules.model(fog=True).state_size > 448
