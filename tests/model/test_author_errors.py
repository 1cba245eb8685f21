"""What an author of rules is told of a mistake: a few lines that name it."""

import importlib.util
import sys
from pathlib import Path

import numba
import pytest

from mcts_agents.envs import GAMES, game_from_rules, load_game
from mcts_agents.model import GameError, Rules, RulesError, locating, new_generator
from mcts_agents.model.author_errors import FULL_ERRORS, line_without_return
from mcts_agents.model.wrapping import RETURNS_NUMBER
from mcts_agents.testing import CheckError, check_rules

MOST_LINES = 10

GAME = """\
import numpy as np
from numba import njit

from mcts_agents.model import DRAWN, PLAYING, Rules, Spec, draw_below, shuffle

rules = Rules(
    "stones",
    state=np.dtype([("left", np.int8), ("turn", np.int8), ("heaps", np.int8, 3)]),
)


HEAPS = np.full(9, 2)


def plain(number):
    return number


@njit
def other(game, turn):
    return (turn + 1) % game.players


@rules.variant
def variant(game, *, players=2):
    return Spec(players=players, actions=2)


@rules.define
def reset(game, state, rng):
    state.heaps[:] = 0
    state.left = 9
    state.turn = 0


@rules.define
def movers(game, state):
    return 1 << state.turn if state.left > 0 else 0


@rules.define
def legal_actions(game, state, player, out):
    out[0] = 0
    out[1] = 1
    return min(2, state.left)


@rules.define
def apply(game, state, joint_action, rng):
    state.left -= 1 + joint_action[state.turn]
    state.turn = other(game, state.turn)


@rules.define
def scores(game, state, out):
    out[:] = 0


@rules.define
def results(game, state, out):
    out[:] = PLAYING if state.left > 0 else DRAWN
"""

LEFT, RETURN = "1 << state.turn if state.left > 0 else 0", "return min(2, state.left)"

# A change of the game; which function and what else the error names.
UNCOMPILED = {
    "a misspelled field": (
        LEFT,
        "1 << state.turn if state.lefft > 0 else 0",
        "movers",
        ["'lefft'", "did you mean left?", "Correct the name"],
    ),
    "a misspelled field that is written": (
        "state.left -= 1 + joint_action[state.turn]",
        "state.lefft = 1",
        "apply",
        ["'lefft'", "did you mean left?", "Correct the name"],
    ),
    "a misspelled field in a helper": (
        "(turn + 1) % game.players",
        "(turn + 1) % game.player",
        "other",
        ["'player'", "did you mean players?", "Correct the name"],
    ),
    "no return": (
        f"return {LEFT}",
        "1 << state.turn",
        "movers",
        ["can end without `return`", "add the missing `return`"],
    ),
    "a return on one path": (
        RETURN,
        "if state.left > 1:\n        return 2",
        "legal_actions",
        ["can end without `return`", "add the missing `return`"],
    ),
    "a fraction": (
        RETURN,
        "return state.left / 2",
        "legal_actions",
        ["float64", "not a whole number", "Return an int"],
    ),
    "an array": (
        RETURN,
        "return out[:2]",
        "legal_actions",
        ["array(", "not a whole number"],
    ),
    "a list in a field": (
        "state.turn = other(game, state.turn)",
        "state.turn = [1, 2]",
        "apply",
        ["list(int64) cannot be put into int8", "Write a number"],
    ),
    "a draw for Python code": (
        RETURN,
        "return draw_below(state, 2)",
        "legal_actions",
        ["'draw_below' draws for Python code", "`random_below`"],
    ),
    "an unknown name": (
        RETURN,
        "return min(2, stones)",
        "legal_actions",
        ["'stones'", "define it"],
    ),
    "a helper that is not compiled": (
        RETURN,
        "return plain(state.left)",
        "legal_actions",
        ["'plain' is a plain Python function", "numba.njit"],
    ),
    "what Numba does not compile": (
        RETURN,
        "return sorted({1: 2}, key=str)[0]",
        "legal_actions",
        ["numba.njit"],
    ),
}

OUTSIDE = ["raised IndexError", "Stay inside the arrays"]

