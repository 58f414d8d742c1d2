"""treadle-numpy alone: arrays, operators and indexing on NumPy, with no compiler on the machine."""

from importlib.util import find_spec

import treadle_numpy as tnp

assert find_spec("jaxlib") is None

x = tnp.arange(6.0).reshape(2, 3)
assert (x - x.mean(axis=0)).tolist() == [[-1.5] * 3, [1.5] * 3]
assert x[1, 1:].tolist() == [4.0, 5.0]
print("treadle-numpy works alone")
