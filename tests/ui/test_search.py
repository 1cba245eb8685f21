"""The search on the page: live, in steps, its tree, and the end with a closed tab."""

import threading
import time

import pytest

from mcts_agents import make_agent
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.ui.live_search import LiveSearch
from mcts_agents.ui.search_views import _verdict
from tests.ui.pages import new_game, page_of, server

# Its tree is small, so its memory is never full, which would end it early.
LONG = "mcts:simulations=1000000000,max_depth=1"


@pytest.fixture(scope="module")
def client():
    with server() as opened:
        yield opened


def searched(page, wanted=lambda told: True):
    """Return the next message about a search that found something."""
    return page.until(
        "search", lambda m: m["search"] and "best" in m["search"] and wanted(m)
    )


def test_a_search_in_steps_finds_what_the_agent_finds():
    table = open_table("connect_four", None)
    table.begin(1)
    spec = "mcts:simulations=700"
    live = LiveSearch(make_agent(spec, seed=3), table, table.turn(), 0, {})
    while not live.done:
        live.advance()
        live.look()
    action = live.finish()
    plan = make_agent(spec, seed=3).plan(table.env)
    assert action == plan.action and live.simulations == 700
    assert live.result.visits.tolist() == plan.visits.tolist()
    table.close()


def test_pause_step_and_go_on(client):
    key = new_game(client, "hex:size=5", ["human", "human"], adviser=LONG)
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        searched(page)
        page.do("pause")
        paused = searched(page, lambda m: m["paused"])
        before = paused["search"]["simulations"]
        page.do("step", simulations=10)
        after = searched(page, lambda m: m["search"]["simulations"] > before)
        assert after["search"]["simulations"] == before + 10
        assert sum(row["visits"] for row in after["search"]["actions"]) == before + 10
        page.do("resume")
        searched(page, lambda m: m["search"]["simulations"] > before + 100)
        page.do("finish", number=0)
        told = searched(page, lambda m: m["hinted"] is not None)
        assert told["hinted"] == told["search"]["best"] and not told["going"]


def test_nodes_are_sent_one_by_one(client):
    hints = "mcts:tree=multi,simulations=800"
    key = new_game(client, "tictactoe", ["human", "human"], adviser=hints)
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        told = searched(page, lambda m: m["search"]["done"])
        assert told["search"]["trees"] == [0, 1]
        page.do("node", player=0, path=[])
        root = page.until("node")
        assert root["visits"] == 800 and root["id"] == told["search"]["id"]
        child = root["children"][0]
        step = {"actions": child["actions"], "movers": child["movers"]}
        page.do("node", player=0, path=[step])
        below = page.until("node", lambda m: m["path"])
        assert below["visits"] == child["visits"]
        page.do("node", player=1, path=[])
        assert page.until("node", lambda m: m["player"] == 1)["bandits"]
        page.do("node", player=0, path=[{"actions": {"0": 99}, "movers": [0]}])
        assert "not there" in page.until("refused")["reason"]


def test_why_not_this_move(client):
    key = new_game(client, "tictactoe", ["human", "human"], adviser="mcts")
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        rows = searched(page, lambda m: m["search"]["done"])["search"]["actions"]
        best, other = rows[0], rows[-1]
        page.do("compare", first=best["action"], second=other["action"])
        told = page.until("comparison")
        assert [side["visits"] for side in told["sides"]] == [
            best["visits"],
            other["visits"],
        ]
        assert best["name"] in told["verdict"] and other["name"] in told["verdict"]
        page.do("compare", first=best["action"], second=77)
        assert "77" in page.until("refused")["reason"]


def test_worlds_of_a_search_are_those_that_the_player_may_think_of(client):
    seats = ["human", "random"]
    hints = "mcts:simulations=200,determinizations=2"
    key = new_game(client, "love_letter", seats, adviser=hints, players=2, seed=3)
    with page_of(client, key) as page:
        page.turn()
        page.do("worlds")
        assert "no search" in page.until("refused")["reason"]
        page.do("hint")
        told = searched(page, lambda m: m["search"]["done"])
        assert (
            told["search"]["worlds"]
            and "determinizations=2" in (told["search"]["why_whole"])
        )
        page.do("worlds", first=0, count=6)
        sent = page.until("worlds")
        assert sent["id"] == told["search"]["id"]
        worlds = sent["worlds"]
        assert len({world["text"] for world in worlds}) > 1
        page.do("worlds", first=2, count=1)  # the same number is the same world
        assert page.until("worlds")["worlds"] == [worlds[2]]
        page.do("worlds", first=0, count=7)
        assert "count" in page.until("refused")["reason"]


def test_searches_of_one_position_can_be_told_apart(client):
    key = new_game(client, "tictactoe", ["human", "human"], adviser="random")
    ids = set()
    with page_of(client, key) as page:
        page.turn()
        for _ in range(2):
            page.do("hint")
            told = searched(page, lambda m: m["hinted"] is not None)
            ids.add(told["search"]["id"])
    assert len(ids) == 2


def test_worlds_do_not_depend_on_what_is_hidden():
    from mcts_agents.model import new_generator
    from mcts_agents.ui.worlds import worlds_message

    found = []
    for world in range(3):
        table = open_table("love_letter", 2)
        table.begin(5)
        inner, player = table.env.unwrapped, table.turn()
        if world:
            table.model.redeterminise(inner._state, player, new_generator(world))
        live = LiveSearch(make_agent("mcts", seed=3), table, player, 0, {})
        found.append(worlds_message(live, table, 0, 4))
        table.close()
    assert found[0] == found[1] == found[2]


