"""jaxlie: rigid transformations, and derivatives on their manifold."""

import jax
import jax.numpy as jnp
import jaxlie
from reporting import show

pose = jaxlie.SE3.exp(jnp.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
show("pose", [pose.log(), pose.as_matrix(), pose.apply(jnp.ones(3))])
show("jacobian", jax.jacfwd(lambda t: jaxlie.SO3.exp(t).as_matrix())(jnp.zeros(3)))
weights = jnp.arange(9.0).reshape(3, 3)
rotation = jaxlie.SO3.exp(jnp.array([0.1, 0.2, 0.3]))
show("gradient", jaxlie.manifold.grad(lambda r: (r.as_matrix() ** 2 * weights).sum())(rotation))
