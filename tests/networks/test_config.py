"""Architectures and descriptions: defaults, what is refused, there and back."""

import json

import pytest

from mcts_agents.envs import make_any, make_model
from mcts_agents.networks import NetworkConfig, NetworkDescription
from mcts_agents.networks.config import KINDS, are_planes_last
from tests.networks.small import small

BOARD = {"observation_shape": (3, 6, 7), "actions": 7, "teams": 2}


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("connect_four", "residual"),
        ("hex:size=5", "residual"),
        ("tictactoe", "residual"),
        ("sushi_go", "perceptron"),
        ("uno", "perceptron"),
        ("pommerman", "perceptron"),
        ("investment:pairs=2", "perceptron"),  # planes of 2x2
    ],
)
def test_the_kind_depends_on_observations(spec, kind):
    model = make_model(spec)[1]
    config = NetworkConfig.for_model(model)
    assert config.kind == kind
    assert config.observation_shape == model.observation_shape
    assert (config.actions, config.teams) == (model.actions, model.team_count)


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_have_defaults_of_their_kind(kind):
    config = NetworkConfig(kind=kind, **BOARD)
    others = {name for sizes in KINDS.values() for name in sizes} - {*KINDS[kind]}
    assert {name: getattr(config, name) for name in KINDS[kind]} == KINDS[kind]
    assert all(getattr(config, name) is None for name in others)


@pytest.mark.parametrize(
    ("name", "kind", "planes"),
    [
        ("pettingzoo.classic.tictactoe_v3:env", "residual", (2, 3, 3)),
        ("pettingzoo.classic.connect_four_v3:env", "residual", (2, 6, 7)),
        ("pettingzoo.classic.chess_v6:env", "residual", (111, 8, 8)),
        ("tests.training.environments:Signals", "perceptron", None),
    ],
)
def test_the_planes_of_other_peoples_environments(name, kind, planes):
    model = make_any(name)[1]
    config = NetworkConfig.for_model(model)
    assert config.kind == kind
    if planes is not None:
        assert config.planes == planes
        assert config.observation_shape == (*planes[1:], planes[0])
        first = NetworkConfig.for_model(model, "residual", planes_last=False)
        assert first.planes == first.observation_shape == config.observation_shape


@pytest.mark.parametrize(
    ("shape", "last"),
    [
        ((3, 84, 84), False),
        ((84, 84, 3), True),
        ((8, 8, 111), True),
        ((17, 19, 19), False),
        ((6, 7, 2), True),
        ((2, 6, 7), False),
        ((5, 5, 5), False),
        ((4, 9, 4), False),
    ],
)
def test_where_planes_seem_to_be(shape, last):
    assert are_planes_last(shape) == last


def test_few_mobile_blocks_all_squeeze():
    assert NetworkConfig(kind="mobile", blocks=3, **BOARD).squeezing_blocks == 3


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kind": "resnet"}, "unknown kind of network 'resnet'"),
        ({"kind": "perceptron", "blocks": 3}, "a perceptron network has no such size"),
        (
            {"hidden": (5,)},
            "residual network has no such size; it has planes_last",
        ),
        ({"channels": 0}, "channels=0: expected a whole number from 1 to 1,024"),
        ({"channels": 1025}, "channels=1025: expected a whole number from 1"),
        ({"blocks": 2.0}, "blocks=2.0: expected a whole number from 1 to 64"),
        ({"blocks": True}, "blocks=True: expected a whole number"),
        ({"kind": "mobile", "blocks": 2, "squeezing_blocks": 3}, "at most blocks=2"),
        ({"kind": "perceptron", "hidden": ()}, "expected 1 to 16 whole numbers"),
        ({"kind": "perceptron", "hidden": (5, 0)}, "hidden=0: expected a whole"),
        ({"observation_shape": (42,)}, "choose kind='perceptron'"),
        ({"observation_shape": (3, -6, 7)}, "observation_shape=-6: expected"),
        ({"observation_shape": (1024, 1024, 2)}, "at most 1,048,576 numbers"),
        ({"planes_last": 1}, "planes_last=1: expected true or false"),
        ({"kind": "perceptron", "planes_last": True}, "has no such size"),
        ({"actions": 0}, "actions=0: expected a whole number from 1"),
        ({"teams": 63}, "teams=63: expected a whole number from 1 to 62"),
    ],
)
def test_what_is_refused(changed, why):
    with pytest.raises(ValueError, match=why):
        NetworkConfig(**{"kind": "residual", **BOARD, **changed})


def test_sizes_that_no_kind_has():
    with pytest.raises(ValueError, match=r"unknown size of a network 'chanels'.*mean"):
        NetworkConfig.for_model(make_model("hex:size=5")[1], chanels=5)


@pytest.mark.parametrize("spec", ["connect_four", "sushi_go", "pommerman:mode=team"])
def test_descriptions_there_and_back(spec):
    description, model = small(spec)
    assert NetworkDescription.from_json(description.to_json()) == description
    assert description.teams == model.teams


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"format": 2}, "has the format 2; this version of mcts-agents reads 1"),
        ({"players": 3}, "expected one for each of 3 players"),
        ({"teams": [0, 2]}, "expected the number of a team for each player, from 0"),
        ({"teams": [0, [1]]}, "expected whole numbers"),
        ({"teams": 5}, "teams=5: expected"),
        ({"game": 5}, "game=5: expected text"),
        ({"config": None}, "config=None: expected a mapping"),
        ({"config": {"kind": "residual"}}, "lacks observation_shape"),
        ({"config": {"depth": 3}}, "unknown field of a network 'depth'"),
        ({"more": 1}, "is not one with config, format, game"),
    ],
)
def test_descriptions_that_are_refused(changed, why):
    text = json.dumps({**json.loads(small("hex:size=5")[0].to_json()), **changed})
    with pytest.raises(ValueError, match=why):
        NetworkDescription.from_json(text)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("connect_four", "for 'hex:size=5', not for connect_four"),
        ("hex:size=6", r"observations of shape \(3, 5, 5\); in hex it needs \(3, 6, 6"),
    ],
)
def test_another_game(spec, why):
    with pytest.raises(ValueError, match=why):
        small("hex:size=5")[0].check(make_model(spec)[1])


def test_another_variant_of_the_same_sizes():
    small("hex:size=5")[0].check(make_model("hex:size=5,first_cell=c3")[1])


def test_other_teams():
    description = small("pommerman")[0]
    with pytest.raises(ValueError, match=r"teams \(0, 1, 2, 3\); here they are"):
        description.check(make_model("pommerman:mode=team")[1])
