"""Virus!: TAG's recordings, invariants of random play, and hidden cards."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.envs.virus import cards
from mcts_agents.envs.virus.recordings import RECORDS
from mcts_agents.envs.virus.rules import rules
from mcts_agents.model import ForwardModel, new_generator
from tests.golden import SMALL_SET, exactly, golden_folder

GAMES = 60
FILE = "virus.jsonl.gz"
SEATS = (2, 3, 4, 5, 6)


def read(path: Path) -> list[dict]:
    """Return a file's header and games."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def models() -> dict[int, ForwardModel]:
    """The model for each number of players."""
    return {players: rules.model(players=players) for players in SEATS}


@pytest.fixture
def drawn() -> dict:
    """A recorded game of two players that lasts 100 rounds."""
    return read(SMALL_SET / "tag" / FILE)[1]


@pytest.fixture
def won() -> dict:
    """A recorded game of four players that one of them wins."""
    return read(SMALL_SET / "tag" / FILE)[3]


def first_difference(models: dict[int, ForwardModel], game: dict) -> str | None:
    """Replay a recorded game; return what is different, if anything."""
    for ply, what, expected, found, _ in RECORDS.compared(
        models[game["players"]], game
    ):
        if expected != found:
            return f"step {ply}: {what}: {expected} {found}"
    return None


def test_recorded_games_are_replayed(models: dict[int, ForwardModel]) -> None:
    header, *games = read(golden_folder("tag") / FILE)
    assert RECORDS.variant(header, games[0]) == {"players": games[0]["players"]}
    assert [first_difference(models, game) for game in games] == [None] * len(games)
    assert len(games) == exactly("tag: games of virus", 76)
    steps = sum(len(game["steps"]) for game in games)
    assert steps == exactly("tag: steps of virus", 12978)


def test_deviations_are_late_draws_only(won: dict, drawn: dict) -> None:
    """The steps that are not compared: the last turn of round 100 and one more."""
    assert not any("tag_bug" in step for step in won["steps"])
    late = [ply for ply, step in enumerate(drawn["steps"]) if "tag_bug" in step]
    assert late == [199, 200]


def _count(game: dict) -> None:
    step = next(step for step in game["steps"] if "discards" in step["d"])
    step["d"]["discards"].append("virus heart")


def _target(game: dict) -> None:
    step = next(step for step in game["steps"] if step["a"].startswith("virus "))
    other = step["legal"].index(step["a"])
    step["legal"][other] = f"virus wild on {step['p']} heart"


def _score(game: dict) -> None:
    game["scores"][0] += 1


def _order(game: dict) -> None:
    step = next(step for step in game["steps"] if "player" in step["d"])
    step["d"]["player"] = (step["d"]["player"] + 1) % game["players"]


def _end(game: dict) -> None:
    game["results"] = ["draw"] * game["players"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (_count, "discards after the step"),
        (_target, "the set of legal moves"),
        (_score, "the scores"),
        (_order, "player after the step"),
        (_end, "the results"),
    ],
)
def test_faults_are_found(
    models: dict[int, ForwardModel],
    won: dict,
    fault: Callable[[dict], None],
    words: str,
) -> None:
    assert first_difference(models, won) is None
    fault(won)
    assert words in str(first_difference(models, won))


def test_an_early_draw_is_found(models: dict[int, ForwardModel], drawn: dict) -> None:
    drawn["steps"][150]["tag_bug"] = "made up"
    assert "step 150: whether the game is drawn" in str(first_difference(models, drawn))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("phase", "over", "phase 'over'"),
        ("player", 2, "player 2"),
        ("round", 101, "round 101"),
        ("hands", [[], [], []], "hands not of 2 players"),
        ("discards", ["glove"], "the cards"),
    ],
)
def test_no_states_of_the_variant_are_refused(
    models: dict[int, ForwardModel], drawn: dict, name: str, value: object, words: str
) -> None:
    drawn["start"][name] = value
    with pytest.raises(ValueError, match=words):
        first_difference(models, drawn)


def counted(model: ForwardModel, state: np.ndarray) -> list[int]:
    """Return how many cards of each kind are anywhere."""
    view = model.view(state)
    held = Counter(view["pile"][: view["pile_left"]].tolist())
    held.update(dict(enumerate(view["discards"].tolist())))
    held.update(view["hands"].ravel().tolist())
    for body in view["bodies"].tolist():
        for slot, lying in enumerate(body):
            if lying == cards.NONE:
                continue
            held[cards.ORGAN + slot] += 1
            if lying >= cards.IMMUNISED:
                pair = divmod(lying - cards.IMMUNISED, cards.COLOURS)
                held.update(cards.MEDICINE + colour for colour in pair)
            elif lying >= cards.VACCINATED:
                held[cards.MEDICINE + lying - cards.VACCINATED] += 1
            elif lying >= cards.INFECTED:
                held[cards.VIRUS + lying - cards.INFECTED] += 1
    return [held[kind] for kind in range(cards.KINDS)]


def test_random_play_conserves_cards(models: dict[int, ForwardModel]) -> None:
    rng, chooser = new_generator(7), np.random.default_rng(7)
    for number in range(GAMES):
        model = models[2 + number % 5]
        state = model.reset(rng)
        while not model.is_over(state):
            (player,) = model.movers(state)
            legal = model.legal_actions(state, player).tolist()
            assert legal == sorted(set(legal))
            assert legal
            model.apply(state, {player: int(chooser.choice(legal))}, rng)
            assert counted(model, state) == cards.COUNTS.tolist()
            if chooser.random() < 0.2:
                observer = int(chooser.integers(model.players))
                _check_world(model, state, observer, chooser)
        assert model.turn(state) <= 100 * model.players
        results = model.results(state)
        healthy = [score >= 4 for score in model.scores(state)]
        assert any(healthy) == (results.max() > results.min())


def _check_world(
    model: ForwardModel, state: np.ndarray, observer: int, chooser: np.random.Generator
) -> None:
    """A world that the observer thinks possible keeps all that he knows, no more."""
    seed = int(chooser.integers(1 << 30))
    world, twin = state.copy(), _permuted(model, state, observer, chooser)
    model.redeterminise(world, observer, new_generator(seed))
    model.redeterminise(twin, observer, new_generator(seed))
    assert counted(model, world) == cards.COUNTS.tolist()
    true, other, third = model.view(state), model.view(world), model.view(twin)
    for name in ("bodies", "discards", "turn", "player", "winner", "pile_left"):
        assert (true[name] == other[name]).all()
    assert (true["hands"][observer] == other["hands"][observer]).all()
    sizes = [(view["hands"] != cards.NO_CARD).sum(axis=1) for view in (true, other)]
    assert (sizes[0] == sizes[1]).all()
    left = int(true["pile_left"])
    assert (other["hands"] == third["hands"]).all()
    assert (other["pile"][:left] == third["pile"][:left]).all()


def _permuted(
    model: ForwardModel, state: np.ndarray, observer: int, chooser: np.random.Generator
) -> np.ndarray:
    """Return a state with the cards that the observer does not see dealt anew."""
    twin = state.copy()
    view = model.view(twin)
    left = int(view["pile_left"])
    places = view["hands"] != cards.NO_CARD
    places[observer] = False
    hidden = np.concatenate([view["pile"][:left], view["hands"][places]])
    chooser.shuffle(hidden)
    view["pile"][:left] = hidden[:left]
    view["hands"][places] = hidden[left:]
    view["hands"].sort(axis=1)
    return twin
