"""Replaying recorded games of TAG: what agrees, what differs, and what is no record."""

import copy
import gzip
import json
import re
from functools import cache

import pytest

from mcts_agents.envs import load_game
from mcts_agents.model import LOST
from mcts_agents.recorded import RecordError, verify_file
from tests.envs.faulty_rules import report_of
from tests.golden import exactly, golden_folder, recorded_games

# Each file with its game, and the games and steps of the larger set.
FILES = {
    "colt_express": ("colt_express", 72, 10_068),
    "diamant": ("diamant", 90, 1773),
    "dominion": ("dominion", 54, 13_498),
    "exploding_kittens": ("exploding_kittens", 88, 6277),
    "love_letter": ("love_letter", 90, 11_138),
    "poker": ("poker", 108, 4332),
    "sushi_go": ("sushi_go", 80, 2040),
    "sushi_go_published": ("sushi_go", 56, 1428),
    "uno": ("uno", 64, 20_890),
    "virus": ("virus", 76, 12_978),
}
every_file = pytest.mark.parametrize("file", FILES)
# Files in which one player decides in a step.
IN_TURN = (
    *("colt_express", "dominion", "exploding_kittens", "love_letter", "poker", "uno"),
    "virus",
)
CHANCE = ("dealt", "shuffled", "tag_bug")


@cache
def unchanged(file):
    return recorded_games(golden_folder("tag") / f"{file}.jsonl.gz")


def read(file):
    return copy.deepcopy(unchanged(file))


def one_game(file, flag=None):
    """The header and the first finished game, of those with a flag at some step."""
    header, games = unchanged(file)
    for game in games:
        flags = {name for step in game["steps"] for name in step}
        if game["finished"] and "tag_bug" not in flags and (flag or "a") in flags:
            return header, copy.deepcopy(game)
    raise LookupError(f"no game with {flag}")


def verified(folder, file, header, *games):
    path = folder / "games.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (header, *games)))
    return verify_file(load_game(FILES[file][0]), path)


@every_file
def test_the_rules_agree_with_tag(file):
    name, games, steps = FILES[file]
    path = golden_folder("tag") / f"{file}.jsonl.gz"
    counts = []
    report = verify_file(load_game(name), path, lambda *done: counts.append(done))
    assert report.first is None
    assert report.mismatches == 0
    assert report.games == exactly(f"tag: games of {file}", games)
    assert report.plies == exactly(f"tag: steps of {file}", steps)
    assert counts == [(n + 1, report.games) for n in range(report.games)]


# Of the bugs of TAG these alone leave the end of a game open.
DECIDE_THE_END = {
    "colt_express": "django does not push on roofs",
    "love_letter": "baron compared itself|prince on self discarded himself",
    "poker": "showdown: paid otherwise than by the best five cards",
    "sushi_go": "puddings: .*",
}


def all_lose(results):
    results[:] = LOST


@every_file
def test_the_results_of_all_games_but_those_left_out_are_compared(file):
    report = report_of(FILES[file][0], all_lose, file, after="results")
    left_out = report.ends_left_out
    assert report.mismatches == report.games - sum(left_out.values())
    bugs = DECIDE_THE_END.get(file, "none")
    assert all(re.fullmatch(bugs, name) for name in left_out)
    assert all(left_out[name] <= report.known_deviations[name] for name in left_out)


# -- what is changed is found


def changed(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, dict):
        return {name: changed(n) for name, n in value.items()} or {"egg": 1}
    if isinstance(value, list):
        return [*value[:-1], changed(value[-1])] if value else ["guard"]
    return "guard"


def changes_of(file):
    """The components of a state that are compared after every step."""
    of_cards = {
        "colt_express": "phase round first_player turn moves_in_turn second_action "
        "positions marshal cars loot bullets_left queue hands decks score player",
        "diamant": "cave chests hands inside gems_on_path path deck removed",
        "dominion": "phase player turn_of actions buys spent bonus merchants defended "
        "context supply hands discards tables trash points",
        "exploding_kittens": "phase player turn_of draws asked stack favor_for hands "
        "out order_of_death pile discards",
        "love_letter": "player round tokens hands discards out protected pile reserve "
        "face_up",
        "poker": "phase player hand_number small_blind first_to_act stacks bets out "
        "folded needs_call acted bet_made community hands deck",
        "sushi_go": "round passes scores fields wasabi on_wasabi hands pile",
        "uno": "player round direction card colour points hands pile discards",
        "virus": "player round hands bodies pile discards",
    }
    return of_cards[FILES[file][0]].split()


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file in FILES for name in changes_of(file)]
)
def test_every_component_of_a_state_is_compared(tmp_path, file, name):
    header, game = one_game(file)
    state = game["start"]
    for ply, step in enumerate(game["steps"]):
        after = {**state, **step["d"]}
        if ply > 3 and not any(flag in step for flag in CHANCE):
            break
        state = after
    wrong = copy.deepcopy(game)
    wrong["steps"][ply]["d"][name] = changed(after[name])
    report = verified(tmp_path, file, header, game, wrong)
    assert (report.games, report.mismatches) == (2, 1)
    assert report.first.game == game["id"]
    assert report.first.ply == ply
    assert report.first.what == f"{name} after the step"
    assert str(report.first.recorded) != str(report.first.found)
    assert report.first.position


