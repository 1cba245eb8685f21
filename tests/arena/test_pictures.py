"""Pictures as text: what is in them, and that nothing is cut off or left to chance."""

import itertools
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.playing.budgets import budget_label
from mcts_agents.arena.reports import pictures
from mcts_agents.arena.reports.drawing import colour, hatch, marker, size_of, wrapped
from mcts_agents.arena.reports.pictures import (
    heat_map,
    rating_plot,
    win_rates,
)
from tests.arena.synthetic import names, tournament

LONG = [
    f"mcts:tree={tree},paranoid={paranoid},simulations={simulations},exploration=1.4"
    for tree in ("multi", "max-n", "paranoid")
    for paranoid in ("true", "false")
    for simulations in (1000, 20000)
]
ODD = ["<b>&</b>", "$x^2$ costs $5", "树搜索", "no_break_" * 8, "a --> b"]

SIZES = {
    "one setting": {"agents": 2, "players": (2,), "budgets": ("",)},
    "paper": {"agents": 5, "players": (2, 3, 4), "budgets": ("40ms", "200ms", "1s")},
    "odd": {
        "agents": 5,
        "players": (2, 3, 4, 5),
        "budgets": ("100", "20000", "5000calls", "1s"),
        "names_": ODD,
    },
    "large": {
        "agents": 12,
        "players": (2, 3, 4, 5, 6),
        "budgets": ("40ms", "200ms", "1s", "5s"),
        "names_": LONG,
    },
}


# Of measuring in the test; pictures leave letters to the browser.
pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing from font")


@pytest.fixture(scope="module", params=SIZES, ids=lambda name: name.replace(" ", "-"))
def case(request):
    size = SIZES[request.param]
    agents = size.get("names_") or names(size["agents"])
    return agents, summarise(tournament(games=30, **size), agents, resamples=50)


@pytest.fixture(scope="module")
def svgs(case):
    return drawn(*case)


def drawn(agents, summary):
    return [
        win_rates(summary.settings),
        rating_plot(summary.overall),
        heat_map(agents, summary.overall.before),
    ]


def words(svg):
    root = ElementTree.fromstring(svg)
    return "".join(itertools.chain.from_iterable(root.itertext())).replace("\n", "")


def test_pictures_have_every_name_in_full(case, svgs):
    agents, _ = case
    for svg in svgs:
        text = re.sub(r"\s", "", words(svg))
        for agent in agents:
            assert re.sub(r"\s", "", agent) in text


def test_nothing_is_cut_off_or_overlaps(case, monkeypatch):
    """Every text lies within the picture, and on no other text."""
    agents, summary = case
    seen, boxes = [], []

    def measured(figure, name, description):
        boxes.clear()
        figure.draw(FigureCanvasAgg(figure).get_renderer())
        seen.append((figure.bbox, list(boxes)))
        return "<svg/>"

    def draw(text, renderer):
        if text.get_visible() and text.get_text().strip():
            boxes.append((text.get_text(), text.get_window_extent(renderer)))

    monkeypatch.setattr(pictures, "svg_of", measured)
    monkeypatch.setattr(matplotlib.text.Text, "draw", draw)
    drawn(agents, summary)
    assert len(seen) == 3
    for page, boxes in seen:
        assert len(boxes) >= 2 * len(agents)
        assert page.width <= 1120
        for text, box in boxes:
            assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
            assert page.y0 <= box.y0 <= box.y1 <= page.y1, text
        for (text, box), (other_text, other) in itertools.combinations(boxes, 2):
            overlaps = (
                min(box.x1, other.x1) - max(box.x0, other.x0) > 1
                and min(box.y1, other.y1) - max(box.y0, other.y0) > 1
            )
            assert not overlaps, (text, other_text)


def test_pictures_refer_to_nothing_outside(svgs):
    for svg in svgs:
        root = ElementTree.fromstring(svg)
        named = {element.get("id") for element in root.iter()}
        for element in root.iter():
            assert element.tag.endswith(("metadata", "script", "image")) is False
            for key, value in element.attrib.items():
                if key.endswith("href"):
                    assert value.startswith("#")
                    assert value[1:] in named
                for target in re.findall(r"url\(([^)]*)\)", value):
                    assert target.startswith("#")
                    assert target[1:] in named
        style = "".join(root.itertext())
        assert "url(" not in style
        assert "@import" not in style
        assert root.get("role") == "img"
        assert root.get("aria-label")


