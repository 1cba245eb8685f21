"""Configs say what is wrong with them, and in which line."""

import re
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.learn.training.config import SelfPlayConfig, TrainingConfig
from mcts_agents.learn.training.config_file import read_config
from tests.networks.test_heads import climbing

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


def even(seen, players, legal):
    return np.full((len(legal), 2), 0.5), np.zeros(legal.shape)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sefl_play: {}", "line 1, sefl_play: unknown key 'sefl_play': did you mean"),
        (
            "learner:\n  passes: 2\n  batch: 3",
            "line 3, learner.batch: unknown key 'batch'",
        ),
        ("learner:\n  batch_size: 1", "line 2, learner.batch_size: .*equal to 2"),
        ("learner:\n  batch_size: two", "learner.batch_size: .*, not 'two'"),
        ("self_play:\n  method: mcts", "line 2, self_play.method: .*'gumbel' or"),
        ("self_play:\n  temperature: 2.0", "temperature is for method: puct"),
        (
            "self_play:\n  search:\n    simulations: 5",
            "simulations cannot be set here; use self_play.simulations",
        ),
        ("self_play:\n  search: {tre: one}", "unknown option 'tre': did you mean tree"),
        ("self_play:\n  search: {tree: two}", "tree='two'"),
        ("learner:\n  momentum: 0.5", "momentum=0.5 applies only to optimiser: sgd"),
        ("network: {channel: 3}", "unknown key 'channel': did you mean channels"),
        ("network: {kind: deep}", "unknown kind of network 'deep'"),
        ("- 1", "expected a mapping with the keys network, precision"),
    ],
)
def test_what_is_not_allowed_is_named_with_its_line(tmp_path, text, message):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as found:
        read_config(str(path), TrainingConfig)
    assert str(found.value).startswith(f"{path}, line ")


def test_an_empty_file_has_the_defaults(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("")
    assert read_config(str(path), TrainingConfig) == TrainingConfig()


def test_a_single_team_is_refused():
    with pytest.raises(ValueError, match="a single team"):
        TrainingConfig().network_config(climbing())


def test_losses_of_leaves_that_wait_need_leaves_that_wait():
    model = make_model("tictactoe")[1]
    for method in ("gumbel", "puct"):
        alone = SelfPlayConfig(method=method, search={"virtual_loss": 3})
        with pytest.raises(ValueError, match=r"virtual_loss=3 .* batch above 1"):
            alone.settings(even).for_model(model)
        batched = SelfPlayConfig(method=method, search={"virtual_loss": 3, "batch": 2})
        assert batched.settings(even).for_model(model).virtual_loss == 3


def test_priors_may_be_without_noise():
    model = make_model("tictactoe")[1]
    quiet = SelfPlayConfig(method="puct", root_noise=0.0)
    assert quiet.settings(even).for_model(model).root_noise == 0.0


def test_the_network_has_the_sizes_that_are_asked_for():
    model = make_model("connect_four")[1]
    config = TrainingConfig.model_validate({"network": {"blocks": 2}})
    found = config.network_config(model)
    assert (found.kind, found.channels, found.blocks) == ("residual", 48, 2)


def test_the_page_documents_every_key_with_its_default():
    for section in ("self_play", "learner", "evaluation"):
        text = PAGE.read_text().partition(f"### `{section}`")[2].partition("\n#")[0]
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.M))
        annotation = TrainingConfig.model_fields[section].annotation
        for name, field in annotation.model_fields.items():
            default = field.default
            if isinstance(default, list | dict):
                assert name in rows
            else:
                words = "null" if default is None else str(default).lower()
                assert rows[name] == words, name