@every_file
def test_cards_that_are_dealt_are_compared_as_a_heap(tmp_path, file):
    flag = "dealt" if file.startswith("sushi") else "shuffled"
    header, game = one_game(file, flag)
    ply = next(n for n, step in enumerate(game["steps"]) if step.get(flag))
    wrong = copy.deepcopy(game)
    names = {
        "colt_express": "loot",
        "diamant": "deck",
        "dominion": "points",
        "exploding_kittens": "hands",
        "love_letter": "tokens",
        "poker": "stacks",
        "uno": "points",
        "virus": "bodies",
    }
    name = names.get(file, "scores")
    state = dict(game["start"])
    for step in game["steps"][: ply + 1]:
        state |= step["d"]
    wrong["steps"][ply]["d"][name] = changed(state[name])
    report = verified(tmp_path, file, header, wrong)
    assert (report.mismatches, report.first.ply) == (1, ply)
    if file.startswith("sushi"):
        wrong = copy.deepcopy(game)
        wrong["steps"][ply]["d"]["pile"].append("egg")
        report = verified(tmp_path, file, header, wrong)
        assert report.first.what == "cards left after the step"


@pytest.mark.parametrize("file", [*IN_TURN, "sushi_go", "sushi_go_published"])
def test_a_word_of_a_legal_set_is_found(tmp_path, file):
    header, game = one_game(file)
    ply = max(n for n, step in enumerate(game["steps"]) if "forced" not in step)
    sets = game["steps"][ply]["legal"]
    legal = sets if file in IN_TURN else sets[1][0]
    legal.append("egg")
    report = verified(tmp_path, file, header, game)
    assert (report.mismatches, report.first.ply) == (1, ply)
    assert report.first.what.startswith("the set of legal moves of player_")
    del legal[-2:]
    report = verified(tmp_path, file, header, game)
    assert (report.mismatches, report.first.ply) == (1, ply)


@every_file
def test_who_decides_is_compared(tmp_path, file):
    header, game = one_game(file)
    step = game["steps"][2]
    if file in IN_TURN:
        step["p"] += 1
    elif file == "diamant":
        step["a"][0] = None if step["a"][0] else "exit"
    else:
        step["a"][0] = []
    report = verified(tmp_path, file, header, game)
    assert (report.first.what, report.first.ply) == ("the players to move", 2)


@every_file
def test_moves_that_are_not_legal(tmp_path, file):
    header, game = one_game(file)
    step = game["steps"][1]
    if file in IN_TURN:
        step["a"] = "princess"
        step["legal"] = ["princess"]
        report = verified(tmp_path, file, header, game)
        assert report.first.what.startswith("the set of legal moves")
        return
    seat = next(n for n, choice in enumerate(step["a"]) if choice)
    step["a"][seat] = "swim" if file == "diamant" else ["swim"]
    report = verified(tmp_path, file, header, game)
    assert (report.first.what, report.first.found) == ("the move", "not legal")


@every_file
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("finished", "whether the game is over"),
        ("scores", "the scores"),
        ("results", "the results"),
    ],
)
def test_the_end_is_compared(tmp_path, file, name, what):
    header, game = one_game(file)
    game[name] = changed(game[name])
    report = verified(tmp_path, file, header, game)
    assert report.mismatches == 1
    assert (report.first.what, report.first.ply) == (what, len(game["steps"]))


@every_file
def test_a_game_may_be_cut_and_not_otherwise(tmp_path, file):
    header, game = one_game(file)
    cut = {**game, "finished": False, "steps": game["steps"][:-3]}
    assert verified(tmp_path, file, header, cut).mismatches == 0
    report = verified(tmp_path, file, header, {**cut, "finished": True})
    assert report.first.what == "whether the game is over"


def test_what_tag_did_against_the_rules_is_not_compared(tmp_path):
    header, games = read("love_letter")
    game, ply = next(
        (game, ply)
        for game in games
        for ply, step in enumerate(game["steps"])
        if "tag_bug" in step
    )
    assert verified(tmp_path, "love_letter", header, game).mismatches == 0
    del game["steps"][ply]["tag_bug"]
    report = verified(tmp_path, "love_letter", header, game)
    assert (report.mismatches, report.first.ply) == (1, ply)


