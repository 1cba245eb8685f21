"""The third-party environments that are tried, and how each is made.

An environment that hides information is planned in with `perfect_information=True`,
which is the wrong word for a player; here it only matters whether plans on exact copies
leave the environment alone. `benchmarks/strength_of_others.py` plays Leduc honestly.
OpenSpiel's games, searched directly, say themselves what they hide.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from others.episodes import Episode


def _nothing(played: Episode) -> dict[str, Any]:
    return {}


def _mask_shown(played: Episode) -> dict[str, Any]:
    """Return the mask that `reset` or `step` returned last."""
    observation, info = played.shown[0], played.shown[-1]
    shown = observation if "action_mask" in observation else info
    return {"action_mask": shown["action_mask"]}


@dataclass(frozen=True)
class Case:
    """An environment and how it is tried.

    Attributes:
        name: How the table calls it.
        package: The distribution whose version the table shows.
        make: Makes the environment; imports what that takes.
        is_random: Whether the next steps always depend on dice, so that copies with
            different dice have to go on differently.
        is_small: Whether the tests try it too: it comes with the extra `test`, and
            takes less than a second.
        unseeded: Keys of its `info` that do not follow from the seed.
        options: Options of the agent beside the budget.
        simulations: The budget of each plan.
        seconds: How long all that is done with it may take.
        asked_with: Returns what `act` is told besides the environment and who decides.
    """

    name: str
    package: str
    make: Callable[[], Any]
    is_random: bool = False
    is_small: bool = False
    unseeded: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    simulations: int = 20
    seconds: float = 240.0
    asked_with: Callable[[Episode], dict[str, Any]] = _nothing


def _called(module: str, function: str, **arguments: Any) -> Callable[[], Any]:
    """Return a function that imports a module and calls a function of it."""
    return lambda: getattr(importlib.import_module(module), function)(**arguments)


def _gymnasium(name: str, registered_by: str | None = None, **arguments: Any):
    """Return a function that makes an environment by its Gymnasium id."""

    def make() -> Any:
        import gymnasium

        if registered_by is not None:
            gymnasium.register_envs(importlib.import_module(registered_by))
        return gymnasium.make(name, **arguments)

    return make


def _of_gymnasium(package: str, registered_by: str | None, *names: str, **case: Any):
    return [
        Case(name, package, _gymnasium(name, registered_by), **case) for name in names
    ]


def _of_modules(package: str, folder: str, function: str, *names: str, **case: Any):
    """Return the environments of modules that each have a function `env`."""
    return [
        Case(
            f"{folder}.{name}" + (":parallel_env" if function != "env" else ""),
            package,
            _called(f"{folder}.{name}", function),
            **case,
        )
        for name in names
    ]


def _jumanji(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import jumanji
        from jumanji.wrappers import JumanjiToGymWrapper

        return JumanjiToGymWrapper(jumanji.make(name))

    return make


def _by_replay(case: Case) -> Case:
    """Return a case whose copies are made by going through all steps again."""

    def make() -> Any:
        from mcts_agents import remember

        return remember(case.make())

    options = {**case.options, "replay": case.make}
    return replace(case, name=f"{case.name}, by replay", make=make, options=options)


def _shimmy(name: str) -> Callable[[], Any]:
    """Return a function that makes an OpenSpiel game by shimmy's wrapper."""

    def make() -> Any:
        import pyspiel
        from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

        return OpenSpielCompatibilityV0(env=pyspiel.load_game(name))

    return make


def _open_spiel(name: str) -> Callable[[], Any]:
    """Return a function that makes an OpenSpiel game as this package searches it."""

    def make() -> Any:
        from mcts_agents.envs import environments

        return environments(f"open_spiel:{name}")[1]()

    return make


