"""Regions of pictures: where each legal action lies, and what a click gives back."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from mcts_agents.envs import GAMES, environments, load_game, painting
from mcts_agents.envs.dominion.artwork import card_picture as dominion_card
from mcts_agents.envs.exploding_kittens.artwork import card_picture as kittens_card
from mcts_agents.envs.love_letter.artwork import card_picture as letter_card
from mcts_agents.envs.love_letter.cards import CARD_OF as LOVE_LETTER_CARD
from mcts_agents.envs.regions import (
    Circle,
    Polygon,
    Rectangle,
    Region,
    action_at,
    from_json,
    to_json,
)
from mcts_agents.envs.sushi_go.artwork import card_picture as sushi_go_card
from mcts_agents.envs.sushi_go.cards import CARD_OF as SUSHI_GO_CARD
from mcts_agents.envs.sushi_go.cards import USE_CHOPSTICKS
from mcts_agents.envs.uno.artwork import card_picture as uno_card
from mcts_agents.envs.uno.cards import CARD_OF as UNO_CARD
from mcts_agents.envs.uno.cards import DRAW as DRAW_IN_UNO
from mcts_agents.model import RulesError, new_generator
from tests.envs.dominion_positions import CARDS as DOMINION_CARDS
from tests.envs.exploding_kittens_positions import CARDS as KITTENS_CARDS
from tests.envs.knowledge import picture

# For each game the variants whose pictures or actions differ; 200 positions in all.
VARIANTS = {
    "tictactoe": [{}],
    "hex": [{"size": 3}, {"size": 7}, {"size": 19}, {"size": 5, "first_cell": "b2"}],
    "dots_and_boxes": [
        {},
        {"players": 2, "width": 1, "height": 1},
        {"players": 3, "width": 10, "height": 10},
        {"players": 4, "width": 2, "height": 3},
        {"players": 5, "width": 1, "height": 10},
        {"players": 6, "width": 10, "height": 1},
    ],
    "connect_four": [{}, {"width": 4, "height": 9}, {"width": 9, "height": 6}],
    "othello": [{}],
    "wargame": [{}, {"units": 32}, {"players": 3, "units": 4}],
    "investment": [{}, {"pairs": 1}, {"pairs": 32}, {"players": 3}],
    "video_game": [{}, {"size": 3, "agents": 1}, {"size": 8, "agents": 16}],
    "breakthrough": [{}, {"rows": 6, "columns": 10}, {"rows": 16, "columns": 4}],
    "knightthrough": [{}, {"rows": 6, "columns": 10}, {"rows": 16, "columns": 4}],
    "gomoku": [{}, {"size": 5}, {"size": 19}],
    "nogo": [{}, {"size": 11}, {"players": 3, "size": 2}],
    "atarigo": [{}, {"size": 11}],
    "sushi_go": [
        *({"players": players} for players in (2, 3, 4, 5)),
        {"players": 3, "maki": "published", "rulebook": "published"},
    ],
    "chinese_checkers": [
        {"max_plies_per_player": 5},
        *(
            {"players": players, "fields": fields}
            for players in (2, 3, 4, 6)
            for fields in (73, 121)
        ),
    ],
    "focus": [
        {"max_plies_per_player": 5},
        *({"players": players} for players in (2, 3, 4)),
    ],
    "rolit": [{"players": players} for players in (2, 3, 4)],
    "dominion": [
        *({"players": players} for players in (2, 3)),
        {"players": 4, "rulebook": "published"},
    ],
    "exploding_kittens": [
        *({"players": players} for players in (2, 3, 4, 5)),
        {"players": 3, "rulebook": "published"},
    ],
    "love_letter": [{"players": players} for players in (2, 3, 4)],
    "poker": [*({"players": players} for players in (2, 6, 14))],
    "uno": [
        {"target": 100},
        {"players": 2, "quirks": False, "match_symbols": True, "target": 100},
        {"players": 10, "target": 100},
    ],
    "virus": [
        *({"players": players} for players in (2, 4, 6)),
        {"players": 3, "rulebook": "published"},
    ],
    "colt_express": [
        *({"players": players} for players in (2, 4, 6)),
        {"players": 3, "rulebook": "published", "asks_forced": True},
    ],
    "diamant": [{"players": players} for players in (2, 3, 4, 5, 6)],
    "pommerman": [
        {},
        {"players": 2},
        {"mode": "team", "fog": True},
        {"mode": "radio"},
        {"collapse": 10, "shuffle_corners": True},
    ],
}
POSITIONS = 200
# Actions whose regions show no card's face.
NO_CARDS = {("sushi_go", USE_CHOPSTICKS), ("uno", DRAW_IN_UNO)}
every_game = pytest.mark.parametrize("name", GAMES)


def positions(name, number=POSITIONS):
    """Yield (game, model, state) of random positions, the last ones of games too."""
    game, variants = load_game(name), VARIANTS[name]
    for index, options in enumerate(variants):
        model = game.rules.model(**options)
        wanted = -(-number // len(variants))
        dice = random.Random(index)
        while wanted > 0:
            share = dice.choice((1, 0.3, 0.02))  # of all positions of a game
            for state in played(model, dice):
                if wanted > 0 and (dice.random() < share or model.is_over(state)):
                    wanted -= 1
                    yield game, model, state


def played(model, dice):
    """Yield the states of a random game."""
    rng = new_generator(dice.getrandbits(60))
    state = model.reset(rng)
    while not model.is_over(state):
        yield model.copy(state)
        joint = {
            player: dice.choice(model.legal_actions(state, player).tolist())
            for player in model.movers(state)
        }
        model.apply(state, joint, rng)
    yield state


def box_of(shape):
    """Return left, top, right and bottom of a shape."""
    if isinstance(shape, Rectangle):
        right, bottom = shape.left + shape.width, shape.top + shape.height
        return shape.left, shape.top, right, bottom
    if isinstance(shape, Circle):
        x, y, radius = shape.x, shape.y, shape.radius
        return x - radius, y - radius, x + radius, y + radius
    xs, ys = zip(*shape.corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def point_in(shape, dice):
    """Return a random point of a shape."""
    left, top, right, bottom = box_of(shape)
    for _ in range(1000):
        point = dice.uniform(left, right), dice.uniform(top, bottom)
        if shape.contains(point):
            return point
    raise AssertionError(f"{shape} has no area")


@every_game
def test_every_game_has_regions_for_exactly_the_legal_actions(name):
    seen, over = 0, 0
    for game, model, state in positions(name):
        seen += 1
        over += model.is_over(state)
        before = state.copy()
        for player in range(model.players):
            legal = []
            if player in model.movers(state):
                legal = model.legal_actions(state, player).tolist()
            for observer in (None, player):
                regions = game.regions(model, state, observer, player)
                assert sorted(r.action for r in regions) == sorted(legal)
                for region in regions:
                    assert region.label == game.format_action(model, region.action)
        assert (state == before).all()
    assert seen >= POSITIONS
    assert over


@every_game
def test_a_click_into_a_region_gives_its_action(name):
    dice = random.Random(name)
    for game, model, state in positions(name):
        width, height = game.size(model)
        for player in model.movers(state):
            for observer in (None, player):
                regions = game.regions(model, state, observer, player)
                for region in dice.sample(regions, min(20, len(regions))):
                    point, then = point_in(region.shape, dice), None
                    if region.until is not None:
                        then = point_in(region.until, dice)
                        assert action_at(regions, point) is None
                    assert action_at(regions, point, then) == region.action
                    # Whoever looks them up in another order finds the same.
                    assert action_at(regions[::-1], point, then) == region.action
                    for shape in filter(None, (region.shape, region.until)):
                        left, top, right, bottom = box_of(shape)
                        assert left >= 0
                        assert top >= 0
                        assert right <= width
                        assert bottom <= height


@every_game
def test_regions_go_through_json(name):
    for game, model, state in positions(name, 10):
        for player in model.movers(state):
            regions = game.regions(model, state, None, player)
            assert from_json(json.loads(json.dumps(to_json(regions)))) == regions


@pytest.mark.parametrize(
    "name",
    [
        *("sushi_go", "love_letter", "uno", "virus", "diamant", "dominion"),
        *("exploding_kittens", "colt_express", "poker", "pommerman"),
    ],
)
def test_regions_do_not_depend_on_what_the_player_cannot_know(name):
    for number, (game, model, state) in enumerate(positions(name, 60)):
        for player in model.movers(state):
            for observer in (None, player):
                sample = model.copy(state)
                model.redeterminise(sample, player, new_generator(number))
                there = game.regions(model, sample, observer, player)
                assert there == game.regions(model, state, observer, player)


@pytest.mark.parametrize(
    "name",
    [
        *("sushi_go", "love_letter", "uno", "virus", "dominion", "exploding_kittens"),
        *("colt_express", "poker"),
    ],
)
def test_the_picture_of_another_player_has_no_regions_of_hidden_cards(name):
    game = load_game(name)
    model = game.rules.model()
    with pytest.raises(ValueError, match=r"observer=1: .* what player_0 can do"):
        game.regions(model, model.reset(new_generator(1)), 1, 0)


# -- regions against what is painted


@pytest.mark.parametrize(
    "name",
    [
        "tictactoe",
        "hex",
        "dots_and_boxes",
        "othello",
        "chinese_checkers",
        "focus",
        "rolit",
        "wargame",
        "investment",
        "video_game",
        "breakthrough",
        "knightthrough",
        "gomoku",
        "nogo",
        "atarigo",
    ],
)
def test_a_move_changes_the_picture_where_its_region_lies(name):
    dice = random.Random(name)
    for game, model, state in positions(name, 12):
        if model.is_over(state):
            continue
        (player,) = model.movers(state)
        before = picture(game.name, model, state)
        region = dice.choice(game.regions(model, state, None, player))
        after = model.copy(state)
        model.apply(after, {player: region.action}, new_generator(1))
        changed = (picture(game.name, model, after) != before).any(axis=2)
        for shape in filter(None, (region.shape, region.until)):
            points = np.array([point_in(shape, dice) for _ in range(300)], int)
            assert changed[tuple(points.T)].mean() > 0.1


def middle_of(shape):
    left, top, right, bottom = box_of(shape)
    return round((left + right) / 2), round((top + bottom) / 2)


def dominion_card_at(region):
    """The number of the card in a region's label, None for no card."""
    word = region.label.split()[-1]
    return DOMINION_CARDS.index(word) if word in DOMINION_CARDS else None


