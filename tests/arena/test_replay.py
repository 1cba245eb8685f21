"""Stored games again: the same moves, results and choices; and what is written."""

import itertools
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

import mcts_agents
from mcts_agents.arena.playing.fixtures import Entrant, Fixture, Setting
from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.arena.replay import gif, html, panel
from mcts_agents.arena.replay.film import AT_ONCE, Film, nearest
from mcts_agents.arena.replay.panel import Panel
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.envs import GAMES, make_model
from tests.agents.policies import saved

MCTS = {"agent": "mcts", "simulations": 30, "rollout": 10}
ONE_STEP = {"agent": "one-step", "samples": 2}
RANDOM = {"agent": "random"}

# Small, so that games are short.
VARIANTS = {
    "hex": "hex:size=3",
    "dots_and_boxes": "dots_and_boxes:width=2,height=2",
    "chinese_checkers": "chinese_checkers:max_plies_per_player=12",
    "focus": "focus:max_plies_per_player=12",
}
PLAYERS = {"sushi_go": 3, "chinese_checkers": 2, "diamant": 3, "love_letter": 3}
PLAYERS |= {"rolit": 3, "focus": 3, "wargame": 3, "investment": 3, "nogo": 3}


def played(game, *specs, seed=5):
    """Play one game."""
    seats = tuple(
        Entrant(f"{spec['agent']} {n}", json.dumps(spec))
        for n, spec in enumerate(specs)
    )
    setting = Setting(game, len(seats), "30")
    return play_fixture(
        Fixture(number=1, setting=setting, round=0, seed=seed, seats=seats)
    )


def short_game(game):
    players = PLAYERS.get(game, 2)
    specs = (MCTS, ONE_STEP, RANDOM) if players == 3 else (MCTS, ONE_STEP)
    return played(VARIANTS.get(game, game), *specs)


@pytest.fixture(scope="module")
def sushi():
    return short_game("sushi_go")


@pytest.fixture(scope="module")
def hexagons():
    return played("hex:size=3", MCTS, RANDOM)


@pytest.fixture
def store(tmp_path, hexagons, sushi):
    path = tmp_path / "results.db"
    with Store.write(path) as opened:
        opened.add(hexagons)
        opened.add(replace(sushi, number=2, round=1))
    return path


def swapped(record):
    """Let the first player make its first two moves in the other order."""
    first, between, third, *others = record.moves
    return replace(record, version="0.0.9", moves=(third, between, first, *others))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_played_again(game):
    record = short_game(game)
    replay = Replay(record)
    moments = list(replay.moments())
    moves = [move for moment in moments for move in moment.moves]
    assert [(move.player, move.action) for move in moves] == list(record.moves)
    assert [move.decision for move in moves] == list(range(1, len(moves) + 1))
    assert replay.difference_text() == ""
    assert [move.now for move in moves] == [None] * len(moves)
    # Who searched, and how much, is what was stored when the game was played.
    for player, seat in enumerate(record.seats):
        views = [move.search for move in moves if move.player == player]
        if seat.spec == json.dumps(RANDOM):
            assert views == [None] * len(views)
        else:
            assert sum(view.simulations for view in views) == seat.simulations
            assert sum(view.simulations > 0 for view in views) == seat.searches
    loaded, model = make_model(record.setting.game, record.setting.players)
    assert all(move.name == loaded.format_action(model, move.action) for move in moves)
    last = moments[-1]
    assert [moment.over for moment in moments] == [False] * (len(moments) - 1) + [True]
    assert [*model.scores(last.state)] == [seat.score for seat in record.seats]
    assert last.position == loaded.ansi(model, last.state, None)


def test_players_who_choose_at_once_share_a_moment(sushi):
    moments = list(Replay(sushi, search=False).moments())
    assert moments[0].moves == ()
    assert [move.player for move in moments[1].moves] == [0, 1, 2]
    assert not (moments[0].state == moments[1].state).all()


