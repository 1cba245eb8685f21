"""Networks in PyTorch: shapes, values, losses, files, and the same in ONNX."""

import copy
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

NEEDED = "needs the rl extra: pip install --editable '.[rl]'"
torch = pytest.importorskip("torch", reason=NEEDED)
pytest.importorskip("onnxscript", reason=NEEDED)

from mcts_agents import MCTSAgent, PolicyAgent, make_agent  # noqa: E402
from mcts_agents.envs import connect_four, make_model, tictactoe  # noqa: E402
from mcts_agents.learn.training.inference import frozen_network  # noqa: E402
from mcts_agents.networks import (  # noqa: E402
    Network,
    NetworkConfig,
    NetworkDescription,
    NetworkEvaluator,
    OnnxNetwork,
    export_onnx,
    load,
    loss,
    save,
)
from mcts_agents.networks.description import KEY  # noqa: E402
from mcts_agents.networks.saving import CHECKSUM  # noqa: E402
from tests.networks.small import SMALL, positions, small  # noqa: E402
from tests.networks.test_heads import by_hand  # noqa: E402

GAMES = [
    ("connect_four", "residual"),
    ("nogo:players=3", "mobile"),
    ("sushi_go:players=4", "perceptron"),
    ("pommerman:mode=team", "perceptron"),
]


def trained(spec, kind=None, seed=1):
    """A network with weights and normalisation as after some training."""
    description, model = small(spec, kind)
    network = Network(description.config, seed=seed)
    seen = torch.tensor(positions(model, 64)[0]).float()
    optimiser = torch.optim.SGD(network.parameters(), lr=0.02)
    for _ in range(3):
        policy, value = network(seen)
        (policy.square().mean() - value.var(dim=0).sum()).backward()
        optimiser.step()
    return network.eval(), description, model


@pytest.mark.parametrize(("spec", "kind"), GAMES)
def test_shapes_and_first_weights(spec, kind):
    description, _ = small(spec, kind)
    config = description.config
    state = torch.random.get_rng_state()
    one, same, other = (Network(config, seed=seed) for seed in (5, 5, 6))
    assert torch.equal(torch.random.get_rng_state(), state)
    policy, value = one(torch.zeros(4, *config.observation_shape))
    assert policy.shape == (4, config.actions) and value.shape == (4, config.teams)
    pairs = zip(one.parameters(), same.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    assert not all(torch.equal(a, b) for a, b in pairs)


def test_the_default_for_connect_four_has_so_many_weights():
    config = NetworkConfig.for_model(make_model("connect_four")[1])
    c, cells = 64, 42
    stem = 3 * 9 * c + 2 * c
    blocks = 5 * 2 * (9 * c * c + 2 * c)
    policy = 4 * c + 8 + (4 * cells + 1) * 7
    value = 2 * c + 4 + (2 * cells + 1) * 64 + (64 + 1) * 2
    found = sum(p.numel() for p in Network(config).parameters())
    assert found == stem + blocks + policy + value


def test_mobile_blocks_widen_as_published():
    """RISEv2: 13 blocks, 128 channels inside and 64 more each time, five squeeze."""
    config = NetworkConfig(
        kind="mobile", observation_shape=(23, 11, 11), actions=6, teams=4
    )
    with torch.device("meta"):
        blocks = Network(config).body[2:]
    assert [block.each[0].groups for block in blocks] == [
        128 + 64 * n for n in range(13)
    ]
    squeezing = [not isinstance(b.squeeze, torch.nn.Identity) for b in blocks]
    assert squeezing == [False] * 8 + [True] * 5


@pytest.mark.parametrize(("spec", "kind"), GAMES)
def test_a_search_is_told_shares_by_seat(spec, kind):
    network, description, model = trained(spec, kind)
    seen, players, legal = positions(model, 50)
    evaluator = NetworkEvaluator(network, most_rows=7, threads=1)
    values, logits = evaluator.for_model(model)(seen, players, legal)
    for row in range(50):  # one by one, so nothing depends on its neighbours
        with torch.no_grad():
            policy, value = network(torch.tensor(seen[row : row + 1]).float())
        expected = by_hand(value[0], players[row], model.teams)
        np.testing.assert_allclose(values[row], expected, atol=1e-5)
        expected = np.where(legal[row], policy[0].numpy(), -np.inf)
        np.testing.assert_allclose(logits[row], expected, rtol=1e-4, atol=1e-5)
    assert description.config == network.config


@pytest.mark.parametrize("kind", ["residual", "mobile"])
def test_planes_may_be_the_last_axis(tmp_path, kind):
    ends = {"kind": kind, "actions": 7, "teams": 2, **SMALL[kind]}
    first = NetworkConfig(observation_shape=(3, 6, 5), **ends)
    last = NetworkConfig(observation_shape=(6, 5, 3), planes_last=True, **ends)
    one, two = Network(first, seed=1).eval(), Network(last, seed=1).eval()
    seen = np.random.default_rng(1).integers(0, 2, (9, 3, 6, 5)).astype(np.int8)
    moved = np.ascontiguousarray(seen.transpose(0, 2, 3, 1))
    description = NetworkDescription(last, "board", "board", (0, 1))
    export_onnx(tmp_path / "net.onnx", two, description)
    for answers in (
        NetworkEvaluator(two).answers,
        frozen_network(two, "cpu", 9).answers,
        OnnxNetwork((tmp_path / "net.onnx").read_bytes()),
    ):
        for found, expected in zip(
            answers(moved), NetworkEvaluator(one).answers(seen), strict=True
        ):
            np.testing.assert_allclose(found, expected, atol=1e-4)


def test_no_rows_have_no_answers():
    network, _, model = trained("tictactoe")
    for evaluator in (NetworkEvaluator(network), frozen_network(network, "cpu", 1)):
        seen = np.zeros((0, *network.config.observation_shape), np.int8)
        logits, values = evaluator.answers(seen)
        assert logits.dtype == values.dtype == np.float32
        assert (logits.shape, values.shape) == ((0, 9), (0, 2))
        values, logits = evaluator.for_model(model)(
            seen, np.zeros(0, np.int64), np.zeros((0, 9), bool)
        )
        assert (values.shape, logits.shape) == ((0, 2), (0, 9))


def test_the_evaluator_leaves_training_as_it_was():
    network, _, model = trained("tictactoe")
    network.train()
    before = copy.deepcopy(network.state_dict())
    threads = torch.get_num_threads()
    evaluator = NetworkEvaluator(network, threads=threads + 1).for_model(model)
    first = evaluator(*positions(model, 5))
    assert network.training and torch.get_num_threads() == threads
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, before[name])
    with torch.no_grad():
        next(network.policy.parameters()).add_(1.0)
    assert not np.array_equal(evaluator(*positions(model, 5))[1], first[1])


