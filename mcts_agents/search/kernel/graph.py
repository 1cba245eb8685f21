"""Monte Carlo graph search: nodes are found by what a key says of the state.

After each action the present state's key is looked up. A known position is the next
node, however it was reached; an unknown one becomes a new node, and the rollout begins
there. Statistics belong to pairs of position and action, and values are backed up along
the positions of the iteration's own trajectory.

`expand_after_clash`: an action taken for the first time that leads to a known position
continues there; otherwise the rollout begins at once.

A key is of what the acting player knows where worlds are sampled, else of the whole
state. `descent` advances the graph's node and `selection` goes on there; `batches` asks
whether paths have joined. The solver, kept trees and serialised moves follow links,
which a graph has not got, and are refused beside it.

Sources: TAG's MCGS; B. Childs, J. Brodeur, L. Kocsis,
"Transpositions and move groups in Monte Carlo tree search", CIG 2008 (UCT2).
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel.lane import leave
from mcts_agents.search.kernel.parts import Condition, NeededFunction, Part, one_of
from mcts_agents.search.kernel.records import GRAPH, NONE, edges_of, joints_of, nodes_of
from mcts_agents.search.kernel.tree import add_node, place_of_joint
from mcts_agents.search.kernel.variants import WAITS

PART = Part(
    fields=[
        ("graph", np.int64),  # nodes are found by state keys
        ("graph_observer", np.int64),  # whose knowledge the keys are of
        ("expand_after_clash", np.int64),
        # lane
        ("graph_node", np.int64),  # where the search stands
        ("arrived_fresh", np.int64),  # by an action taken for the first time
        ("clashed", np.int64),  # and that at a position which was known
    ],
    values=lambda model, settings: {
        "graph": settings.graph,
        "expand_after_clash": settings.expand_after_clash,
    },
    needs={
        "graph": [one_of("tree", "one", "self"), one_of("loop", "open")],
        "expand_after_clash": [Condition(lambda s: s.graph, "graph=true")],
    },
    entries=[NeededFunction("graph", True, "state_key", "use graph=false")],
    extended=lambda settings: settings.graph,
)


@njit
def advance_graph(search, movers):
    """Find or make the node of the present state; leave the tree if it is new."""
    mine = movers & search.owned
    if search.link[0] == NONE or mine == 0:
        return
    state_key = call.state_key(search, search.graph_observer)
    # The movers first: a state key may be any number, and differ by as little.
    key = mixed(mixed(np.uint64(0), mine), state_key)
    entry = joints_of(search)[place_of_joint(search, GRAPH, key)]
    known = entry.edge != 0
    if known:
        search.graph_node = entry.edge - 1
    else:
        search.graph_node = add_node(search, mine, search.link[0])
        nodes_of(search)[search.graph_node].sibling = NONE
        entry.node = GRAPH
        entry.edge = search.graph_node + 1
        entry.key = key
        search.joint_count += 1
    edges_of(search)[search.link[0]].child = search.graph_node
    search.clashed = (
        known
        and search.step_count > 0
        and search.arrived_fresh
        and not search.expand_after_clash
    )
    if search.step_count > 0 and not WAITS:
        if search.clashed or not known:
            leave(search, 0)