def test_what_a_search_saw(hexagons):
    moment = list(Replay(hexagons).moments())[1]
    (move,) = moment.moves
    view = move.search
    assert view.simulations == 30
    assert sum(seen.visits for seen in view.actions) == 30
    assert sum(seen.share for seen in view.actions) == pytest.approx(1.0)
    visits = [seen.visits for seen in view.actions]
    assert visits == sorted(visits, reverse=True)
    assert len(view.actions) == 9
    assert view.principal_variation[0] == (0, move.name)
    assert view.top(3, move.action) == view.actions[:3]
    rare = view.actions[-1].action
    assert [seen.action for seen in view.top(2, rare)] == [view.actions[0].action, rare]


def test_what_an_agent_remembers_is_remembered_again():
    learned = {"simulations": 30, "rollout_policy": "mast"}
    record = played("hex:size=4", {**MCTS, "reuse_tree": True}, {**MCTS, **learned})
    replay = Replay(record)
    assert len(list(replay.moments())) == len(record.moves) + 1
    assert replay.differences == []
    # And once more with the same object: its agents begin anew.
    assert len(list(replay.moments())) == len(record.moves) + 1
    assert replay.differences == []


def test_another_choice_is_reported_with_both_versions(hexagons):
    changed = swapped(hexagons)
    replay = Replay(changed)
    moves = [move for moment in replay.moments() for move in moment.moves]
    (found, *_) = replay.differences
    assert (found.decision, found.player) == (1, 0)
    _, model = make_model("hex:size=3")
    assert found.now == replay.game.format_action(model, hexagons.moves[0][1])
    assert found.name == replay.game.format_action(model, hexagons.moves[2][1])
    assert moves[0].action == changed.moves[0][1]  # the stored one is made
    text = replay.difference_text()
    assert f"now chooses {found.now}, stored is {found.name}" in text
    assert f"version 0.0.9, replayed by {mcts_agents.__version__}" in text
    # Without agents there is nothing to differ.
    replay = Replay(changed, search=False)
    assert len(list(replay.moments())) == len(moves) + 1
    assert replay.differences == []


def test_policies_are_made_again_but_not_trusted(tmp_path):
    spec = {"agent": "policy", "file": saved(tmp_path / "p.npz")}
    record = played("tictactoe", spec, spec)
    replay = Replay(record)
    assert len(list(replay.moments())) == len(record.moves) + 1
    assert replay.differences == []
    trusting = json.dumps({**spec, "trust": True})
    seats = tuple(replace(seat, spec=trusting) for seat in record.seats)
    message = "trust=True: cannot be set in the record of a game; "
    with pytest.raises(ValueError, match=message):
        next(Replay(replace(record, seats=seats)).moments())


def test_a_budget_of_time_may_lead_to_another_choice():
    # Spent by simulations long before, so that the choices are the same everywhere.
    timed = {**MCTS, "seconds": 3600}
    record = swapped(played("hex:size=3", timed, RANDOM))
    replay = Replay(record)
    moves = [move for moment in replay.moments() for move in moment.moves]
    assert [move.timed for move in moves[:2]] == [True, False]
    assert moves[0].now is not None
    assert 0 not in {move.player for move in replay.differences}
    asked = {"agent": "mcts", "simulations": 5, "opponent_model": timed}
    record = played("tictactoe", {**asked, "tree": "self"}, RANDOM)
    (move,) = list(Replay(record).moments())[1].moves
    assert move.timed


def test_records_that_do_not_fit(hexagons):
    def error_of(**changes):
        with pytest.raises(ValueError, match="does not fit its record") as caught:
            list(Replay(replace(hexagons, **changes), search=False).moments())
        return str(caught.value)

    moves = hexagons.moves
    assert "the game is not over" in error_of(moves=moves[:-1])
    assert "the game is over after" in error_of(moves=(*moves, (0, 0)))
    assert "decision 2: " in error_of(moves=(moves[0], (1, moves[0][1]), *moves[2:]))
    assert "is stored as player_1's" in error_of(moves=((1, 0), *moves[1:]))
    first, second = hexagons.seats
    assert "score at the end is" in error_of(seats=(replace(first, score=7.0), second))
    flipped = "lost" if first.result == "won" else "won"
    assert "result at the end is" in error_of(
        seats=(replace(first, result=flipped), second)
    )
    with pytest.raises(ValueError, match="3 seats are stored for 2 players"):
        Replay(replace(hexagons, seats=(first, second, second)))