def test_devices_and_numbers_that_are_refused():
    network = Network(small("tictactoe")[0].config)
    if not torch.cuda.is_available():
        with pytest.raises(
            ValueError, match=r"^device='cuda': [^\n]*take device='cpu'"
        ):
            NetworkEvaluator(network, device="cuda")
    with pytest.raises(ValueError, match=r"^device='gpu': "):
        NetworkEvaluator(network, device="gpu")
    for wrong in ({"threads": 0}, {"threads": 1.5}, {"most_rows": 0}):
        with pytest.raises(ValueError, match="expected a whole number from 1"):
            NetworkEvaluator(network, **wrong)


# -- the loss


def loss_by_hand(output, policy, legal, values, weight):
    """The loss, number by number."""
    logits, answers = (part.detach().double().tolist() for part in output)
    rows, total = len(logits), 0.0
    for row in range(rows):
        chosen = legal[row].nonzero()[:, 0].tolist()
        whole = sum(np.exp(logits[row][a]) for a in chosen)
        for action in chosen:
            logarithm = logits[row][action] - np.log(whole)
            total -= (1 - weight) * float(policy[row, action]) * logarithm
        whole = sum(np.exp(answer) for answer in answers[row])
        for team, answer in enumerate(answers[row]):
            share = float(values[row, team])
            total -= weight * share * (answer - np.log(whole))
    return total / rows


def batch(teams):
    draw = torch.Generator().manual_seed(1)
    output = [torch.randn(6, n, generator=draw, requires_grad=True) for n in (5, teams)]
    legal = torch.rand(6, 5, generator=draw) < 0.6
    legal[:, 0] = True
    policy = torch.rand(6, 5, generator=draw) * legal
    values = torch.rand(6, teams, generator=draw)
    by_row = [part / part.sum(dim=1, keepdim=True) for part in (policy, values)]
    return tuple(output), by_row[0], legal, by_row[1]


@pytest.mark.parametrize("weight", [0.0, 0.1, 0.5, 1.0])
def test_the_loss_is_what_it_says(weight):
    output, policy, legal, values = batch(3)
    found = loss(output, policy, legal, values, weight)
    expected = loss_by_hand(output, policy, legal, values, weight)
    assert found.total.item() == pytest.approx(expected, rel=1e-5)
    found.total.backward()
    assert torch.equal(output[0].grad[~legal], torch.zeros(int((~legal).sum())))


