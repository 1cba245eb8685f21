"""Single steps of Pommerman: the cases that its rules spell out, one by one."""

import numpy as np
import pytest

from mcts_agents.envs.pommerman.layout import MOST_BOMBS
from mcts_agents.envs.pommerman.official import position, set_position
from tests.envs.pommerman_positions import (
    DOWN,
    FLAMES,
    LAY,
    LEFT,
    PASSAGE,
    RIGHT,
    STOP,
    UP,
    WOOD,
    after,
    drawn,
    plain,
)
from tests.envs.pommerman_twin import twin_of

KICKER = {"kick": {0: 1}}


def bomb(row, column, direction=STOP, life=9, owner=3, strength=2):
    return (row, column, owner, life, strength, direction)


def cells(found):
    """Where the living are, by player."""
    return {
        p: tuple(cell)
        for p, cell in enumerate(found.agent_pos.tolist())
        if found.agent_alive[p]
    }


def rolling(found):
    """(row, column, direction) of the bombs."""
    return [(b[0], b[1], b[5]) for b in found.bombs.tolist()]


# -- agents and bombs in each other's way


def test_who_cannot_kick_bounces_off_a_resting_bomb():
    found = after(*drawn("0...", bombs=[bomb(0, 1)]), {0: RIGHT})
    assert cells(found) == {0: (0, 0)}
    assert rolling(found) == [(0, 1, STOP)]


def test_following_right_behind_a_rolling_bomb():
    found = after(*drawn("0...", bombs=[bomb(0, 1, RIGHT)]), {0: RIGHT})
    assert cells(found) == {0: (0, 1)}
    assert rolling(found) == [(0, 2, RIGHT)]


@pytest.mark.parametrize("agents", [{}, KICKER])
def test_a_bomb_that_rolls_into_a_standing_agent_stops_for_good(agents):
    position = drawn("..0.", bombs=[bomb(0, 1, RIGHT)], **agents)
    found = after(*position, {})
    assert cells(found) == {0: (0, 2)}
    assert rolling(found) == [(0, 1, STOP)]
    assert rolling(after(*position, {0: RIGHT}, {})) == [(0, 1, STOP)]


def test_who_cannot_kick_and_a_rolling_bomb_do_not_share_a_cell():
    found = after(*drawn("...", ".0.", bombs=[bomb(0, 0, RIGHT)]), {0: UP})
    assert cells(found) == {0: (1, 1)}
    assert rolling(found) == [(0, 0, STOP)]


def test_a_kick_from_the_side_takes_the_bomb_across_the_corner():
    found = after(
        *drawn("...", "...", ".0.", bombs=[bomb(1, 0, RIGHT)], **KICKER), {0: UP}
    )
    assert cells(found) == {0: (1, 1)}
    assert rolling(found) == [(0, 1, UP)]


def test_a_kick_head_on_with_a_cell_between_turns_the_bomb_where_it_is():
    found = after(*drawn("0...", bombs=[bomb(0, 2, LEFT)], **KICKER), {0: RIGHT})
    assert cells(found) == {0: (0, 1)}
    assert rolling(found) == [(0, 2, RIGHT)]


def test_a_kick_head_on_of_neighbours():
    found = after(*drawn("0...", bombs=[bomb(0, 1, LEFT)], **KICKER), {0: RIGHT})
    assert cells(found) == {0: (0, 1)}
    assert rolling(found) == [(0, 2, RIGHT)]
    found = after(*drawn("0...", bombs=[bomb(0, 1, LEFT)]), {0: RIGHT})
    assert cells(found) == {0: (0, 0)}
    assert rolling(found) == [(0, 1, STOP)]


def test_a_kick_is_refused_where_somebody_wanted_to_be_even_in_vain():
    position = drawn("0..1", "..2.", bombs=[bomb(0, 1)], **KICKER)
    found = after(*position, {0: RIGHT, 1: LEFT, 2: UP})
    assert cells(found) == {0: (0, 0), 1: (0, 3), 2: (1, 2)}
    assert rolling(found) == [(0, 1, STOP)]


def test_a_kick_into_a_cell_that_is_being_left():
    position = drawn("0.1.", "....", bombs=[bomb(0, 1)], **KICKER)
    found = after(*position, {0: RIGHT, 1: DOWN})
    assert cells(found) == {0: (0, 1), 1: (1, 2)}
    assert rolling(found) == [(0, 2, RIGHT)]


def test_a_kick_fails_where_another_bomb_rolls_in():
    position = drawn("0...", "....", bombs=[bomb(0, 1), bomb(1, 1, UP)], **KICKER)
    found = after(*position, {0: RIGHT})
    assert cells(found) == {0: (0, 0)}
    assert rolling(found) == [(0, 1, STOP), (1, 1, STOP)]


@pytest.mark.parametrize("row", ["0.b", "0.#", "0.+"])
def test_nothing_is_kicked_into_items_and_walls(row):
    found = after(*drawn(row, bombs=[bomb(0, 1)], **KICKER), {0: RIGHT})
    assert cells(found) == {0: (0, 0)}
    assert rolling(found) == [(0, 1, STOP)]


