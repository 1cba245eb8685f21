"""`check_rules`: sound games pass, and every kind of mistake is named."""

import ast
import inspect

import pytest

import mcts_agents.testing
from mcts_agents.envs import GAMES, load_game
from mcts_agents.model import Rules
from mcts_agents.model.contract import ENTRIES
from mcts_agents.testing import CheckError, check_rules
from mcts_agents.testing.rules import _Walk
from tests.envs.variants import VARIANTS
from tests.games.goofspiel import GOOFSPIEL
from tests.games.kuhn_poker import KUHN
from tests.model.test_rules import RACE
from tests.team_game import STONES
from tests.test_no_leak import PERMUTED
from tests.testing import faulty_game
from tests.testing.faulty_game import FAULTS, rules
from tests.toy_games import auction, fuse, nim

PLACE = r"\(episode \d+, move \d+, seed 0\)\. [A-Z]"

# What is wrong, and what the message says.
MISTAKES = {
    "movers_outside": "`movers` returned 4, a mask of other players than 0 to 1",
    "movers_none_at_first": "`movers` returned 0 in the opening",
    "legal_none": "`legal_actions` gave 0 actions of player 1, who is in `movers`",
    "legal_too_many": "`legal_actions` gave 4 actions of player 1",
    "legal_behind": "`legal_actions` (wrote outside of `out`|raised IndexError)",
    "legal_unwritten": r"`legal_actions` gave \[0, 1, -1\] and then \[0, 1, \d+\]",
    "legal_twice": "`legal_actions` listed 1 more than once for player 1",
    "legal_outside": "`legal_actions` listed 4 for player 1",
    "scores_nan": "`scores` wrote nan for player 1",
    "scores_unwritten": r"`scores` did not write out\[1\]",
    "scores_change_the_state": "`scores` changed the state",
    "scores_change_the_game": "`scores` changed `game`",
    "evaluate_infinite": "`evaluate` wrote inf for player 0",
    "evaluate_beyond_1": r"`evaluate` wrote 1\.5 for player 0",
    "action_values_nan": "`action_values` wrote nan for number 2",
    "results_playing_at_the_end": "`results` wrote PLAYING for player 0 though",
    "results_of_a_mover": "`results` wrote WON for player 1, who is still in `movers`",
    "results_not_final": "`results` changed from LOST to PLAYING for player 0",
    "results_unknown": "`results` wrote 9 for player 0",
    "apply_draws": r"`apply` drew from `rng` for \[.*\], though the rules say chance",
    "apply_raises": "`apply` raised ArithmeticError: this game is out of order",
    "apply_changes_the_actions": "`apply` changed `joint_action`",
    "apply_writes_behind": "`apply` (wrote outside of `state`|raised IndexError)",
    "random_action_illegal": "`random_action` chose 3 for player 0, whose legal",
    "random_action_biased": r"`random_action` chose action 2 of player 0 0 times",
    "playout_miscounts": "`playout` returned 1 with a limit of 0 actions",
    "playout_stops": "`playout` stopped after 1 of 7 actions in an unfinished game",
    "playout_biased": "`playout` ends with results .*, random games with ",
    "sample_changes_what_is_seen": "`redeterminise` changed for observer 0 what it",
    "sample_changes_the_score": "`redeterminise` changed for observer 0 the scores",
    "sample_changes_the_own_score": "`redeterminise` changed for observer 0 the sc",
    "sample_depends_on_the_truth": "`redeterminise` gives observer 0 one sample of "
    "this state and another one of a sample of it, with the same seed",
    "observe_outside": "`observe` wrote -1 for player 0",
    "observe_behind": "`observe` (wrote outside of `out` of `obs|raised IndexError)",
    "key_too_coarse": "`state_key` is 0 here and in a position with other movers",
    "key_sees_all": "`redeterminise` changed for observer 0 its `state_key`",
    "filter_foreign": r"`filter_actions` kept \[3, 1, 2\] of \[0, 1, 2\] for player 0",
    "filter_none": "`filter_actions` kept 0 of 3 actions of player 0",
    "nearest_self": "`nearest_opponent` returned 0 for player 0",
    "turn_falls": "`turn` fell from 0 to -1",
    "round_from_1": "`round` is 1 in the opening",
    "is_out_moves": "`is_out` returned 1 for player 1, who is in `movers`",
    "is_out_returns": "`is_out` returned 0 for player 0, who was out before",
    "visible_action_changes_the_actions": "`visible_action` changed `joint_action`",
    "visible_action_lies": "`visible_action` shows observer 1 action 0 of",
    "policy_illegal": "`greedy` chose 3 for player 0, whose legal actions are",
    "code_negative": "`move_code` returned -1 for kind='exact', player 0",
    "code_twice": "`move_code` gave two legal actions of player 0 one exact code",
    "moves_miscounted": "`playout_moves` returned 1 with a limit of 0 moves",
    "moves_behind": "`playout_moves` (wrote outside of `out` of|raised IndexError)",
    "moves_stop": "`playout_moves` stopped after 1 of 2 moves in an unfinished game",
    "moves_of_another": r"`playout_moves` recorded players \[1\] where \[0\] move",
    "moves_of_another_code": "`playout_moves` recorded the code 11[5-9] for player 0",
    "moves_past_the_end": "`playout_moves` leaves another state than its recorded",
}


