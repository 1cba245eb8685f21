"""Worlds: positions that agree with what a player knows, one for each iteration.

OpenSpiel samples a world in 1 to 60 microseconds, often longer than a rollout. So a
search keeps the first `worlds` that it has sampled; later iterations begin in one of
these, chosen at random. Up to that number of simulations every iteration has a world of
its own. In games with few worlds all of them are kept, each with its probability, and
drawn with it.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.open_spiel.records import (
    GAME,
    NUMBER,
    OWNER,
    POOL,
    ROOT,
    checked,
    copy_state,
    goes_on,
    load_callback,
    words_of,
)
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.random import next_uint64

_RESAMPLE = GAME.fields["resample"][1]
_ENUMERATE = GAME.fields["enumerate"][1]
_FLOAT = 2.0**-53


@njit
def redeterminise(game, state, observer, rng):
    """Begin in a world where the observer may be; return 1, 0 if a callback failed."""
    record = carray(as_pointer(game), 1, GAME)[0]
    generator = carray(as_pointer(rng), 2, np.uint64)
    words = words_of(state)
    pool = carray(as_pointer(record.pool), 1, POOL)[0]
    kept = record.worlds > 0 and words[OWNER] == record.owner
    if kept and not (
        pool.root == words[ROOT]
        and pool.number == words[NUMBER]
        and pool.observer == observer
        and goes_on(pool.stream, generator)
    ):
        pool.root = words[ROOT]
        pool.number = words[NUMBER]
        pool.observer = observer
        pool.count = 0
        pool.complete = 0
    number = next_uint64(generator)
    pool.stream[0], pool.stream[1] = generator[0], generator[1]
    # The second iteration shows that this is a search, and not a single sample.
    if kept and record.enumerates != 0 and pool.count == 1:
        function = load_callback(game + _ENUMERATE)
        worlds = checked(game, function(state, observer, 0, 0)) - 1
        if worlds < 0:
            return np.int64(0)
        if worlds > 0:
            pool.count = worlds
            pool.complete = 1
    share = np.float64(number >> np.uint64(11)) * _FLOAT
    if kept and (pool.complete != 0 or pool.count >= record.worlds):
        place = np.int64(share * pool.count)
        if pool.complete != 0:
            shares = carray(as_pointer(record.pool_shares), pool.count, np.float64)
            place = np.int64(0)
            while place < pool.count - 1 and share >= shares[place]:
                place += 1
        copy_state(game, state, record.pool_states + 8 * record.state_words * place)
        return np.int64(1)
    function = load_callback(game + _RESAMPLE)
    done = checked(game, function(state, observer, 0, np.int64(number)))
    if kept and done != 0:
        place = record.pool_states + 8 * record.state_words * pool.count
        copy_state(game, place, state)
        pool.count += 1
    return done
