"""The command line as scripts and people use it: the real command, run for real."""

import contextlib
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from rich.table import Table

from mcts_agents.cli import compiling, listing
from mcts_agents.cli.requests import RequestError, told_of
from mcts_agents.cli.streams import ReaderGone
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs import GAMES, load_game
from mcts_agents.minimax import ALGORITHMS
from mcts_agents.permutation import ALGORITHMS as PERMUTATION_ALGORITHMS
from tests.command import COMMAND, run
from tests.golden import exactly, golden_folder

# Reports what the process compiled, after the command is done.
COUNTED = """
import atexit, sys
from mcts_agents.cli import main
from mcts_agents.model.compilation import statistics
atexit.register(lambda: print(statistics(), file=sys.stderr))
main()
"""


@pytest.fixture
def wide(run_here, monkeypatch):
    """Run the command in this process, as in a terminal of 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")
    return run_here


def test_list_names_games_and_agents(wide):
    text = run("list")
    assert text.returncode == 0
    listed = json.loads(wide("list", "--json").stdout)
    games = {row["game"]: row for row in listed["games"]}
    assert list(games) == list(GAMES)
    assert games["sushi_go"]["players"] == [2, 3, 4, 5]
    assert games["sushi_go"]["simultaneous"] is True
    assert [name for name in games if games[name]["hidden"]] == [
        name for name in GAMES if load_game(name).rules.has("redeterminise")
    ]
    assert games["hex"]["options"] == {"size": 7, "first_cell": None}
    agents = [row["agent"] for row in listed["agents"]]
    own = ["mcts", "one-step", "random", "scripted", "policy"]
    assert agents == [*own, *ALGORITHMS, *PERMUTATION_ALGORITHMS]
    assert {"preset", "agent", "about", "options"} == set(listed["presets"][0])
    assert "multitree" in text.stdout
    assert "simulations" in text.stdout.replace("\n", "")
    assert text.stderr == ""  # nothing was compiled


def test_the_list_breaks_no_word_in_80_columns(run_here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run_here("list").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    words = {word for line in lines for word in line.split()}
    for name in GAMES:
        assert {name, *load_game(name).title.split()} <= words
    assert "max_plies_per_player=300" in words


def test_options_of_registered_games_may_have_any_default(run_here, monkeypatch):
    row = {"game": "stones", "options": {"board": Path("board.txt")}}
    monkeypatch.setattr(listing, "known_games", lambda: (*GAMES, "stones"))
    monkeypatch.setattr(listing, "_registered", lambda name: row)
    games = json.loads(run_here("list", "--json").stdout)["games"]
    assert games[-1] == {"game": "stones", "options": {"board": "board.txt"}}


def test_play_breaks_specs_where_their_parts_end(run_here, monkeypatch):
    # Wider than 80: the first decisions may take long, and their times be long numbers.
    monkeypatch.setenv("COLUMNS", "100")
    agents = ["scripted:policy=simple", "mcts:simulations=9,rollout_policy=random"]
    named = [word for agent in agents * 2 for word in ("--agent", agent)]
    shown = run_here("play", "pommerman:max_steps=3", *named, "--render", "none").stdout
    cells = [line.split("│")[2].strip() for line in shown.splitlines() if "│" in line]
    parts = ["scripted:", "policy=simple", "mcts:simulations=9,"]
    assert cells == [*parts, "rollout_policy=random"] * 2


def test_play_prints_one_object_and_two_processes_play_the_same_game(wide):
    command = [
        "play", "sushi_go", "--players", "3", "--seed", "5", "--json",
        "--agent", "mcts:tree=multi,simulations=50", "--agent", "one-step",
        "--agent", "random",
    ]  # fmt: skip
    first, second = run(*command), run(*command)
    assert first.returncode == 0
    assert first.stdout == second.stdout
    played = json.loads(first.stdout)
    assert list(played) == ["game", "players", "seed", "agents", "moves", "returns"]
    assert (played["game"], played["players"], played["seed"]) == ("sushi_go", 3, 5)
    assert played["agents"] == ["mcts:tree=multi,simulations=50", "one-step", "random"]
    assert len(played["returns"]) == 3
    assert set(played["moves"][0]) == {"player", "action", "name"}
    assert len(played["moves"]) >= 3 * 3 * 9
    assert wide(*command[:5], "6", *command[6:]).stdout != first.stdout


def test_play_shows_the_game_and_ends_with_a_table(wide):
    shown = wide("play", "hex:size=3", "--agent", "random", "--seed", "1")
    assert shown.returncode == 0
    assert "player_0 plays" in shown.stdout
    assert shown.stdout.count("to move") >= 3
    assert "Hex, seed 1" in shown.stdout
    assert "won" in shown.stdout
    assert "lost" in shown.stdout
    hidden = wide("play", "hex:size=3", "--agent", "random", "--render", "none")
    assert "plays" not in hidden.stdout
    assert "won" in hidden.stdout


def test_a_person_plays_by_typing(wide):
    typed = "?\nb2\nb2\nnonsense\na1\nc1\na2\nb1\nc2\na3\nb3\nc3\n"
    game = wide("play", "tictactoe", "--agent", "human", "--seed", "3", stdin=typed)
    assert game.returncode == 0
    assert "Legal: a1  b1  c1" in game.stdout
    assert "b2 is not legal now" in game.stdout
    assert "'nonsense': expected a column" in game.stdout
    assert "Tic-Tac-Toe, seed 3" in game.stdout


def test_a_person_can_leave(wide):
    for typed, told in (("q\n", "game left"), ("", "game left: the input ended")):
        left = wide("play", "tictactoe", "--agent", "human", stdin=typed)
        assert left.returncode == 130
        assert left.stderr.splitlines()[-1] == f"mcts-agents: {told}"


def test_one_player_has_a_score_and_no_result(wide):
    lake = "gymnasium:FrozenLake-v1:perfect_information=true"
    shown = wide("play", lake, "--agent", "random", "--seed", "1").stdout
    assert "score" in shown
    assert "result" not in shown
    assert "drawn" not in shown


def test_a_person_is_told_once_what_can_be_typed(wide):
    hint = (
        "Type a move, ? for the legal moves, q to quit. Hint shows what a search would "
        "play; undo takes your last move back."
    )
    game = wide("play", "tictactoe", "--agent", "human", stdin="b2\na1\nq\n")
    before, _, after = game.stdout.partition("player_0> ")
    assert before.endswith(f"X to move\n{hint}\n")
    assert hint not in after


def test_a_person_sees_no_hands_and_no_choice_before_choosing(wide):
    game = wide(
        "play", "sushi_go", "--players", "2", "--seed", "3",
        "--agent", "random", "--agent", "human", stdin="?\nq\n",
    )  # fmt: skip
    before_choosing = game.stdout.partition("player_1>")[0]
    assert "plays" not in before_choosing
    assert "10 unknown" in before_choosing


def test_a_person_who_uses_chopsticks_is_not_told_what_others_chose(wide):
    """The others' cards lie face down until both of one's own are chosen."""
    game = wide(
        "play", "sushi_go", "--players", "2", "--seed", "3",
        "--agent", "random", "--agent", "human",
        stdin="chopsticks\nuse chopsticks\nq\n",
    )  # fmt: skip
    assert game.returncode == 130
    # What is shown before each of the three prompts.
    _, _, turn, pair = game.stdout.replace("\n>", "").split("Sushi Go!")
    assert "uses chopsticks" in pair
    assert "has chosen" in pair
    last = [text.partition("last: ")[2].partition("\n")[0] for text in (turn, pair)]
    assert last[0] == last[1] != ""
    assert "plays" not in game.stdout


def test_text_that_cannot_be_read_is_asked_for_again():
    typed = subprocess.run(
        [*COMMAND, "play", "tictactoe", "--agent", "human"],
        input=b"\xff\xfe\nb2\n",
        capture_output=True,
        check=False,
    )
    assert typed.returncode == 130
    assert b"expected a column" in typed.stdout
    assert b"player_0 plays b2" in typed.stdout


def test_with_json_a_person_reads_standard_error(wide):
    game = wide(
        "play", "tictactoe", "--agent", "human", "--json",
        stdin="a1\na2\nb1\nb2\nc1\n",
    )  # fmt: skip
    played = json.loads(game.stdout)
    assert [move["name"] for move in played["moves"]] == "a1 a2 b1 b2 c1".split()
    assert [move["player"] for move in played["moves"]] == [0, 1, 0, 1, 0]
    assert played["returns"] == [1, -1]
    assert played["agents"] == ["human", "human"]
    assert "player_0>" in game.stderr


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
def test_interrupting_a_search_is_quiet():
    with subprocess.Popen(
        [*COMMAND, "play", "hex", "--agent", "mcts:seconds=3600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.readline()  # the position is shown: the first decision begins
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        shown, errors = process.communicate(timeout=600)  # a guard against hanging
    assert process.returncode == 130
    *notices, last = errors.splitlines()
    assert last == "mcts-agents: interrupted"
    assert all(notice.startswith(("Compiling", "Waiting")) for notice in notices)
    assert "plays" not in shown


def test_an_interrupt_while_the_commands_are_imported_is_quiet(run_here, monkeypatch):
    class Slow(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt if name == "run" else AttributeError(name)

    monkeypatch.setitem(sys.modules, "mcts_agents.cli.app", Slow("app"))
    done = run_here("list")
    assert (done.returncode, done.stderr) == (130, "mcts-agents: interrupted\n")


def test_a_reader_that_closes_early_is_no_error_of_ours():
    with subprocess.Popen(
        [*COMMAND, "play", "hex", "--agent", "random", "--seed", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert b"Traceback" not in errors


class Gone(io.StringIO):
    """A stream without a reader."""

    def write(self, text):
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.skipif(os.name == "nt", reason="makes a pipe")
def test_a_reader_that_has_gone_is_told_from_other_errors(tmp_path):
    with pytest.raises(ReaderGone):
        PlainConsole(file=Gone()).print("x")
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    for path, error in ((pipe, ReaderGone), (file, RequestError)):
        with pytest.raises(error), told_of(path):
            raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize(
    "error", [SystemExit("bad state"), BrokenPipeError(32, "Broken pipe")]
)
def test_what_ends_the_process_is_named(run_here, monkeypatch, error):
    """Code of a game or an agent may do so; no reader has gone."""

    def end(*_):
        raise error

    monkeypatch.setattr(listing, "list_all", end)
    done = run_here("list")
    assert done.returncode == 1
    assert done.stderr == f"mcts-agents: ended by {type(error).__name__}: {error}\n"


def test_texts_are_shown_as_they_are(capsys):
    for text in ("x:Robot:a=1", "[/x] [bold]y[/bold]"):
        table = Table(text, title=text)
        table.add_row(text)
        console = PlainConsole(width=80)
        console.print(text)
        console.print(table)
        assert capsys.readouterr().out.count(text) == 4


def test_every_console_is_plain():
    for file in Path(listing.__file__).parent.glob("*.py"):
        assert not re.search(r"\bConsole\(", file.read_text()), file


def test_verify_shows_the_names_of_files_as_they_are(run_here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # There is a bar on a terminal alone; this makes Rich take standard error for one.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    write(tmp_path / "[bold]draw.jsonl", *recorded_draw())
    done = run_here("verify", "tictactoe", "[bold]draw.jsonl")
    assert done.returncode == 0
    for shown in (done.stdout, done.stderr):
        assert "[bold]draw.jsonl" in shown


def test_a_second_process_compiles_nothing():
    command = ["play", "tictactoe", "--agent", "mcts:simulations=20", "--json"]
    for _ in range(2):
        played = subprocess.run(
            [sys.executable, "-c", COUNTED, *command],
            capture_output=True,
            text=True,
            check=True,
        )
    assert "cache_misses=0" in played.stderr
    assert "cache_hits=0" not in played.stderr
    assert "Compiling" not in played.stderr
    assert json.loads(played.stdout)["game"] == "tictactoe"


def test_compile_leaves_nothing_to_compile():
    command = ["compile", "tictactoe", "hex:size=4", "--agent", "mcts"]
    command += ["--agent", "mcts:tree=multi,tree_policy=exp3", "--json"]
    for _ in range(2):
        told = json.loads(run(*command).stdout)
    assert told["agents"] == ["mcts", "mcts:tree=multi,tree_policy=exp3"]
    assert [row["game"] for row in told["games"]] == ["tictactoe", "hex:size=4"]
    assert all(row["compiled"] == 0 for row in told["games"])
    assert all(row["found"] > 5 for row in told["games"])
    assert Path(told["folder"]).is_dir()


def test_compile_shows_a_table(run_here):
    done = run_here("compile", "tictactoe")
    assert done.returncode == 0
    assert "tictactoe" in done.stdout
    assert "The machine code is in" in done.stdout


def test_of_all_games_those_are_compiled_that_can_be(run_here, monkeypatch):
    games = ("tictactoe", "gymnasium:CartPole-v1", "stones")
    monkeypatch.setattr(compiling, "known_games", lambda: games)
    done = run_here("compile", "--json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert [row["game"] for row in told["games"]] == ["tictactoe"]
    assert [row["game"] for row in told["left_out"]] == list(games[1:])
    assert "perfect_information=true" in told["left_out"][0]["error"]
    assert "gymnasium:CartPole-v1 is left out: " in done.stderr
    assert "stones is left out: unknown game 'stones'" in done.stderr
    refused = run_here("compile", "--agent", "nobody")
    assert refused.returncode == 2
    assert "unknown agent 'nobody'" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chess"], "unknown game 'chess'"),
        (["hex", "--agent", "nobody"], "nobody"),
        (["hex", "--agent", "mcts:loop=closed,tree=multi"], "loop='closed'"),
    ],
)
def test_compile_refuses_what_it_does_not_know(run_here, arguments, words):
    done = run_here("compile", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_bench_reports_what_it_measured(wide):
    done = wide(
        "bench", "hex:size=4", "--simulations", "300",
        "--agent", "mcts:tree=multi", "--json",
    )  # fmt: skip
    figures = json.loads(done.stdout)
    assert list(figures) == [
        "game", "players", "agent", "simulations", "simulations_per_second",
        "playouts_per_second", "forward_model_steps_per_second", "compile_seconds",
        "nodes", "bytes",
    ]  # fmt: skip
    assert (figures["game"], figures["players"]) == ("hex:size=4", 2)
    assert (figures["agent"], figures["simulations"]) == ("mcts:tree=multi", 300)
    for name in list(figures)[4:]:
        assert figures[name] > 0


@pytest.mark.parametrize(
    ("arguments", "simulations"),
    [
        ([], 10_000),
        (["--agent", "mcts:simulations=70"], 70),
        (["--agent", "mcts:simulations=70", "--simulations", "90"], 90),
    ],
)
def test_bench_takes_its_budget_from_the_option_or_the_agent(
    run_here, arguments, simulations
):
    figures = json.loads(run_here("bench", "tictactoe", *arguments, "--json").stdout)
    assert figures["simulations"] == simulations


@pytest.mark.parametrize(
    ("name", "files", "games"),
    [
        ("tictactoe", ["tic_tac_toe"], [117]),
        ("hex", ["hex_7x7", "hex_7x7_forced_b2"], [117, 117]),
        ("chinese_checkers", ["chinese_checkers_turns_4p"], [71]),
        ("dots_and_boxes", ["dots_and_boxes_2x2"], [117]),
        ("connect_four", ["connect_four"], [117]),
        ("othello", ["othello"], [117]),
        ("breakthrough", ["breakthrough_8x8", "breakthrough_6x5"], [117, 117]),
        ("gomoku", ["gomoku_9x9", "gomoku_15x15"], [117, 107]),
        ("nogo", ["nogo_5x5", "nogo_9x9"], [100, 100]),
        ("atarigo", ["atarigo_6x6"], [100]),
        ("sushi_go", ["sushi_go", "sushi_go_published"], [80, 56]),
        ("love_letter", ["love_letter"], [90]),
        ("colt_express", ["colt_express"], [72]),
        ("diamant", ["diamant"], [90]),
        ("dominion", ["dominion"], [54]),
        ("exploding_kittens", ["exploding_kittens"], [88]),
        ("poker", ["poker"], [108]),
        ("uno", ["uno"], [64]),
        ("virus", ["virus"], [76]),
    ],
)
def test_verify_finds_no_mismatch_in_recorded_games(run_here, name, files, games):
    is_of_tag = load_game(name).tag_records is not None
    reference = "tag" if is_of_tag else "openspiel"
    folder = golden_folder(reference)
    paths = [str(folder / f"{file}.jsonl.gz") for file in files]
    done = run_here("verify", name, *paths, "--json")
    assert done.returncode == 0
    reports = json.loads(done.stdout)["files"]
    assert [report["file"] for report in reports] == paths
    columns = ["file", "games", "plies", "mismatches"]
    if reference == "tag":
        columns += ["known_deviations", "ends_left_out"]
    assert all(list(report) == columns for report in reports)
    assert sum(report["mismatches"] for report in reports) == 0
    for file, path, number, report in zip(files, paths, games, reports, strict=True):
        assert report["games"] == exactly(f"{reference}: games of {file}", number)
        if reference == "tag":
            with gzip.open(path, "rt") as lines:
                flags = [
                    step.get("tag_bug")
                    for line in list(lines)[1:]
                    for step in json.loads(line)["steps"]
                ]
            assert report["known_deviations"] == Counter(filter(None, flags))


def recorded_draw():
    """A record of one drawn game of Tic-Tac-Toe, made by hand."""
    moves = "b2 a1 c1 a3 a2 c2 b1 b3 c3".split()
    cells = sorted(column + row for column in "abc" for row in "123")
    legal = [" ".join(sorted(set(cells) - set(moves[:n]))) for n in range(9)]
    players = [n % 2 for n in range(9)]
    game = {"g": 0, "moves": moves, "players": players, "legal": legal}
    return {"game": "tic_tac_toe", "openspiel": "tic_tac_toe"}, {
        **game,
        "returns": [0, 0],
    }


def write(path, *lines):
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return str(path)


def test_verify_accepts_a_right_record_plain_or_gzipped(run_here, tmp_path):
    header, game = recorded_draw()
    plain = write(tmp_path / "plain.jsonl", header, game)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress((tmp_path / "plain.jsonl").read_bytes()))
    done = run_here("verify", "tictactoe", plain, str(packed), "--json")
    assert done.returncode == 0
    assert [r["plies"] for r in json.loads(done.stdout)["files"]] == [9, 9]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"returns": [1, -1]}, "the returns"),
        ({"players": [1, 0, 1, 0, 1, 0, 1, 0, 1]}, "the player to move"),
        ({"legal": ["a1"] * 9}, "the set of legal moves"),
        ({"moves": ["a9"] * 9}, "the move"),
    ],
)
def test_verify_prints_the_first_mismatch_in_full(run_here, tmp_path, change, words):
    header, game = recorded_draw()
    path = write(tmp_path / "wrong.jsonl", header, game, {**game, **change, "g": 7})
    done = run_here("verify", "tictactoe", path, "--json")
    assert done.returncode == 1
    (report,) = json.loads(done.stdout)["files"]
    assert (report["games"], report["mismatches"]) == (2, 1)
    assert "game 7, ply" in done.stderr.replace("\n", "")
    assert words in done.stderr.replace("\n", " ")
    assert "recorded:" in done.stderr
    assert "found:" in done.stderr


def test_verify_sees_a_game_that_ends_too_early_or_too_late(run_here, tmp_path):
    header, game = recorded_draw()
    short = {k: v[:-1] if k != "g" else v for k, v in game.items()} | {
        "returns": [0, 0]
    }
    path = write(tmp_path / "short.jsonl", header, short)
    done = run_here("verify", "tictactoe", path)
    assert done.returncode == 1
    assert "the end" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "hexx"], "unknown game 'hexx': did you mean hex?"),
        (
            ["play", "hex", "--agent", "mtcs"],
            "unknown agent 'mtcs': did you mean mcts",
        ),
        (["play", "hex", "--agent", "humn"], "did you mean human?"),
        (["play", "hex", "--agent", "human:name=x"], "human has no options"),
        (["play", "hex", "--agent", "mcts:tree=mlti"], "one, self, pair"),
        (["play", "hex", "--agent", "mcts:simulatons=4"], "did you mean simulations"),
        (["play", "hex", "--agent", "mcts:simulations=0"], "simulations=0"),
        (["play", "hex", "--agent", "mcts:value=evaluate"], "no evaluation function"),
        (["play", "hex:sise=4"], "did you mean size?"),
        (["play", "hex:size=2"], "size=2"),
        (["play", "sushi_go", "--players", "1"], "players=1"),
        (["play", "sushi_go", "--players", "9"], "players=9"),
        (["play", "hex"] + ["--agent", "random"] * 3, "3 agents for 2 players"),
        (["play", "hex", "--render", "ansii"], "'ansi', 'none'"),
        (["play", "hex", "--players", "two"], "--players"),
        (["play", "hex", "--sead", "1"], "--seed"),
        (["play"], "game"),
        (["plya", "hex"], "play"),
        (["bench", "hex", "--simulations", "0"], "--simulations"),
        (["bench", "hex", "--agent", "human"], "bench needs an agent that searches"),
        (["bench", "hex", "--agent", "random"], "bench needs an agent that searches"),
        (["bench", "hex", "--agent", "mcts:seconds=1"], "--simulations"),
        (["verify", "hex", "no/such/file"], "no/such/file: cannot be read"),
        (["verify", "hex", __file__], "not a record of games"),
    ],
)
def test_what_does_not_exist_gets_one_clear_line(run_here, arguments, words):
    done = run_here(*arguments, "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_verify_knows_another_games_record(run_here, tmp_path):
    path = write(tmp_path / "record.jsonl", *recorded_draw())
    done = run_here("verify", "hex", path)
    assert done.returncode == 2
    assert "not of hex" in done.stderr


def test_help_and_version(wide):
    assert wide("--version").stdout.startswith("mcts-agents 0.")
    asked, bare = wide("--help"), wide()
    assert asked.returncode == bare.returncode == 0
    assert asked.stdout == bare.stdout
    for command in ("list", "play", "bench", "tree", "verify"):
        assert command in asked.stdout


def test_a_person_takes_moves_back_and_asks_for_hints(wide):
    typed = "undo\nb2\nhint\nundo\nhint\na1\nhelp\nq\n"
    game = wide(
        "play", "tictactoe", "--agent", "human", "--agent", "mcts:simulations=20",
        "--seed", "1", stdin=typed,
    )  # fmt: skip
    assert "no move of yours to take back" in game.stdout
    _, second = re.findall(r"would play (\w\d), which it values", game.stdout)
    assert second == "b2"  # the best move of the empty board
    assert game.stdout.count("player_0 plays") == 2
    assert "3 . . .\nX to move\nplayer_0> mcts:simulations=5000" in game.stdout
    assert "undo takes your last move back" in game.stdout
    assert game.stderr.splitlines()[-1] == "mcts-agents: game left"


def test_moves_that_were_taken_back_do_not_count(wide):
    anywhere = "".join(f"{column}{row}\n" for column in "abc" for row in "123")
    game = wide(
        "play", "tictactoe", "--agent", "human", "--agent", "mcts:simulations=20",
        "--seed", "1", stdin=f"b2\nundo\nb2\n{3 * anywhere}",
    )  # fmt: skip
    assert game.returncode == 0, game.stderr
    rows = [row for row in game.stdout.splitlines() if re.match(r"[123] [XO.] ", row)]
    marks = sum(row.count("X") + row.count("O") for row in rows[-3:])
    counted = re.findall(r"player_\d .*? +(\d+) │ +[\d.]+ │ +[\d-]+│", game.stdout)
    assert len(counted) == 2
    assert sum(map(int, counted)) == marks


def test_the_last_position_alone(wide):
    game = wide("play", "hex:size=3", "--agent", "random", "--seed", "1", "--render",
                "last")  # fmt: skip
    assert "plays" not in game.stdout and "Hex, seed 1" in game.stdout
    assert game.stdout.count("a") and game.stdout.splitlines()[0].split() == [*"abc"]


def test_help_is_not_cut_off(run_here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run_here("--help").stdout
    assert "..." not in shown.partition("Commands:")[2]
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")
@pytest.mark.parametrize("no_color", [False, True])
def test_colours_are_for_terminals_that_have_them(no_color):
    import pty

    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    if no_color:
        environment["NO_COLOR"] = "1"
    arguments = ["play", "tictactoe", "--agent", "mcts:seconds=0.3", "--seed", "1"]
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=terminal, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        heard = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(main, 65536):
                heard += part
    os.close(main)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", heard.decode())
    assert re.search(r"player_0 is thinking: [\d,]+ simulations", text)
    assert (b"\x1b[1;36m" in heard) is not no_color
