"""cuthbert: Kalman's filter, one step after the other and by an associative scan, with derivatives."""

import cuthbert
import jax
import jax.numpy as jnp
from cuthbert.gaussian import kalman
from reporting import show

jax.config.update("jax_enable_x64", True)
observations = jnp.cumsum(jax.random.normal(jax.random.key(0), (20, 1)), axis=0)


def filtered(noise, parallel):
    def dynamics(inputs):
        return jnp.array([[1.0, 0.1], [0.0, 0.9]]), jnp.zeros(2), 0.5 * jnp.eye(2)

    def observe(inputs):
        return jnp.array([[1.0, 0.0]]), jnp.zeros(1), noise * jnp.eye(1), observations[inputs]

    built = kalman.build_filter(jnp.zeros(2), jnp.eye(2), dynamics, observe)
    times = jnp.arange(20)
    states = cuthbert.filter(built, times, built.init_prepare(), parallel=parallel)
    return states.mean, states.log_normalizing_constant


show("in order", filtered(0.3, False))
show("in parallel", jax.jit(filtered, static_argnums=1)(0.3, True))
for parallel in (False, True):
    show(f"gradient {parallel}", jax.grad(lambda s, p=parallel: filtered(s, p)[1][-1])(0.3))
