"""tree_math: conjugate gradients on a vector that is a tree, with its derivative."""

import jax
import jax.numpy as jnp
import tree_math as tm
from jax.flatten_util import ravel_pytree
from reporting import show


def solve(apply, right, steps):
    """Solve by conjugate gradients, written for vectors."""

    def step(state, _):
        x, residual, direction = state
        image = apply(direction)
        scale = (residual @ residual) / (direction @ image)
        x, new = x + scale * direction, residual - scale * image
        return (x, new, new + (new @ new) / (residual @ residual) * direction), residual @ residual

    return jax.lax.scan(step, (0.0 * right, right, right), None, steps)


right = tm.Vector({"a": jnp.array([1.0, 2.0]), "b": jnp.array([[3.0], [-1.0]])})
matrix = jnp.diag(jnp.array([3.0, 4.0, 5.0, 6.0])) + 0.5


@tm.unwrap
def apply(tree):
    flat, back = ravel_pytree(tree)
    return back(matrix @ flat)


show("solution", jax.jit(lambda right: solve(apply, right, 3))(right))
show("gradient", jax.grad(lambda right: right @ solve(apply, right, 3)[0][0])(right))
show("batched", jax.vmap(lambda s: (s * right + 1.0) @ right)(jnp.arange(3.0)))
pick = tm.numpy.where(right > 0, right, -right)
show("elementwise", [pick, tm.numpy.maximum(right, 0.5), abs(right) @ right])
