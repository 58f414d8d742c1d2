"""interpax: interpolation, with derivatives."""

import interpax
import jax
import jax.numpy as jnp
from reporting import show

xs = jnp.linspace(0, 1, 10)
points = jnp.array([0.15, 0.55])
for method in ("cubic", "akima", "monotonic"):
    at = jax.jit(lambda q, method=method: interpax.interp1d(q, xs, jnp.sin(xs), method=method))
    show(method, [at(points), jax.grad(lambda q, at=at: at(q).sum())(points)])