def test_a_bomb_that_is_kicked_into_flames_explodes():
    found = after(*drawn("0.*.", bombs=[bomb(0, 1)], **KICKER), {0: RIGHT})
    assert len(found.bombs) == 0
    assert cells(found) == {}
    assert found.agent_pos[0].tolist() == [0, 1]
    newest = {(r, c) for r, c, life in found.flames.tolist() if life == 2}
    assert newest == {(0, 1), (0, 2), (0, 3)}


def test_a_bomb_is_kicked_from_under_one_who_leaves():
    position = drawn("01..", "....", bombs=[bomb(0, 1)], **KICKER)
    found = after(*position, {0: RIGHT, 1: DOWN})
    assert cells(found) == {0: (0, 1), 1: (1, 1)}
    assert rolling(found) == [(0, 2, RIGHT)]


def test_a_kick_is_undone_if_the_one_on_the_bomb_cannot_leave():
    position = drawn("01..", "..2.", bombs=[bomb(0, 1)], **KICKER)
    found = after(*position, {0: RIGHT, 1: DOWN, 2: LEFT})
    assert cells(found) == {0: (0, 0), 1: (0, 1), 2: (1, 2)}
    assert rolling(found) == [(0, 1, STOP)]


def test_two_kicks_into_one_cell_undo_each_other_even_where_a_bomb_already_is():
    """Neither kick sees the other; one bomb would turn where it is."""
    bombs = [bomb(0, 2, LEFT), bomb(1, 2)]
    model, state = drawn("0...", "....", "..1.", bombs=bombs, kick={0: 1, 1: 1})
    twin = twin_of(position(model, state))
    found = after(model, state, {0: RIGHT, 1: UP})
    assert cells(found) == {0: (0, 0), 1: (2, 2)}
    assert rolling(found) == [(0, 2, STOP), (1, 2, STOP)]
    twin.step([RIGHT, UP, STOP, STOP])
    assert twin.picture() == plain(found)


def test_nobody_gets_a_cell_that_two_want_nor_do_their_followers():
    found = after(*drawn("01.23"), {0: RIGHT, 1: RIGHT, 2: LEFT, 3: LEFT})
    assert cells(found) == {0: (0, 0), 1: (0, 1), 2: (0, 3), 3: (0, 4)}


def test_agents_do_not_swap():
    found = after(*drawn("01.."), {0: RIGHT, 1: LEFT})
    assert cells(found) == {0: (0, 0), 1: (0, 1)}


def test_followers_move_and_four_may_rotate():
    found = after(*drawn("012."), {0: RIGHT, 1: RIGHT, 2: RIGHT})
    assert cells(found) == {0: (0, 1), 1: (0, 2), 2: (0, 3)}
    found = after(*drawn("01", "32"), {0: RIGHT, 1: DOWN, 2: LEFT, 3: UP})
    assert cells(found) == {0: (0, 1), 1: (1, 1), 2: (1, 0), 3: (0, 0)}


def test_bombs_that_meet_both_stop():
    found = after(*drawn(".....", bombs=[bomb(0, 0, RIGHT), bomb(0, 2, LEFT)]), {})
    assert rolling(found) == [(0, 0, STOP), (0, 2, STOP)]
    found = after(*drawn(".....", bombs=[bomb(0, 1, RIGHT), bomb(0, 2, LEFT)]), {})
    assert rolling(found) == [(0, 1, STOP), (0, 2, STOP)]


def test_bombs_do_not_roll_over_items_walls_or_the_edge():
    for row in (".b", ".#", ".+"):
        found = after(*drawn(row, bombs=[bomb(0, 0, RIGHT)]), {})
        assert rolling(found) == [(0, 0, STOP)]
    assert rolling(after(*drawn("..", bombs=[bomb(0, 1, UP)]), {})) == [(0, 1, STOP)]


# -- bombs


def test_laying_where_a_bomb_is_has_no_effect():
    found = after(*drawn("0..", bombs=[bomb(0, 0, owner=0)], ammo={0: 3}), {0: LAY})
    assert len(found.bombs) == 1
    assert found.agent_ammo[0] == 3
    assert len(after(*drawn("0..", ammo={0: 0}), {0: LAY}).bombs) == 0


def test_a_bomb_explodes_nine_steps_after_the_one_it_is_laid_in():
    model, state = drawn("0.....", "#", ammo={0: 2})
    found = after(model, state, {0: LAY})
    assert found.bombs.tolist() == [[0, 0, 0, 9, 2, 0]]
    assert found.agent_ammo[0] == 1
    for life in range(8, 0, -1):
        found = after(model, state, {0: RIGHT if life > 5 else STOP})
        assert found.bombs.tolist() == [[0, 0, 0, life, 2, 0]]
    found = after(model, state, {})
    assert len(found.bombs) == 0
    assert found.agent_ammo[0] == 2
    for _ in range(2):
        assert (found.board[0, :2] == FLAMES).all()
        found = after(model, state, {})
    assert (found.board[0, :2] == FLAMES).all()
    assert len(found.flames) == 2
    found = after(model, state, {})
    assert (found.board[0, :2] == PASSAGE).all()