def test_a_winner_starts_the_next_round(tmp_path):
    header, game = one_game("love_letter", "shuffled")
    ply = next(n for n, step in enumerate(game["steps"]) if step.get("shuffled"))
    state = dict(game["start"])
    for step in game["steps"][:ply]:
        state |= step["d"]
    after = {**state, **game["steps"][ply]["d"]}
    won = [a > b for a, b in zip(after["tokens"], state["tokens"], strict=True)]
    game["steps"][ply]["d"]["player"] = won.index(False)
    report = verified(tmp_path, "love_letter", header, game)
    assert report.first.what == "whether a winner starts the next round"


def test_what_a_priest_has_shown_is_compared(tmp_path):
    header, game = one_game("love_letter")
    ply = next(
        n
        for n, step in enumerate(game["steps"])
        if step["a"] != "draw" and "shuffled" not in step
    )
    observer = game["steps"][ply]["p"]
    owner = (observer + 1) % game["players"]
    game["steps"][ply]["d"]["known"] = [[observer, owner, "guard"]]
    report = verified(tmp_path, "love_letter", header, game)
    assert report.first.ply == ply
    assert report.first.what == "known after the step"
    assert (observer, owner) in report.first.recorded
    assert (observer, owner) not in report.first.found


# -- what is no record


def test_files_of_other_games(tmp_path):
    path = golden_folder("tag") / "diamant.jsonl.gz"
    with pytest.raises(RecordError, match="hex: no recorded games of TAG are known"):
        verify_file(load_game("hex"), path)
    for name in ("love_letter", "sushi_go"):
        words = f"line 2 is not a recorded game of {name}: a file of 'diamant'"
        with pytest.raises(RecordError, match=words):
            verify_file(load_game(name), path)
    header, _ = read("diamant")
    with pytest.raises(RecordError, match="no games after the header"):
        verified(tmp_path, "diamant", header)


def mismatches(folder, file, header, game):
    """The number of mismatches of one game, 1 if it is refused as none."""
    try:
        return verified(folder, file, header, game).mismatches
    except RecordError as error:
        assert "line 2 is not a recorded game of" in str(error)
        return 1


ODD_VALUES = (None, -1, "many", 2.5, 10**30, [], {}, [None], [[]], ["egg"])


@every_file
@pytest.mark.parametrize("key", ["players", "start", "steps", "finished", "scores"])
def test_lines_that_are_no_games(tmp_path, file, key):
    header, game = one_game(file)
    lacking = {name: values for name, values in game.items() if name != key}
    with pytest.raises(RecordError, match=f"line 3 .*: no '{key}'"):
        verified(tmp_path, file, header, game, lacking)
    for value in ODD_VALUES:
        is_wrong = key != "finished" or not value
        found = mismatches(tmp_path, file, header, {**game, key: value})
        assert found == is_wrong, value


@every_file
def test_states_that_cannot_be_set_are_refused_or_differ(tmp_path, file):
    header, game = one_game(file)
    for name, right in game["start"].items():
        if name == "phase":
            continue
        for value in ODD_VALUES:
            if value == right or (value == {} and right == []):
                continue
            if (name, value, game["players"]) == ("direction", -1, 2):
                continue  # for two players it is the same
            start = {**game["start"], name: value}
            found = mismatches(tmp_path, file, header, {**game, "start": start})
            assert found == 1, (name, value)


@every_file
def test_steps_of_odd_values_are_refused_or_differ(tmp_path, file):
    header, game = one_game(file)
    for name, right in game["steps"][4].items():
        for value in ODD_VALUES:
            wrong = copy.deepcopy(game)
            wrong["steps"][4][name] = value
            found = mismatches(tmp_path, file, header, wrong)
            assert found == 1, (name, right, value)


def test_numbers_of_cards_are_not_written_out(tmp_path):
    header, game = one_game("sushi_go", "dealt")
    ply = next(n for n, step in enumerate(game["steps"]) if step.get("dealt"))
    game["steps"][ply]["d"]["hands"][0] = {"egg": 10**15}
    report = verified(tmp_path, "sushi_go", header, game)
    assert report.first.what == "cards left after the step"


def test_a_damaged_file_is_named(tmp_path):
    content = (golden_folder("tag") / "diamant.jsonl.gz").read_bytes()
    path = tmp_path / "damaged.jsonl.gz"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(RecordError, match=r"damaged\.jsonl\.gz: not a record of games"):
        verify_file(load_game("diamant"), path)
    path.write_bytes(gzip.compress(gzip.decompress(content)[:20_000]))
    with pytest.raises(RecordError, match=r"damaged\.jsonl\.gz: not a record of games"):
        verify_file(load_game("diamant"), path)


def test_a_plain_file_and_a_gzipped_one_say_the_same(tmp_path):
    path = golden_folder("tag") / "diamant.jsonl.gz"
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    reports = [verify_file(load_game("diamant"), file) for file in (path, plain)]
    assert reports[0].plies == reports[1].plies
