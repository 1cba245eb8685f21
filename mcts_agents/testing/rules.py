"""`check_rules`: compiled rules against their contract, in random games.

The check calls every function of the rules in the positions of some random games, twice
with the same arguments and between guard bytes. It compares what belongs together:
`movers` with `legal_actions`, `results` with the end, keys with positions, samples with
what their observer sees.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mcts_agents.envs import Game, make_model, parse_game
from mcts_agents.model import (
    PLAYING,
    RESULT_NAMES,
    WON,
    ForwardModel,
    Rules,
    draw_below,
    new_generator,
)
from mcts_agents.model.rules import VALUES_OF_SCORES
from mcts_agents.testing.calls import Calls, Position
from mcts_agents.testing.chances import check_draws, check_playouts, load_statistics
from mcts_agents.testing.hidden import Hidden, Permute
from mcts_agents.testing.moves import (
    check_codes,
    check_recorded_playouts,
    check_sets_of_actions,
)
from mcts_agents.testing.names import Names
from mcts_agents.testing.outcomes import check_outcomes, check_passing
from mcts_agents.testing.report import Place, Report

# Sums and squares of greater scores overflow in a search.
GREATEST_SCORE = 1e100
# `evaluate` and `action_values` go from 0 to 1, up to rounding.
SCALE_TOLERANCE = 1e-9


def check_rules(
    rules: Rules | ForwardModel | Game | str,
    *,
    variants: Sequence[Mapping[str, object]] = ({},),
    episodes: int = 5,
    moves: int = 200,
    seed: int = 0,
    permute: Permute | None = None,
    hidden_scores: bool = False,
    bounds: bool = True,
) -> Report:
    """Check a game's rules in random games.

    Args:
        rules: The rules; the model of one variant; a `Game`, whose names of actions are
            checked too; or a game's name, such as `"mini_breakthrough:game"`, also with
            options.
        variants: The variants to check, each the keywords of the rules' `variant`
            function. A model has its variant already, and so has a name with options.
        episodes: Random games for each variant.
        moves: Decisions that are checked in each game; the rest of the game is played
            without checks.
        seed: Reproduces the check.
        permute: `permute(model, state, observer, random)` changes in place, without
            calling `redeterminise`, what `observer` cannot know; `random` is a
            `random.Random`. With it a sample that depends on the truth is always found.
        hidden_scores: Pass True if players do not know the scores of others, as where
            points lie face down. A sample must then keep the observer's own score only.
        bounds: Whether to compile the functions once more so that they raise an
            IndexError at each wrong index, which takes as long as compiling them does.
            Otherwise only functions that write near the arrays they get are found.

    Returns:
        What was checked how often, and what was not and why.

    Raises:
        CheckError: The rules make a mistake. The message is one line that names the
            game, the function, the player, the episode and the move.
        ValueError: Arguments that do not go together.
        MissingExtraError: The extra `arena` is not installed.
    """
    load_statistics()  # before anything is played
    game: Game | None = None
    if isinstance(rules, str):
        _, options = parse_game(rules)
        game, model = make_model(rules)
        rules = model if options else game
    if isinstance(rules, Game):
        game, rules = rules, rules.rules
    if episodes < 1 or moves < 1:
        raise ValueError(f"episodes={episodes}, moves={moves}: expected at least 1")
    expected = (
        f"{rules!r}: expected Rules, a Game, its name, or a model of compiled rules"
    )
    if isinstance(rules, Rules):
        if not variants:
            raise ValueError("variants: expected at least one, such as [{}]")
        checked = rules.with_checked_bounds() if bounds else rules
        models = [checked.model(**variant) for variant in variants]
    elif not isinstance(rules, ForwardModel) or rules.copies_environments:
        raise ValueError(expected)
    elif list(variants) != [{}]:
        raise ValueError("variants: a model is of one variant already; pass its Rules")
    else:
        models = [rules.with_checked_bounds() if bounds else rules]
    if any(model.copies_environments for model in models):
        # Games of OpenSpiel are Rules, too, without functions of an author.
        raise ValueError(expected)
    report = Report(models[0].name)
    for model in models:
        walk = _Walk(model, episodes, moves, seed, permute, hidden_scores, game)
        report.merge(walk.run())
    return report


# Optional functions that are looked at with others, not by a check of their own.
UNCHECKED_ALONE = (
    "turn",
    "round",
    "is_out",
    "random_action",
    "move_code",
    "pass_turn",
    "outcomes",
)


class _Walk:
    """Random games of one variant, checked on the way."""

    def __init__(
        self,
        model: ForwardModel,
        episodes: int,
        moves: int,
        seed: int,
        permute: Permute | None,
        hidden_scores: bool,
        game: Game | None,
    ):
        self.model = model
        self.episodes, self.moves, self.seed = episodes, moves, seed
        chosen = ", ".join(f"{key}={value!r}" for key, value in model.variant.items())
        self.place = Place(f"{model.name}({chosen})", seed)
        self.calls = Calls(model, self.place)
        self.report = Report(model.name)
        self.hidden = Hidden(model, self.calls, self.report, permute, hidden_scores)
        self._merged: dict[int, tuple[Any, ...]] = {}
        self._scores: set[float] = set()  # all that a player ever had
        self._won = False
        self._checks = self._wanted_checks()
        if game is None:
            self.report.skip("names of actions", "the check was given no Game")
        else:
            self._checks.append(Names(game, model, self.place, self.report).check)

    def _wanted_checks(self) -> list[Callable[[Position], None]]:
        checks = [self._check_scores]
        for name, check in (
            ("observe", self._check_observations),
            ("evaluate", self._check_evaluation),
            ("action_values", self._check_action_values),
            ("filter_actions", self._check_filter),
            ("state_key", self._check_key),
            ("nearest_opponent", self._check_nearest),
        ):
            if self.model.has(name):
                checks.append(check)
            else:
                self.report.skip(name, "the rules have no such function")
        for name in UNCHECKED_ALONE:
            if not self.model.has(name):
                self.report.skip(name, "the rules have no such function")
        return checks

    def run(self) -> Report:
        """Play and check all games."""
        ended = 0
        for episode in range(self.episodes):
            self.place.episode, self.place.move = episode, 0
            ended += self._play(episode)
        if not ended:
            self._endless()
        self._advise_on_values()
        check_playouts(self.model, self.calls, self.report, self.seed)
        check_recorded_playouts(self.model, self.calls, self.report, self.seed)
        check_sets_of_actions(self.model, self.calls, self.report, self.seed)
        self.hidden.finish()
        return self.report

    def _endless(self) -> None:
        """Say that no game has ended: a search that plays to the end would not, too."""
        if self.model.search_defaults.get("rollout") is None:
            self.place.fail(
                "movers",
                f"never returned 0: no random game ended within {self._longest} moves, "
                "and searches play such games to their end",
                "End the game after a number of moves, or limit what searches play, as "
                "in Rules(..., search_defaults={'rollout': 100})",
            )
        self.report.skip("the end of a game", f"none within {self._longest} moves")

    def _advise_on_values(self) -> None:
        """Say that a search which compares scores could not tell positions apart."""
        value = self.model.search_defaults.get("value", VALUES_OF_SCORES[0])
        if value in VALUES_OF_SCORES and self._won and len(self._scores) == 1:
            self.report.advice.append(
                "scores were equal in every position, but games were won: searches see "
                "no difference; set search_defaults={'value': 'win'}, or leave out the "
                "function `scores`"
            )

    @property
    def _longest(self) -> int:
        return max(10_000, self.moves)

    def _play(self, episode: int) -> bool:
        """Play one game; return whether it came to an end."""
        rng = new_generator(np.random.SeedSequence([self.seed, episode]))
        choices = new_generator(np.random.SeedSequence([self.seed, episode, 1]))
        state = self._opening(rng)
        before: Position | None = None
        self._counts = {"turn": 0, "round": 0}
        self._out: set[int] = set()
        self.hidden.begin()
        while self.place.move < self._longest:
            looked_at = self.place.move < self.moves
            position = self._position(state, before)
            if looked_at or not position.movers:
                for check in self._checks:
                    check(position)
                self._check_counts(position)
                self._check_out(position)
                check_codes(self.model, self.calls, self.report, position)
                check_passing(self.model, self.calls, self.report, position)
                self.hidden.check(position)
            if not position.movers:
                self.report.checked["the end of a game"] += 1
                return True
            joint = self._joint(position, choices)
            if looked_at:
                self.hidden.see(position, joint)
                own = self.model, self.calls, self.report
                check_outcomes(*own, position, joint, choices)
                if self.place.move % 10 == 0:
                    check_draws(self.calls, self.report, position, choices)
                state = self._checked_apply(position, joint, rng)
            else:
                state = self.calls.applied(state, joint, rng)
            before = position
            self.place.move += 1
        return False

    def _opening(self, rng: np.ndarray) -> np.ndarray:
        again = rng.copy()
        state = self.calls.reset(rng)
        if self.calls.reset(again).tobytes() != state.tobytes():
            self.place.fail(
                "reset",
                "dealt two openings from one seed",
                "Draw from `rng` only, by random_below, random_float or shuffle of "
                "mcts_agents.model, and write every field",
            )
        self.report.checked["reset repeats with its seed"] += 1
        return state

    def _joint(self, position: Position, choices: np.ndarray) -> list[int]:
        joint = [-1] * self.model.players
        for player, legal in position.legal.items():
            joint[player] = int(legal[draw_below(choices, len(legal))])
        return joint

    # -- who decides, and how it ends

    def _position(self, state: np.ndarray, before: Position | None) -> Position:
        """Ask for movers, legal actions and results; check that they agree."""
        place, model = self.place, self.model
        mask = self.calls.number("movers", state)
        if not 0 <= mask < 1 << model.players:
            place.fail(
                "movers",
                f"returned {mask}, a mask of other players than 0 to "
                f"{model.players - 1}",
                "Return one bit for each player who decides, as in 1 << player",
            )
        movers = tuple(p for p in range(model.players) if mask >> p & 1)
        if before is None and not movers:
            place.fail("movers", "returned 0 in the opening", "Somebody must decide")
        legal = {player: self._legal(state, player) for player in movers}
        results = self.calls.vector("results", state).tolist()
        position = Position(state, movers, legal, results)
        self._check_results(position, before)
        self.report.checked["movers, legal_actions and results agree"] += 1
        return position

    def _legal(self, state: np.ndarray, player: int) -> np.ndarray:
        legal = self.calls.legal(state, player)
        actions = legal.tolist()
        wrong = [a for a in actions if not 0 <= a < self.model.actions]
        if wrong:
            self.place.fail(
                "legal_actions",
                f"listed {wrong[0]} for player {player}",
                f"Actions go from 0 to {self.model.actions - 1} (Spec.actions)",
            )
        if len(set(actions)) < len(actions):
            twice = next(a for a in actions if actions.count(a) > 1)
            self.place.fail(
                "legal_actions",
                f"listed {twice} more than once for player {player}",
                "List each legal action once",
            )
        return legal

    def _check_results(self, position: Position, before: Position | None) -> None:
        place = self.place
        for player, result in enumerate(position.results):
            if not 0 <= result < len(RESULT_NAMES):
                place.fail(
                    "results",
                    f"wrote {result} for player {player}",
                    "Write PLAYING, WON, DRAWN or LOST",
                )
            if result == PLAYING and not position.movers:
                place.fail(
                    "results",
                    f"wrote PLAYING for player {player} though `movers` is 0",
                    "Give every player a result when the game is over",
                )
            if result != PLAYING and player in position.movers:
                place.fail(
                    "results",
                    f"wrote {RESULT_NAMES[result].upper()} for player {player}, who "
                    "is still in `movers`",
                    "A player with a result must not decide any more",
                )
            earlier = PLAYING if before is None else before.results[player]
            if earlier not in (PLAYING, result):
                place.fail(
                    "results",
                    f"changed from {RESULT_NAMES[earlier].upper()} to "
                    f"{RESULT_NAMES[result].upper()} for player {player}",
                    "A result is final: environments pay it when it is first there",
                )
        for player, team in enumerate(self.model.teams):
            first = self.model.teams.index(team)
            if position.results[player] != position.results[first]:
                place.fail(
                    "results",
                    f"differ between players {first} and {player} of team {team}",
                    "Team mates have the same result (Spec.teams)",
                )

    def _checked_apply(
        self, position: Position, joint: list[int], rng: np.ndarray
    ) -> np.ndarray:
        """Return the next state; the same arguments must lead to the same one."""
        same, before = rng.copy(), rng.copy()
        after = self.calls.applied(position.state, joint, rng)
        again = self.calls.applied(position.state, joint, same)
        if again.tobytes() != after.tobytes() or (same != rng).any():
            self.place.fail(
                "apply",
                f"played {joint} twice from one state and seed, with two outcomes",
                "It may depend on the state, the actions and `rng` only",
            )
        if not self.model.chance and (rng != before).any():
            self.place.fail(
                "apply",
                f"drew from `rng` for {joint}, though the rules say chance=False",
                "Pass chance=True to Rules",
            )
        self.report.checked["apply repeats with its seed"] += 1
        return after

    # -- what the rules say of a position

    def _check_numbers(
        self, name: str, found: np.ndarray, low: float, high: float, whose: str
    ) -> None:
        for i, value in enumerate(found.tolist()):
            if not low <= value <= high:  # nor is NaN
                self.place.fail(
                    name,
                    f"wrote {value!r} for {whose} {i}",
                    f"Write a finite number from {low:g} to {high:g}",
                )
        self.report.checked[f"{name} in range"] += 1

    def _check_scores(self, position: Position) -> None:
        found = self.calls.vector("scores", position.state)
        self._check_numbers("scores", found, -GREATEST_SCORE, GREATEST_SCORE, "player")
        self._won |= WON in position.results
        if len(self._scores) < 2:
            self._scores.update(found.tolist())

    def _check_evaluation(self, position: Position) -> None:
        if position.movers:
            found = self.calls.vector("evaluate", position.state)
            low, high = -SCALE_TOLERANCE, 1 + SCALE_TOLERANCE
            self._check_numbers("evaluate", found, low, high, "player")

    def _check_action_values(self, position: Position) -> None:
        for player, legal in position.legal.items():
            found = self.calls.action_values(position.state, player, legal)
            low, high = -SCALE_TOLERANCE, 1 + SCALE_TOLERANCE
            self._check_numbers("action_values", found, low, high, "number")

    def _check_observations(self, position: Position) -> None:
        low, high = self.model.observation_bounds
        for player in range(self.model.players):
            seen = self.calls.observation(position.state, player)
            outside = seen[(seen < low) | (seen > high)]
            if outside.size:
                self.place.fail(
                    "observe",
                    f"wrote {outside[0]} for player {player}",
                    f"Spec.observation_bounds are {low} and {high}",
                )
        self.report.checked["observe within its bounds"] += 1

    def _check_filter(self, position: Position) -> None:
        for player, legal in position.legal.items():
            kept = self.calls.filtered(position.state, player, legal)
            if not set(kept) <= set(legal.tolist()) or len(set(kept)) < len(kept):
                self.place.fail(
                    "filter_actions",
                    f"kept {kept} of {legal.tolist()} for player {player}",
                    "Move some of the given actions to the front, each once",
                )
            self.report.checked["filter_actions keeps some of the actions"] += 1

    def _check_key(self, position: Position) -> None:
        key = self.calls.number("state_key", position.state, -1)
        what = (
            position.movers,
            [sorted(legal.tolist()) for legal in position.legal.values()],
            position.results,
            self._scores_of(position.state),
        )
        other = self._merged.setdefault(key, what)
        if other != what:
            self.place.fail(
                "state_key",
                f"is {key} here and in a position with other movers, legal actions, "
                f"results or scores: {other} and {what}",
                "Positions with one key are searched as one; hash all that matters",
            )
        self.report.checked["state_key tells positions apart"] += 1

    def _scores_of(self, state: np.ndarray) -> list[float]:
        if not self.model.has("scores"):
            return []
        scores: list[float] = self.calls.vector("scores", state).tolist()
        return scores

    def _check_nearest(self, position: Position) -> None:
        teams = self.model.teams
        for player in position.movers:
            other = self.calls.number("nearest_opponent", position.state, player)
            if other != -1 and (
                not 0 <= other < self.model.players or teams[other] == teams[player]
            ):
                self.place.fail(
                    "nearest_opponent",
                    f"returned {other} for player {player}",
                    "Return a player of another team, or -1 for none",
                )
            self.report.checked["nearest_opponent is an opponent"] += 1

    def _check_counts(self, position: Position) -> None:
        for name in ("turn", "round"):
            if not self.model.has(name):
                continue
            count = self.calls.number(name, position.state)
            if self.place.move == 0 and count != 0:
                self.place.fail(name, f"is {count} in the opening", "Count from 0")
            if count < self._counts[name]:
                self.place.fail(
                    name,
                    f"fell from {self._counts[name]} to {count}",
                    "It counts what has ended, and may only grow",
                )
            self._counts[name] = count
            self.report.checked[f"{name} only grows"] += 1

    def _check_out(self, position: Position) -> None:
        if not self.model.has("is_out"):
            return
        for player in range(self.model.players):
            out = self.calls.number("is_out", position.state, player)
            if out and player in position.movers:
                self.place.fail(
                    "is_out",
                    f"returned {out} for player {player}, who is in `movers`",
                    "Return 1 for a player who will never decide again, else 0",
                )
            if not out and player in self._out:
                self.place.fail(
                    "is_out",
                    f"returned 0 for player {player}, who was out before",
                    "Nobody comes back",
                )
            if out:
                self._out.add(player)
        self.report.checked["is_out is for good"] += 1
