"""treadle-batching alone: vectorisation on NumPy, with no compiler on the machine."""

from importlib.util import find_spec

import numpy as np

from treadle_batching import vmap
from treadle_ir import ops

assert find_spec("jaxlib") is None

x = np.arange(6, dtype=np.float32).reshape(2, 3)
y = np.array([1, 2, 3], np.float32)
result = vmap(ops.multiply, in_axes=(0, None))(x, y)
np.testing.assert_array_equal(np.asarray(result), x * y)
print("treadle-batching works alone")