@pytest.mark.parametrize("search", [True, False])
def test_gif(tmp_path, sushi, hexagons, search):
    for record in (sushi, hexagons):
        replay = Replay(record, search)
        path = tmp_path / "game.gif"
        begin = 6
        gif.write(replay, itertools.islice(replay.moments(), begin), 3, path)
        assert list(tmp_path.iterdir()) == [path]
        size = Panel(replay, 3).size
        with Image.open(path) as film:
            assert film.n_frames == begin
            assert film.info["loop"] == 0
            shown, lengths = [], []
            for number in range(film.n_frames):
                film.seek(number)
                assert film.size == size
                shown.append(np.asarray(film.convert("RGB")))
                lengths.append(film.info["duration"])
        assert lengths[-1] > lengths[0] == lengths[-2]
        # The picture's plain background is the same colour in all frames.
        panel = Panel(replay, 3)
        for number, moment in enumerate(itertools.islice(replay.moments(), begin)):
            exact = np.asarray(panel.frame(moment))
            assert tuple(shown[number][1, 1]) == tuple(exact[1, 1])
            if not search:  # the time that a search takes is written on the frame
                off = np.abs(shown[number].astype(int) - exact).max(axis=-1)
                assert (off == 0).mean() > 0.9


def test_many_players(tmp_path):
    """More than there are colours that everybody tells apart."""
    record = played("uno", *[RANDOM] * 8)
    replay = Replay(record, search=False)
    gif.write(replay, itertools.islice(replay.moments(), 3), 3, tmp_path / "g.gif")
    replay = Replay(record, search=False)
    html.write(replay, itertools.islice(replay.moments(), 3), 3, tmp_path / "g.html")
    page = (tmp_path / "g.html").read_text(encoding="utf-8")
    assert "player_7" in page


def test_few_colours_are_kept_exactly():
    rng = np.random.default_rng(3)
    frames = rng.choice(np.array([0, 90, 200], np.uint8), (2, 40, 50, 3))
    film = Film()
    for frame in frames:
        film.add(Image.fromarray(frame))
    for frame, made in zip(frames, film.frames(), strict=True):
        assert (np.asarray(made.convert("RGB")) == frame).all()


@pytest.mark.parametrize("colours", [1, 7, 255])
def test_every_pixel_gets_the_nearest_colour(colours):
    rng = np.random.default_rng(colours)
    palette = rng.integers(256, size=(colours, 3), dtype=np.uint8)
    pixels = rng.integers(256, size=(AT_ONCE + 100, 3), dtype=np.uint8)
    apart = palette[None].astype(np.int64) - pixels[:, None]
    expected = (apart**2).sum(axis=-1).argmin(axis=-1)
    assert (nearest(pixels, palette) == expected).all()


def test_of_games_without_points_no_scores_are_told(tmp_path, monkeypatch):
    record = played("tests.model.test_without_scores:HEAP", RANDOM, RANDOM)
    told = sorted(seat.result for seat in record.seats)
    replay = Replay(record, search=False)
    html.write(replay, replay.moments(), 2, tmp_path / "game.html")
    words = Page((tmp_path / "game.html").read_text(encoding="utf-8")).words
    assert sorted({*words} & {"won", "lost"}) == told
    assert not any("score 0" in word for word in words)
    written = []
    monkeypatch.setattr(
        panel, "write", lambda draw, at, text, *_: written.append(text) or 0
    )
    shown = Panel(replay, 3)
    for moment in replay.moments():
        shown.frame(moment)
    assert sorted({*written} & {"won", "lost"}) == told
    assert not any("score 0" in word for word in written)


class Page(HTMLParser):
    """Collects what a page refers to, and its text."""

    def __init__(self, text):
        super().__init__()
        self.references, self.words, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.references += [
            value
            for name, value in attrs
            if name in ("src", "href", "srcset", "data", "action", "poster")
        ]

    def handle_data(self, data):
        self.words.append(data)