def kittens_card_at(region):
    """The number of the card in a region's label, None for no card."""
    word = region.label.removeprefix("give ").split()[0]
    return KITTENS_CARDS.index(word) if word in KITTENS_CARDS else None


@pytest.mark.parametrize(
    ("name", "card_at", "card_picture"),
    [
        ("sushi_go", lambda region: SUSHI_GO_CARD[region.action], sushi_go_card),
        ("love_letter", lambda region: LOVE_LETTER_CARD[region.action], letter_card),
        ("uno", lambda region: UNO_CARD[region.action], uno_card),
        ("dominion", dominion_card_at, dominion_card),
        ("exploding_kittens", kittens_card_at, kittens_card),
    ],
)
def test_the_regions_of_cards_show_these_cards(name, card_at, card_picture):
    array = painting.load_pygame().surfarray.array3d
    compared = 0
    for game, model, state in positions(name, 40):
        for player in model.movers(state):
            shown = picture(game.name, model, state, player)
            for region in game.regions(model, state, player, player):
                if (name, region.action) in NO_CARDS or card_at(region) is None:
                    continue
                card = array(card_picture(int(card_at(region))))
                # On the right another card, or the number of cards, may lie on it,
                # after 13 pixels at least.
                left, top = round(region.shape.left), round(region.shape.top)
                there = shown[left + 4 : left + 13, top + 8 : top + card.shape[1] - 8]
                assert np.abs(there - card[4:13, 8:-8].astype(int)).max() <= 2
                compared += 1
    assert compared > 50


