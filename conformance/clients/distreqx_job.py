"""distreqx: distributions and bijectors."""

import jax
import jax.numpy as jnp
from distreqx import bijectors, distributions
from reporting import show

normal = distributions.Normal(jnp.zeros(3), jnp.ones(3))
show("normal", [normal.log_prob(jnp.arange(3.0)), normal.sample(jax.random.key(0))])
squashed = distributions.Transformed(normal, bijectors.Tanh())
show("transformed", squashed.log_prob(jnp.array([0.1, 0.2, 0.3])))
show("its sample", jax.jit(lambda key: squashed.sample(key))(jax.random.key(1)))
joint = distributions.MultivariateNormalTri(jnp.zeros(2), jnp.array([[1.0, 0], [0.5, 2.0]]))
show("joint", [joint.log_prob(jnp.ones(2)), joint.entropy()])
