"""Tables 2 and 3 of the Pommerman paper, and the figures' numbers as tables."""

from collections.abc import Iterable, Sequence

from pommerman_games import ACTIONS, Iteration, Played, mean_actions, side_by_side

from mcts_agents.arena.analysis.intervals import Estimate, wilson
from mcts_agents.arena.analysis.summaries import AgentFigures

# Decisions in the tree for each step of the environment: those of the player, and of
# the opponent that TP-MCTS looks at.
DECISIONS = {"SP-MCTS": 1, "TP-MCTS": 2}
OF_GAMES = "Intervals are those of games: other networks of the kind are not in them."

# Of the paper, by network and agent, 1,000 simulations. Table 2: win rate, tie rate,
# depth, milliseconds a step, steps of a game. Table 3: win rate, tie rate.
TABLE_2 = {
    ("SL", "SP-MCTS, SimpleUnbiased"): (0.78, 0.07, 17.91, 35.30, 188.99),
    ("SL", "SP-MCTS, RawNet"): (0.76, 0.10, 21.46, 266.62, 191.02),
    ("SL", "TP-MCTS, SimpleUnbiased"): (0.91, 0.06, 11.57, 36.89, 246.40),
    ("SL", "TP-MCTS, RawNet"): (0.92, 0.06, 12.14, 164.61, 254.79),
    ("SRL", "SP-MCTS, SimpleUnbiased"): (0.94, 0.02, 21.39, 37.34, 275.23),
    ("SRL", "SP-MCTS, RawNet"): (0.90, 0.04, 25.52, 315.74, 288.47),
    ("RL", "SP-MCTS, SimpleUnbiased"): (0.82, 0.07, 21.98, 36.49, 331.99),
    ("RL", "SP-MCTS, RawNet"): (0.71, 0.08, 28.30, 309.40, 316.81),
}
TABLE_3 = {
    ("SL", "SP-MCTS, SimpleUnbiased"): (0.78, 0.12),
    ("SL", "SP-MCTS, RawNet"): (0.67, 0.25),
    ("SL", "TP-MCTS, SimpleUnbiased"): (0.66, 0.32),
    ("SL", "TP-MCTS, RawNet"): (0.61, 0.34),
    ("SRL", "SP-MCTS, SimpleUnbiased"): (0.65, 0.30),
    ("SRL", "SP-MCTS, RawNet"): (0.63, 0.32),
    ("RL", "SP-MCTS, SimpleUnbiased"): (0.74, 0.22),
    ("RL", "SP-MCTS, RawNet"): (0.72, 0.23),
}


def _rate(rate: Estimate) -> str:
    return f"{rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def _lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table_2(found: Sequence[Played]) -> str:
    """Return table 2: against three SimpleUnbiased."""
    rows = []
    for one in found:
        figures, paper = one.figures, TABLE_2[one.network, one.agent]
        won, tied, depth, time, steps = paper
        rows.append(
            [
                one.network, one.agent, f"{one.simulations:,}", f"{figures.games:,}",
                f"{_rate(figures.won)}; {won:.0%}",
                f"{figures.drawn.value:.1%}; {tied:.0%}",
                f"{figures.depth / DECISIONS[one.agent.partition(',')[0]]:.1f}; "
                f"{depth:.1f}",
                f"{figures.decisions.mean:.0f}; {time:.0f}",
                f"{figures.length.value:.0f}; {steps:.0f}",
            ]
        )  # fmt: skip
    head = [
        "network", "search, opponent model", "simulations", "games", "won (95%); paper",
        "drawn; paper's ties", "longest path in steps; paper's principal variation",
        "ms a step; paper", "steps; paper",
    ]  # fmt: skip
    return (
        "**Table 2**, against three SimpleUnbiased. The paper's figures are of 1,000 "
        f"simulations. {OF_GAMES}\n\n" + _lines(head, rows)
    )


def table_3(found: Sequence[Played]) -> str:
    """Return table 3: against three official SimpleAgents."""
    rows = []
    for one in found:
        figures, (won, tied) = one.figures, TABLE_3[one.network, one.agent]
        rows.append(
            [
                one.network, one.agent, f"{one.simulations:,}", f"{figures.games:,}",
                f"{_rate(figures.won)}; {won:.0%}",
                f"{figures.drawn.value:.1%}; {tied:.0%}",
            ]
        )  # fmt: skip
    head = [
        "network", "search, opponent model", "simulations", "games",
        "won (95%); paper", "drawn; paper's ties",
    ]  # fmt: skip
    return (
        "**Table 3**, against three official SimpleAgents. The paper takes 1,000 "
        f"simulations with SimpleUnbiased, and 250 with RawNet. {OF_GAMES}\n\n"
        + _lines(head, rows)
    )


def table_of_equal_time(
    found: Sequence[AgentFigures], budget: str, machines: str
) -> str:
    """Return what agents win with the same time a decision.

    Args:
        found: Their results.
        budget: The time.
        machines: What `machines.told` says.
    """
    rows = [
        [
            one.agent, f"{one.games:,}", _rate(one.won), f"{one.drawn.value:.1%}",
            f"{one.simulations_per_second * one.decisions.mean / 1000:,.0f}",
            f"{one.decisions.mean:.0f}",
        ]
        for one in found
    ]  # fmt: skip
    head = ["agent", "games", "won (95%)", "drawn", "simulations", "ms a step"]
    text = (
        f"**With equal time**, {budget} a step, SP-MCTS against three SimpleUnbiased, "
        "who are also the opponent model."
    )
    if machines:
        text += f" These games were played {machines}."
    return f"{text}\n\n{_lines(head, rows)}"


def table_of_levels(found: Sequence[Played]) -> str:
    """Return figure 2 as a table."""
    rows = [
        [
            one.network, one.agent, f"{one.simulations:,}", f"{one.figures.games:,}",
            _rate(one.figures.won), f"{one.figures.drawn.value:.1%}",
        ]
        for one in found
    ]  # fmt: skip
    head = ["network", "agent", "simulations", "games", "won (95%)", "drawn"]
    return (
        "**Figure 2**, against three SimpleUnbiased, who are also the opponent model."
        "\n\n" + _lines(head, rows)
    )


def table_of_iterations(learned: dict[str, list[list[Iteration]]]) -> str:
    """Return figures 3 and 4 as a table."""
    rows = []
    for name, seeds in learned.items():
        for number, found in enumerate(side_by_side(seeds)):
            games = sum(one.games for one in found)
            rate = wilson(sum(one.wins for one in found), games)
            actions = mean_actions(found)
            decisions = sum(one.decisions for one in found)
            rows.append(
                [
                    name, str(number), f"{games:,}", f"{decisions:,}", _rate(rate),
                    *(f"{share:.1%}" for share in actions),
                ]
            )  # fmt: skip
    head = ["network", "iteration", "games", "decisions", "win rate (95%)", *ACTIONS]
    return (
        "**Figures 3 and 4**, SP-MCTS in the games of each iteration of reinforcement "
        f"learning; who draws shares the win. {OF_GAMES}\n\n" + _lines(head, rows)
    )