def test_a_nigiri_is_taken_to_the_wasabi_or_beside_it():
    pairs = 0
    for game, model, state in positions("sushi_go"):
        for player in model.movers(state):
            for observer in (None, player):
                regions = game.regions(model, state, observer, player)
                shapes = {}
                for region in regions:
                    shapes.setdefault(region.shape, []).append(region)
                for sharing in shapes.values():
                    # No card is asked about twice without need.
                    assert len(sharing) <= 2
                    assert all(
                        (r.until is None) == (len(sharing) == 1) for r in sharing
                    )
                    pairs += len(sharing) == 2
    assert pairs > 5


def test_one_who_walks_clicks_beside_the_agent():
    game = load_game("pommerman")
    model = game.rules.model()
    state = model.reset(new_generator(1))
    regions = {r.label: r.shape for r in game.regions(model, state, None, 0)}
    agent = middle_of(regions["stop"])
    for move, (right, down) in {
        "up": (0, -1),
        "down": (0, 1),
        "left": (-1, 0),
        "right": (1, 0),
    }.items():
        x, y = middle_of(regions[move])
        assert np.sign([x - agent[0], y - agent[1]]).tolist() == [right, down]


# -- environments


@pytest.mark.parametrize("factory", [0, 1, 2])
def test_environments_tell_the_regions_of_their_picture(factory):
    env = environments(load_game("hex"))[factory](size=3)
    env.reset(seed=1)
    regions = env.unwrapped.regions("player_0")
    assert {r.action for r in regions} == set(range(9))
    assert env.unwrapped.regions("player_1") == []
    env.step(4 if factory < 2 else {"player_0": 4})
    regions = env.unwrapped.regions("player_1")
    assert action_at(regions, middle_of(regions[0].shape)) == regions[0].action
    assert env.unwrapped.regions("player_0") == []


