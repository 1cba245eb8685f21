"""Many searches side by side, whose leaves go into one batch of an evaluator.

    for each search in turn, unless it waits or is at its end:
        search on, until its leaves wait or its budget is spent
        its rows of the batch lie right behind those of the search before

Each search has its own tree, state and generator, and is the one that
`driver/search.py` runs alone: what the others do changes nothing in it. Its batch
writes into the fleet's rows, so nothing is gathered.

The loop ends early where a search lacks room, and after so many descents, so that
Ctrl-C is heard; `next` is the search with which it goes on. Nothing may be answered
before the loop has come to its end, since that search may have written rows already.
"""

import numpy as np
from numba import carray, int64, intp, njit

from mcts_agents.model.addresses import as_pointer, first_class
from mcts_agents.search.kernel.batch_records import batch_of
from mcts_agents.search.kernel.batches import check_answers, take_checked_answers
from mcts_agents.search.kernel.priors import add_root_noise
from mcts_agents.search.kernel.records import joints_of, rng_of
from mcts_agents.search.kernel.root_reading import begin_decision
from mcts_agents.search.kernel.search_record import SEARCH
from mcts_agents.search.kernel.status import BUDGET_SPENT, EVALUATE, SLICE_DONE

# What a search of a fleet does: nothing was begun; it goes on; its leaves wait for the
# evaluator; its budget is spent.
IDLE, RUNNING, ASKING, FINISHED = range(4)

SEARCH_BYTES = SEARCH.itemsize

# Descents in one call of a search's own loop.
DESCENTS = 256

# The compiled `run_slice` of a search.
RUN_SLICE = int64(intp, int64, int64)
_load_run_slice = first_class(RUN_SLICE)

MEMBER = np.dtype(
    [
        ("search", np.intp),  # SEARCH
        ("status", np.int64),
        ("first_row", np.int64),  # of those that wait
        ("noise_due", np.int64),  # the root is to have noise once it has priors
    ],
    align=True,
)

FLEET = np.dtype(
    [
        # asked
        ("run_slice", np.intp),  # address of a C callback's and a compiled address
        ("observations", np.intp),  # int8 (rows, observation_size); 0: not asked for
        ("states", np.intp),  # uint8 (rows, state_size); 0: not asked for
        ("players", np.intp),  # int64 (rows,)
        ("legal", np.intp),  # uint8 (rows, actions)
        ("observation_size", np.int64),
        ("state_size", np.int64),
        ("actions", np.int64),
        ("player_count", np.int64),
        ("simulations", np.int64),  # of a decision
        ("call_limit", np.int64),
        ("root_noise", np.float64),
        ("root_noise_alpha", np.float64),
        # used
        ("next", np.int64),  # the search with which to go on
        ("rows", np.int64),  # that wait
    ],
    align=True,
)


@njit
def search_of(member):
    """View a member's SEARCH record."""
    return carray(as_pointer(member.search), 1, SEARCH)[0]


@njit
def begin_search(fleet, member, blank, root_state, rng):
    """Begin a decision with an empty tree.

    Args:
        fleet: The FLEET record.
        member: The MEMBER record.
        blank: Address of what the SEARCH record says at the beginning.
        root_state: Address of the root, which stays as it is meanwhile.
        rng: The generator to go on with, uint64, shape (2,); copied.
    """
    search = search_of(member)
    if search.joint_count > 0:
        joints_of(search)[:] = np.zeros(1, joints_of(search).dtype)[0]
    record = carray(as_pointer(member.search), SEARCH_BYTES, np.uint8)
    record[:] = carray(as_pointer(blank), SEARCH_BYTES, np.uint8)
    search.root_state = root_state
    search.simulation_limit = fleet.simulations
    rng_of(search)[0] = rng[0]
    rng_of(search)[1] = rng[1]
    begin_decision(search, True)
    batch = batch_of(search)
    batch.lane_count = batch.step_count = batch.row_count = 0
    batch.leaves = batch.others = 0
    batch.target = fleet.simulations
    member.noise_due = fleet.root_noise > 0.0
    member.status = RUNNING
    return 0


@njit
def advance_fleet(fleet, members, descents):
    """Search on until all searches wait for answers or have spent their budgets.

    Args:
        fleet: The FLEET record.
        members: MEMBER records.
        descents: About so many are made, then the call ends.

    Returns:
        BUDGET_SPENT: nothing goes on before the answers. SLICE_DONE: call again. Any
        other status is that of the search `next`: room is lacking (GROW), or it must be
        given up.
    """
    while fleet.next < len(members):
        member = members[fleet.next]
        if member.status == RUNNING:
            if descents <= 0:
                return SLICE_DONE
            before = descents_of(member)
            status = advance_member(fleet, member)
            descents -= max(descents_of(member) - before, 1)
            if status != SLICE_DONE:
                return status
        if member.status != RUNNING:
            fleet.next += 1
    fleet.next = 0
    return BUDGET_SPENT


@njit
def descents_of(member):
    """Return how many descents a search has made, those that wait included."""
    search = search_of(member)
    return search.simulations + batch_of(search).lane_count


@njit
def advance_member(fleet, member):
    """Let one search make some descents."""
    search = search_of(member)
    if search.simulations >= fleet.simulations:
        member.status = FINISHED
        return SLICE_DONE
    batch = batch_of(search)
    place_rows(fleet, batch)
    run_slice = _load_run_slice(fleet.run_slice)
    status = run_slice(member.search, DESCENTS, fleet.call_limit)
    if status == EVALUATE:
        member.status = ASKING
        member.first_row = fleet.rows
        fleet.rows += batch.row_count
        return SLICE_DONE
    if status == BUDGET_SPENT:
        member.status = FINISHED
        return SLICE_DONE
    return status


@njit
def place_rows(fleet, batch):
    """Let a batch write behind the rows that wait already."""
    if fleet.observations != 0:
        batch.observations = fleet.observations + fleet.rows * fleet.observation_size
    if fleet.states != 0:
        batch.states = fleet.states + fleet.rows * fleet.state_size
    batch.players = fleet.players + 8 * fleet.rows
    batch.legal = fleet.legal + fleet.rows * fleet.actions


@njit
def answer_fleet(fleet, members, values, logits):
    """Take in the answers to all rows that wait; return SLICE_DONE.

    BAD_VALUES or BAD_LOGITS: they are not what they should be, and nothing has changed.

    Args:
        fleet: The FLEET record.
        members: MEMBER records.
        values: float64, shape (rows * players,).
        logits: float64, shape (rows * actions,).
    """
    for i in range(len(members)):
        if members[i].status == ASKING:
            own = rows_of(fleet, members[i], values, logits)
            search = search_of(members[i])
            status = check_answers(search, batch_of(search), own[0], own[1])
            if status != SLICE_DONE:
                return status
    for i in range(len(members)):
        member = members[i]
        if member.status == ASKING:
            own = rows_of(fleet, member, values, logits)
            search = search_of(member)
            take_checked_answers(search, own[0], own[1])
            if member.noise_due:
                noise = fleet.root_noise, fleet.root_noise_alpha
                member.noise_due = not add_root_noise(search, noise[0], noise[1])
            member.status = RUNNING
    fleet.rows = 0
    return SLICE_DONE


@njit
def rows_of(fleet, member, values, logits):
    """Return the part of values and logits that answers one search."""
    first = member.first_row
    end = first + batch_of(search_of(member)).row_count
    players, actions = fleet.player_count, fleet.actions
    return (
        values[first * players : end * players],
        logits[first * actions : end * actions],
    )
