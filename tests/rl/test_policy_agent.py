"""Torch modules and stable-baselines3's models as agents."""

import base64
import json
import pickle
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from mcts_agents import MCTSAgent, PolicyAgent, make_agent
from mcts_agents.agents import to_mapping
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.envs import environments, make_model, tictactoe
from mcts_agents.learn import evaluate
from mcts_agents.reading import MOST_CONTENTS
from mcts_agents.wrappers import SingleAgentEnv, single_agent_env
from tests.agents.test_policy_files import Marked
from tests.arena.playing import Here, run
from tests.wrappers.playing import episode

NEEDED = "needs the rl extra: pip install --editable '.[rl]'"
torch = pytest.importorskip("torch", reason=NEEDED)
sb3_contrib = pytest.importorskip("sb3_contrib", reason=NEEDED)
sb3 = pytest.importorskip("stable_baselines3", reason=NEEDED)

DRAWS = 40


def trained(algorithm, game="tictactoe", observation="flat", **arguments):
    """A model that has learned nothing yet."""
    policy = "MlpPolicy" if observation == "flat" else "MultiInputPolicy"
    env = single_agent_env(game, observation=observation)
    return algorithm(policy, env, seed=1, **arguments)


def positions(game, observation):
    """Some positions with what a learner sees of them."""
    env = single_agent_env(game, observation=observation, seat=1)
    rng = np.random.default_rng(1)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        for _ in range(3):
            mask = env.action_masks()
            yield env.environment, env.learner, seen, mask
            seen, _, terminated, _, _ = env.step(rng.choice(mask.nonzero()[0]))
            if terminated:
                break


class Probabilities(PolicyAgent):
    """Notes what it draws from."""

    def _choice(self, observation, mask, start):
        logits = self.policy.propose(observation, mask)
        legal = mask.nonzero()[0]
        weights = np.exp(logits[legal] - logits[legal].max())
        self.found = np.zeros(len(mask))
        self.found[legal] = weights / weights.sum()
        return super()._choice(observation, mask, start)


def models():
    relu = {"activation_fn": torch.nn.ReLU, "net_arch": [16]}
    for game, observation in (("tictactoe", "flat"), ("love_letter", "dict")):
        yield trained(sb3_contrib.MaskablePPO, game, observation), game
        yield trained(sb3.PPO, game, observation, policy_kwargs=relu), game
        yield trained(sb3.A2C, game, observation, policy_kwargs={"net_arch": []}), game


def test_it_draws_from_the_models_own_probabilities(tmp_path):
    for number, (model, game) in enumerate(models()):
        agent = Probabilities(model, seed=1)
        model.save(tmp_path / f"{number}.zip")
        loaded = Probabilities.load(tmp_path / f"{number}.zip", seed=1)
        greedy = PolicyAgent(model, deterministic=True)
        assert agent.observation == loaded.observation
        for env, name, seen, mask in positions(game, agent.observation):
            policy = model.policy
            with torch.no_grad():
                given = policy.get_distribution(policy.obs_to_tensor(seen)[0])
                probabilities = given.distribution.probs.numpy()[0].astype(float)
                if isinstance(model, sb3_contrib.MaskablePPO):
                    masked = policy.get_distribution(
                        policy.obs_to_tensor(seen)[0], action_masks=mask
                    )
                    exact = masked.distribution.probs.numpy()[0]
                else:
                    exact = probabilities * mask / (probabilities * mask).sum()
            for one in (agent, loaded):
                one.act(env, name)
                np.testing.assert_allclose(one.found, exact, rtol=1e-4, atol=1e-7)
            assert greedy.act(env, name) == exact.argmax()
            if isinstance(model, sb3_contrib.MaskablePPO):
                action, _ = model.predict(seen, action_masks=mask, deterministic=True)
                assert greedy.act(env, name) == action
        agent.reset(3)
        drawn = [agent.act(env, name) for _ in range(DRAWS)]
        torch.manual_seed(number)  # torch's own generator has no say
        agent.reset(3)
        assert drawn == [agent.act(env, name) for _ in range(DRAWS)]


@pytest.mark.parametrize("algorithm", ["MaskablePPO", "PPO", "A2C", "DQN"])
def test_a_model_that_has_just_learned_plays_in_memory(algorithm):
    """It holds tensors of its last step, which `copy.deepcopy` refuses."""
    module = sb3_contrib if algorithm == "MaskablePPO" else sb3
    steps = {"DQN": {"learning_starts": 10}, "A2C": {"n_steps": 32}}
    options = steps.get(algorithm, {"n_steps": 32, "batch_size": 16})
    model = trained(getattr(module, algorithm), **options).learn(64)
    before = {n: w.clone() for n, w in model.policy.state_dict().items()}
    agent = PolicyAgent(model, deterministic=algorithm == "DQN")
    figures = evaluate(agent, "random", "tictactoe", games=4, seed=3)
    again = evaluate(agent, "random", "tictactoe", games=4, seed=3)
    assert figures.games == 4
    assert figures.wins == again.wins
    assert all(torch.equal(before[n], w) for n, w in model.policy.state_dict().items())


