"""What Goodman, Perez-Liebana and Lucas (CoG 2022) say of each game, in our words."""

# The groups of section VI-B.
NO_BENEFIT = "no benefit from MultiTree at any budget"
LOW_BUDGETS = "MultiTree works well at lower budgets only"
ALWAYS = "MultiTree and Self are always ahead"

# By game, in the order of the tournaments: the group, and what section VI adds.
PAPER = {
    "tictactoe": (
        NO_BENEFIT,
        "MaxN and Paranoid play perfectly at 40 ms. MultiTree sometimes loses to them, "
        "but the difference is not significant.",
    ),
    "dots_and_boxes": (
        NO_BENEFIT,
        "A bad move is exploited at once, so a search that answers the opponents' "
        "moves is essential.",
    ),
    "dominion": (
        NO_BENEFIT,
        "This was not expected of a game with so little interaction. With more budget, "
        "MaxN and Paranoid get worse for two players and better for three and four, "
        "where Self gets worse (figure 6).",
    ),
    "exploding_kittens": (NO_BENEFIT, "All variants do equally well."),
    "uno": (NO_BENEFIT, ""),
    "poker": (
        LOW_BUDGETS,
        "MaxN comes to dominate as the budget grows, later with more players. Self "
        "declines as the budget grows (figure 4).",
    ),
    "sushi_go": (
        LOW_BUDGETS,
        "MultiTree is the best variant overall. The paper's single tree lets opponents "
        "answer a choice that they do not see.",
    ),
    "virus": (LOW_BUDGETS, ""),
    "love_letter": (ALWAYS, "Less so than Colt Express and Diamant."),
    "diamant": (ALWAYS, "MultiTree is the best variant overall."),
    "colt_express": (
        ALWAYS,
        "Self is best, and its advantage declines as the budget grows; MaxN and "
        "Paranoid get better, but are poor even at a second (figure 5).",
    ),
}
# What section VI-A says of sets 1 and 2 in Colt Express.
FIXED = (
    "In Colt Express, figure 1: without rollouts, Self and both kinds of MultiTree do "
    "very well against MaxN. With rollouts of 30, nothing of this is left for two and "
    "three players, and much less of it for four to six."
)
ROUND_ROBIN = (
    "In Colt Express, figure 2: all agents without rollouts are poor, and the length "
    "of the rollout matters more than the variant."
)

# Tournaments that change something of set 3, to explain a difference to the paper.
VARIATIONS = {
    "serialised": "With the paper's kind of single tree, in which players who choose "
    "at the same time see each other's choices",
    "one_deal": "With that kind of single tree, and one deal for all iterations of a "
    "search",
    "one_deal_uno": "With one deal for all iterations of a search",
    "wide": "With more exploration, and in Diamant one deal for all iterations of a "
    "search",
}