def cases() -> list[Case]:
    """Return all environments that are tried, in the order of the table."""
    classic, butterfly, sisl = (
        f"pettingzoo.{family}" for family in ("classic", "butterfly", "sisl")
    )
    of_pettingzoo = ("pettingzoo", classic, "env")
    pistonball = Case(
        f"{butterfly}.pistonball_v6, discrete", "pettingzoo",
        _called(f"{butterfly}.pistonball_v6", "env", continuous=False),
    )  # fmt: skip
    lander = Case("LunarLander-v3", "gymnasium", _gymnasium("LunarLander-v3"))
    walker = Case("BipedalWalker-v3", "gymnasium", _gymnasium("BipedalWalker-v3"),
                  options={"continuous": 2})  # fmt: skip
    return [
        *_of_modules(*of_pettingzoo, "tictactoe_v3", "connect_four_v3", is_small=True),
        *_of_modules(*of_pettingzoo, "chess_v6", is_small=True),
        Case(f"{classic}.go_v5, 9x9", "pettingzoo",
             _called(f"{classic}.go_v5", "env", board_size=9), is_small=True),
        Case(f"{classic}.go_v5, 19x19", "pettingzoo",
             _called(f"{classic}.go_v5", "env", board_size=19)),
        *_of_modules(*of_pettingzoo, "leduc_holdem_v4", "texas_holdem_v4",
                     is_small=True),
        *_of_modules(*of_pettingzoo, "texas_holdem_no_limit_v6", "hanabi_v5"),
        *_of_modules(*of_pettingzoo, "rps_v2", is_small=True),
        *_of_modules("pettingzoo", classic, "parallel_env", "rps_v2", is_small=True),
        *_of_modules("pettingzoo", butterfly, "env",
                     "cooperative_pong_v6", "knights_archers_zombies_v11"),
        pistonball,
        _by_replay(pistonball),
        *_of_modules("pettingzoo", sisl, "env", "pursuit_v5", is_random=True),
        *_of_modules("pettingzoo", sisl, "env", "multiwalker_v9"),
        *_of_modules("mpe2", "mpe2", "env", "simple_v3", "simple_spread_v3",
                     is_small=True),
        *_of_modules("mpe2", "mpe2", "env", "simple_tag_v3", "simple_adversary_v3",
                     "simple_crypto_v3", "simple_speaker_listener_v4"),
        *_of_modules("mpe2", "mpe2", "parallel_env", "simple_spread_v3"),
        *_of_modules("magent2", "magent2.environments", "env", "battle_v4"),
        *_of_modules("magent2", "magent2.environments", "parallel_env",
                     "adversarial_pursuit_v4"),
        *_of_gymnasium("gymnasium", None, "FrozenLake-v1", "Blackjack-v1",
                       is_random=True, is_small=True),
        *_of_gymnasium("gymnasium", None, "Taxi-v4", "CliffWalking-v1", is_small=True),
        *_of_gymnasium("gymnasium", None, "CartPole-v1", "Acrobot-v1",
                       "MountainCar-v0", is_small=True),
        *_of_gymnasium("gymnasium", None, "MountainCarContinuous-v0", "Pendulum-v1",
                       options={"continuous": 5}, is_small=True),
        lander,
        _by_replay(lander),
        _by_replay(walker),
        Case("CarRacing-v3, discrete", "gymnasium",
             _gymnasium("CarRacing-v3", continuous=False)),
        *_of_gymnasium("gymnasium", None, "Ant-v5"),
        *_of_gymnasium("minigrid", "minigrid", "MiniGrid-DoorKey-5x5-v0",
                       is_small=True),
        *_of_gymnasium("minigrid", "minigrid", "MiniGrid-Empty-5x5-v0",
                       "MiniGrid-FourRooms-v0",
                       "BabyAI-GoToRedBall-v0"),
        *_of_gymnasium("minigrid", "minigrid", "MiniGrid-Dynamic-Obstacles-5x5-v0",
                       is_random=True),
        Case("jumanji RubiksCube-v0", "jumanji", _jumanji("RubiksCube-v0")),
        *(Case(f"jumanji {name}", "jumanji", _jumanji(name), asked_with=_mask_shown)
          for name in ("Snake-v1", "Maze-v0", "Minesweeper-v0")),
        Case("jumanji Game2048-v1", "jumanji", _jumanji("Game2048-v1"), is_random=True,
             asked_with=_mask_shown),
        *_of_gymnasium("ale-py", "ale_py", "ALE/Breakout-v5"),
        *_of_gymnasium("ale-py", "ale_py", "ALE/Pong-v5", is_random=True),
        # After `reset` the info tells of an action drawn by a space that is made anew.
        *_of_gymnasium("highway-env", "highway_env", "highway-v0", simulations=2,
                       unseeded=("action", "rewards")),
        *_of_gymnasium("highway-env", "highway_env", "highway-fast-v0", "merge-v1",
                       simulations=5, unseeded=("action", "rewards")),
        *_of_gymnasium("highway-env", "highway_env", "parking-v0", simulations=5,
                       unseeded=("action", "rewards"), options={"continuous": 3}),
        *_of_gymnasium("gymnasium-2048", "gymnasium_2048",
                       "gymnasium_2048/TwentyFortyEight-v0",
                       is_random=True),
        *(Case(f"open_spiel:{name}", "open-spiel", _open_spiel(name),
               options={"perfect_information": False})
          for name in ("connect_four", "breakthrough", "hex(board_size=7)", "othello",
                       "kuhn_poker", "leduc_poker", "goofspiel",
                       "backgammon", "gin_rummy", "2048")),
        *(Case(f"shimmy {name}", "shimmy", _shimmy(name))
          for name in ("connect_four", "breakthrough", "hex(board_size=7)", "othello",
                       "kuhn_poker", "leduc_poker", "goofspiel", "liars_dice",
                       "hanabi")),
        *(Case(f"shimmy {name}", "shimmy", _shimmy(name), is_random=True)
          for name in ("backgammon", "gin_rummy", "2048")),
    ]  # fmt: skip
