"""Each process watches itself, and its report names it."""

import numpy as np

import treadle

treadle.distributed.initialize()
step = treadle.jit(lambda x: x.sum())
with treadle.watch("recompile") as seen:
    for size in (3, 5, 6, 7):
        step(np.ones(size, np.float32))
print(seen.report())