def test_page(tmp_path, sushi):
    path = tmp_path / "game.html"
    seats = (replace(sushi.seats[0], agent="<script>1</script>&"), *sushi.seats[1:])
    replay = Replay(replace(sushi, seats=seats))
    moments = list(itertools.islice(replay.moments(), 6))
    html.write(replay, itertools.islice(replay.moments(), 6), 2, path)
    assert list(tmp_path.iterdir()) == [path]
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.references) == len(moments)
    assert all(r.startswith("data:image/png;base64,") for r in page.references)
    for reference in page.references:
        text = text.replace(reference, "")
    assert not re.search(r"https?:|//[a-z]|url\(|@import", text)
    assert page.tags.count("script") == 1
    assert "<script>1</script>&" in page.words
    assert page.tags.count("section") == len(moments)
    for moment in moments:
        for move in moment.moves:
            assert move.name in page.words
            if move.search is not None and move.search.simulations:
                assert all(a.name in page.words for a in move.search.top(2, 0)[:1])


def test_command(run_here, store, tmp_path, hexagons):
    shown = run_here("replay", str(store), "1", "--actions", "2")
    assert (shown.returncode, shown.stderr) == (0, "")
    _, model = make_model("hex:size=3")
    game = Replay(hexagons).game
    for number, (player, action) in enumerate(hexagons.moves, 1):
        agent = hexagons.seats[player].agent
        name = game.format_action(model, action)
        assert f"{number}. player_{player} ({agent}) plays {name}\n" in shown.stdout
    assert "30 simulations" in shown.stdout
    assert "principal variation" in shown.stdout
    assert shown.stdout.count(" to move, ") == len(hexagons.moves)  # and then the end

    told = json.loads(run_here("replay", str(store), "2", "--json").stdout)
    assert (told["number"], told["game"], told["players"]) == (2, "sushi_go", 3)
    assert told["difference"] is None
    assert len(told["moments"][1]["moves"]) == 3
    first = told["moments"][1]["moves"][0]
    assert first["search"]["simulations"] == 30
    assert first["name"] in [a["name"] for a in first["search"]["actions"]]
    assert len(first["search"]["actions"]) <= 5

    quick = run_here("replay", str(store), "1", "--no-search")
    assert "(hex:size=3, 2 players, 30 simulations, seed " in quick.stdout
    assert "principal variation" not in quick.stdout

    for suffix in ("gif", "html"):
        file = tmp_path / f"game.{suffix}"
        made = run_here("replay", str(store), "1", "--output", str(file))
        assert made.returncode == 0
        assert f"{len(hexagons.moves) + 1} positions" in made.stdout
        assert file.stat().st_size > 1000


def test_command_reports_differences(run_here, tmp_path, hexagons):
    path = tmp_path / "results.db"
    with Store.write(path) as opened:
        opened.add(swapped(hexagons))
    shown = run_here("replay", str(path), "1")
    assert shown.returncode == 1
    assert "Decision 1 differs" in shown.stderr
    assert "now chooses" in shown.stdout
    told = run_here("replay", str(path), "1", "--json")
    assert told.returncode == 1
    assert "version 0.0.9" in json.loads(told.stdout)["difference"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("0",), "game 0: the games of a store are numbered from 1"),
        (("9",), "no game 9 is stored: 2 from 1 to 2"),
        (("1", "--output", "game.mp4"), "written as .gif or .html"),
        (("1", "--output", "nowhere/game.gif"), "there is no folder nowhere"),
        (("1", "--actions", "0"), "--actions"),
    ],
)
def test_command_refuses(run_here, store, arguments, words):
    refused = run_here("replay", str(store), *arguments)
    assert refused.returncode == 2
    assert words in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


def test_nothing_is_left_of_a_file_that_fails(tmp_path, hexagons):
    path = tmp_path / "game.gif"
    path.write_bytes(b"before")
    replay = Replay(replace(hexagons, moves=hexagons.moves[:-1]), search=False)
    with pytest.raises(ValueError, match="not over"):
        gif.write(replay, replay.moments(), 3, path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"before"
