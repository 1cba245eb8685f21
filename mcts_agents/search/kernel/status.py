"""What a slice of the compiled search ends with."""

import numpy as np

NO_LIMIT = np.iinfo(np.int64).max

(
    SLICE_DONE,
    BUDGET_SPENT,
    GROW,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    ROLLOUT_TOO_LONG,
    NOTHING_KEPT,
    EVALUATE,
    BAD_VALUES,
    BAD_LOGITS,
    BAD_CHOICE,
    NOT_FINITE,
    BAD_ACTION,
    BAD_MOVERS,
    NOT_ANSWERED,
    BAD_POLICY,
    ROOTS_APART,
) = range(17)

# What a search that must grow lacks room for, as bits.
LACKS_NODES, LACKS_EDGES, LACKS_JOINTS, LACKS_POOLS = 1, 2, 4, 8
