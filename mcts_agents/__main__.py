"""`python -m mcts_agents` is the command `mcts-agents`."""

from mcts_agents.cli import main

if __name__ == "__main__":
    main()