def test_values_of_a_model_are_shares_of_a_win():
    model = trained(sb3_contrib.MaskablePPO)
    evaluator = PolicyAgent(model).evaluator().for_model(make_model("tictactoe")[1])
    seen = np.random.default_rng(0).integers(0, 2, (6, 3, 3, 3)).astype(np.int8)
    players = np.array([0, 1] * 3)
    values, logits = evaluator(seen, players, np.ones((6, 9), bool))
    with torch.no_grad():
        inputs = torch.as_tensor(seen.reshape(6, 27))
        own = model.policy.predict_values(inputs).numpy()[:, 0]
        expected = model.policy.get_distribution(inputs).distribution.logits.numpy()
    np.testing.assert_allclose(values[range(6), players], (own + 1) / 2, atol=1e-6)
    np.testing.assert_allclose(values.sum(axis=1), 1.0)
    np.testing.assert_allclose(logits, expected, atol=1e-6)


@pytest.mark.parametrize("algorithm", [sb3.DQN, sb3_contrib.QRDQN])
def test_learners_of_action_values(algorithm, tmp_path):
    model = trained(algorithm, buffer_size=100)
    with pytest.raises(ValueError, match="ranks actions and has no probabilities"):
        PolicyAgent(model)
    agent = PolicyAgent(model, deterministic=True)
    for env, name, seen, mask in positions("tictactoe", "flat"):
        if mask.all():
            action, _ = model.predict(seen, deterministic=True)
            assert agent.act(env, name) == action
        assert mask[agent.act(env, name)]
    with pytest.raises(ValueError, match="an evaluator needs probabilities"):
        MCTSAgent(evaluator=agent)
    with pytest.raises(ValueError, match="is not a multi-layer perceptron"):
        agent.save_npz(tmp_path / "p.npz")
    path = tmp_path / "p.zip"
    model.save(path)
    with pytest.raises(ValueError, match=r"not one of multi-layer .* trust=True"):
        PolicyAgent.load(path, deterministic=True)
    with pytest.raises(ValueError, match=r"p\.zip: .*pass deterministic=True"):
        PolicyAgent.load(path, trust=True)
    trusted = PolicyAgent.load(path, trust=True, deterministic=True)
    assert trusted.act(env, name) == agent.act(env, name)


