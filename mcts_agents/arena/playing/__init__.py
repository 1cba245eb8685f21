"""One game between agents, and processes that play many.

What tournaments, recordings for learners, wrappers and `mcts-agents play` share: who
sits where (`fixtures`), with what budget (`budgets`), the game itself (`match`).
"""
