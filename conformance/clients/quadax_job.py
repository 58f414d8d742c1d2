"""quadax: integrals over finite and infinite ranges, with derivatives."""

import jax
import jax.numpy as jnp
import quadax
from reporting import show

line = jnp.array([-jnp.inf, jnp.inf])
show("gauss", quadax.quadgk(lambda t: jnp.exp(-(t**2)), line)[0])
show("romberg", quadax.romberg(jnp.sin, jnp.array([0.0, 1.0]))[0])
show("gradient", jax.grad(lambda a: quadax.quadgk(lambda t: jnp.exp(-a * t**2), line)[0])(2.0))
