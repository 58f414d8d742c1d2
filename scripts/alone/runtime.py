"""treadle-runtime alone: devices and a jitted call."""

import numpy as np

from treadle_ir import ops
from treadle_runtime import devices, jit

x = np.array([1, 2, 3], np.float32)
np.testing.assert_array_equal(np.asarray(jit(ops.add)(x, x)), x + x)
assert devices()
print("treadle-runtime works alone")