@pytest.mark.parametrize("trust", [False, True])
def test_large_models_are_read(tmp_path, trust):
    """Of more than the 1 MiB that an archive's table of contents may have."""
    path = tmp_path / "p.zip"
    trained(sb3.PPO, policy_kwargs={"net_arch": [512, 512]}).save(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("policy.pth").compress_size > 2 * MOST_CONTENTS
    agent = PolicyAgent.load(path, trust=trust, deterministic=True)
    env = tictactoe.env()
    env.reset(seed=1)
    assert env.action_space("player_0").contains(agent.act(env))


def test_trusted_models_play_in_tournaments(tmp_path):
    path = tmp_path / "p.zip"
    trained(sb3_contrib.MaskablePPO).save(path)
    spec = f"policy:file={path},trust=true"
    assert to_mapping(make_agent(spec))["trust"] is True
    agents = {"trusted": spec, "read": f"policy:file={path}"}
    keys = {"games": "tictactoe", "agents": agents, "budgets": [], "games_each": 4}
    played = run(tmp_path / "s.db", Here(), **keys)
    trusted, read = (
        {row["number"]: row for row in played if row.get("agent") == name}
        for name in agents
    )
    assert len(trusted) == len(read) == 4


def test_workers_have_one_thread_each(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)

    def threads(fixture):
        import torch

        return torch.get_num_threads()

    monkeypatch.setattr("mcts_agents.arena.playing.backends.play", threads)
    with LocalBackend(2) as backend:
        nobody = SimpleNamespace(seats=())
        assert list(backend.play(iter([nobody] * 2))) == [1, 1]


# -- torch modules


class TwoHeads(torch.nn.Module):
    """A network as people write them, with a dropout that must not disturb."""

    def __init__(self, game="tictactoe"):
        super().__init__()
        model = make_model(game)[1]
        self.shared = torch.nn.Sequential(
            torch.nn.Flatten(),
            torch.nn.Linear(model.observation_size, 16),
            torch.nn.Dropout(),
            torch.nn.ReLU(),
        )
        self.policy = torch.nn.Linear(16, model.actions)
        self.value = torch.nn.Linear(16, 1)

    def forward(self, observations):
        hidden = self.shared(observations)
        return self.policy(hidden), self.value(hidden)


class Board(torch.nn.Module):
    """A convolution of the board, which needs its shape; no value."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 2), torch.nn.Flatten(), torch.nn.Linear(16, 9)
        )

    def forward(self, observations):
        return self.layers(observations["observation"])


def test_modules_play_and_stay_as_they_are():
    for module, observation in ((TwoHeads(), "flat"), (Board(), "dict")):
        agent = PolicyAgent(module, observation=observation, seed=1)
        agent.prepare(make_model("tictactoe")[1])
        for env, name, _, mask in positions("tictactoe", "flat"):
            assert mask[agent.act(env, name)]
        assert module.training
    agent = PolicyAgent(TwoHeads().eval(), deterministic=True)
    assert len({agent.act(env, name) for _ in range(9)}) == 1
    assert not agent.policy.module.training


def test_a_module_in_the_search_and_as_opponent():
    module = TwoHeads()
    settings = {"tree_policy": "alphago", "value": "win", "simulations": 100, "seed": 1}
    env = tictactoe.env()
    env.reset(seed=1)

    def evaluator(observations, players, legal):
        with torch.inference_mode():
            logits, values = module.eval()(torch.tensor(observations).float())
        own = ((values.double() + 1) / 2).clip(0, 1).numpy()
        return np.where(players[:, None] == [0, 1], own, 1 - own), logits.numpy()

    found = MCTSAgent(evaluator=PolicyAgent(module), **settings).plan(env)
    expected = MCTSAgent(evaluator=evaluator, **settings).plan(env)
    np.testing.assert_array_equal(found.visits, expected.visits)
    for opponent in (module, trained(sb3.PPO)):
        learner = SingleAgentEnv(tictactoe.parallel_env, PolicyAgent(opponent))
        episode(learner, np.random.default_rng(0), seed=1)


@pytest.mark.parametrize(
    ("module", "why"),
    [
        (torch.nn.Linear(27, 7), r"logits of shape \(1, 7\); expected \(1, 9\)"),
        (torch.nn.Linear(25, 9), r"^PolicyAgent\(Linear\) cannot play tictactoe: Lin"),
        (torch.nn.LSTM(27, 9), r"LSTM returned values of shape \(2, 1, 9\); expected"),
        (torch.nn.Flatten(0), r"logits of shape \(27,\); expected"),
    ],
)
def test_modules_that_do_not_fit_are_refused_before_the_game(module, why):
    with pytest.raises(ValueError, match=why) as raised:
        PolicyAgent(module).prepare(make_model("tictactoe")[1])
    assert "\n" not in str(raised.value)


def test_a_model_of_another_game_is_refused(tmp_path):
    model = trained(sb3_contrib.MaskablePPO, "hex:size=3")
    model.save(tmp_path / "p.zip")
    agent = PolicyAgent(model)
    for one in (agent, PolicyAgent.load(tmp_path / "p.zip")):
        one.prepare(make_model("hex:size=3")[1])
        with pytest.raises(ValueError, match="cannot play hex: "):
            one.prepare(make_model("hex:size=4")[1])
    with pytest.raises(ValueError, match=r"^observation='dict': Mask.* takes 'flat'"):
        PolicyAgent(model, observation="dict")


def test_a_model_that_remembers_is_refused():
    env = single_agent_env("tictactoe")
    model = sb3_contrib.RecurrentPPO("MlpLstmPolicy", env, seed=1)
    with pytest.raises(ValueError, match="is a recurrent policy; PolicyAgent supports"):
        PolicyAgent(model)


# -- files


def sequential():
    return torch.nn.Sequential(
        torch.nn.Linear(27, 8), torch.nn.Tanh(), torch.nn.Linear(8, 9)
    )


def heads():
    return TwoHeads().eval()


@pytest.mark.parametrize(
    "policy",
    [
        sequential,
        heads,
        lambda: trained(sb3_contrib.MaskablePPO),
        lambda: trained(sb3.PPO, "love_letter", "dict"),
    ],
)
def test_perceptrons_are_exported_with_the_same_answers(policy, tmp_path):
    agent = PolicyAgent(policy())
    agent.save_npz(tmp_path / "p.npz")
    again = PolicyAgent.load(tmp_path / "p.npz")
    game = "tictactoe" if agent.observation == "flat" else "love_letter"
    model = make_model(game)[1]
    env = environments(make_model(game)[0])[0]()
    env.reset(seed=1)
    one, other = Probabilities(agent.policy), Probabilities(again.policy)
    one.act(env), other.act(env)
    np.testing.assert_allclose(one.found, other.found, rtol=1e-4)
    if agent.observation == "flat" and again.policy.perceptron.has_value:
        shape = (4, *model.observation_shape)
        seen = np.random.default_rng(0).integers(0, 2, shape).astype(np.int8)
        asked = seen, np.zeros(4, int), np.ones((4, 9), bool)
        both = [a.evaluator().for_model(model)(*asked)[0] for a in (agent, again)]
        np.testing.assert_allclose(*both, atol=1e-5)


def test_what_is_no_perceptron_is_not_exported(tmp_path):
    class Doubled(torch.nn.Sequential):
        def forward(self, observations):
            return 2 * super().forward(observations)

    for module, why in (
        (Board(), "'layers.0.weight' is not a layer"),
        (Doubled(torch.nn.Linear(27, 9)), "from its layers, the outputs differ"),
        (torch.nn.Sequential(torch.nn.Linear(27, 9), torch.nn.Softmax(1)), "differ"),
    ):
        with pytest.raises(ValueError, match=f"is not a multi-layer perceptron.*{why}"):
            PolicyAgent(module).save_npz(tmp_path / "p.npz")
    assert not list(tmp_path.iterdir())


def test_state_dicts(tmp_path):
    module, path = sequential(), tmp_path / "p.pt"
    torch.save(module.state_dict(), path)
    inputs = torch.eye(27)
    with torch.no_grad():
        expected = module(inputs).numpy()
    found, _ = PolicyAgent.load(path).policy.perceptron(np.eye(27))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    other = make_agent(f"policy:file={path},activation=relu,observation=dict")
    assert other.policy.perceptron.activation == "relu"
    assert to_mapping(make_agent(to_mapping(other))) == to_mapping(other)
    with pytest.raises(
        ValueError, match=r"cannot play tictactoe: .*expected 36 inputs"
    ):
        other.prepare(make_model("tictactoe")[1])
    torch.save(module, path)
    message = r"p\.pt: not a PyTorch state dict .* trust=True"
    with pytest.raises(ValueError, match=message):
        PolicyAgent.load(path)
    trusted = PolicyAgent.load(path, trust=True, seed=1)
    assert trusted.policy.name == "Sequential"
    torch.save({"0.weight": 3}, path)
    message = "not a PyTorch state dict: expected names with"
    with pytest.raises(ValueError, match=message):
        PolicyAgent.load(path)
    with pytest.raises(ValueError, match="holds dict, expected a torch module"):
        PolicyAgent.load(path, trust=True)


def test_safetensors(tmp_path):
    path = tmp_path / "p.safetensors"
    path.write_bytes(b"nothing")
    numbers = pytest.importorskip("safetensors.numpy", reason="needs safetensors")
    with pytest.raises(ValueError, match="not a safetensors file"):
        PolicyAgent.load(path)
    state = {name: t.numpy() for name, t in sequential().state_dict().items()}
    numbers.save_file(state, path)
    assert PolicyAgent.load(path).policy.perceptron.outputs == 9


@pytest.mark.parametrize("entry", ["data", "policy.pth"])
def test_pickles_in_a_model_are_executed_only_on_trust(tmp_path, entry):
    path, mark = tmp_path / "p.zip", tmp_path / "mark"
    trained(sb3_contrib.MaskablePPO).save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    if entry == "data":
        data = json.loads(files["data"])
        pickled = base64.b64encode(pickle.dumps(Marked(mark))).decode()
        data["policy_class"][":serialized:"] = pickled
        files["data"] = json.dumps(data).encode()
    else:
        files[entry] = pickle.dumps(Marked(mark))
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    if entry == "data":
        PolicyAgent.load(path)
    else:
        with pytest.raises(ValueError, match="not a PyTorch state dict"):
            PolicyAgent.load(path)
    assert not mark.exists()
    with pytest.raises(ValueError, match=r"p\.zip: cannot be read"):
        PolicyAgent.load(path, trust=True)
    assert mark.exists() == (entry == "data")  # weights are never trusted by SB3


def test_other_activations_of_a_model(tmp_path):
    path = tmp_path / "p.zip"
    kinds = {"activation_fn": torch.nn.GELU}
    trained(sb3_contrib.MaskablePPO, policy_kwargs=kinds).save(path)
    with pytest.raises(ValueError, match=r"activation function is .*GELU.*trust=True"):
        PolicyAgent.load(path)
    kinds = {"activation_fn": torch.nn.ReLU}
    trained(sb3_contrib.MaskablePPO, policy_kwargs=kinds).save(path)
    assert PolicyAgent.load(path).policy.perceptron.activation == "relu"
