"""The façade with everything it declares: import it, run one gradient, and one under jit."""

import treadle
import treadle.numpy as tnp


def loss(x: treadle.Array) -> treadle.Array:
    """Return a function with a known gradient."""
    return tnp.sum(tnp.sin(x) ** 2)


x = tnp.array([0.5, 1.0])
expected = tnp.sin(2 * x)
assert tnp.allclose(treadle.grad(loss)(x), expected)
assert tnp.allclose(treadle.jit(treadle.grad(loss))(x), expected)
print("treadle works: grad(loss) =", treadle.grad(loss)(x))
