"""What Tables 1 to 7 of Cazenave, "Monte Carlo Permutation Search" (2025), print.

Win rates in percent with half of their 95% intervals, by file of this folder and by
(game, playouts, agent). Figures that our copy of the paper has not are left out.
"""

Rates = dict[tuple[str, int, str], tuple[float, float]]

_HEX = "hex:size=7,first_cell=c3"
_TABLE_1 = {
    # Of this row our copy has 58.50 alone; the rest follows from the averages below.
    ("atarigo", 1000): (56.50, 55.62, 58.50, 59.50),
    ("atarigo", 5000): (60.25, 59.38, 60.25, 65.25),
    ("breakthrough", 1000): (54.75, 54.75, 56.12, 53.12),
    ("breakthrough", 5000): (57.00, 58.25, 57.25, 57.38),
    ("gomoku", 1000): (53.31, 50.25, 52.94, 52.75),
    ("gomoku", 5000): (61.19, 60.50, 58.88, 56.69),
    (_HEX, 1000): (65.88, 68.50, 71.75, 70.38),
    (_HEX, 5000): (74.12, 75.38, 77.12, 77.50),
    ("knightthrough", 1000): (52.62, 53.50, 52.75, 47.88),
    ("knightthrough", 5000): (56.38, 53.87, 56.00, 55.00),
    ("nogo", 1000): (59.62, 59.38, 58.38, 55.62),
    ("nogo", 5000): (63.25, 64.62, 61.75, 57.12),
}
_REFS = (50, 100, 200, 400)
# Half an interval of 800 games.
_GAMES = 800


def _half(rate: float) -> float:
    share = rate / 100
    return 196 * (share * (1 - share) / _GAMES) ** 0.5


def _table_1(refs: tuple[int, ...]) -> Rates:
    return {
        (game, playouts, f"ref={ref}"): (rate, _half(rate))
        for (game, playouts), row in _TABLE_1.items()
        for ref, rate in zip(_REFS, row, strict=True)
        if ref in refs
    }


# The averages over the six games of Table 1, by playouts.
AVERAGES = {
    1000: dict(zip(_REFS, (57.11, 57.00, 58.41, 56.54), strict=True)),
    5000: dict(zip(_REFS, (62.03, 62.00, 61.88, 61.49), strict=True)),
}
AVERAGE_HALF = 1.40

# The paper's text and its table 7 fit two kinds of codes: see `envs/investment`.
_TABLE_3_ABSTRACT = {
    ("investment:pairs=11", 1000, "MCPS"): (55.12, 3.45),
    ("investment:pairs=11", 5000, "MCPS"): (58.25, 3.42),
    ("investment:pairs=21", 1000, "MCPS"): (56.38, 3.44),
    ("investment:pairs=21", 5000, "MCPS"): (65.25, 3.30),
}
_TABLE_5_INVESTMENT = {
    ("investment", 1000, "MCPS"): (35.08, 2.70),
    ("investment", 5000, "MCPS"): (33.12, 2.86),
}

PAPER: dict[str, Rates] = {
    "table1": _table_1((50,)),
    "table1_refs": _table_1((100, 200, 400)),
    "table2": {
        ("wargame", 1000, "MCPS"): (52.50, 3.46),
        ("wargame", 5000, "MCPS"): (55.88, 3.44),
        ("wargame", 10000, "MCPS"): (58.50, 3.41),
        ("wargame:units=20", 1000, "MCPS"): (49.00, 3.46),
        ("wargame:units=20", 5000, "MCPS"): (55.00, 3.45),
        ("wargame:units=20", 10000, "MCPS"): (54.50, 3.45),
    },
    "table3_exact": {
        ("investment:pairs=11", 1000, "MCPS"): (56.38, 3.44),
        ("investment:pairs=11", 5000, "MCPS"): (60.12, 3.39),
        ("investment:pairs=21", 1000, "MCPS"): (56.12, 3.44),
        ("investment:pairs=21", 5000, "MCPS"): (58.63, 3.41),
    },
    "table3_abstract": _TABLE_3_ABSTRACT,
    "table3_specific": _TABLE_3_ABSTRACT,
    "table4": {},
    "table5_nogo": {
        ("nogo", 1000, "MCPS"): (35.75, 2.71),
        ("nogo", 5000, "MCPS"): (34.83, 2.70),
    },
    "table5": {
        ("wargame", 1000, "MCPS"): (33.50, 3.27),
        ("wargame", 5000, "MCPS"): (32.88, 3.26),
        **_TABLE_5_INVESTMENT,
    },
    "table5_specific": _TABLE_5_INVESTMENT,
    "table5_nogo_reverse": {},
    "table5_reverse": {},
    "table6": {
        ("wargame", 1000, "MCPS"): (65.75, 3.29),
        ("wargame", 5000, "MCPS"): (72.12, 3.11),
        ("wargame:units=20", 1000, "MCPS"): (57.00, 3.43),
        ("wargame:units=20", 5000, "MCPS"): (72.50, 3.09),
        ("video_game", 1000, "MCPS"): (49.50, 3.46),
        ("video_game", 5000, "MCPS"): (63.38, 3.34),
    },
    "table6_specific": {("video_game", 1000, "MCPS"): (72.75, 3.09)},
}

# Table 7: game, number of players, first moves, length of a playout, and how many of
# the playouts have a code of a first move, by kind of code.
TABLE_7 = [
    ("atarigo", 2, 36, 24.165, {"exact": 0.343}),
    ("breakthrough", 2, 22, 64.100, {"exact": 0.423}),
    ("gomoku", 2, 81, 53.426, {"exact": 0.333}),
    (_HEX, 2, 48, 41.300, {"exact": 0.435}),
    ("knightthrough", 2, 40, 33.624, {"exact": 0.210}),
    ("nogo", 2, 25, 22.023, {"exact": 0.450}),
    ("wargame", 2, 10, 54.448, {"exact": 0.116, "abstract": 0.297}),
    ("wargame:units=20", 2, 20, 110.525, {"exact": 0.059, "abstract": 0.157}),
    (
        "video_game", 2, 17, 55.353,
        {"exact": 0.060, "abstract": 0.256, "specific": 0.131},
    ),
    (
        "investment:pairs=11", 2, 11, 46.212,
        {"exact": 0.372, "abstract": 0.901, "specific": 0.901},
    ),
    (
        "investment:pairs=21", 2, 21, 87.559,
        {"exact": 0.353, "abstract": 0.890, "specific": 0.890},
    ),
    ("nogo", 3, 25, 20.844, {"exact": 0.292}),
    ("wargame", 3, 20, 84.520, {"exact": 0.058, "abstract": 0.159}),
    (
        "investment", 3, 10, 52.254,
        {"exact": 0.295, "abstract": 0.847, "specific": 0.847},
    ),
]  # fmt: skip
