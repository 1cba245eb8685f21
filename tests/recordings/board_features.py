"""What recorded games of OpenSpiel show of the rules of their games."""

from itertools import groupby

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
# Rows of the star of 121 holes: four of its points lie at the ends of longer rows.
SIDE_ROWS = {4: 4, 5: 3, 6: 2, 7: 1, 9: 1, 10: 2, 11: 3, 12: 4}
ROW_LENGTHS = (1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1)


def of_every_game(game: dict) -> set:
    """Who has won, and how the recorded players chose."""
    kind = "cut" if game.get("max_turns") and not any(game["returns"]) else "ended"
    return {("returns", kind, *game["returns"]), ("policy", game["policy"])}


def of_tic_tac_toe(game: dict) -> set:
    """Also each winning line of each player, two lines at once, a full board."""
    cells = ["abc".index(move[0]) + 3 * (int(move[1]) - 1) for move in game["moves"]]
    shown = of_every_game(game) | {("length", len(cells))}
    for player in (0, 1):
        own = set(cells[player::2])
        lines = [line for line in LINES if own >= {int(cell) for cell in line}]
        shown |= {("line", player, line) for line in lines}
        shown.add(("lines", player, len(lines)))
    return shown


def of_hex(game: dict) -> set:
    """Also short and long games, and where the first and the last stones lie."""
    shown = of_every_game(game)
    winner = game["returns"].index(1)
    size = max(int(move[1:]) for move in game["legal"][0].split())
    shown.add(("tenths filled", winner, 10 * len(game["moves"]) // size**2))
    shown |= {("last column", winner, game["moves"][-1][0])}
    shown |= {("last row", winner, game["moves"][-1][1:])}
    shown |= {("opening", game["players"][0], cell[0]) for cell in game["moves"][:1]}
    return shown


def of_connect_four(game: dict) -> set:
    """Also the last column, how high discs lie, full columns, and long games."""
    shown = of_every_game(game) | {("length", len(game["moves"]) // 4)}
    shown.add(("last", game["players"][-1], game["moves"][-1]))
    heights = [game["moves"].count(column) for column in "1234567"]
    shown |= {("height", column, height) for column, height in enumerate(heights)}
    shown |= {("open columns", len(legal.split())) for legal in game["legal"]}
    shown.add(("full board", sum(heights) == 42))
    return shown


def of_othello(game: dict) -> set:
    """Also passes, corners, how many can be chosen from, and what is left empty."""
    shown = of_every_game(game)
    passes = [
        p for p, m in zip(game["players"], game["moves"], strict=True) if m == "pass"
    ]
    shown |= {("passes", player, passes.count(player)) for player in (0, 1)}
    turns = zip(game["players"], game["moves"], game["legal"], strict=True)
    for player, move, legal in turns:
        shown.add(("choices", len(legal.split())))
        if move in ("a1", "a8", "h1", "h8"):
            shown.add(("corner", player, move))
    shown.add(("empty at the end", game["final"].count("-")))
    shown.add(("lead", (game["discs"][0] - game["discs"][1]) // 8))
    shown.add(("last mover", game["players"][-1]))
    return shown


def of_breakthrough(game: dict) -> set:
    """Also moves in each direction from each column, and how the game ends."""
    shown = of_every_game(game)
    for player, move in zip(game["players"], game["moves"], strict=True):
        shown.add(("move", player, move[0], move[2]))
    last = game["moves"][-1]
    rows = 1 + max(int(move[1]) for move in game["legal"][0].split())
    end = last[2] if int(last[3]) in (1, rows) else "captured all"
    shown.add(("end", game["players"][-1], end))
    return shown


def of_gomoku(game: dict) -> set:
    """Also the direction and length of lines that win, and when and where they do."""
    shown = of_every_game(game) | {("length", len(game["moves"]) // 32)}
    cells = ["abcdefghijklmnopqrs".index(m[0]) + 1j * int(m[1:]) for m in game["moves"]]
    player, last = game["players"][-1], cells[-1]
    own = {c for c, p in zip(cells, game["players"], strict=True) if p == player}
    for step in (1, 1j, 1 + 1j, 1 - 1j):
        runs = [
            next(n for n in range(20) if last + side * (n + 1) * step not in own)
            for side in (1, -1)
        ]
        if sum(runs) >= 4:
            shown |= {("line", player, step), ("longer", player, sum(runs) > 4)}
            shown.add(("stones before the last", runs[0]))
    ends = {1, max(int(move[1:]) for move in game["legal"][0].split())}
    at_ends = (last.real + 1 in ends) + (last.imag in ends)
    return shown | {("last", player, at_ends)}


def of_stones(game: dict) -> set:
    """Also how many points are illegal for whom, and where and when the game ends."""
    shown = of_every_game(game) | {("length", len(game["moves"]) // 8)}
    points = game["legal"][0].split()
    size = max(int(point[1:]) for point in points)
    ends = {"a", "abcdefghijk"[size - 1], "1", str(size)}
    for ply, (player, legal) in enumerate(
        zip(game["players"], game["legal"], strict=True)
    ):
        illegal = len(points) - ply - len(legal.split())
        shown.add(("illegal", player, min(illegal, 12)))
    last = game["moves"][-1]
    shown.add(("last", game["players"][-1], (last[0] in ends) + (last[1:] in ends)))
    return shown | {("last row", last[1:])}


def of_dots_and_boxes(game: dict) -> set:
    """Also ties, edges that complete two boxes, and how many moves follow in a row."""
    shown = of_every_game(game)
    rows, columns = (
        max(int(move[1:].split(",")[place]) for move in game["legal"][0].split())
        for place in (0, 1)
    )
    drawn: set[str] = set()
    for move, player in zip(game["moves"], game["players"], strict=True):
        drawn.add(move)
        row, column = map(int, move[1:].split(","))
        is_flat = move[0] == "h"
        beside = [(row, column), (row - is_flat, column - (not is_flat))]
        completed = sum(
            {f"h{r},{c}", f"h{r + 1},{c}", f"v{r},{c}", f"v{r},{c + 1}"} <= drawn
            for r, c in beside
        )
        border = row in (0, rows) if is_flat else column in (0, columns)
        shown.add(("completes", move[0], completed, border, player))
    runs = [(player, len(list(run))) for player, run in groupby(game["players"])]
    shown |= {("moves in a row", player, min(length, 12)) for player, length in runs}
    shown.add(("lead", max(-8, min(8, game["boxes"][0] - game["boxes"][1]))))
    shown.add(("last mover", game["players"][-1]))
    return shown


def point_of(cell: str) -> str:
    """Return the point of the star that a hole lies in, or `"middle"`."""
    row, index = map(int, cell.split("."))
    if row < 4 or row > 12:
        return "N" if row < 4 else "S"
    depth = SIDE_ROWS.get(row, 0)
    side = "N" if row < 8 else "S"
    if index < depth:
        return side + "W"
    return side + "E" if index >= ROW_LENGTHS[row] - depth else "middle"


def of_chinese_checkers(game: dict) -> set:
    """Also which points the men walk through, and how far turns lead."""
    shown = of_every_game(game)
    for move, player, legal in zip(
        game["moves"], game["players"], game["legal"], strict=True
    ):
        origin, target = move.split(">")
        shown.add(("walks", point_of(origin), point_of(target)))
        shown.add(("reaches", player, point_of(target)))
        rows = int(target.split(".")[0]) - int(origin.split(".")[0])
        shown.add(("rows", rows))
        shown.add(("choices", len(legal.split()) // 15))
    return shown