def test_pictures_are_the_same_each_time_whatever_the_users_settings(case, svgs):
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert drawn(*case) == svgs


def test_bars_stand_for_win_rates(monkeypatch):
    games = tournament(agents=3, games=40, players=(2, 3), budgets=("40ms", "1s"))
    summary = summarise(games, resamples=0)
    figures = []
    monkeypatch.setattr(pictures, "svg_of", lambda figure, *_: figures.append(figure))
    win_rates(summary.settings)
    panels = figures[0].axes
    assert [axes.get_title() for axes in panels] == ["2 players", "3 players"]
    for players, axes in zip((2, 3), panels, strict=True):
        heights = [bar.get_height() for bar in axes.patches]
        rates = [
            agent.win_rate.value
            for figures in summary.settings
            if figures.setting.players == players
            for agent in figures.agents
        ]
        assert heights == pytest.approx(rates)
        labels = [label.get_text() for label in axes.get_xticklabels()]
        assert labels == ["40 ms", "1 s"]
        (equal,) = [line for line in axes.lines if line.get_linestyle() == "--"]
        assert list(equal.get_ydata()) == [1 / players] * 2


def test_a_setting_without_games_leaves_a_gap():
    games = tournament(agents=3, games=5, players=(2, 3), budgets=("40ms", "1s"))
    some = [game for game in games if str(game.setting).count("3 players, 1s") == 0]
    assert "3 players" in win_rates(summarise(some, resamples=0).settings)


def test_the_best_rating_is_on_top():
    summary = summarise(tournament(agents=4, games=100), resamples=50)
    shown = re.findall(r"agent-\d", words(rating_plot(summary.overall)))
    rated = sorted(summary.overall.agents, key=lambda agent: -agent.rating.value)
    assert shown == [agent.agent for agent in rated]


def test_no_ratings_are_no_picture():
    assert rating_plot(summarise([], names(2)).overall) == ""


def test_cells_say_how_often():
    before = np.array([[0.0, 30.0, 0.0], [10.0, 0.0, 0.5], [0.0, 0.5, 0.0]])
    text = words(heat_map(["a", "b", "c"], before))
    for cell in ("75%(40)", "25%(40)", "50%(1)"):
        assert cell in re.sub(r"\s", "", text)
    assert "0%(0)" not in text


def test_agents_look_different_from_each_other():
    looks = {(colour(n), hatch(n)) for n in range(12)}
    marks = {(colour(n), marker(n)) for n in range(12)}
    assert len(looks) == len(marks) == 12


def test_parts_of_two_pictures_have_different_names():
    figures = summarise(tournament(agents=2, games=3, players=(2,))).settings
    one, other = (
        set(re.findall(r'\bid="([^"]*)"', win_rates(figures, name)))
        for name in ("one", "other")
    )
    assert one
    assert not one & other


@pytest.mark.parametrize(
    ("budget", "label"),
    [
        ("40ms", "40 ms"),
        ("1000ms", "1 s"),
        ("2.5s", "2.5 s"),
        ("20000", "20,000 simulations"),
        ("5000calls", "5,000 model calls"),
        ("", ""),
    ],
)
def test_budgets_as_people_read_them(budget, label):
    assert budget_label(budget) == label


@pytest.mark.parametrize("width", [5, 11, 44])
@pytest.mark.parametrize("name", [*ODD, *LONG[:2], "x"])
def test_wrapped_names_lose_nothing(name, width):
    text = wrapped(name, width)
    assert re.sub(r"\s", "", text) == re.sub(r"\s", "", name)
    assert size_of(text)[0] <= width


def test_names_are_broken_behind_commas():
    assert wrapped("mcts:tree=multi,simulations=1000", 18) == (
        "mcts:tree=multi,\nsimulations=1000"
    )
