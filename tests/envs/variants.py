"""The variants that tests of all environments run on, and how they play."""

import numpy as np

from mcts_agents.envs import load_game
from mcts_agents.envs.environment import environments

# Long games are cut short by the rules' own limit.
SHORT = {"max_plies_per_player": 30}

VARIANTS = {
    "tictactoe": ("tictactoe", {}),
    "hex_3": ("hex", {"size": 3}),
    "hex_6": ("hex", {"size": 6}),
    "sushi_go_2": ("sushi_go", {"players": 2}),
    "sushi_go_3": ("sushi_go", {"players": 3}),
    "sushi_go_5": ("sushi_go", {"players": 5}),
    "chinese_checkers_2": ("chinese_checkers", {"players": 2, **SHORT}),
    "chinese_checkers_3": ("chinese_checkers", {"players": 3, **SHORT}),
    "chinese_checkers_6": ("chinese_checkers", {"players": 6, "fields": 121, **SHORT}),
    "dots_and_boxes_2": ("dots_and_boxes", {}),
    "dots_and_boxes_6": (
        "dots_and_boxes",
        {"players": 6, "width": 3, "height": 2, "tag_ties": True},
    ),
    "focus_2": ("focus", {"players": 2, **SHORT}),
    "focus_3": ("focus", {"players": 3, **SHORT}),
    "focus_4": ("focus", SHORT),
    "rolit_2": ("rolit", {"players": 2, "neutral_fourth": False}),
    "rolit_3": ("rolit", {"players": 3}),
    "rolit_4": ("rolit", {}),
    "connect_four": ("connect_four", {}),
    "connect_four_9": ("connect_four", {"width": 9, "height": 4}),
    "othello": ("othello", {}),
    "wargame_2": ("wargame", {"units": 6}),
    "wargame_3": ("wargame", {"players": 3, "units": 4}),
    "investment_2": ("investment", {}),
    "investment_3": ("investment", {"players": 3, "pairs": 4}),
    "video_game": ("video_game", {}),
    "video_game_4": ("video_game", {"size": 4, "agents": 3, "max_plies": 20}),
    "breakthrough": ("breakthrough", {}),
    "breakthrough_6x5": ("breakthrough", {"rows": 6, "columns": 5}),
    "knightthrough": ("knightthrough", {}),
    "gomoku": ("gomoku", {"size": 7}),
    "nogo": ("nogo", {}),
    "nogo_3": ("nogo", {"players": 3, "size": 4}),
    "atarigo": ("atarigo", {}),
    "colt_express_2": (
        "colt_express",
        {"players": 2, "rulebook": "published", "asks_forced": True},
    ),
    "colt_express_6": ("colt_express", {"players": 6}),
    "diamant_2": ("diamant", {"players": 2}),
    "diamant_4": ("diamant", {"players": 4}),
    "diamant_6": ("diamant", {"players": 6}),
    "dominion_2": ("dominion", {"players": 2}),
    "dominion_4": ("dominion", {"rulebook": "published"}),
    "exploding_kittens_2": (
        "exploding_kittens",
        {"players": 2, "rulebook": "published"},
    ),
    "exploding_kittens_5": ("exploding_kittens", {"players": 5}),
    "love_letter_2": ("love_letter", {"players": 2, "baron_shows": True}),
    "love_letter_4": ("love_letter", {"players": 4}),
    "poker_5": ("poker", {"players": 5, "odd_chips": "lost"}),
    "poker_6": ("poker", {"players": 6, "hands": 4}),
    "uno_2": ("uno", {"players": 2, "target": 20, "quirks": False}),
    "uno_3": ("uno", {"players": 3, "target": 20, "scoring": "classic"}),
    "uno_10": ("uno", {"players": 10, "target": 20}),
    "virus_2": ("virus", {"players": 2, "rulebook": "published"}),
    "virus_6": ("virus", {"players": 6}),
    "pommerman_2": ("pommerman", {"players": 2}),
    "pommerman_ffa": ("pommerman", {"shuffle_corners": True}),
    "pommerman_collapse": ("pommerman", {"collapse": 20, "max_steps": 60}),
    "pommerman_team": ("pommerman", {"mode": "team"}),
    "pommerman_radio": ("pommerman", {"mode": "radio", "fog": False}),
}
# Two players win or lose together.
TEAMS = ("pommerman_team", "pommerman_radio")
# Players with equally many points all win.
SHARED = ("dominion_2", "dominion_4", "poker_5", "poker_6")
SIMULTANEOUS = [
    label for label, (name, _) in VARIANTS.items() if load_game(name).simultaneous
]


def factories(label):
    """Return (raw_env, env, parallel_env) of a variant; all take a render mode only."""
    name, options = VARIANTS[label]
    return tuple(
        lambda render_mode=None, factory=factory: factory(
            render_mode=render_mode, **options
        )
        for factory in environments(load_game(name))
    )


def random_legal(mask, rng):
    """Return a random legal action by a mask, as PettingZoo users would."""
    return int(rng.choice(np.flatnonzero(mask)))


def play(env, rng, most_steps=10**9):
    """Play an AEC environment at random; return (agent, action) of each decision."""
    played = []
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        action = None
        if not (termination or truncation):
            action = random_legal(observation["action_mask"], rng)
            played.append((agent, action))
        env.step(action)
        if len(played) == most_steps:
            break
    return played


def record(env, rng, **reset):
    """Play an AEC environment at random; return everything that it showed."""
    env.reset(**reset)
    shown = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None
        if not (termination or truncation):
            action = random_legal(observation["action_mask"], rng)
        everybody = [frozen(env.observe(a)) for a in env.possible_agents]
        shown.append((agent, everybody, reward, termination, truncation, info, action))
        env.step(action)
    return shown


def record_parallel(env, rng, **reset):
    """Play a parallel environment at random; return everything that it showed."""
    observations, infos = env.reset(**reset)
    shown = [(frozen(observations), infos)]
    while env.agents:
        actions = {
            agent: random_legal(observations[agent]["action_mask"], rng)
            for agent in env.agents
            if observations[agent]["action_mask"].any()
        }
        observations, *rest = env.step(actions)
        shown.append((actions, frozen(observations), rest))
    return shown


def frozen(observation):
    """Return an observation, or a dict of them, as something that can be compared."""
    if isinstance(observation, dict):
        return {key: frozen(value) for key, value in observation.items()}
    return observation.tobytes()