def words_of(error):
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("fault", MISTAKES)
def test_every_mistake_is_named_with_its_place(fault):
    with pytest.raises(CheckError, match=f"^faulty.*: {MISTAKES[fault]}") as error:
        check_rules(rules, variants=[{"fault": fault}])
    assert f"fault='{fault}'" in words_of(error)
    error.match(PLACE)


def test_team_mates_have_one_result():
    with pytest.raises(CheckError, match="`results` differ between players 0 and 2 of"):
        check_rules(rules, variants=[{"players": 4, "fault": "results_of_teams"}])


def test_what_a_sample_leaves_is_found_by_positions_that_look_the_same():
    wrong = rules.model(fault="sample_leaves_the_coin")
    with pytest.raises(CheckError, match="another one of a position that looks the s"):
        check_rules(wrong, episodes=20)


def test_what_a_sample_leaves_is_found_by_permuting_it():
    wrong = rules.model(fault="sample_leaves_the_coin")
    with pytest.raises(CheckError, match="another one of the state after `permute`"):
        check_rules(wrong, episodes=1, permute=faulty_game.permute)


def test_a_sample_that_is_the_truth():
    wrong = rules.model(fault="sample_is_the_truth")
    with pytest.raises(CheckError, match="`redeterminise` changed nothing in 6 pos"):
        check_rules(wrong, episodes=1)


def test_scores_that_others_do_not_know_may_change():
    options = {"episodes": 1, "moves": 30, "bounds": False}
    hiding = load_game("colt_express").rules
    with pytest.raises(
        CheckError, match="`redeterminise` changed for observer 0 the s"
    ):
        check_rules(hiding, **options)
    assert check_rules(hiding, hidden_scores=True, **options).checked


def test_the_own_score_stays_although_others_are_hidden():
    wrong = rules.model(fault="sample_changes_the_own_score")
    with pytest.raises(CheckError, match="changed for observer 0 the scores"):
        check_rules(wrong, episodes=1, hidden_scores=True)
    with pytest.raises(ValueError, match="hides nothing: `hidden_scores` is True"):
        check_rules(nim(), hidden_scores=True)


def test_rules_that_show_a_player_s_card_in_its_key_only():
    report = check_rules(KUHN, episodes=20)
    assert report.checked["samples of positions that look the same"] > 10
    assert report.skipped["observe"] == "the rules have no such function"


def test_long_games_are_not_kept_in_full():
    walk = _Walk(rules.model(), 3, 200, 0, None, False, None)
    walk.run()
    keys = list(walk.hidden._alike)
    assert len(keys) > 3
    assert max(len(seen) for _, _, seen in keys) <= 16


def test_rules_that_show_nothing():
    report = check_rules(faulty_game.silent, episodes=10)
    assert report.skipped["samples of positions that look the same"] == (
        "the rules have neither `observe` nor `state_key`"
    )


@pytest.mark.parametrize(
    "sound", [auction, nim, fuse, lambda: STONES, lambda: GOOFSPIEL, lambda: RACE]
)
def test_small_games_of_other_tests_pass(sound):
    assert check_rules(sound()).checked["the end of a game"] == 5


def test_all_faults_are_tested():
    elsewhere = {
        "none",
        "results_of_teams",
        "sample_is_the_truth",
        "sample_leaves_the_coin",
    }
    assert set(FAULTS) == set(MISTAKES) | elsewhere


