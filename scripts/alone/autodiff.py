"""treadle-autodiff alone: derivatives on NumPy, with no compiler on the machine."""

from importlib.util import find_spec

import numpy as np

from treadle_autodiff import grad
from treadle_ir import Operand, ops

assert find_spec("jaxlib") is None


def cube(x: Operand) -> Operand:
    """x to the third."""
    return ops.multiply(ops.multiply(x, x), x)


x = np.float32(2.0)
np.testing.assert_allclose(np.asarray(grad(cube)(x)), 12.0)
np.testing.assert_allclose(np.asarray(grad(grad(cube))(x)), 12.0)
print("treadle-autodiff works alone")
