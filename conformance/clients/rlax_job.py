"""rlax: errors of temporal differences, returns, policies."""

import jax
import jax.numpy as jnp
import rlax
from reporting import show

ones = jnp.ones(5)
show("q", rlax.q_learning(jnp.array([1.0, 2.0]), 1, 0.5, 0.9, jnp.array([0.3, 0.4])))
show("td", jax.vmap(rlax.td_learning)(ones, ones, ones * 0.9, ones * 2))
show("vtrace", rlax.vtrace_td_error_and_advantage(ones, ones * 1.1, ones, ones * 0.9, ones * 1.2))
show("returns", jax.jit(rlax.lambda_returns)(jnp.arange(5.0), ones * 0.9, ones, 0.8))
show("sample", rlax.softmax().sample(jax.random.key(0), jnp.arange(4.0)))