@pytest.mark.parametrize("players", [2, 4])
def test_the_same_game_without_a_mistake_passes(players):
    report = check_rules(
        rules,
        variants=[{"players": players}],
        episodes=20,
        permute=faulty_game.permute,
    )
    # test_outcomes.py has two of them; a game with `move_code` cannot have the third.
    assert {*report.skipped} == {
        "pass_turn",
        "outcomes",
        "playout_sets",
        "names of actions",  # see test_names.py
    }
    for name in set(ENTRIES) - {"copy", "reset", "apply_outcome", *report.skipped}:
        assert any(name in what for what in report.checked), name
    assert report.checked["the end of a game"] == 20
    assert report.checked["samples of positions that look the same"] > 0
    assert "20 x  the end of a game" in str(report)


OURS = (
    "tictactoe",
    "hex_6",
    "sushi_go_3",
    "chinese_checkers_2",
    "dots_and_boxes_6",
    "focus_3",
    "rolit_3",
    "connect_four",
    "othello",
    "wargame_3",
    "investment_3",
    "video_game",
    "breakthrough_6x5",
    "knightthrough",
    "gomoku",
    "nogo_3",
    "atarigo",
    "colt_express_6",
    "diamant_4",
    "dominion_4",
    "exploding_kittens_5",
    "love_letter_4",
    "poker_6",
    "uno_3",
    "virus_6",
    "pommerman_ffa",
    "pommerman_team",
)


# Nobody knows the values of the purses of others.
HIDDEN_SCORES = ("colt_express",)


@pytest.mark.parametrize("label", OURS)
def test_our_games_pass(label):
    name, options = VARIANTS[label]
    report = check_rules(
        load_game(name).rules,
        variants=[options],
        episodes=1,
        moves=30,
        permute=PERMUTED.get(name),
        hidden_scores=name in HIDDEN_SCORES,
        bounds=False,  # `make test-bounds` has them checked
    )
    assert report.name == name
    assert report.checked["the end of a game"] == 1
    hides = load_game(name).rules.has("redeterminise")
    assert (report.checked["play goes on from samples"] > 0) == hides


def test_all_our_games_are_checked():
    assert {VARIANTS[label][0] for label in OURS} == set(GAMES)


def test_the_seed_reproduces_a_check():
    wrong = rules.model(fault="scores_nan")
    messages = []
    for seed in (0, 0):
        with pytest.raises(CheckError) as error:
            check_rules(wrong, seed=seed)
        messages.append(words_of(error))
    assert messages[0] == messages[1]


def test_what_is_left_out_is_in_the_report():
    report = check_rules(load_game("tictactoe").rules, episodes=1, bounds=False)
    assert (
        "nothing is hidden"
        in report.skipped["redeterminise keeps what its observer knows"]
    )
    assert report.skipped["nearest_opponent"] == "the rules have no such function"
    (line,) = (line for line in str(report).splitlines() if "nearest_opp" in line)
    assert line.startswith("  skipped  ")
    assert line.endswith(": the rules have no such function")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rules": 3}, "3: expected Rules, a Game, its name, or a model"),
        ({"variants": []}, "expected at least one"),
        ({"episodes": 0}, "episodes=0, moves=200: expected at least 1"),
        ({"rules": rules.model(), "variants": [{"players": 4}]}, "one variant already"),
        ({"permute": lambda *_: None}, "`permute` never changed a state"),
        (
            {
                "rules": load_game("hex").rules,
                "permute": faulty_game.permute,
                "bounds": False,
            },
            "hides nothing: `permute` has no use",
        ),
    ],
)
def test_arguments_that_do_not_go_together(arguments, words):
    with pytest.raises(ValueError, match=words):
        check_rules(**{"rules": rules} | arguments)


def test_games_without_an_author_s_functions():
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    for name in ("open_spiel:tic_tac_toe", "open_spiel:breakthrough:rows=5"):
        with pytest.raises(ValueError, match="expected Rules, a Game, its name, or a"):
            check_rules(name)


def test_variants_are_checked_one_by_one():
    assert isinstance(rules, Rules)
    with pytest.raises(CheckError, match=r"faulty\(players=4, fault='scores_nan'\)"):
        check_rules(rules, variants=[{}, {"players": 4, "fault": "scores_nan"}])


def test_the_checker_needs_no_pytest():
    folder = mcts_agents.testing.__path__[0]
    names = set()
    for name in ("__init__", "calls", "chances", "environments", "hidden", "rules"):
        tree = ast.parse(open(f"{folder}/{name}.py").read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module)
    assert names
    assert not [n for n in names if n.startswith(("pytest", "tests"))]
    assert inspect.getdoc(check_rules)