def test_the_loss_is_least_where_the_targets_are():
    _, policy, legal, values = batch(3)
    logits = torch.zeros(6, 5, requires_grad=True)
    shares = torch.zeros(6, 3, requires_grad=True)
    optimiser = torch.optim.Adam([logits, shares], lr=0.1)
    for _ in range(400):
        optimiser.zero_grad()
        loss((logits, shares), policy, legal, values).total.backward()
        optimiser.step()
    masked = logits.detach().masked_fill(~legal, -torch.inf)
    torch.testing.assert_close(masked.softmax(dim=1), policy, atol=0.01, rtol=0.0)
    torch.testing.assert_close(shares.softmax(dim=1), values, atol=0.01, rtol=0.0)


def test_a_single_team_has_a_squared_error():
    output, policy, legal, _ = batch(1)
    returns = torch.arange(6.0)[:, None]
    found = loss(output, policy, legal, returns)
    expected = ((output[1] - returns) ** 2).mean()
    assert found.value.item() == pytest.approx(expected.item())


def test_losses_that_are_refused():
    output, policy, legal, values = batch(3)
    with pytest.raises(ValueError, match=r"value_weight=1.5: expected a number from 0"):
        loss(output, policy, legal, values, 1.5)
    with pytest.raises(ValueError, match=r"values has the shape \(6, 2\)"):
        loss(output, policy, legal, values[:, :2])


# -- files


@pytest.mark.parametrize(("spec", "kind"), GAMES)
def test_saved_and_loaded(tmp_path, spec, kind):
    network, description, _ = trained(spec, kind)
    save(tmp_path / "net.safetensors", network, description)
    other, said = load(tmp_path / "net.safetensors")
    assert said == description and not other.training
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name]), name