# What only random games show: compiled code would use other memory.
WRONG = {
    "a write past the end of out": (
        "out[1] = 1\n",
        "out[1] = 1\n    out[2] = 2\n",
        "legal_actions",
        [*OUTSIDE, "out[2] = 2"],
    ),
    "a write past the end of out, by a helper": (
        "    out[:] = 0\n",
        "    for player in range(3):\n        put(out, player)\n\n\n"
        "@njit\ndef put(out, player):\n    out[player] = 0.0\n",
        "scores",
        [*OUTSIDE, "out[player] = 0.0"],
    ),
    "a write into memory of nobody": (
        "out[1] = 1\n",
        "out[1] = 1\n    out[1_000_000_000] = 2\n",
        "legal_actions",
        [*OUTSIDE, "out[1_000_000_000] = 2"],
    ),
    "a read past the end of an array of the game's own": (
        RETURN,
        "return HEAPS[state.left]",
        "legal_actions",
        [*OUTSIDE, "return HEAPS[state.left]"],
    ),
    "a shuffle of more than there is": (
        "    state.left = 9\n",
        "    state.left = 9\n    shuffle(rng, state.heaps, 4)\n",
        "reset",
        [*OUTSIDE, "shuffle(rng, state.heaps, 4)"],
    ),
    "a read in a function inside": (
        RETURN,
        "return (lambda heap: second(heap))(state.left)\n\n\n@njit\n"
        "def second(heap):\n    return HEAPS[heap]",
        "legal_actions",
        [*OUTSIDE, "return HEAPS[heap]"],
    ),
    "a read that a helper of a helper makes": (
        "    state.turn = other(game, state.turn)\n",
        "    state.turn = first(joint_action)\n\n\n@njit\ndef first(values):\n"
        "    return second(values)\n\n\n@njit\ndef second(values):\n"
        "    return values[2]\n",
        "apply",
        [*OUTSIDE, "return values[2]"],
    ),
    "an exception": (
        RETURN,
        "return 2 // (state.left - 7)",
        "legal_actions",
        ["ZeroDivisionError", "return 2 // (state.left - 7)"],
    ),
}


def written(folder, old="", new=""):
    """Write the game with a change into a file, and return its rules and its text."""
    assert not old or GAME.count(old) == 1
    file = folder / "stones.py"
    file.write_text(GAME.replace(old, new) if old else GAME)
    spec = importlib.util.spec_from_file_location("stones", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.rules, file


def line_of(file, text):
    """Return the number of the line that has the last line of a text."""
    lines = file.read_text().splitlines()
    (number,) = (n for n, line in enumerate(lines, 1) if text in line)
    return number


@pytest.mark.parametrize("mistake", UNCOMPILED)
def test_rules_that_cannot_be_compiled(mistake, tmp_path):
    old, new, function, words = UNCOMPILED[mistake]
    rules, file = written(tmp_path, old, new)
    with pytest.raises(RulesError) as refusal:
        rules.check(episodes=1)
    text = str(refusal.value)
    assert len(text.splitlines()) <= MOST_LINES, text
    line = line_of(file, new.splitlines()[-1].strip())
    first = text.splitlines()[0]
    assert first.startswith(f"stones: `{function}` can"), text
    if mistake != "a return on one path":
        assert f'File "{file}", line {line}' in first, text
    for word in words:
        assert word in text
    assert refusal.value.__cause__ is refusal.value.__context__ is None


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("actions=2.0", "Spec.actions is 2.0, expected a whole number from 1 to 21"),
        ("actions=10**12", "from 1 to 2147483647"),
        ("actions=2, legal_limit=0", "Spec.legal_limit is 0"),
        ("actions=2, observation_shape=2", r"such as \(9,\)"),
        ("actions=2, observation_shape=(2, 0)", "Spec.observation_shape is 0"),
        ("actions=2, observation_bounds=(0, 500)", "is 500, .* from -128 to 127"),
        ("actions=2, observation_bounds=(20, 0)", "the lower value first"),
        ("actions=2, observation_bounds=20", "the least and the greatest value"),
    ],
)
def test_sizes_that_no_game_has(new, words, tmp_path):
    rules, _ = written(tmp_path, "actions=2", new)
    with pytest.raises(RulesError, match=f"^stones: .*{words}"):
        rules.check()


