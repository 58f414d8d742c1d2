"""brax: a body stepped by the spring backend, and the gradient of where it ends."""

import jax
import jax.numpy as jnp
from brax import envs
from reporting import show

env = envs.get_environment("inverted_pendulum", backend="spring")
state = jax.jit(env.reset)(jax.random.PRNGKey(0))
show("first", state.obs)
step = jax.jit(env.step)
for _ in range(5):
    state = step(state, jnp.array([0.5]))
show("fifth", [state.obs, state.reward])
