"""Notebooks: results, environments and `show` as HTML that needs nothing else."""

import html.parser
import pickle
import re

import pytest

import mcts_agents
from mcts_agents import MCTSAgent, RandomAgent, show
from mcts_agents.envs import hex, love_letter, tictactoe


class Checked(html.parser.HTMLParser):
    """A text in which every element that is opened is closed, and nothing is loaded."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.tags = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert not {"src", "href"} & {name for name, _ in attributes}
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag != "input":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def begun(module, **variant):
    env = module.env(**variant)
    env.reset(seed=3)
    return env


def test_a_result_shows_its_actions_and_its_line():
    env = begun(tictactoe)
    result = MCTSAgent(simulations=300, seed=1).plan(env)
    page = Checked(result._repr_html_())
    assert "script" not in page.tags and page.tags.count("tr") == 10
    assert f"Plays {result.action}, 300 simulations" in page.text
    shown = [int(n) for n in re.findall(r">(\d+)</td><td style=\"[^\"]*\">[\d.-]*</td>",
                                        result._repr_html_())]  # fmt: skip
    assert shown == sorted(result.visits.tolist(), reverse=True)
    player, action = result.principal_variation[0]
    assert f"It expects: player_{player} {action}" in page.text


def test_a_result_shows_itself_when_its_agent_has_gone_on():
    env, agent = begun(tictactoe), MCTSAgent(simulations=50, seed=1)
    result = agent.plan(env)
    agent.plan(env)
    assert "expects" not in Checked(result._repr_html_()).text


def test_environments_show_their_board():
    for make in (hex.env, hex.raw_env, hex.parallel_env):
        env = make(size=3, render_mode="ansi")
        assert "reset() begins" in Checked(env.unwrapped._repr_html_()).text
        env.reset(seed=1)
        assert env.render() in Checked(env.unwrapped._repr_html_()).text
    env = pickle.loads(pickle.dumps(begun(hex, size=3)))
    assert env._repr_html_() == env.unwrapped._repr_html_()
    assert "size=3" in Checked(env._repr_html_()).text


def test_show_leads_along_the_line():
    env = begun(tictactoe)
    env.step(4)
    before = env.unwrapped.spectator_state().tobytes()
    shown = show(env, MCTSAgent(simulations=500, seed=1))
    assert env.unwrapped.spectator_state().tobytes() == before
    page = Checked(shown._repr_html_())
    boards = re.findall(r"<pre>(.*?)</pre>", shown.html, re.DOTALL)
    assert len(boards) > 2 and page.tags.count("input") == len(boards)
    for number, board in enumerate(boards):
        assert len(re.findall(r"(?<=\s)[XO](?=\s)(?! to)", board + " ")) >= number + 1
    assert len(set(boards)) == len(boards)
    names = re.findall(r'id="([^"]*)"', shown.html)
    again = show(env, MCTSAgent(simulations=500, seed=1)).html
    assert not set(names) & set(re.findall(r'id="([^"]*)"', again))


def test_show_does_not_tell_what_is_hidden():
    env = begun(love_letter, players=2)
    inner = env.unwrapped
    found = []
    for world in range(3):
        if world:
            from mcts_agents.model import new_generator

            inner.forward_model.redeterminise(inner._state, 0, new_generator(world))
        found.append(re.sub(r"mcts-show-\d+|[\d.]+ s\b", "", show(env, MCTSAgent(
            simulations=50, seed=1)).html))  # fmt: skip
    assert found[0] == found[1] == found[2]


def test_what_show_refuses():
    env = tictactoe.env()
    with pytest.raises(RuntimeError, match="not begun"):
        show(env, MCTSAgent(simulations=5))
    env.reset(seed=1)
    with pytest.raises(TypeError, match="agent that searches"):
        show(env, RandomAgent(seed=1))
    with pytest.raises(TypeError, match="environment of this package"):
        show(object(), MCTSAgent(simulations=5))
    assert mcts_agents.show is show