def test_fields_that_hold_no_numbers(tmp_path):
    with pytest.raises(RulesError, match=r"field 'turn' of `state` holds no numbers"):
        written(tmp_path, '("turn", np.int8)', '("turn", "U5")')


def test_a_game_that_never_ends(tmp_path):
    rules, _ = written(tmp_path, "state.left -= 1 + joint_action[state.turn]", "pass")
    with pytest.raises(CheckError, match=r"`movers` never returned 0: .*rollout"):
        rules.check(episodes=1)
    rules.search_defaults = {"rollout": 100}
    skipped = rules.check(episodes=1).skipped
    assert skipped["the end of a game"] == "none within 10000 moves"


@pytest.mark.parametrize("counts", [2, (), (3, 2), (2, 2), (0,), ("2",)])
def test_numbers_of_players_that_no_game_has(counts, tmp_path):
    rules, _ = written(tmp_path)
    with pytest.raises(ValueError, match=r"player_counts is .* ascending"):
        game_from_rules(rules, player_counts=counts)


def test_all_that_numba_says(tmp_path, monkeypatch):
    monkeypatch.setenv(FULL_ERRORS, "1")
    rules, _ = written(tmp_path, *UNCOMPILED["what Numba does not compile"][:2])
    with pytest.raises(Exception, match=r"nopython") as refusal:
        rules.model()
    assert not isinstance(refusal.value, RulesError)


@pytest.mark.parametrize("mistake", WRONG)
def test_rules_that_make_a_mistake(mistake, tmp_path):
    old, new, function, words = WRONG[mistake]
    rules, file = written(tmp_path, old, new)
    with pytest.raises(CheckError) as refusal:
        rules.check(episodes=1)
    text = str(refusal.value)
    assert len(text.splitlines()) == 1
    assert f"stones(players=2): `{function}` " in text
    line = line_of(file, new.splitlines()[-1].strip())
    assert f" in {file}:{line}, " in text
    for word in words:
        assert word in text


def test_a_loop_that_only_64_bits_end_does_not_hang_the_search_for_the_line(tmp_path):
    loop = "x = 1\n    while x != 0:\n        x = x << 1\n    out[2 + x] = 2\n"
    rules, _ = written(tmp_path, "out[1] = 1\n", f"out[1] = 1\n    {loop}")
    with pytest.raises(CheckError, match=f"`legal_actions` {OUTSIDE[0]}"):
        rules.check(episodes=1)


def test_writes_near_arrays_are_found_without_checked_bounds(tmp_path):
    rules, _ = written(tmp_path, "out[1] = 1\n", "out[1] = 1\n    out[2] = 2\n")
    found = "raised IndexError" if numba.config.BOUNDSCHECK else "wrote outside of `out"
    with pytest.raises(CheckError, match=f"`legal_actions` {found}.* Stay inside"):
        rules.check(episodes=1, bounds=False)
    with pytest.raises(CheckError, match="`legal_actions` raised IndexError"):
        check_rules(rules.model(), episodes=1)


def test_a_check_leaves_the_rules_and_their_helpers_as_they_are(tmp_path):
    rules, _ = written(tmp_path)
    rules.check(episodes=1)
    checked = rules.with_checked_bounds()
    (own, twin) = (r._functions["apply"].__globals__["other"] for r in (rules, checked))
    assert own.targetoptions.get("boundscheck") is None
    assert twin.targetoptions["boundscheck"]
    ours, theirs, again = (
        r.model()._functions["apply"]
        for r in (rules, checked, rules.with_checked_bounds())
    )
    assert ours is not theirs
    assert theirs is again  # compiled once


def test_helpers_in_closures_are_checked(tmp_path):
    def made():
        rules, _ = written(tmp_path)

        @numba.njit
        def heap(values, number):
            return values[number] if number < 100 else heap(values, number - 1)

        @rules.define
        def legal_actions(game, state, player, out):
            for n in range(min(2, state.left)):
                out[n] = n
            return min(2, state.left) + 0 * heap(state.heaps, 3)

        return rules

    with pytest.raises(CheckError, match=r"`legal_actions` raised IndexError.*values"):
        made().check(episodes=1)