def test_where_nothing_is_hidden_there_is_one_world(client):
    key = new_game(client, "tictactoe", ["human", "human"], adviser="mcts")
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        assert not searched(page)["search"]["worlds"]
        page.do("worlds")
        assert "one world" in page.until("refused")["reason"]


@pytest.mark.parametrize("agent", ["alphabeta:depth=2", "grave:simulations=50"])
def test_a_search_in_one_go_says_why_it_cannot_be_stepped(client, agent):
    key = new_game(client, "connect_four", ["human", "human"], adviser=agent)
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        told = searched(page, lambda m: m["search"]["done"])
        assert (
            not told["search"]["steps"]
            and "always runs to its end" in told["search"]["why_whole"]
        )


def test_pages_know_beforehand_what_cannot_be_paused(client):
    seats = ["human", "random", "mcts", "max-n"]
    key = new_game(client, "sushi_go", seats, players=4, adviser="grave")
    with page_of(client, key) as page:
        told = page.turn()
        assert [bool(seat["why_whole"]) for seat in told["seats"]] == [
            False,
            True,
            False,
            True,
        ]
        assert "always runs to its end" in told["adviser_why_whole"]


# Searches of an hour. A search also ends when its memory is full, so there is enough.
ENDLESS = [
    "mcts:seconds=3600,memory=4000",
    "mcts:seconds=3600,memory=4000,threads=2",
    "grave:seconds=3600,memory=4000",
    "alphabeta:seconds=3600",
]


def becomes(wanted, seconds=600):
    """Say whether `wanted()` is true within so many seconds."""
    ends = time.monotonic() + seconds
    while not wanted() and time.monotonic() < ends:
        time.sleep(0.005)
    return wanted()


@pytest.mark.parametrize("agent", ENDLESS)
def test_a_closed_tab_ends_its_search(client, agent):
    key = new_game(client, "hex", [agent, "human"], seed=1)
    worker = client.app._app.state.sessions.find(key)
    task = worker.task
    for pause in (0.0, 0.0, 0.1):
        with page_of(client, key):
            assert becomes(lambda: task._live is not None), worker.failed
            time.sleep(pause)
        assert becomes(lambda: task._live is None), "the search goes on"
        assert becomes(worker._mailbox.empty) and task.delay is None and worker.alive
    assert task.played.moves == []
    worker.close()
    assert worker.wait(60)


@pytest.mark.parametrize("agent", ENDLESS[1:])
def test_a_search_that_was_ended_early_is_no_move_of_a_page_that_came_since(
    client, agent
):
    key = new_game(client, "hex", [agent, "human"], seed=1)
    worker = client.app._app.state.sessions.find(key)
    task = worker.task
    with page_of(client, key):
        for _ in range(3):
            assert becomes(lambda: task._live is not None), worker.failed
            live = task._live
            time.sleep(0.05)
            task.interrupt()  # as when a page left, and another one came at once
            assert becomes(lambda: task._live is not live), "the search goes on"  # noqa: B023
    assert task.played.moves == []
    worker.close()
    assert worker.wait(60)


@pytest.mark.parametrize("agent", ENDLESS[1:])
def test_a_page_that_has_come_since_hears_that_a_hint_was_ended_early(client, agent):
    key = new_game(client, "hex", ["human", "human"], adviser=agent)
    worker = client.app._app.state.sessions.find(key)
    task = worker.task
    with page_of(client, key) as page:
        page.turn()
        page.do("hint")
        page.until("search", lambda told: told["going"])
        assert becomes(lambda: task._live is not None), worker.failed
        live = task._live
        time.sleep(0.05)
        task.interrupt()  # as when the page left that had asked, and this one came
        told = page.until("search", lambda told: not told["going"])
        assert task._live is not live and told["hinted"] is None
    worker.close()
    assert worker.wait(60)


def test_a_decision_ends_even_if_its_agent_begins_late():
    table = open_table("hex:size=5", None)
    table.begin(1)
    agent = make_agent("grave:seconds=3600,memory=4000", seed=3)
    search, begun = agent.search, threading.Event()

    def late(*arguments, **more):
        begun.set()
        time.sleep(0.2)  # so the first call of `cancel` is lost
        return search(*arguments, **more)

    agent.search = late
    live = LiveSearch(agent, table, table.turn(), 0, {})
    deciding = threading.Thread(target=live.advance, daemon=True)
    deciding.start()
    assert begun.wait(60)
    live.cancel()
    deciding.join(60)
    assert not deciding.is_alive()
    table.close()


def test_a_decision_that_has_not_begun_is_cancelled_once():
    table = open_table("hex:size=5", None)
    table.begin(1)
    live = LiveSearch(make_agent("grave"), table, table.turn(), 0, {})
    before = threading.active_count()
    live.cancel()
    assert threading.active_count() <= before  # those of other tests may have ended
    live.advance()
    assert live.cancelled and not live.done and live.result is None
    table.close()


def test_equal_values_without_visits_are_told():
    same = {"name": "a", "visits": 0, "value": 0.5}
    told = "The search expects the same after both moves: 0.500."
    assert _verdict(same, {**same, "name": "b"}) == told
    unseen = {**same, "value": None}
    assert "neither" in _verdict(unseen, {**unseen, "name": "b"})


def test_an_idle_table_takes_no_processor_time(client):
    key = new_game(client, "tictactoe", ["human", "human"])
    worker = client.app._app.state.sessions.find(key)
    with page_of(client, key) as page:
        page.turn()
        page.do("undo", number=0)
        page.until("refused")  # so all that is to be done is done
        assert worker.task.delay is None
