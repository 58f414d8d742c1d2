"""bijx: densities by bijections and by flows, with derivatives."""

import bijx
import jax
import jax.numpy as jnp
from flax import nnx
from reporting import show

prior = bijx.IndependentNormal((3,), rngs=nnx.Rngs(0))
chain = bijx.Chain(bijx.Scaling(jnp.array([1.0, 2.0, 0.5])), bijx.Shift(jnp.ones(3)))
model = bijx.Transformed(prior, chain)
x, density = model.sample((5,), rng=jax.random.key(0))
show("sampled", [x, density])
show("density", model.log_density(x))
show("gradient", jax.grad(lambda x: model.log_density(x).sum())(x))
