"""qpax: quadratic programs, with the derivative of a solution."""

import jax
import jax.numpy as jnp
import qpax
from reporting import show

jax.config.update("jax_enable_x64", True)
root = jax.random.normal(jax.random.key(0), (5, 5))
Q, q = root @ root.T + jnp.eye(5), jax.random.normal(jax.random.key(1), (5,))
A, b = jnp.ones((1, 5)), jnp.array([1.0])
G, h = -jnp.eye(5), jnp.zeros(5)
x, s, z, y, converged, iterations = jax.jit(qpax.solve_qp)(Q, q, A, b, G, h)
show("solution", [x, z, y, converged])
show("gradient", jax.grad(lambda q: jnp.sum(qpax.solve_qp_primal(Q, q, A, b, G, h) ** 2))(q))
show("batched", jax.vmap(lambda q: qpax.solve_qp(Q, q, A, b, G, h)[0])(jnp.stack([q, -q, 2 * q])))