def test_who_has_chosen_has_no_regions_until_all_have():
    raw_env, *_ = environments(load_game("diamant"))
    env = raw_env(players=2)
    env.reset(seed=1)
    assert [r.label for r in env.regions("player_0")] == ["continue", "exit"]
    env.step(0)
    assert env.regions("player_0") == []
    assert len(env.regions("player_1")) == 2


def test_errors_of_environments_name_what_is_missing():
    raw_env, *_ = environments(load_game("hex"))
    env = raw_env(size=3)
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.regions("player_0")
    env.reset()
    with pytest.raises(ValueError, match="has no agent 'player_7'"):
        env.regions("player_7")
    raw_env, *_ = environments(replace(load_game("hex"), regions=None))
    env = raw_env(size=3)
    env.reset()
    with pytest.raises(RulesError, match="hex: its picture does not say where actions"):
        env.regions("player_0")


# -- shapes


def test_shapes_contain_their_points():
    rectangle = Rectangle(10, 20, 30, 40)
    assert rectangle.contains((10, 20))
    assert rectangle.contains((39.9, 59.9))
    assert not rectangle.contains((40, 30))
    assert not rectangle.contains((20, 60))
    assert not rectangle.contains((9.9, 30))
    circle = Circle(5, 5, 2)
    assert circle.contains((6.4, 6.4))
    assert not circle.contains((6.5, 6.5))
    hook = Polygon(((0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (0, 2)))
    assert hook.contains((1, 1))
    assert hook.contains((9, 9))
    assert not hook.contains((5, 5))
    assert not hook.contains((-1, 1))
    assert not hook.contains((11, 5))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (lambda: Rectangle(0, 0, 0, 5), "width=0.*width and height must be above 0"),
        (lambda: Rectangle(0, 0, 5, -1), "height=-1.*width and height must be above 0"),
        (lambda: Circle(0, 0, 0), "radius=0.*the radius must be above 0"),
        (lambda: Polygon(((0, 0), (1, 1))), "a polygon has at least 3 corners"),
    ],
)
def test_shapes_without_an_area_are_refused(shape, message):
    with pytest.raises(ValueError, match=message):
        shape()


def test_one_click_and_two_are_told_apart():
    card, goal, other = (Rectangle(x, 0, 10, 10) for x in (0, 20, 40))
    regions = [
        Region(3, card, "card to goal", until=goal),
        Region(5, card, "card to other", until=other),
        Region(np.int64(7), goal, "goal"),
    ]
    assert action_at(regions, (5, 5)) is None
    assert action_at(regions, (5, 5), (25, 5)) == 3
    assert action_at(regions, (5, 5), (45, 5)) == 5
    assert action_at(regions, (5, 5), (5, 5)) is None
    assert action_at(regions, (25, 5)) == 7
    assert action_at(regions, (25, 5), (25, 5)) is None
    assert action_at(regions, (15, 5)) is None
    assert from_json(json.loads(json.dumps(to_json(regions)))) == regions


def test_json_of_unknown_shapes_is_refused():
    (entry,) = to_json([Region(1, Circle(1, 2, 3), "one")])
    assert entry["shape"] == {"kind": "circle", "x": 1, "y": 2, "radius": 3}
    for shape, message in (
        ({"kind": "star"}, '"kind" of rectangle, circle, polygon'),
        ({"x": 1}, '"kind" of rectangle, circle, polygon'),
        ({"kind": "circle", "x": 1, "y": 2}, "a circle has kind, x, y, radius"),
    ):
        with pytest.raises(ValueError, match=message):
            from_json([{**entry, "shape": shape}])