def test_functions_may_be_compiled_already(tmp_path):
    rules, _ = written(
        tmp_path, "@rules.define\ndef movers", "@rules.define\n@njit\ndef movers"
    )
    assert rules.check(episodes=1).checked["the end of a game"] == 1
    assert rules.model().name == "stones"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("game['stones'] = 3", "`variant` raised ValueError: no field of name stones"),
        ("playrs + 1", "`variant` raised NameError: name 'playrs' is not defined"),
        ("Spec(actoins=2)", "`variant` raised TypeError: .*actoins"),
    ],
)
def test_errors_in_a_variant_have_a_place(line, said, tmp_path):
    old = "    return Spec(players=players, actions=2)"
    rules, file = written(tmp_path, old, f"    {line}\n{old}")
    place = rf"\(stones.py, line {line_of(file, line)}\)"
    with pytest.raises(RulesError, match=f"^stones: {said}.* {place}$"):
        rules.model()


def test_what_a_variant_raises_itself_is_left_as_it_is(tmp_path):
    old = "    return Spec(players=players, actions=2)"
    rules, _ = written(tmp_path, old, f"    raise ValueError('players: no')\n{old}")
    with pytest.raises(ValueError, match=r"^players: no$"):
        rules.model()


@pytest.mark.parametrize(
    ("ansi", "said"),
    [
        (lambda model, state, observer: None, "`ansi` returned None; return a text"),
        (lambda model, state, observer: 1 / 0, "`ansi` raised ZeroDivisionError: "),
    ],
)
def test_errors_of_a_text_have_a_place(ansi, said, tmp_path):
    game = game_from_rules(written(tmp_path)[0], ansi=ansi)
    model = game.rules.model()
    with pytest.raises(GameError, match=f"^stones: {said}"):
        game.ansi(model, model.reset(new_generator(0)), None)


def test_sound_rules_pass(tmp_path):
    rules, _ = written(tmp_path)
    report = rules.check(episodes=2)
    assert report.checked["the end of a game"] == 2
    assert str(report).startswith("stones: no mistake found")


@pytest.mark.parametrize("name", GAMES)
def test_the_functions_of_our_games_end_with_a_return(name):
    rules = load_game(name).rules
    found = [n for n in RETURNS_NUMBER if rules.has(n)]
    assert "movers" in found
    for name in found:
        assert line_without_return(rules._functions[name]) is None


def nothing(state):
    state.left = 1


def sometimes(state):  # noqa: RET503
    if state.left:
        return 1


def bare(state):
    if state.left:
        return  # noqa: RET502
    return 1


def always(state):
    if state.left:
        return 1
    return 0


def raises(state):
    for number in range(state.left):
        if number > 3:
            return number
    raise ValueError


def endless(state):
    while True:
        if state.left:
            return 1


@pytest.mark.parametrize("function", [nothing, sometimes, bare])
def test_functions_that_can_end_without_a_number(function):
    first = function.__code__.co_firstlineno
    assert first < line_without_return(function) <= first + 3


@pytest.mark.parametrize("function", [always, raises, endless])
def test_functions_that_cannot(function):
    assert line_without_return(function) is None


def test_policies_return_an_action_too(tmp_path):
    rules, file = written(tmp_path)

    @rules.policy
    def lazy(game, state, player, rng):
        state.left = 1

    with pytest.raises(RulesError, match=r"`lazy` can end without `return`") as refusal:
        rules.compiled_policy("lazy")
    assert str(Path(__file__)) in str(refusal.value)
    assert isinstance(rules, Rules)
    assert file.exists()


def test_compiling_a_helper_is_not_stopped_by_the_limit_of_lines(monkeypatch):
    @numba.njit
    def helper(x):
        return x + 1

    def endless():
        while True:
            helper(1)

    monkeypatch.setattr(locating, "MOST_LINES", 1000)
    before = sys.gettrace()
    with pytest.raises(locating._TooManyLinesError), locating._few_lines():
        endless()
    assert len(helper.overloads) == 1
    assert sys.gettrace() is before