def test_the_owners_death_leaves_its_bombs_and_their_ammo():
    bombs = [bomb(0, 0, life=1, owner=0), bomb(0, 5, life=2, owner=0)]
    model, state = drawn("0.......", bombs=bombs)
    found = after(model, state, {})
    assert found.agent_alive[0] == 0
    assert len(found.bombs) == 1
    assert found.agent_ammo[0] == 2
    assert after(model, state, {0: LAY}).agent_ammo[0] == 3


def test_ammunition_is_capped():
    position = drawn("0.....", bombs=[bomb(0, 5, life=1, owner=0)], ammo={0: 10})
    assert after(*position, {}).agent_ammo[0] == 10
    assert after(*drawn("0b", ammo={0: 10}), {0: RIGHT}).agent_ammo[0] == 10


@pytest.mark.parametrize(
    ("cap", "start", "end"), [(10, 9, 10), (10, 10, 10), (4, 3, 4)]
)
def test_picking_up_range_is_capped_by_the_mode(cap, start, end):
    found = after(*drawn("0r", cap=cap, blast={0: start}), {0: RIGHT})
    assert found.agent_blast[0] == end
    again = drawn("0r", cap=cap, blast={0: end})
    assert after(*again, {0: RIGHT}).agent_blast[0] == end


def test_items_are_taken():
    found = after(*drawn("0b"), {0: RIGHT})
    assert (found.agent_ammo[0], found.board[0, 1]) == (2, 10)
    model, state = drawn("0k.")
    found = after(model, state, {0: RIGHT}, {0: RIGHT})
    assert (found.agent_kick[0], found.board[0, 1]) == (1, PASSAGE)


def test_who_dies_still_takes_what_lies_there():
    found = after(*drawn("0b..", bombs=[bomb(0, 2, life=1)]), {0: RIGHT})
    assert found.agent_alive[0] == 0
    assert found.agent_ammo[0] == 2
    assert found.board[0, 1] == FLAMES


def test_more_bombs_than_can_exist_are_refused():
    model, state = drawn("0")
    model.view(state)["bomb_count"] = MOST_BOMBS
    with pytest.raises(RuntimeError, match="more bombs than the rules allow"):
        after(model, state, {0: LAY})


# -- flames


def test_wood_shields_a_whole_chain_and_rigid_cells_stop_a_blast():
    bombs = [bomb(0, 0, life=1, strength=4), bomb(0, 1, strength=5)]
    found = after(*drawn("..+..", ".", ".", "##", bombs=bombs), {})
    burning = {(r, c) for r, c, _ in found.flames.tolist()}
    assert burning == {(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (2, 1)}
    assert len(found.bombs) == 0


def test_a_blast_burns_open_items_and_shows_those_under_wood():
    model, state = drawn("+.b", bombs=[bomb(0, 1, life=1)], hidden=[(0, 0, 7)])
    found = after(model, state, {})
    assert found.board[0, :3].tolist() == [FLAMES] * 3
    assert found.hidden_items[0, 0] == 7
    found = after(model, state, {}, {}, {})
    assert found.board[0, :3].tolist() == [7, PASSAGE, PASSAGE]
    assert not found.hidden_items.any()


def test_an_item_that_comes_out_can_be_taken_in_the_same_step():
    found = after(*drawn("*0", hidden=[(0, 0, 8)], flame_life=0), {0: LEFT})
    assert found.agent_alive[0] == found.agent_kick[0] == 1
    assert after(*drawn("*0", flame_life=1), {0: LEFT}).agent_alive[0] == 0


def test_an_item_under_two_flames_is_lost():
    model, state = drawn("+....", bombs=[bomb(0, 1, life=1)], hidden=[(0, 0, 6)])
    after(model, state, {})
    set_bomb(model, state, (0, 1))
    found = after(model, state, {})
    assert sorted(found.flames[found.flames[:, 1] == 0].tolist()) == [
        [0, 0, 1],
        [0, 0, 2],
    ]
    found = after(model, state, {}, {})
    assert not found.hidden_items.any()
    assert found.board[0, 0] == FLAMES
    assert after(model, state, {}).board[0, 0] == PASSAGE


def set_bomb(model, state, cell):
    """Put a bomb that explodes in the next step where the flames are."""
    here = position(model, state)
    here.bombs = np.array([bomb(*cell, life=1)], np.int8)
    set_position(model, state, here)


def test_wood_is_not_entered():
    found = after(*drawn("0+", "#"), {0: RIGHT})
    assert cells(found) == {0: (0, 0)}
    assert found.board[0, 1] == WOOD
    assert cells(after(*drawn("0+", "#"), {0: DOWN})) == {0: (0, 0)}
    assert cells(after(*drawn("0+", "#"), {0: LEFT})) == {0: (0, 0)}
