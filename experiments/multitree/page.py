"""Figures 1 to 6 of the MultiTree paper, of tournaments that were played here.

    cd experiments/multitree
    mcts-agents tournament tuned.yaml --store tuned.sqlite --games 200
    python page.py tuned.sqlite --output page

Stores may hold any of the tournaments of this folder, or parts of them (`tournament
FILE --game GAME`). The page, `results.md`, shows them together with what `results.csv`
beside this file holds from earlier; of a setting in several of these, the one with most
games counts. Pictures are written beside the page. `--publish` writes all counts to
`results.csv`, and the page and the pictures to this folder. Nothing is written before
all of it is made.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

try:
    for needed in ("matplotlib", "scipy"):
        import_module(needed)
    from counts import (
        Count,
        merged,
        publish,
        read_published,
        read_store,
        tournaments,
    )
    from figures import GROUPS, VARIANTS, Group, bars, best_map
    from words import FIXED, PAPER, ROUND_ROBIN, VARIATIONS

    from mcts_agents.arena.analysis.intervals import Estimate, wilson
    from mcts_agents.arena.playing.budgets import budget_label, budget_order
    from mcts_agents.arena.tournaments.store import StoreError
    from mcts_agents.envs import find_game
    from mcts_agents.writing import replacing
except ImportError as error:
    sys.exit(f'page.py: error: {error}; it needs pip install --editable ".[arena]"')

TUNED, LONG, TIMED = "tuned", "tuned_1000ms", "tuned_time"
QUADRANTS = {
    "is_0": "information sets, no rollout",
    "is_30": "information sets, rollout 30",
    "pi_0": "one determinization, no rollout",
    "pi_30": "one determinization, rollout 30",
}


def least_difference(best: Estimate, other: Estimate, rivals: int = 0) -> float:
    """Return the lower end of the 95% interval of how far a rate is below another.

    Source: R. G. Newcombe, Interval estimation for the difference between independent
    proportions, Statistics in Medicine 17 (1998), 873-890, method 10.

    Args:
        best: The higher rate.
        other: The other one.
        rivals: How many variants play each other in all line-ups equally often, for one
            win a game. Equally strong, the wins of two are correlated by -1 / (rivals -
            1), whatever the number of players, so that the variance of a difference, of
            single variants or of groups, is rivals / (rivals - 1) times that of
            independent rates. 0: the rates are independent.
    """
    squares = (best.value - best.low) ** 2 + (other.high - other.value) ** 2
    if rivals:
        squares *= rivals / (rivals - 1)
    return best.value - other.value - squares**0.5


def not_below(rates: dict[str, Estimate]) -> list[str]:
    """Return the names of the best rate and of those that are not below it.

    Rates without games are left out.
    """
    known = {name: rate for name, rate in rates.items() if rate.value is not None}
    if not known:
        return []
    best = max(known.values(), key=lambda rate: rate.value)
    return [
        name
        for name, rate in known.items()
        if least_difference(best, rate, len(VARIANTS)) <= 0
    ]


def best_groups(rates: dict[str, Estimate]) -> str:
    """Return the letters of the groups with a variant that is not below the best."""
    near = not_below(rates)
    return "".join(
        letter
        for letter, variants in GROUPS.items()
        if any(variant in near for variant in variants)
    )


def pooled(counts: Sequence[Count], agents: Sequence[str]) -> Estimate:
    """Return the win rate of agents over all of their seats."""
    own = [count for count in counts if count.agent in agents]
    return wilson(sum(c.wins for c in own), sum(c.seats for c in own))


class Page:
    """A page in Markdown and its pictures, in a folder.

    Args:
        counts: What was played.

    Attributes:
        files: What is written, by name.
    """

    def __init__(self, counts: Sequence[Count]):
        self.counts = counts
        self.files: dict[str, str] = {}
        self.lines: list[str] = []
        self._say(
            "# Results of the MultiTree paper's experiments",
            "`page.py` writes this page. Win rates are in percent with 95% Wilson "
            "intervals; `even` is the rate of equal strength, drawn as a dashed line. "
            "`games` are all games of a setting, which its agents share. What the "
            "paper says is put in our words.",
        )
        self._tuned()
        self._timed()
        self._each_set("fixed_", "Set 1: each variant alone against MaxN", FIXED, 1)
        self._each_set("round_robin", "Set 2: all agents", ROUND_ROBIN, 2)
        self.files["results.md"] = "\n\n".join(self.lines) + "\n"

    def write(self, folder: Path) -> None:
        """Write everything into a folder, the page last."""
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            with replacing(folder / name) as new:
                new.write_text(text, encoding="utf-8")

    def _say(self, *paragraphs: str) -> None:
        self.lines += [text for text in paragraphs if text]

    def _picture(self, name: str, svg: str, alternative: str) -> None:
        self.files[f"pictures/{name}.svg"] = svg
        self._say(f"![{alternative}](pictures/{name}.svg)")

    # -- set 3

    def _tuned(self) -> None:
        counts = [c for c in self.counts if c.tournament in (TUNED, LONG)]
        self._say("## Set 3: five variants in each game's best quadrant")
        if counts:
            self._best(counts)
        shown = (TUNED, LONG, *VARIATIONS)
        for game in PAPER:
            if any(c.game == game and c.tournament in shown for c in self.counts):
                self._game(game, [c for c in counts if c.game == game])

    def _best(self, counts: Sequence[Count]) -> None:
        """Show figure 3, and the rates over all numbers of players."""
        games = [game for game in PAPER if any(c.game == game for c in counts)]
        best = {}
        for _, own in _settings(counts):
            key = (own[0].game, own[0].players, budget_label(worth(own[0])))
            best[key] = best_groups({c.agent: c.rate for c in own})
        self._picture(
            "figure_3",
            best_map(
                best,
                {game: title(game) for game in games},
                sorted({c.players for c in counts}),
                [
                    budget_label(budget)
                    for budget in sorted({worth(c) for c in counts}, key=budget_order)
                ],
                "figure-3",
            ),
            "Best variants by game, players and budget",
        )
        self._say(
            "As in figure 3: V is MaxN or Paranoid, M is MT or MTP, S is Self. A "
            "letter stands where a variant of the group has the best rate, or one that "
            "is not significantly lower (95%, each pair by itself; that only one of "
            "the variants in a game can win is allowed for). Budgets are the "
            "simulations that TAG makes with one tree in that time.",
            "Over all numbers of players; V and M over both of their variants. `best` "
            "are the groups that are not significantly below the best one:",
            "\n".join(self._overall(counts, games)),
        )

    def _game(self, game: str, own: Sequence[Count]) -> None:
        """Show a game of set 3, and its variations."""
        group, more = PAPER[game]
        self._say(f"### {title(game)}", f"The paper: {group}. {more}".rstrip())
        if own:
            panels = {
                f"{players} players": [
                    Group(
                        f"{budget_label(part[0].budget)}\n"
                        f"({budget_label(worth(part[0]))})",
                        1 / players,
                        {c.agent: c.rate for c in part},
                    )
                    for setting, part in _settings(own)
                    if setting[1] == players
                ]
                for players in sorted({c.players for c in own})
            }
            described = f"Win rates of the variants in {title(game)}, set 3"
            self._picture(
                f"tuned_{game}",
                bars(panels, "", f"tuned-{game}", described),
                described,
            )
            self._say("\n".join(self._table(own)))
        for name, words in VARIATIONS.items():
            own = [c for c in self.counts if (c.tournament, c.game) == (name, game)]
            if own:
                self._say(
                    f"{words} (`{name}.yaml`):",
                    "\n".join(self._overall(own, [game])),
                    "\n".join(self._table(own)),
                )

    def _timed(self) -> None:
        """Show what was played at real times, apart from equal simulations."""
        counts = [c for c in self.counts if c.tournament == TIMED]
        games = [game for game in PAPER if any(c.game == game for c in counts)]
        if not games:
            return
        self._say(
            "## Set 3 at real times",
            "The same with budgets of time on the machine that played "
            f"(`{TIMED}.yaml`), over all numbers of players:",
            "\n".join(self._overall(counts, games)),
        )
        for game in games:
            own = [c for c in counts if c.game == game]
            self._say(f"### {title(game)}, real times", "\n".join(self._table(own)))

    def _overall(self, counts: Sequence[Count], games: Sequence[str]) -> Iterator[str]:
        """Give the lines of the table over all numbers of players."""
        names = [*VARIANTS, "V", "M"]
        yield f"| game | budget | games | even | {' | '.join(names)} | best |"
        yield "|---" * (5 + len(names)) + "|"
        for game in games:
            own = [c for c in counts if c.game == game]
            for budget in sorted({worth(c) for c in own}, key=budget_order):
                part = [c for c in own if worth(c) == budget]
                seats = sum(c.seats for c in part)
                even = sum(c.seats / c.players for c in part) / seats
                rates = {v: pooled(part, [v]) for v in VARIANTS}
                groups = {letter: pooled(part, GROUPS[letter]) for letter in GROUPS}
                played = sum(own[0].games for _, own in _settings(part))
                shown = [*rates.values(), groups["V"], groups["M"]]
                yield (
                    f"| {title(game)} | {budget_label(budget)} | {played:,} "
                    f"| {100 * even:.1f} | "
                    + " | ".join(map(said, shown))
                    + f" | {''.join(not_below(groups))} |"
                )

    def _table(self, counts: Sequence[Count]) -> Iterator[str]:
        """Give the lines of a table of settings and variants."""
        names = [v for v in VARIANTS if any(c.agent == v for c in counts)]
        yield f"| players | budget | games | even | {' | '.join(names)} |"
        yield "|---" * (4 + len(names)) + "|"
        for (_, players, budget), own in _settings(counts):
            rates = {c.agent: c.rate for c in own}
            yield (
                f"| {players} | {budget_label(budget)} | {own[0].games:,} | "
                f"{100 / players:.1f} | "
                + " | ".join(said(rates.get(v, Estimate())) for v in names)
                + " |"
            )

    # -- sets 1 and 2

    def _each_set(self, prefix: str, heading: str, words: str, figure: int) -> None:
        """Show set 1 or 2: for each game a panel for each quadrant."""
        counts = [
            c
            for own in self.counts
            if own.tournament.startswith(prefix)
            for c in _in_quadrants(own)
        ]
        if not counts:
            return
        self._say(f"## {heading}", f"The paper: {words}")
        for game in [game for game in PAPER if any(c.game == game for c in counts)]:
            of_game = [c for c in counts if c.game == game]
            self._say(f"### {title(game)}, set {figure}")
            quadrants = [
                q for q in QUADRANTS if any(c.tournament == q for c in of_game)
            ]
            panels = {}
            for quadrant in quadrants:
                own = [c for c in of_game if c.tournament == quadrant]
                panels[QUADRANTS[quadrant]] = [
                    Group(str(key[1]), 1 / key[1], {c.agent: c.rate for c in part})
                    for key, part in _settings(own)
                ]
            described = f"Win rates by quadrant in {title(game)}, set {figure}"
            self._picture(
                f"figure_{figure}_{game}",
                bars(panels, "players", f"figure-{figure}-{game}", described, True),
                described,
            )
            for quadrant in quadrants:
                own = [c for c in of_game if c.tournament == quadrant]
                text = QUADRANTS[quadrant]
                self._say(f"{text[0].upper()}{text[1:]}:", "\n".join(self._table(own)))


def _in_quadrants(count: Count) -> Iterator[Count]:
    """Give a count of set 1 or 2 with its quadrant as tournament, and its variant."""
    if count.tournament.startswith("fixed_"):
        quadrant, agent = count.tournament.removeprefix("fixed_"), count.agent
    else:
        agent, word = count.agent.split()
        quadrant = word.lower().replace("-", "_")
    if agent in VARIANTS:  # and not the field
        yield Count(
            quadrant,
            *(count.game, count.players, count.budget, count.games),
            *(agent, count.seats, count.wins),
        )


def _settings(
    counts: Sequence[Count],
) -> Iterator[tuple[tuple[str, int, str], list[Count]]]:
    """Give the counts of each setting."""
    found: dict[tuple[str, int, str], list[Count]] = {}
    for count in counts:
        key = (count.game, count.players, count.budget)
        found.setdefault(key, []).append(count)
    yield from found.items()


def worth(count: Count) -> str:
    """Return the time in which TAG searches a budget of set 3."""
    if count.tournament == LONG:
        return "1s"
    if count.tournament == TIMED:
        return count.budget
    known = tournaments()[TUNED]["games"]
    (game,) = (game for game in known if game["game"] == count.game)
    return ("40ms", "200ms")[game["budgets"].index(count.budget)]


def title(game: str) -> str:
    """Return a game's name for people."""
    return find_game(game).title


def said(rate: Estimate) -> str:
    """Return a rate in percent with its interval."""
    if rate.value is None:
        return ""
    low, value, high = (100 * part for part in (rate.low, rate.value, rate.high))
    return f"{value:.1f} ({low:.1f}-{high:.1f})"


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stores", nargs="*", type=Path, metavar="STORE")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--output", type=Path, default=Path("out/multitree"))
    where.add_argument("--publish", action="store_true")
    given = parser.parse_args()
    folder = FOLDER if given.publish else given.output
    try:
        counts = merged([read_published(), *map(read_store, given.stores)])
        if not counts:
            parser.error("name a STORE: results.csv holds nothing yet")
        page = Page(counts)
        if given.publish:
            publish(counts)
        page.write(folder)
        print(folder / "results.md")
    except (StoreError, ValueError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    except OSError as error:
        name = error.filename or folder
        parser.exit(2, f"{parser.prog}: error: {name}: {error.strerror}\n")


if __name__ == "__main__":
    main()
