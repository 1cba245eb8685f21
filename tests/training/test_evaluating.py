"""Evaluations while a network learns: without exploration, and as the config says."""

import pytest

pytest.importorskip("torch")

from mcts_agents import MCTSAgent
from mcts_agents.agents import RandomAgent
from mcts_agents.envs import make_model, tictactoe
from mcts_agents.learn.training import evaluating
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.trainer import Budget, Trainer
from mcts_agents.search import SearchSettings
from mcts_agents.search.options.option import options_of, set_options
from tests.search.evaluators import linear
from tests.training.killing import SMALL

EVALUATION = {"minutes": 1e-6, "games": 2, "simulations": 4, "opponents": ["random"]}

# What there was on the board at the first decision of each `Watching`.
STONES = []


class Watching(RandomAgent):
    """Notes how many stones there are when it decides first; each game has its own."""

    has_decided = False

    def decide(self, model, state, player):
        if not self.has_decided:
            own, others, _ = model.observe(state, player)
            STONES.append(int((own + others).sum()))
            self.has_decided = True
        return super().decide(model, state, player)


def evaluations(folder, blocks=1, **evaluation):
    """Train for some blocks; return what was found after each."""
    chosen = {**SMALL, "evaluation": {**EVALUATION, **evaluation}}
    trainer = Trainer("tictactoe", folder, TrainingConfig.model_validate(chosen))
    for slow in ("export", "draw"):
        setattr(trainer.folder, slow, lambda *_: None)
    return trainer.run(Budget(blocks=blocks)).evaluations


@pytest.mark.parametrize(
    "self_play",
    [
        {"method": "gumbel"},
        {"method": "gumbel", "search": {"gumbel_noise": 3.0}},
        {"method": "puct"},
        {"method": "puct", "root_noise": 0.8, "root_noise_alpha": 0.1},
    ],
)
def test_evaluations_do_not_explore(self_play):
    """So with each seed the search is the same, while those of self-play differ."""
    config = TrainingConfig.model_validate(
        {
            "self_play": {"simulations": 40, **self_play},
            "evaluation": {"simulations": 50},
        }
    )
    evaluator = linear(make_model("tictactoe")[1])
    playing = config.self_play.settings(evaluator)
    measured = evaluating.player(evaluator, config)
    env = tictactoe.env()
    env.reset(seed=1)

    def searches(agent):
        found = set()
        for seed in range(8):
            agent.reset(seed)
            found.add(tuple(agent.plan(env).visits.tolist()))
        return found

    assert len(searches(MCTSAgent(**set_options(playing)))) > 1
    (visits,) = searches(measured)
    assert sum(visits) == 50


@pytest.mark.parametrize(
    ("method", "left_out"),
    [("gumbel", {"gumbel_noise"}), ("puct", {"root_noise", "root_noise_alpha"})],
)
def test_in_all_else_evaluations_search_as_self_play_does(method, left_out):
    config = TrainingConfig.model_validate(
        {
            "self_play": {"method": method, "search": {"tree": "multi"}},
            "evaluation": {"simulations": 50},
        }
    )
    evaluator = linear(make_model("tictactoe")[1])
    played = config.self_play.settings(evaluator)
    found = SearchSettings(evaluator=evaluator, **evaluating.search_options(config))
    names = options_of(SearchSettings)
    differing = {n for n in names if getattr(found, n) != getattr(played, n)}
    assert differing == {"simulations", *left_out}
    assert (found.tree, found.value) == ("multi", "win")
    assert found.root_noise == 0.0


@pytest.mark.parametrize("opening", [0, 3])
def test_games_begin_with_so_many_random_decisions(tmp_path, opening):
    STONES.clear()
    opponents = [f"{__name__}:{Watching.__name__}"]
    found = evaluations(tmp_path, opening=opening, games=4, opponents=opponents)
    assert [(one["opponent"], one["games"]) for one in found] == [(*opponents, 4)]
    # In half of the games it decides first, in the others second.
    assert sorted(STONES) == [opening] * 2 + [opening + 1] * 2


def test_openings_that_end_the_game_are_refused_at_once(tmp_path):
    with pytest.raises(ValueError, match=r"^evaluation\.opening=9: with seed 0 the ga"):
        evaluations(tmp_path / "out", opening=9)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("earlier", "opponents"),
    [(True, ["random", "random", "earlier self"]), (False, ["random", "random"])],
)
def test_the_earlier_self_is_played_against_if_it_is_asked_for(
    tmp_path, earlier, opponents
):
    found = evaluations(tmp_path, blocks=2, earlier=earlier)
    assert [one["opponent"] for one in found] == opponents
    assert {one["blocks"] for one in found[:1]} == {1}
    assert {one["blocks"] for one in found[1:]} == {2}