def changed(content, change):
    """A file of safetensors with another header."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def other_channels(header):
    said = json.loads(header["__metadata__"][KEY])
    said["config"]["channels"] = 7
    header["__metadata__"][KEY] = json.dumps(said)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda h: h.pop("__metadata__"), "it has no description of a network"),
        (lambda h: h.pop("policy.0.0.weight"), "'policy.0.0.weight' is None"),
        (other_channels, "its description asks for"),
        (lambda h: h["policy.0.0.weight"].update(dtype="F16"), "'dtype': 'F16'"),
        (lambda h: h["policy.0.0.weight"].update(data_offsets=[0, 8]), "it is damaged"),
        (lambda h: h.update(more={"dtype": "F32", "shape": [1]}), "'more' is"),
    ],
)
def test_files_that_say_something_else(tmp_path, change, why):
    network, description, _ = trained("tictactoe")
    path = tmp_path / "net.safetensors"
    save(path, network, description)
    path.write_bytes(changed(path.read_bytes(), change))
    with pytest.raises(ValueError, match=rf"^{path}: .*{why}"):
        load(path)


def test_damaged_files(tmp_path):
    network, description, _ = trained("tictactoe")
    path = tmp_path / "net.safetensors"
    save(path, network, description)
    content = path.read_bytes()
    for length in (0, 4, 8, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=rf"^{path}: it is"):
            load(path)
    path.write_bytes(b"\xff" * 64)
    with pytest.raises(ValueError, match=rf"^{path}: it is not a safetensors file"):
        load(path)
    with pytest.raises(ValueError, match=r"none\.safetensors: cannot be read: No such"):
        load(tmp_path / "none.safetensors")


def test_a_flipped_bit_is_noticed_wherever_it_is(tmp_path):
    network, description, _ = trained("tictactoe")
    path = tmp_path / "net.safetensors"
    save(path, network, description)
    content = path.read_bytes()
    data = 8 + int.from_bytes(content[:8], "little")
    for place in (data, (data + len(content)) // 2, len(content) - 1):
        damaged = bytearray(content)
        damaged[place] ^= 1  # the least of a number's bits, or nearly
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=rf"^{path}: it is damaged: .*SHA-256"):
            load(path)
    spec = content.index(b"tictactoe", content.index(b"spec"))
    path.write_bytes(content[:spec] + b"T" + content[spec + 1 :])
    with pytest.raises(ValueError, match=rf"^{path}: it is damaged: .*SHA-256"):
        load(path)


def without_checksum(header):
    said = json.loads(header["__metadata__"][KEY])
    del said[CHECKSUM]
    header["__metadata__"][KEY] = json.dumps(said)


def test_a_file_without_a_checksum_is_read_with_a_warning(tmp_path):
    network, description, _ = trained("tictactoe")
    path = tmp_path / "net.safetensors"
    save(path, network, description)
    content = path.read_bytes()
    path.write_bytes(changed(content, without_checksum))
    with pytest.warns(UserWarning, match=rf"^{path}: has no checksum"):
        other, said = load(path)
    assert said == description
    save(path, other, said)
    assert path.read_bytes() == content


def test_numbers_that_are_not_finite(tmp_path):
    network, description, _ = trained("tictactoe")
    with torch.no_grad():
        next(network.value.parameters()).fill_(torch.nan)
    save(tmp_path / "net.safetensors", network, description)
    with pytest.raises(ValueError, match="holds numbers that are not finite"):
        load(tmp_path / "net.safetensors")


def test_a_failed_save_leaves_the_file(tmp_path, monkeypatch):
    network, description, _ = trained("tictactoe")
    path = tmp_path / "net.safetensors"
    save(path, network, description)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"expected a name that ends in \.safetensors"):
        save(tmp_path / "net.bin", network, description)
    with pytest.raises(ValueError, match="the description has"):
        save(path, network, small("hex:size=5")[0])
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_weights_are_no_agent(tmp_path):
    network, description, _ = trained("tictactoe")
    path = tmp_path / "net.safetensors"
    save(path, network, description)
    with pytest.raises(ValueError, match=r"plays from the \.onnx file"):
        PolicyAgent.load(path)


# -- ONNX; the exporter takes seconds, so each kind of network is exported once


@pytest.fixture(scope="module", params=GAMES[:3], ids=lambda game: game[1])
def exported(request, tmp_path_factory):
    network, description, model = trained(*request.param)
    path = tmp_path_factory.mktemp("networks") / "net.onnx"
    export_onnx(path, network, description)
    return network, description, model, path


def test_onnx_says_the_same(exported):
    network, description, model, path = exported
    onnx = OnnxNetwork(path.read_bytes())
    assert onnx.description == description
    for rows in (1, 2, 300):
        seen = positions(model, rows)[0]
        with torch.no_grad():
            expected = network(torch.tensor(seen).float())
        for found, wanted in zip(onnx(seen), expected, strict=True):
            scale = max(1.0, float(wanted.abs().max()))
            np.testing.assert_allclose(found, wanted.numpy(), atol=1e-5 * scale)


def test_the_file_says_nothing_of_where_it_was_made(exported):
    content = exported[3].read_bytes()
    for word in (b"site-packages", b".py", b"torch.onnx", b"File"):
        assert word not in content


@pytest.mark.parametrize("exported", GAMES[:1], indirect=True)
def test_both_play_the_same(exported):
    network, _, _, path = exported
    env = connect_four.env()
    env.reset(seed=1)
    agents = [PolicyAgent(network, seed=3), make_agent(f"policy:file={path}", seed=3)]
    for _ in range(8):
        actions = {agent.act(env) for agent in agents}
        assert len(actions) == 1
        env.step(actions.pop())
    visits = [
        MCTSAgent(
            evaluator=evaluator, tree_policy="alphago", value="win", simulations=64
        ).plan(env).visits
        for evaluator in (NetworkEvaluator(network), f"policy:file={path}", agents[0])
    ]  # fmt: skip
    np.testing.assert_array_equal(visits[0], visits[1])
    np.testing.assert_array_equal(visits[0], visits[2])


def test_exports_that_are_refused(tmp_path):
    network, description, _ = trained("tictactoe")
    with pytest.raises(ValueError, match=r"expected a name that ends in \.onnx"):
        export_onnx(tmp_path / "net.pb", network, description)
    with pytest.raises(ValueError, match="the description has"):
        export_onnx(tmp_path / "net.onnx", network, small("hex:size=5")[0])
    assert not list(tmp_path.iterdir())


def test_the_snippets_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "networks.md"
    for snippet in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(compile(snippet, page.name, "exec"), {"__name__": "page"})
    assert load("policy.safetensors")[1].spec == "connect_four"
    assert make_agent("policy:file=policy.onnx").policy.name == "the residual network"


# -- networks as agents


def test_agents_with_networks_are_copied():
    network, _, _ = trained("tictactoe")
    agent = PolicyAgent(network, seed=1)
    env = tictactoe.env()
    env.reset(seed=1)
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        other.reset(seed=5)
        agent.reset(seed=5)
        assert other.act(env) == agent.act(env)


def test_a_network_in_an_environment_of_somebody_else():
    import gymnasium

    from mcts_agents import remember

    env = remember(gymnasium.make("CartPole-v1"))
    env.reset(seed=1)
    config = NetworkConfig(
        kind="perceptron", observation_shape=(4,), actions=2, teams=1, hidden=(8,)
    )
    evaluator = NetworkEvaluator(Network(config))
    agent = MCTSAgent(
        evaluator=evaluator,
        tree_policy="alphago",
        simulations=30,
        perfect_information=True,
    )
    assert agent.plan(env).visits.sum() == 30


def test_descriptions_are_those_of_the_game():
    config = small("tictactoe")[0].config
    with pytest.raises(ValueError, match="observations of shape"):
        NetworkDescription.of(config, make_model("hex:size=5")[1], "hex:size=5")
